// SPDX-License-Identifier: Apache-2.0
// A set of small numbers: CPUs (logical CPUs by the kernel's number), and ids of nodes or CCDs in a policy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace bulkhead {

class CpuSet {
 public:
  // Numbers above this are refused when a list is parsed; the kernel's own limit is 8192 CPUs.
  static constexpr unsigned kLargest = 65535;

  CpuSet() = default;
  CpuSet(std::initializer_list<unsigned> cpus);
  static CpuSet range(unsigned first, unsigned last);  // both ends included

  // Linux list format, "0-3,8,10-14:2/4"; blanks and an ending newline are allowed, the empty list too.
  // Throws Error(invalid) that quotes the part that is wrong.
  static CpuSet parse_list(std::string_view text);

  void insert(unsigned cpu);
  void erase(unsigned cpu);
  bool contains(unsigned cpu) const;
  bool contains(const CpuSet& other) const;  // every member of other
  bool intersects(const CpuSet& other) const;
  bool empty() const { return words_.empty(); }
  std::size_t size() const;
  unsigned first() const;  // the smallest; the set must not be empty
  unsigned last() const;   // the largest; the set must not be empty
  std::vector<unsigned> members() const;

  CpuSet& operator|=(const CpuSet& other);
  CpuSet& operator&=(const CpuSet& other);
  CpuSet& operator-=(const CpuSet& other);
  friend CpuSet operator|(CpuSet left, const CpuSet& right) { return left |= right; }
  friend CpuSet operator&(CpuSet left, const CpuSet& right) { return left &= right; }
  friend CpuSet operator-(CpuSet left, const CpuSet& right) { return left -= right; }
  bool operator==(const CpuSet&) const = default;

  std::string to_list() const;  // "0-3,8"; empty for the empty set

  // Calls visit(unsigned) for each member in ascending order.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::size_t index = 0; index < words_.size(); ++index) {
      for (std::uint64_t word = words_[index]; word != 0; word &= word - 1) {
        visit(static_cast<unsigned>(index * 64) + static_cast<unsigned>(__builtin_ctzll(word)));
      }
    }
  }

 private:
  void drop_empty_end();

  std::vector<std::uint64_t> words_;  // never ends in a zero word, so that equal sets compare equal
};

}  // namespace bulkhead
