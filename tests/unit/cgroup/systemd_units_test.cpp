// SPDX-License-Identifier: Apache-2.0
// The client against a systemd of our own, over the real wire protocol: D-Bus on a socket pair.
#include "cgroup/systemd_units.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

#include "tests/support/fixed_file_system.h"
#include "tests/unit/cgroup/fake_systemd.h"

namespace bulkhead {
namespace {

using testing::error_of;

class SystemdUnitsTest : public ::testing::Test {
 protected:
  SystemdUnitsTest() {
    std::string pattern = ::testing::TempDir() + "bulkhead-systemd-XXXXXX";
    folder_ = ::mkdtemp(pattern.data());
    units_ = make_systemd_units(systemd_.client(), folder_.string());
  }
  ~SystemdUnitsTest() override { std::filesystem::remove_all(folder_); }

  // A unit's file, of which systemd knows.
  void make_file(const std::string& unit, const std::string& name, const std::string& content) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << content;
    systemd_.units[unit].files.push_back((folder_ / name).string());
  }

  std::vector<std::string> files() const {
    std::vector<std::string> found;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_)) {
      found.push_back(std::filesystem::relative(entry.path(), folder_).string());
    }
    std::sort(found.begin(), found.end());
    return found;
  }

  std::vector<std::string> changes() {
    systemd_.stop();
    std::vector<std::string> found;
    std::copy_if(systemd_.calls.begin(), systemd_.calls.end(), std::back_inserter(found),
                 [](const std::string& call) { return !call.starts_with("Get "); });
    return found;
  }

  FakeSystemd systemd_;
  std::filesystem::path folder_;  // what systemd's own is to it
  std::unique_ptr<UnitManager> units_;
};

TEST_F(SystemdUnitsTest, finds_the_control_group_of_a_unit) {
  systemd_.units["proxy.service"] = {.control_group = "/system.slice/proxy.service"};
  systemd_.units["idle.service"] = {};
  EXPECT_EQ(units_->control_group("proxy.service"), "/system.slice/proxy.service");
  EXPECT_EQ(units_->control_group("idle.service"), std::nullopt) << "loaded, but not running";
  EXPECT_EQ(units_->control_group("absent.service"), std::nullopt);
  EXPECT_EQ(units_->control_group("no-unit"), std::nullopt);
}

TEST_F(SystemdUnitsTest, knows_where_a_unit_would_run) {
  systemd_.units["idle.service"] = {};
  EXPECT_EQ(units_->place("idle.service"), "/a.slice/a-b.slice/idle.service");
  EXPECT_EQ(units_->place("x-y-z.slice"), "/x.slice/x-y.slice/x-y-z.slice");
  EXPECT_EQ(units_->place("-.slice"), "/");
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
  EXPECT_EQ(changes(),
            (std::vector<std::string>{"Set proxy.service runtime AllowedCPUs AllowedMemoryNodes",
                                      "Set proxy.service runtime AllowedCPUs AllowedMemoryNodes"}));
  EXPECT_EQ(systemd_.units["proxy.service"].cpus.size(), 0U) << "an empty array takes the limit away";
}

TEST_F(SystemdUnitsTest, says_nothing_of_what_is_not_and_was_not_limited) {
  systemd_.units["proxy.service"] = {};
  units_->set_limits("proxy.service", {.cpus = {1}});
  units_->set_limits("proxy.service", {.memory_nodes = {0}});
  units_->set_limits("proxy.service", {});
  EXPECT_EQ(changes(), (std::vector<std::string>{"Set proxy.service runtime AllowedCPUs",
                                                 "Set proxy.service runtime AllowedCPUs AllowedMemoryNodes",
                                                 "Set proxy.service runtime AllowedMemoryNodes"}));
}

TEST_F(SystemdUnitsTest, forgets_limits_that_were_lifted_and_nothing_else) {
  systemd_.units["limited.service"].cpus = {1};
  make_file("free.service", "system/free.service", "[Service]\nExecStart=/bin/true\n");
  make_file("free.service", "system.control/free.service.d/50-AllowedCPUs.conf", "[Service]\nAllowedCPUs=\n");
  make_file("free.service", "system.control/free.service.d/50-AllowedMemoryNodes.conf", "");
  make_file("limited.service", "system/limited.service", "[Service]\n");
  make_file("limited.service", "system.control/limited.service.d/50-AllowedCPUs.conf",
            "[Service]\nAllowedCPUs=0\n");
  make_file("limited.service", "system.control/limited.service.d/50-AllowedMemoryNodes.conf", "");
  make_file("limited.service", "system.control/limited.service.d/50-CPUWeight.conf", "");
  make_file("other.service", "system/other.service", "");
  make_file("other.service", "system.control/other.service.d/50-AllowedCPUs.conf", "");
  systemd_.units["init.scope"].files.push_back("");
  make_file("init.scope", "transient/init.scope.d/50-AllowedCPUs.conf", "[Scope]\nAllowedCPUs=\n");
  units_->forget_lifted({"free.service", "init.scope", "limited.service"});
  EXPECT_EQ(files(),
            (std::vector<std::string>{
                "system", "system.control", "system.control/limited.service.d",
                "system.control/limited.service.d/50-AllowedCPUs.conf",
                "system.control/limited.service.d/50-CPUWeight.conf", "system.control/other.service.d",
                "system.control/other.service.d/50-AllowedCPUs.conf", "system/free.service",
                "system/limited.service", "system/other.service"}))
      << "the folder that is empty now is gone too";
  EXPECT_EQ(changes(), std::vector<std::string>{"Reload"});
}

TEST_F(SystemdUnitsTest, forgets_limits_that_are_again_as_the_administrator_has_them) {
  const std::string drop_in = "system.control/own.service.d/50-AllowedCPUs.conf";
  systemd_.units["own.service"].cpus = {0x3f};  // 0-5
  make_file("own.service", "own.service", "[Service]\nAllowedCPUs=9\nAllowedCPUs=\n AllowedCPUs = 0-2 4\n");
  make_file("own.service", "more.conf", "[Service]\nAllowedCPUs=3,5\nStartupAllowedCPUs=7\n");
  make_file("own.service", drop_in, "[Service]\nAllowedCPUs=\nAllowedCPUs=0-5\n");
  units_->forget_lifted({"own.service"});
  EXPECT_FALSE(std::filesystem::exists(folder_ / drop_in));
  EXPECT_EQ(changes(), std::vector<std::string>{"Reload"});
}

TEST_F(SystemdUnitsTest, keeps_what_differs_from_unit_files_or_is_not_understood) {
  systemd_.units["own.service"].cpus = {0x3f};
  systemd_.units["odd.service"].cpus = {0x3f};
  make_file("own.service", "own.service", "[Service]\nAllowedCPUs=0-6\n");
  make_file("own.service", "system.control/own.service.d/50-AllowedCPUs.conf", "");
  make_file("odd.service", "odd.service", "[Service]\nAllowedCPUs=%i\n");
  make_file("odd.service", "system.control/odd.service.d/50-AllowedCPUs.conf", "");
  make_file("plain.service", "plain.service", "");
  units_->forget_lifted({"own.service", "odd.service", "plain.service"});
  EXPECT_TRUE(std::filesystem::exists(folder_ / "system.control/own.service.d/50-AllowedCPUs.conf"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "system.control/odd.service.d/50-AllowedCPUs.conf"));
  EXPECT_EQ(changes(), std::vector<std::string>{}) << "unit files are read again only for a reason";
}

TEST_F(SystemdUnitsTest, says_what_it_cannot_remove) {
  const std::string file = "system.control/free.service.d/50-AllowedCPUs.conf";
  make_file("free.service", "free.service", "");
  make_file("free.service", file + "/x", "");
  systemd_.units["free.service"].files[1] = (folder_ / file).string();
  EXPECT_EQ(error_of([&] { units_->forget_lifted({"free.service"}); }),
            "refused: cannot remove what systemd keeps of a limit that was lifted (" +
                (folder_ / file).string() + ": Is a directory)");
}

TEST_F(SystemdUnitsTest, says_when_there_is_no_such_unit) {
  systemd_.units["off.service"] = {.load_state = "masked"};
  EXPECT_EQ(error_of([&] { units_->limits("absent.service"); }),
            "not_found: systemd has no unit absent.service that can run: it is not-found");
  EXPECT_EQ(error_of([&] { units_->limits("off.service"); }),
            "not_found: systemd has no unit off.service that can run: it is masked");
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
