// SPDX-License-Identifier: Apache-2.0
// Experiments where a daemon keeps the host: it runs them, we follow.
#pragma once

#include "controller/api/client.h"
#include "controller/cli/progress_line.h"
#include "controller/experiment/experiment_input.h"
#include "controller/experiment/result.h"

namespace bulkhead {

// To the end. A signal that asks us to end stops the experiment. Throws Error if it does not start, or if the
// daemon goes away meanwhile.
ExperimentResult run_by_daemon(Client& daemon, const ExperimentInput& input, ProgressLine& line);

// Of the latest experiment; nothing if none has run there.
std::optional<ExperimentResult> latest_result(Client& daemon);

}  // namespace bulkhead
