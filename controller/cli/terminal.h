// SPDX-License-Identifier: Apache-2.0
// What is known about the terminal, if any, that the program is used at.
#pragma once

#include <cstddef>
#include <string_view>

namespace bulkhead {

// A variable of the environment; empty where it is not set.
std::string_view environment(const char* name);

// How wide text on a stream may be: COLUMNS where the environment has it, else what the terminal says, else
// 100. Never so few or so many that text becomes unreadable.
std::size_t columns_of(int stream);

// How many lines it shows; 24 where nobody says.
std::size_t rows_of(int stream);

}  // namespace bulkhead
