// SPDX-License-Identifier: Apache-2.0
// The members of a result by their names in JSON, once for both directions. An archive takes a name with the
// value of that name: the writer reads the value, the reader sets it. `list` is a vector of structures,
// `document` a text that is JSON itself, `present` a text that may be left out where it is empty, `told` one
// that is null instead, and `maybe` a structure that may be left out.
#pragma once

#include "controller/experiment/result.h"

namespace bulkhead {

inline constexpr unsigned kResultVersion = 1;

// A metric with its direction, and a guard: in JSON these stand together.
struct ResultMetric {
  std::string name;
  std::string better;  // "higher" or "lower"
};
struct ResultGuard {
  std::string metric;
  double margin = 0;
};

template <class Archive>
void fields(Archive& archive, ResultMetric& metric) {
  archive("name", metric.name);
  archive("better", metric.better);
}

template <class Archive>
void fields(Archive& archive, ResultGuard& guard) {
  archive("metric", guard.metric);
  archive("margin", guard.margin);
}

template <class Archive>
void fields(Archive& archive, MetricReading& reading) {
  archive("value", reading.value);
  archive.present("why_none", reading.why_none);
}

template <class Archive>
void fields(Archive& archive, WindowRecord& window) {
  archive("block", window.block);
  archive("place", window.place);
  archive("arm", window.arm);
  archive("switched", window.switched);
  archive("enters", window.enters);
  archive("measures", window.measures);
  archive("ends", window.ends);
  archive.list("metrics", window.metrics);
  archive("first_half", window.first_half);
  archive("second_half", window.second_half);
}

template <class Archive>
void fields(Archive& archive, BlockRecord& block) {
  archive("number", block.number);
  archive("candidate", block.candidate);
  archive("order", block.order);
  archive.present("dropped", block.dropped);
  archive.present("dropped_arm", block.dropped_arm);
}

template <class Archive>
void fields(Archive& archive, Estimate& estimate) {
  archive("metric", estimate.metric);
  archive("blocks", estimate.blocks);
  archive("change", estimate.change);
  archive("low", estimate.low);
  archive("high", estimate.high);
  archive("confidence", estimate.confidence);
  archive("second_low", estimate.second_low);
  archive("second_high", estimate.second_high);
  archive("e_value", estimate.e_value);
  archive("p_value", estimate.p_value);
  archive("detectable", estimate.detectable);
  archive.present("why_none", estimate.why_none);
}

template <class Archive>
void fields(Archive& archive, BandEstimate& band) {
  archive("from", band.from);
  archive("to", band.to);
  archive.object("estimate", band.estimate);
}

template <class Archive>
void fields(Archive& archive, ArmResult& arm) {
  archive("arm", arm.arm);
  archive("verdict", arm.verdict);
  archive("reason", arm.reason);
  archive.list("estimates", arm.estimates);
  archive.list("bands", arm.bands);
  archive("blocks", arm.blocks);
  archive("dropped_here", arm.dropped_here);
  archive("dropped_control", arm.dropped_control);
}

template <class Archive>
void fields(Archive& archive, WashoutReport& washout) {
  archive("seconds", washout.seconds);
  archive("drift", washout.drift);
  archive("too_short", washout.too_short);
  archive("text", washout.text);
}

template <class Archive>
void fields(Archive& archive, ArmDescription& arm) {
  archive("name", arm.name);
  archive("policy", arm.policy);
  archive("fingerprint", arm.fingerprint);
  archive("summary", arm.summary);
  archive.document("plan", arm.plan);
  archive("on_enter", arm.on_enter);
  archive("on_leave", arm.on_leave);
}

template <class Archive>
void fields(Archive& archive, LimitHit& hit) {
  archive("at", hit.at);
  archive("block", hit.block);
  archive("place", hit.place);
  archive("arm", hit.arm);
  archive("metric", hit.metric);
  archive("value", hit.value);
  archive("text", hit.text);
}

template <class Archive>
void fields(Archive& archive, Remark& remark) {
  archive("at", remark.at);
  archive("text", remark.text);
}

template <class Archive>
void fields(Archive& archive, Evaluation& evaluation) {
  archive("number", evaluation.number);
  archive("combination", evaluation.combination);
  archive("point", evaluation.point);
  archive("designed", evaluation.designed);
  archive("order", evaluation.order);
  archive("change", evaluation.change);
  archive("latency", evaluation.latency);
  archive.present("why_none", evaluation.why_none);
  archive("failed", evaluation.failed);
  archive.list("windows", evaluation.windows);
}

template <class Archive>
void fields(Archive& archive, SearchResult& search) {
  archive("policy", search.policy);
  archive("service", search.service);
  archive("latency", search.latency);
  archive("latency_limit", search.latency_limit);
  archive("combinations", search.combinations);
  archive("left_out", search.left_out);
  archive.list("evaluations", search.evaluations);
  archive.present("found", search.found);
  archive.document("found_policy", search.found_policy);
}

// Everything but metrics, their directions and guards, which stand in lists of their own.
template <class Archive>
void fields(Archive& archive, ExperimentResult& result, std::vector<ResultMetric>& metrics,
            std::vector<ResultGuard>& guards) {
  archive("name", result.name);
  archive("summary", result.summary);
  archive.told("verdict", result.verdict);
  archive("file", result.file);
  archive("fingerprint", result.fingerprint);
  archive("started", result.started);
  archive("ended", result.ended);
  archive("ended_by", result.ended_by);
  archive.present("failure", result.failure);
  archive("version", result.version);
  archive("seed", result.seed);
  archive("confidence", result.confidence);
  archive("smallest_effect", result.smallest_effect);
  archive("control", result.control);
  archive("primary", result.primary);
  archive.list("metrics", metrics);
  archive.list("guards", guards);
  archive.list("arms", result.arms);
  archive.list("candidates", result.candidates);
  archive.object("washout", result.washout);
  archive.list("limit_hits", result.limit_hits);
  archive.list("remarks", result.remarks);
  archive.maybe("search", result.search);
  archive.list("blocks", result.blocks);
  archive.list("windows", result.windows);
  archive.document("host", result.host);
}

}  // namespace bulkhead
