// SPDX-License-Identifier: Apache-2.0
#include "controller/cli/picture.h"

#include <algorithm>

#include "controller/base/text.h"
#include "controller/cli/blocks.h"

namespace bulkhead {
namespace {

std::string place_of(const Ccd& ccd) {
  std::string place = "socket " + to_string(ccd.socket);
  if (!ccd.nodes.empty()) place += (ccd.nodes.size() == 1 ? ", node " : ", nodes ") + ccd.nodes.to_list();
  return place;
}

// By socket and node, each in the order of ids.
std::vector<const Ccd*> in_places(const Machine& machine) {
  std::vector<const Ccd*> ccds;
  for (const Ccd& ccd : machine.ccds) ccds.push_back(&ccd);
  std::stable_sort(ccds.begin(), ccds.end(), [](const Ccd* left, const Ccd* right) {
    const auto key = [](const Ccd* ccd) {
      return std::pair(ccd->socket, ccd->nodes.empty() ? 0 : ccd->nodes.first());
    };
    return key(left) < key(right);
  });
  return ccds;
}

// What one group may do on a machine.
struct Occupant {
  std::string name;
  CpuSet cpus;
  const Schemata* schemata = nullptr;  // none where the plan leaves the group as it is
};

std::vector<Occupant> occupants_of(const Plan& plan) {
  std::vector<Occupant> occupants;
  for (const std::string& name : lettered_groups(plan)) {
    Occupant occupant{.name = name};
    for (const ServiceEffect& service : plan.services) {
      if (service.group == name) occupant.cpus |= service.cpus;
    }
    if (const ControlGroup* group = plan.find_group(name)) occupant.schemata = &group->schemata;
    occupants.push_back(std::move(occupant));
  }
  return occupants;
}

// The ways that a group may fill on a CCD: what is planned for it, else all.
WayMask mask_of(const Occupant& occupant, Resource resource, CacheId ccd, WayMask full) {
  if (occupant.schemata == nullptr) return full;
  const auto values = occupant.schemata->find(resource);
  if (values == occupant.schemata->end()) return full;
  const auto value = values->second.find(ccd);
  return value == values->second.end() ? full : WayMask{value->second};
}

// Way 0 stands at the right, as the lowest bit of a mask does.
WayBar draw_bar(std::string label, Resource resource, const Ccd& ccd, const std::vector<Occupant>& occupants,
                const CacheCapability& l3) {
  WayBar bar{.label = std::move(label)};
  for (unsigned way = 64; way-- > 0;) {
    const WayMask bit = WayMask::run(way, 1);
    if (!l3.full.contains(bit)) continue;
    WayCell cell{.devices = l3.shareable.contains(bit)};
    for (std::size_t index = 0; index < occupants.size(); ++index) {
      if (!occupants[index].cpus.intersects(ccd.cpus)) continue;
      if (!mask_of(occupants[index], resource, ccd.id, l3.full).contains(bit)) continue;
      cell.use = cell.use == WayCell::Use::open ? WayCell::Use::owned : WayCell::Use::several;
      cell.group = cell.use == WayCell::Use::owned ? index : 0;
    }
    bar.ways.push_back(cell);
  }
  return bar;
}

std::vector<WayBar> draw_bars(const Ccd& ccd, const std::vector<Occupant>& occupants,
                              const Capabilities& capabilities) {
  if (!capabilities.l3) return {};
  const auto bar = [&](const char* label, Resource resource) {
    return draw_bar(label, resource, ccd, occupants, *capabilities.l3);
  };
  if (!capabilities.cdp) return {bar("", Resource::l3)};
  return {bar("code", Resource::l3_code), bar("data", Resource::l3_data)};
}

std::vector<CpuLine> draw_cpus(const Ccd& ccd, const std::vector<Occupant>& occupants,
                               const Figures& figures) {
  if (occupants.empty()) return {{.group = {}, .cpus = ccd.cpus}};
  std::vector<CpuLine> lines;
  CpuSet left_over = ccd.cpus;
  for (std::size_t index = 0; index < occupants.size(); ++index) {
    const CpuSet here = occupants[index].cpus & ccd.cpus;
    const auto figure = figures.find({occupants[index].name, ccd.id});
    const std::string text = figure == figures.end() ? "" : figure->second;
    if (!here.empty()) lines.push_back({.group = index, .cpus = here, .text = text});
    left_over -= here;
  }
  if (!left_over.empty()) lines.push_back({.group = {}, .cpus = left_over, .left_over = true});
  return lines;
}

std::string draw(const Machine& machine, const Capabilities& capabilities,
                 const std::vector<Occupant>& occupants, const Style& style, const Figures& figures = {}) {
  std::vector<Block> blocks;
  for (const Ccd* ccd : in_places(machine)) {
    blocks.push_back({.place = place_of(*ccd),
                      .ids = {ccd->id.value},
                      .bars = draw_bars(*ccd, occupants, capabilities),
                      .lines = draw_cpus(*ccd, occupants, figures)});
  }
  if (blocks.size() > kMostBlocks) blocks = folded(blocks);
  return draw_blocks(blocks, style);
}

// Explains the marks that are in the picture.
std::vector<std::string> marks_of_machine(const Capabilities& capabilities) {
  if (!capabilities.l3) return {};
  if (capabilities.l3->shareable.empty()) return {". a cache way"};
  return {". a cache way", "s one that devices fill, too"};
}

std::vector<std::string> marks_of_plan(const Capabilities& capabilities) {
  if (!capabilities.l3) return {"letter: the group whose CPUs they are", ".: of no group of the plan"};
  std::vector<std::string> marks{"letter: the group whose way it is", "+: of several groups",
                                 ".: of no group of the plan"};
  if (!capabilities.l3->shareable.empty()) marks.emplace_back("small or s: devices fill it, too");
  return marks;
}

// As many marks in each line as fit.
std::string legend_of(const std::vector<std::string>& marks, const Style& style) {
  constexpr std::string_view kGap = "   ";
  std::string text, line;
  for (const std::string& mark : marks) {
    if (!line.empty() && line.size() + kGap.size() + mark.size() > style.width) {
      text += paint(style, Paint::dim, line) + '\n';
      line.clear();
    }
    line += (line.empty() ? "" : std::string(kGap)) + hanging(mark, style.width);
  }
  return line.empty() ? text : text + paint(style, Paint::dim, line) + '\n';
}

}  // namespace

std::vector<std::string> lettered_groups(const Plan& plan) {
  std::vector<std::string> names;
  for (const ServiceEffect& service : plan.services) {
    if (std::find(names.begin(), names.end(), service.group) == names.end()) names.push_back(service.group);
  }
  return names;
}

std::string draw_machine(const Machine& machine, const Capabilities& capabilities, const Style& style) {
  if (machine.ccds.empty()) {
    return wrapped("no L3 cache that the kernel has an id for: nothing to divide by cache", style.width, "") +
           '\n';
  }
  return draw(machine, capabilities, {}, style) + legend_of(marks_of_machine(capabilities), style);
}

std::string draw_plan(const Plan& plan, const Machine& machine, const Capabilities& capabilities,
                      const Style& style, const Figures& figures) {
  if (machine.ccds.empty()) return {};
  return draw(machine, capabilities, occupants_of(plan), style, figures) +
         legend_of(marks_of_plan(capabilities), style);
}

}  // namespace bulkhead
