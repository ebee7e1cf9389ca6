// SPDX-License-Identifier: Apache-2.0
#include "simulator/kernel_model/node.h"

#include <cerrno>
#include <memory>

#include "controller/base/text.h"

namespace bulkhead::sim {

Node file(std::function<Answer()> read, std::function<int(std::string_view)> write) {
  Node node;
  node.kind = NodeKind::file;
  node.read = std::move(read);
  node.write = std::move(write);
  return node;
}

Node text_file(std::string text) {
  text += '\n';
  return file([text = std::move(text)] { return Answer{0, text}; });
}

Node link(std::string target) {
  Node node;
  node.kind = NodeKind::link;
  node.target = std::move(target);
  return node;
}

Node directory(Entries entries) {
  const auto shared = std::make_shared<Entries>(std::move(entries));
  Node node;
  node.kind = NodeKind::directory;
  node.names = [shared] {
    std::vector<std::string> names;
    for (const auto& [name, make] : *shared) names.push_back(name);
    return names;
  };
  node.child = [shared](const std::string& wanted) {
    for (const auto& [name, make] : *shared) {
      if (name == wanted) return make();
    }
    return Node{};
  };
  return node;
}

std::vector<std::string> parts_of(const std::string& path) {
  std::vector<std::string> parts;
  for (const std::string_view part : split(path, '/')) {
    if (!part.empty() && part != ".") parts.emplace_back(part);
  }
  return parts;
}

Node walk(Node root, const std::vector<std::string>& path, int& error) {
  error = 0;
  for (const std::string& name : path) {
    if (root.kind != NodeKind::directory) {
      error = ENOTDIR;
      return {};
    }
    const auto child = root.child;  // kept alive while it makes the node that replaces its own
    root = child(name);
    if (root.kind == NodeKind::absent) {
      error = ENOENT;
      return {};
    }
  }
  return root;
}

}  // namespace bulkhead::sim
