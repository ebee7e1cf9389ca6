// SPDX-License-Identifier: Apache-2.0
#include "controller/engine/journal.h"

#include <nlohmann/json.hpp>

#include "controller/base/error.h"
#include "controller/base/text.h"
#include "controller/engine/step_json.h"

namespace bulkhead {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kJournalFile = "journal";
constexpr int kJournalVersion = 1;

std::string line_of(const Json& json) {
  // Kernel text is bytes; what is no UTF-8 is replaced rather than losing the journal.
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace

void Journal::begin(const std::string& transaction, const std::string& action, std::span<const Step> steps,
                    std::string_view actuator) {
  std::string text = line_of({{"bulkhead_journal", kJournalVersion},
                              {"transaction", transaction},
                              {"action", action},
                              {"actuator", actuator}});
  for (const Step& step : steps) text += line_of(to_json(step));
  store_.replace(kJournalFile, text);
}

void Journal::add(const Step& step) {
  store_.append(kJournalFile, line_of(to_json(step)));
}

void Journal::end() {
  store_.remove(kJournalFile);
}

Error Journal::damaged(const std::string& reason) const {
  return Error(ErrorDetail{.code = ErrorCode::refused,
                           .message = "the journal of an interrupted transaction is damaged (" + reason +
                                      "), so what it had begun cannot be undone. Look at the host with "
                                      "`bulkhead doctor`; to go on, remove the file and apply or reset",
                           .path = store_.directory() + '/' + kJournalFile});
}

std::optional<JournalContent> Journal::read() const {
  const auto text = store_.read(kJournalFile);
  if (!text) return std::nullopt;
  try {
    std::string_view rest = *text;
    JournalContent content;
    for (std::size_t number = 0;; ++number) {
      const auto end = rest.find('\n');
      if (end == std::string_view::npos) break;
      const Json json = Json::parse(rest.substr(0, end));
      if (number == 0) {
        if (json.at("bulkhead_journal") != kJournalVersion) {
          throw Error(ErrorCode::invalid, "it is of another version of bulkhead");
        }
        content.transaction = json.at("transaction").get<std::string>();
        content.action = json.at("action").get<std::string>();
        content.actuator = json.value("actuator", "resctrl");
      } else {
        content.steps.push_back(step_from_json(json));
      }
      rest.remove_prefix(end + 1);
    }
    if (content.transaction.empty()) throw Error(ErrorCode::invalid, "it has no beginning");
    return content;
  } catch (const nlohmann::json::exception&) {
    throw damaged("it makes no sense");
  } catch (const Error& error) {
    throw damaged(error.detail().message);
  }
}

}  // namespace bulkhead
