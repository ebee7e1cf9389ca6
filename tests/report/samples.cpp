// SPDX-License-Identifier: Apache-2.0
// Writes the synthetic results with their pages into a folder, for the tests that look at them from outside.
#include <fstream>
#include <iostream>

#include "controller/experiment/report_html.h"
#include "controller/experiment/result_json.h"
#include "tests/report/synthetic_result.h"

int main(int count, char** words) {
  if (count != 2) {
    std::cerr << "report-samples FOLDER\n";
    return 2;
  }
  using namespace bulkhead;
  const std::pair<std::string, ExperimentResult> samples[] = {{"plain", plain_result()},
                                                              {"every-kind", gen13_result()},
                                                              {"search", search_result()},
                                                              {"hostile", hostile_result()},
                                                              {"open", open_result()}};
  for (const auto& [name, result] : samples) {
    const std::string path = std::string(words[1]) + '/' + name;
    std::ofstream(path + ".json") << result_text(result) << '\n';
    std::ofstream(path + ".html") << report_html(result);
  }
  return 0;
}
