// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/meters.h"

#include <cmath>
#include <string_view>

#include "controller/base/error.h"
#include "controller/base/real.h"
#include "controller/base/text.h"
#include "controller/experiment/latency_histogram.h"
#include "policies/quote.h"

namespace bulkhead {
namespace {

MetricReading none(std::string why) {
  return {std::nullopt, std::move(why)};
}

std::optional<double> number_in(std::string_view text) {
  const auto value = parse_real(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

MetricReading value_in(const std::string& name, std::string_view output) {
  const std::string_view text = trim(output);
  if (const auto value = number_in(text)) return {value, {}};
  return none(name + " printed " + (text.empty() ? "nothing" : in_quotes(text)) +
              ", which is not one number");
}

MetricReading quantile_in(const std::string& name, std::string_view output, double share,
                          std::uint64_t least) {
  LatencyHistogram samples;
  while (!output.empty()) {
    const auto newline = output.find('\n');
    const std::string_view line = trim(output.substr(0, newline));
    output.remove_prefix(newline == std::string_view::npos ? output.size() : newline + 1);
    if (line.empty()) continue;
    const auto value = number_in(line);
    if (!value || !samples.add(*value))
      return none(name + " printed " + in_quotes(line) + ", which is no sample");
  }
  if (samples.count() < least) {
    return none("too few: " + std::to_string(samples.count()) + " samples, where it takes " +
                std::to_string(least));
  }
  return {samples.quantile(share), {}};
}

std::vector<std::string> with_seconds(std::vector<std::string> words, std::chrono::milliseconds window) {
  constexpr std::string_view kSeconds = "{seconds}";
  std::string seconds = std::to_string(std::chrono::duration<double>(window).count());
  seconds.erase(seconds.find_last_not_of('0') + 1);
  if (seconds.ends_with('.')) seconds.pop_back();
  for (std::string& word : words) {
    for (auto at = word.find(kSeconds); at != std::string::npos;
         at = word.find(kSeconds, at + seconds.size())) {
      word.replace(at, kSeconds.size(), seconds);
    }
  }
  return words;
}

SeriesSelector selector_of(const std::string& series) {
  return std::get<SeriesSelector>(parse_series(series));  // the reader has checked it
}

// How much one counter grew, for each one that the other grew.
MetricReading ratio(const MetricReading& growth, const MetricReading& other, const std::string& name) {
  if (!growth.value) return growth;
  if (!other.value) return other;
  if (*other.value <= 0) return none(name + " did not grow in this window");
  return {*growth.value / *other.value, {}};
}

// Growth of what only grows, a second.
MetricReading growth(const ServiceUse& before, const ServiceUse& after,
                     std::optional<TimedCount> ServiceUse::*what) {
  if (!(before.*what)) return none(before.why_none);
  if (!(after.*what)) return none(after.why_none);
  const TimedCount &from = *(before.*what), &to = *(after.*what);
  if (to.value < from.value)
    return none("the count went back: the group was made again, or processes have ended");
  if (to.at <= from.at) return none("no time has passed between two looks");
  return {(to.value - from.value) / std::chrono::duration<double>(to.at - from.at).count(), {}};
}

MetricReading occupancy_of(const ServiceUse& use) {
  return use.occupancy ? MetricReading{use.occupancy, {}} : none(use.why_none);
}

MetricReading use_between(const ServiceCounterSource& source, const ServiceUse& before,
                          const ServiceUse& after) {
  switch (source.reading) {
    case CounterReading::total_bandwidth:
      return growth(before, after, &ServiceUse::total_bytes);
    case CounterReading::local_bandwidth:
      return growth(before, after, &ServiceUse::local_bytes);
    case CounterReading::cpu_time:
      return growth(before, after, &ServiceUse::cpu_seconds);
    case CounterReading::occupancy:
      break;
  }
  return occupancy_of(after);
}

}  // namespace

bool has_value_at_once(const MetricWant& metric) {
  if (const auto* page = std::get_if<PageSource>(&metric.source)) return page->reading == PageReading::value;
  const auto* service = std::get_if<ServiceCounterSource>(&metric.source);
  return service != nullptr && service->reading == CounterReading::occupancy;
}

Meters::Sample Meters::sample_page(const PageSource& source, std::map<std::string, PageText>& pages) {
  const auto [page, fresh] = pages.try_emplace(source.page);
  if (fresh) page->second = read_page(source.page, folder_);
  Sample sample{.at = page->second.at};
  if (!page->second.why_none.empty()) {
    sample.series.why_none = sample.per.why_none = page->second.why_none;
    return sample;
  }
  SeriesSelector selector = selector_of(source.series);
  if (source.reading == PageReading::quantile) selector = buckets_of(std::move(selector));
  sample.series = read_series(page->second.text, selector);
  if (!source.per.empty()) sample.per = read_series(page->second.text, selector_of(source.per));
  return sample;
}

Meters::Moment Meters::look() {
  Moment moment;
  std::map<std::string, PageText> pages;
  std::map<std::string, ServiceUse> uses;
  for (const MetricWant& metric : experiment_.metrics) {
    if (const auto* page = std::get_if<PageSource>(&metric.source)) {
      moment.push_back(sample_page(*page, pages));
    } else if (const auto* service = std::get_if<ServiceCounterSource>(&metric.source)) {
      const auto [use, fresh] = uses.try_emplace(service->service);
      if (fresh) use->second = host_.use_of(service->service);
      moment.emplace_back().use = use->second;
    } else {
      moment.emplace_back();
    }
  }
  return moment;
}

void Meters::begin() {
  abandon();
  for (const MetricWant& metric : experiment_.metrics) {
    commands_.emplace_back();
    ends_.emplace_back();
    const auto* source = std::get_if<CommandSource>(&metric.source);
    if (source == nullptr) continue;
    try {
      commands_.back() =
          std::make_unique<ChildProcess>(with_seconds(source->command.words, experiment_.window), folder_);
    } catch (const Error& error) {
      ends_.back() = CommandEnd{{}, error.what()};
    }
  }
  moments_.push_back(look());
}

void Meters::halfway() {
  moments_.push_back(look());
}

void Meters::end() {
  moments_.push_back(look());
}

void Meters::finish_commands(const std::function<bool()>& gives_up) {
  const Time ended = std::chrono::steady_clock::now();
  for (std::size_t index = 0; index < commands_.size(); ++index) {
    if (!commands_[index]) continue;
    const auto& source = std::get<CommandSource>(experiment_.metrics[index].source);
    ends_[index] = commands_[index]->finish(ended + source.command.time_limit, gives_up);
    if (!ends_[index]) {
      ends_[index] =
          CommandEnd{{},
                     source.command.words.front() + " had not ended " +
                         std::to_string(source.command.time_limit.count()) +
                         " ms after its window: it was killed" + commands_[index]->last_complaint()};
    }
    commands_[index].reset();
  }
}

void Meters::abandon() {
  commands_.clear();
  ends_.clear();
  moments_.clear();
}

void Meters::drain() {
  for (const auto& command : commands_) {
    if (command) command->drain();
  }
}

// A counter that fell in the midst of the window may have passed its old value again: its growth is not
// known.
std::optional<std::string> Meters::fall(std::size_t metric) const {
  const auto* page = std::get_if<PageSource>(&experiment_.metrics[metric].source);
  if (page == nullptr || page->reading == PageReading::value) return std::nullopt;
  for (std::size_t at = 0; at + 1 < moments_.size(); ++at) {
    const Sample &before = moments_[at][metric], &after = moments_[at + 1][metric];
    if (auto why = fall_between(before.series, after.series)) return why;
    if (page->per.empty()) continue;
    if (auto why = fall_between(before.per, after.per)) return why;
  }
  return std::nullopt;
}

MetricReading Meters::whole(std::size_t metric) const {
  if (auto why = fall(metric)) return none(*std::move(why));
  return between(metric, 0, 2);
}

MetricReading Meters::at_start(std::size_t metric) const {
  const MetricWant& want = experiment_.metrics[metric];
  if (!has_value_at_once(want)) return none("it takes time to measure");
  const Sample& sample = moments_.front()[metric];
  if (std::holds_alternative<PageSource>(want.source)) return value_of(sample.series);
  return occupancy_of(sample.use);
}

MetricReading Meters::between(std::size_t metric, std::size_t from, std::size_t to) const {
  const MetricWant& want = experiment_.metrics[metric];
  if (const auto* source = std::get_if<CommandSource>(&want.source)) {
    if (to - from != 2) return none("a command only tells of a whole window");
    if (!ends_[metric]) return none("the command has not ended yet");
    const CommandEnd& end = *ends_[metric];
    if (!end.why_none.empty()) return none(end.why_none);
    const std::string& name = source->command.words.front();
    return source->reading == CommandReading::value
               ? value_in(name, end.output)
               : quantile_in(name, end.output, source->quantile, want.least_requests);
  }
  const Sample &before = moments_[from][metric], &after = moments_[to][metric];
  if (const auto* service = std::get_if<ServiceCounterSource>(&want.source)) {
    return use_between(*service, before.use, after.use);
  }
  const auto& page = std::get<PageSource>(want.source);
  const double seconds = std::chrono::duration<double>(after.at - before.at).count();
  switch (page.reading) {
    case PageReading::rate:
      if (page.per.empty()) return rate_between(before.series, after.series, seconds);
      return ratio(rate_between(before.series, after.series, seconds),
                   rate_between(before.per, after.per, seconds), page.per);
    case PageReading::quantile:
      return quantile_between(before.series, after.series, page.quantile, want.least_requests);
    case PageReading::value:
      break;
  }
  return value_of(after.series);
}

}  // namespace bulkhead
