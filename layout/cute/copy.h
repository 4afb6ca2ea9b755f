#ifndef HLO_INDEXING_LAYOUT_CUTE_COPY_H_
#define HLO_INDEXING_LAYOUT_CUTE_COPY_H_

#include "layout/cute/algorithm.h"

// copy: dst(i) = src(i), by vectors of up to 128 bits if the layouts prove that elements are
// adjacent in both and vectors stay aligned, and the pointers are found to be aligned at run time.
HLO_CUTE_BEGIN_NAMESPACE

/// What copy(policy, src, dst) may do: words of up to so many bits, of which it is assumed that
/// data and dynamic strides are aligned to them. An atom for a special instruction is a type with a
/// static function Copy(src, dst) on tensors of the atom's size.
template <int max_bits = 128>
struct AutoVectorizingCopyWithAssumedAlignment {
  static constexpr int vector_bits = max_bits;
  static constexpr bool assumes_alignment = true;
};
using AutoVectorizingCopy = AutoVectorizingCopyWithAssumedAlignment<128>;
/// By words of type S, written as D.
template <class S, class D = S>
struct UniversalCopy {
  static constexpr int vector_bits = sizeof_bits_v<S>;
  using SRegisters = S[1];
  using DRegisters = D[1];
  template <class From, class To>
  HLO_CUTE_INLINE static constexpr void copy(From const& src, To&& dst) {
    dst = src;
  }
};
using DefaultCopy = AutoVectorizingCopyWithAssumedAlignment<8>;

namespace detail {

template <int bytes>
struct alignas(bytes) VectorWord {
  unsigned char storage[bytes];
};
template <>
struct alignas(16) VectorWord<16> {
  uint64_t storage[2];
};
template <>
struct alignas(8) VectorWord<8> {
  uint64_t storage[1];
};

// What is known of pointers and dynamic strides: nothing; that words stay aligned; or that there
// are no dynamic strides, and device code need not look at the pointers.
enum class Alignment { kUnknown, kAssumed, kStatic };

// Whether all strides of a tree but those of the first mode are multiples of n.
template <int N>
HLO_CUTE_HD constexpr bool OtherStridesDivide(ModeTree<N> const& divided, int64_t n,
                                              Alignment alignment) {
  for (int i = divided.Member(0, 1); i < divided.count; ++i) {
    if (divided.arity[i] != 0) continue;
    Number const& stride = divided.mode[i].stride;
    if (alignment == Alignment::kAssumed && !stride.known()) continue;
    if (DivisorOf(stride) % n != 0) return false;
  }
  return true;
}

// The elements of one vector, as a layout into the domain of both tensors: 4:1 if the first four
// elements of both are adjacent, 4:8 for (8,4):(4,1). 1:0 if there is no vector of at most `limit`
// elements.
struct VectorOperation {
  template <int N>
  HLO_CUTE_HD static constexpr bool Divides(Program<N>& p, ModeTree<N> const& a,
                                            ModeTree<N> const& vector, int64_t n,
                                            Alignment alignment) {
    Outcome<N> divided{};
    divided.program.count = p.count;
    LogicalDivideOperation::Run(divided, a, vector);
    p.overflow = p.overflow || divided.overflow();
    return divided.problem == Problem::kNone && OtherStridesDivide(divided.tree, n, alignment);
  }
  template <int N>
  HLO_CUTE_HD static constexpr void Run(Outcome<N>& o, ModeTree<N> const& a, ModeTree<N> const& b,
                                        int64_t limit, Alignment alignment) {
    Outcome<N> common{};
    CommonOperation::Run(common, a, b);
    o.program.overflow = o.program.overflow || common.overflow();
    const Modes<N> modes = common.tree.Leaves();
    const bool usable = common.problem == Problem::kNone && modes.mode[0].shape.known() &&
                        modes.mode[0].stride.known() && modes.mode[0].stride.value > 0;
    for (int64_t n = limit; usable && n > 1; n /= 2) {
      if (modes.mode[0].shape.value % n != 0) continue;
      ModeTree<N> vector{};
      Mode mode = modes.mode[0];
      mode.shape = Known(n);
      vector.AddLeaf(mode);
      if (Divides(o.program, a, vector, n, alignment) &&
          Divides(o.program, b, vector, n, alignment)) {
        return o.tree.AddLeaf(mode);
      }
    }
    Mode one{};
    one.shape = Known(1);
    o.tree.AddLeaf(one);
  }
};
template <int limit, Alignment alignment = Alignment::kUnknown>
struct VectorOperationUpTo {
  template <int N>
  HLO_CUTE_HD static constexpr void Run(Outcome<N>& o, ModeTree<N> const& a, ModeTree<N> const& b) {
    VectorOperation::Run(o, a, b, limit, alignment);
    // The vector is static: nothing of the arguments has to be computed.
    o.program.count = 0;
  }
};

// Whether elements of the tensor may be accessed as words: they are plain, and in plain memory.
template <class T>
HLO_CUTE_HD constexpr bool HasPlainMemory() {
  using Iter = detail::Plain<decltype(raw_pointer_cast(std::declval<T const&>().data()))>;
  using Swizzled = detail::Plain<decltype(std::declval<T const&>().data())>;
  return std::is_pointer<Iter>::value && !IsSwizzled<Swizzled>::value &&
         is_layout_v<typename T::layout_type> &&
         std::is_trivially_copyable<typename T::value_type>::value;
}

template <int bytes, class P>
HLO_CUTE_INLINE bool IsAligned(P const* pointer) {
  return reinterpret_cast<uintptr_t>(pointer) % bytes == 0;
}
// Words lie in memory as elements of another type.
template <class Word>
HLO_CUTE_INLINE void CopyWord(Word const* src, Word* dst) {
#ifdef __CUDA_ARCH__
  *dst = *src;
#else
  __builtin_memcpy(static_cast<void*>(dst), static_cast<void const*>(src), sizeof(Word));
#endif
}
// The layout whose offsets count words of n elements; its strides are multiples of n.
template <int n, class S, class D>
HLO_CUTE_INLINE constexpr auto InWords(Layout<S, D> const& l) {
  return make_layout(l.shape(), transform_leaf(l.stride(), [](auto const& d) {
                       if constexpr (IntegerTraits<detail::Plain<decltype(d)>>::is_static) {
                         return StaticInt<detail::Plain<decltype(d)>::value / n>{};
                       } else {
                         return d / C<n>{};
                       }
                     }));
}

template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorCopyRace() {
  static_assert(
      never_v<Layouts...>,
      HLO_CUTE_SENTENCE("copy(src, dst): dst has modes of stride 0 along which src differs, so "
                        "what is written there is left open."));
}
template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorCopyDestination() {
  static_assert(
      never_v<Layouts...>,
      HLO_CUTE_SENTENCE("copy(src, dst): dst is not a tensor, or its elements are const."));
}
template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorCopySource() {
  static_assert(
      never_v<Layouts...>,
      HLO_CUTE_SENTENCE("copy(src, dst): src is not a tensor; a coordinate without _ gives "
                        "an element of one, and one with _ a part."));
}
template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorCopySizes() {
  static_assert(never_v<Layouts...>,
                HLO_CUTE_SENTENCE("copy(src, dst): src has fewer elements than dst."));
}

// Whether static dst has modes of stride 0, which write one element several times, along which the
// source differs.
template <class SL, class DL>
HLO_CUTE_HD constexpr bool HasRace() {
  if constexpr (is_layout_v<SL> && is_layout_v<DL> && is_static_v<DL> && is_static_v<SL>) {
    using Zeros = decltype(nullspace(DL{}));
    if constexpr (decltype(size(Zeros{}))::value > 1 && size_v<SL> == size_v<DL>) {
      if constexpr (problem_v<ComposeOperation, SL, Zeros> != Problem::kNone) {
        return true;  // a source that does not differ is composed to a layout of strides 0
      } else {
        return decltype(size(filter(composition(SL{}, Zeros{}))))::value != 1;
      }
    }
  }
  return false;
}
template <class Src, class Dst>
HLO_CUTE_INLINE constexpr void CheckCopy(Src const& src, Dst const& dst) {
  using SL = typename Src::layout_type;
  using DL = typename Dst::layout_type;
  using SizeOfSrc = decltype(size(src));
  using SizeOfDst = decltype(size(dst));
  if constexpr (HasRace<SL, DL>()) ErrorCopyRace<HLO_CUTE_NAMED(SL), HLO_CUTE_NAMED(DL)>();
  if constexpr (is_static_v<SizeOfSrc> && is_static_v<SizeOfDst>) {
    if constexpr (SizeOfSrc::value < SizeOfDst::value) {
      ErrorCopySizes<HLO_CUTE_NAMED(SL), HLO_CUTE_NAMED(DL)>();
    }
  } else {
    HLO_CUTE_DEBUG_CHECK(static_cast<int64_t>(size(src)) >= static_cast<int64_t>(size(dst)),
                         "copy(src, dst): src has fewer elements than dst");
  }
  CheckDestination(dst);
}

// Whether vectors may be copied without a look at each element: debug builds do not if a tensor
// reaches beyond the memory it was made of.
template <class T>
HLO_CUTE_INLINE constexpr bool LiesInMemory(T const& t) {
#if HLO_INDEXING_CUTE_DEBUG
  const OffsetRange whole = RangeOf(t.layout());
  return whole.low > whole.high ||
         (t.range().Contains(whole.low) && t.range().Contains(whole.high));
#else
  static_cast<void>(t);
  return true;
#endif
}

template <class Src, class Dst>
HLO_CUTE_INLINE void CopyElements(Src const& src, Dst& dst) {
  using I = IndexOf<Dst>;
  using Value = typename Dst::value_type;
  const I count = static_cast<I>(size(dst));
  CUTE_UNROLL
  for (I i = 0; i < count; ++i) dst(i) = static_cast<Value>(src(i));
}

template <int vector_bits, Alignment alignment = Alignment::kUnknown, class Src, class Dst>
HLO_CUTE_INLINE void CopyVectorized(Src const& src, Dst& dst) {
  using Value = typename Dst::value_type;
  constexpr int limit = vector_bits / sizeof_bits_v<Value>;
  if constexpr (limit > 1 && HasPlainMemory<Src>() && HasPlainMemory<Dst>() &&
                std::is_same<typename Src::value_type, Value>::value) {
    using Vector =
        decltype(Evaluate<VectorOperationUpTo<limit, alignment>>(src.layout(), dst.layout()));
    constexpr int n = static_cast<int>(size_v<Vector>);
    if constexpr (n > 1) {
      constexpr int bytes = n * static_cast<int>(sizeof(Value));
#ifdef __CUDA_ARCH__
      constexpr bool assumed = alignment != Alignment::kUnknown;
#else
      // Words of the host need not be aligned; but a policy that is not right is told.
      constexpr bool assumed = alignment == Alignment::kAssumed;
#endif
      auto* from = raw_pointer_cast(src.data());
      auto* to = raw_pointer_cast(dst.data());
      HLO_CUTE_DEBUG_CHECK(!assumed || (IsAligned<bytes>(from) && IsAligned<bytes>(to)),
                           "copy(src, dst), copy(policy, src, dst): data is taken to be aligned to "
                           "words that it is not aligned to");
      if ((assumed || (IsAligned<bytes>(from) && IsAligned<bytes>(to))) && LiesInMemory(src) &&
          LiesInMemory(dst)) {
        // Offsets in words: their products are what compilers add to addresses best.
        const auto source = InWords<n>(layout<1>(logical_divide(src.layout(), Vector{})));
        const auto target = InWords<n>(layout<1>(logical_divide(dst.layout(), Vector{})));
        using I = IndexOf<Dst>;
        using Word = VectorWord<bytes>;
        const I count = static_cast<I>(size(target));
        CUTE_UNROLL
        for (I i = 0; i < count; ++i) {
          CopyWord(reinterpret_cast<Word const*>(from) + PointerOffset<Word*>(i, source),
                   reinterpret_cast<Word*>(to) + PointerOffset<Word*>(i, target));
        }
        return;
      }
    }
  }
  CopyElements(src, dst);
}

template <class Policy, class = void>
struct IsCopyAtom : C<false> {};
template <class Policy>
struct IsCopyAtom<Policy, std::void_t<decltype(Policy::is_copy_atom)>> : C<true> {};

template <class Atom, class = void>
struct HasVectorBits : C<false> {};
template <class Atom>
struct HasVectorBits<Atom, std::void_t<decltype(Atom::vector_bits)>> : C<true> {};
template <class Policy, class = void>
struct AlignmentOf {
  static constexpr Alignment value = Alignment::kUnknown;
};
template <class Policy>
struct AlignmentOf<Policy, std::void_t<decltype(Policy::assumes_alignment)>> {
  static constexpr Alignment value = Alignment::kAssumed;
};

// Whether an atom's instruction reads or writes shared memory alone, and finds another one.
template <class Policy, class Src, class = void>
struct ReadsOtherMemory : C<false> {};
template <class Policy, class Src>
struct ReadsOtherMemory<Policy, Src, std::enable_if_t<Policy::Operation::reads_shared_memory>>
    : bool_constant<is_gmem<typename Src::iterator>::value> {};
template <class Policy, class Dst, class = void>
struct WritesOtherMemory : C<false> {};
template <class Policy, class Dst>
struct WritesOtherMemory<Policy, Dst, std::enable_if_t<Policy::Operation::writes_shared_memory>>
    : bool_constant<is_gmem<typename Dst::iterator>::value> {};

template <class... Layouts>
HLO_CUTE_HD constexpr void ErrorAtomVector() {
  static_assert(never_v<Layouts...>,
                HLO_CUTE_SENTENCE("copy(atom, src, dst): the first mode is no vector of the atom: "
                                  "its elements are not adjacent, or not as many."));
}

}  // namespace detail

/// dst(i) = src(i), converted to dst's type.
template <class Policy, class Src, class Dst,
          std::enable_if_t<!detail::is_tensor_v<Policy> && detail::is_tensor_v<Src>, int> = 0>
HLO_CUTE_HD void copy(Policy const& policy, Src const& src, Dst&& dst) {
  static_assert(detail::is_tensor_v<Dst>, "copy(policy, src, dst): dst is not a tensor.");
  using To = detail::Plain<Dst>;
  if constexpr (detail::IsCopyAtom<Policy>::value) {
    static_assert(!detail::ReadsOtherMemory<Policy, Src>::value,
                  "copy(atom, src, dst): the atom reads shared memory, and src is in global one.");
    static_assert(!detail::WritesOtherMemory<Policy, To>::value,
                  "copy(atom, src, dst): the atom writes shared memory, and dst is in global one.");
    if constexpr (Policy::template Fits<Src, To>()) {
      policy.Copy(src, dst);
    } else {
      detail::ErrorAtomVector<HLO_CUTE_NAMED(typename Src::layout_type),
                              HLO_CUTE_NAMED(typename To::layout_type)>();
    }
  } else {
    detail::CheckCopy(src, dst);
    if constexpr (detail::HasVectorBits<Policy>::value) {
      static_cast<void>(policy);
      detail::CopyVectorized<Policy::vector_bits, detail::AlignmentOf<Policy>::value>(src, dst);
    } else {
      policy.Copy(src, dst);
    }
  }
}
template <class Src, class Dst, std::enable_if_t<detail::is_tensor_v<Src>, int> = 0>
HLO_CUTE_HD void copy(Src const& src, Dst&& dst) {
  using SL = typename Src::layout_type;
  if constexpr (!detail::is_writable_v<Dst>) {
    detail::ErrorCopyDestination<HLO_CUTE_NAMED(SL)>();
  } else {
    using DL = typename detail::Plain<Dst>::layout_type;
    constexpr bool all_static = is_static_v<SL> && is_static_v<DL>;
    detail::CheckCopy(src, dst);
    detail::CopyVectorized<AutoVectorizingCopy::vector_bits,
                           all_static ? detail::Alignment::kStatic : detail::Alignment::kUnknown>(
        src, dst);
  }
}
template <class Src, class Dst,
          std::enable_if_t<!detail::is_tensor_v<Src> && detail::is_tensor_v<Dst>, int> = 0>
HLO_CUTE_HD void copy(Src const&, Dst&&) {
  using DL = typename detail::Plain<Dst>::layout_type;
  detail::ErrorCopySource<HLO_CUTE_NAMED(DL)>();
}
template <class Src, class Dst>
HLO_CUTE_HD void copy_aligned(Src const& src, Dst&& dst) {
  copy(src, dst);
}
/// dst(i) = src(i) if predicate(i). The predicate is a tensor or a function of the index.
template <class Predicate, class Src, class Dst,
          std::enable_if_t<detail::is_tensor_v<Src>, int> = 0>
HLO_CUTE_HD void copy_if(Predicate const& predicate, Src const& src, Dst&& dst) {
  using I = detail::IndexOf<detail::Plain<Dst>>;
  using Value = typename detail::Plain<Dst>::value_type;
  detail::CheckCopy(src, dst);
  const I count = static_cast<I>(size(dst));
  CUTE_UNROLL
  for (I i = 0; i < count; ++i) {
    if (predicate(i)) dst(i) = static_cast<Value>(src(i));
  }
}

/// copy by `threads` threads, of which this is number `thread`. Each call copies a share; all
/// threads together copy everything. They are not synchronized.
template <int threads, int max_bits = 128, class Src, class Dst>
HLO_CUTE_HD void cooperative_copy(int thread, Src const& src, Dst&& dst) {
  using Value = typename detail::Plain<Dst>::value_type;
  static_assert(threads > 0, "cooperative_copy<threads>: there must be a thread.");
  HLO_CUTE_DEBUG_CHECK(0 <= thread && thread < threads,
                       "cooperative_copy<threads>: there is no thread of that number");
  detail::CheckCopy(src, dst);
  constexpr int limit = max_bits / sizeof_bits_v<Value>;
  // Threads that share a byte would race: packed elements are dealt out in whole bytes.
  constexpr int together = is_subbyte_v<Value> ? 8 / sizeof_bits_v<Value> : 1;
  const int64_t count = static_cast<int64_t>(size(dst));
  if constexpr (limit > 1 && detail::HasPlainMemory<Src>() &&
                detail::HasPlainMemory<detail::Plain<Dst>>() &&
                std::is_same<typename Src::value_type, Value>::value) {
    using Vector =
        decltype(detail::Evaluate<detail::VectorOperationUpTo<limit>>(src.layout(), dst.layout()));
    constexpr int n = static_cast<int>(size_v<Vector>);
    if constexpr (n > 1) {
      constexpr int bytes = n * static_cast<int>(sizeof(Value));
      auto* from = raw_pointer_cast(src.data());
      auto* to = raw_pointer_cast(dst.data());
      if (detail::IsAligned<bytes>(from) && detail::IsAligned<bytes>(to) &&
          detail::LiesInMemory(src) && detail::LiesInMemory(dst)) {
        const auto source = logical_divide(src.layout(), Vector{});
        const auto target = logical_divide(dst.layout(), Vector{});
        using I = detail::IndexOf<detail::Plain<Dst>>;
        using Word = detail::VectorWord<bytes>;
        const I words = static_cast<I>(count / n);
        for (I i = thread; i < words; i += threads) {
          detail::CopyWord(reinterpret_cast<Word const*>(from + source(C<0>{}, i)),
                           reinterpret_cast<Word*>(to + target(C<0>{}, i)));
        }
        return;
      }
    }
  }
  for (int64_t first = int64_t{thread} * together; first < count;
       first += int64_t{threads} * together) {
    for (int64_t i = first; i < first + together && i < count; ++i) {
      dst(i) = static_cast<Value>(src(i));
    }
  }
}

/// A hint that the tensor will be read; it has no effect of its own.
template <class T>
HLO_CUTE_HD void prefetch(T const&) {}

HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_COPY_H_
