// SPDX-License-Identifier: Apache-2.0
// Measures all metrics of an experiment over one window, in two halves.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/experiment/child_process.h"
#include "controller/experiment/experiment_host.h"
#include "controller/experiment/page_reader.h"
#include "controller/experiment/prometheus_text.h"
#include "controller/experiment/result.h"
#include "policies/experiment.h"

namespace bulkhead {

// Without time going by: nothing of rates and quantiles.
bool has_value_at_once(const MetricWant& metric);

class Meters {
 public:
  // `folder`: of the experiment's file. Both must outlive it.
  Meters(const Experiment& experiment, std::string folder, ExperimentHost& host)
      : experiment_(experiment), folder_(std::move(folder)), host_(host) {}

  void begin();  // the measurement: commands start
  void halfway();
  void end();
  // Commands get the rest of their time, unless that is to be given up; until then nothing is known of them.
  void finish_commands(const std::function<bool()>& gives_up);
  void abandon();  // the window is given up
  void drain();    // now and then in between

  // In the order of the experiment's metrics; commands only tell of the whole.
  MetricReading first_half(std::size_t metric) const { return between(metric, 0, 1); }
  MetricReading second_half(std::size_t metric) const { return between(metric, 1, 2); }
  MetricReading whole(std::size_t metric) const;
  MetricReading at_start(std::size_t metric) const;  // of what has a value at once

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Sample {
    PageSeries series;  // of a page
    PageSeries per;     // that its growth is divided by, where one is named
    ServiceUse use;     // of a service
    Time at;            // of a page
  };
  using Moment = std::vector<Sample>;  // by metric

  Moment look();
  Sample sample_page(const PageSource& source, std::map<std::string, PageText>& pages);
  MetricReading between(std::size_t metric, std::size_t from, std::size_t to) const;
  std::optional<std::string> fall(std::size_t metric) const;

  const Experiment& experiment_;
  std::string folder_;
  ExperimentHost& host_;
  std::vector<Moment> moments_;
  std::vector<std::unique_ptr<ChildProcess>> commands_;  // by metric; null for other sources
  std::vector<std::optional<CommandEnd>> ends_;
};

}  // namespace bulkhead
