// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/search_policy.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "policies/reader.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

// Whether a search has room in it, and what it varies there.
class Template {
 public:
  Template(const Policy& policy, const std::string& service)
      : policy_(policy), service_(policy.services.end()) {
    service_ = std::ranges::find(policy.services, service, &Service::name);
    if (service_ == policy.services.end()) {
      throw Error(ErrorCode::invalid,
                  "policy '" + policy.name + "' has no service '" + service + "' to vary");
    }
  }

  void require_room_for(const SearchPoint& point) const {
    if ((point.ways || point.bandwidth) && !service_->service_class.empty()) {
      refuse("its cache and bandwidth are those of class '" + service_->service_class +
             "', which others share; a search needs them at the service itself");
    }
    const CpuWant& cpus = service_->cpus;
    if (point.ccds && (cpus.choice != CpuChoice::counted || cpus.scope != CpuScope::ccds)) {
      refuse(R"(a search over CCDs needs "cpus": {"count": {"ccds": N}})");
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorCode::invalid,
                "policy '" + policy_.name + "', service '" + service_->name + "': " + why);
  }

  const Policy& policy_;
  std::vector<Service>::const_iterator service_;
};

// "cpus": "all" is short for {"of": "all"}; CPUs that nobody mentions are all.
Json& cpus_as_object(Json& service) {
  Json& cpus = service["cpus"];
  if (!cpus.is_object()) cpus = Json{{"of", cpus.is_string() ? cpus : Json("all")}};
  return cpus;
}

std::string bandwidth_text(const BandwidthAmount& amount) {
  constexpr std::uint64_t kKilo = 1000;
  if (const Rate* rate = std::get_if<Rate>(&amount)) {
    const std::string bytes = std::to_string(kKilo + rate->bytes_per_second % kKilo).substr(1);
    return std::to_string(rate->bytes_per_second / kKilo) + '.' + bytes + " KB/s";
  }
  if (const Percent* percent = std::get_if<Percent>(&amount)) return percent->to_string();
  return "unlimited";
}

// Slow memory has its own limit beside the memory's.
void set_bandwidth(Json& service, const BandwidthAmount& amount) {
  Json& bandwidth = service["bandwidth"];
  (bandwidth.is_object() ? bandwidth["memory"] : bandwidth) = bandwidth_text(amount);
}

}  // namespace

std::string policy_at(std::string_view text, const std::string& file, const std::string& service,
                      const SearchPoint& point) {
  Template(require_policy(text, file), service).require_room_for(point);
  constexpr bool kThrows = true, kPassesOverComments = true;
  Json policy = Json::parse(text, nullptr, kThrows, kPassesOverComments);
  Json& varied = policy.at("services").at(service);
  if (point.ccds) varied["cpus"]["count"]["ccds"] = *point.ccds;
  if (point.threads_per_core) cpus_as_object(varied)["threads_per_core"] = *point.threads_per_core;
  // Of code and data together: a search knows one kind of ways.
  if (point.ways) varied["l3"] = {{"ways", *point.ways}};
  if (point.bandwidth) set_bandwidth(varied, *point.bandwidth);
  policy["summary"] = service + ": " + describe(point);
  constexpr int kIndent = 2;
  std::string found = policy.dump(kIndent) + '\n';
  require_policy(found, file);
  return found;
}

}  // namespace bulkhead
