// SPDX-License-Identifier: Apache-2.0
// Numbers as the sentences of a verdict say them.
#pragma once

#include <string>

namespace bulkhead {

// A relative change: "+4.8 %", "-0.31 %", "+0 %"; two digits below 1 %.
std::string format_change(double relative);
// A share without a sign: "95 %", "0.5 %".
std::string format_share(double share);
// At most four significant digits: "0", "41.2", "2.34e+06".
std::string format_number(double value);

}  // namespace bulkhead
