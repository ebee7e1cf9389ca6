// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/command_line.h"

#include <algorithm>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/positional_options.hpp>

#include "controller/base/error.h"
#include "controller/base/text.h"

namespace bulkhead {
namespace {

namespace po = boost::program_options;

constexpr const char* kArgument = "argument";

Error usage(std::string message) {
  return Error(ErrorCode::usage, std::move(message));
}

std::string see_help(const Verb& verb) {
  return "; see 'bulkhead " + std::string(verb.name) + " --help'";
}

Error unknown_option(const Verb& verb, std::string_view option) {
  std::vector<std::string_view> names;
  for (const Option* known : verb.options) names.push_back(known->name);
  option = option.substr(0, option.find('='));
  const std::string message = std::string(verb.name) + " has no option '" + std::string(option) + "'";
  option.remove_prefix(std::min(option.find_first_not_of('-'), option.size()));
  const std::string_view meant = closest(option, names);
  if (!meant.empty()) return usage(message + ": did you mean --" + std::string(meant) + "?");
  return usage(message + see_help(verb));
}

po::options_description describe(const Verb& verb) {
  po::options_description description;
  for (const Option* option : verb.options) {
    const std::string name(option->name);
    if (option->argument.empty()) {
      description.add_options()(name.c_str(), "");
    } else {
      description.add_options()(name.c_str(), po::value<std::string>(), "");
    }
  }
  description.add_options()(kArgument, po::value<std::vector<std::string>>(), "");
  return description;
}

po::parsed_options parse(const Verb& verb, const std::vector<std::string>& words) {
  const po::options_description description = describe(verb);
  po::positional_options_description positional;
  positional.add(kArgument, -1);
  using Style = po::command_line_style::style_t;
  constexpr int kStyle = Style::allow_long | Style::long_allow_adjacent | Style::long_allow_next;
  try {
    return po::command_line_parser(words).options(description).positional(positional).style(kStyle).run();
  } catch (const po::unknown_option& error) {
    throw unknown_option(verb, error.get_option_name());
  } catch (const po::error& error) {
    throw usage(std::string(error.what()) + see_help(verb));
  }
}

// Whether the next word is what the option is set to.
bool takes_next_word(const Verb& verb, std::string_view word) {
  return std::any_of(verb.options.begin(), verb.options.end(), [&](const Option* option) {
    return !option->argument.empty() && word.starts_with("--") && word.substr(2) == option->name;
  });
}

// There are no short options; one that is tried must not be taken for a file. A value such as "-1" is none.
void refuse_short_options(const Verb& verb, const std::vector<std::string>& words) {
  bool value = false;
  for (const std::string& word : words) {
    if (word == "--") return;
    if (!value && word.size() > 1 && word[0] == '-' && word[1] != '-') throw unknown_option(verb, word);
    value = takes_next_word(verb, word);
  }
}

void check_count(const Call& call) {
  const Verb& verb = call.verb;
  const std::size_t given = call.arguments.size();
  if (given < verb.fewest) {
    throw usage(std::string(verb.name) + " needs " + std::string(verb.arguments) + see_help(verb));
  }
  if (given > verb.most) {
    const std::string takes = verb.most == 0 ? " takes no arguments" : " takes one argument";
    throw usage(std::string(verb.name) + takes + ", not '" + call.arguments[verb.most] + "'" +
                see_help(verb));
  }
}

}  // namespace

Call parse_call(const Verb& verb, const std::vector<std::string>& words, Console& console) {
  Call call{.verb = verb, .console = console};
  refuse_short_options(verb, words);
  for (const po::option& option : parse(verb, words).options) {
    const std::string value = option.value.empty() ? std::string() : option.value.front();
    if (option.string_key == kArgument) {
      call.arguments.push_back(value);
      continue;
    }
    const auto known = std::find_if(verb.options.begin(), verb.options.end(),
                                    [&](const Option* one) { return one->name == option.string_key; });
    if (known == verb.options.end()) throw unknown_option(verb, "--" + option.string_key);
    (*known)->set(call.options, value);
  }
  if (!call.options.help) check_count(call);
  return call;
}

const Verb& require_verb(const std::string& name) {
  if (const Verb* verb = find_verb(name)) return *verb;
  if (name.starts_with('-')) {
    throw usage("options come after the verb: 'bulkhead VERB " + name + "'; see 'bulkhead --help'");
  }
  std::vector<std::string_view> names;
  for (const Verb& verb : verbs()) names.push_back(verb.name);
  const std::string_view meant = closest(name, names);
  throw usage("there is no verb '" + name + "'" +
              (meant.empty() ? "; see 'bulkhead --help'" : ": did you mean '" + std::string(meant) + "'?"));
}

std::vector<std::string> verb_first(std::vector<std::string> words) {
  std::size_t leading = 0;
  while (leading < words.size() && (words[leading] == "--json" || words[leading].starts_with("--color"))) {
    leading += words[leading] == "--color" ? 2 : 1;
  }
  if (leading < words.size()) {
    std::rotate(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(leading),
                words.begin() + static_cast<std::ptrdiff_t>(leading + 1));
  }
  return words;
}

bool wants_json(const std::vector<std::string>& words) {
  const auto end = std::find(words.begin(), words.end(), "--");
  return std::find(words.begin(), end, "--json") != end;
}

}  // namespace bulkhead
