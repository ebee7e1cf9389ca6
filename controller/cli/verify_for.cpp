// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/cli/json_text.h"
#include "controller/cli/running_daemon.h"
#include "controller/cli/transaction_run.h"
#include "controller/cli/verification_text.h"
#include "controller/engine/behaviour_check.h"
#include "controller/engine/documents.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kBetweenLooks{1};

struct Look {
  Json verification;  // as state.verify
  std::vector<Judgement> judgements;
  bool counts = false;  // the host counts something
  std::string lack;     // what it does not, and why, where that is known
};
using Looker = std::function<Look()>;

// The host as it was opened.
struct LookedAt {
  explicit LookedAt(const LiveHostOptions& options)
      : host(options),
        check(host, {.occupancy = kBetweenLooks, .total = kBetweenLooks, .local = {}, .rescan = kBetweenLooks}) {}

  LiveHost host;
  BehaviourCheck check;
};

Looker looker_here(Call& call) {
  const LiveHostOptions options = live_host_options(call.options);
  const auto on = std::make_shared<std::unique_ptr<LookedAt>>(std::make_unique<LookedAt>(options));
  finish_interrupted((*on)->host, call.console, true);
  return [on, options] {
    if ((*on)->host.has_changed()) {
      on->reset();  // what it holds of the hardware is given back first
      *on = std::make_unique<LookedAt>(options);
    }
    const Verification now = (*on)->host.engine().verify();
    Look look{.verification = verification_json(now)};
    BehaviourCheck& check = (*on)->check;
    if (!now.plan.policy.empty()) look.judgements = check.look(now);
    look.counts = check.counts();
    look.lack = check.lack();
    return look;
  };
}

Looker looker_of(Client& daemon) {
  return [&daemon] {
    Json answer = daemon.call("state.verify", {{"behaviour", true}});
    Look look{.judgements = judgements_of(answer.at("judgements")), .counts = answer.at("counts")};
    if (answer.at("uncounted").is_string()) look.lack = answer.at("uncounted");
    for (const char* member : {"judgements", "counts", "uncounted"}) answer.erase(member);
    look.verification = std::move(answer);
    return look;
  };
}

// All that was found in any of the looks, each once; what is violated is told at once.
class LongLook {
 public:
  LongLook(Looker looker, const Console& console) : looker_(std::move(looker)), console_(console) {}

  void look() {
    Look now = looker_();
    counts_ = now.counts;
    lack_ = now.lack;
    Json known = std::move(findings_);
    findings_ = now.verification.at("findings");
    for (const Json& finding : findings_) {
      if (!contains(known, finding)) tell(finding.at("message"));
    }
    for (Json& finding : known) {
      if (!contains(findings_, finding)) findings_.push_back(std::move(finding));
    }
    const std::size_t violated = record_.count(Verdict::violated);
    record_.take(now.judgements);
    if (record_.count(Verdict::violated) > violated) tell_violations();
    last_ = std::move(now.verification);
  }

  // As state.verify, with the findings of all looks.
  Json found() const {
    Json all = last_;
    all["findings"] = findings_;
    all["holds"] = findings_.empty() && behaves();
    return all;
  }
  // A host that counts nothing, and on which no thread of a service ran, is judged by its structure alone.
  bool behaves() const {
    const Verdict verdict = record_.verdict();
    return verdict == Verdict::holds || (verdict == Verdict::no_data && !counts_);
  }
  const BehaviourRecord& record() const { return record_; }
  bool counts() const { return counts_; }
  const std::string& lack() const { return lack_; }

 private:
  static bool contains(const Json& findings, const Json& finding) {
    return std::any_of(findings.begin(), findings.end(),
                       [&](const Json& other) { return other.at("message") == finding.at("message"); });
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

  Looker looker_;
  const Console& console_;
  const Clock::time_point begun_ = Clock::now();
  BehaviourRecord record_;
  Json findings_ = Json::array();
  Json last_;
  bool counts_ = false;
  std::string lack_;
  std::vector<std::string> told_;
};

Json behaviour_json(const LongLook& looked, std::chrono::milliseconds duration) {
  const BehaviourRecord& record = looked.record();
  Json counts = Json::object();
  for (const Verdict verdict : kVerdicts) counts[std::string(to_string(verdict))] = record.count(verdict);
  return {{"seconds", std::chrono::duration<double>(duration).count()},
          {"verdict", to_string(record.verdict())},
          {"counts", std::move(counts)},
          {"uncounted", looked.lack().empty() ? Json() : Json(looked.lack())},
          {"judgements", judgements_json(record.judgements())}};
}

std::string span_text(std::chrono::milliseconds span) {
  const auto count = span.count();
  return count % 1000 == 0 ? std::to_string(count / 1000) + " s" : std::to_string(count) + " ms";
}

std::string behaviour_text(const LongLook& looked, std::chrono::milliseconds duration, const Style& style) {
  const BehaviourRecord& record = looked.record();
  std::vector<std::string> counts;
  for (const Verdict verdict : kVerdicts) {
    const std::size_t count = record.count(verdict);
    if (count > 0) counts.push_back(std::to_string(count) + ' ' + std::string(to_string(verdict)));
  }
  std::string text = "behaviour over " + span_text(duration) + ": " +
                     std::string(to_string(record.verdict())) +
                     (counts.empty() ? "" : " (" + join(counts, ", ") + ')') + '\n';
  const std::string& lack = looked.lack();
  if (!looked.counts()) {
    text += wrapped(lack + ": only CPUs were looked at" +
                        (counts.empty() ? ", and no thread of a service ran" : ""),
                    style.width, "") +
            '\n';
  } else if (!lack.empty()) {
    text += wrapped(lack, style.width, "") + '\n';
  }
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
  std::optional<Client> daemon = running_daemon(call.options);
  LongLook looked(daemon ? looker_of(*daemon) : looker_here(call), call.console);
  const Clock::time_point begun = Clock::now(), end = begun + call.options.duration;
  bool first = true;  // rates, and CPUs, take two looks
  for (Clock::time_point next = begun;; next = std::max(next + kBetweenLooks, Clock::now())) {
    std::this_thread::sleep_until(std::min(next, end));
    looked.look();
    if (!std::exchange(first, false) && Clock::now() >= end) break;
  }
  Json result = looked.found();
  if (call.options.json) {
    result["behaviour"] = behaviour_json(looked, call.options.duration);
    call.console.out += json_text(result);
  } else {
    call.console.out +=
        verification_text(result, call.style()) + behaviour_text(looked, call.options.duration, call.style());
  }
  return result.at("holds").get<bool>() ? 0 : exit_status(ErrorCode::drift);
}

}  // namespace bulkhead
