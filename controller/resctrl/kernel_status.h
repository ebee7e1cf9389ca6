// SPDX-License-Identifier: Apache-2.0
// info/last_cmd_status: the kernel's own words for the last refusal.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace bulkhead {

// The words for the refusal just met. Kernels up to 6.12 do not clear the text at each command, so that only
// its end counts; a refusal in a list of tasks has two lines. Empty for "ok", which means no detail.
std::string latest_status(std::string_view text);

// The task that a list stopped at, from "Error while processing task N"; everything before it was moved.
std::optional<unsigned> task_stopped_at(std::string_view status);

// Whether a refusal with this errno leaves words in the file. For others, what is there is of an older
// command.
bool leaves_status(int error_number);

}  // namespace bulkhead
