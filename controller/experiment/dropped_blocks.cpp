// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/dropped_blocks.h"

#include <boost/math/special_functions/beta.hpp>
#include <cmath>
#include <numbers>

namespace bulkhead {

double lopsidedness(unsigned lost_here, unsigned lost_there) {
  return boost::math::beta(lost_here + 0.5, lost_there + 0.5) / std::numbers::pi *
         std::exp2(lost_here + lost_there);
}

bool is_lopsided(unsigned lost_here, unsigned lost_there) {
  return lopsidedness(lost_here, lost_there) >= 1 / kLopsidedAlpha;
}

}  // namespace bulkhead
