// SPDX-License-Identifier: Apache-2.0
#include "simulator/hardware_model/service_keys.h"

#include <cmath>
#include <gtest/gtest.h>

#include "controller/base/error.h"
#include "simulator/hardware_model/parameters.h"

namespace bulkhead::sim {
namespace {

std::string refusal(std::string_view name, double value) {
  ServiceSpec service;
  try {
    set_parameter(service, name, value);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::invalid);
    EXPECT_EQ(service, ServiceSpec{});
    return error.what();
  }
  return "no refusal";
}

TEST(ServiceKeys, set_what_they_name) {
  ServiceSpec service;
  set_parameter(service, "private_share", 1);
  set_parameter(service, "offered", 2500);
  EXPECT_EQ(service, (ServiceSpec{.offered = 2500, .private_share = 1}));
}

TEST(ServiceKeys, refuse_unknown_words_and_senseless_values) {
  EXPECT_EQ(refusal("mis_exponent", 1),
            "'mis_exponent' is no parameter of a service; did you mean 'miss_exponent'?");
  EXPECT_EQ(refusal("colour", 1), "'colour' is no parameter of a service");
  EXPECT_EQ(refusal("private_share", 1.5), "private_share is 1.5, but must be 0 to 1");
  EXPECT_EQ(refusal("smt", std::nan("")), "smt is nan, but must be 0 to 0.5");
}

TEST(ServiceKeys, allow_the_services_that_are_known) {
  for (const char* kind : {"cache-hungry-proxy", "lean-proxy", "neighbours"}) {
    const ServiceSpec known = service_of_kind(kind);
    for (const ServiceKey& key : service_keys()) {
      if (std::isinf(known.*key.value)) continue;  // offered
      ServiceSpec copy = known;
      set_parameter(copy, key.name, known.*key.value);
      EXPECT_EQ(copy, known) << key.name;
    }
  }
}

}  // namespace
}  // namespace bulkhead::sim
