// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/cli/json_text.h"
#include "controller/cli/transaction_run.h"
#include "controller/cli/verification_text.h"
#include "controller/engine/behaviour_check.h"
#include "controller/engine/documents.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kBetweenLooks{1};

// All that was found in any of the looks, each once; what is violated is told at once.
class LongLook {
 public:
  LongLook(LiveHost& host, const Console& console)
      : host_(host),
        console_(console),
        check_(host.files(), host.mount_point(), host.machine(),
               {.occupancy = kBetweenLooks, .total = kBetweenLooks, .local = {}, .rescan = kBetweenLooks}) {}

  void look() {
    Verification now = host_.engine().verify();
    const std::vector<Finding> known = std::move(found_.findings);
    for (const Finding& finding : now.findings) {
      if (!contains(known, finding.message)) tell(finding.message);
    }
    const std::size_t violated = record_.count(Verdict::violated);
    if (!now.plan.policy.empty()) record_.take(check_.look(now));
    if (record_.count(Verdict::violated) > violated) tell_violations();
    found_ = std::move(now);
    for (const Finding& finding : known) {
      if (!contains(found_.findings, finding.message)) found_.findings.push_back(finding);
    }
  }

  const Verification& found() const { return found_; }
  const BehaviourRecord& record() const { return record_; }
  bool counts() const { return check_.counts(); }

 private:
  static bool contains(const std::vector<Finding>& findings, const std::string& message) {
    return std::any_of(findings.begin(), findings.end(),
                       [&](const Finding& finding) { return finding.message == message; });
  }

  void tell(const std::string& message) {
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begun_);
    console_.notice("after " + std::to_string(seconds.count()) + " s: " + message);
  }

  void tell_violations() {
    for (const Judgement& judgement : record_.judgements()) {
      if (judgement.verdict != Verdict::violated || contains_text(told_, judgement.message)) continue;
      tell(judgement.message);
      told_.push_back(judgement.message);
    }
  }

  static bool contains_text(const std::vector<std::string>& texts, const std::string& text) {
    return std::find(texts.begin(), texts.end(), text) != texts.end();
  }

  LiveHost& host_;
  const Console& console_;
  const Clock::time_point begun_ = Clock::now();
  BehaviourCheck check_;
  BehaviourRecord record_;
  Verification found_;
  std::vector<std::string> told_;
};

bool good(const LongLook& looked) {
  return looked.found().findings.empty() && looked.record().verdict() == Verdict::holds;
}

Json behaviour_json(const LongLook& looked, std::chrono::milliseconds duration) {
  const BehaviourRecord& record = looked.record();
  Json counts = Json::object();
  for (const Verdict verdict : kVerdicts) counts[std::string(to_string(verdict))] = record.count(verdict);
  return {{"seconds", std::chrono::duration<double>(duration).count()},
          {"verdict", to_string(record.verdict())},
          {"counts", std::move(counts)},
          {"judgements", judgements_json(record.judgements())}};
}

std::string behaviour_text(const LongLook& looked, std::chrono::milliseconds duration, const Style& style) {
  const BehaviourRecord& record = looked.record();
  std::vector<std::string> counts;
  for (const Verdict verdict : kVerdicts) {
    const std::size_t count = record.count(verdict);
    if (count > 0) counts.push_back(std::to_string(count) + ' ' + std::string(to_string(verdict)));
  }
  std::string text = "behaviour over " + std::to_string(duration.count() / 1000) +
                     " s: " + std::string(to_string(record.verdict())) + " (" + join(counts, ", ") + ")\n";
  if (!looked.counts())
    text += "this host counts neither occupancy nor bandwidth: only CPUs were looked at\n";
  for (const Judgement& judgement : record.judgements()) {
    if (judgement.verdict == Verdict::holds) continue;
    text += "  - " +
            wrapped(std::string(to_string(judgement.verdict)) + ": " + judgement.message, style.width - 4,
                    "    ") +
            '\n';
  }
  return text;
}

}  // namespace

int run_verify_for(Call& call) {
  LiveHost host(live_host_options(call.options));
  finish_interrupted(host, call.console, true);
  LongLook looked(host, call.console);
  const Clock::time_point begun = Clock::now(), end = begun + call.options.duration;
  for (Clock::time_point next = begun;; next += kBetweenLooks) {
    std::this_thread::sleep_until(std::min(next, end));
    looked.look();
    if (next >= end) break;
  }
  if (call.options.json) {
    Json result = verification_json(looked.found());
    result["holds"] = good(looked);
    result["behaviour"] = behaviour_json(looked, call.options.duration);
    call.console.out += json_text(result);
  } else {
    call.console.out += verification_text(verification_json(looked.found()), call.style()) +
                        behaviour_text(looked, call.options.duration, call.style());
  }
  return good(looked) ? 0 : exit_status(ErrorCode::drift);
}

}  // namespace bulkhead
