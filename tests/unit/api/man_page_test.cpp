// SPDX-License-Identifier: Apache-2.0
// bulkhead-api(7) has the limits of the server.
#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "controller/api/json_rpc.h"
#include "controller/api/server.h"

namespace bulkhead {
namespace {

using Rows = std::map<std::string, std::string>;

// The first two cells of each row of the table; cells are lines.
Rows documented_limits() {
  std::ifstream page(BULKHEAD_SOURCE_DIR "/man/bulkhead-api.7.scd");
  EXPECT_TRUE(page);
  Rows rows;
  std::string what;
  for (std::string line; std::getline(page, line);) {
    if (line.starts_with("|  ")) {
      what = line.substr(3);
    } else if (line.starts_with(":  ")) {
      rows.emplace(what, line.substr(3));  // of the later cells none counts
    }
  }
  return rows;
}

std::string number(std::size_t value) {
  return std::to_string(value);
}

TEST(ManPage, has_the_limits_of_the_server) {
  const ServerLimits limits;
  const auto mebibytes = [](std::size_t bytes) { return number(bytes >> 20) + " MiB"; };
  const Rows known{{"a message", mebibytes(limits.message_bytes) + "; " + number(kMostMessageValues) +
                                     " values, " + number(kDeepestMessage) + " deep"},
                   {"a batch", number(limits.batch_requests) + " requests"},
                   {"connections", number(limits.clients) + "; " + number(limits.clients_per_user) +
                                       " of a user, but for root"},
                   {"requests in flight, of a connection", number(limits.requests_in_flight)},
                   {"answers that a connection has not read", mebibytes(limits.queued_bytes)},
                   {"what a user's connections hold of all that", mebibytes(limits.held_bytes_per_user)},
                   {"subscriptions of a connection", number(limits.subscriptions)},
                   {"events that a subscription has not read",
                    number(limits.events.events) + ", " + number(limits.events.bytes >> 10) + " KiB"}};
  Rows documented = documented_limits();
  documented.erase("requests for the host that wait, of all");  // a limit of the daemon's
  EXPECT_EQ(documented, known);
}

}  // namespace
}  // namespace bulkhead
