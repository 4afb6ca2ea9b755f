#ifndef HLO_INDEXING_LAYOUT_CUTE_ERROR_TEXT_H_
#define HLO_INDEXING_LAYOUT_CUTE_ERROR_TEXT_H_

#include "layout/cute/layout_evaluate.h"

// Errors that name the layouts as S:D. A message of static_assert is a literal, so the layouts
// stand beside it, as text in the template arguments of the function that reports: from C++20 on a
// template argument may be a text, which GCC shows. Otherwise the types alone are shown.
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

// Clang shows such arguments as lists of numbers.
#if !defined(__clang__) && defined(__cpp_nontype_template_args) && \
    __cpp_nontype_template_args >= 201911L

template <int n>
struct Text {
  char text[n + 1];
};

// Writes S:D of a tree; counts only, if there is nowhere to write to.
struct TextWriter {
  char* out;
  int count;
  constexpr void Put(char c) {
    if (out != nullptr) out[count] = c;
    ++count;
  }
  constexpr void PutInteger(int64_t value) {
    if (value < 0) {
      Put('-');
      value = -value;
    }
    int64_t unit = 1;
    while (value / unit >= 10) unit *= 10;
    for (; unit > 0; unit /= 10) Put(static_cast<char>('0' + value / unit % 10));
  }
  constexpr void PutNumber(Number const& n) {
    if (n.known()) {
      Put('_');
      PutInteger(n.value);
    } else {
      Put('?');
    }
  }
  constexpr int PutTree(ModeTree const& tree, int position, bool strides) {
    if (tree.arity[position] == 0) {
      PutNumber(strides ? tree.mode[position].stride : tree.mode[position].shape);
      for (int64_t path = strides ? tree.mode[position].path : 0; path != 0; path >>= 8) {
        Put('@');
        PutInteger((path & 0xff) - 1);
      }
      return position + 1;
    }
    Put('(');
    int at = position + 1;
    for (int i = 0; i < tree.arity[position] - 1; ++i) {
      if (i > 0) Put(',');
      at = PutTree(tree, at, strides);
    }
    Put(')');
    return at;
  }
};

template <class T>
constexpr int WriteType(char* out) {
  Program program{};
  const ModeTree tree = Encode(program, TypeTag<T>{});
  TextWriter writer{out, 0};
  writer.PutTree(tree, 0, false);
  if constexpr (is_layout_v<T>) {
    writer.Put(':');
    writer.PutTree(tree, 0, true);
  }
  return writer.count;
}
template <class T>
constexpr auto TextOfType() {
  Text<WriteType<T>(nullptr)> text{};
  WriteType<T>(text.text);
  return text;
}

#define HLO_CUTE_TEXT(T) , ::hlo_indexing::layout::cute::detail::TextOfType<T>()
#else
#define HLO_CUTE_TEXT(T)
#endif

}  // namespace detail
HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_ERROR_TEXT_H_
