// SPDX-License-Identifier: Apache-2.0
// The client against a systemd of our own, over the real wire protocol: D-Bus on a socket pair.
#include "cgroup/systemd_units.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <systemd/sd-bus.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "tests/support/fixed_file_system.h"

namespace bulkhead {
namespace {

using testing::error_of;

struct FakeUnit {
  std::string control_group;
  std::vector<std::uint8_t> cpus, nodes;
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
    if (sd_bus_message_is_method_call(message, "org.freedesktop.systemd1.Manager", "GetUnit") > 0) {
      return get_unit(message);
    }
    if (sd_bus_message_is_method_call(message, "org.freedesktop.systemd1.Manager", "SetUnitProperties") > 0) {
      return set_properties(message);
    }
    if (sd_bus_message_is_method_call(message, "org.freedesktop.DBus.Properties", "Get") > 0) {
      return get_property(message);
    }
    return 0;
  }

  int get_unit(sd_bus_message* message) {
    const char* name = nullptr;
    sd_bus_message_read(message, "s", &name);
    if (!units.contains(name)) {
      return sd_bus_reply_method_errorf(message, "org.freedesktop.systemd1.NoSuchUnit", "Unit %s not loaded.",
                                        name);
    }
    char* path = nullptr;
    sd_bus_path_encode("/org/freedesktop/systemd1/unit", name, &path);
    const int result = sd_bus_reply_method_return(message, "o", path);
    std::free(path);
    return result;
  }

  int get_property(sd_bus_message* message) {
    const char* interface = nullptr;
    const char* property = nullptr;
    sd_bus_message_read(message, "ss", &interface, &property);
    char* name = nullptr;
    sd_bus_path_decode(sd_bus_message_get_path(message), "/org/freedesktop/systemd1/unit", &name);
    const FakeUnit& unit = units[name];
    calls.push_back(std::string("Get ") + sd_bus_message_get_path(message) + ' ' + interface + ' ' +
                    property);
    std::free(name);
    if (std::string(property) == "ControlGroup") {
      return sd_bus_reply_method_return(message, "v", "s", unit.control_group.c_str());
    }
    const auto& bitmap = std::string(property) == "AllowedCPUs" ? unit.cpus : unit.nodes;
    sd_bus_message* reply = nullptr;
    sd_bus_message_new_method_return(message, &reply);
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

class SystemdUnitsTest : public ::testing::Test {
 protected:
  FakeSystemd systemd_;
  std::unique_ptr<UnitManager> units_ = make_systemd_units(systemd_.client());
};

TEST_F(SystemdUnitsTest, finds_the_control_group_of_a_unit) {
  systemd_.units["proxy.service"] = {.control_group = "/system.slice/proxy.service"};
  systemd_.units["idle.service"] = {};
  EXPECT_EQ(units_->control_group("proxy.service"), "/system.slice/proxy.service");
  EXPECT_EQ(units_->control_group("idle.service"), std::nullopt) << "loaded, but not running";
  EXPECT_EQ(units_->control_group("absent.service"), std::nullopt);
  EXPECT_EQ(units_->control_group("no-unit"), std::nullopt);
}

TEST_F(SystemdUnitsTest, escapes_names_and_asks_the_interface_of_the_type) {
  const std::string name = R"(a-b@x\x2dy.1.slice)";
  systemd_.units[name] = {.control_group = "/a.slice"};
  EXPECT_EQ(units_->control_group(name), "/a.slice");
  systemd_.stop();
  EXPECT_EQ(systemd_.calls,
            (std::vector<std::string>{"Get /org/freedesktop/systemd1/unit/a_2db_40x_5cx2dy_2e1_2eslice "
                                      "org.freedesktop.systemd1.Slice ControlGroup"}));
}

TEST_F(SystemdUnitsTest, limits_survive_the_wire) {
  systemd_.units["proxy.service"] = {};
  EXPECT_EQ(units_->limits("proxy.service"), UnitLimits{});
  const UnitLimits limits{.cpus = CpuSet::parse_list("0-95,192-287,383"), .memory_nodes = {0, 9}};
  units_->set_limits("proxy.service", limits);
  EXPECT_EQ(units_->limits("proxy.service"), limits);
  units_->set_limits("proxy.service", {});
  EXPECT_EQ(units_->limits("proxy.service"), UnitLimits{});
  systemd_.stop();
  EXPECT_EQ(systemd_.units["proxy.service"].cpus.size(), 0U) << "an empty array takes the limit away";
  EXPECT_EQ(std::count(systemd_.calls.begin(), systemd_.calls.end(), "Set proxy.service runtime"), 2);
}

TEST_F(SystemdUnitsTest, the_lowest_bit_of_the_first_byte_is_cpu_0) {
  systemd_.units["proxy.service"] = {};
  units_->set_limits("proxy.service", {.cpus = {0, 3, 8}, .memory_nodes = {1}});
  systemd_.stop();
  EXPECT_EQ(systemd_.units["proxy.service"].cpus, (std::vector<std::uint8_t>{0x09, 0x01}));
  EXPECT_EQ(systemd_.units["proxy.service"].nodes, (std::vector<std::uint8_t>{0x02}));
}

TEST_F(SystemdUnitsTest, says_when_a_unit_is_not_loaded) {
  EXPECT_EQ(
      error_of([&] { units_->limits("absent.service"); }),
      "not_found: cannot find absent.service: Unit absent.service not loaded. (org.freedesktop.systemd1: "
      "No such file or directory)");
}

TEST_F(SystemdUnitsTest, says_when_systemd_refuses) {
  systemd_.units["proxy.service"] = {};
  systemd_.refusal = "org.freedesktop.DBus.Error.AccessDenied";
  EXPECT_EQ(error_of([&] { units_->set_limits("proxy.service", {.cpus = {1}}); }),
            "permission: cannot limit proxy.service: Said no. (org.freedesktop.systemd1: Permission denied)");
}

TEST_F(SystemdUnitsTest, says_when_systemd_has_gone) {
  systemd_.units["proxy.service"] = {};
  EXPECT_EQ(units_->limits("proxy.service"), UnitLimits{});
  systemd_.stop();
  const std::string message = error_of([&] { units_->limits("proxy.service"); });
  EXPECT_TRUE(message.starts_with("unsupported: systemd does not answer")) << message;
}

TEST(ConnectToSystemd, says_what_is_missing_where_there_is_no_bus) {
  ::setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=/nonexistent/bus", 1);
  EXPECT_EQ(error_of([] { connect_to_systemd(); }),
            "unsupported: systemd runs here, but its bus cannot be reached: start dbus, or give this program "
            "access "
            "to the system bus's socket (org.freedesktop.systemd1: No such file or directory)");
  ::unsetenv("DBUS_SYSTEM_BUS_ADDRESS");
}

TEST(UnitLimits, are_text_in_steps) {
  const UnitLimits limits{.cpus = {0, 1, 2}, .memory_nodes = {1}};
  EXPECT_EQ(to_text(limits), "AllowedCPUs=0-2 AllowedMemoryNodes=1");
  EXPECT_EQ(parse_unit_limits(to_text(limits)), limits);
  EXPECT_EQ(parse_unit_limits(to_text({})), UnitLimits{});
  EXPECT_EQ(error_of([] { parse_unit_limits("AllowedCPUs=1"); }),
            "invalid: 'AllowedCPUs=1' is not of the form 'AllowedCPUs=LIST AllowedMemoryNodes=LIST'");
}

}  // namespace
}  // namespace bulkhead
