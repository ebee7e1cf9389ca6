// SPDX-License-Identifier: Apache-2.0
#include "controller/base/cpu_set.h"

#include <algorithm>
#include <bit>

#include "controller/base/error.h"
#include "controller/base/text.h"

namespace bulkhead {
namespace {

unsigned parse_number(std::string_view text, std::string_view part) {
  const auto number = parse_integer<unsigned>(text);
  if (!number) throw Error(ErrorCode::invalid, "'" + std::string(part) + "' is not a number or a range");
  if (*number > CpuSet::kLargest) {
    throw Error(ErrorCode::invalid,
                "'" + std::string(part) + "' is beyond " + std::to_string(CpuSet::kLargest));
  }
  return *number;
}

// One part of a list: "5", "0-3", or the kernel's "0-31:2/4", the first 2 of every 4.
void insert_part(CpuSet& set, std::string_view part) {
  std::string_view bounds = part;
  unsigned used = 1;
  unsigned group = 1;
  if (const auto colon = part.find(':'); colon != std::string_view::npos) {
    const std::string_view pattern = part.substr(colon + 1);
    const auto slash = pattern.find('/');
    if (slash == std::string_view::npos) {
      throw Error(ErrorCode::invalid, "'" + std::string(part) + "' has a ':' without 'used/group'");
    }
    used = parse_number(pattern.substr(0, slash), part);
    group = parse_number(pattern.substr(slash + 1), part);
    if (used == 0 || group == 0 || used > group) {
      throw Error(ErrorCode::invalid, "'" + std::string(part) + "' has an impossible 'used/group'");
    }
    bounds = part.substr(0, colon);
  }
  const auto dash = bounds.find('-');
  const unsigned first = parse_number(trim(bounds.substr(0, dash)), part);
  const unsigned last =
      dash == std::string_view::npos ? first : parse_number(trim(bounds.substr(dash + 1)), part);
  if (last < first) throw Error(ErrorCode::invalid, "'" + std::string(part) + "' ends before it begins");
  if (used == group) {
    set |= CpuSet::range(first, last);
    return;
  }
  for (unsigned cpu = first; cpu <= last; ++cpu) {
    if ((cpu - first) % group < used) set.insert(cpu);
  }
}

}  // namespace

CpuSet::CpuSet(std::initializer_list<unsigned> cpus) {
  for (const unsigned cpu : cpus) insert(cpu);
}

CpuSet CpuSet::range(unsigned first, unsigned last) {
  CpuSet set;
  if (last < first) return set;
  set.words_.resize(last / 64 + 1, 0);
  for (std::size_t index = first / 64; index <= last / 64; ++index) set.words_[index] = ~std::uint64_t{0};
  set.words_[first / 64] &= ~std::uint64_t{0} << (first % 64);
  set.words_[last / 64] &= ~std::uint64_t{0} >> (63 - last % 64);
  return set;
}

CpuSet CpuSet::parse_list(std::string_view text) {
  CpuSet set;
  for (std::string_view rest = trim(text); !rest.empty();) {
    const auto comma = rest.find(',');
    if (const std::string_view part = trim(rest.substr(0, comma)); !part.empty()) insert_part(set, part);
    rest = comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1);
  }
  return set;
}

void CpuSet::insert(unsigned cpu) {
  const std::size_t index = cpu / 64;
  if (index >= words_.size()) words_.resize(index + 1, 0);
  words_[index] |= std::uint64_t{1} << (cpu % 64);
}

void CpuSet::erase(unsigned cpu) {
  const std::size_t index = cpu / 64;
  if (index >= words_.size()) return;
  words_[index] &= ~(std::uint64_t{1} << (cpu % 64));
  drop_empty_end();
}

bool CpuSet::contains(unsigned cpu) const {
  const std::size_t index = cpu / 64;
  return index < words_.size() && (words_[index] >> (cpu % 64) & 1) != 0;
}

bool CpuSet::contains(const CpuSet& other) const {
  if (other.words_.size() > words_.size()) return false;
  for (std::size_t index = 0; index < other.words_.size(); ++index) {
    if ((other.words_[index] & ~words_[index]) != 0) return false;
  }
  return true;
}

bool CpuSet::intersects(const CpuSet& other) const {
  const std::size_t shared = std::min(words_.size(), other.words_.size());
  for (std::size_t index = 0; index < shared; ++index) {
    if ((words_[index] & other.words_[index]) != 0) return true;
  }
  return false;
}

std::size_t CpuSet::size() const {
  std::size_t count = 0;
  for (const std::uint64_t word : words_) count += static_cast<std::size_t>(std::popcount(word));
  return count;
}

unsigned CpuSet::first() const {
  std::size_t index = 0;
  while (words_.at(index) == 0) ++index;
  return static_cast<unsigned>(index * 64) + static_cast<unsigned>(std::countr_zero(words_[index]));
}

unsigned CpuSet::last() const {
  return static_cast<unsigned>(words_.size() * 64) - 1 -
         static_cast<unsigned>(std::countl_zero(words_.at(words_.size() - 1)));
}

std::vector<unsigned> CpuSet::members() const {
  std::vector<unsigned> all;
  all.reserve(size());
  for_each([&](unsigned cpu) { all.push_back(cpu); });
  return all;
}

CpuSet& CpuSet::operator|=(const CpuSet& other) {
  if (other.words_.size() > words_.size()) words_.resize(other.words_.size(), 0);
  for (std::size_t index = 0; index < other.words_.size(); ++index) words_[index] |= other.words_[index];
  return *this;
}

CpuSet& CpuSet::operator&=(const CpuSet& other) {
  if (words_.size() > other.words_.size()) words_.resize(other.words_.size());
  for (std::size_t index = 0; index < words_.size(); ++index) words_[index] &= other.words_[index];
  drop_empty_end();
  return *this;
}

CpuSet& CpuSet::operator-=(const CpuSet& other) {
  const std::size_t shared = std::min(words_.size(), other.words_.size());
  for (std::size_t index = 0; index < shared; ++index) words_[index] &= ~other.words_[index];
  drop_empty_end();
  return *this;
}

std::string CpuSet::to_list() const {
  std::string list;
  const std::vector<unsigned> all = members();
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    while (end + 1 < all.size() && all[end + 1] == all[end] + 1) ++end;
    if (!list.empty()) list += ',';
    list += std::to_string(all[begin]);
    if (end != begin) list += '-' + std::to_string(all[end]);
    begin = end + 1;
  }
  return list;
}

void CpuSet::drop_empty_end() {
  while (!words_.empty() && words_.back() == 0) words_.pop_back();
}

}  // namespace bulkhead
