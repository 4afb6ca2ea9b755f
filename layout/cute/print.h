#ifndef HLO_INDEXING_LAYOUT_CUTE_PRINT_H_
#define HLO_INDEXING_LAYOUT_CUTE_PRINT_H_

#include <iosfwd>

#include "layout/cute/swizzle_slice.h"

// print(x), on host and device, and operator<< for streams.
//
//   _8 static, 8 dynamic, (a,b) tuples, S:D layouts, _1@0 strides that are coordinates.
//
// Both write through a Sink, so that there is one description of each form.
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

// Writes with printf.
struct PrintSink {
  HLO_CUTE_HD void Text(const char* text) const { printf("%s", text); }
  HLO_CUTE_HD void Integer(int64_t value) const { printf("%lld", static_cast<long long>(value)); }
  HLO_CUTE_HD void Unsigned(uint64_t value) const {
    printf("%llu", static_cast<unsigned long long>(value));
  }
  HLO_CUTE_HD void Pointer(const void* pointer) const { printf("%p", pointer); }
};

template <class Sink>
HLO_CUTE_LEAF void Write(Sink const& sink, Underscore const&) {
  sink.Text("_");
}
template <class Sink, auto v>
HLO_CUTE_LEAF void Write(Sink const& sink, C<v> const&) {
  sink.Text("_");
  sink.Integer(static_cast<int64_t>(v));
}
template <class Sink, int64_t divisor, class T>
HLO_CUTE_INLINE void Write(Sink const& sink, Multiple<divisor, T> const& n) {
  sink.Integer(static_cast<int64_t>(n.value));
  sink.Text("{div=");
  sink.Integer(divisor);
  sink.Text("}");
}
template <class Sink>
HLO_CUTE_LEAF void Write(Sink const& sink, ComputedInt const& n) {
  sink.Integer(n);
}
template <class Sink, class T, std::enable_if_t<std::is_integral<T>::value, int> = 0>
HLO_CUTE_LEAF void Write(Sink const& sink, T const& n) {
  if constexpr (std::is_signed<T>::value || sizeof(T) < 8) {
    sink.Integer(static_cast<int64_t>(n));
  } else {
    sink.Unsigned(static_cast<uint64_t>(n));
  }
}
template <class Sink, class... T>
HLO_CUTE_LEAF void Write(Sink const& sink, tuple<T...> const& t);
template <class Sink, class S, class D>
HLO_CUTE_LEAF void Write(Sink const& sink, Layout<S, D> const& l);
template <class Sink, class T, int... N>
HLO_CUTE_INLINE void Write(Sink const& sink, ScaledBasis<T, N...> const& basis) {
  Write(sink, basis.value());
  const int axes[] = {N..., 0};
  for (int i = static_cast<int>(sizeof...(N)) - 1; i >= 0; --i) {
    sink.Text("@");
    sink.Integer(axes[i]);
  }
}
template <class Sink, class... T, int... I>
HLO_CUTE_INLINE void WriteMembers(Sink const& sink, tuple<T...> const& t, seq<I...>) {
  static_cast<void>(t);
  ((sink.Text(I == 0 ? "(" : ","), Write(sink, get<I>(t))), ...);
  sink.Text(sizeof...(T) == 0 ? "()" : ")");
}
template <class Sink, class... T>
HLO_CUTE_LEAF void Write(Sink const& sink, tuple<T...> const& t) {
  WriteMembers(sink, t, make_seq<sizeof...(T)>{});
}
template <class Sink, class S, class D>
HLO_CUTE_LEAF void Write(Sink const& sink, Layout<S, D> const& l) {
  Write(sink, l.shape());
  sink.Text(":");
  Write(sink, l.stride());
}

template <class Sink, int b, int m, int s>
HLO_CUTE_INLINE void Write(Sink const& sink, Swizzle<b, m, s> const&) {
  sink.Text("Sw<");
  sink.Integer(b);
  sink.Text(",");
  sink.Integer(m);
  sink.Text(",");
  sink.Integer(s);
  sink.Text(">");
}
template <class Sink, int64_t s, int64_t f>
HLO_CUTE_INLINE void Write(Sink const& sink, MixedBits<s, f> const& bits) {
  sink.Text("M_");
  sink.Integer(s);
  sink.Text("|(");
  sink.Integer(bits.dynamic_bits);
  sink.Text("&");
  sink.Integer(f);
  sink.Text(")=");
  sink.Integer(static_cast<int64_t>(bits));
}
template <class Sink, class A, class O, class B>
HLO_CUTE_INLINE void Write(Sink const& sink, ComposedLayout<A, O, B> const& l) {
  Write(sink, l.layout_a());
  sink.Text(" o ");
  Write(sink, l.offset());
  sink.Text(" o ");
  Write(sink, l.layout_b());
}

// Writes to a std::basic_ostream, of which only the name is needed here.
template <class Stream>
struct StreamSink {
  Stream& stream;
  void Text(const char* text) const { stream << text; }
  void Integer(int64_t value) const { stream << static_cast<long long>(value); }
  void Unsigned(uint64_t value) const { stream << static_cast<unsigned long long>(value); }
  void Pointer(const void* pointer) const { stream << pointer; }
};

}  // namespace detail

namespace detail {
// A sink of the caller's, in the namespace in which the forms are found.
template <class Sink>
struct ForeignSink : Sink {
  HLO_CUTE_HD ForeignSink(Sink const& sink) : Sink(sink) {}
};
}  // namespace detail

/// Writes what print(t) prints to a sink: an object with const members Text(const char*),
/// Integer(int64_t), Unsigned(uint64_t) and Pointer(const void*).
template <class Sink, class T>
HLO_CUTE_INLINE void print_to(Sink const& sink, T const& t) {
  Write(detail::ForeignSink<Sink>(sink), t);
}

/// Prints what the library's types stand for: print(make_layout(make_shape(_8{}, 4))) ->
/// (_8,4):(_1,_8)
template <class T>
HLO_CUTE_LEAF void print(T const& t) {
  Write(detail::PrintSink{}, t);  // found by its argument, also for types of later headers
}
HLO_CUTE_HD inline void print(const char* text) { printf("%s", text); }
HLO_CUTE_HD inline void print(double value) { printf("%f", value); }
HLO_CUTE_HD inline void print(float value) { printf("%f", static_cast<double>(value)); }
template <class... T>
HLO_CUTE_HD void print(const char* format, T const&... arguments) {
  printf(format, arguments...);
}

template <class Char, class Traits, auto v>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& os, C<v> const& t) {
  Write(detail::StreamSink<std::basic_ostream<Char, Traits>>{os}, t);
  return os;
}
template <class Char, class Traits>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& os,
                                             Underscore const& t) {
  Write(detail::StreamSink<std::basic_ostream<Char, Traits>>{os}, t);
  return os;
}
template <class Char, class Traits, class... T>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& os,
                                             tuple<T...> const& t) {
  Write(detail::StreamSink<std::basic_ostream<Char, Traits>>{os}, t);
  return os;
}
template <class Char, class Traits, class S, class D>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& os,
                                             Layout<S, D> const& t) {
  Write(detail::StreamSink<std::basic_ostream<Char, Traits>>{os}, t);
  return os;
}
template <class Char, class Traits, class T, int... N>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& os,
                                             ScaledBasis<T, N...> const& t) {
  Write(detail::StreamSink<std::basic_ostream<Char, Traits>>{os}, t);
  return os;
}
template <class Char, class Traits, int b, int m, int s>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& os,
                                             Swizzle<b, m, s> const& t) {
  Write(detail::StreamSink<std::basic_ostream<Char, Traits>>{os}, t);
  return os;
}
template <class Char, class Traits, class A, class O, class B>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& os,
                                             ComposedLayout<A, O, B> const& t) {
  Write(detail::StreamSink<std::basic_ostream<Char, Traits>>{os}, t);
  return os;
}
template <class Char, class Traits, int64_t divisor, class T>
std::basic_ostream<Char, Traits>& operator<<(std::basic_ostream<Char, Traits>& os,
                                             Multiple<divisor, T> const& t) {
  Write(detail::StreamSink<std::basic_ostream<Char, Traits>>{os}, t);
  return os;
}

// Which thread this is, to print from one only: if (thread0()) print(layout). The host has one.
HLO_CUTE_HD inline bool block(int number) {
#ifdef __CUDA_ARCH__
  return blockIdx.x + blockIdx.y * gridDim.x + blockIdx.z * gridDim.x * gridDim.y ==
         static_cast<unsigned>(number);
#else
  return number == 0;
#endif
}
HLO_CUTE_HD inline bool thread(int number, int block_number) {
#ifdef __CUDA_ARCH__
  return threadIdx.x + threadIdx.y * blockDim.x + threadIdx.z * blockDim.x * blockDim.y ==
             static_cast<unsigned>(number) &&
         block(block_number);
#else
  return number == 0 && block(block_number);
#endif
}
HLO_CUTE_HD inline bool thread(int number) { return thread(number, 0); }
HLO_CUTE_HD inline bool thread0() { return thread(0, 0); }
HLO_CUTE_HD inline bool block0() { return block(0); }

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_PRINT_H_
