// SPDX-License-Identifier: Apache-2.0
#include "policies/experiment_keywords.h"

#include <array>

namespace bulkhead {
namespace {

using enum Accepts;
using enum Presence;

constexpr std::string_view kCommandObject = "a program to run";
constexpr std::string_view kCommandExample = R"({"command": ["./workers", "192"]})";
constexpr std::string_view kWords = "a program with its arguments";
constexpr std::string_view kMetricName = "the name of a metric";
constexpr std::string_view kMetricNameExample = R"("throughput")";
constexpr std::string_view kTime = "a time up to an hour";
constexpr std::string_view kSeriesExample = R"("requests_total")";

constexpr std::array kExperimentKeywords{
    Keyword{"$schema", text, optional, "the address of a schema", R"("experiment.schema.json")",
            "for editors; ignored"},
    Keyword{"experiment", number, required, "a version of the experiment language", "1",
            "version of the experiment language, 1"},
    Keyword{"name", text, required, "a name", R"("gen13")", "name of the experiment, in reports"},
    Keyword{"summary", text, optional, "a text", R"("Does isolation help the proxy?")",
            "the question, in a sentence"},
    Keyword{"arms", object, required, "a set of arms by name",
            R"({"no-isolation": {"policy": "none"}, "numa": {"policy": "numa-6-of-12.json"}})",
            "what is compared, by name; at least two, or the control of a search"},
    Keyword{"control", text, required, "the name of an arm", R"("no-isolation")",
            "the arm that every other is compared with"},
    Keyword{"search", object, optional, "what is to be varied",
            R"({"policy": "numa-6-of-12.json", "service": "proxy", "ccds": [4, 6, 8], )"
            R"("latency": {"metric": "p99", "limit": 0.05}})",
            "what is found instead of written: the best of all combinations"},
    Keyword{"metrics", object, required, "a set of metrics by name",
            R"({"throughput": {"page": "http://127.0.0.1:9100/metrics", "rate": "requests_total", )"
            R"("better": "higher"}})",
            "what is measured, by name"},
    Keyword{"primary", text | object, required, "a metric to decide by",
            R"("throughput" or {"metric": "throughput", "smallest_effect": "2%"})",
            "the metric that decides"},
    Keyword{"guards", object, optional, "a set of margins by metric", R"({"p99": "5%"})",
            "metrics that must not get worse, with how much worse still is not"},
    Keyword{"limits", object, optional, "a set of limits by metric", R"({"p99": {"above": 0.2}})",
            "values beyond which an arm is left at once and is out"},
    Keyword{"load_bands", object, optional, "bands of a metric", R"({"metric": "load", "edges": [0.5, 0.8]})",
            "results also by load"},
    Keyword{"window", text, optional, kTime, R"("30s")", "how long one measurement lasts; 30s if not given"},
    Keyword{"washout", text, optional, R"("auto" or a time up to an hour)", R"("auto" or "10s")",
            "how long after a change nothing is measured; by the step response if not given"},
    Keyword{"blocks", object, optional, "a number of blocks", R"({"least": 3, "most": 40})",
            "how many blocks of four windows each comparison gets"},
    Keyword{"confidence", text, optional, "a percentage from 50% to 99.99%", R"("95%")",
            "how sure a verdict must be; 95% if not given"},
    Keyword{"seed", number, optional, "a seed", "7", "what the order of windows is drawn from"},
    Keyword{"on_restart", text, optional, R"(one of "restore" and "resume")", R"("restore")",
            "what becomes of an experiment whose runner was killed"},
};

constexpr std::array kArmKeywords{
    Keyword{"policy", text, required, R"("none" or the path of a policy)", R"("numa-6-of-12.json")",
            "the policy that is in force; \"none\" for the host without one"},
    Keyword{"on_enter", object, optional, kCommandObject, kCommandExample,
            "what is run once the policy is in force"},
    Keyword{"on_leave", object, optional, kCommandObject, kCommandExample,
            "what is run before the arm is left"},
};

constexpr std::array kCommandKeywords{
    Keyword{"command", array, required, kWords, R"(["./workers", "192"])",
            "the program and its arguments; no shell"},
    Keyword{"time_limit", text, optional, kTime, R"("10s")", "it is killed after that; 10s if not given"},
};

constexpr std::array kMetricKeywords{
    Keyword{"page", text, optional, "a page", R"("http://127.0.0.1:9100/metrics")",
            "a page of metrics in Prometheus' text format: an address, or a file"},
    Keyword{"command", array, optional, kWords, R"(["wrk", "-d{seconds}", "http://127.0.0.1/"])",
            "a program that measures; {seconds} is the length of the window"},
    Keyword{"counter", text, optional,
            R"(one of "total_bandwidth", "local_bandwidth", "occupancy" and "cpu_time")",
            R"("total_bandwidth")", "what Bulkhead counts of a service"},
    Keyword{"value", text, optional, "a series", R"("load")", "of a page: a gauge"},
    Keyword{"rate", text, optional, "a series", kSeriesExample,
            "of a page: how fast a counter grows, a second"},
    Keyword{"quantile", number, optional, "a quantile", "0.99",
            "of a page's histogram, or of the samples that a command prints"},
    Keyword{"of", text, optional, "a series", R"("latency_seconds")", "the histogram, for a page's quantile"},
    Keyword{"per", text, optional, "a series", R"("process_cpu_seconds_total")",
            "with rate: the growth of this counter, instead of a second"},
    Keyword{"service", text, optional, "the name of a service", R"("proxy")",
            "of a counter: the service, by its name in the policies"},
    Keyword{"better", text, optional, R"(one of "higher" and "lower")", R"("higher")",
            "which way is better; the primary metric and guards need it"},
    Keyword{"least_requests", number, optional, "a number of requests", "2000",
            "a window with fewer has no quantile; 2000 if not given"},
};
static_assert(kMetricKeywords[kMetricSourceKeywords].name == "value");
static_assert(kMetricKeywords[kMetricSourceKeywords + kPageReadingKeywords].name == "of");

constexpr std::array kPrimaryKeywords{
    Keyword{"metric", text, required, kMetricName, kMetricNameExample, "the metric that decides"},
    Keyword{"smallest_effect", text, optional, "a percentage above 0% up to 100%", R"("1%")",
            "a smaller change is of no interest; 1% if not given"},
    Keyword{"noise", text, optional, "a percentage above 0% up to 100%", R"("2%")",
            "how much a block differs from the next, where it is known beforehand"},
};

constexpr std::array kLimitKeywords{
    Keyword{"above", number, optional, "a number", "0.2", "a larger value is beyond the limit"},
    Keyword{"below", number, optional, "a number", "1000", "a smaller value is beyond the limit"},
};

constexpr std::array kLoadBandsKeywords{
    Keyword{"metric", text, required, kMetricName, R"("load")", "the metric whose bands these are"},
    Keyword{"edges", array, required, "a list of rising numbers", "[0.5, 0.8]",
            "where a band ends and the next begins"},
};

constexpr std::array kBlocksKeywords{
    Keyword{"least", number, optional, "a number of blocks", "3",
            "there is no verdict before; 3 if not given"},
    Keyword{"most", number, optional, "a number of blocks", "40",
            "then it ends, decided or not; 40 if not given"},
    Keyword{"looks", text, optional, R"(one of "any_time" and "five")", R"("five")",
            "when there may be a verdict: after any block, or at fifths of the most"},
};

constexpr std::string_view kCounts = "a list of rising numbers";

constexpr std::array kSearchKeywords{
    Keyword{"policy", text, required, "the path of a policy", R"("numa-6-of-12.json")",
            "the policy in which one service is varied"},
    Keyword{"service", text, required, "the name of a service", R"("proxy")", "the service that is varied"},
    Keyword{"ccds", array, optional, kCounts, "[4, 6, 8]", "how many CCDs it has"},
    Keyword{"ways", array, optional, kCounts, "[4, 8, 16]", "how many ways of L3 it may fill"},
    Keyword{"bandwidth", array, optional, "a list of rising bandwidths", R"(["24 GB/s", "unlimited"])",
            "how much memory bandwidth it may use"},
    Keyword{"threads_per_core", array, optional, kCounts, "[1, 2]", "how many threads of a core it has"},
    Keyword{"latency", object, required, "a limit of a metric", R"({"metric": "p99", "limit": 0.05})",
            "what must not be exceeded"},
    Keyword{"evaluations", number, optional, "a number of evaluations", "15",
            "how many combinations are measured; 15 if not given"},
};

constexpr std::array kSearchLatencyKeywords{
    Keyword{"metric", text, required, kMetricName, R"("p99")", "the metric that has the limit"},
    Keyword{"limit", number, required, "a number above 0", "0.05", "a larger value is too much"},
};

}  // namespace

constexpr KeywordTable kExperimentTable{"experiment", kExperimentKeywords};
constexpr KeywordTable kArmTable{"arm", kArmKeywords};
constexpr KeywordTable kCommandTable{"command", kCommandKeywords};
constexpr KeywordTable kMetricTable{"metric", kMetricKeywords};
constexpr KeywordTable kPrimaryTable{"primary", kPrimaryKeywords};
constexpr KeywordTable kLimitTable{"limit", kLimitKeywords};
constexpr KeywordTable kLoadBandsTable{"load_bands", kLoadBandsKeywords};
constexpr KeywordTable kBlocksTable{"blocks", kBlocksKeywords};
constexpr KeywordTable kSearchTable{"search", kSearchKeywords};
constexpr KeywordTable kSearchLatencyTable{"search_latency", kSearchLatencyKeywords};

constexpr Keyword kArmEntry{"", object, optional, "an arm", R"({"policy": "numa-6-of-12.json"})", ""};
constexpr Keyword kMetricEntry{
    "",
    object,
    optional,
    "a metric",
    R"({"page": "http://127.0.0.1:9100/metrics", "rate": "requests_total", "better": "higher"})",
    ""};
constexpr Keyword kGuardEntry{"", text, optional, "a percentage above 0% up to 100%", R"("5%")", ""};
constexpr Keyword kLimitEntry{"", object, optional, "a limit", R"({"above": 0.2})", ""};
constexpr Keyword kEdge{"", number, optional, "a number", "0.5", ""};
constexpr Keyword kSearchCount{"", number, optional, "a whole number", "6", ""};
constexpr Keyword kSearchBandwidth{"", text, optional, "a bandwidth", R"("24 GB/s" or "unlimited")", ""};
constexpr Keyword kWord{"", text, optional, "a word of a command", R"("192")", ""};

std::span<const KeywordTable* const> experiment_keyword_tables() {
  static constexpr std::array kTables{&kExperimentTable, &kArmTable,          &kCommandTable,   &kMetricTable,
                                      &kPrimaryTable,    &kLimitTable,        &kLoadBandsTable, &kBlocksTable,
                                      &kSearchTable,     &kSearchLatencyTable};
  return kTables;
}

}  // namespace bulkhead
