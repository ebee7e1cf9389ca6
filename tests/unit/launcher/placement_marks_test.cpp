// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/placement_marks.h"

#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "controller/base/unique_fd.h"

namespace bulkhead::sim {
namespace {

class PlacementMarksTest : public testing::Test {
 protected:
  PlacementMarksTest() : usual_(prctl(PR_GET_TIMERSLACK)) {}
  ~PlacementMarksTest() override { prctl(PR_SET_TIMERSLACK, usual_); }

  // Of this process or another one.
  static Task in_group(unsigned closid, pid_t id = getpid()) {
    return {.id = static_cast<unsigned>(id), .closid = closid};
  }
  void mark(const Task& task) { marks_.mark({{task.id, task}}); }

  // What `look` finds of a child that was made now and does nothing but set its slack, if that is not 0.
  template <class Look>
  auto with_child(unsigned long slack, Look&& look) {
    int ready[2];
    EXPECT_EQ(pipe(ready), 0);
    const pid_t child = fork();
    if (child == 0) {
      if (slack != 0) prctl(PR_SET_TIMERSLACK, slack);
      if (write(ready[1], "", 1) != 1) _exit(1);
      for (;;) pause();
    }
    char byte = 0;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    const auto found = look(static_cast<unsigned>(child));
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    close(ready[0]);
    close(ready[1]);
    return found;
  }

  static std::string slack_of(unsigned process) {
    const UniqueFd file(open(("/proc/" + std::to_string(process) + "/timerslack_ns").c_str(), O_RDONLY));
    char text[32];
    const ssize_t length = read(file.get(), text, sizeof text);
    return {text, static_cast<std::size_t>(length - 1)};
  }

  const int usual_;
  const UniqueFd proc_{open("/proc", O_RDONLY | O_DIRECTORY)};
  PlacementMarks marks_{proc_.get()};
};

TEST_F(PlacementMarksTest, children_are_where_their_parent_was_when_it_made_them) {
  mark(in_group(2));
  const unsigned closid = with_child(0, [&](unsigned child) {
    mark(in_group(3));  // too late for the child
    const Task* place = marks_.inherited(child);
    return place == nullptr ? 0 : place->closid;
  });
  EXPECT_EQ(closid, 2U);
}

TEST_F(PlacementMarksTest, say_nothing_of_a_child_whose_parent_had_none) {
  EXPECT_EQ(with_child(0, [&](unsigned child) { return marks_.inherited(child); }), nullptr);
}

TEST_F(PlacementMarksTest, are_the_same_for_the_same_place) {
  mark(in_group(1));
  const int first = prctl(PR_GET_TIMERSLACK);
  mark(in_group(2));
  EXPECT_NE(prctl(PR_GET_TIMERSLACK), first);
  mark(in_group(1));
  EXPECT_EQ(prctl(PR_GET_TIMERSLACK), first);
  EXPECT_EQ(first, usual_ + 1);
}

TEST_F(PlacementMarksTest, leave_programs_the_slack_that_they_chose_until_they_are_moved) {
  mark(in_group(1));
  constexpr unsigned long kChosen = 7777777;
  const std::string slack = with_child(kChosen, [&](unsigned child) {
    EXPECT_EQ(marks_.inherited(child), nullptr);
    mark(in_group(1, static_cast<pid_t>(child)));
    EXPECT_EQ(slack_of(child), "7777777");
    mark(in_group(2, static_cast<pid_t>(child)));
    return slack_of(child);
  });
  EXPECT_EQ(slack, std::to_string(usual_ + 2));
}

}  // namespace
}  // namespace bulkhead::sim
