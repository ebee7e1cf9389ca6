// SPDX-License-Identifier: Apache-2.0
// What the clients of each user hold, all together: one user's cannot use up what is there for the others.
#pragma once

#include <cstddef>
#include <map>

namespace bulkhead {

struct UserShare {
  std::size_t clients = 0;
  std::size_t bytes = 0;  // messages that are not complete or not answered yet, and answers not read yet
};

class UserLedger {
 public:
  UserShare of(unsigned uid) const {
    const auto found = users_.find(uid);
    return found == users_.end() ? UserShare{} : found->second;
  }
  std::size_t clients() const { return clients_; }
  std::size_t bytes() const { return bytes_; }

  void add_client(unsigned uid) {
    ++users_[uid].clients;
    ++clients_;
  }
  void remove_client(unsigned uid) {
    --clients_;
    if (--users_[uid].clients == 0) users_.erase(uid);
  }
  // A client of that user held `before` and holds `now` bytes.
  void change_bytes(unsigned uid, std::size_t before, std::size_t now) {
    users_[uid].bytes += now - before;
    bytes_ += now - before;
  }

 private:
  std::map<unsigned, UserShare> users_;
  std::size_t clients_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace bulkhead
