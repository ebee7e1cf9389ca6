// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/help.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "controller/cli/json_text.h"

namespace bulkhead {
namespace {

std::string title(const Option& option) {
  std::string text = "--" + std::string(option.name);
  if (!option.argument.empty()) text += ' ' + std::string(option.argument);
  return text;
}

std::string title(const Verb& verb) {
  return std::string(verb.name) + (verb.arguments.empty() ? "" : " " + std::string(verb.arguments));
}

// "  title    summary", summaries aligned and wrapped, or below the titles where there is no room beside
// them.
template <class Rows, class Get>
std::string listed(const Rows& rows, std::size_t width, Get&& get) {
  constexpr std::size_t kNarrowestSummary = 20;
  std::size_t widest = 0;
  for (const auto& row : rows) widest = std::max(widest, title(get(row)).size());
  const bool beside = widest + 4 + kNarrowestSummary <= width;
  const std::string indent(beside ? widest + 4 : 6, ' ');
  std::string text;
  for (const auto& row : rows) {
    text += "  " + (beside ? padded(title(get(row)), widest) + "  " : title(get(row)) + '\n' + indent);
    text += wrapped(get(row).summary, width - indent.size(), indent) + '\n';
  }
  return text;
}

}  // namespace

std::string program_help(std::size_t width) {
  return "usage: bulkhead VERB [OPTIONS] [FILE...]\n\n" +
         wrapped("Keeps noisy neighbours out of each other's caches, memory bandwidth and CPUs.", width, "") +
         "\n\n" + listed(verbs(), width, [](const Verb& verb) -> const Verb& { return verb; }) + '\n' +
         wrapped("'bulkhead VERB --help' shows the options of a verb, 'bulkhead --version' the version.",
                 width, "") +
         '\n' +
         wrapped(
             "Exit status: 0 done, 1 failed and undone, 2 usage, 3 wrong or infeasible input, "
             "4 the host is not as planned, 5 this host cannot.",
             width, "") +
         '\n';
}

std::string verb_help(const Verb& verb, std::size_t width) {
  const std::string usage = "usage: bulkhead " + std::string(verb.name) + " [OPTIONS]" +
                            (verb.arguments.empty() ? "" : " " + std::string(verb.arguments));
  return hanging(usage, width) + "\n\n" + wrapped(verb.summary, width, "") + "\n\n" +
         listed(verb.options, width, [](const Option* option) -> const Option& { return *option; });
}

std::string help_json(std::span<const Verb> shown) {
  nlohmann::ordered_json document;
  for (const Verb& verb : shown) {
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
