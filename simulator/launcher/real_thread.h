// SPDX-License-Identifier: Apache-2.0
// A thread of the real kernel by its folder in /proc: memory, names, rights. What is held is that thread and
// no later one of the same id; everything fails once it has ended.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "controller/base/unique_fd.h"

namespace bulkhead::sim {

constexpr unsigned kNoUser = 0xffffffff;  // nobody's number: of a thread that has gone

struct Credentials {
  unsigned user = 0;
  unsigned effective_user = 0;
  std::uint64_t capabilities = 0;  // effective, of this host's user namespace; none for one in another

  bool has(unsigned capability) const { return (capabilities >> capability & 1U) != 0; }
};

class RealThread {
 public:
  RealThread(const std::string& proc, unsigned id);

  unsigned id() const { return id_; }
  // Nothing where there is no such memory.
  std::optional<std::string> text_at(std::uint64_t address) const;  // to its zero byte
  std::optional<std::string> bytes_at(std::uint64_t address, std::size_t size) const;
  bool put(std::uint64_t address, std::string_view bytes) const;

  std::string link(const std::string& name) const;      // empty if there is none
  std::string absolute(const std::string& path) const;  // by its root and current folder; no link is followed
  Credentials credentials() const;
  bool may_write(unsigned descriptor) const;

 private:
  std::string file(const std::string& name) const;  // its content

  unsigned id_;
  UniqueFd folder_;
};

}  // namespace bulkhead::sim
