// SPDX-License-Identifier: Apache-2.0
#include "cgroup/systemd_units.h"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <utility>
#include <vector>

#include "cgroup/libsystemd.h"
#include "cgroup/unit_drop_ins.h"
#include "controller/base/error.h"
#include "controller/kernel/paths.h"

namespace bulkhead {
namespace {

constexpr const char* kManager = "org.freedesktop.systemd1";
constexpr const char* kManagerPath = "/org/freedesktop/systemd1";
constexpr const char* kManagerInterface = "org.freedesktop.systemd1.Manager";
constexpr const char* kUnitPath = "/org/freedesktop/systemd1/unit";
constexpr const char* kUnitInterface = "org.freedesktop.systemd1.Unit";
constexpr std::uint64_t kPatienceMicroseconds = 5'000'000;
constexpr std::uint64_t kReloadMicroseconds = 90'000'000;  // all generators run

struct BusDeleter {
  void operator()(sd_bus* bus) const { libsystemd().bus_unref(bus); }
};
struct MessageDeleter {
  void operator()(sd_bus_message* message) const { libsystemd().bus_message_unref(message); }
};
using Bus = std::unique_ptr<sd_bus, BusDeleter>;
using Message = std::unique_ptr<sd_bus_message, MessageDeleter>;

struct BusError : sd_bus_error {
  BusError() : sd_bus_error{} {}
  BusError(const BusError&) = delete;
  BusError& operator=(const BusError&) = delete;
  ~BusError() { libsystemd().bus_error_free(this); }
};

// What D-Bus errors mean to a caller.
struct ErrorRow {
  std::string_view name;
  ErrorCode code;
};
constexpr std::array kErrors{
    ErrorRow{"org.freedesktop.systemd1.NoSuchUnit", ErrorCode::not_found},
    ErrorRow{"org.freedesktop.systemd1.UnitMasked", ErrorCode::refused},
    ErrorRow{"org.freedesktop.DBus.Error.AccessDenied", ErrorCode::permission},
    ErrorRow{"org.freedesktop.DBus.Error.InteractiveAuthorizationRequired", ErrorCode::permission},
    ErrorRow{"org.freedesktop.DBus.Error.NoReply", ErrorCode::unsupported},
    ErrorRow{"org.freedesktop.DBus.Error.Timeout", ErrorCode::unsupported},
    ErrorRow{"org.freedesktop.DBus.Error.Disconnected", ErrorCode::unsupported},
    ErrorRow{"org.freedesktop.DBus.Error.ServiceUnknown", ErrorCode::unsupported},
};

Error error_of(const sd_bus_error& error, int result, const std::string& action) {
  const std::string_view name = error.name != nullptr ? error.name : "";
  ErrorCode code = ErrorCode::refused;
  for (const ErrorRow& row : kErrors) {
    if (row.name == name) code = row.code;
  }
  if (name.empty()) code = ErrorCode::unsupported;  // the connection failed, not the call
  const std::string words = error.message != nullptr ? std::string(": ") + error.message : "";
  return Error(
      ErrorDetail{.code = code,
                  .message = (code == ErrorCode::unsupported ? "systemd does not answer" : action) + words,
                  .path = kManager,
                  .error_number = -result});
}

// Building and taking apart messages fails only if a reply is not of the type it is known to have.
void check(int result, const char* action) {
  if (result < 0) {
    throw Error(ErrorDetail{.code = ErrorCode::refused,
                            .message = std::string("systemd's answer is not understood, ") + action,
                            .path = kManager,
                            .error_number = -result});
  }
}

// systemd loads a unit when its object is asked for, so that none has to be looked up first.
std::string object_path(const std::string& unit) {
  char* encoded = nullptr;
  check(libsystemd().bus_path_encode(kUnitPath, unit.c_str(), &encoded), "as a unit's path");
  std::string path(encoded);
  std::free(encoded);
  return path;
}

// Each type of unit has its limits in an interface of its own.
std::string interface_of(const std::string& unit) {
  std::string type = unit.substr(unit.rfind('.') + 1);
  if (!type.empty()) type[0] = static_cast<char>(type[0] - 'a' + 'A');
  return std::string(kManager) + '.' + type;
}

// One bit a CPU or node, the lowest of the first byte is number 0.
std::vector<std::uint8_t> to_bitmap(const CpuSet& set) {
  std::vector<std::uint8_t> bitmap(set.empty() ? 0 : set.last() / 8 + 1);
  set.for_each([&](unsigned cpu) {
    bitmap[cpu / 8] = static_cast<std::uint8_t>(bitmap[cpu / 8] | (1U << (cpu % 8)));
  });
  return bitmap;
}

CpuSet from_bitmap(const std::uint8_t* bitmap, std::size_t size) {
  CpuSet set;
  for (std::size_t bit = 0; bit < size * 8 && bit <= CpuSet::kLargest; ++bit) {
    if ((bitmap[bit / 8] >> (bit % 8)) & 1U) set.insert(static_cast<unsigned>(bit));
  }
  return set;
}

class SystemdUnits : public UnitManager {
 public:
  SystemdUnits(Bus bus, std::string folder) : bus_(std::move(bus)), folder_(std::move(folder)) {
    check(libsystemd().bus_set_method_call_timeout(bus_.get(), kPatienceMicroseconds),
          "when a timeout is set");
  }

  std::optional<std::string> control_group(const std::string& unit) override {
    if (!is_unit_name(unit)) return std::nullopt;
    std::string path = get_text(unit, interface_of(unit), "ControlGroup");
    return path.empty() ? std::nullopt : std::optional(std::move(path));
  }

  UnitLimits limits(const std::string& unit) override {
    const std::string state = get_text(unit, kUnitInterface, "LoadState");
    if (state != "loaded") {
      throw Error(ErrorCode::not_found, "systemd has no unit " + unit + " that can run: it is " + state);
    }
    return {.cpus = get_set(unit, "AllowedCPUs"), .memory_nodes = get_set(unit, "AllowedMemoryNodes")};
  }

  std::string place(const std::string& unit) override {
    if (unit.ends_with(".slice")) return cgroup_of_slice(unit);
    const std::string above = cgroup_of_slice(get_text(unit, interface_of(unit), "Slice"));
    return (above == "/" ? "" : above) + '/' + unit;
  }

  void set_limits(const std::string& unit, const UnitLimits& limits) override {
    sd_bus_message* raw = nullptr;
    check(libsystemd().bus_message_new_method_call(bus_.get(), &raw, kManager, kManagerPath,
                                                   kManagerInterface, "SetUnitProperties"),
          "as a call");
    const Message call(raw);
    constexpr int kRuntime = 1;
    check(libsystemd().bus_message_append(raw, "sb", unit.c_str(), kRuntime), "as a unit");
    check(libsystemd().bus_message_open_container(raw, 'a', "(sv)"), "as properties");
    append_set(raw, unit, "AllowedCPUs", limits.cpus);
    append_set(raw, unit, "AllowedMemoryNodes", limits.memory_nodes);
    check(libsystemd().bus_message_close_container(raw), "as properties");
    BusError error;
    const int result = libsystemd().bus_call(bus_.get(), raw, kPatienceMicroseconds, &error, nullptr);
    if (result < 0) throw error_of(error, result, "cannot limit " + unit);
    // systemd writes to the cgroup tree after it has answered, but before it takes the next call.
    get_set(unit, "AllowedCPUs");
  }

  void forget_lifted(const std::set<std::string>& units) override {
    bool removed = false;
    for (const std::string& unit : units) {
      UnitFiles files{.unit = unit, .paths = get_texts(unit, "DropInPaths")};
      if (files.paths.empty()) continue;
      files.paths.insert(files.paths.begin(), get_text(unit, kUnitInterface, "FragmentPath"));
      files.limits = {get_set(unit, "AllowedCPUs"), get_set(unit, "AllowedMemoryNodes")};
      removed = remove_needless_drop_ins(folder_, files) || removed;
    }
    if (removed) read_unit_files();
  }

 private:
  void read_unit_files() {
    sd_bus_message* raw = nullptr;
    check(libsystemd().bus_message_new_method_call(bus_.get(), &raw, kManager, kManagerPath,
                                                   kManagerInterface, "Reload"),
          "as a call");
    const Message call(raw);
    BusError error;
    const int result = libsystemd().bus_call(bus_.get(), raw, kReloadMicroseconds, &error, nullptr);
    if (result < 0) throw error_of(error, result, "cannot have unit files read again");
  }

  Message get(const std::string& unit, const std::string& interface, const char* property, const char* type) {
    BusError error;
    sd_bus_message* raw = nullptr;
    const int result = libsystemd().bus_get_property(bus_.get(), kManager, object_path(unit).c_str(),
                                                     interface.c_str(), property, &error, &raw, type);
    Message reply(raw);
    if (result < 0) throw error_of(error, result, std::string("cannot read ") + property + " of " + unit);
    return reply;
  }

  std::string get_text(const std::string& unit, const std::string& interface, const char* property) {
    const Message reply = get(unit, interface, property, "s");
    const char* text = nullptr;
    check(libsystemd().bus_message_read(reply.get(), "s", &text), property);
    return text;
  }

  std::vector<std::string> get_texts(const std::string& unit, const char* property) {
    const Message reply = get(unit, kUnitInterface, property, "as");
    check(libsystemd().bus_message_enter_container(reply.get(), 'a', "s"), property);
    std::vector<std::string> texts;
    const char* text = nullptr;
    int more = 0;
    while ((more = libsystemd().bus_message_read(reply.get(), "s", &text)) > 0) texts.emplace_back(text);
    check(more, property);
    return texts;
  }

  CpuSet get_set(const std::string& unit, const char* property) {
    const Message reply = get(unit, interface_of(unit), property, "ay");
    const void* bitmap = nullptr;
    std::size_t size = 0;
    check(libsystemd().bus_message_read_array(reply.get(), 'y', &bitmap, &size), property);
    return from_bitmap(static_cast<const std::uint8_t*>(bitmap), size);
  }

  // For a property without a limit there would be a file that says so; it is needed where one is lifted.
  void append_set(sd_bus_message* message, const std::string& unit, const char* property, const CpuSet& set) {
    if (set.empty() && get_set(unit, property).empty()) return;
    const std::vector<std::uint8_t> bitmap = to_bitmap(set);
    check(libsystemd().bus_message_open_container(message, 'r', "sv"), property);
    check(libsystemd().bus_message_append(message, "s", property), property);
    check(libsystemd().bus_message_open_container(message, 'v', "ay"), property);
    check(libsystemd().bus_message_append_array(message, 'y', bitmap.data(), bitmap.size()), property);
    check(libsystemd().bus_message_close_container(message), property);
    check(libsystemd().bus_message_close_container(message), property);
  }

  Bus bus_;
  std::string folder_;
};

}  // namespace

std::unique_ptr<UnitManager> make_systemd_units(sd_bus* bus, std::string folder) {
  return std::make_unique<SystemdUnits>(Bus(libsystemd().bus_ref(bus)), std::move(folder));
}

std::unique_ptr<UnitManager> connect_to_systemd() {
  sd_bus* raw = nullptr;
  const int result = libsystemd().bus_open_system(&raw);
  const Bus bus(raw);
  if (result < 0) {
    throw Error(ErrorDetail{.code = ErrorCode::unsupported,
                            .message =
                                "systemd runs here, but its bus cannot be reached: start dbus, or give this "
                                "program access to the system bus's socket",
                            .path = kManager,
                            .error_number = -result});
  }
  return make_systemd_units(bus.get(), std::string(paths::kSystemdMark));
}

}  // namespace bulkhead
