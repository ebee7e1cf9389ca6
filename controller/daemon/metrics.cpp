// SPDX-License-Identifier: Apache-2.0
#include "controller/daemon/metrics.h"

#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "controller/base/error.h"
#include "controller/base/unique_fd.h"

namespace bulkhead {
namespace {

constexpr mode_t kReadableByAll = 0644;

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", value);
  return text;
}

class MetricsPage {
 public:
  void family(const char* name, const char* type, const char* help) {
    name_ = std::string("bulkhead_") + name;
    text_ += "# HELP " + name_ + ' ' + help + "\n# TYPE " + name_ + ' ' + type + '\n';
  }
  // `labels` as in "{kind=\"mask\"}"; what comes after the family's name, "_bucket".
  void sample(double value, const std::string& labels = {}, const char* suffix = "") {
    text_ += name_ + suffix + labels + ' ' + number(value) + '\n';
  }
  void one(const char* name, const char* type, const char* help, double value) {
    family(name, type, help);
    sample(value);
  }
  void histogram(const char* name, const char* help, const DurationHistogram& durations) {
    family(name, "histogram", help);
    for (std::size_t index = 0; index < durations.counts.size(); ++index) {
      sample(static_cast<double>(durations.counts[index]),
             "{le=\"" + number(DurationHistogram::kBounds[index]) + "\"}", "_bucket");
    }
    sample(static_cast<double>(durations.count), "{le=\"+Inf\"}", "_bucket");
    sample(durations.sum, {}, "_sum");
    sample(static_cast<double>(durations.count), {}, "_count");
  }
  std::string take() { return std::move(text_); }

 private:
  std::string name_, text_;
};

}  // namespace

void DurationHistogram::take(double seconds) {
  for (std::size_t index = 0; index < kBounds.size(); ++index) {
    if (seconds <= kBounds[index]) ++counts[index];
  }
  ++count;
  sum += seconds;
}

// As a label's value: other programs call their groups what they like.
std::string escaped(const std::string& text) {
  std::string out;
  for (const char letter : text) {
    if (letter == '\\' || letter == '"') out += '\\';
    out += letter;
  }
  return out;
}

// No sample where there is no data.
void add_counter(MetricsPage& page, const Snapshot& counters, CounterEvent event, const char* name,
                 const char* type, const char* help) {
  page.family(name, type, help);
  for (const GroupCounters& group : counters.groups) {
    for (const CcdCounters& ccd : group.ccds) {
      const Reading& reading = ccd.reading(event);
      if (!reading.good()) continue;
      page.sample(static_cast<double>(reading.value),
                  "{group=\"" + escaped(group.path) + "\",ccd=\"" + to_string(ccd.ccd) + "\"}");
    }
  }
}

void add_perf(MetricsPage& page, const std::vector<PerfRate>& rates, const char* name, const char* of,
              const char* help) {
  page.family(name, "gauge", help);
  for (const PerfRate& rate : rates) {
    const std::string event = rate.event.empty() ? "" : ",event=\"" + rate.event + "\"";
    page.sample(rate.value, std::string("{") + of + "=\"" + rate.of + "\"" + event + "}");
  }
}

// Names of policies and kinds have no letter that the format would want escaped.
std::string metrics_text(const Metrics& metrics) {
  MetricsPage page;
  page.family("policy_info", "gauge", "The policy in force; no sample while none is.");
  if (!metrics.policy.empty()) page.sample(1, "{policy=\"" + metrics.policy + "\"}");
  const auto count = [](std::uint64_t value) { return static_cast<double>(value); };
  page.one("generation", "gauge", "Generation of the policy in force.", count(metrics.generation));
  page.family("drift_findings", "gauge",
              "Findings of the last look, by kind: the host differs from its plan.");
  for (const auto& [kind, findings] : metrics.drift) page.sample(count(findings), "{kind=\"" + kind + "\"}");
  page.one("drifting", "gauge", "Whether the last look found the host other than planned.",
           metrics.drift.empty() ? 0 : 1);
  page.one("waiting_services", "gauge", "Services whose selector matches nothing now.",
           count(metrics.waiting));
  page.family("behaviour_judgements", "gauge", "What counters and threads did, as judged at the last look.");
  for (const auto& [subject, number] : metrics.behaviour) {
    page.sample(count(number), "{kind=\"" + subject.first + "\",verdict=\"" + subject.second + "\"}");
  }
  add_counter(page, metrics.counters, CounterEvent::llc_occupancy, "llc_occupancy_bytes", "gauge",
              "L3 that a resctrl group's lines fill on a CCD, at the last look.");
  add_counter(page, metrics.counters, CounterEvent::mbm_total_bytes, "mbm_bytes_total", "counter",
              "Bytes that a resctrl group moved beyond the L3 of a CCD, at the last look.");
  add_perf(page, metrics.perf.services, "service_events_per_second", "service",
           "What the processor counts of a service's threads, before the last look.");
  add_perf(page, metrics.perf.ipc, "service_instructions_per_cycle", "service",
           "Instructions in each cycle of a service's threads.");
  add_perf(page, metrics.perf.ccds, "ccd_events_per_second", "ccd",
           "What the processor counts of a CCD's L3.");
  page.one("looks_total", "counter", "Looks at the host.", count(metrics.looks));
  page.one("look_failures_total", "counter", "Looks that failed: what the host is like is not known then.",
           count(metrics.look_failures));
  page.one("look_failing", "gauge", "Whether the last look failed: nothing is kept then.",
           metrics.look_failing ? 1 : 0);
  page.one("last_look_timestamp_seconds", "gauge", "When a look last did not fail.", metrics.last_look);
  page.one("state_unwritten", "gauge",
           "Whether what is in force could not be written down for the next boot.",
           metrics.state_unwritten ? 1 : 0);
  page.one("repairs_total", "counter", "Times that drift was mended.", count(metrics.repairs));
  page.one("repair_failures_total", "counter", "Times that drift could not be mended.",
           count(metrics.repair_failures));
  page.one("followed_threads_total", "counter", "New threads that were brought to their groups.",
           count(metrics.followed_threads));
  page.histogram("apply_duration_seconds", "Time that changes of policy took.", metrics.applies);
  page.histogram("look_duration_seconds", "Time that looks took, with what they mended.",
                 metrics.look_durations);
  page.one("api_clients", "gauge", "Connections to the socket.", count(metrics.api_clients));
  page.one("api_requests_total", "counter", "Requests through the socket.", count(metrics.api_requests));
  page.one("api_refusals_total", "counter", "Requests that were answered by an error.",
           count(metrics.api_refusals));
  page.one("api_turned_away_total", "counter", "Connections refused for lack of rights or room.",
           count(metrics.api_turned_away));
  page.one("api_lost_events_total", "counter", "Events that slow subscribers lost.",
           count(metrics.api_lost_events));
  return page.take();
}

void write_metrics_file(const std::string& path, const std::string& text) {
  const std::string fresh = path + ".new";  // the collector reads names that end in .prom only
  {
    ::unlink(fresh.c_str());  // of a daemon that was killed, or a pipe that would hold us
    const UniqueFd file(::open(fresh.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, kReadableByAll));
    if (!file || ::fchmod(file.get(), kReadableByAll) != 0 ||
        ::write(file.get(), text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
      throw Error::from_errno(errno, "cannot write", fresh);
    }
  }
  if (::rename(fresh.c_str(), path.c_str()) != 0)
    throw Error::from_errno(errno, "cannot rename into place", path);
}

}  // namespace bulkhead
