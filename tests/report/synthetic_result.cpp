// SPDX-License-Identifier: Apache-2.0
#include "tests/report/synthetic_result.h"

#include <cmath>
#include <random>

namespace bulkhead {
namespace {

constexpr double kWindow = 30, kWashout = 8;
constexpr const char* kHost = R"({"machine":"epyc-9965-nps2","NUMA nodes":"0-1","kernel":"6.12.9"})";

// A plan in which the proxy has some CCDs and ways, and the others the rest.
std::string plan_text(const std::string& proxy_ccds, const std::string& other_ccds,
                      const std::string& proxy_mask, const std::string& other_mask) {
  const auto masks = [](unsigned first, unsigned last, const std::string& mask) {
    std::string text;
    for (unsigned ccd = first; ccd <= last; ++ccd)
      text += (text.empty() ? "" : ",") + ('"' + std::to_string(ccd) + "\":\"" + mask + '"');
    return '{' + text + '}';
  };
  const unsigned last = proxy_ccds == "0-5" ? 5 : 11;
  return R"({"policy":"p","machine":"m","actuator":"resctrl","groups":[{"name":"bulkhead.proxy","services":["proxy"],)"
         R"("assign":"cpus","cpus":"0-191","l3":)" +
         masks(0, last, proxy_mask) +
         R"(,"monitoring":[]},{"name":"","services":["others"],"assign":"tasks","cpus":"","l3":)" +
         masks(last == 5 ? 6 : 0, 11, other_mask) +
         R"(,"monitoring":[]}],"cpusets":[],"effective":[{"service":"proxy","group":"bulkhead.proxy","exclusive_cpus":true,)"
         R"("l3_exclusive":false,"asked":{"cpus":"","l3":"","bandwidth":""},"planned":{"cpus":"0-191","cpu_count":192,"ccds":")" +
         proxy_ccds +
         R"(","l3":"12 of 16 ways","bandwidth":"unlimited"}},{"service":"others","group":"","exclusive_cpus":false,)"
         R"("l3_exclusive":false,"asked":{"cpus":"","l3":"","bandwidth":""},"planned":{"cpus":"192-383","cpu_count":192,"ccds":")" +
         other_ccds + R"(","l3":"4 of 16 ways","bandwidth":"unchanged"}}],"waiting":[],"notes":[]})";
}

Estimate estimate_of(const std::string& metric, unsigned blocks, double change, double half) {
  Estimate estimate{
      .metric = metric, .blocks = blocks, .change = change, .low = change - half, .high = change + half};
  estimate.confidence = 0.9875;
  estimate.e_value = std::exp(change * change / (half * half));
  estimate.p_value = 1 / estimate.e_value;
  estimate.detectable = half * 0.4;
  return estimate;
}

ExperimentResult beginning(const std::string& name) {
  ExperimentResult result;
  result.name = name;
  result.summary = "Does a NUMA node of its own help the proxy?";
  result.file = "examples/" + name + ".json";
  result.fingerprint = "8cd25277-95f9-59e7-9b7f-35d334e859f6";
  result.started = "2026-11-30T08:00:00Z";
  result.host = kHost;
  result.version = "0.1.0";
  result.seed = 9'007'199'254'740'991;
  result.control = "as-it-is";
  result.primary = "throughput";
  result.metrics = {"throughput", "p99", "load"};
  result.higher_is_better = {true, false, true};
  result.guards = {{"p99", 0.05}};
  result.arms.push_back({.name = "as-it-is", .summary = "No policy"});
  return result;
}

void add_arm(ExperimentResult& result, const std::string& name, const std::string& plan) {
  result.arms.push_back({.name = name,
                         .policy = name + ".json",
                         .fingerprint = "1fded997-9258-54b5-a945-966bd7c25445",
                         .summary = "The proxy by " + name,
                         .plan = plan,
                         .on_enter = "./workers 192"});
}

// A block of four windows, with a change of the candidate's throughput and p99.
void add_block(ExperimentResult& result, const std::string& candidate, double throughput, double p99,
               const std::string& dropped = "") {
  static std::mt19937_64 noise(7);
  std::normal_distribution<double> jitter(0, 0.006);
  const auto number = static_cast<unsigned>(result.blocks.size() + 1);
  const std::string order = number % 2 == 1 ? "ABBA" : "BAAB";
  result.blocks.push_back({number, candidate, order, dropped, dropped.empty() ? "" : candidate});
  for (unsigned place = 0; place < order.size(); ++place) {
    const bool is_candidate = order[place] == 'B';
    const double enters = (4.0 * (number - 1) + place) * (kWindow + kWashout);
    const double load = 0.6 + 0.25 * std::sin(enters / 1500);
    WindowRecord window{.block = number, .place = place, .arm = is_candidate ? candidate : result.control};
    window.switched = place == 0 || order[place] != order[place - 1];
    window.enters = enters;
    window.measures = enters + kWashout;
    window.ends = window.measures + kWindow;
    const double rate = 90'000 * load * (is_candidate ? 1 + throughput : 1) * (1 + jitter(noise));
    const double tail = 0.08 * (1 + load * load) * (is_candidate ? 1 + p99 : 1) * (1 + jitter(noise));
    const bool missing = !dropped.empty() && is_candidate;
    window.metrics = {{rate, ""}, {tail, ""}, {load, ""}};
    if (missing) window.metrics[1] = {std::nullopt, dropped};
    window.first_half = rate * 0.999;
    window.second_half = rate * 1.001;
    result.windows.push_back(std::move(window));
  }
}

void end(ExperimentResult& result) {
  result.ended = "2026-11-30T11:10:00Z";
  result.ended_by = "verdict";
  result.washout = {kWashout, 0.0013, false,
                    "long enough: the first half is +0.13 % off the second in 40 blocks"};
}

}  // namespace

ExperimentResult plain_result() {
  ExperimentResult result = beginning("plain");
  add_arm(result, "numa", plan_text("0-5", "6-11", "ffff", "ffff"));
  for (unsigned block = 0; block < 8; ++block) add_block(result, "numa", 0.146, -0.02);
  ArmResult numa{
      .arm = "numa", .verdict = ArmVerdict::adopt, .reason = "throughput +14.6 % in 8 blocks", .blocks = 8};
  numa.estimates = {estimate_of("throughput", 8, 0.146, 0.021), estimate_of("p99", 8, -0.021, 0.03)};
  result.candidates = {numa};
  result.verdict = "adopt numa: throughput +14.6 % in 8 blocks";
  end(result);
  return result;
}

ExperimentResult gen13_result() {
  ExperimentResult result = beginning("every-kind");
  const std::vector<std::pair<std::string, double>> arms{
      {"numa-6-of-12", 0.15}, {"pqos-1", 0.03}, {"pqos-2", -0.06}, {"pqos-3", 0.002}};
  add_arm(result, "numa-6-of-12", plan_text("0-5", "6-11", "ffff", "ffff"));
  add_arm(result, "pqos-1", plan_text("0-11", "0-11", "fff", "f000"));
  add_arm(result, "pqos-2", plan_text("0-11", "0-11", "fff", "fff0"));
  add_arm(result, "pqos-3", plan_text("0-11", "0-11", "ff", "ff00"));
  for (unsigned round = 0; round < 10; ++round) {
    for (const auto& [name, change] : arms) {
      const bool bad = (round == 3 && name == "pqos-1") || (round == 6 && name == "pqos-3");
      add_block(result, name, change, -change / 4,
                bad ? "the page http://127.0.0.1:19101/metrics did not answer within 2 s" : "");
    }
  }
  ArmResult numa{.arm = "numa-6-of-12", .verdict = ArmVerdict::adopt, .blocks = 10};
  numa.reason = "throughput +15.0 % against as-it-is, and p99 is not worse";
  numa.estimates = {estimate_of("throughput", 10, 0.15, 0.018), estimate_of("p99", 10, -0.04, 0.02)};
  numa.bands = {{std::nullopt, 0.5, estimate_of("throughput", 4, 0.08, 0.05)},
                {0.5, 0.8, estimate_of("throughput", 4, 0.16, 0.03)},
                {0.8, std::nullopt, estimate_of("throughput", 0, 0, 0)}};
  numa.bands[0].estimate.low = std::nullopt;
  ArmResult pqos1{.arm = "pqos-1", .verdict = ArmVerdict::inconclusive, .blocks = 9, .dropped_here = 1};
  pqos1.reason = "10 blocks were not enough: a change of 4.1 % would have been seen";
  pqos1.estimates = {estimate_of("throughput", 9, 0.03, 0.045), estimate_of("p99", 9, -0.01, 0.06)};
  pqos1.estimates[1].low = pqos1.estimates[1].high = std::nullopt;
  pqos1.estimates[1].detectable = std::nullopt;
  ArmResult pqos2{.arm = "pqos-2", .verdict = ArmVerdict::failed_safe, .blocks = 10, .dropped_control = 2};
  pqos2.reason = "p99 was 0.26, above its limit of 0.2";
  pqos2.estimates = {estimate_of("throughput", 10, -0.06, 0.02), estimate_of("p99", 10, 0.17, 0.03)};
  ArmResult pqos3{.arm = "pqos-3", .verdict = ArmVerdict::reject, .blocks = 9, .dropped_here = 1};
  pqos3.reason = "less than the +1.0 % that would matter";
  pqos3.estimates = {estimate_of("throughput", 9, 0.002, 0.006), estimate_of("p99", 9, -0.0004, 0.01)};
  pqos3.estimates[0].second_low = -0.001;
  pqos3.estimates[0].second_high = 0.005;
  result.candidates = {numa, pqos1, pqos2, pqos3};
  result.limit_hits = {{2'900, 20, 1, "pqos-2", "p99", 0.26, "p99 was 0.26, above its limit of 0.2"}};
  result.remarks = {{4'200, "the governor of CPU 12 went from performance to powersave"}};
  result.verdict =
      "adopt numa-6-of-12: throughput +15.0 %; pqos-3 is rejected; pqos-2 is failed safe; pqos-1 is "
      "inconclusive";
  end(result);
  return result;
}

ExperimentResult search_result() {
  ExperimentResult result = plain_result();
  result.name = "search";
  for (WindowRecord& window : result.windows) {
    if (window.arm == "numa") window.arm = "best found";
  }
  for (BlockRecord& block : result.blocks) block.candidate = "best found";
  result.arms[1].name = result.candidates[0].arm = "best found";
  result.verdict = "adopt best found: throughput +14.6 % in 8 blocks";
  result.search = SearchResult{.policy = "numa.json",
                               .service = "proxy",
                               .latency = "p99",
                               .latency_limit = 0.1,
                               .combinations = 48,
                               .left_out = 2,
                               .found = "6 CCDs, 12 ways",
                               .found_policy = R"({"bulkhead":1,"name":"numa","services":{}})"};
  const auto measured = [&](const std::string& point, double change, double latency) {
    Evaluation evaluation{.combination = result.search->evaluations.size() * 5,
                          .point = point,
                          .order = "ABBA",
                          .change = change,
                          .latency = latency};
    evaluation.number = static_cast<unsigned>(result.search->evaluations.size() + 1);
    evaluation.designed = evaluation.number <= 6;
    evaluation.windows.assign(result.windows.begin(), result.windows.begin() + 4);
    result.search->evaluations.push_back(std::move(evaluation));
  };
  measured("6 CCDs, 8 ways", 0.11, 0.094);
  measured("12 CCDs, 16 ways", 0.19, 0.131);
  measured("4 CCDs, 16 ways", 0.07, 0.071);
  measured("6 CCDs, 12 ways", 0.152, 0.096);
  measured("8 CCDs, 4 ways", 0.09, 0.118);
  measured("2 CCDs, 4 ways", -0.06, 0.062);
  Evaluation& lost = result.search->evaluations[4];
  lost.change = lost.latency = std::nullopt;
  lost.why_none = "p99 was 0.26, above its limit of 0.2";
  lost.failed = true;
  return result;
}

ExperimentResult hostile_result() {
  constexpr const char* kBreakOut =
      "</script><script>document.title='broken'</script><img src=x onerror=\"document.title='broken'\">";
  ExperimentResult result = plain_result();
  result.name = "<b>\"{{script}}\" & 'hostile'</b>";
  result.summary = kBreakOut;
  result.verdict = std::string("<!--<script>") + kBreakOut;
  result.file = "a\xff\x1b[2J.json";
  result.arms[0].name = result.control = kBreakOut;
  for (WindowRecord& window : result.windows) {
    if (window.arm == "as-it-is") window.arm = kBreakOut;
  }
  result.metrics[0] = result.primary = kBreakOut;
  result.candidates[0].estimates[0].metric = kBreakOut;
  result.candidates[0].reason = kBreakOut;
  result.blocks[0].dropped = kBreakOut;
  result.remarks = {{1, kBreakOut}};
  result.host = R"({"</script>":"<img src=x>"})";
  return result;
}

ExperimentResult open_result() {
  ExperimentResult result = beginning("open");
  add_arm(result, "numa", plan_text("0-5", "6-11", "ffff", "ffff"));
  result.candidates = {{.arm = "numa", .reason = "no block has ended yet"}};
  result.host = "";
  return result;
}

}  // namespace bulkhead
