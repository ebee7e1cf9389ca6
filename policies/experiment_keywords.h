// SPDX-License-Identifier: Apache-2.0
// The keywords of the experiment language, as keywords.h has those of policies. bulkhead-experiment(5) and
// experiment.schema.json are checked against them.
#pragma once

#include "policies/keywords.h"

namespace bulkhead {

extern const KeywordTable kExperimentTable;
extern const KeywordTable kArmTable;
extern const KeywordTable kCommandTable;
extern const KeywordTable kMetricTable;
extern const KeywordTable kPrimaryTable;
extern const KeywordTable kLimitTable;
extern const KeywordTable kLoadBandsTable;
extern const KeywordTable kBlocksTable;
extern const KeywordTable kSearchTable;
extern const KeywordTable kSearchLatencyTable;

// In a metric, the keywords before this one say where it comes from, exactly one of them; and on a page, the
// next ones what is read there.
inline constexpr std::size_t kMetricSourceKeywords = 3;
inline constexpr std::size_t kPageReadingKeywords = 3;

// Members of "arms", "metrics", "guards" and "limits", whose keys are names that the experiment gives.
extern const Keyword kArmEntry;
extern const Keyword kMetricEntry;
extern const Keyword kGuardEntry;
extern const Keyword kLimitEntry;
extern const Keyword kWord;  // of a command
extern const Keyword kEdge;  // of a band
// Elements of a search's lists.
extern const Keyword kSearchCount;
extern const Keyword kSearchBandwidth;

std::span<const KeywordTable* const> experiment_keyword_tables();  // all, in the order of the manual

}  // namespace bulkhead
