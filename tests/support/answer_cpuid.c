// SPDX-License-Identifier: Apache-2.0
// Preloaded, after libpqos.so.4 where a program loads that later, into a program that uses libpqos: answers the one CPUID
// instruction of that library. The instruction is replaced by one that traps, in memory; the library itself stays as it is.
// The processor is an AMD with CPUID_THREADS threads, whatever this machine has, and can do nothing else; with CPUID_VENDOR=intel an
// Intel, with "unknown" nobody's, and who asks a "deadly" one dies. With 0 threads it is the real one. With CPUID_CLOSIDS it has cache
// and bandwidth control and monitoring, as the lab's profiles have: what libpqos asks for before it uses the registers.
#define _GNU_SOURCE
#include <cpuid.h>  // signature_AMD_...
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

// Leaf 8000001Dh of AMD, 4 of Intel: level and kind, who shares it, ways and sets.
static struct registers caches(unsigned subleaf) {
  const struct {
    unsigned kind, level, sharing, ways, kib;
  } all[] = {{1, 1, 2, 8, 32}, {2, 1, 2, 8, 32}, {3, 2, 2, 8, 1024}, {3, 3, number("CPUID_L3_THREADS", 32), 16, 32768}};
  if (subleaf >= sizeof all / sizeof *all) return (struct registers){0, 0, 0, 0};
  const unsigned sets = all[subleaf].kib * 1024 / all[subleaf].ways / 64;
  return (struct registers){all[subleaf].kind | all[subleaf].level << 5 | (all[subleaf].sharing - 1) << 14,
                            (all[subleaf].ways - 1) << 22 | 63, sets - 1, 0};
}

// Leaf 0Fh: RMIDs; and of the L3: the size of a unit, its RMIDs, and three events.
static struct registers monitoring(unsigned subleaf) {
  const unsigned rmids = number("CPUID_RMIDS", 256);
  if (subleaf == 0) return (struct registers){0, rmids - 1, 0, 1U << 1};
  return (struct registers){number("CPUID_COUNTER_BITS", 44) - 24, number("CPUID_UNIT_BYTES", 64), rmids - 1, 7};
}

// Leaf 10h: which resources can be divided; ways, shareable ways and CLOSIDs of the L3; Intel's bandwidth.
static struct registers allocation(unsigned subleaf) {
  const unsigned closids = number("CPUID_CLOSIDS", 0), percent = number("CPUID_THROTTLE_PERCENT", 0);
  if (subleaf == 0) return (struct registers){0, 1U << 1 | (percent > 0 ? 1U << 3 : 0), 0, 0};
  if (subleaf == 1) return (struct registers){number("CPUID_WAYS", 16) - 1, number("CPUID_SHAREABLE", 0), 1U << 2, closids - 1};
  if (subleaf == 3) return (struct registers){percent - 1, 0, 1U << 2, closids - 1};
  return (struct registers){0, 0, 0, 0};
}

// Leaf 80000020h: AMD's bandwidth.
static struct registers amd_bandwidth(unsigned subleaf) {
  if (subleaf == 0) return (struct registers){0, 1U << 1, 0, 0};
  return (struct registers){number("CPUID_LIMIT_BITS", 11), 0, 0, number("CPUID_CLOSIDS", 0) - 1};
}

enum { kMostBasic = 0x10, kMostExtended = 0x80000020 };

static struct registers real(unsigned leaf, unsigned subleaf) {
  struct registers found;
  __cpuid_count(leaf, subleaf, found.eax, found.ebx, found.ecx, found.edx);
  if (leaf == 0 && found.eax < kMostBasic) found.eax = kMostBasic;
  if (leaf == 0x80000000 && found.eax < (unsigned)kMostExtended) found.eax = (unsigned)kMostExtended;
  return found;
}

static struct registers amd(unsigned leaf, unsigned subleaf) {
  const unsigned kFamily1Ah = 0x00b10f10, kModelSpecificRegisters = 1U << 5;
  const unsigned kTopologyExtensions = 1U << 22;  // says that 8000001Dh is there
  switch (leaf) {
    case 0: return (struct registers){kMostBasic, signature_AMD_ebx, signature_AMD_ecx, signature_AMD_edx};
    case 1: return (struct registers){kFamily1Ah, 0, 0, kModelSpecificRegisters};
    case 0xb: return threads(subleaf);
    case 0x80000000: return (struct registers){(unsigned)kMostExtended, signature_AMD_ebx, signature_AMD_ecx, signature_AMD_edx};
    case 0x80000001: return (struct registers){kFamily1Ah, 0, kTopologyExtensions, 0};
    case 0x8000001d: return caches(subleaf);
    default: return (struct registers){0, 0, 0, 0};
  }
}

static struct registers intel(unsigned leaf, unsigned subleaf) {
  const unsigned kIceLakeServer = 0x000606a6, kModelSpecificRegisters = 1U << 5;
  switch (leaf) {
    case 0: return (struct registers){kMostBasic, signature_INTEL_ebx, signature_INTEL_ecx, signature_INTEL_edx};
    case 1: return (struct registers){kIceLakeServer, 0, 0, kModelSpecificRegisters};
    case 4: return caches(subleaf);
    case 0xb: return threads(subleaf);
    case 0x80000000: return (struct registers){0x80000008, 0, 0, 0};
    default: return (struct registers){0, 0, 0, 0};
  }
}

static struct registers processor(unsigned leaf, unsigned subleaf) {
  const char *vendor = getenv("CPUID_VENDOR");
  if (number("CPUID_THREADS", 384) == 0) return real(leaf, subleaf);
  if (vendor == NULL || strcmp(vendor, "amd") == 0) return amd(leaf, subleaf);
  if (strcmp(vendor, "intel") == 0) return intel(leaf, subleaf);
  if (strcmp(vendor, "deadly") == 0) abort();
  return (struct registers){0, 0, 0, 0};
}

static struct registers answer_to(unsigned leaf, unsigned subleaf) {
  const int control = number("CPUID_CLOSIDS", 0) > 0;
  struct registers found = processor(leaf, subleaf);
  if (!control) return found;
  const unsigned kMonitoring = 1U << 12, kAllocation = 1U << 15, kAmdBandwidth = 1U << 6;
  if (leaf == 7 && subleaf == 0) found.ebx |= kMonitoring | kAllocation;
  if (leaf == 0xf) return monitoring(subleaf);
  if (leaf == 0x10) return allocation(subleaf);
  if (leaf == 0x80000008) found.ebx |= kAmdBandwidth;
  if (leaf == 0x80000020) return amd_bandwidth(subleaf);
  return found;
}

static void answer(int signal_number, siginfo_t *information, void *context) {
  (void)signal_number;
  (void)information;
  greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  const unsigned leaf = (unsigned)registers[REG_RAX], subleaf = (unsigned)registers[REG_RCX];
  const struct registers found = answer_to(leaf, subleaf);
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
