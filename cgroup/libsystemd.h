// SPDX-License-Identifier: Apache-2.0
// The functions of libsystemd that are used, loaded when the first one is: the library and the six that it
// brings along are a third of a short run, and most runs (plan, check, anything where systemd is not PID 1)
// do not talk to systemd.
#pragma once

#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>

namespace bulkhead {

struct Libsystemd {
  decltype(&::sd_bus_call) bus_call;
  decltype(&::sd_bus_error_free) bus_error_free;
  decltype(&::sd_bus_get_property) bus_get_property;
  decltype(&::sd_bus_message_append) bus_message_append;
  decltype(&::sd_bus_message_append_array) bus_message_append_array;
  decltype(&::sd_bus_message_close_container) bus_message_close_container;
  decltype(&::sd_bus_message_enter_container) bus_message_enter_container;
  decltype(&::sd_bus_message_new_method_call) bus_message_new_method_call;
  decltype(&::sd_bus_message_open_container) bus_message_open_container;
  decltype(&::sd_bus_message_read) bus_message_read;
  decltype(&::sd_bus_message_read_array) bus_message_read_array;
  decltype(&::sd_bus_message_unref) bus_message_unref;
  decltype(&::sd_bus_open_system) bus_open_system;
  decltype(&::sd_bus_path_encode) bus_path_encode;
  decltype(&::sd_bus_ref) bus_ref;
  decltype(&::sd_bus_set_method_call_timeout) bus_set_method_call_timeout;
  decltype(&::sd_bus_unref) bus_unref;
  decltype(&::sd_listen_fds) listen_fds;
  decltype(&::sd_notify) notify;
  decltype(&::sd_watchdog_enabled) watchdog_enabled;
};

// Throws Error(unsupported) where the library, or a function in it, is missing. Stays loaded.
const Libsystemd& libsystemd();

}  // namespace bulkhead
