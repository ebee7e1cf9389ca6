// SPDX-License-Identifier: Apache-2.0
// A systemd of our own, which answers over the real wire protocol: D-Bus on a socket pair.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <sys/socket.h>
#include <systemd/sd-bus.h>
#include <thread>
#include <vector>

namespace bulkhead {

struct FakeUnit {
  std::string control_group;
  std::vector<std::uint8_t> cpus, nodes;
  std::string load_state = "loaded";
  std::vector<std::string> files;  // the unit's own, then drop-ins
};

// Answers as PID 1 does, on one end of a socket pair, in a thread of its own.
class FakeSystemd {
 public:
  FakeSystemd() {
    int ends[2] = {-1, -1};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    server_ = start(ends[0], true);
    thread_ = std::thread([this] { serve(); });
    client_ = start(ends[1], false);
  }
  ~FakeSystemd() {
    sd_bus_flush_close_unref(client_);
    stop();
    sd_bus_unref(server_);
  }
  FakeSystemd(const FakeSystemd&) = delete;
  FakeSystemd& operator=(const FakeSystemd&) = delete;

  void stop() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
    sd_bus_close(server_);
  }

  sd_bus* client() { return client_; }
  std::map<std::string, FakeUnit> units;  // to be set up before the first call
  std::string refusal;                    // name of the error that SetUnitProperties answers
  std::vector<std::string> calls;         // to be read after stop()

 private:
  static sd_bus* start(int descriptor, bool server) {
    sd_bus* bus = nullptr;
    sd_bus_new(&bus);
    sd_bus_set_fd(bus, descriptor, descriptor);
    if (server) {
      sd_id128_t id{};
      id.bytes[0] = 1;
      sd_bus_set_server(bus, 1, id);
      sd_bus_set_trusted(bus, 1);
    }
    EXPECT_GE(sd_bus_start(bus), 0);
    return bus;
  }

  void serve() {
    sd_bus_add_filter(server_, nullptr, &FakeSystemd::on_message, this);
    while (!stopping_) {
      while (sd_bus_process(server_, nullptr) > 0) {
      }
      sd_bus_wait(server_, 10'000);
    }
  }

  static int on_message(sd_bus_message* message, void* self, sd_bus_error*) {
    return static_cast<FakeSystemd*>(self)->answer(message);
  }

  int answer(sd_bus_message* message) {
    if (sd_bus_message_is_method_call(message, "org.freedesktop.systemd1.Manager", "SetUnitProperties") > 0) {
      return set_properties(message);
    }
    if (sd_bus_message_is_method_call(message, "org.freedesktop.systemd1.Manager", "Reload") > 0) {
      calls.push_back("Reload");
      return sd_bus_reply_method_return(message, "");
    }
    if (sd_bus_message_is_method_call(message, "org.freedesktop.DBus.Properties", "Get") > 0) {
      return get_property(message);
    }
    return 0;
  }

  int get_property(sd_bus_message* message) {
    const char* interface = nullptr;
    const char* property = nullptr;
    sd_bus_message_read(message, "ss", &interface, &property);
    char* name = nullptr;
    sd_bus_path_decode(sd_bus_message_get_path(message), "/org/freedesktop/systemd1/unit", &name);
    const FakeUnit unit = units.contains(name) ? units[name] : FakeUnit{.load_state = "not-found"};
    calls.push_back(std::string("Get ") + sd_bus_message_get_path(message) + ' ' + interface + ' ' +
                    property);
    std::free(name);
    if (std::string(property) == "ControlGroup") {
      return sd_bus_reply_method_return(message, "v", "s", unit.control_group.c_str());
    }
    if (std::string(property) == "Slice") return sd_bus_reply_method_return(message, "v", "s", "a-b.slice");
    if (std::string(property) == "LoadState") {
      return sd_bus_reply_method_return(message, "v", "s", unit.load_state.c_str());
    }
    if (std::string(property) == "FragmentPath") {
      return sd_bus_reply_method_return(message, "v", "s", unit.files.front().c_str());
    }
    sd_bus_message* reply = nullptr;
    sd_bus_message_new_method_return(message, &reply);
    if (std::string(property) == "DropInPaths") {
      sd_bus_message_open_container(reply, 'v', "as");
      sd_bus_message_open_container(reply, 'a', "s");
      for (std::size_t place = 1; place < unit.files.size(); ++place) {
        sd_bus_message_append(reply, "s", unit.files[place].c_str());
      }
      sd_bus_message_close_container(reply);
      sd_bus_message_close_container(reply);
      const int sent = sd_bus_send(nullptr, reply, nullptr);
      sd_bus_message_unref(reply);
      return sent;
    }
    const auto& bitmap = std::string(property) == "AllowedCPUs" ? unit.cpus : unit.nodes;
    sd_bus_message_open_container(reply, 'v', "ay");
    sd_bus_message_append_array(reply, 'y', bitmap.data(), bitmap.size());
    sd_bus_message_close_container(reply);
    const int result = sd_bus_send(nullptr, reply, nullptr);
    sd_bus_message_unref(reply);
    return result;
  }

  int set_properties(sd_bus_message* message) {
    const char* name = nullptr;
    int runtime = 0;
    sd_bus_message_read(message, "sb", &name, &runtime);
    calls.push_back(std::string("Set ") + name + (runtime != 0 ? " runtime" : " for ever"));
    if (!refusal.empty()) return sd_bus_reply_method_errorf(message, refusal.c_str(), "Said no.");
    sd_bus_message_enter_container(message, 'a', "(sv)");
    while (sd_bus_message_enter_container(message, 'r', "sv") > 0) {
      const char* property = nullptr;
      const void* bytes = nullptr;
      std::size_t size = 0;
      sd_bus_message_read(message, "s", &property);
      calls.back() += std::string(" ") + property;
      sd_bus_message_enter_container(message, 'v', "ay");
      sd_bus_message_read_array(message, 'y', &bytes, &size);
      auto& bitmap = std::string(property) == "AllowedCPUs" ? units[name].cpus : units[name].nodes;
      const auto* first = static_cast<const std::uint8_t*>(bytes);
      bitmap.assign(first, first + size);
      sd_bus_message_exit_container(message);
      sd_bus_message_exit_container(message);
    }
    return sd_bus_reply_method_return(message, "");
  }

  sd_bus* server_ = nullptr;
  sd_bus* client_ = nullptr;
  std::atomic<bool> stopping_ = false;
  std::thread thread_;
};

}  // namespace bulkhead
