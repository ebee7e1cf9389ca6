// SPDX-License-Identifier: Apache-2.0
// What a search has measured: each combination by its latency and its effect, the limit between them.

const kSearchHeight = 260;
const kSearchMargin = { top: 16, right: 24, bottom: 40, left: 64 };

function tellSearch(result) {
  const search = result.search;
  byId("search-section").hidden = !search;
  if (!search) return;
  const left = search.left_out ? ` ${search.left_out} more were left out: this host cannot have them.` : "";
  byId("search-lead").textContent = `${search.evaluations.length} of ${search.combinations} combinations for ` +
    `${search.service} in ${search.policy}, a block of four windows each.${left} ${search.latency} is to stay within ` +
    `${numberText(search.latency_limit)}. ` + (search.found
    ? `The best one, ${search.found}, was then compared with new blocks: of many noisy results the best looks better than it is.`
    : "None was found that keeps it.");
  const rows = search.evaluations.map((evaluation, at) => {
    const of = (name) => `/search/evaluations/${at}/${name}`;
    return [String(evaluation.number), element("span", "", evaluation.point, of("point")),
      element("span", "", endText(evaluation.change, "\u2013"), of("change") + "#"),
      element("span", "", numberText(evaluation.latency), of("latency") + "#"),
      evaluation.point === search.found ? "the best" : evaluation.why_none || (isBeyond(search, evaluation) ? "too slow" : "")];
  });
  byId("evaluations").append(table(["#", "combination", "#" + result.primary, "#" + search.latency, ""], rows));
}

function isBeyond(search, evaluation) {
  return evaluation.failed || evaluation.latency > search.latency_limit;
}

function drawSearch(result) {
  const search = result.search;
  if (!search) return;
  const points = search.evaluations.filter((one) => one.change !== null && one.latency !== null);
  const place = byId("search");
  if (!points.length) return place.append(element("p", "lead", "Nothing has been measured yet."));
  const width = Math.max(280, place.clientWidth || 900), bottom = kSearchHeight - kSearchMargin.bottom;
  const x = d3.scaleLinear().domain(d3.extent([search.latency_limit, ...points.map((one) => one.latency)])).nice(5)
    .range([kSearchMargin.left, width - kSearchMargin.right]);
  const y = d3.scaleLinear().domain(d3.extent([0, ...points.map((one) => one.change)])).nice(4).range([bottom, kSearchMargin.top]);
  const svg = d3.select(place).append("svg").attr("viewBox", `0 0 ${width} ${kSearchHeight}`).attr("role", "img")
    .attr("aria-label", `${result.primary} and ${search.latency} of each combination`);
  const inner = x.range()[1] - x.range()[0];
  svg.append("g").attr("class", "axis grid").attr("transform", `translate(${kSearchMargin.left},0)`)
    .call(d3.axisLeft(y).ticks(4).tickSize(-inner).tickPadding(7).tickFormat((tick) => changeText(tick)));
  svg.append("g").attr("class", "axis").attr("transform", `translate(0,${bottom})`)
    .call(d3.axisBottom(x).ticks(Math.max(2, Math.round(inner / 100))).tickSize(4).tickFormat(axisNumber));
  svg.append("text").attr("class", "hint").attr("x", x.range()[1]).attr("y", kSearchHeight - 4).attr("text-anchor", "end")
    .text(`${search.latency}; left of the line is within the limit`);
  svg.append("line").attr("class", "event").attr("x1", x(search.latency_limit)).attr("x2", x(search.latency_limit))
    .attr("y1", kSearchMargin.top).attr("y2", bottom);
  for (const point of points) {
    const found = point.point === search.found;
    svg.append("circle").attr("cx", x(point.latency)).attr("cy", y(point.change)).attr("r", found ? 7 : 4.5)
      .attr("class", isBeyond(search, point) ? "trial beyond" : found ? "trial found" : "trial")
      .append("title").text(`${point.point}: ${changeText(point.change)}, ${search.latency} ${numberText(point.latency)}`);
    if (!found) continue;
    const right = x(point.latency) > kSearchMargin.left + inner / 2;
    svg.append("text").attr("class", "trial-name").attr("x", x(point.latency) + (right ? -12 : 12)).attr("y", y(point.change))
      .attr("dy", "0.32em").attr("text-anchor", right ? "end" : "start").text(point.point);
  }
}
