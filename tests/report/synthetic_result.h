// SPDX-License-Identifier: Apache-2.0
// Results of experiments that never ran, with everything in them that a report has to show.
#pragma once

#include "controller/experiment/result.h"

namespace bulkhead {

// Two arms, decided, nothing unusual.
ExperimentResult plain_result();

// Five arms over a day's load: adopted, rejected, undecided and thrown out; dropped blocks, load bands,
// intervals without an end, remarks.
ExperimentResult gen13_result();

// Names and reasons that try to break out of whatever they are written into.
ExperimentResult search_result();   // with a candidate that was searched for
ExperimentResult hostile_result();

// It runs, and has not one block yet.
ExperimentResult open_result();

}  // namespace bulkhead
