// SPDX-License-Identifier: Apache-2.0
// What the page of a report is made of: the files in report/, and the library that draws. The build embeds
// them.
#pragma once

#include <string_view>

namespace bulkhead {

extern const std::string_view kReportPage;  // with {{NAME}} where a part goes
extern const std::string_view kReportStyle;
extern const std::string_view kReportScript;
extern const std::string_view kReportLibrary;
extern const std::string_view kReportLicence;  // of the library

}  // namespace bulkhead
