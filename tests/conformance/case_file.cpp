// SPDX-License-Identifier: Apache-2.0
#include "tests/conformance/case_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "controller/base/error.h"
#include "controller/base/text.h"

namespace bulkhead::conformance {
namespace {

[[noreturn]] void refuse(const std::string& what) {
  throw Error(ErrorCode::invalid, what);
}

struct MatchWord {
  std::string_view word;
  Match match;
};
constexpr std::array kMatches{MatchWord{"=", Match::equal}, MatchWord{"~", Match::contains},
                              MatchWord{"!~", Match::lacks}};

class Parser {
 public:
  explicit Parser(std::string name) { file_.name = std::move(name); }

  CaseFile parse(std::string_view text) {
    for (const std::string_view line : split(text, '\n')) {
      ++number_;
      try {
        if (const std::vector<Word> words = words_of(line); !words.empty()) read_line(line, words);
      } catch (Error& error) {
        throw std::move(error.set_place(file_.name, number_, 1, {}));
      }
    }
    if (file_.hosts.empty()) refuse(file_.name + ": names no host");
    return std::move(file_);
  }

 private:
  void read_line(std::string_view line, const std::vector<Word>& words) {
    if (words[0].is("host")) return read_hosts(words);
    if (words[0].is("kernel")) return read_kernel(words);
    if (words[0].is("derived")) return read_derived(words);
    if (words[0].is("setup")) {
      if (words.size() != 1 || !file_.cases.empty()) refuse("setup stands alone, before the first case");
      operations_ = &file_.setup;
      return;
    }
    if (words[0].is("case")) {
      if (words.size() != 2) refuse("a case has one name, in quotes");
      for (const Case& other : file_.cases) {
        if (other.name == words[1].text) refuse("there are two cases called " + in_quotes(other.name));
      }
      file_.cases.push_back({words[1].text, of_file_.kernels, of_file_.derived, {}, number_});
      operations_ = &file_.cases.back().operations;
      return;
    }
    if (operations_ == nullptr) refuse("an operation before the first case or setup");
    operations_->push_back(read_operation(line, words));
  }

  void read_hosts(const std::vector<Word>& words) {
    if (words.size() < 2) refuse("host needs a name");
    for (std::size_t index = 1; index < words.size(); ++index) file_.hosts.push_back(words[index].text);
  }

  Case& scope() { return file_.cases.empty() ? of_file_ : file_.cases.back(); }

  void read_kernel(const std::vector<Word>& words) {
    if (words.size() != 3) refuse("kernel needs < or >= and a version");
    const KernelVersion version = parse_version(words[2].text);
    KernelRange& kernels = scope().kernels;
    if (words[1].is(">=")) {
      kernels.first = version;
    } else if (words[1].is("<")) {
      kernels.beyond = version;
    } else {
      refuse("kernel needs < or >= and a version");
    }
  }

  void read_derived(const std::vector<Word>& words) {
    if (words.size() != 2) refuse("derived needs the source, in quotes");
    scope().derived = words[1].text;
  }

  Operation read_operation(std::string_view line, const std::vector<Word>& words) {
    Operation operation;
    operation.line = number_;
    operation.source = std::string(trim(line));
    std::size_t at = 0;
    operation.as_nobody = words[0].is("as-nobody");
    if (operation.as_nobody) ++at;
    if (at == words.size()) refuse("as-nobody needs an operation");
    operation.verb = words[at++].text;
    for (; at < words.size() && !begins_expectation(words[at]); ++at) {
      operation.arguments.push_back(words[at].text);
    }
    while (at < words.size()) at = read_expectation(words, at, operation.expected);
    return operation;
  }

  static const MatchWord* match_of(const Word& word) {
    const auto found =
        std::ranges::find_if(kMatches, [&](const MatchWord& each) { return word.is(each.word); });
    return found == kMatches.end() ? nullptr : found;
  }

  static bool begins_expectation(const Word& word) { return word.is("->") || match_of(word) != nullptr; }

  static std::size_t read_expectation(const std::vector<Word>& words, std::size_t at, Expectation& expected) {
    if (at + 1 == words.size()) refuse("nothing after " + words[at].text);
    if (const MatchWord* match = match_of(words[at])) {
      expected.match = match->match;
      expected.text = words[at + 1].text;
      return at + 2;
    }
    if (!words[at].is("->")) refuse("no such expectation: " + words[at].text);
    const auto error = errno_of(words[at + 1].text);
    if (!error) refuse("no such errno: " + words[at + 1].text);
    expected.error = *error;
    if (at + 2 == words.size() || !words[at + 2].quoted) return at + 2;
    expected.status = words[at + 2].text;
    return at + 3;
  }

  CaseFile file_;
  Case of_file_;  // what holds for all cases that say nothing else
  std::vector<Operation>* operations_ = nullptr;
  std::size_t number_ = 0;
};

}  // namespace

KernelVersion parse_version(std::string_view text) {
  const auto parts = split(text.substr(0, text.find('-')), '.');
  const auto major = parts.empty() ? std::nullopt : parse_integer<unsigned>(parts[0]);
  const auto minor = parts.size() < 2 ? std::optional(0U) : parse_integer<unsigned>(parts[1]);
  if (!major || !minor) refuse("not a kernel's version: " + std::string(text));
  return {*major, *minor};
}

CaseFile parse_cases(std::string_view text, const std::string& name) {
  return Parser(name).parse(text);
}

std::vector<CaseFile> read_cases(const std::vector<std::string>& paths) {
  namespace fs = std::filesystem;
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    if (!fs::is_directory(path)) {
      names.push_back(path);
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(path)) {
      if (entry.path().extension() == ".cases") names.push_back(entry.path().string());
    }
  }
  std::ranges::sort(names);
  std::vector<CaseFile> files;
  for (const std::string& name : names) {
    std::ifstream file(name);
    std::stringstream text;
    text << file.rdbuf();
    if (!file) throw Error(ErrorCode::not_found, "cannot read " + name);
    files.push_back(parse_cases(text.str(), name));
  }
  return files;
}

std::string describe(const Expectation& expected) {
  std::string text = errno_name(expected.error);
  if (expected.status) text += ' ' + in_quotes(*expected.status);
  const auto match = std::ranges::find(kMatches, expected.match, &MatchWord::match);
  if (match != kMatches.end()) text += ' ' + std::string(match->word) + ' ' + in_quotes(expected.text);
  return text;
}

}  // namespace bulkhead::conformance
