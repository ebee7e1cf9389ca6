// SPDX-License-Identifier: Apache-2.0
// Whatever a line holds: every item of it is a request or a refusal, and every answer is a line of JSON with
// the id that was asked with.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "controller/api/admission.h"
#include "controller/api/json_rpc.h"

namespace {

constexpr std::size_t kMostRequests = 8;

void require(bool holds) {
  if (!holds) std::abort();
}

nlohmann::json answered(const std::string& text) {
  require(text.find('\n') == std::string::npos);
  return nlohmann::json::parse(text);
}

void require_refusal(const std::string& id, const bulkhead::Refusal& refusal) {
  const nlohmann::json answer = answered(bulkhead::refusal_text(id, refusal));
  require(answer.at("error").at("code").is_number_integer());
  require(answer.at("error").at("data").at("message").get<std::string>().size() < 600);
}

void take(const bulkhead::RpcRequest& request) {
  if (!request.id.empty()) {
    const std::string text = bulkhead::answer_text(request.id, bulkhead::Answer::rendered("7"));
    require(text.find(R"("id":)" + request.id + R"(,"result":7})") != std::string::npos);
    answered(text);
  }
  const bulkhead::Caller caller{.uid = 1, .right = bulkhead::Right::admin};
  const auto outcome = bulkhead::admit(caller, request);
  if (const auto* refusal = std::get_if<bulkhead::Refusal>(&outcome)) {
    require_refusal("null", *refusal);
  } else {
    require(std::get<bulkhead::AdmittedCall>(outcome).params.is_object());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view line(reinterpret_cast<const char*>(data), size);
  const bulkhead::RpcMessage message = bulkhead::read_message(line, kMostRequests);
  require(!message.items.empty() && message.items.size() <= kMostRequests);
  for (const auto& item : message.items) {
    if (const auto* request = std::get_if<bulkhead::RpcRequest>(&item)) {
      take(*request);
    } else {
      const auto& mistake = std::get<bulkhead::RpcMistake>(item);
      require_refusal(mistake.id, mistake.refusal);
    }
  }
  return 0;
}
