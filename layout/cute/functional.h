#ifndef HLO_INDEXING_LAYOUT_CUTE_FUNCTIONAL_H_
#define HLO_INDEXING_LAYOUT_CUTE_FUNCTIONAL_H_

#include <limits>

#include "layout/cute/int_tuple.h"

// Functions as objects, and the names of the standard library that kernels write with cute::.
//
//   transform(Shape<_2, _8>{}, Shape<_3, _4>{}, multiplies{})   // (_6,_32)
//   reduce(tensor, 0.0F, plus{})                                // the sum of its elements
HLO_CUTE_BEGIN_NAMESPACE

using std::add_const_t;
using std::add_pointer;
using std::add_pointer_t;
using std::alignment_of;
using std::alignment_of_v;
using std::common_type;
using std::common_type_t;
using std::conditional;
using std::conditional_t;
using std::conjunction;
using std::conjunction_v;
using std::decay;
using std::decay_t;
using std::declval;
using std::disjunction;
using std::disjunction_v;
using std::enable_if;
using std::enable_if_t;
using std::extent;
using std::forward;
using std::invoke_result_t;
using std::is_arithmetic;
using std::is_base_of;
using std::is_base_of_v;
using std::is_const;
using std::is_const_v;
using std::is_constructible;
using std::is_constructible_v;
using std::is_convertible;
using std::is_convertible_v;
using std::is_default_constructible;
using std::is_default_constructible_v;
using std::is_empty;
using std::is_empty_v;
using std::is_lvalue_reference;
using std::is_lvalue_reference_v;
using std::is_pointer;
using std::is_pointer_v;
using std::is_reference;
using std::is_same;
using std::is_same_v;
using std::is_signed;
using std::is_signed_v;
using std::is_standard_layout;
using std::is_standard_layout_v;
using std::is_trivially_copyable;
using std::is_unsigned;
using std::is_unsigned_v;
using std::is_void_v;
using std::is_volatile;
using std::is_volatile_v;
using std::make_signed;
using std::make_signed_t;
using std::make_unsigned_t;
using std::move;
using std::negation;
using std::negation_v;
using std::numeric_limits;
using std::ptrdiff_t;
using std::remove_const_t;
using std::remove_cv_t;
using std::remove_extent;
using std::remove_pointer;
using std::remove_pointer_t;
using std::remove_reference_t;
using std::swap;
using std::uintptr_t;
using std::void_t;
template <class T>
using remove_cvref_t = std::remove_cv_t<std::remove_reference_t<T>>;
template <class T>
struct remove_cvref {
  using type = remove_cvref_t<T>;
};
template <class T>
struct type_identity {
  using type = T;
};

/// Whether T is one of the types.
template <class T, class... Us>
struct is_any_of : bool_constant<(std::is_same<T, Us>::value || ...)> {};
template <class T, class... Us>
constexpr bool is_any_of_v = is_any_of<T, Us...>::value;
/// To with the const and volatile of From.
template <class From, class To>
struct copy_cv {
  using type = To;
};
template <class From, class To>
struct copy_cv<From const, To> {
  using type = To const;
};
template <class From, class To>
struct copy_cv<From volatile, To> {
  using type = To volatile;
};
template <class From, class To>
struct copy_cv<From const volatile, To> {
  using type = To const volatile;
};
template <class From, class To>
using copy_cv_t = typename copy_cv<From, To>::type;
/// One of two values of different types.
template <bool condition, class T, class U>
HLO_CUTE_INLINE constexpr auto conditional_return(T const& t, U const& u) {
  if constexpr (condition) {
    return t;
  } else {
    return u;
  }
}

/// False, but not before the arguments are known: for static_assert.
template <class... T>
constexpr bool dependent_false = false;
/// An error that names the types.
template <class... T>
HLO_CUTE_HD void print_type() {
  static_assert(dependent_false<T...>,
                "print_type: the types are in the names of functions above.");
}
template <class... T>
HLO_CUTE_HD void print_type(T&&...) {
  static_assert(dependent_false<T...>,
                "print_type: the types are in the names of functions above.");
}

namespace detail {
template <class F, class... T>
auto IsValid(int) -> decltype(std::declval<F&&>()(std::declval<T&&>()...), true_type{});
template <class F, class... T>
false_type IsValid(...);
}  // namespace detail
/// Whether f(arguments...) compiles.
template <class F, class... T>
HLO_CUTE_INLINE constexpr auto is_valid(F&&, T&&...) {
  return decltype(detail::IsValid<F, T...>(0)){};
}

struct identity {
  template <class T>
  HLO_CUTE_INLINE constexpr T operator()(T const& x) const {
    return x;
  }
};
/// The same for any arguments: constant_fn<_0>{}(x, y) is _0.
template <class R>
struct constant_fn {
  R r_{};
  template <class... T>
  HLO_CUTE_INLINE constexpr R operator()(T const&...) const {
    return r_;
  }
};

namespace detail {
// Of integers, static ones too, and of floats.
template <class T>
HLO_CUTE_INLINE constexpr auto Magnitude(T const& x) {
  if constexpr (is_constant_integer<T>::value) {
    return StaticInt<(T::value < 0 ? -int64_t{T::value} : int64_t{T::value})>{};
  } else {
    return x < T(0) ? static_cast<T>(-x) : x;
  }
}
}  // namespace detail

#define HLO_CUTE_UNARY_FUNCTION(name, op)                         \
  struct name {                                                   \
    template <class T>                                            \
    HLO_CUTE_INLINE constexpr auto operator()(T const& x) const { \
      return op(x);                                               \
    }                                                             \
  };
HLO_CUTE_UNARY_FUNCTION(unary_plus, +)
HLO_CUTE_UNARY_FUNCTION(negate, -)
HLO_CUTE_UNARY_FUNCTION(bit_not, ~)
HLO_CUTE_UNARY_FUNCTION(logical_not, !)
HLO_CUTE_UNARY_FUNCTION(abs_fn, detail::Magnitude)
#undef HLO_CUTE_UNARY_FUNCTION

// Functions that take what they change, or its address.
#define HLO_CUTE_CHANGING_FUNCTION(name, before, after)                \
  struct name {                                                        \
    template <class T>                                                 \
    HLO_CUTE_INLINE constexpr decltype(auto) operator()(T&& x) const { \
      return before x after;                                           \
    }                                                                  \
  };
HLO_CUTE_CHANGING_FUNCTION(dereference, *, )
HLO_CUTE_CHANGING_FUNCTION(address_of, &, )
HLO_CUTE_CHANGING_FUNCTION(pre_increment, ++, )
HLO_CUTE_CHANGING_FUNCTION(pre_decrement, --, )
HLO_CUTE_CHANGING_FUNCTION(post_increment, , ++)
HLO_CUTE_CHANGING_FUNCTION(post_decrement, , --)
#undef HLO_CUTE_CHANGING_FUNCTION

#define HLO_CUTE_BINARY_FUNCTION(name, op)                                    \
  struct name {                                                               \
    template <class T, class U>                                               \
    HLO_CUTE_INLINE constexpr auto operator()(T const& x, U const& y) const { \
      return x op y;                                                          \
    }                                                                         \
  };
HLO_CUTE_BINARY_FUNCTION(plus, +)
HLO_CUTE_BINARY_FUNCTION(minus, -)
HLO_CUTE_BINARY_FUNCTION(multiplies, *)
HLO_CUTE_BINARY_FUNCTION(divides, /)
HLO_CUTE_BINARY_FUNCTION(modulus, %)
HLO_CUTE_BINARY_FUNCTION(shift_left, <<)
HLO_CUTE_BINARY_FUNCTION(shift_right, >>)
HLO_CUTE_BINARY_FUNCTION(bit_and, &)
HLO_CUTE_BINARY_FUNCTION(bit_or, |)
HLO_CUTE_BINARY_FUNCTION(bit_xor, ^)
HLO_CUTE_BINARY_FUNCTION(logical_and, &&)
HLO_CUTE_BINARY_FUNCTION(logical_or, ||)
HLO_CUTE_BINARY_FUNCTION(equal_to, ==)
HLO_CUTE_BINARY_FUNCTION(not_equal_to, !=)
HLO_CUTE_BINARY_FUNCTION(less, <)
HLO_CUTE_BINARY_FUNCTION(less_equal, <=)
HLO_CUTE_BINARY_FUNCTION(greater, >)
HLO_CUTE_BINARY_FUNCTION(greater_equal, >=)
#undef HLO_CUTE_BINARY_FUNCTION
using left_shift = shift_left;
using right_shift = shift_right;

#define HLO_CUTE_ASSIGNING_FUNCTION(name, op)                                      \
  struct name {                                                                    \
    template <class T, class U>                                                    \
    HLO_CUTE_INLINE constexpr decltype(auto) operator()(T&& x, U const& y) const { \
      return static_cast<T&&>(x) op y;                                             \
    }                                                                              \
  };
HLO_CUTE_ASSIGNING_FUNCTION(plus_assign, +=)
HLO_CUTE_ASSIGNING_FUNCTION(minus_assign, -=)
HLO_CUTE_ASSIGNING_FUNCTION(multiplies_assign, *=)
HLO_CUTE_ASSIGNING_FUNCTION(divides_assign, /=)
HLO_CUTE_ASSIGNING_FUNCTION(modulus_assign, %=)
HLO_CUTE_ASSIGNING_FUNCTION(bit_and_assign, &=)
HLO_CUTE_ASSIGNING_FUNCTION(bit_or_assign, |=)
HLO_CUTE_ASSIGNING_FUNCTION(bit_xor_assign, ^=)
HLO_CUTE_ASSIGNING_FUNCTION(left_shift_assign, <<=)
HLO_CUTE_ASSIGNING_FUNCTION(right_shift_assign, >>=)
#undef HLO_CUTE_ASSIGNING_FUNCTION

#define HLO_CUTE_LARGER_OR_SMALLER(name, function, op)                        \
  struct name {                                                               \
    template <class T, class U>                                               \
    HLO_CUTE_INLINE constexpr auto operator()(T const& x, U const& y) const { \
      if constexpr (is_integral<T>::value && is_integral<U>::value) {         \
        return function(x, y);                                                \
      } else {                                                                \
        return y op x ? y : x;                                                \
      }                                                                       \
    }                                                                         \
  };
HLO_CUTE_LARGER_OR_SMALLER(max_fn, max, >)
HLO_CUTE_LARGER_OR_SMALLER(min_fn, min, <)
#undef HLO_CUTE_LARGER_OR_SMALLER

/// x << n and x >> n by a static n.
template <int n>
struct shift_left_const {
  template <class T>
  HLO_CUTE_INLINE constexpr auto operator()(T const& x) const {
    return x << n;
  }
};
template <int n>
struct shift_right_const {
  template <class T>
  HLO_CUTE_INLINE constexpr auto operator()(T const& x) const {
    return x >> n;
  }
};
/// f with its first arguments given: bind(f, a)(b) is f(a, b).
template <class F, class First>
struct bound_fn {
  F f_;
  First first_;
  template <class... T>
  HLO_CUTE_INLINE constexpr decltype(auto) operator()(T&&... arguments) const {
    return f_(first_, static_cast<T&&>(arguments)...);
  }
};
template <class F, class First>
HLO_CUTE_INLINE constexpr bound_fn<F, First> bind(F const& f, First const& first) {
  return {f, first};
}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_FUNCTIONAL_H_
