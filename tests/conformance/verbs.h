// SPDX-License-Identifier: Apache-2.0
// The operations of the language.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/conformance/host.h"

namespace bulkhead::conformance {

using Arguments = std::vector<std::string>;

// On the world: `put_off` is what the kernel does later, in a workqueue.
enum class Effect { none, immediate, put_off };

struct Verb {
  std::string_view name;
  std::size_t arguments = 0;
  bool names_task = false;  // the first argument is a new task's name, the others are given to `act`
  Ability needs = Ability::files;
  Effect effect = Effect::immediate;
  Outcome (*act)(Host& host, const Arguments& arguments) = nullptr;
};

const Verb* find_verb(std::string_view name);

}  // namespace bulkhead::conformance
