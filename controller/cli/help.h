// SPDX-License-Identifier: Apache-2.0
// Help from the tables of verbs and options.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "controller/cli/verbs.h"

namespace bulkhead {

std::string program_help(std::size_t width);
std::string verb_help(const Verb& verb, std::size_t width);

// {"verbs": [...]}, each with its arguments, summary and options.
std::string help_json(std::span<const Verb> shown);

}  // namespace bulkhead
