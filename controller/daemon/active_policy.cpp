// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/active_policy.h"

#include <nlohmann/json.hpp>

#include "controller/base/error.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kActiveFile = "active.json";
constexpr int kActiveVersion = 1;

}  // namespace

ActivePolicy active_policy_of(const State& state, const std::string& boot) {
  return {.generation = state.generation,
          .policy_text = state.policy_text,
          .policy_file = state.policy_file,
          .applied_at = state.applied_at,
          .boot = boot};
}

std::optional<ActivePolicy> read_active_policy(Store& store, std::string& set_aside) {
  try {
    const auto text = store.read(kActiveFile);
    if (!text) return std::nullopt;
    const Json json = Json::parse(*text);
    if (json.at("bulkhead_active") == kActiveVersion) {
      return ActivePolicy{.generation = json.at("generation").get<std::uint64_t>(),
                          .policy_text = json.at("policy_text").get<std::string>(),
                          .policy_file = json.at("policy_file").get<std::string>(),
                          .applied_at = json.at("applied_at").get<std::string>(),
                          .boot = json.at("boot").get<std::string>()};
    }
  } catch (const nlohmann::json::exception&) {
    // It is set aside like one of another version.
  } catch (const Error& error) {
    if (error.code() != ErrorCode::refused) throw;
  }
  set_aside = store.set_aside(kActiveFile);
  return std::nullopt;
}

void write_active_policy(Store& store, const ActivePolicy& active) {
  const Json json{{"bulkhead_active", kActiveVersion},
                  {"generation", active.generation},
                  {"policy_file", active.policy_file},
                  {"applied_at", active.applied_at},
                  {"boot", active.boot},
                  {"policy_text", active.policy_text}};
  store.replace(kActiveFile, json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n');
}

}  // namespace bulkhead
