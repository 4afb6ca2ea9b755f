#ifndef HLO_INDEXING_LAYOUT_CUTE_GEMM_H_
#define HLO_INDEXING_LAYOUT_CUTE_GEMM_H_

#include "layout/cute/algorithm.h"
#include "layout/cute/complex.h"
#include "layout/cute/small_floats.h"

// gemm: D = A * B + C, by the ranks of the tensors. B is (N,K).
//
//   (V)     x (V)     -> (V)       elementwise
//   (M)     x (N)     -> (M,N)     outer product
//   (M,K)   x (N,K)   -> (M,N)     matrix product
//   (V,M)   x (V,N)   -> (V,M,N)   outer products of vectors
//   (V,M,K) x (V,N,K) -> (V,M,N)   matrix product of vectors
//
// An atom for a matrix instruction is a type with a static function Fma(d, a, b, c), on elements
// for ranks without V and on tensors of mode V for those with it.
HLO_CUTE_BEGIN_NAMESPACE

/// d = a * b + c by the operators of the types, so that the product of two halves is a half also
/// where c is a float. Types with arithmetic of their own overload it, here or beside the type.
template <class D, class A, class B, class C_>
HLO_CUTE_INLINE constexpr void fma(D& d, A const& a, B const& b, C_ const& c) {
  d = static_cast<D>(a * b + c);
}
/// Part by part, the real parts of the factors first.
template <class D, class A, class B, class C_>
HLO_CUTE_INLINE constexpr void fma(complex<D>& d, complex<A> const& a, complex<B> const& b,
                                   complex<C_> const& c) {
  fma(d.real(), a.real(), b.real(), c.real());
  fma(d.imag(), a.real(), b.imag(), c.imag());
  fma(d.real(), -a.imag(), b.imag(), d.real());
  fma(d.imag(), a.imag(), b.real(), d.imag());
}
/// c = a * b + c
template <class A, class B, class C_>
HLO_CUTE_INLINE constexpr void fma(A const& a, B const& b, C_& c) {
  fma(c, a, b, c);
}
/// c = a + b
template <class C_, class A, class B>
HLO_CUTE_INLINE constexpr void add(C_& c, A const& a, B const& b) {
  c = static_cast<C_>(a + b);
}
/// c = a * b
template <class C_, class A, class B>
HLO_CUTE_INLINE constexpr void mul(C_& c, A const& a, B const& b) {
  c = static_cast<C_>(a * b);
}

/// d = a * b + c by fma, of any types; those that it names are for MMA_Atom.
template <class D = void, class A = D, class B = A, class C_ = D>
struct UniversalFMA {
  using DRegisters = D[1];
  using ARegisters = A[1];
  using BRegisters = B[1];
  using CRegisters = C_[1];
  HLO_CUTE_INLINE static constexpr void fma(D& d, A const& a, B const& b, C_ const& c) {
    using cute::fma;
    fma(d, a, b, c);
  }
  template <class TD, class TA, class TB, class TC>
  HLO_CUTE_INLINE static constexpr void Fma(TD& d, TA const& a, TB const& b, TC const& c) {
    using cute::fma;
    fma(d, a, b, c);
  }
};
template <>
struct UniversalFMA<void, void, void, void> {
  template <class TD, class TA, class TB, class TC>
  HLO_CUTE_INLINE static constexpr void Fma(TD& d, TA const& a, TB const& b, TC const& c) {
    using cute::fma;
    fma(d, a, b, c);
  }
};

namespace detail {

template <class T>
constexpr int tensor_rank_v = detail::Plain<T>::rank;

// d = a * b + c on elements, which may be packed, where `at` gives them: d as a value that begins
// as c, and the others as values of their tensors' types.
template <class Atom, class D, class A, class B, class CT, class... Mn, class M, class N>
HLO_CUTE_INLINE void MultiplyElements(D& d, A const& a, M const& m, B const& b, N const& n,
                                      CT const& c, Mn const&... mn) {
  using Value = typename Plain<D>::value_type;
  auto value = static_cast<Value>(c(mn...));
  if constexpr (std::is_same<Value, typename CT::value_type>::value) {
    Atom::Fma(value, static_cast<typename A::value_type const&>(a(m)),
              static_cast<typename B::value_type const&>(b(n)), value);
  } else {
    Atom::Fma(value, static_cast<typename A::value_type const&>(a(m)),
              static_cast<typename B::value_type const&>(b(n)),
              static_cast<typename CT::value_type const&>(c(mn...)));
  }
  d(mn...) = value;
}

// d(i) = a(i) * b(i) + c(i) on elements, or the atom's instruction on the whole vector.
template <class Atom, class D, class A, class B, class CT>
HLO_CUTE_INLINE void GemmVector(Atom const&, D&& d, A const& a, B const& b, CT const& c) {
  if constexpr (std::is_same<Atom, UniversalFMA<>>::value) {
    using I = IndexOf<detail::Plain<D>>;
    const I count = static_cast<I>(size(d));
    CUTE_UNROLL
    for (I i = 0; i < count; ++i) MultiplyElements<Atom>(d, a, i, b, i, c, i);
  } else {
    Atom::Fma(d, a, b, c);
  }
}

// The bytes of an element, or of the vectors (V,...) of a tensor; 0 if that is not static.
template <class T>
struct VectorBytes : C<static_cast<int>(sizeof(T))> {};
template <class E, class L>
struct VectorBytes<Tensor<E, L>> {
  using Size = decltype(size<0>(std::declval<L const&>()));
  static constexpr int Bytes() {
    if constexpr (is_static_v<Size>) {
      return static_cast<int>(Size::value * sizeof(typename Tensor<E, L>::value_type));
    } else {
      return 0;
    }
  }
  static constexpr int value = Bytes();
};
template <class T>
constexpr int vector_bytes_v = VectorBytes<T>::value;

// Calls product(m, n) for all rows and columns, in an order in which registers of operands are used
// again before others: strips of `strip` rows go through the columns to and fro, or, for a strip of
// 0, columns go through the rows so.
template <int strip, class Product>
HLO_CUTE_INLINE void ForEachProduct(int rows, int columns, Product const& product) {
  if constexpr (strip == 0) {
    CUTE_UNROLL
    for (int n = 0; n < columns; ++n) {
      CUTE_UNROLL
      for (int i = 0; i < rows; ++i) product((n & 1) != 0 ? rows - 1 - i : i, n);
    }
  } else {
    CUTE_UNROLL
    for (int first = 0; first < rows; first += strip) {
      CUTE_UNROLL
      for (int i = 0; i < columns; ++i) {
        const int n = (first / strip & 1) != 0 ? columns - 1 - i : i;
        CUTE_UNROLL
        for (int m = first; m < first + strip; ++m) {
          if (m < rows) product(m, n);
        }
      }
    }
  }
}

// The rows of a strip: two where a vector of B is one register, one where it is two, and strips of
// columns where vectors are smaller or larger.
template <class A, class B>
HLO_CUTE_HD constexpr int StripOfVectors() {
  constexpr int a = vector_bytes_v<A>;
  constexpr int b = vector_bytes_v<B>;
  return (a == 4 || a == 8) && b == 4 ? 2 : a == 8 && b == 8 ? 1 : 0;
}

template <class Atom, class D, class A, class B, class CT>
HLO_CUTE_INLINE void GemmOuter(Atom const&, D&& d, A const& a, B const& b, CT const& c) {
  constexpr int strip = StripOfVectors<typename A::value_type, typename B::value_type>();
  ForEachProduct<strip>(static_cast<int>(size<0>(d)), static_cast<int>(size<1>(d)),
                        [&](int m, int n) { MultiplyElements<Atom>(d, a, m, b, n, c, m, n); });
}

template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorGemmRanks() {
  static_assert(
      never_v<Layouts...>,
      HLO_CUTE_SENTENCE("gemm(D, A, B, C): the ranks fit none of (V)x(V)->(V), (M)x(N)->(M,N), "
                        "(M,K)x(N,K)->(M,N), (V,M)x(V,N)->(V,M,N), (V,M,K)x(V,N,K)->(V,M,N)."));
}
template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorMmaVector() {
  static_assert(never_v<Layouts...>,
                HLO_CUTE_SENTENCE("gemm(mma, D, A, B, C): the first modes are no vectors of the "
                                  "instruction, or their elements are not adjacent."));
}
// The bits of the first mode of a tensor, and of registers T[n].
template <class T>
HLO_CUTE_HD constexpr int64_t VectorBits() {
  using Size = decltype(size<0>(std::declval<typename T::layout_type const&>()));
  if constexpr (is_static_v<Size>) {
    return Size::value * sizeof_bits_v<typename T::value_type>;
  } else {
    return -1;
  }
}
template <class Registers_>
HLO_CUTE_HD constexpr int64_t RegisterBits() {
  return int64_t{std::extent<Registers_>::value} * sizeof_bits_v<std::remove_extent_t<Registers_>>;
}
// Whether the first modes have as many bits as the registers of the atom's instruction.
template <class Atom, class D, class A, class B, class CT, class = void>
struct FitsInstruction : C<true> {};
template <class Atom, class D, class A, class B, class CT>
struct FitsInstruction<Atom, D, A, B, CT, std::void_t<typename Atom::MMA_Op>>
    : C<CT::rank == 2 || (VectorBits<D>() == RegisterBits<typename Atom::MMA_Op::DRegisters>() &&
                          VectorBits<A>() == RegisterBits<typename Atom::MMA_Op::ARegisters>() &&
                          VectorBits<B>() == RegisterBits<typename Atom::MMA_Op::BRegisters>() &&
                          VectorBits<CT>() == RegisterBits<typename Atom::MMA_Op::CRegisters>())> {
};

template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorGemmDestination() {
  static_assert(never_v<Layouts...>,
                HLO_CUTE_SENTENCE("gemm(D, A, B, C): the elements of D are const."));
}
template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorGemmSizes() {
  static_assert(never_v<Layouts...>,
                HLO_CUTE_SENTENCE("gemm(D, A, B, C): the sizes of M, N, K or V do not agree."));
}

// Whether two sizes agree, if both are static; dynamic ones are checked in debug builds.
template <class X, class Y>
HLO_CUTE_INLINE constexpr auto CheckEqual(X const& x, Y const& y) {
  if constexpr (is_static_v<X> && is_static_v<Y>) {
    return bool_constant<(X::value == Y::value)>{};
  } else {
    HLO_CUTE_DEBUG_CHECK(static_cast<int64_t>(x) == static_cast<int64_t>(y),
                         "gemm(D, A, B, C): the sizes of M, N, K or V do not agree");
    static_cast<void>(x);
    static_cast<void>(y);
    return true_type{};
  }
}
// The vectors of an instruction have sizes of its own.
template <class Atom, class D, class A, class B, class CT>
HLO_CUTE_INLINE constexpr auto CheckSizes(Atom const&, D const& d, A const& a, B const& b,
                                          CT const& c) {
  constexpr bool elementwise = std::is_same<Atom, UniversalFMA<>>::value;
  constexpr int ra = A::rank;
  constexpr int rc = CT::rank;
  const auto same = CheckEqual(size(d), size(c));
  if constexpr (rc == 1 && !elementwise) {
    return same;
  } else if constexpr (rc == 1) {  // V
    return All(same, CheckEqual(size(a), size(c)), CheckEqual(size(b), size(c)));
  } else if constexpr (rc == 2) {  // M, N, K
    const auto mn =
        All(same, CheckEqual(size<0>(a), size<0>(c)), CheckEqual(size<0>(b), size<1>(c)));
    if constexpr (ra == 1) {
      return mn;
    } else {
      return All(mn, CheckEqual(size<1>(a), size<1>(b)));
    }
  } else {  // V, M, N, K
    const auto v = [&] {
      if constexpr (elementwise) {
        return All(same, CheckEqual(size<0>(a), size<0>(c)), CheckEqual(size<0>(b), size<0>(c)));
      } else {
        return same;
      }
    }();
    const auto mn = All(v, CheckEqual(size<1>(a), size<1>(c)), CheckEqual(size<1>(b), size<2>(c)));
    if constexpr (ra == 2) {
      return mn;
    } else {
      return All(mn, CheckEqual(size<2>(a), size<2>(b)));
    }
  }
}

// d = c, for a sum of no products.
template <class D, class CT>
HLO_CUTE_INLINE void AssignElements(D& d, CT const& c) {
  using I = IndexOf<D>;
  const I count = static_cast<I>(size(d));
  for (I i = 0; i < count; ++i) d(i) = static_cast<typename D::value_type>(c(i));
}

template <class Atom, class D, class A, class B, class CT>
HLO_CUTE_HD void GemmOfRanks(Atom const& atom, D& d, A const& a, B const& b, CT const& c) {
  constexpr int ra = A::rank;
  constexpr int rc = CT::rank;
  if constexpr (ra == 1 && rc == 1) {
    GemmVector(atom, d, a, b, c);
  } else if constexpr (ra == 1) {
    GemmOuter(atom, d, a, b, c);
  } else if constexpr (ra == 2 && rc == 3) {
    ForEachProduct<StripOfVectors<A, B>()>(
        static_cast<int>(size<1>(c)), static_cast<int>(size<2>(c)),
        [&](int m, int n) { GemmVector(atom, d(_, m, n), a(_, m), b(_, n), c(_, m, n)); });
  } else {
    const auto depth = size<ra - 1>(a);
    const auto all = tuple_repeat<ra - 1>(_);
    if (static_cast<int64_t>(depth) == 0) AssignElements(d, c);
    CUTE_UNROLL
    for (int k = 0; k < static_cast<int>(depth); ++k) {
      const auto column = append(all, k);
      if (k == 0) {
        GemmOfRanks(atom, d, a(column), b(column), c);
      } else {
        GemmOfRanks(atom, d, a(column), b(column), d);
      }
    }
  }
}

}  // namespace detail

/// D = A * B + C with the given atom.
template <class Atom, class D, class A, class B, class CT,
          std::enable_if_t<!detail::is_tensor_v<Atom>, int> = 0>
HLO_CUTE_HD void gemm(Atom const& atom, D&& d, A const& a, B const& b, CT const& c) {
  constexpr int ra = detail::tensor_rank_v<A>;
  constexpr int rb = detail::tensor_rank_v<B>;
  constexpr int rc = detail::tensor_rank_v<CT>;
  constexpr int rd = detail::tensor_rank_v<D>;
  constexpr bool known = ra == rb && rc == rd &&
                         ((ra == 1 && (rc == 1 || rc == 2)) || (ra == 2 && (rc == 2 || rc == 3)) ||
                          (ra == 3 && rc == 3));
  if constexpr (!detail::is_writable_v<D>) {
    detail::ErrorGemmDestination<HLO_CUTE_NAMED(typename detail::Plain<D>::layout_type)>();
  } else if constexpr (!known) {
    detail::ErrorGemmRanks<HLO_CUTE_NAMED(typename A::layout_type),
                           HLO_CUTE_NAMED(typename B::layout_type),
                           HLO_CUTE_NAMED(typename CT::layout_type)>();
  } else {
    const auto agree = detail::CheckSizes(atom, d, a, b, c);
    if constexpr (!decltype(agree)::value) {
      detail::ErrorGemmSizes<HLO_CUTE_NAMED(typename A::layout_type),
                             HLO_CUTE_NAMED(typename B::layout_type),
                             HLO_CUTE_NAMED(typename CT::layout_type)>();
    } else if constexpr (!detail::FitsInstruction<Atom, detail::Plain<D>, A, B, CT>::value) {
      detail::ErrorMmaVector<HLO_CUTE_NAMED(typename detail::Plain<D>::layout_type),
                             HLO_CUTE_NAMED(typename A::layout_type),
                             HLO_CUTE_NAMED(typename B::layout_type),
                             HLO_CUTE_NAMED(typename CT::layout_type)>();
    } else {
      detail::CheckDestination(d);
      detail::GemmOfRanks(atom, d, a, b, c);
    }
  }
}
/// D = A * B + C
template <class D, class A, class B, class CT, std::enable_if_t<detail::is_tensor_v<D>, int> = 0>
HLO_CUTE_HD void gemm(D&& d, A const& a, B const& b, CT const& c) {
  gemm(UniversalFMA<>{}, d, a, b, c);
}
/// C = A * B + C
template <class A, class B, class CT, std::enable_if_t<detail::is_tensor_v<A>, int> = 0>
HLO_CUTE_HD void gemm(A const& a, B const& b, CT&& c) {
  gemm(UniversalFMA<>{}, c, a, b, c);
}
template <class Atom, class A, class B, class CT,
          std::enable_if_t<!detail::is_tensor_v<Atom> && detail::is_tensor_v<A>, int> = 0>
HLO_CUTE_HD void gemm(Atom const& atom, A const& a, B const& b, CT&& c) {
  gemm(atom, c, a, b, c);
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_GEMM_H_
