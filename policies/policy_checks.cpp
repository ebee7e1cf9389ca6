// SPDX-License-Identifier: Apache-2.0
#include "policies/policy_checks.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "controller/base/text.h"
#include "policies/quote.h"

namespace bulkhead {
namespace {

// Who selects what, by kind and text; every pid by itself.
class Claims {
 public:
  explicit Claims(DiagnosticList& problems) : problems_(problems) {}

  void claim(const Select& select, const std::string& service) {
    if (select.kind != SelectKind::pids) return claim(select, select.text, service);
    for (const unsigned pid : select.pids) claim(select, std::to_string(pid), service);
  }

 private:
  void claim(const Select& select, const std::string& text, const std::string& service) {
    const auto [held, fresh] = holders_.emplace(std::pair(select.kind, text), service);
    if (fresh) return;
    const std::string holder = shortened(held->second);
    if (select.kind == SelectKind::others) {
      problems_.add(select.place, Problem::two_others, {holder});
    } else {
      problems_.add(select.place, Problem::same_selector,
                    {holder, select.kind == SelectKind::pids ? text : in_quotes(text)});
    }
  }

  DiagnosticList& problems_;
  std::map<std::pair<SelectKind, std::string>, std::string> holders_;
};

class Classes {
 public:
  Classes(DiagnosticList& problems, std::span<const ServiceClass> classes) : problems_(problems) {
    for (const ServiceClass& known : classes) by_name_.emplace(known.name, &known);
  }

  const ServiceClass* find(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

  void report_unknown(const Service& service) const {
    const Place& place = service.class_place;
    if (!problems_.shows(place.line, place.column)) return problems_.count_hidden();
    std::vector<std::string_view> names;
    for (const auto& [name, known] : by_name_) names.push_back(name);
    const std::string asked = in_quotes(service.service_class);
    if (const std::string_view meant = closest(service.service_class, names); !meant.empty()) {
      problems_.add(place, Problem::misspelt_class, {asked, shortened(meant)});
    } else {
      problems_.add(place, Problem::unknown_class, {asked, known_names(names)});
    }
  }

 private:
  static std::string known_names(std::span<const std::string_view> names) {
    if (names.empty()) return "add it, as in \"classes\": {\"bulk\": {\"l3\": \"25%\"}}";
    constexpr std::size_t kMostShown = 8;
    std::vector<std::string> shown;
    for (const std::string_view name : names.first(std::min(names.size(), kMostShown)))
      shown.push_back(in_quotes(name));
    return "known here: " + join(shown, ", ") + (names.size() > kMostShown ? ", ..." : "");
  }

  DiagnosticList& problems_;
  std::map<std::string, const ServiceClass*> by_name_;
};

}  // namespace

void check_together(DiagnosticList& problems, std::span<const ServiceDraft> services,
                    std::span<const ServiceClass> class_list) {
  Claims claims(problems);
  const Classes classes(problems, class_list);
  for (const auto& [service, select] : services) {
    if (select) claims.claim(*select, service.name);
    const bool has_class = service.class_place.line != 0;
    const ServiceClass* known = has_class ? classes.find(service.service_class) : nullptr;
    if (has_class && known == nullptr) classes.report_unknown(service);
    // The amount may come from the class; an unknown one is mistake enough.
    const bool has_amount = service.l3 || (has_class && (known == nullptr || known->l3));
    if (service.l3_exclusive && !has_amount) {
      problems.add(service.l3_exclusive_place, Problem::l3_exclusive_alone);
    }
  }
}

}  // namespace bulkhead
