// SPDX-License-Identifier: Apache-2.0
// "write_floor WANTED TARGET": the least program that brings groups from here to there, the floor of a whole
// apply: what files of WANTED/*/{schemata,cpus_list} hold is written to the same files of TARGET.
#include <cstdio>
#include <dirent.h>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace {

void copy(int from, int to, const std::string& name) {
  char text[4096];
  const int source = ::openat(from, name.c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t size = source < 0 ? -1 : ::read(source, text, sizeof text);
  const int target = ::openat(to, name.c_str(), O_WRONLY | O_CLOEXEC);
  if (size < 0 || target < 0 || ::pwrite(target, text, static_cast<std::size_t>(size), 0) != size) {
    std::perror(name.c_str());
    ::_exit(1);
  }
  ::close(source);
  ::close(target);
}

}  // namespace

int main(int count, char** words) {
  DIR* groups = count == 3 ? ::opendir(words[1]) : nullptr;
  const int to = count == 3 ? ::open(words[2], O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (groups == nullptr || to < 0) {
    std::fputs("usage: write_floor WANTED TARGET\n", stderr);
    return 2;
  }
  while (const dirent* group = ::readdir(groups)) {
    if (group->d_name[0] == '.') continue;
    for (const char* file : {"/schemata", "/cpus_list"})
      copy(::dirfd(groups), to, std::string(group->d_name) + file);
  }
  return 0;
}
