#ifndef HLO_INDEXING_TESTS_LAYOUT_CUTE_FACT_CHECK_H_
#define HLO_INDEXING_TESTS_LAYOUT_CUTE_FACT_CHECK_H_

#include <stdexcept>

#define HLO_INDEXING_CUTE_FAIL(message) throw std::runtime_error(message)

#include <string>
#include <vector>

#include "layout/cute/tensor.h"
#include "tests/layout/cute/text_of.h"

// What check_facts.py generates calls these: each prints one record of what an expression gives, as
//   id TAB kind TAB base TAB text TAB offsets
namespace fact_check {

namespace cute = hlo_indexing::layout::cute;

using cute_test::TextOf;

inline constexpr int64_t kMaxOffsets = 256;

template <class L>
std::vector<int64_t> OffsetsOf(L const& layout, int64_t base) {
  std::vector<int64_t> offsets;
  const int64_t count = static_cast<int64_t>(size(layout));
  if (count > kMaxOffsets) return offsets;
  for (int64_t i = 0; i < count; ++i) {
    const auto value = layout(i);
    if constexpr (cute::is_integral<decltype(value)>::value) {
      offsets.push_back(base + static_cast<int64_t>(value));
    }
  }
  return offsets;
}

inline void Record(int id, const char* kind, int64_t base, std::string const& text,
                   std::vector<int64_t> const& offsets) {
  std::string line =
      std::to_string(id) + "\t" + kind + "\t" + std::to_string(base) + "\t" + text + "\t";
  for (size_t i = 0; i < offsets.size(); ++i)
    line += (i == 0 ? "" : ",") + std::to_string(offsets[i]);
  printf("%s\n", line.c_str());
}

template <class T>
void Show(int id, T const& t) {
  if constexpr (cute::is_tensor<T>::value) {
    if constexpr (cute::is_integral<decltype(*t.data())>::value) {
      const int64_t base = static_cast<int64_t>(*t.data());
      Record(id, "layout", base, TextOf(t.layout()), OffsetsOf(t.layout(), base));
    } else {
      Record(id, "value", 0, TextOf(t), {});
    }
  } else if constexpr (cute::is_layout<T>::value || cute::is_composed_layout<T>::value) {
    Record(id, "layout", 0, TextOf(t), OffsetsOf(t, 0));
  } else {
    Record(id, "value", 0, TextOf(t), {});
  }
}
template <class L, class Offset>
void ShowWithBase(int id, cute::tuple<L, Offset> const& t) {
  const int64_t base = static_cast<int64_t>(cute::get<1>(t));
  const auto layout = cute::get<0>(t);
  Record(id, "layout", base, TextOf(layout), OffsetsOf(layout, base));
}

template <class L>
auto Counting(L const& layout) {
  return cute::make_tensor(cute::counting_iterator<int>{0}, layout);
}

/// The storage of the algorithm facts: a and b are read, c is written.
struct Storage {
  std::vector<int> a, b, c;
  Storage() : a(4096), b(4096), c(4096) {
    for (int i = 0; i < 4096; ++i) {
      a[i] = (7 * i + 3) % 23 - 5;
      b[i] = (5 * i + 1) % 19 - 4;
      c[i] = 1000 + i;
    }
  }
  std::string Written(int64_t count) const {
    std::string text;
    for (int64_t i = 0; i < count; ++i) text += (i == 0 ? "" : ",") + std::to_string(c[i]);
    return text;
  }
};

template <class T>
std::string BasesOf(T const& layout) {
  const auto bases = f2_bases(layout);
  if (!bases.linear) return "error";
  std::string text = "[";
  for (int i = 0; i < bases.count; ++i)
    text += (i == 0 ? "" : ", ") + std::to_string(bases.basis[i]);
  return text + "]";
}

template <class F>
void Guarded(int id, F&& f) {
  try {
    f();
  } catch (std::runtime_error const& error) {
    Record(id, "error", 0, error.what(), {});
  }
}

}  // namespace fact_check

#endif  // HLO_INDEXING_TESTS_LAYOUT_CUTE_FACT_CHECK_H_
