// SPDX-License-Identifier: Apache-2.0
#include "cgroup/systemd_units.h"

#include <array>
#include <cerrno>
#include <vector>

#include "cgroup/libsystemd.h"
#include "controller/base/error.h"

namespace bulkhead {
namespace {

constexpr const char* kManager = "org.freedesktop.systemd1";
constexpr const char* kManagerPath = "/org/freedesktop/systemd1";
constexpr const char* kManagerInterface = "org.freedesktop.systemd1.Manager";
constexpr std::uint64_t kPatienceMicroseconds = 5'000'000;

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
  explicit SystemdUnits(Bus bus) : bus_(std::move(bus)) {
    check(libsystemd().bus_set_method_call_timeout(bus_.get(), kPatienceMicroseconds),
          "when a timeout is set");
  }

  std::optional<std::string> control_group(const std::string& unit) override {
    if (!is_unit_name(unit)) return std::nullopt;
    try {
      const Message reply = get(unit, "ControlGroup", "s");
      const char* path = nullptr;
      check(libsystemd().bus_message_read(reply.get(), "s", &path), "as ControlGroup");
      if (*path == '\0') return std::nullopt;
      return std::string(path);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::not_found) return std::nullopt;
      throw;
    }
  }

  UnitLimits limits(const std::string& unit) override {
    return {.cpus = get_set(unit, "AllowedCPUs"), .memory_nodes = get_set(unit, "AllowedMemoryNodes")};
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
    append_set(raw, "AllowedCPUs", limits.cpus);
    append_set(raw, "AllowedMemoryNodes", limits.memory_nodes);
    check(libsystemd().bus_message_close_container(raw), "as properties");
    BusError error;
    const int result = libsystemd().bus_call(bus_.get(), raw, kPatienceMicroseconds, &error, nullptr);
    if (result < 0) throw error_of(error, result, "cannot limit " + unit);
    // systemd writes to the cgroup tree after it has answered, but before it takes the next call.
    this->limits(unit);
  }

 private:
  std::string object_path(const std::string& unit) {
    BusError error;
    sd_bus_message* raw = nullptr;
    const int result = libsystemd().bus_call_method(bus_.get(), kManager, kManagerPath, kManagerInterface,
                                                    "GetUnit", &error, &raw, "s", unit.c_str());
    const Message reply(raw);
    if (result < 0) throw error_of(error, result, "cannot find " + unit);
    const char* path = nullptr;
    check(libsystemd().bus_message_read(raw, "o", &path), "as a unit's path");
    return path;
  }

  Message get(const std::string& unit, const char* property, const char* type) {
    const std::string path = object_path(unit);
    BusError error;
    sd_bus_message* raw = nullptr;
    const int result = libsystemd().bus_get_property(
        bus_.get(), kManager, path.c_str(), interface_of(unit).c_str(), property, &error, &raw, type);
    Message reply(raw);
    if (result < 0) throw error_of(error, result, std::string("cannot read ") + property + " of " + unit);
    return reply;
  }

  CpuSet get_set(const std::string& unit, const char* property) {
    const Message reply = get(unit, property, "ay");
    const void* bitmap = nullptr;
    std::size_t size = 0;
    check(libsystemd().bus_message_read_array(reply.get(), 'y', &bitmap, &size), property);
    return from_bitmap(static_cast<const std::uint8_t*>(bitmap), size);
  }

  static void append_set(sd_bus_message* message, const char* property, const CpuSet& set) {
    const std::vector<std::uint8_t> bitmap = to_bitmap(set);
    check(libsystemd().bus_message_open_container(message, 'r', "sv"), property);
    check(libsystemd().bus_message_append(message, "s", property), property);
    check(libsystemd().bus_message_open_container(message, 'v', "ay"), property);
    check(libsystemd().bus_message_append_array(message, 'y', bitmap.data(), bitmap.size()), property);
    check(libsystemd().bus_message_close_container(message), property);
    check(libsystemd().bus_message_close_container(message), property);
  }

  Bus bus_;
};

}  // namespace

std::unique_ptr<UnitManager> make_systemd_units(sd_bus* bus) {
  return std::make_unique<SystemdUnits>(Bus(libsystemd().bus_ref(bus)));
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
  return make_systemd_units(bus.get());
}

}  // namespace bulkhead
