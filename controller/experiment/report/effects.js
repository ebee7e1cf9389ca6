// SPDX-License-Identifier: Apache-2.0
// Changes with their intervals: a row for each, all rows of a metric on one scale.

const kStripHeight = 28;
const kAxisHeight = 24;

// What a metric is to the experiment, in words.
function roleText(result, metric) {
  const known = result.metrics.find((one) => one.name === metric);
  const better = known ? `${known.better} is better` : "";
  const guard = result.guards.find((one) => one.metric === metric);
  if (metric === result.primary) return `decides; ${better}`;
  if (guard) return `guard: up to ${shareText(guard.margin)} worse is allowed; ${better}`;
  return "only watched";
}

function isHigherBetter(result, metric) {
  const known = result.metrics.find((one) => one.name === metric);
  return !known || known.better === "higher";
}

// The change at which a guard is broken.
function marginOf(result, metric) {
  const guard = result.guards.find((one) => one.metric === metric);
  if (!guard) return null;
  return isHigherBetter(result, metric) ? 1 / (1 + guard.margin) - 1 : guard.margin;
}

// All points and ends are in it, with zero; wild ends are cut off, so that they hide nothing else.
function scaleOf(rows, margin, width) {
  const points = rows.map((row) => row.estimate.change);
  const ends = rows.flatMap((row) => [row.estimate.low, row.estimate.high]).filter((end) => end !== null);
  const reach = 4 * Math.max(0.01, ...points.map(Math.abs), Math.abs(margin || 0));
  const all = [0, ...points, ...ends.filter((end) => Math.abs(end) <= reach), ...(margin === null ? [] : [margin])];
  const low = Math.min(...all), high = Math.max(...all);
  const room = (high - low || 0.02) * 0.06;
  return d3.scaleLinear().domain([low - room, high + room]).range([0, width]).clamp(true);
}

function drawStrip(place, row, scale, margin, arms) {
  const [first, last] = scale.range();
  const svg = d3.select(place).append("svg").attr("viewBox", `0 0 ${last} ${kStripHeight}`).attr("aria-hidden", "true");
  const line = (x, className) => svg.append("line").attr("class", className).attr("x1", x).attr("x2", x)
    .attr("y1", 0).attr("y2", kStripHeight);
  line(scale(0), "zero");
  if (margin !== null) line(scale(margin), "margin");
  const { change, low, high } = row.estimate;
  const color = arms.color(row.arm), middle = kStripHeight / 2;
  const ends = [low === null ? first : scale(low), high === null ? last : scale(high)];
  const [domainLow, domainHigh] = scale.domain();
  svg.append("line").attr("x1", ends[0]).attr("x2", ends[1]).attr("y1", middle).attr("y2", middle)
    .attr("stroke", color).attr("stroke-width", 3).attr("stroke-opacity", 0.55)
    .attr("stroke-linecap", "butt");
  const arrow = (x, direction) => svg.append("path").attr("fill", color)
    .attr("d", `M${x},${middle - 5}l${direction * 7},5l${-direction * 7},5z`);
  if (low === null || low < domainLow) arrow(first, -1);
  if (high === null || high > domainHigh) arrow(last, 1);
  svg.append("path").attr("d", arms.symbol(row.arm, 70)).attr("fill", color)
    .attr("transform", `translate(${scale(change)},${middle})`);
}

function drawAxis(place, scale) {
  const [, width] = scale.range();
  const svg = d3.select(place).append("svg").attr("viewBox", `0 0 ${width} ${kAxisHeight}`).attr("aria-hidden", "true");
  const axis = d3.axisBottom(scale).ticks(Math.max(2, Math.round(width / 90))).tickSize(4)
    .tickFormat((tick) => signed((tick > 0 ? "+" : "") + Number((tick * 100).toPrecision(3))) + "\u00a0%");
  svg.append("g").attr("class", "axis").call(axis);
}

// Rows are {label, arm, estimate, of}: `of` is the JSON pointer of the estimate.
function drawEffect(place, result, arms, metric, rows) {
  const margin = marginOf(result, metric);
  const role = element("span", "role", roleText(result, metric));
  const grid = element("div", "rows");
  const block = element("div", "effect", [element("h3", "", [element("span", "", metric), role]), grid]);
  place.append(block);
  const strips = rows.map((row) => {
    const strip = element("div", "strip");
    const { change, low, high } = row.estimate;
    const none = row.estimate.blocks === 0;
    const figure = none ? element("div", "figure", element("span", "interval", "no block"))
      : element("div", "figure", [
        element("b", "", changeText(change), row.of + "/change"),
        element("span", "interval", [
          element("span", "", endText(low, kMinus + "\u221e"), row.of + "/low"), " to ",
          element("span", "", endText(high, "+\u221e"), row.of + "/high"),
        ]),
      ]);
    const label = element("div", "label", [swatch(arms.color(row.arm)), row.label]);
    grid.append(element("div", "row", [label, strip, figure]));
    return strip;
  });
  const axis = element("div", "strip");
  grid.append(element("div", "row", [element("div", "label"), axis, element("div", "figure")]));
  const shown = rows.filter((row) => row.estimate.blocks > 0);
  const scale = scaleOf(shown, margin, strips.length && strips[0].clientWidth || 600);
  rows.forEach((row, at) => {
    if (row.estimate.blocks > 0) drawStrip(strips[at], row, scale, margin, arms);
  });
  drawAxis(axis, scale);
}

function estimatesOf(result, metric) {
  return result.candidates.flatMap((candidate, at) => candidate.estimates
    .map((estimate, index) => ({ label: candidate.arm, arm: candidate.arm, estimate, of: `/candidates/${at}/estimates/${index}` }))
    .filter((row) => row.estimate.metric === metric));
}

function bandText({ from, to }) {
  if (from === null) return to === null ? "any" : `below ${numberText(to)}`;
  return to === null ? `from ${numberText(from)}` : `${numberText(from)} to ${numberText(to)}`;
}

function bandsOf(result, metric) {
  return result.candidates.flatMap((candidate, at) => candidate.bands
    .map((band, index) => ({
      label: `${candidate.arm}, ${bandText(band)}`, arm: candidate.arm, estimate: band.estimate,
      of: `/candidates/${at}/bands/${index}/estimate`,
    }))
    .filter((row) => row.estimate.metric === metric));
}

// The primary metric, then the guards, then the others.
function metricsInOrder(result) {
  const guards = result.guards.map((guard) => guard.metric);
  const others = result.metrics.map((metric) => metric.name).filter((name) => name !== result.primary && !guards.includes(name));
  return [result.primary, ...guards, ...others];
}

function drawEffects(result, arms) {
  for (const metric of metricsInOrder(result)) {
    const rows = estimatesOf(result, metric);
    if (rows.length) drawEffect(byId("effects"), result, arms, metric, rows);
    const bands = bandsOf(result, metric);
    if (bands.length) drawEffect(byId("bands"), result, arms, metric, bands);
  }
}
