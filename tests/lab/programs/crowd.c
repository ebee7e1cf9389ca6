// SPDX-License-Identifier: Apache-2.0
// A process of many threads that do nothing, for services of the tests. With "storm" as a second argument it also
// makes a thread and a child every few milliseconds, each of which lives for a moment.
//   crowd THREADS [storm]
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { kPauseUs = 3000, kLifeUs = 20000 };

static void *sleeper(void *unused) {
  for (;;) pause();
  return unused;
}

static void *mayfly(void *unused) {
  usleep(kLifeUs);
  return unused;
}

static void storm(void) {
  for (;;) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, mayfly, NULL) == 0) pthread_detach(thread);
    if (fork() == 0) {
      usleep(kLifeUs);
      _exit(0);
    }
    while (waitpid(-1, NULL, WNOHANG) > 0) {
    }
    usleep(kPauseUs);
  }
}

int main(int count, char **arguments) {
  const long threads = count > 1 ? strtol(arguments[1], NULL, 10) : 1;
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 65536);
  for (long made = 1; made < threads; ++made) {
    pthread_t thread;
    if (pthread_create(&thread, &small, sleeper, NULL) != 0) return 1;
  }
  if (count > 2) storm();
  sleeper(NULL);
}
