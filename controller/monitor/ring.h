// SPDX-License-Identifier: Apache-2.0
// The latest values of something, in memory that never grows.
#pragma once

#include <array>
#include <cstddef>

namespace bulkhead {

template <class T, std::size_t kCapacity>
class Ring {
 public:
  void push(const T& value) {
    values_[pushed_ % kCapacity] = value;
    ++pushed_;
  }

  std::size_t size() const { return pushed_ < kCapacity ? pushed_ : kCapacity; }
  bool empty() const { return pushed_ == 0; }

  // 0 is the latest; back < size().
  const T& latest(std::size_t back = 0) const { return values_[(pushed_ - 1 - back) % kCapacity]; }

 private:
  std::array<T, kCapacity> values_{};
  std::size_t pushed_ = 0;
};

}  // namespace bulkhead
