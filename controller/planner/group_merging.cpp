// SPDX-License-Identifier: Apache-2.0
#include "controller/planner/group_merging.h"

#include <algorithm>
#include <map>
#include <utility>

#include "controller/planner/bandwidth.h"
#include "controller/planner/cache_share.h"
#include "controller/planner/refusal.h"

namespace bulkhead {
namespace {

// What a group gets per CCD, as far as distances go.
struct Amounts {
  unsigned ways = 0;
  std::uint64_t bandwidth = 0;
};

Amounts amounts_of(const GroupDraft& group, const Policy& policy, const Machine& machine,
                   const Capabilities& capabilities) {
  Amounts amounts;
  std::vector<std::string> unused_notes;
  const Ccd* ccd = group.ccds.empty() ? nullptr : machine.find_ccd(group.ccds.front());
  if (capabilities.l3 && ccd != nullptr) {
    const auto share = cache_share(group, policy, *ccd, *capabilities.l3, unused_notes);
    amounts.ways =
        !share ? capabilities.l3->ways() : share->data.ways + (share->code ? share->code->ways : 0);
  }
  if (capabilities.memory) {
    amounts.bandwidth =
        group.bandwidth == nullptr
            ? capabilities.memory->unlimited
            : plan_bandwidth(group.bandwidth->memory, *capabilities.memory, capabilities.ccd_bandwidth,
                             group.bandwidth->place, owners(group, policy), unused_notes);
  }
  return amounts;
}

template <class T>
T difference(T left, T right) {
  return left < right ? right - left : left - right;
}

// Groups that became one; distances are those of its closest members.
using Cluster = std::vector<std::size_t>;

class Merging {
 public:
  Merging(const Grouping& grouping, const Policy& policy, const Machine& machine,
          const Capabilities& capabilities)
      : grouping_(grouping) {
    for (std::size_t index = 0; index < grouping.named.size(); ++index) {
      clusters_.push_back({index});
      amounts_.push_back(amounts_of(grouping.named[index], policy, machine, capabilities));
    }
  }

  bool merge_closest() {
    std::optional<std::pair<unsigned, std::uint64_t>> least;
    std::pair<std::size_t, std::size_t> closest;
    for (std::size_t left = 0; left < clusters_.size(); ++left) {
      for (std::size_t right = left + 1; right < clusters_.size(); ++right) {
        const auto distance = distance_of(clusters_[left], clusters_[right]);
        if (!distance || (least && *least <= *distance)) continue;
        least = distance;
        closest = {left, right};
      }
    }
    if (!least) return false;
    Cluster& grown = clusters_[closest.first];
    const auto merged = clusters_.begin() + static_cast<std::ptrdiff_t>(closest.second);
    grown.insert(grown.end(), merged->begin(), merged->end());
    std::sort(grown.begin(), grown.end());
    clusters_.erase(merged);
    return true;
  }

  const std::vector<Cluster>& clusters() const { return clusters_; }

 private:
  std::optional<std::pair<unsigned, std::uint64_t>> distance_of(const Cluster& left,
                                                                const Cluster& right) const {
    std::optional<std::pair<unsigned, std::uint64_t>> least;
    for (const std::size_t a : left) {
      for (const std::size_t b : right) {
        const GroupDraft& one = grouping_.named[a];
        const GroupDraft& two = grouping_.named[b];
        if (one.l3_exclusive || two.l3_exclusive || one.takes_cpus != two.takes_cpus ||
            one.ccds != two.ccds) {
          continue;
        }
        const std::pair distance{difference(amounts_[a].ways, amounts_[b].ways),
                                 difference(amounts_[a].bandwidth, amounts_[b].bandwidth)};
        if (!least || distance < *least) least = distance;
      }
    }
    return least;
  }

  const Grouping& grouping_;
  std::vector<Cluster> clusters_;
  std::vector<Amounts> amounts_;
};

}  // namespace

std::string describe_merge(const Grouping& grouping, const Policy& policy, const Machine& machine,
                           const Capabilities& capabilities, std::size_t most) {
  Merging merging(grouping, policy, machine, capabilities);
  while (merging.clusters().size() > most && merging.merge_closest()) {
  }
  if (merging.clusters().size() > most) {
    return "no merge would fit: only services on the same CCDs that own no ways alone can share a group";
  }
  std::vector<std::string> merges;
  for (const Cluster& cluster : merging.clusters()) {
    if (cluster.size() == 1) continue;
    std::vector<std::string> names;
    for (const std::size_t index : cluster) {
      for (const std::size_t service : grouping.named[index].services)
        names.push_back(policy.services[service].name);
    }
    merges.push_back("for " + in_words(names));
  }
  return "the same l3 and bandwidth " + in_words(merges) + " would fit";
}

}  // namespace bulkhead
