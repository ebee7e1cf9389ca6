// SPDX-License-Identifier: Apache-2.0
#include "simulator/launcher/services_file.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/topology/machine_section.h"
#include "controller/topology/placed_json.h"
#include "simulator/hardware_model/parameters.h"
#include "simulator/hardware_model/service_keys.h"

namespace bulkhead::sim {
namespace {

constexpr std::array<std::string_view, 1> kFileKeys{"services"};
constexpr std::array<std::string_view, 6> kServiceKeys{"name",   "kind",         "threads",
                                                       "cgroup", "metrics_port", "parameters"};
constexpr const char* kUsualKind = "cache-hungry-proxy";
constexpr unsigned kMostThreads = 4096;  // they are real ones
constexpr unsigned kLastPort = 65535;
constexpr std::size_t kLongestName = 15;  // what the kernel keeps of a process's name

void read_parameters(const PlacedJson& document, const std::string& pointer, ServiceSpec& spec) {
  const nlohmann::json& object = document.root().at(nlohmann::json::json_pointer(pointer));
  if (!object.is_object()) throw document.error_at(pointer, "the parameters are an object of numbers");
  for (const auto& [word, value] : object.items()) {
    const std::string at = member_pointer(pointer, word);
    if (!value.is_number()) throw document.error_at(at, "a parameter is a number");
    try {
      set_parameter(spec, word, value.get<double>());
    } catch (const Error& error) {
      throw document.error_at(at, error.detail().message);
    }
  }
}

bool is_printable(std::string_view text) {
  constexpr char kDelete = 0x7f;
  return std::ranges::none_of(text, [](char byte) { return (byte >= 0 && byte < ' ') || byte == kDelete; });
}

bool leads_upwards(std::string_view path) {
  const auto parts = split(path, '/');
  return std::ranges::find(parts, "..") != parts.end();
}

SimulatedService read_service(const MachineSection& section, const PlacedJson& document,
                              const std::string& pointer) {
  SimulatedService service;
  try {
    service.spec = service_of_kind(section.has("kind") ? section.text("kind") : kUsualKind);
  } catch (const Error& error) {
    if (error.detail().line != 0) throw;
    throw section.error_at("kind", error.detail().message);
  }
  service.spec.name = section.text("name");
  if (service.spec.name.empty() || service.spec.name.size() > kLongestName) {
    throw section.error_at("name", "the name has 1 to " + std::to_string(kLongestName) + " characters");
  }
  if (service.spec.name.find('/') != std::string::npos || !is_printable(service.spec.name)) {
    throw section.error_at("name", "the name has no / and no control characters");
  }
  service.spec.threads = section.number("threads", 1, kMostThreads);
  if (section.has("cgroup")) service.cgroup = section.text("cgroup");
  if (!service.cgroup.starts_with('/')) throw section.error_at("cgroup", "a cgroup's path starts with /");
  if (leads_upwards(service.cgroup) || !is_printable(service.cgroup)) {
    throw section.error_at("cgroup", "a cgroup's path has no .. and no control characters");
  }
  if (section.has("metrics_port")) service.metrics_port = section.number("metrics_port", 1, kLastPort);
  if (section.has("parameters")) read_parameters(document, pointer + "/parameters", service.spec);
  return service;
}

}  // namespace

std::vector<SimulatedService> read_services_file(std::string_view text, const std::string& file) {
  const PlacedJson document(text, file);
  const MachineSection root(document, document.root(), "", kFileKeys);
  std::vector<SimulatedService> services;
  std::set<std::string> names;
  for (const MachineSection& section : root.sections("services", kServiceKeys)) {
    const std::string pointer = "/services/" + std::to_string(services.size());
    services.push_back(read_service(section, document, pointer));
    if (!names.insert(services.back().spec.name).second) {
      throw section.error_at("name", "there is a service of that name already");
    }
  }
  return services;
}

}  // namespace bulkhead::sim
