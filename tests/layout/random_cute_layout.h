// Random layouts for the tests of CuTe's algebra.
#ifndef HLO_INDEXING_TESTS_LAYOUT_RANDOM_CUTE_LAYOUT_H_
#define HLO_INDEXING_TESTS_LAYOUT_RANDOM_CUTE_LAYOUT_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "layout/cute_algebra/int_tuple.h"
#include "layout/cute_algebra/layout.h"
#include "tests/layout/plain_modes.h"

namespace hlo_indexing::layout {

inline PlainModes PlainModesOf(const CuteLayout& layout) {
  const auto extents = layout.shape().Leaves();
  const auto strides = layout.stride().Leaves();
  PlainModes modes;
  for (size_t i = 0; i < extents.size(); ++i) modes.push_back({extents[i].value, strides[i].value});
  return modes;
}

inline std::vector<int64_t> TableOf(const CuteLayout& layout) {
  return TableOf(PlainModesOf(layout));
}

enum class RandomKinds : uint8_t { kStatic, kDynamic, kMixed };

class RandomLayouts : public RandomModes {
 public:
  using RandomModes::RandomModes;

  /// The modes as a layout, nested at random, up to 3 deep.
  CuteLayout Nested(const PlainModes& modes, RandomKinds kinds) {
    std::vector<std::pair<IntTuple, IntTuple>> parts;
    for (const PlainMode& mode : modes) {
      parts.emplace_back(Number(mode.extent, kinds), Number(mode.stride, kinds));
    }
    for (int depth = 0; depth < 2 && parts.size() > 1; ++depth) {
      const auto begin = static_cast<size_t>(Below(static_cast<int64_t>(parts.size())));
      const size_t end =
          begin + 1 + static_cast<size_t>(Below(static_cast<int64_t>(parts.size() - begin)));
      if (Below(2) == 0 || (begin == 0 && end == parts.size())) continue;
      std::pair<IntTuple, IntTuple> group = Tuple({parts.begin() + static_cast<ptrdiff_t>(begin),
                                                   parts.begin() + static_cast<ptrdiff_t>(end)});
      parts.erase(parts.begin() + static_cast<ptrdiff_t>(begin),
                  parts.begin() + static_cast<ptrdiff_t>(end));
      parts.insert(parts.begin() + static_cast<ptrdiff_t>(begin), std::move(group));
    }
    std::pair<IntTuple, IntTuple> whole =
        parts.size() == 1 && Below(2) == 0 ? parts.front() : Tuple(parts);
    return CuteLayout::Create(std::move(whole.first), std::move(whole.second)).value();
  }

  IntTuple Number(int64_t value, RandomKinds kinds) {
    const bool is_static =
        kinds == RandomKinds::kStatic || (kinds == RandomKinds::kMixed && Below(2) == 0);
    return is_static ? IntTuple::Static(value) : IntTuple::Dynamic(value);
  }

  RandomKinds AnyKinds() { return static_cast<RandomKinds>(Below(3)); }

 private:
  static std::pair<IntTuple, IntTuple> Tuple(std::vector<std::pair<IntTuple, IntTuple>> parts) {
    std::vector<IntTuple> shape;
    std::vector<IntTuple> stride;
    for (auto& [extent, step] : parts) {
      shape.push_back(std::move(extent));
      stride.push_back(std::move(step));
    }
    return {IntTuple::Tuple(std::move(shape)), IntTuple::Tuple(std::move(stride))};
  }
};

}  // namespace hlo_indexing::layout

#endif  // HLO_INDEXING_TESTS_LAYOUT_RANDOM_CUTE_LAYOUT_H_
