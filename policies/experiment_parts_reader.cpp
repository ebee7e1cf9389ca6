// SPDX-License-Identifier: Apache-2.0
#include "policies/experiment_parts_reader.h"

#include "policies/experiment_keywords.h"
#include "policies/quote.h"

namespace bulkhead {
namespace {

using Problems = DiagnosticList;

constexpr Percent kLeastShare{1};
constexpr unsigned kFewestBlocks = 2;  // fewer have no variance
constexpr unsigned kMostBlocks = 10'000;

constexpr Field<ExperimentDraft> kPrimaryFields[] = {
    {"metric",
     [](Problems&, const JsonValue& value, const Keyword&, ExperimentDraft& draft) {
       draft.experiment.primary = value.text;
       draft.primary = value.place();
     }},
    {"smallest_effect",
     [](Problems& problems, const JsonValue& value, const Keyword& keyword, ExperimentDraft& draft) {
       const auto read = read_percent(problems, value, keyword, kLeastShare, kWhole);
       draft.experiment.smallest_effect = read.value_or(draft.experiment.smallest_effect);
     }},
    {"noise",
     [](Problems& problems, const JsonValue& value, const Keyword& keyword, ExperimentDraft& draft) {
       draft.experiment.noise = read_percent(problems, value, keyword, kLeastShare, kWhole);
     }},
};

constexpr Field<HardLimit> kLimitFields[] = {
    {"above", [](Problems& problems, const JsonValue& value, const Keyword& keyword,
                 HardLimit& limit) { limit.above = read_real(problems, value, keyword); }},
    {"below", [](Problems& problems, const JsonValue& value, const Keyword& keyword,
                 HardLimit& limit) { limit.below = read_real(problems, value, keyword); }},
};

void read_edges(Problems& problems, const JsonValue& value, const Keyword& keyword, LoadBands& bands) {
  if (value.children.empty()) return refuse(problems, value, keyword);
  const JsonValue* before = nullptr;
  for (const JsonValue* element : value.children) {
    const auto edge = read_real(problems, *element, kEdge);
    if (!edge) return;
    if (before != nullptr && *edge <= bands.edges.back()) {
      problems.add(element->place(), Problem::list_falls, {found_text(*element), found_text(*before)});
    }
    bands.edges.push_back(*edge);
    before = element;
  }
}

constexpr Field<LoadBands> kLoadBandsFields[] = {
    {"metric",
     [](Problems&, const JsonValue& value, const Keyword&, LoadBands& bands) {
       bands.metric = value.text;
       bands.place = value.place();
     }},
    {"edges", read_edges},
};

constexpr Word<Looks> kLooksWords[] = {{"any_time", Looks::any_time}, {"five", Looks::five}};

constexpr Field<Experiment> kBlocksFields[] = {
    {"least",
     [](Problems& problems, const JsonValue& value, const Keyword& keyword, Experiment& experiment) {
       experiment.least_blocks =
           read_number(problems, value, keyword, kFewestBlocks, kMostBlocks).value_or(kFewestBlocks);
     }},
    {"most",
     [](Problems& problems, const JsonValue& value, const Keyword& keyword, Experiment& experiment) {
       experiment.most_blocks =
           read_number(problems, value, keyword, kFewestBlocks, kMostBlocks).value_or(kMostBlocks);
     }},
    {"looks",
     [](Problems& problems, const JsonValue& value, const Keyword& keyword, Experiment& experiment) {
       experiment.looks = read_word(problems, value, keyword, kLooksWords).value_or(experiment.looks);
     }},
};

}  // namespace

void read_primary(Problems& problems, const JsonValue& value, const Keyword&, ExperimentDraft& draft) {
  if (value.type == JsonType::object) {
    return read_members<ExperimentDraft>(problems, value, kPrimaryTable, kPrimaryFields, draft);
  }
  draft.experiment.primary = value.text;
  draft.primary = value.place();
}

void read_guards(Problems& problems, const JsonValue& value, std::vector<Guard>& guards) {
  for (const JsonValue* member : value.children) {
    if (!check_type(problems, *member, kGuardEntry)) continue;
    const auto margin = read_percent(problems, *member, kGuardEntry, kLeastShare, kWhole);
    guards.push_back({member->key, margin.value_or(kWhole), member->key_place()});
  }
}

void read_limits(Problems& problems, const JsonValue& value, std::vector<HardLimit>& limits) {
  for (const JsonValue* member : value.children) {
    if (!check_type(problems, *member, kLimitEntry)) continue;
    HardLimit& limit = limits.emplace_back();
    limit.metric = member->key;
    limit.place = member->key_place();
    read_members<HardLimit>(problems, *member, kLimitTable, kLimitFields, limit);
    exactly_one(problems, *member, kLimitTable.keywords, "a limit", kLimitEntry);
  }
}

void read_load_bands(Problems& problems, const JsonValue& value, LoadBands& bands) {
  read_members<LoadBands>(problems, value, kLoadBandsTable, kLoadBandsFields, bands);
}

void read_blocks(Problems& problems, const JsonValue& value, Experiment& experiment) {
  read_members<Experiment>(problems, value, kBlocksTable, kBlocksFields, experiment);
  if (experiment.least_blocks <= experiment.most_blocks) return;
  problems.add(value.place(), Problem::crossed_blocks,
               {std::to_string(experiment.least_blocks), std::to_string(experiment.most_blocks)});
}

}  // namespace bulkhead
