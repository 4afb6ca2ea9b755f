#ifndef HLO_INDEXING_LAYOUT_CUTE_COMPLEX_H_
#define HLO_INDEXING_LAYOUT_CUTE_COMPLEX_H_

#include "layout/cute/numeric_types.h"

// Complex numbers for host and device, of any element type that has arithmetic.
//
//   complex<float> z(1, 2);
//   z * conj(z)                    // (5,0)
//   transform(tensor, conjugate{})
HLO_CUTE_BEGIN_NAMESPACE

template <class T>
struct complex {
  using value_type = T;
  complex() = default;
  HLO_CUTE_HD constexpr complex(T r) : real_(r), imag_(T(0)) {}
  HLO_CUTE_HD constexpr complex(T r, T i) : real_(r), imag_(i) {}
  template <class U>
  HLO_CUTE_HD constexpr complex(complex<U> const& z)
      : real_(static_cast<T>(z.real())), imag_(static_cast<T>(z.imag())) {}

  HLO_CUTE_LEAF constexpr T const& real() const { return real_; }
  HLO_CUTE_LEAF constexpr T& real() { return real_; }
  HLO_CUTE_LEAF constexpr T const& imag() const { return imag_; }
  HLO_CUTE_LEAF constexpr T& imag() { return imag_; }

  HLO_CUTE_HD constexpr complex& operator+=(complex const& z) { return *this = *this + z; }
  HLO_CUTE_HD constexpr complex& operator-=(complex const& z) { return *this = *this - z; }
  HLO_CUTE_HD constexpr complex& operator*=(complex const& z) { return *this = *this * z; }
  HLO_CUTE_HD constexpr complex& operator/=(complex const& z) { return *this = *this / z; }
  HLO_CUTE_HD constexpr complex& operator*=(T const& x) { return *this = *this * x; }
  HLO_CUTE_HD constexpr complex& operator/=(T const& x) { return *this = *this / x; }

  // Friends, so that a real number on either side is converted.
  HLO_CUTE_HD friend constexpr complex operator+(complex const& a, complex const& b) {
    return {a.real_ + b.real_, a.imag_ + b.imag_};
  }
  HLO_CUTE_HD friend constexpr complex operator-(complex const& a, complex const& b) {
    return {a.real_ - b.real_, a.imag_ - b.imag_};
  }
  HLO_CUTE_HD friend constexpr complex operator-(complex const& a) { return {-a.real_, -a.imag_}; }
  HLO_CUTE_HD friend constexpr complex operator*(complex const& a, complex const& b) {
    return {a.real_ * b.real_ - a.imag_ * b.imag_, a.real_ * b.imag_ + a.imag_ * b.real_};
  }
  HLO_CUTE_HD friend constexpr complex operator/(complex const& a, complex const& b) {
    const T square = b.real_ * b.real_ + b.imag_ * b.imag_;
    return {(a.real_ * b.real_ + a.imag_ * b.imag_) / square,
            (a.imag_ * b.real_ - a.real_ * b.imag_) / square};
  }
  // With another element type on the right, the result has the left one's.
  template <class U>
  HLO_CUTE_HD constexpr complex operator+(complex<U> const& b) const {
    return {static_cast<T>(real_ + b.real()), static_cast<T>(imag_ + b.imag())};
  }
  template <class U>
  HLO_CUTE_HD constexpr complex operator-(complex<U> const& b) const {
    return {static_cast<T>(real_ - b.real()), static_cast<T>(imag_ - b.imag())};
  }
  template <class U>
  HLO_CUTE_HD constexpr complex operator*(complex<U> const& b) const {
    return {static_cast<T>(real_ * b.real() - imag_ * b.imag()),
            static_cast<T>(real_ * b.imag() + imag_ * b.real())};
  }
  template <class U>
  HLO_CUTE_HD constexpr complex operator/(complex<U> const& b) const {
    return *this / complex(b);
  }
  // A real factor multiplies each part, and adds no products with 0.
  HLO_CUTE_HD friend constexpr complex operator*(complex const& a, T const& b) {
    return {a.real_ * b, a.imag_ * b};
  }
  HLO_CUTE_HD friend constexpr complex operator*(T const& a, complex const& b) {
    return {a * b.real_, a * b.imag_};
  }
  HLO_CUTE_HD friend constexpr complex operator/(complex const& a, T const& b) {
    return {a.real_ / b, a.imag_ / b};
  }
  HLO_CUTE_HD friend constexpr bool operator==(complex const& a, complex const& b) {
    return a.real_ == b.real_ && a.imag_ == b.imag_;
  }
  HLO_CUTE_HD friend constexpr bool operator!=(complex const& a, complex const& b) {
    return !(a == b);
  }
  template <class Stream>
  friend auto operator<<(Stream& stream, complex const& z) -> decltype(stream << z.real()) {
    return stream << '(' << z.real_ << ',' << z.imag_ << ')';
  }

 private:
  T real_;
  T imag_;
};

template <class T>
struct is_complex : false_type {};
template <class T>
struct is_complex<complex<T>> : true_type {};

template <class T>
HLO_CUTE_LEAF constexpr T real(complex<T> const& z) {
  return z.real();
}
template <class T>
HLO_CUTE_LEAF constexpr T imag(complex<T> const& z) {
  return z.imag();
}
template <class T>
HLO_CUTE_INLINE constexpr complex<T> conj(complex<T> const& z) {
  return {z.real(), -z.imag()};
}
/// The square of the absolute value.
template <class T>
HLO_CUTE_INLINE constexpr T norm(complex<T> const& z) {
  return z.real() * z.real() + z.imag() * z.imag();
}
/// A real number is its own conjugate.
template <class T, std::enable_if_t<!is_complex<T>::value, int> = 0>
HLO_CUTE_INLINE constexpr T conj(T const& x) {
  return x;
}

/// conj as an object.
struct conjugate {
  template <class T>
  HLO_CUTE_INLINE constexpr T operator()(T const& x) const {
    return cute::conj(x);
  }
};

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_COMPLEX_H_
