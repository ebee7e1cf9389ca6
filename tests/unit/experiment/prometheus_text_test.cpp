// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/prometheus_text.h"

#include <gtest/gtest.h>

namespace bulkhead {
namespace {

PageSeries series(std::string_view page, std::string_view selector) {
  return read_series(page, std::get<SeriesSelector>(parse_series(selector)));
}

double value(std::string_view page, std::string_view selector) {
  const MetricReading reading = value_of(series(page, selector));
  EXPECT_EQ(reading.why_none, "");
  return reading.value.value_or(-1);
}

// Why there is no number; both halves of the promise are held.
std::string why(const MetricReading& reading) {
  EXPECT_EQ(reading.value, std::nullopt);
  EXPECT_NE(reading.why_none, "");
  return reading.why_none;
}

std::string why(std::string_view page, std::string_view selector = "a") {
  return why(value_of(series(page, selector)));
}

constexpr std::string_view kPage = R"(# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{code="200",path="/a b"} 1027 1395066363000
requests_total{path="/",code="500"} 3
  requests_total_of_others 5

load +0.25
spaced	 { a = "1" , }   1e3  
negative -2.5e-1
with_example_bucket{le="1"} 7 # {trace_id="x"} 0.5
)";

TEST(PrometheusText, adds_up_the_series_that_match) {
  EXPECT_EQ(value(kPage, "requests_total"), 1030);
  EXPECT_EQ(value(kPage, R"(requests_total{code="500"})"), 3);
  EXPECT_EQ(value(kPage, R"(requests_total{path="/a b",code="200"})"), 1027);
  EXPECT_EQ(value(kPage, "requests_total_of_others"), 5);
}

TEST(PrometheusText, reads_every_way_to_write_a_number) {
  EXPECT_EQ(value(kPage, "load"), 0.25);
  EXPECT_EQ(value(kPage, R"(spaced{a="1"})"), 1000);
  EXPECT_EQ(value(kPage, "negative"), -0.25);
  EXPECT_EQ(value(kPage, "with_example_bucket"), 7);
  EXPECT_EQ(value("a 1\r\n", "a"), 1);
}

TEST(PrometheusText, has_a_reason_where_there_is_no_number) {
  EXPECT_EQ(why(""), "the page is empty");
  EXPECT_EQ(why("a 12"), "the page ends in the middle of a line");
  EXPECT_EQ(why("b 1\n"), "the page has no series a");
  EXPECT_EQ(why("<html>a 1</html>\n"), "the page has no series a");
  EXPECT_EQ(why(kPage, R"(requests_total{code="404"})"),
            "the page has no series requests_total{code=\"404\"}");
  EXPECT_EQ(why("a\n"), "the page has no series a");
  EXPECT_EQ(why("a \n"), "the series a has \"\" for a value");
  EXPECT_EQ(why("a NaN\n"), "the series a has the value NaN");
  EXPECT_EQ(why("a +Inf\n"), "the series a has the value +Inf");
  EXPECT_EQ(why("a many\n"), "the series a has \"many\" for a value");
  EXPECT_EQ(why("a 1,5\n"), "the series a has \"1,5\" for a value");
  EXPECT_EQ(why("a 0x10\n"), "the series a has \"0x10\" for a value");
  EXPECT_EQ(why("a 1e999\n"), "the series a has \"1e999\" for a value");
  EXPECT_EQ(why("a 1 2 3\n"), "the series a has a line that cannot be read: something follows its time");
  EXPECT_EQ(why("a 1 x\n"), "the series a has a line that cannot be read: something follows its value");
  EXPECT_EQ(
      why("a{b=\"1} 2\n"),
      "the series a has a line that cannot be read: the value of the label b has no double quotes around it");
  EXPECT_EQ(why("a{b=\"1\"} 2\na{b=\"1\"} 3\n"), "the series a{b=\"1\"} is there twice");
  EXPECT_EQ(why("a{b=\"1\",c=\"2\"} 2\na{c=\"2\",b=\"1\"} 3\n"),
            "the series a{b=\"1\",c=\"2\"} is there twice");
  EXPECT_EQ(why("a{b=\"1\"} 1.7e308\na{b=\"2\"} 1.7e308\n"),
            "the values of the series a add up to more than a number holds");
}

TEST(PrometheusText, does_not_send_a_terminal_what_a_page_says) {
  EXPECT_EQ(why("a \x1b[2J\n"), "the series a has \"\\u001b[2J\" for a value");
  EXPECT_EQ(why("a{b=\"\x1b\"} 1\na{b=\"\x1b\"} 1\n"), "the series a{b=\"\\u001b\"} is there twice");
}

TEST(PrometheusText, takes_a_page_up_to_its_largest_size) {
  std::string page = "a 1\n";
  page.append(kLargestPage - page.size() - 1, '#');
  page += '\n';
  EXPECT_EQ(value(page, "a"), 1);
  page.insert(0, "#");
  EXPECT_EQ(why(page), "the page has 8388609 bytes, of which at most 8388608 are read");
}

TEST(PrometheusRate, is_the_growth_a_second) {
  const auto before = series("a{b=\"1\"} 100\na{b=\"2\"} 7\n", "a");
  const auto after = series("a{b=\"2\"} 7\na{b=\"1\"} 150\n", "a");
  EXPECT_EQ(rate_between(before, after, 25).value, 2);
}

TEST(PrometheusRate, has_a_reason_where_a_counter_lies) {
  const auto page = series("a{b=\"1\"} 100\na{b=\"2\"} 7\n", "a");
  EXPECT_EQ(why(rate_between(page, series("a{b=\"1\"} 1e6\na{b=\"2\"} 6.5\n", "a"), 1)),
            "the counter a{b=\"2\"} went backwards, from 7 to 6.5");
  EXPECT_EQ(why(rate_between(page, series("a{b=\"1\"} 1e6\n", "a"), 1)),
            "the series a{b=\"2\"} is no longer there");
  EXPECT_EQ(why(rate_between(page, series("a{b=\"1\"} 100\na{b=\"2\"} 7\na{b=\"3\"} 1e9\n", "a"), 1)),
            "the series a{b=\"3\"} appeared meanwhile: how much it grew is not known");
  EXPECT_EQ(why(rate_between(page, series("a{b=\"1\"} NaN\n", "a"), 1)), "the series a has the value NaN");
  EXPECT_EQ(why(rate_between(series("", "a"), page, 1)), "the page is empty");
  EXPECT_EQ(why(rate_between(page, page, 0)), "no time has passed between two looks at a");
}

PageSeries buckets(std::string_view page) {
  return read_series(page, buckets_of({.name = "l", .labels = {}}));
}

std::string histogram(int tenth, int one, int ten, int all) {
  return "l_bucket{le=\"0.1\"} " + std::to_string(tenth) + "\nl_bucket{le=\"1\"} " + std::to_string(one) +
         "\nl_bucket{le=\"10\"} " + std::to_string(ten) + "\nl_bucket{le=\"+Inf\"} " + std::to_string(all) +
         "\nl_sum 5\nl_count 4\n";
}

TEST(PrometheusQuantile, is_of_what_was_observed_in_between) {
  const auto before = buckets(histogram(1000, 1000, 1000, 1000));
  const auto after = buckets(histogram(1000, 1050, 1100, 1100));
  EXPECT_DOUBLE_EQ(quantile_between(before, after, 0.25, 100).value.value(), 0.55);
  EXPECT_DOUBLE_EQ(quantile_between(before, after, 0.5, 100).value.value(), 1);
  EXPECT_DOUBLE_EQ(quantile_between(before, after, 0.99, 100).value.value(), 9.82);
}

TEST(PrometheusQuantile, begins_at_zero_in_the_first_bucket) {
  const auto nothing = buckets(histogram(0, 0, 0, 0));
  EXPECT_DOUBLE_EQ(quantile_between(nothing, buckets(histogram(100, 100, 100, 100)), 0.5, 1).value.value(),
                   0.05);
}

TEST(PrometheusQuantile, adds_up_histograms_of_several_series) {
  const auto before = buckets(
      "l_bucket{le=\"1\"} 0\nl_bucket{le=\"+Inf\"} 0\nl_bucket{code=\"5\",le=\"1\"} 0\n"
      "l_bucket{code=\"5\",le=\"+Inf\"} 0\n");
  const auto after = buckets(
      "l_bucket{le=\"1\"} 10\nl_bucket{le=\"+Inf\"} 10\nl_bucket{code=\"5\",le=\"1\"} 10\n"
      "l_bucket{code=\"5\",le=\"+Inf\"} 10\n");
  EXPECT_DOUBLE_EQ(quantile_between(before, after, 0.5, 20).value.value(), 0.5);
}

TEST(PrometheusQuantile, is_the_bound_of_a_first_bucket_below_zero) {
  const auto before = buckets("l_bucket{le=\"-1\"} 0\nl_bucket{le=\"+Inf\"} 0\n");
  const auto after = buckets("l_bucket{le=\"-1\"} 5\nl_bucket{le=\"+Inf\"} 5\n");
  EXPECT_EQ(quantile_between(before, after, 0.5, 1).value.value(), -1);
}

TEST(PrometheusQuantile, is_none_after_a_reset_and_of_buckets_of_different_moments) {
  const auto before = buckets(histogram(5, 9, 12, 12));
  EXPECT_FALSE(quantile_between(before, buckets(histogram(4, 9, 12, 12)), 0.5, 1).value);
  const auto later = buckets(histogram(0, 5, 5, 5));
  EXPECT_FALSE(quantile_between(later, buckets(histogram(4, 6, 9, 9)), 0.5, 1).value);
}

TEST(PrometheusQuantile, has_a_reason_where_there_is_none) {
  const auto nothing = buckets(histogram(0, 0, 0, 0));
  EXPECT_EQ(why(quantile_between(nothing, buckets(histogram(10, 20, 30, 1999)), 0.5, 2000)),
            "too few requests: 1999, at least 2000 are needed");
  EXPECT_EQ(why(quantile_between(nothing, buckets(histogram(10, 20, 30, 40)), 0.99, 1)),
            "the quantile lies above the last bucket of l_bucket, 10: the histogram needs larger ones");
  EXPECT_EQ(why(quantile_between(nothing, buckets(histogram(10, 9, 30, 40)), 0.5, 1)),
            "the buckets of the histogram l_bucket do not rise at le=\"1\"");
  // Of each page, not only of what came in between.
  EXPECT_EQ(
      why(quantile_between(buckets(histogram(10, 20, 30, 5)), buckets(histogram(20, 40, 60, 45)), 0.5, 1)),
      "the buckets of the histogram l_bucket do not rise at le=\"+Inf\"");
  const auto two = [](int of_five) {
    return buckets(
        "l_bucket{le=\"1\"} 500\nl_bucket{le=\"+Inf\"} 900\nl_bucket{code=\"5\",le=\"1\"} 100\n"
        "l_bucket{code=\"5\",le=\"+Inf\"} " +
        std::to_string(of_five) + '\n');
  };
  EXPECT_EQ(why(quantile_between(two(50), two(99), 0.5, 1)),
            "the buckets of the histogram l_bucket{code=\"5\"} do not rise at le=\"+Inf\"");
  EXPECT_EQ(why(quantile_between(nothing, nothing, 0.5, 0)), "the histogram l_bucket is empty");
  const auto endless = buckets("l_bucket{le=\"1\"} 5\n");
  EXPECT_EQ(why(quantile_between(endless, endless, 0.5, 1)),
            "the histogram l_bucket has no bucket for le=\"+Inf\"");
  const auto bare = buckets("l_bucket 5\n");
  EXPECT_EQ(why(quantile_between(bare, bare, 0.5, 1)), "the series l_bucket has no label le");
  const auto words = buckets("l_bucket{le=\"x\"} 5\n");
  EXPECT_EQ(why(quantile_between(words, words, 0.5, 1)),
            "the series l_bucket{le=\"x\"} has a label le that is no number");
}

}  // namespace
}  // namespace bulkhead
