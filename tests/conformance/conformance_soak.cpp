// SPDX-License-Identifier: Apache-2.0
// conformance-soak: prints random operations with the model's answers, for conformance-run.
#include <algorithm>
#include <exception>
#include <iostream>
#include <vector>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "tests/conformance/soak.h"

namespace bulkhead::conformance {
namespace {

constexpr const char* kUsage =
    "usage: conformance-soak [--host NAME] [--kernel VERSION] [--seed N] [--operations M]\n"
    "Prints a file for conformance-run: M random operations (500) from seed N (1), with what the model of "
    "the\n"
    "kernel (6.1) answers to them on the host (amd-12ccd-nps2, or intel-2socket).\n";

ModelledKernel kernel_of(const KernelVersion& version) {
  ModelledKernel newest = kModelledKernels[0];
  for (const ModelledKernel& each : kModelledKernels) {
    if (each.version.major < version.major || each.version <= version) newest = each;
  }
  return newest;
}

template <class Number>
Number number(const std::string& text) {
  const auto value = parse_integer<Number>(text);
  if (!value) throw Error(ErrorCode::usage, "not a number: " + text);
  return *value;
}

Soak parse(const std::vector<std::string>& words) {
  Soak soak;
  for (std::size_t at = 0; at < words.size(); at += 2) {
    if (at + 1 == words.size()) throw Error(ErrorCode::usage, words[at] + " needs a value");
    const std::string& value = words[at + 1];
    if (words[at] == "--host") {
      soak.host = value;
    } else if (words[at] == "--kernel") {
      soak.kernel = kernel_of(parse_version(value));
    } else if (words[at] == "--seed") {
      soak.seed = number<std::uint64_t>(value);
    } else if (words[at] == "--operations") {
      soak.operations = number<std::size_t>(value);
    } else {
      throw Error(ErrorCode::usage, "no such option: " + words[at]);
    }
  }
  return soak;
}

}  // namespace
}  // namespace bulkhead::conformance

int main(int count, char** arguments) {
  using namespace bulkhead::conformance;
  try {
    std::cout << make_soak(parse({arguments + 1, arguments + count}));
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "conformance-soak: " << error.what() << '\n' << kUsage;
    return 2;
  }
}
