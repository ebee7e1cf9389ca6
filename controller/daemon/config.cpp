// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/config.h"

#include <algorithm>
#include <array>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/base/units.h"
#include "controller/daemon/trusted_file.h"
#include "policies/duration.h"
#include "policies/reader.h"
#include "policies/value_reader.h"

namespace bulkhead {
namespace {

constexpr std::chrono::milliseconds kShortestSweep{100};

constexpr std::array kConfigKeywords{
    Keyword{"bulkheadd", Accepts::number, Presence::required, "the version of this language", "1",
            "the version of the file's language, 1"},
    Keyword{"on_drift", Accepts::text, Presence::optional, "one of \"repair\" and \"report\"", "\"repair\"",
            "repair (the default) or report: what somebody else changed is mended, or only told"},
    Keyword{"sweep", Accepts::text, Presence::optional, "a time from 100 ms to an hour", "\"30s\"",
            "how often to look where nothing asked for it"},
    Keyword{"admin_group", Accepts::text, Presence::optional, "the name of a group", "\"bulkhead\"",
            "whose members may change things through the socket"},
    Keyword{"read_group", Accepts::text, Presence::optional, "the name of a group", "\"bulkhead-read\"",
            "whose members may look through the socket"},
    Keyword{"policy", Accepts::text, Presence::optional, "an absolute path", "\"/etc/bulkhead/policy.json\"",
            "a policy to put in force at start and on SIGHUP"},
    Keyword{"audit_log", Accepts::text, Presence::optional, "an absolute path",
            "\"/var/log/bulkhead/audit.log\"", "where it is noted who changed what"},
    Keyword{"metrics_file", Accepts::text, Presence::optional, "an absolute path that ends in .prom",
            "\"/var/lib/prometheus/node-exporter/bulkhead.prom\"",
            "metrics for node_exporter's textfile collector"},
    Keyword{"actuator", Accepts::text, Presence::optional, "a way to write groups", "\"resctrl\"",
            "how groups are written: auto (the default), resctrl, pqos-msr or pqos-os"},
    Keyword{"ccd_bandwidth", Accepts::text, Presence::optional, "a rate", "\"40GB/s\"",
            "memory bandwidth that one CCD can get, for policies with percent on AMD"},
};
constexpr KeywordTable kConfigTable{"bulkheadd", kConfigKeywords};
constexpr Keyword kWholeConfig{
    "", Accepts::object, Presence::required, "a configuration of bulkheadd", "{\"bulkheadd\": 1}", ""};

bool is_path(const std::string& text) {
  return text.starts_with('/') && !text.ends_with('/') && text.find('\0') == std::string::npos;
}

template <std::string DaemonConfig::*kMember>
void read_file_name(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                    DaemonConfig& config) {
  if (!is_path(value.text)) return refuse(problems, value, keyword);
  config.*kMember = value.text;
}

template <std::string DaemonConfig::*kMember>
void read_group_name(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                     DaemonConfig& config) {
  if (!is_name(value.text)) return refuse(problems, value, keyword);
  config.*kMember = value.text;
}

void read_language(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword, DaemonConfig&) {
  read_number(problems, value, keyword, 1, 1);
}

void read_on_drift(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                   DaemonConfig& config) {
  constexpr Word<OnDrift> kWords[] = {{"repair", OnDrift::repair}, {"report", OnDrift::report}};
  if (const auto word = read_word(problems, value, keyword, kWords)) config.on_drift = *word;
}

void read_sweep(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                DaemonConfig& config) {
  const auto time = parse_duration(value.text);
  if (!time || *time < kShortestSweep) return refuse(problems, value, keyword);
  config.sweep = *time;
}

void read_metrics_file(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                       DaemonConfig& config) {
  if (!is_path(value.text) || !value.text.ends_with(".prom")) return refuse(problems, value, keyword);
  config.metrics_file = value.text;
}

void read_actuator(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                   DaemonConfig& config) {
  constexpr Word<std::string_view> kWords[] = {
      {"auto", "auto"}, {"resctrl", "resctrl"}, {"pqos-msr", "pqos-msr"}, {"pqos-os", "pqos-os"}};
  if (const auto word = read_word(problems, value, keyword, kWords)) config.actuator = *word;
}

void read_ccd_bandwidth(DiagnosticList& problems, const JsonValue& value, const Keyword& keyword,
                        DaemonConfig& config) {
  const auto rate = parse_rate(value.text);
  if (!rate || *rate == 0) return refuse(problems, value, keyword);
  config.ccd_bandwidth = *rate;
}

constexpr Field<DaemonConfig> kConfigFields[] = {
    {"bulkheadd", read_language},
    {"on_drift", read_on_drift},
    {"sweep", read_sweep},
    {"admin_group", read_group_name<&DaemonConfig::admin_group>},
    {"read_group", read_group_name<&DaemonConfig::read_group>},
    {"policy", read_file_name<&DaemonConfig::policy>},
    {"audit_log", read_file_name<&DaemonConfig::audit_log>},
    {"metrics_file", read_metrics_file},
    {"actuator", read_actuator},
    {"ccd_bandwidth", read_ccd_bandwidth},
};

}  // namespace

ConfigReading read_config(std::string_view text) {
  if (trim(text).empty()) {
    const Place start{.line = 1, .column = 1, .pointer = {}};
    return {{}, {{start, "the file is empty: the smallest configuration is {\"bulkheadd\": 1}"}}};
  }
  DiagnosticList problems;
  const JsonDocument document = parse_json(text, problems);
  DaemonConfig config;
  if (document.root() != nullptr && check_type(problems, *document.root(), kWholeConfig)) {
    read_members<DaemonConfig>(problems, *document.root(), kConfigTable, kConfigFields, config);
  }
  ConfigReading reading{.config = {}, .diagnostics = problems.take()};
  if (reading.diagnostics.empty()) reading.config = std::move(config);
  return reading;
}

DaemonConfig load_config(const std::string& path, bool must_exist) {
  std::string text;
  try {
    text = read_trusted_file(path);
  } catch (const Error& error) {
    if (must_exist || error.code() != ErrorCode::not_found) throw;
    return {};
  }
  ConfigReading reading = read_config(text);
  if (reading.config) return *reading.config;
  throw as_error(path, reading.diagnostics);
}

}  // namespace bulkhead
