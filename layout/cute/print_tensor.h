#ifndef HLO_INDEXING_LAYOUT_CUTE_PRINT_TENSOR_H_
#define HLO_INDEXING_LAYOUT_CUTE_PRINT_TENSOR_H_

#include "layout/cute/algorithm.h"
#include "layout/cute/print.h"

// print(tensor) says what it is, print_tensor(tensor) shows the elements, and so does operator<<.
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

template <class Sink, class T>
HLO_CUTE_LEAF void Write(Sink const& sink, T* const& pointer) {
  sink.Text("ptr[");
  sink.Integer(sizeof_bits_v<T>);
  sink.Text("b](");
  sink.Pointer(reinterpret_cast<const void*>(pointer));
  sink.Text(")");
}
template <class Sink, class T>
HLO_CUTE_INLINE void Write(Sink const& sink, subbyte_iterator<T> const& iter) {
  sink.Text("subptr[");
  sink.Integer(sizeof_bits_v<T>);
  sink.Text("b](");
  sink.Pointer(iter.byte);
  sink.Text(".");
  sink.Integer(iter.bit);
  sink.Text(")");
}
HLO_CUTE_INLINE constexpr const char* TagName(gmem_tag) { return "gmem_"; }
HLO_CUTE_INLINE constexpr const char* TagName(smem_tag) { return "smem_"; }
HLO_CUTE_INLINE constexpr const char* TagName(rmem_tag) { return "rmem_"; }
template <class Sink, class Tag, class Iter>
HLO_CUTE_INLINE void Write(Sink const& sink, TaggedIterator<Tag, Iter> const& iter) {
  sink.Text(TagName(Tag{}));
  Write(sink, iter.get());
}
template <class Sink, class Sw, class Iter>
HLO_CUTE_INLINE void Write(Sink const& sink, swizzle_ptr<Sw, Iter> const& iter) {
  Write(sink, Sw{});
  sink.Text("_");
  Write(sink, iter.get());
}
template <class Sink, class T>
HLO_CUTE_INLINE void Write(Sink const& sink, counting_iterator<T> const& iter) {
  sink.Text("counting_iter(");
  sink.Integer(static_cast<int64_t>(iter.n_));
  sink.Text(")");
}
template <class Sink, class T>
HLO_CUTE_INLINE void Write(Sink const& sink, ArithmeticTupleIterator<T> const& iter) {
  sink.Text("ArithTuple");
  Write(sink, iter.coord_);
}
template <class Sink, class F, class Iter>
HLO_CUTE_INLINE void Write(Sink const& sink, lazy::transform_iterator<F, Iter> const& iter) {
  sink.Text("trans_");
  Write(sink, iter.iter_);
}
template <class Sink, class E, class L>
HLO_CUTE_LEAF void Write(Sink const& sink, Tensor<E, L> const& t) {
  Write(sink, t.data());
  sink.Text(" o ");
  Write(sink, t.layout());
}

// How an element is shown in a table: the width of its column and its format.
template <class T>
HLO_CUTE_HD void PrintElement(T const& x) {
  if constexpr (std::is_same<T, bool>::value) {
    printf("%3d", static_cast<int>(x));
  } else if constexpr (std::is_same<T, float>::value) {
    printf("%*.2e", 10, static_cast<double>(x));
  } else if constexpr (std::is_same<T, double>::value) {
    printf("%*.3e", 11, x);
  } else if constexpr (std::is_same<T, half_t>::value || std::is_same<T, bfloat16_t>::value) {
    printf("%*.2f", 8, static_cast<double>(static_cast<float>(x)));
  } else if constexpr (std::is_integral<T>::value && sizeof(T) > 1) {
    printf("%*lld", 5, static_cast<long long>(x));
  } else if constexpr (std::is_convertible<T, int>::value) {
    printf("  %d", static_cast<int>(x));
  } else {
    printf("  ");
    print(x);
  }
}
HLO_CUTE_HD inline void PrintRule(char c, int64_t length) {
  for (int64_t i = 0; i < length; ++i) printf("%c", c);
  printf("\n");
}

// An element as a value: what a reference to a packed one refers to. The elements of a coordinate
// tensor have types of their own.
template <class T, class Element>
HLO_CUTE_HD decltype(auto) ElementValue(Element const& element) {
  using Value = typename T::value_type;
  if constexpr (is_tuple<Value>::value) {
    return static_cast<Element const&>(element);
  } else {
    return static_cast<Value>(element);
  }
}

template <class T>
HLO_CUTE_HD void PrintElements(T const& t) {
  constexpr int r = T::rank;
  if constexpr (r == 1) {
    for (int64_t m = 0; m < static_cast<int64_t>(size(t)); ++m) {
      PrintElement(ElementValue<T>(t(m)));
      printf("\n");
    }
  } else if constexpr (r == 2) {
    for (int64_t m = 0; m < static_cast<int64_t>(size<0>(t)); ++m) {
      for (int64_t n = 0; n < static_cast<int64_t>(size<1>(t)); ++n) {
        PrintElement(ElementValue<T>(t(m, n)));
      }
      printf("\n");
    }
  } else {
    const int64_t count = static_cast<int64_t>(size<r - 1>(t));
    for (int64_t k = 0; k < count; ++k) {
      PrintElements(t(append<r>(tuple_repeat<r - 1>(_), k)));
      if (k + 1 < count) PrintRule(r == 3 ? '-' : '=', 5 * static_cast<int64_t>(size<1>(t)));
    }
  }
}

// The same for streams: all columns are 9 wide.
template <class Stream, class T>
void StreamElements(Stream& os, T const& t) {
  constexpr int r = T::rank;
  if constexpr (r == 1) {
    for (int64_t m = 0; m < static_cast<int64_t>(size(t)); ++m) {
      os.width(9);
      os << ElementValue<T>(t(m)) << '\n';
    }
  } else if constexpr (r == 2) {
    for (int64_t m = 0; m < static_cast<int64_t>(size<0>(t)); ++m) {
      for (int64_t n = 0; n < static_cast<int64_t>(size<1>(t)); ++n) {
        os.width(9);
        os << ElementValue<T>(t(m, n));
      }
      os << '\n';
    }
  } else {
    const int64_t count = static_cast<int64_t>(size<r - 1>(t));
    for (int64_t k = 0; k < count; ++k) {
      StreamElements(os, t(append<r>(tuple_repeat<r - 1>(_), k)));
      if (k + 1 == count) break;
      for (int64_t i = 0; i < 9 * static_cast<int64_t>(size<1>(t)); ++i) os << (r == 3 ? '-' : '=');
      os << '\n';
    }
  }
}

}  // namespace detail

/// Prints the tensor and a table of its elements, of rank 1 to 4.
template <class E, class L>
HLO_CUTE_HD void print_tensor(Tensor<E, L> const& t) {
  static_assert(1 <= L::rank && L::rank <= 4, "print_tensor(t): the rank of t must be 1 to 4.");
  print(t);
  printf(":\n");
  detail::PrintElements(t);
}
template <class Char, class Traits, class E, class L>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& os,
                                             Tensor<E, L> const& t) {
  static_assert(1 <= L::rank && L::rank <= 4, "os << t: the rank of t must be 1 to 4.");
  os << t.layout() << '\n';
  detail::StreamElements(os, t);
  return os;
}
/// A tagged iterator on a stream is its tag and the width of its elements: gmem_[32b].
template <class Char, class Traits, class Tag, class Iter>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& os,
                                             TaggedIterator<Tag, Iter> const&) {
  os << detail::TagName(Tag{}) << "[" << sizeof_bits_v<iter_value_t<Iter>> << "b]";
  return os;
}

/// Prints a layout of rank 2 as a table of offsets.
template <class L>
HLO_CUTE_HD void print_layout(L const& l) {
  static_assert(L::rank == 2, "print_layout(l): the rank of l must be 2.");
  const int64_t rows = static_cast<int64_t>(size<0>(l));
  const int64_t columns = static_cast<int64_t>(size<1>(l));
  int width = 1;
  for (int64_t n = static_cast<int64_t>(cosize(l)); n >= 10; n /= 10) ++width;
  const auto rule = [&] {
    printf("    ");
    for (int64_t n = 0; n < columns; ++n) {
      printf("+");
      for (int i = 0; i < width + 2; ++i) printf("-");
    }
    printf("+\n");
  };
  print(l);
  printf("\n    ");
  for (int64_t n = 0; n < columns; ++n) printf("  %*lld ", width, static_cast<long long>(n));
  printf("\n");
  for (int64_t m = 0; m < rows; ++m) {
    rule();
    printf("%2lld  ", static_cast<long long>(m));
    for (int64_t n = 0; n < columns; ++n) {
      printf("| %*lld ", width, static_cast<long long>(static_cast<int64_t>(l(m, n))));
    }
    printf("|\n");
  }
  rule();
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_PRINT_TENSOR_H_
