// SPDX-License-Identifier: Apache-2.0
#include "policies/document_kind.h"

#include "policies/json_document.h"

namespace bulkhead {

DocumentKind kind_of(std::string_view text) {
  DiagnosticList ignored;
  const JsonDocument document = parse_document(text, ignored);
  const JsonValue* root = document.root();
  const bool experiment =
      root != nullptr && root->find("experiment") != nullptr && root->find("bulkhead") == nullptr;
  return experiment ? DocumentKind::experiment : DocumentKind::policy;
}

}  // namespace bulkhead
