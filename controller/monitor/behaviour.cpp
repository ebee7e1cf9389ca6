// SPDX-License-Identifier: Apache-2.0
#include "controller/monitor/behaviour.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "controller/base/text.h"

namespace bulkhead {
namespace {

constexpr std::array<std::string_view, kVerdicts.size()> kVerdictWords{"holds", "not settled", "violated",
                                                                       "no data"};
constexpr std::size_t kThreadsNamed = 3;

std::string title(const std::string& group) {
  return group.empty() ? "the default group" : "group " + group;
}

// To a tenth: counters are not exact to the byte.
std::string tenths(double value, std::string_view unit) {
  std::string text = std::to_string(std::llround(value * 10));
  if (text.size() == 1) text.insert(0, "0");
  text.insert(text.size() - 1, ".");
  return text + ' ' + std::string(unit);
}

std::string mebibytes(double bytes) {
  return tenths(bytes / (1 << 20), "MiB");
}

std::string gigabytes_a_second(double rate) {
  return tenths(rate / 1e9, "GB/s");
}

double with_slack(std::uint64_t bound, Percent slack) {
  return static_cast<double>(bound) * (1.0 + static_cast<double>(slack.hundredths) / kWhole.hundredths);
}

Judgement begin(std::string_view kind, const Bound& bound, std::string expected) {
  return {.kind = std::string(kind),
          .services = bound.services,
          .group = bound.group,
          .ccd = bound.ccd,
          .expected = std::move(expected)};
}

std::string where(const Bound& bound) {
  return title(bound.group) + " on CCD " + to_string(bound.ccd);
}

Judgement no_data(Judgement judgement, const Bound& bound, NoData why) {
  judgement.verdict = Verdict::no_data;
  judgement.observed = std::string(to_string(why));
  judgement.message =
      judgement.kind + " of " + where(bound) + " is not known: " + judgement.observed + " in the counter";
  return judgement;
}

Judgement judge_occupancy(const Bound& bound, const Measured& occupancy, const VerifySettings& settings,
                          std::chrono::milliseconds since_change) {
  const double capacity = static_cast<double>(*bound.occupancy);
  Judgement judgement = begin("occupancy", bound, "at most " + mebibytes(capacity));
  if (!occupancy.good()) return no_data(std::move(judgement), bound, occupancy.no_data);
  judgement.observed = mebibytes(occupancy.value);
  judgement.message =
      where(bound) + " fills " + judgement.observed + ", its ways have " + mebibytes(capacity);
  if (occupancy.value <= with_slack(*bound.occupancy, settings.occupancy_slack)) {
    judgement.verdict = Verdict::holds;
  } else if (since_change < settings.settle) {
    judgement.verdict = Verdict::not_settled;
    judgement.message += "; the last change was " + std::to_string(since_change.count() / 1000) + " s ago";
  } else {
    judgement.verdict = Verdict::violated;
  }
  return judgement;
}

Judgement judge_bandwidth(const Bound& bound, const Measured& rate, const VerifySettings& settings) {
  const double limit = static_cast<double>(*bound.bandwidth);
  Judgement judgement = begin("bandwidth", bound, "at most " + gigabytes_a_second(limit));
  if (!rate.good()) return no_data(std::move(judgement), bound, rate.no_data);
  judgement.observed = gigabytes_a_second(rate.value);
  judgement.message =
      where(bound) + " moves " + judgement.observed + ", its limit is " + gigabytes_a_second(limit);
  const bool within = rate.value <= with_slack(*bound.bandwidth, settings.max_bandwidth_overshoot);
  judgement.verdict = within ? Verdict::holds : Verdict::violated;
  return judgement;
}

// "12 (nginx) on CPU 3, 13 (nginx) on CPU 4 and 2 more"
std::string named(const std::vector<const RanThread*>& threads) {
  std::vector<std::string> names;
  for (std::size_t at = 0; at < std::min(threads.size(), kThreadsNamed); ++at) {
    names.push_back(std::to_string(threads[at]->id) + " (" + threads[at]->name + ") on CPU " +
                    std::to_string(threads[at]->cpu));
  }
  std::string text = join(names, ", ");
  if (threads.size() > kThreadsNamed)
    text += " and " + std::to_string(threads.size() - kThreadsNamed) + " more";
  return text;
}

template <class Belongs>
std::vector<const RanThread*> threads_where(const std::vector<RanThread>& ran, Belongs&& belongs) {
  std::vector<const RanThread*> chosen;
  for (const RanThread& thread : ran) {
    if (belongs(thread)) chosen.push_back(&thread);
  }
  return chosen;
}

// Nothing where no thread of the service ran: nobody knows where it would.
std::optional<Judgement> judge_cpus(const ServiceEffect& service, const std::vector<RanThread>& ran) {
  const auto own =
      threads_where(ran, [&](const RanThread& thread) { return thread.service == service.service; });
  const auto astray = threads_where(ran, [&](const RanThread& thread) {
    return thread.service == service.service && !service.cpus.contains(thread.cpu);
  });
  if (own.empty()) return std::nullopt;
  Judgement judgement{.kind = "cpus",
                      .services = {service.service},
                      .group = service.group,
                      .expected = "CPUs " + service.cpus.to_list()};
  if (astray.empty()) {
    judgement.verdict = Verdict::holds;
    judgement.observed = counted(own.size(), "thread") + " ran there";
    judgement.message = service.service + " ran on its CPUs alone (" + counted(own.size(), "thread") + ")";
  } else {
    judgement.verdict = Verdict::violated;
    judgement.observed = named(astray);
    judgement.message = service.service + " should run on CPUs " + service.cpus.to_list() + "; thread " +
                        judgement.observed + " did not";
  }
  return judgement;
}

Judgement judge_intruders(const ServiceEffect& owner, const std::vector<RanThread>& ran) {
  const auto intruders = threads_where(ran, [&](const RanThread& thread) {
    return thread.service != owner.service && owner.cpus.contains(thread.cpu);
  });
  Judgement judgement{.kind = "intruder",
                      .services = {owner.service},
                      .group = owner.group,
                      .expected = "nobody else on CPUs " + owner.cpus.to_list()};
  judgement.verdict = intruders.empty() ? Verdict::holds : Verdict::violated;
  judgement.observed = intruders.empty() ? "nobody else" : named(intruders);
  judgement.message = intruders.empty() ? "nobody else ran on the CPUs of " + owner.service
                                        : "the CPUs of " + owner.service + " are its own; thread " +
                                              judgement.observed + " ran there";
  return judgement;
}

}  // namespace

std::string_view to_string(Verdict verdict) {
  return kVerdictWords[static_cast<std::size_t>(verdict)];
}

bool same_subject(const Judgement& one, const Judgement& other) {
  return one.kind == other.kind && one.services == other.services && one.group == other.group &&
         one.ccd == other.ccd;
}

std::vector<Judgement> judge_counters(const std::vector<Bound>& bounds, const Snapshot& now,
                                      const VerifySettings& settings,
                                      std::chrono::milliseconds since_change) {
  const auto counts = [&](CounterEvent event) {
    return std::find(now.events.begin(), now.events.end(), event) != now.events.end();
  };
  std::vector<Judgement> judgements;
  for (const Bound& bound : bounds) {
    const GroupCounters* group = now.find(bound.group);
    const CcdCounters* counters = group == nullptr ? nullptr : group->find(bound.ccd);
    const CcdCounters values = counters == nullptr ? CcdCounters{} : *counters;
    if (bound.occupancy && counts(CounterEvent::llc_occupancy)) {
      judgements.push_back(judge_occupancy(bound, values.occupancy, settings, since_change));
    }
    if (bound.bandwidth && counts(CounterEvent::mbm_total_bytes)) {
      judgements.push_back(judge_bandwidth(bound, values.total, settings));
    }
  }
  return judgements;
}

std::vector<Judgement> judge_threads(const Plan& plan, const std::vector<RanThread>& ran) {
  std::vector<Judgement> judgements;
  for (const ServiceEffect& service : plan.services) {
    if (auto judgement = judge_cpus(service, ran)) judgements.push_back(std::move(*judgement));
    if (service.exclusive_cpus) judgements.push_back(judge_intruders(service, ran));
  }
  return judgements;
}

nlohmann::ordered_json judgements_json(const std::vector<Judgement>& judgements) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const Judgement& one : judgements) {
    list.push_back({{"kind", one.kind},
                    {"verdict", to_string(one.verdict)},
                    {"services", one.services},
                    {"group", one.group},
                    {"ccd", one.ccd ? Json(one.ccd->value) : Json(nullptr)},
                    {"expected", one.expected},
                    {"observed", one.observed},
                    {"message", one.message}});
  }
  return list;
}

std::vector<Judgement> judgements_of(const nlohmann::ordered_json& list) {
  std::vector<Judgement> judgements;
  for (const auto& entry : list) {
    Judgement one{.kind = entry.at("kind"),
                  .services = entry.at("services"),
                  .group = entry.at("group"),
                  .expected = entry.at("expected"),
                  .observed = entry.at("observed"),
                  .message = entry.at("message")};
    one.verdict = *std::find_if(kVerdicts.begin(), kVerdicts.end() - 1, [&](Verdict verdict) {
      return to_string(verdict) == entry.at("verdict").get_ref<const std::string&>();
    });
    if (!entry.at("ccd").is_null()) one.ccd = CacheId{entry.at("ccd")};
    judgements.push_back(std::move(one));
  }
  return judgements;
}

}  // namespace bulkhead
