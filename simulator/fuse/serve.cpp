// SPDX-License-Identifier: Apache-2.0
#include "simulator/fuse/serve.h"

#define FUSE_USE_VERSION 312
#include <cerrno>
#include <ctime>
#include <fuse3/fuse.h>
#include <fuse3/fuse_lowlevel.h>
#include <thread>

#include "controller/base/error.h"
#include "simulator/fuse/fuse_operations.h"

namespace bulkhead::sim {
namespace {

constexpr unsigned kThreads = 4;  // so that a slow file does not hold up the others

}  // namespace

void serve_through_fuse(ServedTree& tree, const std::string& target, double cache_seconds) {
  // The kernel checks modes as it does for its own files; "allow_other": users other than root exist, too.
  const char* words[] = {"bulkhead-sim", "-o", "default_permissions,allow_other,fsname=bulkhead-sim"};
  fuse_args arguments = FUSE_ARGS_INIT(3, const_cast<char**>(words));
  auto served = std::make_unique<Served>(Served{&tree, cache_seconds});
  fuse* const handle =
      fuse_new(&arguments, &fuse_operations_of_tree(), sizeof(fuse_operations), served.get());
  fuse_opt_free_args(&arguments);
  if (handle == nullptr) throw Error(ErrorCode::internal, "libfuse refuses its options");
  if (fuse_mount(handle, target.c_str()) != 0) {
    fuse_destroy(handle);
    throw Error(ErrorDetail{.code = ErrorCode::unsupported,
                            .message =
                                "cannot mount FUSE: /dev/fuse must be there (modprobe fuse) and usable "
                                "by root",
                            .path = target});
  }
  std::thread([handle, kept = std::move(served)] {
    fuse_loop_config* config = fuse_loop_cfg_create();
    fuse_loop_cfg_set_max_threads(config, kThreads);
    fuse_loop_cfg_set_idle_threads(config, kThreads);
    fuse_loop_mt(handle, config);
    fuse_loop_cfg_destroy(config);
  }).detach();
}

}  // namespace bulkhead::sim
