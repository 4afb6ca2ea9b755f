// A seeded source of choices.
#ifndef HLO_INDEXING_TESTS_PROPERTY_RANDOM_H_
#define HLO_INDEXING_TESTS_PROPERTY_RANDOM_H_

#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace hlo_indexing::testing {

using Sizes = std::vector<int64_t>;

/// A seeded source of choices; the same everywhere, unlike the distributions of the standard
/// library.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  /// Choices by these bytes, one each, and by zeros behind their end: for fuzzers.
  explicit Random(std::vector<uint8_t> bytes) : bytes_(std::move(bytes)), uses_bytes_(true) {}

  /// A number in [low, high].
  int64_t Between(int64_t low, int64_t high) {
    // Unsigned: there may be more than 2^63 numbers, and 2^64, which wraps to 0.
    const uint64_t count = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
    const uint64_t choice = count == 0 ? Next() : Next() % count;
    return static_cast<int64_t>(static_cast<uint64_t>(low) + choice);
  }
  bool OneIn(int64_t n) { return Between(1, n) == 1; }
  template <typename T>
  const T& Pick(const std::vector<T>& values) {
    return values[static_cast<size_t>(Between(0, static_cast<int64_t>(values.size()) - 1))];
  }
  std::vector<int64_t> Permutation(size_t n);

 private:
  uint64_t Next() {
    if (!uses_bytes_) return engine_();
    return next_byte_ < bytes_.size() ? bytes_[next_byte_++] : 0;
  }

  std::mt19937_64 engine_;
  std::vector<uint8_t> bytes_;
  size_t next_byte_ = 0;
  bool uses_bytes_ = false;
};

/// Random sizes whose product is `total`, at most `max_rank` of them, ones included.
Sizes RandomFactors(Random& random, int64_t total, size_t max_rank);

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_PROPERTY_RANDOM_H_
