// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/services_file.h"

#include <gtest/gtest.h>

#include "controller/base/error.h"

namespace bulkhead::sim {
namespace {

std::string refusal(const std::string& text) {
  try {
    read_services_file(text, "s.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

TEST(ServicesFile, reads_services_with_their_usual_values) {
  const auto services = read_services_file(R"(// two
    {"services": [
      {"name": "proxy", "threads": 96, "cgroup": "/a/b", "metrics_port": 9101, "parameters": {"offered": 500, "smt": 0.02}},
      {"name": "batch", "kind": "neighbours", "threads": 4}]})",
                                           "s.json");
  ASSERT_EQ(services.size(), 2U);
  EXPECT_EQ(services[0].spec.name, "proxy");
  EXPECT_EQ(services[0].spec.threads, 96U);
  EXPECT_EQ(services[0].spec.offered, 500);
  EXPECT_EQ(services[0].spec.smt, 0.02);
  EXPECT_EQ(services[0].cgroup, "/a/b");
  EXPECT_EQ(services[0].metrics_port, 9101U);
  EXPECT_EQ(services[1].spec.name, "batch");
  EXPECT_EQ(services[1].cgroup, "/");
  EXPECT_EQ(services[1].metrics_port, 0U);
}

TEST(ServicesFile, says_where_it_makes_no_sense) {
  EXPECT_EQ(refusal(R"({"services": [{"name": "a"}]})").substr(0, 12), "s.json:1:15:");
  EXPECT_EQ(refusal(R"({"services": [{"name": "a", "threads": 1}, {"name": "a", "threads": 1}]})"),
            "s.json:1:53: there is a service of that name already");
  EXPECT_EQ(refusal(R"({"services": [{"name": "a", "threads": 1, "cgroup": "x"}]})"),
            "s.json:1:53: a cgroup's path starts with /");
  EXPECT_EQ(refusal(R"({"services": [{"name": "sixteen-letters-", "threads": 1}]})"),
            "s.json:1:24: the name has 1 to 15 characters");
  EXPECT_EQ(refusal(R"({"services": [{"name": "a", "threads": 1, "parameters": {"smt": "x"}}]})"),
            "s.json:1:65: a parameter is a number");
  EXPECT_EQ(refusal(R"({"services": [{"name": "a/b", "threads": 1}]})"),
            "s.json:1:24: the name has no / and no control characters");
  EXPECT_EQ(refusal(R"({"services": [{"name": "a", "threads": 1, "cgroup": "/../x"}]})"),
            "s.json:1:53: a cgroup's path has no .. and no control characters");
}

}  // namespace
}  // namespace bulkhead::sim
