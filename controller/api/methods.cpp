// SPDX-License-Identifier: Apache-2.0
#include "controller/api/methods.h"

#include <algorithm>
#include <array>

namespace bulkhead {
namespace {

constexpr Parameter kPolicyText{"text", ParameterType::text, true, "the policy, as its file has it"};
constexpr Parameter kDocumentName{
    "name", ParameterType::text, false,
    "what messages and state.status call the document; nothing is read from there"};
constexpr Parameter kIfGeneration{
    "if_generation", ParameterType::generation, false,
    "the generation that the caller counts on: where it is another meanwhile nothing is changed"};
constexpr Parameter kService{"service", ParameterType::text, true,
                             "a service of the policy that selects by pids"};
constexpr Parameter kProcesses{"pids", ParameterType::processes, true,
                               "processes, each with all its threads"};

constexpr std::array kCheckParameters{kPolicyText, kDocumentName};
constexpr std::array kPlanParameters{
    kPolicyText, kDocumentName,
    Parameter{
        "machine", ParameterType::machine, false,
        "a machine by the name under which Bulkhead ships it, or as a machine file has it; else this host"}};
constexpr std::array kApplyParameters{
    kPolicyText, kDocumentName, kIfGeneration,
    Parameter{"dry_run", ParameterType::flag, false, "say what would be done, and do nothing"}};
constexpr std::array kResetParameters{kIfGeneration};
constexpr std::array kStatusParameters{Parameter{
    "fresh", ParameterType::flag, false, "look at the host first, rather than tell what was seen last"}};
constexpr std::array kVerifyParameters{
    Parameter{"behaviour", ParameterType::flag, false,
              "judge by the counters as well, and by where threads ran since the look before"}};
constexpr std::array kAttachParameters{kService, kProcesses, kIfGeneration};
constexpr std::array kStartParameters{
    Parameter{"text", ParameterType::text, true, "the experiment, as its file has it"},
    Parameter{"policies", ParameterType::texts, true,
              "the text of each policy that its arms name, by that name"},
    Parameter{"name", ParameterType::text, false,
              "what messages and the result call the document; nothing is read from there"},
    Parameter{"folder", ParameterType::text, false,
              "in which its commands run and its pages lie, an absolute path"}};
constexpr std::array kSubscribeParameters{
    Parameter{"kinds", ParameterType::event_kinds, false, "those that are wanted; without it all"}};
constexpr std::array kUnsubscribeParameters{
    Parameter{"subscription", ParameterType::subscription, true, "as events.subscribe gave it"}};

constexpr std::array kAppliedEvents{EventKind::policy_applied};
constexpr std::array kResetEvents{EventKind::policy_reset};
constexpr std::array kAttachedEvents{EventKind::service_attached};
constexpr std::array kDetachedEvents{EventKind::service_detached};
constexpr std::array kExperimentEvents{EventKind::experiment_window, EventKind::experiment_block,
                                       EventKind::experiment_ended, EventKind::policy_applied,
                                       EventKind::policy_reset};
constexpr std::array kEndedEvents{EventKind::experiment_ended};

constexpr std::array kMethods{
    Method{"host.describe",
           "What this host is and can do",
           Right::read,
           {},
           "the machine, and what its kernel offers",
           "Host"},
    Method{"policy.check", "Every problem of a policy", Right::read, kCheckParameters,
           "whether it is valid, and what is wrong where", "Check"},
    Method{"policy.plan", "What a policy would be here, or on another machine", Right::read, kPlanParameters,
           "the plan, as bulkhead plan --json prints it", "Plan"},
    Method{"policy.apply", "Puts a policy in force, in one transaction", Right::admin, kApplyParameters,
           "what was done", "Applied", AnsweredBy::handler, kAppliedEvents},
    Method{
        "policy.active", "The policy in force", Right::read, {}, "its text, name and generation", "Active"},
    Method{"policy.reset", "Brings back what stood before the first apply", Right::admin, kResetParameters,
           "what was done", "Outcome", AnsweredBy::handler, kResetEvents},
    Method{"state.verify", "Whether the host is as planned, looked at now", Right::read, kVerifyParameters,
           "whether it holds, and each finding", "Verification"},
    Method{"state.status", "What is in force, and how it fares", Right::read, kStatusParameters,
           "policy, generation, services, drift", "Status"},
    Method{"counters.read",
           "What the counters say, read now",
           Right::read,
           {},
           "occupancy and bandwidth of each group on each CCD, as bulkhead watch --json prints them",
           "Counters"},
    Method{"service.attach", "Gives processes to a service", Right::admin, kAttachParameters, "what was done",
           "Outcome", AnsweredBy::handler, kAttachedEvents},
    Method{"service.detach", "Takes processes from a service that they were given to", Right::admin,
           kAttachParameters, "what was done", "Outcome", AnsweredBy::handler, kDetachedEvents},
    Method{"experiment.start", "Starts an experiment, once all its policies are planned", Right::admin,
           kStartParameters, "as experiment.status", "Experiment", AnsweredBy::handler, kExperimentEvents},
    Method{"experiment.status",
           "The experiment that runs, and where it stands",
           Right::read,
           {},
           "its name, null where none runs, and its progress",
           "Experiment"},
    Method{"experiment.stop",
           "Ends the experiment that runs; the answer comes when the state from before has returned",
           Right::admin,
           {},
           "its name, and what ended it",
           "ExperimentEnd",
           AnsweredBy::handler,
           kEndedEvents},
    Method{"experiment.result",
           "What the latest experiment has brought so far",
           Right::read,
           {},
           "its result, with all windows, as bulkhead experiment run --json prints it",
           "ExperimentResult"},
    Method{"events.subscribe", "Tells this connection of events, as they come", Right::read,
           kSubscribeParameters, "the number that its events carry", "Subscription", AnsweredBy::server},
    Method{"events.unsubscribe", "Ends a subscription of this connection", Right::read,
           kUnsubscribeParameters, "nothing more", "Nothing", AnsweredBy::server},
    Method{"rpc.discover",
           "The API, described for programs",
           Right::read,
           {},
           "an OpenRPC document",
           "Document",
           AnsweredBy::server},
};

}  // namespace

std::span<const Method> methods() {
  return kMethods;
}

const Method* find_method(std::string_view name) {
  const auto* found = std::find_if(kMethods.begin(), kMethods.end(),
                                   [&](const Method& method) { return method.name == name; });
  return found == kMethods.end() ? nullptr : found;
}

}  // namespace bulkhead
