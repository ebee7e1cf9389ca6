// SPDX-License-Identifier: Apache-2.0
#include "simulator/kernel_model/kernel_text.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <optional>
#include <vector>

#include "controller/base/text.h"

namespace bulkhead::sim {
namespace {

constexpr unsigned kWordBits = 32;  // of a part of a mask

bool starts_with_nocase(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size() &&
         std::equal(lower.begin(), lower.end(), text.begin(), [](char a, char b) {
           return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
         });
}

// Decimal digits at the start of a list, taken off; "N" means the last bit.
class ListReader {
 public:
  ListReader(std::string_view text, unsigned bits) : rest_(text.substr(0, text.find('\n'))), bits_(bits) {}

  ParsedSet read() {
    ParsedSet result;
    while (skip_separators()) {
      if (const int error = read_range(result.set)) return {error, {}};
    }
    return result;
  }

 private:
  static bool separates(char character) { return is_space(character) || character == ','; }

  bool skip_separators() {
    while (!rest_.empty() && separates(rest_.front())) rest_.remove_prefix(1);
    return !rest_.empty();
  }

  bool at_end() const { return rest_.empty() || separates(rest_.front()); }

  bool take(char wanted) {
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  int take_number(unsigned& number) {
    if (take('N')) {
      number = bits_ - 1;
      return 0;
    }
    const std::size_t digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    if (digits == 0) return EINVAL;
    const auto value = parse_integer<unsigned>(rest_.substr(0, digits));
    rest_.remove_prefix(digits);
    if (!value) return EOVERFLOW;
    number = *value;
    return 0;
  }

  int read_range(CpuSet& set) {
    unsigned first = 0;
    unsigned last = bits_ - 1;
    if (starts_with_nocase(rest_, "all")) {
      rest_.remove_prefix(3);
    } else {
      if (const int error = take_number(first)) return error;
      last = first;
      if (!at_end()) {
        if (!take('-')) return EINVAL;
        if (const int error = take_number(last)) return error;
      }
    }
    unsigned used = last + 1;
    unsigned group = last + 1;
    if (!at_end()) {
      if (!take(':')) return EINVAL;
      if (const int error = take_number(used)) return error;
      if (!take('/')) return EINVAL;
      if (const int error = take_number(group)) return error;
    }
    if (first > last || group == 0 || used > group) return EINVAL;
    if (last >= bits_) return ERANGE;
    for (unsigned bit = first; bit <= last; ++bit) {
      if ((bit - first) % group < used) set.insert(bit);
    }
    return 0;
  }

  std::string_view rest_;
  unsigned bits_;
};

std::optional<unsigned> digit_of(char character) {
  return parse_integer<unsigned>(std::string_view(&character, 1), 16);
}

// Sets the bits of one hexadecimal part, whose lowest bit is `lowest`.
int add_part(std::string_view part, unsigned lowest, CpuSet& set) {
  unsigned bit = lowest;
  for (std::size_t index = part.size(); index > 0; --index, bit += 4) {
    const auto digit = digit_of(part[index - 1]);
    if (bit == lowest + kWordBits) return digit ? EOVERFLOW : 0;
    if (!digit) return EINVAL;
    for (unsigned offset = 0; offset < 4; ++offset) {
      if ((*digit >> offset & 1U) != 0) set.insert(bit + offset);
    }
  }
  return 0;
}

}  // namespace

bool is_space(char character) {
  return character == ' ' || (character >= '\t' && character <= '\r');
}

std::string_view strip(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

ParsedNumber parse_number(std::string_view text, unsigned base, std::int64_t least, std::int64_t most) {
  if (text.ends_with('\n')) text.remove_suffix(1);
  bool negative = false;
  if (text.starts_with('+') || (least < 0 && text.starts_with('-'))) {
    negative = text.front() == '-';
    text.remove_prefix(1);
  }
  const bool hexadecimal = starts_with_nocase(text, "0x") && text.size() > 2 && digit_of(text[2]);
  if (base == 0) base = hexadecimal ? 16 : text.starts_with('0') ? 8 : 10;
  if (base == 16 && hexadecimal) text.remove_prefix(2);
  if (text.empty()) return {EINVAL};
  for (const char character : text) {
    const auto digit = digit_of(character);
    if (!digit || *digit >= base) return {EINVAL};
  }
  const auto size = parse_integer<std::uint64_t>(text, static_cast<int>(base));
  const auto limit =
      negative ? static_cast<std::uint64_t>(-(least + 1)) + 1 : static_cast<std::uint64_t>(most);
  if (!size || *size > limit) return {ERANGE};
  return {0, negative ? -static_cast<std::int64_t>(*size) : static_cast<std::int64_t>(*size)};
}

std::optional<bool> parse_bool(std::string_view text) {
  for (const std::string_view start : {"1", "y", "on"}) {
    if (starts_with_nocase(text, start)) return true;
  }
  for (const std::string_view start : {"0", "n", "of"}) {
    if (starts_with_nocase(text, start)) return false;
  }
  return std::nullopt;
}

ParsedSet parse_list(std::string_view text, unsigned bits) {
  return ListReader(text, bits).read();
}

ParsedSet parse_mask(std::string_view text, unsigned bits) {
  text = text.substr(0, text.find('\n'));
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(", \t\v\f\r"), text.size());
    if (end > 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  ParsedSet result;
  const unsigned words = (bits + kWordBits - 1) / kWordBits;
  // From the lowest part on, which is the last: the first mistake found decides on the errno.
  for (std::size_t index = parts.size(); index > 0; --index) {
    const auto word = static_cast<unsigned>(parts.size() - index);
    if (word >= words) return {EOVERFLOW, {}};
    if (const int error = add_part(parts[index - 1], word * kWordBits, result.set)) return {error, {}};
  }
  if (!result.set.empty() && result.set.last() >= bits) return {EOVERFLOW, {}};
  return result;
}

std::string to_mask(const CpuSet& set, unsigned bits) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  const unsigned digits = (bits + 3) / 4;
  for (unsigned digit = digits; digit > 0; --digit) {
    unsigned value = 0;
    for (unsigned offset = 0; offset < 4; ++offset) {
      if (set.contains((digit - 1) * 4 + offset)) value |= 1U << offset;
    }
    text += kDigits[value];
    if (digit > 1 && (digit - 1) % (kWordBits / 4) == 0) text += ',';
  }
  return text;
}

}  // namespace bulkhead::sim
