// SPDX-License-Identifier: Apache-2.0
// Who may fill which ways of which L3, under each arm, from the plans.

const kServiceColors = 7;
const kCell = { width: 10, height: 9 };
const kLeft = 26;

// The numbers of a list of ids, "0-5,8".
function idsOf(list) {
  return (list || "").split(",").filter(Boolean).flatMap((part) => {
    const [first, last] = part.split("-").map(Number);
    return Array.from({ length: (last === undefined ? first : last) - first + 1 }, (_, at) => first + at);
  });
}

function waysOf(mask) {
  const bits = [];
  for (let value = parseInt(mask, 16), way = 0; value > 0; value = Math.floor(value / 2), ++way) {
    if (value % 2) bits.push(way);
  }
  return bits;
}

// Each service of a plan with its CCDs, and its ways on each of them; null is all ways.
function servicesOf(plan) {
  return (plan.effective || []).map((effect) => {
    const group = (plan.groups || []).find((one) => one.name === effect.group) || {};
    const masks = group.l3 || group.l3_data || {};
    const ways = new Map(idsOf(effect.planned.ccds).map((ccd) => [ccd, ccd in masks ? waysOf(masks[ccd]) : null]));
    return { name: effect.service, planned: effect.planned, ways };
  });
}

// How many ways a cache has: the plans name it, as in "12 of 16 ways", or have masks up to it.
function wayCount(plans) {
  const said = plans.flatMap((plan) => (plan.effective || []).map((effect) => / of (\d+) ways/.exec(effect.planned.l3 || "")))
    .filter(Boolean).map((match) => Number(match[1]));
  const used = plans.flatMap(servicesOf).flatMap((service) => [...service.ways.values()])
    .filter((ways) => ways && ways.length).map((ways) => 1 + ways[ways.length - 1]);
  return Math.min(64, Math.max(0, ...said, ...used));
}

function drawCell(svg, owners, color, x, y) {
  const height = kCell.height - 1;
  const rect = (top, part, fill) => svg.append("rect").attr("x", x).attr("y", y + top).attr("width", kCell.width - 1)
    .attr("height", part).style("fill", fill);
  if (!owners.length) return rect(0, height, "var(--open)");
  owners.forEach((owner, at) => rect(at * height / owners.length, height / owners.length, color(owner)));
}

function drawMap(place, services, ccds, ways, color) {
  const svg = d3.select(place).append("svg").attr("viewBox", `0 0 ${kLeft + ways * kCell.width} ${ccds.length * kCell.height}`)
    .attr("role", "img").attr("aria-label", "ways of each cache by owner");
  ccds.forEach((ccd, row) => {
    svg.append("text").attr("class", "hint").attr("x", kLeft - 5).attr("y", row * kCell.height + kCell.height / 2)
      .attr("dy", "0.32em").attr("text-anchor", "end").style("font-size", "8px").text(ccd);
    for (let way = 0; way < ways; ++way) {
      const owners = services.filter((service) => {
        const own = service.ways.get(ccd);
        return service.ways.has(ccd) && (own === null || own.includes(way));
      });
      drawCell(svg, owners.map((service) => service.name), color, kLeft + way * kCell.width, row * kCell.height);
    }
  });
}

function serviceLine(service, color) {
  const { cpu_count: count, ccds, l3, bandwidth } = service.planned;
  const parts = [`${count === undefined ? "its" : count} CPUs on CCD ${ccds || "\u2013"}`];
  if (l3) parts.push(l3 === "unchanged" ? "any way" : l3.replace(/,.*/, ""));
  if (bandwidth && bandwidth !== "unchanged" && bandwidth !== "unlimited") parts.push(bandwidth);
  return element("li", "", [swatch(color(service.name), true), element("b", "", service.name), " " + parts.join(", ")]);
}

function drawWays(result, arms) {
  const plans = result.arms.map((arm) => arm.plan).filter(Boolean);
  const services = plans.map(servicesOf);
  const names = [...new Set(services.flat().map((service) => service.name))];
  const color = (name) => `var(--service-${names.indexOf(name) % kServiceColors})`;
  const ccds = [...new Set(services.flat().flatMap((service) => [...service.ways.keys()]))].sort((a, b) => a - b);
  const ways = wayCount(plans);
  if (!ccds.length || !ways) return void (byId("ways-section").hidden = true);
  for (const arm of result.arms) {
    const map = element("div", "map", element("h3", "", [swatch(arms.color(arm.name)), arm.name]));
    byId("ways").append(map);
    if (!arm.plan) {
      map.append(element("p", "none", "No policy: everybody may fill every way."));
      continue;
    }
    const own = servicesOf(arm.plan);
    drawMap(map, own, ccds, ways, color);
    map.append(element("ul", "", own.map((service) => serviceLine(service, color))));
  }
}
