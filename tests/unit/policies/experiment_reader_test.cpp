// SPDX-License-Identifier: Apache-2.0
// Experiments as values. Each mistake has its example in examples/broken/.
#include "policies/experiment_reader.h"

#include <gtest/gtest.h>

#include "controller/base/error.h"
#include "policies/document_kind.h"
#include "policies/reader.h"

namespace bulkhead {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kSmallest = R"({"experiment": 1, "name": "x",
  "arms": {"a": {"policy": "none"}, "b": {"policy": "b.json"}}, "control": "a",
  "metrics": {"m": {"page": "p", "value": "v", "better": "higher"}}, "primary": "m"})";

constexpr std::string_view kFull = R"({
  // everything once
  "experiment": 1, "name": "gen13", "summary": "Does it help?",
  "arms": {"bare": {"policy": "./none"},
           "numa": {"policy": "../numa.json",
                    "on_enter": {"command": ["./workers", "192"], "time_limit": "2m"},
                    "on_leave": {"command": ["./workers", "96"]}}},
  "control": "bare",
  "metrics": {
    "rps": {"page": "http://127.0.0.1:9100/metrics", "rate": "requests_total{code=\"200\"}", "better": "higher"},
    "p99": {"page": "m.prom", "quantile": 0.99, "of": "latency_seconds", "better": "lower", "least_requests": 500},
    "wrk": {"command": ["wrk", "-d{seconds}"]},
    "slow": {"command": ["slow"], "quantile": 0.5},
    "cpu": {"counter": "cpu_time", "service": "proxy"},
    "load": {"page": "m.prom", "value": "load"}},
  "primary": {"metric": "rps", "smallest_effect": "2.5%"},
  "guards": {"p99": "5%"},
  "limits": {"p99": {"above": 2e-1}, "rps": {"below": 1000}},
  "load_bands": {"metric": "load", "edges": [-1, 0.5, 8e1]},
  "window": "500ms", "washout": "10s", "blocks": {"least": 5, "most": 50}, "confidence": "99.5%",
  "seed": 9007199254740991, "on_restart": "resume"})";

Experiment read_it(std::string_view text) {
  return require_experiment(text, "f");
}

std::string said_of_experiment(std::string_view text) {
  return render("f", read_experiment(text).diagnostics);
}

std::string with(std::string_view before, std::string_view after) {
  std::string text(kSmallest);
  text.replace(text.find(before), before.size(), after);
  return text;
}

TEST(ExperimentReader, gives_what_is_not_written_its_default) {
  const Experiment experiment = read_it(kSmallest);
  EXPECT_EQ(experiment.window, milliseconds(30'000));
  EXPECT_EQ(experiment.washout, std::nullopt);
  EXPECT_EQ(experiment.least_blocks, 3U);
  EXPECT_EQ(experiment.most_blocks, 40U);
  EXPECT_EQ(experiment.confidence, Percent{9'500});
  EXPECT_EQ(experiment.smallest_effect, Percent{100});
  EXPECT_FALSE(experiment.seed_given);
  EXPECT_EQ(experiment.on_restart, OnRestart::restore);
  EXPECT_FALSE(experiment.bands);
  EXPECT_EQ(experiment.metrics.at(0).least_requests, 2'000U);
}

std::string searching(const std::string& lists) {
  return with(R"("control")", R"("search": {"policy": "t.json", "service": "proxy", )" + lists +
                                  R"("latency": {"metric": "m", "limit": 0.05}}, "control")");
}

std::string one_arm(std::string text) {
  constexpr std::string_view kSecond = R"(, "b": {"policy": "b.json"})";
  text.erase(text.find(kSecond), kSecond.size());
  const std::string_view higher = R"("higher")";
  return text.replace(text.find(higher), higher.size(), R"("lower")");
}

TEST(ExperimentReader, reads_a_search_with_one_arm) {
  const Experiment experiment = read_it(
      one_arm(searching(R"("ccds": [2, 6], "ways": [4], "bandwidth": ["1 GB/s", "24GB/s", "unlimited"],
                   "threads_per_core": [1, 2], "evaluations": 20, )")));
  ASSERT_TRUE(experiment.search);
  const SearchWant& search = *experiment.search;
  EXPECT_EQ(search.policy, "t.json");
  EXPECT_EQ(search.service, "proxy");
  EXPECT_EQ(search.ranges.ccds, (std::vector<unsigned>{2, 6}));
  EXPECT_EQ(search.ranges.ways, (std::vector<unsigned>{4}));
  EXPECT_EQ(search.ranges.bandwidth,
            (std::vector<BandwidthAmount>{Rate{1'000'000'000}, Rate{24'000'000'000}, Unlimited{}}));
  EXPECT_EQ(search.ranges.threads_per_core, (std::vector<unsigned>{1, 2}));
  EXPECT_EQ(search.latency, "m");
  EXPECT_EQ(search.latency_limit, 0.05);
  EXPECT_EQ(search.evaluations, 20U);
  EXPECT_EQ(search.place.pointer, "/search");
  EXPECT_EQ(read_it(one_arm(searching(R"("ccds": [2, 6], )"))).search->evaluations, 15U);
}

TEST(ExperimentReader, refuses_lists_of_a_search_that_say_nothing) {
  const auto said = [](const std::string& lists) { return said_of_experiment(one_arm(searching(lists))); };
  EXPECT_EQ(said(R"("ccds": [], )"),
            R"(f:2:97: /search/ccds: an empty array is not a list of rising numbers: write [4, 6, 8]
)");
  EXPECT_EQ(said(R"("ways": [4, 4], )"), R"(f:2:101: /search/ways/1: 4 does not lie above 4: such a list rises
)");
  EXPECT_EQ(said(R"("ways": [4, 33], )"),
            R"(f:2:101: /search/ways/1: 33 is out of range: a whole number is 1 to 32
)");
  EXPECT_EQ(said(R"("ways": [4, "5"], )"), R"(f:2:101: /search/ways/1: "5" is not a whole number: write 6
)");
  EXPECT_EQ(said(R"("bandwidth": ["unlimited", "1 GB/s"], )"),
            R"(f:2:116: /search/bandwidth/1: "1 GB/s" does not lie above "unlimited": such a list rises
)");
  EXPECT_EQ(said(R"("bandwidth": ["2 GB/s", "1 GB/s"], )"),
            R"(f:2:113: /search/bandwidth/1: "1 GB/s" does not lie above "2 GB/s": such a list rises
)");
  EXPECT_EQ(said(R"("bandwidth": ["50%", "20%"], )"),
            R"(f:2:110: /search/bandwidth/1: "20%" does not lie above "50%": such a list rises
)");
  EXPECT_EQ(said(R"("bandwidth": ["0%", "fast"], )"),
            R"(f:2:103: /search/bandwidth/0: "0%" is no bandwidth at all: give more, or leave the key out
)");
  EXPECT_EQ(said(R"("ways": [4, 5], "evaluations": 6, )"),
            R"(f:2:120: /search/evaluations: 6 is out of range: a number of evaluations is 7 to 20
)");
}

TEST(ExperimentReader, reads_when_there_may_be_a_verdict) {
  EXPECT_EQ(read_it(kSmallest).looks, Looks::any_time);
  EXPECT_EQ(read_it(kSmallest).noise, std::nullopt);
  const Experiment experiment = read_it(with(
      R"("primary": "m")", R"("primary": {"metric": "m", "noise": "1.5%"}, "blocks": {"looks": "five"})"));
  EXPECT_EQ(experiment.looks, Looks::five);
  EXPECT_EQ(experiment.noise, Percent{150});
}

TEST(ExperimentReader, reads_arms_in_their_order) {
  const Experiment experiment = read_it(kFull);
  ASSERT_EQ(experiment.arms.size(), 2U);
  EXPECT_EQ(experiment.arms[0].policy, "./none");
  EXPECT_FALSE(experiment.arms[0].on_enter);
  const ArmWant& numa = experiment.arms[1];
  EXPECT_EQ(numa.name, "numa");
  EXPECT_EQ(numa.policy, "../numa.json");
  EXPECT_EQ(numa.place.pointer, "/arms/numa");
  EXPECT_EQ(numa.policy_place.line, 5U);
  ASSERT_TRUE(numa.on_enter && numa.on_leave);
  EXPECT_EQ(numa.on_enter->words, (std::vector<std::string>{"./workers", "192"}));
  EXPECT_EQ(numa.on_enter->time_limit, milliseconds(120'000));
  EXPECT_EQ(numa.on_leave->time_limit, milliseconds(10'000));
  EXPECT_EQ(read_it(kSmallest).arms[0].policy, std::nullopt);
}

TEST(ExperimentReader, reads_each_source_of_a_metric) {
  const auto metrics = read_it(kFull).metrics;
  ASSERT_EQ(metrics.size(), 6U);
  const auto& rate = std::get<PageSource>(metrics[0].source);
  EXPECT_EQ(rate.page, "http://127.0.0.1:9100/metrics");
  EXPECT_EQ(rate.reading, PageReading::rate);
  EXPECT_EQ(rate.series, "requests_total{code=\"200\"}");
  const auto& quantile = std::get<PageSource>(metrics[1].source);
  EXPECT_EQ(quantile.reading, PageReading::quantile);
  EXPECT_EQ(quantile.series, "latency_seconds");
  EXPECT_EQ(quantile.quantile, 0.99);
  EXPECT_EQ(metrics[1].better, Better::lower);
  EXPECT_EQ(metrics[1].least_requests, 500U);
  const auto& command = std::get<CommandSource>(metrics[2].source);
  EXPECT_EQ(command.command.words, (std::vector<std::string>{"wrk", "-d{seconds}"}));
  EXPECT_EQ(command.reading, CommandReading::value);
  EXPECT_EQ(std::get<CommandSource>(metrics[3].source).reading, CommandReading::quantile);
  EXPECT_EQ(std::get<CommandSource>(metrics[3].source).quantile, 0.5);
  EXPECT_EQ(std::get<ServiceCounterSource>(metrics[4].source).service, "proxy");
  EXPECT_EQ(std::get<ServiceCounterSource>(metrics[4].source).reading, CounterReading::cpu_time);
  EXPECT_EQ(std::get<PageSource>(metrics[5].source).reading, PageReading::value);
}

TEST(ExperimentReader, reads_how_it_decides_and_for_how_long) {
  const Experiment experiment = read_it(kFull);
  EXPECT_EQ(experiment.primary, "rps");
  EXPECT_EQ(experiment.smallest_effect, Percent{250});
  ASSERT_EQ(experiment.guards.size(), 1U);
  EXPECT_EQ(experiment.guards[0].metric, "p99");
  EXPECT_EQ(experiment.guards[0].margin, Percent{500});
  ASSERT_EQ(experiment.limits.size(), 2U);
  EXPECT_EQ(experiment.limits[0].above, 0.2);
  EXPECT_EQ(experiment.limits[0].below, std::nullopt);
  EXPECT_EQ(experiment.limits[1].below, 1000);
  EXPECT_EQ(experiment.bands->edges, (std::vector<double>{-1, 0.5, 80}));
  EXPECT_EQ(experiment.window, milliseconds(500));
  EXPECT_EQ(experiment.washout, milliseconds(10'000));
  EXPECT_EQ(experiment.least_blocks, 5U);
  EXPECT_EQ(experiment.most_blocks, 50U);
  EXPECT_EQ(experiment.confidence, Percent{9'950});
  EXPECT_EQ(experiment.seed, 9'007'199'254'740'991U);
  EXPECT_TRUE(experiment.seed_given);
  EXPECT_EQ(experiment.on_restart, OnRestart::resume);
}

TEST(ExperimentReader, tells_all_mistakes_in_one_run) {
  EXPECT_EQ(
      said_of_experiment(R"({"experiment": 1, "name": ".x", "arms": {"a": {"policy": 1}, "b": {}},
  "control": "other", "metrics": {"m": {"page": "p", "value": "9"}}, "primary": "rate", "guards": {"m": "5"}})"),
      "f:1:27: /name: \".x\" is not a name: write 1 to 48 letters, digits, '_', '-' and '.', the first of "
      "them no '.'\n"
      "f:1:58: /arms/a/policy: 1 is not \"none\" or the path of a policy: write \"numa-6-of-12.json\"\n"
      "f:1:67: /arms/b: the key \"policy\" is missing: add \"policy\": \"numa-6-of-12.json\"\n"
      "f:2:14: /control: there is no arm \"other\": known here: \"a\", \"b\"\n"
      "f:2:35: /metrics/m: a guard is compared, and nothing says which way is better: add \"better\": "
      "\"higher\" or \"lower\"\n"
      "f:2:63: /metrics/m/value: \"9\" is not a series: it begins with no name; write \"requests_total\" "
      "or \"requests_total{code=\\\"200\\\"}\"\n"
      "f:2:81: /primary: there is no metric \"rate\": known here: \"m\"\n"
      "f:2:105: /guards/m: \"5\" is not a percentage above 0% up to 100%: write \"5%\"\n");
}

TEST(ExperimentReader, names_the_bounds_of_times_and_numbers) {
  EXPECT_EQ(said_of_experiment(with(R"("primary": "m")", R"("primary": "m", "window": "99ms")")),
            "f:3:96: /window: \"99ms\" is out of range: a time here is 100ms to 60m\n");
  EXPECT_EQ(said_of_experiment(with(R"("primary": "m")", R"("primary": "m", "seed": 9007199254740992)")),
            "f:3:94: /seed: 9007199254740992 is out of range: a seed is 0 to 9007199254740991\n");
  EXPECT_EQ(said_of_experiment(with(R"("primary": "m")", R"("primary": "m", "blocks": {"least": 1})")),
            "f:3:106: /blocks/least: 1 is out of range: a number of blocks is 2 to 10000\n");
}

TEST(ExperimentReader, takes_no_number_that_is_none) {
  EXPECT_EQ(
      said_of_experiment(with(R"("primary": "m")", R"("primary": "m", "limits": {"m": {"above": 1e-999}})")),
      "f:3:112: /limits/m/above: 1e-999 is not a number: write 0.2\n");
  EXPECT_NE(
      said_of_experiment(with(R"("primary": "m")", R"("primary": "m", "limits": {"m": {"above": NaN}})")),
      "");
  EXPECT_NE(
      said_of_experiment(with(R"("primary": "m")", R"("primary": "m", "limits": {"m": {"above": 1e999}})")),
      "");
}

TEST(ExperimentReader, tells_a_policy_apart) {
  constexpr std::string_view kPolicy =
      R"({"bulkhead": 1, "name": "x", "services": {"a": {"select": "others"}}})";
  EXPECT_EQ(said_of_experiment(kPolicy),
            "f:1:1: this is a policy: an experiment begins with {\"experiment\": 1, ...}\n");
  EXPECT_EQ(render("f", read_policy(kSmallest).diagnostics),
            "f:1:1: this is an experiment: a policy begins with {\"bulkhead\": 1, ...}\n");
}

TEST(ExperimentReader, throws_the_first_mistake_where_it_is_required) {
  try {
    require_experiment("[]", "f.json");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid);
    EXPECT_STREQ(error.what(),
                 "f.json:1:1: an empty array is not an experiment: write {\"experiment\": 1, \"name\": ..., "
                 "\"arms\": {...}, \"control\": ..., \"metrics\": {...}, \"primary\": ...}");
  }
}

TEST(DocumentKind, is_told_by_the_first_key) {
  EXPECT_EQ(kind_of(kSmallest), DocumentKind::experiment);
  EXPECT_EQ(kind_of(R"({"experiment": "?"})"), DocumentKind::experiment);
  EXPECT_EQ(kind_of(R"({"bulkhead": 1, "experiment": 1})"), DocumentKind::policy);
  EXPECT_EQ(kind_of("{}"), DocumentKind::policy);
  EXPECT_EQ(kind_of("[\"experiment\"]"), DocumentKind::policy);
  EXPECT_EQ(kind_of("{\"experiment\": 1"), DocumentKind::policy);
  EXPECT_EQ(kind_of(""), DocumentKind::policy);
}

}  // namespace
}  // namespace bulkhead
