// SPDX-License-Identifier: Apache-2.0
// Preloaded into a program that uses libpqos: answers the one CPUID instruction of that library for the leaves that tell
// about threads and caches, which the processor of a test machine need not have. All other leaves are the real ones.
// The instruction is replaced by one that traps, in memory; the library itself stays as it is.
#define _GNU_SOURCE
#include <cpuid.h>
#include <link.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

struct registers {
  unsigned eax, ebx, ecx, edx;
};

static unsigned number(const char *name, unsigned usual) {
  const char *text = getenv(name);
  return text == NULL ? usual : (unsigned)strtoul(text, NULL, 0);
}

// Leaf 0Bh: what a thread's id shares with its core's, and with its socket's.
static struct registers threads(unsigned subleaf) {
  const unsigned per_core = number("CPUID_THREADS_PER_CORE", 2), all = number("CPUID_THREADS", 384);
  unsigned bits = 0;
  while ((1U << bits) < all) ++bits;
  if (subleaf == 0) return (struct registers){per_core > 1, per_core, 1U << 8, 0};
  if (subleaf == 1) return (struct registers){bits, all, (2U << 8) | 1, 0};
  return (struct registers){0, 0, subleaf, 0};
}

// Leaf 8000001Dh: level and kind, who shares it, ways and sets.
static struct registers caches(unsigned subleaf) {
  const struct {
    unsigned kind, level, sharing, ways, kib;
  } all[] = {{1, 1, 2, 8, 32}, {2, 1, 2, 8, 32}, {3, 2, 2, 8, 1024}, {3, 3, number("CPUID_L3_THREADS", 32), 16, 32768}};
  if (subleaf >= sizeof all / sizeof *all) return (struct registers){0, 0, 0, 0};
  const unsigned sets = all[subleaf].kib * 1024 / all[subleaf].ways / 64;
  return (struct registers){all[subleaf].kind | all[subleaf].level << 5 | (all[subleaf].sharing - 1) << 14,
                            (all[subleaf].ways - 1) << 22 | 63, sets - 1, 0};
}

static void answer(int signal_number, siginfo_t *information, void *context) {
  (void)signal_number;
  (void)information;
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  const unsigned leaf = (unsigned)registers[REG_RAX], subleaf = (unsigned)registers[REG_RCX];
  struct registers found;
  if (leaf == 0xb) {
    found = threads(subleaf);
  } else if (leaf == 0x8000001d) {
    found = caches(subleaf);
  } else {
    __cpuid_count(leaf, subleaf, found.eax, found.ebx, found.ecx, found.edx);
    const unsigned kTopologyExtensions = 1U << 22;  // says that 8000001Dh is there
    if (leaf == 0x80000001) found.ecx |= kTopologyExtensions;
    if (leaf == 0 && found.eax < 0xb) found.eax = 0xb;
    if (leaf == 0x80000000 && found.eax < 0x8000001d) found.eax = 0x8000001d;
  }
  registers[REG_RAX] = found.eax;
  registers[REG_RBX] = found.ebx;
  registers[REG_RCX] = found.ecx;
  registers[REG_RDX] = found.edx;
  registers[REG_RIP] += 2;
}

static void trap(unsigned char *at) {
  const uintptr_t page = (uintptr_t)at & ~((uintptr_t)sysconf(_SC_PAGESIZE) - 1);
  const size_t length = (uintptr_t)at + 2 - page;
  mprotect((void *)page, length, PROT_READ | PROT_WRITE | PROT_EXEC);
  memcpy(at, "\x0f\x0b", 2);  // ud2
  mprotect((void *)page, length, PROT_READ | PROT_EXEC);
}

static int look_into(struct dl_phdr_info *library, size_t size, void *found) {
  (void)size;
  if (strstr(library->dlpi_name, "libpqos") == NULL) return 0;
  // mov %esi,%ecx; cpuid
  static const unsigned char pattern[] = {0x89, 0xf1, 0x0f, 0xa2};
  for (int part = 0; part < library->dlpi_phnum; ++part) {
    const ElfW(Phdr) *header = &library->dlpi_phdr[part];
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_X)) continue;
    unsigned char *start = (unsigned char *)library->dlpi_addr + header->p_vaddr;
    unsigned char *at = memmem(start, header->p_memsz, pattern, sizeof pattern);
    if (at == NULL) continue;
    trap(at + 2);
    ++*(int *)found;
  }
  return 0;
}

__attribute__((constructor)) static void start(void) {
  int found = 0;
  dl_iterate_phdr(look_into, &found);
  if (found == 0) return;  // another program that was started with the same environment
  struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO};
  sigaction(SIGILL, &action, NULL);
}
