// SPDX-License-Identifier: Apache-2.0
// Help from the tables of verbs and options.
#pragma once

#include <string>

#include "controller/cli/verbs.h"

namespace bulkhead {

std::string program_help();
std::string verb_help(const Verb& verb);

// Everything there is, for the manual's check: verbs with their arguments, summaries and options.
std::string help_json();

}  // namespace bulkhead
