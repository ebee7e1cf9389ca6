// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/help.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "controller/cli/json_text.h"

namespace bulkhead {
namespace {

constexpr std::size_t kHelpWidth = 100;

std::string title(const Option& option) {
  std::string text = "--" + std::string(option.name);
  if (!option.argument.empty()) text += ' ' + std::string(option.argument);
  return text;
}

std::string title(const Verb& verb) {
  return std::string(verb.name) + (verb.arguments.empty() ? "" : " " + std::string(verb.arguments));
}

// "  title    summary", summaries aligned and wrapped.
template <class Rows, class Get>
std::string listed(const Rows& rows, Get&& get) {
  std::size_t width = 0;
  for (const auto& row : rows) width = std::max(width, title(get(row)).size());
  std::string text;
  const std::string indent(width + 4, ' ');
  for (const auto& row : rows) {
    text += "  " + padded(title(get(row)), width) + "  ";
    text += wrapped(get(row).summary, kHelpWidth - indent.size(), indent) + '\n';
  }
  return text;
}

}  // namespace

std::string program_help() {
  return "usage: bulkhead VERB [OPTIONS] [FILE...]\n\n"
         "Keeps noisy neighbours out of each other's caches, memory bandwidth and CPUs.\n\n" +
         listed(verbs(), [](const Verb& verb) -> const Verb& { return verb; }) +
         "\n'bulkhead VERB --help' shows the options of a verb, 'bulkhead --version' the version.\n"
         "Exit status: 0 done, 1 failed and undone, 2 usage, 3 wrong or infeasible input, 4 the host is not "
         "as\n"
         "planned, 5 this host cannot.\n";
}

std::string verb_help(const Verb& verb) {
  return "usage: bulkhead " + std::string(verb.name) + " [OPTIONS]" +
         (verb.arguments.empty() ? "" : " " + std::string(verb.arguments)) + "\n\n" +
         std::string(verb.summary) + "\n\n" +
         listed(verb.options, [](const Option* option) -> const Option& { return *option; });
}

std::string help_json() {
  nlohmann::ordered_json document;
  for (const Verb& verb : verbs()) {
    nlohmann::ordered_json options = nlohmann::ordered_json::array();
    for (const Option* option : verb.options) {
      options.push_back(
          {{"name", option->name}, {"argument", option->argument}, {"summary", option->summary}});
    }
    document["verbs"].push_back({{"name", verb.name},
                                 {"arguments", verb.arguments},
                                 {"summary", verb.summary},
                                 {"options", options}});
  }
  return json_text(document);
}

}  // namespace bulkhead
