// Layouts as lists of modes in plain numbers: random ones, and plain enumeration to decide by.
// Needs no part of the library, so that the tests of values and of types have it in common.
#ifndef HLO_INDEXING_TESTS_LAYOUT_PLAIN_MODES_H_
#define HLO_INDEXING_TESTS_LAYOUT_PLAIN_MODES_H_

#include <algorithm>
#include <cstdint>
#include <random>
#include <vector>

namespace hlo_indexing::layout {

/// A mode as plain numbers.
struct PlainMode {
  int64_t extent;
  int64_t stride;
};
using PlainModes = std::vector<PlainMode>;

inline int64_t SizeOfModes(const PlainModes& modes) {
  int64_t size = 1;
  for (const PlainMode& mode : modes) size *= mode.extent;
  return size;
}

/// The offset of an index; past the end it counts on in the last mode.
inline int64_t ValueAt(const PlainModes& modes, int64_t index) {
  int64_t value = 0;
  for (size_t i = 0; i < modes.size(); ++i) {
    const bool last = i + 1 == modes.size();
    value += (last ? index : index % modes[i].extent) * modes[i].stride;
    if (!last) index /= modes[i].extent;
  }
  return value;
}

inline std::vector<int64_t> TableOf(const PlainModes& modes) {
  std::vector<int64_t> table;
  const int64_t size = SizeOfModes(modes);
  for (int64_t i = 0; i < size; ++i) table.push_back(ValueAt(modes, i));
  return table;
}
inline std::vector<int64_t> Sorted(std::vector<int64_t> values) {
  std::sort(values.begin(), values.end());
  return values;
}

/// Whether some layout has the given values, by trying every first extent.
inline bool IsLayoutFunction(const std::vector<int64_t>& table) {
  const auto n = static_cast<int64_t>(table.size());
  if (table[0] != 0) return false;
  if (n == 1) return true;
  for (int64_t first = 2; first <= n; ++first) {
    if (n % first != 0) continue;
    bool fits = true;
    std::vector<int64_t> rest;
    for (int64_t i = 0; i < n && fits; ++i) {
      fits = table[i] == table[i / first * first] + i % first * table[1];
      if (i % first == 0) rest.push_back(table[i]);
    }
    if (fits && IsLayoutFunction(rest)) return true;
  }
  return false;
}

/// Whether a layout whose modes are those of b, each perhaps split, has the values a(b(c)).
inline bool CompositionExists(const PlainModes& a, const PlainModes& b) {
  std::vector<std::vector<int64_t>> parts;
  for (const PlainMode& mode : b) {
    std::vector<int64_t> part;
    for (int64_t i = 0; i < mode.extent; ++i) part.push_back(ValueAt(a, i * mode.stride));
    if (!IsLayoutFunction(part)) return false;
    parts.push_back(part);
  }
  const int64_t size = SizeOfModes(b);
  for (int64_t index = 0; index < size; ++index) {
    int64_t rest = index;
    int64_t sum = 0;
    int64_t in_b = 0;
    for (size_t i = 0; i < b.size(); ++i) {
      sum += parts[i][rest % b[i].extent];
      in_b += rest % b[i].extent * b[i].stride;
      rest /= b[i].extent;
    }
    if (sum != ValueAt(a, in_b)) return false;
  }
  return true;
}

enum class RandomStrides : uint8_t { kNotNegative, kAny };
class RandomModes {
 public:
  explicit RandomModes(uint64_t seed) : random_(seed) {}

  int64_t Below(int64_t n) { return static_cast<int64_t>(random_() % static_cast<uint64_t>(n)); }
  std::mt19937_64& engine() { return random_; }

  /// Compact, permuted, padded, with zeros, arbitrary, or with negative strides.
  PlainModes AnyModes(int64_t max_modes, int64_t max_extent,
                      RandomStrides strides = RandomStrides::kNotNegative) {
    PlainModes modes(static_cast<size_t>(1 + Below(max_modes)));
    for (PlainMode& mode : modes) mode.extent = 1 + Below(max_extent);
    const int64_t style = Below(strides == RandomStrides::kAny ? 6 : 5);
    std::vector<size_t> order(modes.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (style > 0) std::shuffle(order.begin(), order.end(), random_);
    int64_t stride = 1;
    for (const size_t i : order) {
      if (style == 2) stride *= 1 + Below(3);
      modes[i].stride = style == 3 && Below(3) == 0 ? 0 : stride;
      if (style == 4) modes[i].stride = Below(13);
      if (style == 5 && Below(2) == 0) modes[i].stride = -stride;
      stride *= modes[i].extent;
    }
    return modes;
  }

  /// One time in three with all strides negated, or a random one.
  PlainModes WithSigns(PlainModes modes) {
    const int64_t kind = Below(6);
    const auto chosen = static_cast<size_t>(Below(static_cast<int64_t>(modes.size())));
    for (size_t i = 0; i < modes.size(); ++i) {
      if (kind == 0 || (kind == 1 && i == chosen)) modes[i].stride = -modes[i].stride;
    }
    return modes;
  }

  /// Modes whose strides run through those of a more often than not.
  PlainModes ModesInto(const PlainModes& a, int64_t max_modes) {
    PlainModes b(static_cast<size_t>(1 + Below(max_modes)));
    std::vector<int64_t> strides = {0, 1};
    int64_t product = 1;
    for (const PlainMode& mode : a) {
      for (int64_t d = 1; d <= mode.extent; ++d) {
        if (mode.extent % d == 0) strides.push_back(product * d);
      }
      product *= mode.extent;
    }
    for (PlainMode& mode : b) {
      mode.extent = 1 + Below(6);
      mode.stride = Below(6) == 0
                        ? Below(11)
                        : strides[static_cast<size_t>(Below(static_cast<int64_t>(strides.size())))];
    }
    return b;
  }

 private:
  std::mt19937_64 random_;
};

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_TESTS_LAYOUT_PLAIN_MODES_H_
