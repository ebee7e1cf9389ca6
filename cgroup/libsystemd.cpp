// SPDX-License-Identifier: Apache-2.0
#include "cgroup/libsystemd.h"

#include <dlfcn.h>
#include <string>

#include "controller/base/error.h"

namespace bulkhead {
namespace {

constexpr const char* kLibrary = "libsystemd.so.0";

[[noreturn]] void refuse() {
  const char* words = ::dlerror();
  throw Error(ErrorCode::unsupported,
              "systemd runs here, but its library cannot be used: install libsystemd0 (" +
                  std::string(words != nullptr ? words : kLibrary) + ')');
}

class Loader {
 public:
  Loader() : library_(::dlopen(kLibrary, RTLD_LAZY | RTLD_LOCAL)) {
    if (library_ == nullptr) refuse();
  }

  template <class Function>
  void find(Function& function, const char* name) const {
    void* address = ::dlsym(library_, name);
    if (address == nullptr) refuse();
    function = reinterpret_cast<Function>(address);
  }

 private:
  void* library_;
};

Libsystemd load() {
  const Loader loader;
  Libsystemd functions{};
  loader.find(functions.bus_call, "sd_bus_call");
  loader.find(functions.bus_error_free, "sd_bus_error_free");
  loader.find(functions.bus_get_property, "sd_bus_get_property");
  loader.find(functions.bus_message_append, "sd_bus_message_append");
  loader.find(functions.bus_message_append_array, "sd_bus_message_append_array");
  loader.find(functions.bus_message_close_container, "sd_bus_message_close_container");
  loader.find(functions.bus_message_enter_container, "sd_bus_message_enter_container");
  loader.find(functions.bus_message_new_method_call, "sd_bus_message_new_method_call");
  loader.find(functions.bus_message_open_container, "sd_bus_message_open_container");
  loader.find(functions.bus_message_read, "sd_bus_message_read");
  loader.find(functions.bus_message_read_array, "sd_bus_message_read_array");
  loader.find(functions.bus_message_unref, "sd_bus_message_unref");
  loader.find(functions.bus_open_system, "sd_bus_open_system");
  loader.find(functions.bus_path_encode, "sd_bus_path_encode");
  loader.find(functions.bus_ref, "sd_bus_ref");
  loader.find(functions.bus_set_method_call_timeout, "sd_bus_set_method_call_timeout");
  loader.find(functions.bus_unref, "sd_bus_unref");
  loader.find(functions.listen_fds, "sd_listen_fds");
  loader.find(functions.notify, "sd_notify");
  loader.find(functions.watchdog_enabled, "sd_watchdog_enabled");
  return functions;
}

}  // namespace

const Libsystemd& libsystemd() {
  static const Libsystemd functions = load();
  return functions;
}

}  // namespace bulkhead
