// SPDX-License-Identifier: Apache-2.0
#include "simulator/hardware_model/metrics_page.h"

#include <array>
#include <charconv>

namespace bulkhead::sim {
namespace {

std::string escaped(const std::string& value) {
  std::string text;
  for (const char letter : value) {
    if (letter == '\\' || letter == '"') text += '\\';
    text += letter == '\n' ? std::string("\\n") : std::string(1, letter);
  }
  return text;
}

std::string shortest(double value) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end};
}

std::string head(const std::string& name, const std::string& type, const std::string& help) {
  return "# HELP " + name + ' ' + help + "\n# TYPE " + name + ' ' + type + '\n';
}

std::string durations(const std::string& service, const LatencyHistogram& histogram) {
  const std::string name = "proxy_request_duration_seconds";
  std::string text;
  const auto bucket = [&](const std::string& limit, std::uint64_t count) {
    text +=
        name + "_bucket{service=\"" + service + "\",le=\"" + limit + "\"} " + std::to_string(count) + '\n';
  };
  for (std::size_t at = 0; at < bucket_limits().size(); ++at) {
    bucket(shortest(bucket_limits()[at]), histogram.count_within(at));
  }
  bucket("+Inf", histogram.count());
  text += name + "_sum{service=\"" + service + "\"} " + shortest(histogram.sum()) + '\n';
  text += name + "_count{service=\"" + service + "\"} " + std::to_string(histogram.count()) + '\n';
  return text;
}

}  // namespace

std::string metrics_page(std::span<const ServiceSpec> services, std::span<const ServiceMetrics> metrics) {
  std::string text = head("proxy_requests_total", "counter", "Requests that were answered.");
  for (std::size_t at = 0; at < services.size(); ++at) {
    text += "proxy_requests_total{service=\"" + escaped(services[at].name) + "\"} " +
            std::to_string(metrics[at].histogram.count()) + '\n';
  }
  text += head("proxy_request_duration_seconds", "histogram", "How long answers took.");
  for (std::size_t at = 0; at < services.size(); ++at) {
    text += durations(escaped(services[at].name), metrics[at].histogram);
  }
  return text;
}

}  // namespace bulkhead::sim
