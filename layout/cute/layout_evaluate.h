#ifndef HLO_INDEXING_LAYOUT_CUTE_LAYOUT_EVALUATE_H_
#define HLO_INDEXING_LAYOUT_CUTE_LAYOUT_EVALUATE_H_

#include "layout/cute/layout.h"
#include "layout/cute/mode_operations.h"

// From layout types to mode trees and back.
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

// ---- Types to trees. Inputs are numbered in the order of the leaves, the shape first.

template <class T, int N>
HLO_CUTE_HD constexpr Number EncodeNumber(Program<N>& p) {
  using Traits = IntegerTraits<T>;
  static_assert(Traits::is_integer, "A shape or a stride has a leaf that is not an integer.");
  if constexpr (Traits::is_static) {
    return Known(Traits::value);
  } else {
    Number number = Emit(p, Code::kInput, Number{}, Number{}, Number{}, Traits::is_wide,
                         Traits::divisor == 1 ? 0 : Traits::divisor);
    number.given = Traits::is_wide && !Traits::is_computed;
    return number;
  }
}
template <class T>
struct StrideTraits {
  using Value = T;
  static constexpr int64_t path = 0;
};
template <class T, int... N>
struct StrideTraits<ScaledBasis<T, N...>> {
  using Value = T;
  static constexpr int64_t MakePath() {
    int64_t result = 0;
    const int axes[] = {N..., 0};
    for (int i = static_cast<int>(sizeof...(N)) - 1; i >= 0; --i) {
      result = result << 8 | (axes[i] + 1);
    }
    return result;
  }
  static_assert(sizeof...(N) <= 7, "Strides that are coordinates may be nested 7 deep.");
  static constexpr int64_t path = MakePath();
};

template <int N, class S, class D>
HLO_CUTE_HD constexpr void EncodeMode(ModeTree<N>& tree, Program<N>& p, TypeTag<S>, TypeTag<D>) {
  Mode mode{};
  mode.shape = EncodeNumber<S>(p);
  mode.stride = EncodeNumber<typename StrideTraits<D>::Value>(p);
  mode.path = StrideTraits<D>::path;
  tree.AddLeaf(mode);
}
template <int N, class... S, class... D>
HLO_CUTE_HD constexpr void EncodeMode(ModeTree<N>& tree, Program<N>& p, TypeTag<tuple<S...>>,
                                      TypeTag<tuple<D...>>) {
  tree.AddTuple(sizeof...(S));
  (EncodeMode(tree, p, TypeTag<S>{}, TypeTag<D>{}), ...);
}
// A shape alone.
template <int N, class S>
HLO_CUTE_HD constexpr void EncodeShape(ModeTree<N>& tree, Program<N>& p, TypeTag<S>) {
  Mode mode{};
  mode.shape = EncodeNumber<S>(p);
  tree.AddLeaf(mode);
}
template <int N, class... S>
HLO_CUTE_HD constexpr void EncodeShape(ModeTree<N>& tree, Program<N>& p, TypeTag<tuple<S...>>) {
  tree.AddTuple(sizeof...(S));
  (EncodeShape(tree, p, TypeTag<S>{}), ...);
}

template <int N, class T>
HLO_CUTE_HD constexpr ModeTree<N> Encode(Program<N>& p, TypeTag<T> tag) {
  ModeTree<N> tree{};
  EncodeShape(tree, p, tag);
  return tree;
}
template <int N, class S, class D>
HLO_CUTE_HD constexpr ModeTree<N> Encode(Program<N>& p, TypeTag<Layout<S, D>>) {
  ModeTree<N> tree{};
  EncodeMode(tree, p, TypeTag<S>{}, TypeTag<D>{});
  return tree;
}

// What is kept of an outcome: a constant costs the compiler time for each of its nodes, used or
// not.
template <int nodes, int instructions>
struct KeptOutcome {
  Mode mode[nodes];
  signed char arity[nodes];
  Instruction instruction[instructions];
  int node_count;
  int count;  // of instructions
  Problem problem;
  bool overflow;  // there was not room for all

  template <int N>
  HLO_CUTE_HD constexpr void Keep(Outcome<N> const& o) {
    overflow = o.overflow() || o.tree.count > nodes || o.program.count > instructions;
    node_count = o.tree.count;
    count = o.program.count;
    problem = overflow && o.problem == Problem::kNone ? Problem::kTooLarge : o.problem;
    for (int i = 0; i < o.tree.count && i < nodes; ++i) {
      mode[i] = o.tree.mode[i];
      arity[i] = o.tree.arity[i];
    }
    for (int i = 0; i < count && i < instructions; ++i) instruction[i] = o.program.instruction[i];
  }
  // The position of a member of the tuple at `position`.
  HLO_CUTE_HD constexpr int Member(int position, int member) const {
    int at = position + 1;
    for (int open = member; open > 0; ++at) open += arity[at] == 0 ? -1 : arity[at] - 2;
    return at;
  }
};

// The outcome of an operation on arguments of the given types.
template <class Operation, int N, class Kept, class... T>
HLO_CUTE_HD constexpr Kept MakeOutcome() {
  Outcome<N> o{};
  // The inputs of the program are in the order of the arguments.
  const ModeTree<N> trees[] = {Encode(o.program, TypeTag<T>{})...};
  for (ModeTree<N> const& tree : trees) o.tree.overflow = o.tree.overflow || tree.overflow;
  if constexpr (sizeof...(T) == 1) {
    Operation::Run(o, trees[0]);
  } else {
    Operation::Run(o, trees[0], trees[1]);
  }
  Kept kept{};
  kept.Keep(o);
  return kept;
}

// There is room for most outcomes in few nodes; for others the operation is done again.
template <class Operation, class... T>
struct EvaluatedInLittleRoom {
  static constexpr auto outcome =
      MakeOutcome<Operation, kFewTreeNodes, KeptOutcome<12, 16>, T...>();
};
template <class Operation, class... T>
struct EvaluatedInFullRoom {
  static constexpr auto size = MakeOutcome<Operation, kMaxTreeNodes, KeptOutcome<1, 1>, T...>();
  static constexpr auto outcome =
      MakeOutcome<Operation, kMaxTreeNodes, KeptOutcome<size.node_count + 1, size.count + 1>,
                  T...>();
};
template <class Operation, class... T>
using Evaluated = std::conditional_t<EvaluatedInLittleRoom<Operation, T...>::outcome.overflow,
                                     EvaluatedInFullRoom<Operation, T...>,
                                     EvaluatedInLittleRoom<Operation, T...>>;

// ---- The program: straight-line code over an array that the optimizer keeps in registers.

template <int node, int64_t value>
HLO_CUTE_LEAF constexpr int64_t Operand(const int64_t* results) {
  if constexpr (node == 0) {
    return value;
  } else {
    return results[node - 1];
  }
}

#define HLO_CUTE_NO_COMPOSITION "composition(A, B): no layout is found for these run-time numbers, "
constexpr int kStrideBetweenModes = -1;
constexpr int kExtentBetweenModes = -2;
template <class I>
HLO_CUTE_INLINE constexpr void CheckWalk(I taken) {
  static_cast<void>(taken);
  HLO_CUTE_CHECK(taken != kStrideBetweenModes, HLO_CUTE_NO_COMPOSITION
                 "for a stride of B neither divides the extent of a mode of A nor is a multiple of "
                 "it, and the next mode of A does not continue that one");
  HLO_CUTE_CHECK(taken != kExtentBetweenModes, HLO_CUTE_NO_COMPOSITION
                 "for a mode of B runs past the end of a mode of A, its extent is no multiple of "
                 "what fits there, and the next mode of A does not continue that one");
}
// I is int where device code computes with 32 bits (config.h), and int64_t elsewhere. How many of
// `rest` steps a mode takes, or why it has no place for them.
template <class I>
HLO_CUTE_INLINE constexpr I TryWalkShape(I extent, I stride, I rest) {
  if (stride == 0 || rest <= 1 || (stride > 0 && (rest - 1) * stride < extent)) return rest;
#if HLO_CUTE_CHECKS
  if (extent <= 0 || stride <= 0 || (stride % extent != 0 && extent % stride != 0)) {
    return kStrideBetweenModes;
  }
#endif
  if (stride >= extent) return 1;
  const I fits = extent / stride;
#if HLO_CUTE_CHECKS
  if (rest % fits != 0) return kExtentBetweenModes;
#endif
  return fits;
}
template <class I>
HLO_CUTE_INLINE constexpr I WalkShape(I extent, I stride, I rest) {
  const I taken = TryWalkShape(extent, stride, rest);
  CheckWalk(taken);
  return taken;
}
template <class I>
HLO_CUTE_INLINE constexpr I WalkStride(I extent, I stride) {
  if (extent > 0 && (stride >= extent || stride <= -extent)) return stride / extent;
  return (stride > 0) - (stride < 0);
}
// The same of a stride above 0, on the device, where nothing is checked: one of the two divides the
// other if there is such a layout. Without branches, from which the optimizer sees that a quotient
// has 16 bits, and calls a function for it.
HLO_CUTE_LEAF constexpr int WalkStrideUp(int extent, int stride) {
  return (stride - 1) / extent + 1;
}

template <Code code, bool wide, class I>
HLO_CUTE_INLINE constexpr I Execute(I a, I b, I c) {
  static_cast<void>(a);
  static_cast<void>(b);
  static_cast<void>(c);
  if constexpr (code == Code::kSum) {
    return a + b;
  } else if constexpr (code == Code::kProduct && sizeof(I) == 4) {
    return a * b;
  } else if constexpr (code == Code::kProduct) {
    return WideProduct(a, b);
  } else if constexpr (code == Code::kQuotient && sizeof(I) == 4) {
    return a / b;
  } else if constexpr (code == Code::kQuotient) {
    if constexpr (wide) return b == 0 ? 0 : a / b;
    return b == 0 ? 0 : static_cast<int32_t>(a) / static_cast<int32_t>(b);
  } else if constexpr (code == Code::kCeilQuotient && sizeof(I) == 4) {
    return (a + b - 1) / b;
  } else if constexpr (code == Code::kCeilQuotient) {
    HLO_CUTE_CHECK(b != 0, "divide: the tile is empty");
    if constexpr (wide) return a / b + (a % b != 0);
    // A divisor that does not fit 32 bits is larger than the dividend.
    if (b > INT32_MAX) return a > 0;
    const int32_t x = static_cast<int32_t>(a);
    const int32_t y = static_cast<int32_t>(b);
    return x / y + (x % y != 0);
  } else if constexpr (code == Code::kMinimum) {
    return a < b ? a : b;
  } else if constexpr (code == Code::kWalkShape) {
    return WalkShape(a, b, c);
  } else if constexpr (code == Code::kWalkSignedShape) {
    return WalkShape(a, b < 0 ? -b : b, c);
  } else if constexpr (code == Code::kTryWalkShape) {
    return TryWalkShape(a, b, c);
  } else if constexpr (code == Code::kTryWalkSignedShape) {
    return TryWalkShape(a, b < 0 ? -b : b, c);
  } else if constexpr (code == Code::kReach) {
    return b != 0 ? a : a * c;
  } else if constexpr (code == Code::kWithinReach) {
    return a == 0 || (c - 1) * (b < 0 ? -b : b) < a ? c : 0;
  } else if constexpr (code == Code::kWithoutEnd) {
    return a == 0 ? c : 0;
  } else if constexpr (code == Code::kWalkedOrWithin) {
#if HLO_CUTE_CHECKS
    if (a < 0 && b > 0) return b;
    CheckWalk(a);
#endif
    return a;
  } else if constexpr (code == Code::kWalkStride) {
    return WalkStride(a, b);
  } else if constexpr (code == Code::kRequireLess) {
    HLO_CUTE_CHECK(a < b, HLO_CUTE_NO_COMPOSITION
                   "for modes of B run together past the end of a mode of A, and the next does not "
                   "continue it");
    return 0;
  } else if constexpr (code == Code::kRequireNoCarry) {
    HLO_CUTE_CHECK(a < b || c == 0, HLO_CUTE_NO_COMPOSITION
                   "for modes of B run together past the end of a mode of A, and the next does not "
                   "continue it");
    return 0;
  } else if constexpr (code == Code::kRequireMultiple) {
    HLO_CUTE_CHECK(b > 0 && a >= b && a % b == 0,
                   "complement: there is none, the strides do not divide each other");
    return 0;
  } else if constexpr (code == Code::kRequireApart) {
    HLO_CUTE_CHECK(b > 0 && a >= b,
                   "complement or product: there is none, a mode begins inside of what smaller "
                   "strides reach");
    return 0;
  } else if constexpr (code == Code::kRequirePositive) {
    HLO_CUTE_CHECK(a > 0,
                   "complement, divide or product: there is none, a dynamic stride is not above 0");
    return 0;
  } else {
    static_assert(code == Code::kRequireDivides, "");
    HLO_CUTE_CHECK(
        a != 0 && b != 0 && (a % b == 0 || b % a == 0),
        "divide: there is no such layout, the tile does not fit the modes of the layout");
    return 0;
  }
}

template <class E, int i>
HLO_CUTE_LEAF constexpr void Step(int64_t* results) {
  constexpr Code code = E::outcome.instruction[i].code;
  if constexpr (code != Code::kInput) {
    constexpr int node_a = E::outcome.instruction[i].a.node;
    constexpr int64_t value_a = E::outcome.instruction[i].a.value;
    constexpr int node_b = E::outcome.instruction[i].b.node;
    constexpr int64_t value_b = E::outcome.instruction[i].b.value;
    constexpr int node_c = E::outcome.instruction[i].c.node;
    constexpr int64_t value_c = E::outcome.instruction[i].c.value;
    constexpr bool wide = E::outcome.instruction[i].a.wide;
    using I =
        std::conditional_t<HLO_CUTE_NARROW && !E::outcome.instruction[i].HasGiven(), int, int64_t>;
    const I a = static_cast<I>(Operand<node_a, value_a>(results));
    if constexpr (code == Code::kWalkStride && sizeof(I) == 4 && node_b == 0 && value_b > 0) {
      results[i] = WalkStrideUp(a, value_b);
    } else {
      results[i] = Execute<code, wide>(a, static_cast<I>(Operand<node_b, value_b>(results)),
                                       static_cast<I>(Operand<node_c, value_c>(results)));
    }
  }
}
template <class E, int... i>
HLO_CUTE_LEAF constexpr void RunProgram(int64_t* results, seq<i...>) {
  (Step<E, i>(results), ...);
}

// The dynamic leaves of the arguments, in the order of the inputs.
template <class T>
HLO_CUTE_LEAF constexpr void CollectNumber(int64_t* results, int& count, T const& t) {
  if constexpr (is_dynamic_integer_v<T>) {
    results[count++] = static_cast<int64_t>(t);
  } else if constexpr (is_scaled_basis<T>::value) {
    CollectNumber(results, count, t.value());
  }
}
template <class S, class D>
HLO_CUTE_INLINE constexpr void CollectMode(int64_t* results, int& count, S const& s, D const& d);
template <class S, class D, int... I>
HLO_CUTE_LEAF constexpr void CollectModes(int64_t* results, int& count, S const& s, D const& d,
                                          seq<I...>) {
  (CollectMode(results, count, get<I>(s), get<I>(d)), ...);
}
template <class S, class D>
HLO_CUTE_INLINE constexpr void CollectMode(int64_t* results, int& count, S const& s, D const& d) {
  if constexpr (is_static_v<S> && is_static_v<D>) {
  } else if constexpr (is_tuple_v<S>) {
    CollectModes(results, count, s, d, make_seq<tuple_size_v<S>>{});
  } else {
    CollectNumber(results, count, s);
    CollectNumber(results, count, d);
  }
}
template <class T>
HLO_CUTE_LEAF constexpr void Collect(int64_t* results, int& count, T const& t) {
  if constexpr (is_tuple_v<T>) {
    for_each(t, [&](auto const& member) { Collect(results, count, member); });
  } else if constexpr (is_layout_v<T>) {
    CollectMode(results, count, t.shape(), t.stride());
  } else {
    CollectNumber(results, count, t);
  }
}

// ---- Trees to types.

// N is a known or a dynamic number of the tree.
template <int node, int64_t value, bool wide, bool given, int64_t divisor>
struct DecodedNumber {
  using Plain = std::conditional_t<wide, std::conditional_t<given, int64_t, ComputedInt>, int>;
  using type = std::conditional_t<(divisor > 1), Multiple<divisor, Plain>, Plain>;
  HLO_CUTE_LEAF static constexpr type Get(const int64_t* results) {
    return type{static_cast<Plain>(results[node - 1])};
  }
};
template <int64_t value, bool wide, bool given, int64_t divisor>
struct DecodedNumber<0, value, wide, given, divisor> {
  using type = StaticInt<value>;
  HLO_CUTE_LEAF static constexpr type Get(const int64_t*) { return {}; }
};

template <int64_t path, class T, int... N>
struct WithPath {
  using type = typename WithPath<(path >> 8), T, N..., static_cast<int>(path & 0xff) - 1>::type;
};
template <class T, int... N>
struct WithPath<0, T, N...> {
  using type = ScaledBasis<T, N...>;
};
template <class T>
struct WithPath<0, T> {
  using type = T;
};

// `arity` is no default argument: nvcc leaves these out where it writes the names of types into the
// host's code, and GCC then takes S and D of a constant in a template for values.
template <class E, int position, int arity>
struct DecodedOf;
template <class E, int position>
using Decoded = DecodedOf<E, position, E::outcome.arity[position]>;
template <class E, int position>
struct DecodedOf<E, position, 0> {
  static constexpr Mode mode = E::outcome.mode[position];
  using ShapeNumber = DecodedNumber<mode.shape.node, mode.shape.value, mode.shape.wide,
                                    mode.shape.given, mode.shape.divisor>;
  using StrideNumber = DecodedNumber<mode.stride.node, mode.stride.value, mode.stride.wide,
                                     mode.stride.given, mode.stride.divisor>;
  using S = typename ShapeNumber::type;
  using D = typename WithPath<mode.path, typename StrideNumber::type>::type;
  HLO_CUTE_LEAF static constexpr S GetShape(const int64_t* results) {
    return ShapeNumber::Get(results);
  }
  HLO_CUTE_LEAF static constexpr D GetStride(const int64_t* results) {
    return D(StrideNumber::Get(results));
  }
};
template <class E, int position, class I>
struct DecodedTuple;
template <class E, int position, int... I>
struct DecodedTuple<E, position, seq<I...>> {
  template <int i>
  using Member = Decoded<E, E::outcome.Member(position, i)>;
  using S = tuple<typename Member<I>::S...>;
  using D = tuple<typename Member<I>::D...>;
  HLO_CUTE_LEAF static constexpr S GetShape(const int64_t* results) {
    static_cast<void>(results);
    return S(Member<I>::GetShape(results)...);
  }
  HLO_CUTE_LEAF static constexpr D GetStride(const int64_t* results) {
    static_cast<void>(results);
    return D(Member<I>::GetStride(results)...);
  }
};
template <class E, int position, int arity>
struct DecodedOf : DecodedTuple<E, position, make_seq<arity - 1>> {};

// The result of an operation as a layout.
template <class Operation, class... T>
HLO_CUTE_INLINE constexpr auto Evaluate(T const&... arguments) {
  using E = Evaluated<Operation, T...>;
  using Root = Decoded<E, 0>;
  using Result = Layout<typename Root::S, typename Root::D>;
  constexpr int count = E::outcome.count;
  if constexpr (count == 0) {
    return Result{};
  } else {
    int64_t results[count] = {};
    int inputs = 0;
    (Collect(results, inputs, arguments), ...);
    RunProgram<E>(results, make_seq<count>{});
    return Result(Root::GetShape(results), Root::GetStride(results));
  }
}

}  // namespace detail
HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_LAYOUT_EVALUATE_H_
