// SPDX-License-Identifier: Apache-2.0
#include "controller/experiment/fingerprint.h"

#include <boost/uuid/name_generator_sha1.hpp>
#include <boost/uuid/uuid_io.hpp>
#include <nlohmann/json.hpp>

namespace bulkhead {

std::string fingerprint_of(std::string_view text) {
  const boost::uuids::name_generator_sha1 name_of(boost::uuids::ns::oid());
  return to_string(name_of(text.data(), text.size()));
}

std::string facts_text(const std::map<std::string, std::string>& facts) {
  return nlohmann::json(facts).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace bulkhead
