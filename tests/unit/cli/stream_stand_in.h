// SPDX-License-Identifier: Apache-2.0
// Puts something else at the place of a standard stream for the length of a test.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <string>
#include <termios.h>
#include <unistd.h>

#include "controller/base/unique_fd.h"

namespace bulkhead {

class StreamStandIn {
 public:
  StreamStandIn(int stream, int stand_in) : stream_(stream), before_(::dup(stream)) {
    EXPECT_EQ(::dup2(stand_in, stream), stream);
  }
  ~StreamStandIn() { ::dup2(before_.get(), stream_); }
  StreamStandIn(const StreamStandIn&) = delete;
  StreamStandIn& operator=(const StreamStandIn&) = delete;

 private:
  int stream_;
  UniqueFd before_;
};

// A terminal, with ends for the program and for whoever sits there.
struct Terminal {
  UniqueFd person, program;

  explicit Terminal(unsigned short columns = 80) {
    winsize size{};
    size.ws_col = columns;
    int ends[2] = {-1, -1};
    EXPECT_EQ(::openpty(&ends[0], &ends[1], nullptr, nullptr, &size), 0);
    termios settings{};
    EXPECT_EQ(::tcgetattr(ends[1], &settings), 0);
    settings.c_lflag &= ~static_cast<tcflag_t>(ECHO);   // what is typed is not seen twice
    settings.c_oflag &= ~static_cast<tcflag_t>(OPOST);  // line ends stay what they are
    EXPECT_EQ(::tcsetattr(ends[1], TCSANOW, &settings), 0);
    person = UniqueFd(ends[0]);
    program = UniqueFd(ends[1]);
  }
};

// What has been written so far to the other end, once nothing more comes for a while.
inline std::string read_available(int descriptor) {
  std::string text;
  pollfd readable{.fd = descriptor, .events = POLLIN, .revents = 0};
  char buffer[4096];
  while (::poll(&readable, 1, 20) == 1) {
    const ssize_t got = ::read(descriptor, buffer, sizeof buffer);
    if (got <= 0) break;
    text.append(buffer, static_cast<std::size_t>(got));
  }
  return text;
}

// The same where something will come: terminals pass on what is written with a delay.
inline std::string read_soon(int descriptor) {
  pollfd readable{.fd = descriptor, .events = POLLIN, .revents = 0};
  EXPECT_EQ(::poll(&readable, 1, 10'000), 1);
  return read_available(descriptor);
}

}  // namespace bulkhead
