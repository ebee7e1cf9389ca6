// SPDX-License-Identifier: Apache-2.0
// A file, folder or link of the modelled kernel, as looked up just now. A folder knows its children by name,
// so that listing and looking up cannot disagree. A node is used at once and never kept: what it refers to
// may go.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace bulkhead::sim {

// What an operation answers: 0 or an errno, and the content that was read.
struct Answer {
  int error = 0;
  std::string text;
};

enum class NodeKind { absent, file, directory, link };

struct Node {
  NodeKind kind = NodeKind::absent;
  // Differs between a thing and a later one with the same path.
  std::uint64_t identity = 0;

  std::function<Answer()> read;                           // files
  std::function<int(std::string_view)> write;             // files; none: mode 0444
  std::function<int()> refuse_open;                       // files; what open(2) answers, where it can refuse
  std::function<std::vector<std::string>()> names;        // directories
  std::function<Node(const std::string&)> child;          // directories
  std::function<int(const std::string&)> make_directory;  // directories; none: EPERM
  std::function<int()> remove_directory;                  // directories; none: EPERM
  std::string target;                                     // links
};

Node file(std::function<Answer()> read, std::function<int(std::string_view)> write = nullptr);
Node text_file(std::string text);  // read-only, with a newline added
Node link(std::string target);

using Entries = std::vector<std::pair<std::string, std::function<Node()>>>;
Node directory(Entries entries);

// The names of a path; empty ones and "." are none.
std::vector<std::string> parts_of(const std::string& path);

// The node at the end of `path` below `root`, an absent one if there is none. `error` becomes ENOTDIR where a
// file is in the way, else ENOENT.
Node walk(Node root, const std::vector<std::string>& path, int& error);

}  // namespace bulkhead::sim
