// SPDX-License-Identifier: Apache-2.0
// Words of the command line to a verb's call.
#pragma once

#include <string>
#include <vector>

#include "controller/cli/verbs.h"

namespace bulkhead {

// `words` are those after the verb. Throws Error(usage) that says what would be right.
Call parse_call(const Verb& verb, const std::vector<std::string>& words, Console& console);

// Throws Error(usage), with the verb that is probably meant.
const Verb& require_verb(const std::string& name);

// Options that every verb has may stand before the verb: they are moved behind it. What comes first is the
// verb, or
// "--help", "--version", or an option that only makes sense behind a verb.
std::vector<std::string> verb_first(std::vector<std::string> words);

// Whether errors are to be JSON: that must be known even where the rest makes no sense.
bool wants_json(const std::vector<std::string>& words);

}  // namespace bulkhead
