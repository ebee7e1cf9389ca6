// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/real_thread.h"

#include <climits>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include "controller/base/text.h"

namespace bulkhead::sim {
namespace {

constexpr std::uint64_t kPage = 4096;

std::string content_of(int file) {
  std::string text;
  char buffer[4096];
  for (;;) {
    const ssize_t length = ::read(file, buffer, sizeof buffer);
    if (length <= 0) return text;
    text.append(buffer, static_cast<std::size_t>(length));
  }
}

// What stands after "Key:" in lines of "Key:\tvalue".
std::string_view value_of(std::string_view text, std::string_view key) {
  for (const std::string_view line : split(text, '\n')) {
    if (line.starts_with(key)) return trim(line.substr(key.size()));
  }
  return {};
}

std::string link_at(int folder, const std::string& name) {
  char buffer[PATH_MAX];
  const ssize_t length = ::readlinkat(folder, name.c_str(), buffer, sizeof buffer);
  return length <= 0 ? "" : std::string(buffer, static_cast<std::size_t>(length));
}

}  // namespace

RealThread::RealThread(const std::string& proc, unsigned id)
    : id_(id), folder_(::open((proc + '/' + std::to_string(id)).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {}

std::optional<std::string> RealThread::text_at(std::uint64_t address) const {
  const UniqueFd memory(::openat(folder_.get(), "mem", O_RDONLY | O_CLOEXEC));
  std::string text;
  while (text.size() < PATH_MAX) {
    char buffer[kPage];
    const std::uint64_t from = address + text.size();
    const std::size_t to_end_of_page = kPage - from % kPage;
    const ssize_t length = ::pread(memory.get(), buffer, to_end_of_page, static_cast<off_t>(from));
    if (length <= 0) return std::nullopt;
    const std::string_view part(buffer, static_cast<std::size_t>(length));
    text += part.substr(0, part.find('\0'));
    if (part.find('\0') != std::string_view::npos) return text;
  }
  return text;
}

std::optional<std::string> RealThread::bytes_at(std::uint64_t address, std::size_t size) const {
  const UniqueFd memory(::openat(folder_.get(), "mem", O_RDONLY | O_CLOEXEC));
  std::string bytes(size, '\0');
  const ssize_t length = ::pread(memory.get(), bytes.data(), size, static_cast<off_t>(address));
  if (length != static_cast<ssize_t>(size)) return std::nullopt;
  return bytes;
}

bool RealThread::put(std::uint64_t address, std::string_view bytes) const {
  const UniqueFd memory(::openat(folder_.get(), "mem", O_WRONLY | O_CLOEXEC));
  return ::pwrite(memory.get(), bytes.data(), bytes.size(), static_cast<off_t>(address)) ==
         static_cast<ssize_t>(bytes.size());
}

std::string RealThread::link(const std::string& name) const {
  return link_at(folder_.get(), name);
}

std::string RealThread::file(const std::string& name) const {
  const UniqueFd file(::openat(folder_.get(), name.c_str(), O_RDONLY | O_CLOEXEC));
  return content_of(file.get());
}

std::string RealThread::absolute(const std::string& path) const {
  const std::string start = path.starts_with('/') ? link("root") : link("cwd");
  std::string whole = std::filesystem::path(start + '/' + path).lexically_normal();
  while (whole.size() > 1 && whole.ends_with('/')) whole.pop_back();
  return whole;
}

Credentials RealThread::credentials() const {
  const std::string status = file("status");
  const auto users = split(value_of(status, "Uid:"), '\t');
  if (users.size() < 2) return {.user = kNoUser, .effective_user = kNoUser};  // it was killed meanwhile
  Credentials credentials;
  credentials.user = parse_integer<unsigned>(users[0]).value_or(kNoUser);
  credentials.effective_user = parse_integer<unsigned>(users[1]).value_or(kNoUser);
  const bool is_of_host = link("ns/user") == link_at(AT_FDCWD, "/proc/self/ns/user");
  constexpr int kHexadecimal = 16;
  if (is_of_host) {
    credentials.capabilities =
        parse_integer<std::uint64_t>(value_of(status, "CapEff:"), kHexadecimal).value_or(0);
  }
  return credentials;
}

bool RealThread::may_write(unsigned descriptor) const {
  constexpr int kOctal = 8;
  const std::string information = file("fdinfo/" + std::to_string(descriptor));
  const auto flags = parse_integer<unsigned>(value_of(information, "flags:"), kOctal);
  return flags && (*flags & O_ACCMODE) != O_RDONLY && (*flags & O_PATH) == 0;
}

}  // namespace bulkhead::sim
