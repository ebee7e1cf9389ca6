// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/report_html.h"

#include <array>
#include <span>
#include <string_view>

#include "controller/base/error.h"
#include "controller/experiment/report_texts.h"
#include "controller/experiment/result_json.h"

namespace bulkhead {
namespace {

// Text between tags.
std::string escaped(std::string_view text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '<') {
      safe += "&lt;";
    } else if (letter == '&') {
      safe += "&amp;";
    } else {
      safe += letter;
    }
  }
  return safe;
}

// JSON inside a script element, which only the letters of its end tag, or of a comment, could end. They stand
// in texts only, where JSON knows another way to write them.
std::string inside_script(std::string_view json) {
  std::string safe;
  safe.reserve(json.size());
  for (const char letter : json) {
    if (letter == '<') {
      safe += "\\u003c";
    } else if (letter == '>') {
      safe += "\\u003e";
    } else if (letter == '&') {
      safe += "\\u0026";
    } else {
      safe += letter;
    }
  }
  return safe;
}

struct Part {
  std::string_view name;
  std::string text;
};

std::string_view text_of(std::span<const Part> parts, std::string_view name) {
  for (const Part& part : parts) {
    if (part.name == name) return part.text;
  }
  throw Error(ErrorCode::internal, "the page of the report asks for " + std::string(name));
}

// Only the page's own marks are replaced, never what looks like one in a part.
std::string filled(std::string_view page, std::span<const Part> parts) {
  std::string html;
  for (auto mark = page.find("{{"); mark != std::string_view::npos; mark = page.find("{{")) {
    html += page.substr(0, mark);
    page.remove_prefix(mark + 2);
    const auto end = page.find("}}");
    html += text_of(parts, page.substr(0, end));
    page.remove_prefix(end + 2);
  }
  return html += page;
}

}  // namespace

std::string report_html(const ExperimentResult& result) {
  const std::array parts{Part{"title", escaped(result.name + " - Bulkhead experiment")},
                         Part{"style", std::string(kReportStyle)},
                         Part{"licence", escaped(kReportLicence)},
                         Part{"library", std::string(kReportLibrary)},
                         Part{"script", std::string(kReportScript)},
                         Part{"result", inside_script(result_text(result))}};
  return filled(kReportPage, parts);
}

}  // namespace bulkhead
