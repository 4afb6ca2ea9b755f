#ifndef HLO_INDEXING_LAYOUT_CUTE_ERROR_TEXT_H_
#define HLO_INDEXING_LAYOUT_CUTE_ERROR_TEXT_H_

#include "layout/cute/tuple.h"

// Errors that name the layouts as S:D, for instance (_4,?):(_1,_4). How depends on the compiler:
//
//   Clang 17 and newer      in the sentence: a message of static_assert may be computed
//   GCC, Clang 15, C++20    beside it: Named<Text<13>{"(_4,?):(_1,_4)"}> is a template argument of
//                           the function that reports
//   C++17, Clang 14, nvcc   the same as Named<'(', '_', '4', ',', '?', ')', ':', ...>
//
// A function that reports is a template over the types to name and is called only if the error
// is certain, so that nothing of this is instantiated in programs that are right.
HLO_CUTE_BEGIN_NAMESPACE

struct Underscore;
template <class T, int... N>
struct ScaledBasis;
template <class S, class D>
struct Layout;
template <int bits, int base, int shift>
struct Swizzle;
template <class A, class Offset, class B>
struct ComposedLayout;

namespace detail {

template <class T>
struct TypeTag {};

// Counts only, if there is nowhere to write to.
struct TextWriter {
  char* out;
  int count;
  constexpr void Put(char c) {
    if (out != nullptr) out[count] = c;
    ++count;
  }
  constexpr void Put(const char* text) {
    for (; *text != '\0'; ++text) Put(*text);
  }
  constexpr void Put(int64_t value) {
    if (value < 0) Put('-');
    int64_t unit = 1;
    while (value / unit >= 10 || value / unit <= -10) unit *= 10;
    for (; unit > 0; unit /= 10) {
      const int64_t digit = value / unit % 10;
      Put(static_cast<char>('0' + (digit < 0 ? -digit : digit)));
    }
  }
};

// What print() would print of a T, with ? for what is known at run time only.
template <class T>
constexpr void WriteType(TextWriter& w, TypeTag<T>) {
  if constexpr (std::is_same<T, Underscore>::value) {
    w.Put('_');
  } else if constexpr (IntegerTraits<T>::is_static) {
    w.Put('_');
    w.Put(IntegerTraits<T>::value);
  } else {
    w.Put('?');
    if constexpr (IntegerTraits<T>::divisor > 1) {
      w.Put("{div=");
      w.Put(IntegerTraits<T>::divisor);
      w.Put('}');
    }
  }
}
template <class T, int... N>
constexpr void WriteType(TextWriter& w, TypeTag<ScaledBasis<T, N...>>) {
  WriteType(w, TypeTag<T>{});
  const int64_t axes[] = {N..., 0};
  for (int i = static_cast<int>(sizeof...(N)) - 1; i >= 0; --i) {
    w.Put('@');
    w.Put(axes[i]);
  }
}
template <class... T>
constexpr void WriteType(TextWriter& w, TypeTag<tuple<T...>>) {
  int members = 0;
  w.Put('(');
  ((w.Put(members++ == 0 ? "" : ","), WriteType(w, TypeTag<T>{})), ...);
  w.Put(')');
}
template <class S, class D>
constexpr void WriteType(TextWriter& w, TypeTag<Layout<S, D>>) {
  WriteType(w, TypeTag<S>{});
  w.Put(':');
  WriteType(w, TypeTag<D>{});
}
template <int bits, int base, int shift>
constexpr void WriteType(TextWriter& w, TypeTag<Swizzle<bits, base, shift>>) {
  w.Put("Sw<");
  w.Put(int64_t{bits});
  w.Put(',');
  w.Put(int64_t{base});
  w.Put(',');
  w.Put(int64_t{shift});
  w.Put('>');
}
template <class A, class Offset, class B>
constexpr void WriteType(TextWriter& w, TypeTag<ComposedLayout<A, Offset, B>>) {
  WriteType(w, TypeTag<A>{});
  w.Put(" o ");
  WriteType(w, TypeTag<Offset>{});
  w.Put(" o ");
  WriteType(w, TypeTag<B>{});
}
template <class T>
constexpr int TextLength() {
  TextWriter w{nullptr, 0};
  WriteType(w, TypeTag<T>{});
  return w.count;
}
template <int n>
struct Text {
  char text[n + 1];
};
template <class T>
constexpr auto TextOfType() {
  Text<TextLength<T>()> text{};
  TextWriter w{text.text, 0};
  WriteType(w, TypeTag<T>{});
  return text;
}

// False, in a way that compilers do not explain any further.
template <class... T>
constexpr bool never_v = false;

// HLO_CUTE_NAMED(T) is a type that stands for T in the pack Layouts of a function that reports, and
// HLO_CUTE_SENTENCE("...") the message of an assertion in it:
//
//   template <class... Layouts>
//   HLO_CUTE_HD constexpr void ErrorX() {
//     static_assert(never_v<Layouts...>, HLO_CUTE_SENTENCE("..."));
//   }
#if defined(__clang__) && __clang_major__ >= 17 && !defined(__apple_build_version__) && \
    !defined(__EDG__)

template <int n>
struct Message {
  char text[n + 1];
  constexpr const char* data() const { return text; }
  constexpr std::size_t size() const { return n; }
};
template <class... T>
constexpr int MessageLength(const char* sentence) {
  TextWriter w{nullptr, 0};
  w.Put(sentence);
  return w.count + (0 + ... + (2 + TextLength<T>()));
}
template <int n, class... T>
constexpr Message<n> MakeMessage(const char* sentence) {
  Message<n> message{};
  TextWriter w{message.text, 0};
  w.Put(sentence);
  int members = 0;
  ((w.Put(members++ == 0 ? "  " : ", "), WriteType(w, TypeTag<T>{})), ...);
  return message;
}
#define HLO_CUTE_NAMED(...) __VA_ARGS__
#define HLO_CUTE_SENTENCE(sentence)                                                            \
  _Pragma("clang diagnostic push") _Pragma("clang diagnostic ignored \"-Wc++26-extensions\"")( \
      MakeMessage<MessageLength<Layouts...>(sentence), Layouts...>(sentence))                  \
      _Pragma("clang diagnostic pop")

#else

#if !defined(__EDG__) && defined(__cpp_nontype_template_args) && \
    __cpp_nontype_template_args >= 201911L && (!defined(__clang__) || __clang_major__ >= 15)
template <auto text>
struct Named {};
#define HLO_CUTE_NAMED(...)                    \
  ::hlo_indexing::layout::cute::detail::Named< \
      ::hlo_indexing::layout::cute::detail::TextOfType<__VA_ARGS__>()>
#else
template <char... text>
struct Named {};
template <class T, class I>
struct NamedByCharacters;
template <class T, int... I>
struct NamedByCharacters<T, seq<I...>> {
  static constexpr auto characters = TextOfType<T>();
  using type = Named<characters.text[I]...>;
};
template <class T>
using NamedOf = typename NamedByCharacters<T, make_seq<TextLength<T>()>>::type;
#define HLO_CUTE_NAMED(...) ::hlo_indexing::layout::cute::detail::NamedOf<__VA_ARGS__>
#endif
#define HLO_CUTE_SENTENCE(sentence) sentence

#endif

}  // namespace detail
HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_ERROR_TEXT_H_
