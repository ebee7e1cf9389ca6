// SPDX-License-Identifier: Apache-2.0
// Whether blocks are lost on one side more often than chance explains. An arm that loses its worst windows
// looks better than it is, so such a result is void.
#pragma once

namespace bulkhead {

// The chance of ever calling equal arms lopsided, however often one looks.
inline constexpr double kLopsidedAlpha = 0.02;

// Evidence against equal odds, as an e-value: the mixture (Beta(1/2, 1/2)) of all odds over even odds.
double lopsidedness(unsigned lost_here, unsigned lost_there);
// The evidence has reached 1/kLopsidedAlpha: eight to none, twelve to one, 15 to two.
bool is_lopsided(unsigned lost_here, unsigned lost_there);

}  // namespace bulkhead
