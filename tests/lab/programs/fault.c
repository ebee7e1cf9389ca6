// SPDX-License-Identifier: Apache-2.0
// Preloaded: lets the FAULT_AT-th call that changes something go wrong. FAULT is "kill" (SIGKILL before it), the
// number of another signal (raised before it, and the call is made), or "-E" for the errno E without the call.
// FAULT=slow has each of them take 0.3 s longer.
// With FAULT_ON only calls whose text (what is written, the name, or the method called over D-Bus) begins with that
// count. Much faster than strace,
// which stops at every call, and all kinds of calls count as one sequence.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

// Whether the call must not be made; errno is set then.
static int fails(const char *text, size_t size) {
  static long calls;
  const char *at = getenv("FAULT_AT");
  const char *what = getenv("FAULT");
  const char *on = getenv("FAULT_ON");
  if (!what) return 0;
  if (on && (size < strlen(on) || strncmp(text, on, strlen(on)) != 0)) return 0;
  if (strcmp(what, "slow") == 0) return usleep(300000), 0;
  if (!at || ++calls != atol(at)) return 0;
  if (strcmp(what, "kill") == 0) kill(getpid(), SIGKILL);
  if (what[0] != '-') return kill(getpid(), atoi(what)), 0;
  errno = atoi(what + 1);
  return 1;
}

ssize_t write(int file, const void *text, size_t size) {
  return file > 2 && fails(text, size) ? -1 : REAL(write)(file, text, size);
}

ssize_t pwrite(int file, const void *text, size_t size, off_t place) {
  return fails(text, size) ? -1 : REAL(pwrite)(file, text, size, place);
}

ssize_t pwrite64(int file, const void *text, size_t size, off64_t place) {
  return fails(text, size) ? -1 : REAL(pwrite64)(file, text, size, place);
}

int mkdir(const char *path, mode_t mode) { return fails(path, strlen(path)) ? -1 : REAL(mkdir)(path, mode); }

int mkdirat(int folder, const char *path, mode_t mode) {
  return fails(path, strlen(path)) ? -1 : REAL(mkdirat)(folder, path, mode);
}

int unlinkat(int folder, const char *path, int flags) {
  return fails(path, strlen(path)) ? -1 : REAL(unlinkat)(folder, path, flags);
}

int unlink(const char *path) { return fails(path, strlen(path)) ? -1 : REAL(unlink)(path); }

// Of what goes over D-Bus, the calls to systemd that change something.
ssize_t sendmsg(int socket, const struct msghdr *message, int flags) {
  static const char *const changing[] = {"SetUnitProperties", "Reload"};
  const struct iovec *header = message->msg_iov;
  for (size_t i = 0; i < sizeof changing / sizeof *changing; ++i) {
    const size_t size = strlen(changing[i]) + 1;  // with the end, as D-Bus has it
    if (message->msg_iovlen && memmem(header->iov_base, header->iov_len, changing[i], size) && fails(changing[i], size))
      return -1;
  }
  return REAL(sendmsg)(socket, message, flags);
}

int renameat(int folder, const char *path, int to_folder, const char *to_path) {
  return fails(path, strlen(path)) ? -1 : REAL(renameat)(folder, path, to_folder, to_path);
}
