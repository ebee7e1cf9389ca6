// SPDX-License-Identifier: Apache-2.0
// The raw readings of a metric over time.

const kPlotHeight = 210;
const kPlotMargin = { top: 10, right: 130, bottom: 28, left: 52 };
const kLabelHeight = 14;

function axisNumber(value) {
  return signed(d3.format(Math.abs(value) >= 1000 ? "~s" : "~g")(value).replace("\u2212", "-"));
}

// What one unit of the time axis is.
function timeUnit(seconds) {
  if (seconds < 180) return { length: 1, name: "seconds" };
  return seconds < 3 * 3600 ? { length: 60, name: "minutes" } : { length: 3600, name: "hours" };
}

function meansOf(points) {
  const byArm = new Map();
  for (const point of points.filter((one) => one.counts)) {
    const sum = byArm.get(point.arm) || { total: 0, count: 0 };
    byArm.set(point.arm, { total: sum.total + point.value, count: sum.count + 1 });
  }
  return [...byArm].map(([arm, { total, count }]) => ({ arm, value: total / count }));
}

// Labels beside their lines, moved apart where they would lie over each other.
function spread(labels, top, bottom) {
  labels.sort((a, b) => a.y - b.y);
  let free = top;
  for (const label of labels) {
    label.y = Math.max(label.y, free);
    free = label.y + kLabelHeight;
  }
  let limit = bottom;
  for (const label of [...labels].reverse()) {
    label.y = Math.min(label.y, limit);
    limit = label.y - kLabelHeight;
  }
  return labels;
}

function drawMarks(svg, points, x, y, arms) {
  for (const point of points) {
    const color = arms.color(point.arm), at = x(point.time);
    if (point.value === null) {
      svg.append("text").attr("x", at).attr("y", kPlotHeight - kPlotMargin.bottom - 3).attr("text-anchor", "middle")
        .attr("fill", color).text("\u00d7").append("title").text(`${point.arm}: ${point.why}`);
      continue;
    }
    svg.append("path").attr("d", arms.symbol(point.arm, 30)).attr("transform", `translate(${at},${y(point.value)})`)
      .attr("fill", point.counts ? color : "none").attr("fill-opacity", 0.75).attr("stroke", point.counts ? "none" : color)
      .append("title").text(`${point.arm}, block ${point.block}: ${numberText(point.value)}`);
  }
}

function drawMeans(svg, means, x, y, arms, width) {
  const labels = means.map((mean) => ({ ...mean, y: y(mean.value) }));
  for (const mean of means) {
    svg.append("line").attr("x1", x.range()[0]).attr("x2", x.range()[1]).attr("y1", y(mean.value)).attr("y2", y(mean.value))
      .attr("stroke", arms.color(mean.arm)).attr("stroke-width", 1.25).attr("stroke-opacity", 0.8);
  }
  const most = Math.floor((width - x.range()[1] - 8) / 6.4);
  for (const label of spread(labels, kPlotMargin.top, kPlotHeight - kPlotMargin.bottom)) {
    const short = label.arm.length > most ? label.arm.slice(0, Math.max(1, most - 1)) + "\u2026" : label.arm;
    svg.append("text").attr("x", x.range()[1] + 7).attr("y", label.y).attr("dy", "0.32em")
      .attr("fill", arms.color(label.arm)).attr("font-weight", 600).text(short).append("title").text(label.arm);
  }
}

function drawEvents(svg, events, x) {
  events.forEach((event) => {
    svg.append("line").attr("class", "event").attr("x1", x(event.at)).attr("x2", x(event.at))
      .attr("y1", kPlotMargin.top).attr("y2", kPlotHeight - kPlotMargin.bottom)
      .append("title").text(event.text);
  });
}

function pointsOf(result, index) {
  const dropped = new Set(result.blocks.filter((block) => block.dropped).map((block) => block.number));
  return result.windows.map((window) => {
    const reading = window.metrics[index] || { value: null, why_none: "no reading" };
    return {
      arm: window.arm, block: window.block, time: (window.measures + window.ends) / 2, value: reading.value,
      why: reading.why_none, counts: reading.value !== null && !dropped.has(window.block),
    };
  });
}

function drawWindows(place, result, arms, metric, index) {
  const box = element("div", "", []);
  place.append(element("div", "plot", [element("h3", "", metric), box]));
  const width = Math.max(280, box.clientWidth || 900);
  const points = pointsOf(result, index), values = points.map((point) => point.value).filter((value) => value !== null);
  if (!values.length) return box.append(element("p", "lead", "No window has a reading of it."));
  const right = width < 500 ? 84 : kPlotMargin.right;
  const end = Math.max(...result.windows.map((window) => window.ends)), unit = timeUnit(end);
  const x = d3.scaleLinear().domain([0, end]).range([kPlotMargin.left, width - right]);
  const y = d3.scaleLinear().domain([Math.min(...values), Math.max(...values)]).nice(4)
    .range([kPlotHeight - kPlotMargin.bottom, kPlotMargin.top]);
  const svg = d3.select(box).append("svg").attr("viewBox", `0 0 ${width} ${kPlotHeight}`).attr("role", "img")
    .attr("aria-label", `${metric} of each window over time`);
  const inner = x.range()[1] - x.range()[0];
  svg.append("g").attr("class", "axis grid").attr("transform", `translate(${kPlotMargin.left},0)`)
    .call(d3.axisLeft(y).ticks(4).tickSize(-inner).tickPadding(7).tickFormat(axisNumber));
  const time = d3.scaleLinear().domain([0, end / unit.length]).range(x.range());
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${kPlotHeight - kPlotMargin.bottom})`)
    .call(d3.axisBottom(time).ticks(Math.max(2, Math.round(inner / 100))).tickSize(4));
  svg.append("text").attr("class", "hint").attr("x", x.range()[1] + 7).attr("y", kPlotHeight - kPlotMargin.bottom + 15)
    .text(unit.name);
  drawEvents(svg, [...result.remarks, ...(result.limit_hits || [])], x);
  drawMarks(svg, points, x, y, arms);
  drawMeans(svg, meansOf(points), x, y, arms, width);
}

function drawAllWindows(result, arms) {
  const place = byId("windows");
  if (!result.windows.length) return place.append(element("p", "lead", "No window has ended yet."));
  for (const metric of metricsInOrder(result)) {
    const index = result.metrics.findIndex((one) => one.name === metric);
    if (index >= 0) drawWindows(place, result, arms, metric, index);
  }
}
