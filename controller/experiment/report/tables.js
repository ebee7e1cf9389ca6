// SPDX-License-Identifier: Apache-2.0
// What is said in words and tables.

const kVerdictWords = {
  adopt: "\u2713 Adopt", reject: "\u2715 Reject", inconclusive: "? Inconclusive", failed_safe: "! Failed safe",
  invalid: "! Invalid", open: "\u2026 Open",
};

function tellVerdicts(result, arms) {
  byId("name").textContent = result.name;
  byId("summary").textContent = result.summary;
  byId("state").textContent = result.ended ? "" : "that is still running";
  byId("verdict").textContent = result.verdict || "No verdict yet.";
  result.candidates.forEach((candidate, at) => {
    byId("candidates").append(element("div", "candidate", [
      element("div", "arm", [swatch(arms.color(candidate.arm)), element("span", "", candidate.arm, `/candidates/${at}/arm`)]),
      element("div", "word " + candidate.verdict, kVerdictWords[candidate.verdict] || candidate.verdict,
        `/candidates/${at}/verdict`),
      element("div", "reason", candidate.reason, `/candidates/${at}/reason`),
    ]));
  });
}

function tellEstimates(result) {
  const rows = result.candidates.flatMap((candidate, at) => candidate.estimates.map((estimate, index) => {
    const of = (name) => `/candidates/${at}/estimates/${index}/${name}`;
    const change = (name) => element("span", "", endText(estimate[name], "\u2013"), of(name) + "#");
    const number = (name) => element("span", "", numberText(estimate[name]), of(name) + "#");
    return [candidate.arm, estimate.metric, String(estimate.blocks), change("change"), change("low"), change("high"),
      "confidence" in estimate ? shareText(estimate.confidence) : "\u2013", change("second_low"), change("second_high"),
      number("e_value"), number("p_value"), change("detectable")];
  }));
  byId("estimates").append(table(["arm", "metric", "#blocks", "#change", "#low", "#high", "#at", "#second low",
    "#second high", "#e-value", "#p-value", "#detectable"], rows));
  byId("effects-lead").textContent = `Relative to ${result.control}. The intervals hold at ${shareText(result.confidence)} ` +
    "for all candidates together, however often one looks. " +
    `A change of ${result.primary} below ${shareText(result.smallest_effect)} is of no interest.`;
}

function tellDropped(result) {
  const dropped = result.blocks.map((block, at) => ({ block, at })).filter(({ block }) => block.dropped);
  const place = byId("dropped");
  if (!dropped.length) {
    place.append(element("p", "", result.blocks.length ? `Every one of ${result.blocks.length} blocks counts.` : "No block has ended yet."));
    return;
  }
  place.append(element("p", "", `${dropped.length} of ${result.blocks.length} blocks do not count.`));
  const rows = dropped.map(({ block, at }) => [String(block.number), block.candidate, block.dropped_arm || "\u2013",
    element("span", "", block.dropped, `/blocks/${at}/dropped`)]);
  place.append(element("div", "wide", table(["#block", "candidate", "bad window of", "why"], rows)));
  const lost = result.candidates.map((one) => [one.arm, String(one.blocks), String(one.dropped_here), String(one.dropped_control)]);
  place.append(element("details", "", [element("summary", "", "By arm"),
    table(["candidate", "#blocks that count", "#lost by it", "#lost by the control"], lost)]));
}

function tellRemarks(result) {
  byId("washout").textContent = result.washout.text
    ? `Washout of ${durationText(result.washout.seconds)}: ${result.washout.text}.` : "";
  const events = [...(result.limit_hits || []).map((hit) => ({ at: hit.at, text: `${hit.arm}: ${hit.text}` })), ...result.remarks];
  if (!events.length) return;
  const rows = events.sort((a, b) => a.at - b.at).map((event) => [durationText(event.at), event.text]);
  byId("remarks").append(element("h3", "", "Remarks"), table(["#after", "what happened"], rows));
}

function addTerms(place, terms) {
  for (const [name, value, mono] of terms) {
    if (value === "" || value === null || value === undefined) continue;
    const text = typeof value === "object" ? JSON.stringify(value) : String(value);
    place.append(element("dt", "", name), element("dd", mono ? "mono" : "", text));
  }
}

function tellArms(result, arms) {
  const rows = result.arms.map((arm) => [
    element("span", "", [swatch(arms.color(arm.name)), arm.name + (arm.name === result.control ? " (control)" : "")]),
    arm.policy || "none", arm.summary || "\u2013", [arm.on_enter, arm.on_leave].filter(Boolean).join(" \u2026 ") || "\u2013",
    element("code", "", arm.fingerprint || "\u2013"),
  ]);
  byId("arms").append(table(["arm", "policy", "in words", "commands", "fingerprint"], rows));
  addTerms(byId("host"), Object.entries(result.host || {}));
}

function tellRun(result) {
  byId("command").textContent = `bulkhead experiment ${result.search ? "search" : "run"} ${result.file || "FILE"}`;
  byId("seed").append(`The same order of windows comes from "seed": ${result.seed} in the file.`);
  addTerms(byId("run"), [["Bulkhead", result.version], ["started", result.started], ["ended", result.ended],
    ["ended by", result.ended_by], ["seed", result.seed], ["fingerprint of the file", result.fingerprint, true]]);
}
