// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/result_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "controller/base/error.h"
#include "controller/experiment/result_fields.h"
#include "policies/quote.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<ArmVerdict, std::string_view>, 6> kVerdicts{
    {{ArmVerdict::open, "open"},
     {ArmVerdict::adopt, "adopt"},
     {ArmVerdict::reject, "reject"},
     {ArmVerdict::inconclusive, "inconclusive"},
     {ArmVerdict::failed_safe, "failed_safe"},
     {ArmVerdict::invalid, "invalid"}}};
constexpr std::string_view kVersionKey = "experiment_result";

class Writer {
 public:
  void operator()(std::string_view name, const std::string& text) { put(name, text); }
  void operator()(std::string_view name, bool value) { put(name, value); }
  void operator()(std::string_view name, unsigned value) { put(name, value); }
  void operator()(std::string_view name, std::uint64_t value) { put(name, value); }
  // What JSON has no number for is null: an e-value beyond all of them.
  void operator()(std::string_view name, double value) {
    put(name, std::isfinite(value) ? Json(value) : Json(nullptr));
  }
  void operator()(std::string_view name, const std::optional<double>& value) {
    put(name, value && std::isfinite(*value) ? Json(*value) : Json(nullptr));
  }
  void operator()(std::string_view name, ArmVerdict verdict) { put(name, std::string(to_string(verdict))); }
  void present(std::string_view name, const std::string& text) {
    if (!text.empty()) put(name, text);
  }
  void told(std::string_view name, const std::string& text) {
    put(name, text.empty() ? Json(nullptr) : Json(text));
  }
  void document(std::string_view name, const std::string& text) {
    put(name, text.empty() ? Json(nullptr) : Json::parse(text));
  }

  template <class Value>
  void object(std::string_view name, Value& value) {
    put(name, written(value));
  }
  template <class Value>
  void maybe(std::string_view name, std::optional<Value>& value) {
    if (value) object(name, *value);
  }
  template <class Value>
  void list(std::string_view name, std::vector<Value>& values) {
    Json all = Json::array();
    for (Value& value : values) all.push_back(written(value));
    put(name, std::move(all));
  }

  Json take() { return std::move(object_); }

 private:
  template <class Value>
  static Json written(Value& value) {
    Writer writer;
    fields(writer, value);
    return writer.take();
  }
  void put(std::string_view name, Json value) { object_[std::string(name)] = std::move(value); }

  Json object_ = Json::object();
};

// Takes an object apart, and at its end complains of what nobody has asked for.
class Reader {
 public:
  Reader(const Json& object, std::string pointer) : object_(object), pointer_(std::move(pointer)) {
    if (!object.is_object()) fail(pointer_, "is not an object");
  }

  void operator()(std::string_view name, std::string& text) { text = of(name, "a text", &Json::is_string); }
  void operator()(std::string_view name, bool& value) {
    value = of(name, "true or false", &Json::is_boolean).get<bool>();
  }
  void operator()(std::string_view name, unsigned& value) {
    const auto number = of(name, "a whole number", &Json::is_number_unsigned).get<std::uint64_t>();
    if (number > std::numeric_limits<unsigned>::max()) fail(at(name), "is too large");
    value = static_cast<unsigned>(number);
  }
  void operator()(std::string_view name, std::uint64_t& value) {
    value = of(name, "a whole number", &Json::is_number_unsigned).get<std::uint64_t>();
  }
  void operator()(std::string_view name, double& value) {
    std::optional<double> number;
    (*this)(name, number);
    value = number.value_or(std::numeric_limits<double>::infinity());
  }
  void operator()(std::string_view name, std::optional<double>& value) {
    const Json& found = member(name);
    if (!found.is_number() && !found.is_null()) fail(at(name), "is neither a number nor null");
    value = found.is_null() ? std::nullopt : std::optional(found.get<double>());
  }
  void operator()(std::string_view name, ArmVerdict& verdict) {
    const std::string text = of(name, "a text", &Json::is_string);
    const auto known =
        std::ranges::find(kVerdicts, std::string_view(text), &decltype(kVerdicts)::value_type::second);
    if (known == kVerdicts.end()) fail(at(name), in_quotes(text) + " is no verdict");
    verdict = known->first;
  }
  void present(std::string_view name, std::string& text) {
    if (object_.contains(std::string(name))) (*this)(name, text);
  }
  void told(std::string_view name, std::string& text) {
    if (member(name).is_null()) {
      text.clear();
    } else {
      (*this)(name, text);
    }
  }
  void document(std::string_view name, std::string& text) {
    const Json& found = member(name);
    text = found.is_null() ? "" : found.dump();
  }

  template <class Value>
  void object(std::string_view name, Value& value) {
    read(member(name), at(name), value);
  }
  template <class Value>
  void maybe(std::string_view name, std::optional<Value>& value) {
    if (object_.contains(std::string(name))) object(name, value.emplace());
  }
  template <class Value>
  void list(std::string_view name, std::vector<Value>& values) {
    std::size_t index = 0;
    for (const Json& element : of(name, "a list", &Json::is_array)) {
      read(element, at(name) + '/' + std::to_string(index++), values.emplace_back());
    }
  }

  void end() const {
    for (const auto& [name, value] : object_.items()) {
      if (std::ranges::find(asked_, name) == asked_.end()) fail(at(name), "is not known");
    }
  }

  [[noreturn]] static void fail(const std::string& pointer, const std::string& what) {
    throw Error(ErrorCode::invalid,
                (pointer.empty() ? std::string("the result ") : printable(pointer) + ' ') + what);
  }

 private:
  template <class Value>
  static void read(const Json& json, std::string pointer, Value& value) {
    Reader reader(json, std::move(pointer));
    fields(reader, value);
    reader.end();
  }
  std::string at(std::string_view name) const { return pointer_ + '/' + std::string(name); }
  const Json& member(std::string_view name) {
    asked_.emplace_back(name);
    const auto found = object_.find(std::string(name));
    if (found == object_.end()) fail(at(name), "is missing");
    return *found;
  }
  const Json& of(std::string_view name, const std::string& what, bool (Json::*is)() const noexcept) {
    const Json& found = member(name);
    if (!(found.*is)()) fail(at(name), "is not " + what);
    return found;
  }

  const Json& object_;
  std::string pointer_;
  std::vector<std::string> asked_;
};

Json parsed(std::string_view text) {
  try {
    return Json::parse(text);
  } catch (const nlohmann::json::exception&) {
    Reader::fail("", "is not JSON");
  }
}

ExperimentResult read_result(const Json& json) {
  Reader reader(json, "");
  unsigned version = 0;
  reader(kVersionKey, version);
  if (version != kResultVersion)
    Reader::fail("/" + std::string(kVersionKey), "is not " + std::to_string(kResultVersion));
  ExperimentResult result;
  std::vector<ResultMetric> metrics;
  std::vector<ResultGuard> guards;
  fields(reader, result, metrics, guards);
  reader.end();
  for (const ResultMetric& metric : metrics) {
    if (metric.better != "higher" && metric.better != "lower")
      Reader::fail("/metrics", "has a direction that is neither \"higher\" nor \"lower\"");
    result.metrics.push_back(metric.name);
    result.higher_is_better.push_back(metric.better == "higher");
  }
  for (const ResultGuard& guard : guards) result.guards.emplace_back(guard.metric, guard.margin);
  return result;
}

}  // namespace

std::string_view to_string(ArmVerdict verdict) {
  return std::ranges::find(kVerdicts, verdict, &decltype(kVerdicts)::value_type::first)->second;
}

nlohmann::ordered_json result_json(const ExperimentResult& result) {
  // The fields are named once for both directions, and so are not const.
  ExperimentResult copy = result;
  std::vector<ResultMetric> metrics;
  for (std::size_t index = 0; index < result.metrics.size(); ++index) {
    metrics.push_back({result.metrics[index], result.higher_is_better.at(index) ? "higher" : "lower"});
  }
  std::vector<ResultGuard> guards;
  for (const auto& [metric, margin] : result.guards) guards.push_back({metric, margin});
  Writer writer;
  writer(kVersionKey, kResultVersion);
  fields(writer, copy, metrics, guards);
  return writer.take();
}

std::string result_text(const ExperimentResult& result) {
  constexpr int kOneLine = -1;
  return result_json(result).dump(kOneLine, ' ', false, Json::error_handler_t::replace);
}

ExperimentResult parse_result(std::string_view text, const std::string& file) {
  try {
    return read_result(parsed(text));
  } catch (Error& error) {
    error.set_place(file, 0, 0, "");
    throw;
  }
}

}  // namespace bulkhead
