// SPDX-License-Identifier: Apache-2.0
// A caller of the API that waits for each answer.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "controller/base/unique_fd.h"

namespace bulkhead {

class Client {
 public:
  // Nothing if no daemon listens there. Throws Error(permission) where one does, but not for us.
  static std::optional<Client> connect(const std::string& socket_path);

  // How long a call waits for its answer where nobody says otherwise.
  static constexpr std::chrono::seconds kReadPatience{30};
  static constexpr std::chrono::seconds kChangePatience{300};
  void set_patience(std::chrono::milliseconds patience) { patience_ = patience; }

  // The result, or the Error that the daemon had, with all its details. Throws Error(refused) if the
  // connection ends before, or no answer comes in time.
  nlohmann::ordered_json call(std::string_view method, const nlohmann::ordered_json& params);

  // The next event of what is subscribed: {"subscription", "sequence", "kind", "at", "data"}. Nothing if none
  // comes within that time, or with none ever.
  std::optional<nlohmann::ordered_json> next_event(
      std::optional<std::chrono::milliseconds> patience = std::nullopt);

 private:
  explicit Client(UniqueFd socket) : socket_(std::move(socket)) {}
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;
  void send(std::string_view line, std::chrono::milliseconds patience);
  std::optional<std::string> next_line(Deadline until);

  UniqueFd socket_;
  std::string received_;            // beyond the last whole line
  std::deque<std::string> events_;  // that came while an answer was waited for
  std::uint64_t last_id_ = 0;
  std::optional<std::chrono::milliseconds> patience_;
};

}  // namespace bulkhead
