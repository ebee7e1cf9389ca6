// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/step_json.h"

#include <nlohmann/json.hpp>

#include "controller/base/error.h"
#include "controller/base/text.h"

namespace bulkhead {

using Json = nlohmann::ordered_json;

Json to_json(const Step& step) {
  Json json;
  json["kind"] = std::string(to_string(step.kind));
  json["target"] = step.target;
  if (!step.text.empty()) json["text"] = step.text;
  if (!step.before.empty()) json["before"] = step.before;
  if (!step.tasks.empty()) {
    // Grouped by where they were: a service has thousands of threads and few origins.
    Json origins = Json::object();
    for (const auto& [task, origin] : step.tasks) origins[origin].push_back(task);
    json["tasks"] = std::move(origins);
  }
  if (step.kind == StepKind::remove_group) {
    json["image"] = {
        {"schemata", step.image.schemata}, {"cpus", step.image.cpus}, {"tasks", step.image.tasks}};
  }
  return json;
}

Step step_from_json(const Json& json) {
  try {
    const auto kind = parse_step_kind(json.at("kind").get<std::string>());
    if (!kind)
      throw Error(ErrorCode::invalid, "unknown kind of step '" + json.at("kind").get<std::string>() + "'");
    Step step{.kind = *kind,
              .target = json.at("target").get<std::string>(),
              .text = json.value("text", std::string()),
              .before = json.value("before", std::string())};
    const Json origins = json.value("tasks", Json::object());
    for (const auto& [origin, tasks] : origins.items()) {
      for (const Json& task : tasks) step.tasks.emplace(task.get<unsigned>(), origin);
    }
    if (const auto image = json.find("image"); image != json.end()) {
      step.image = {.schemata = image->at("schemata").get<std::string>(),
                    .cpus = image->at("cpus").get<std::string>(),
                    .tasks = image->at("tasks").get<std::vector<unsigned>>()};
    }
    return step;
  } catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::invalid, std::string("not a step: ") + error.what());
  }
}

}  // namespace bulkhead
