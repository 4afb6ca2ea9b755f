#ifndef HLO_INDEXING_LAYOUT_CUTE_MODE_TREE_H_
#define HLO_INDEXING_LAYOUT_CUTE_MODE_TREE_H_

#include "layout/cute/config.h"

// Layouts as plain values, on which the algebra is ordinary constexpr code.
//
// The algebra of static layouts could be templates that recurse over tuples. Here it is not: a
// layout type is turned into a ModeTree (a preorder list of its modes), a constexpr function with
// loops computes the result as another ModeTree, and that is turned into a type again. This
// compiles faster, reads like the textbook, and the same functions run on run-time values in tests.
//
// A Number is known, or the result of an instruction of a Program. The algebra decides by what is
// known and records what has to be computed from the dynamic parts. The layout type then runs the
// program as straight-line code: no loop and no branch on the structure is left at run time.
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

// How many nodes a layout may have. Everything below has room for N nodes: kFewTreeNodes are enough
// for most layouts, and a compiler that interprets the algebra takes time for each node of each
// variable. Where no room is left the program or the tree says so (overflow), and the operation is
// done again with kMaxTreeNodes.
constexpr int kMaxTreeNodes = 128;
constexpr int kFewTreeNodes = 16;
HLO_CUTE_HD constexpr int InstructionsFor(int nodes) { return 16 + 3 * nodes; }
constexpr int kMaxInstructions = InstructionsFor(kMaxTreeNodes);

// All structs below are zero when value-initialized: compilers then make large ones for free.

struct Number {
  int64_t value;    // if known
  int node;         // 0: known; i + 1: the result of instruction i
  bool wide;        // a dynamic number of 64 bits
  bool given;       // it, or what it was computed from, has 64 bits because the user gave so many
  int64_t divisor;  // a dynamic number is a multiple of it; 0 means 1

  HLO_CUTE_HD constexpr bool known() const { return node == 0; }
  HLO_CUTE_HD constexpr bool Is(int64_t v) const { return node == 0 && value == v; }
};

HLO_CUTE_HD constexpr Number Known(int64_t value) {
  Number number{};
  number.value = value;
  return number;
}
HLO_CUTE_HD constexpr int64_t DivisorOf(Number const& n) {
  return n.known() ? n.value : (n.divisor == 0 ? 1 : n.divisor);
}

enum class Code : unsigned char {
  kInput,
  kSum,
  kProduct,
  kQuotient,
  kCeilQuotient,
  kMinimum,
  // The steps of a composition through one mode, see ComposeLeaf: (size of the mode, stride, rest).
  kWalkShape,
  kWalkSignedShape,  // the same for a stride that may be negative
  kWalkStride,
  // The same where the modes from here on may turn out to continue each other, see EmitWalk.
  kTryWalkShape,
  kTryWalkSignedShape,
  kReach,           // (extent, what is between the end of the mode and the next, reach of that)
  kWithinReach,     // (reach, stride, rest): rest, if so many steps stay inside, or else 0
  kWithoutEnd,      // (reach, -, rest): rest, if there is no end to it, or else 0
  kWalkedOrWithin,  // one of both, or a check fails
  // Checks: a < b; a is a multiple of b; a >= b > 0; one of a and b is a multiple of the other;
  // a > 0.
  kRequireLess,
  kRequireNoCarry,  // a < b, or c is 0
  kRequireMultiple,
  kRequireApart,
  kRequireDivides,
  kRequirePositive,
};

struct Instruction {
  Code code;
  Number a;
  Number b;
  Number c;

  // Whether an operand has 64 bits because the user gave so many.
  HLO_CUTE_HD constexpr bool HasGiven() const {
    return a.given || b.given || c.given || a.value > INT32_MAX || b.value > INT32_MAX ||
           c.value > INT32_MAX || a.value < -INT32_MAX || b.value < -INT32_MAX ||
           c.value < -INT32_MAX;
  }
};

template <int N>
struct Program {
  static constexpr int capacity = InstructionsFor(N);
  Instruction instruction[capacity];
  int count;
  bool overflow;  // more instructions than there is room for
};

template <int N>
HLO_CUTE_HD constexpr Number Emit(Program<N>& p, Code code, Number a, Number b, Number c, bool wide,
                                  int64_t divisor) {
  Number result{};
  if (p.count >= Program<N>::capacity) {
    p.overflow = true;
    return Known(1);
  }
  p.instruction[p.count].code = code;
  p.instruction[p.count].a = a;
  p.instruction[p.count].b = b;
  p.instruction[p.count].c = c;
  result.node = ++p.count;
  result.wide = wide;
  result.given = a.given || b.given || c.given;
  result.divisor = divisor;
  return result;
}

template <int N>
HLO_CUTE_HD constexpr Number Product(Program<N>& p, Number a, Number b) {
  if (a.known() && b.known()) return Known(a.value * b.value);
  if (a.Is(0) || b.Is(0)) return Known(0);
  if (a.Is(1)) return b;
  if (b.Is(1)) return a;
  // Only what the user has assumed becomes part of the type.
  const bool assumed = (!a.known() && a.divisor > 1) || (!b.known() && b.divisor > 1);
  const int64_t divisor = assumed ? DivisorOf(a) * DivisorOf(b) : 0;
  return Emit(p, Code::kProduct, a, b, Number{}, true, divisor < 0 ? -divisor : divisor);
}
template <int N>
HLO_CUTE_HD constexpr Number Sum(Program<N>& p, Number a, Number b) {
  if (a.known() && b.known()) return Known(a.value + b.value);
  if (a.Is(0)) return b;
  if (b.Is(0)) return a;
  return Emit(p, Code::kSum, a, b, Number{}, true, 0);
}
// a / b, of which the caller knows that it leaves no rest.
template <int N>
HLO_CUTE_HD constexpr Number Quotient(Program<N>& p, Number a, Number b) {
  if (a.known() && b.known()) return Known(a.value / b.value);
  if (b.Is(1)) return a;
  const bool divides = b.known() && DivisorOf(a) % b.value == 0;
  return Emit(p, Code::kQuotient, a, b, Number{}, a.wide, divides ? DivisorOf(a) / b.value : 0);
}
template <int N>
HLO_CUTE_HD constexpr Number CeilQuotient(Program<N>& p, Number a, Number b) {
  if (a.known() && b.known()) return Known((a.value + b.value - 1) / b.value);
  if (b.Is(1)) return a;
  if (b.known() && DivisorOf(a) % b.value == 0) return Quotient(p, a, b);
  return Emit(p, Code::kCeilQuotient, a, b, Number{}, a.wide, 0);
}
template <int N>
HLO_CUTE_HD constexpr Number Minimum(Program<N>& p, Number a, Number b) {
  if (a.known() && b.known()) return Known(a.value < b.value ? a.value : b.value);
  return Emit(p, Code::kMinimum, a, b, Number{}, a.wide && b.wide, 0);
}
// What an instruction for a check refers to is not a number; nothing uses its result.
template <int N>
HLO_CUTE_HD constexpr void Require(Program<N>& p, Code code, Number a, Number b) {
  Emit(p, code, a, b, Number{}, false, 0);
}

/// One leaf of a layout: shape and stride. A stride with a path counts along one axis of a
/// coordinate: path lists the axis from the outside in, one byte each, as index + 1.
struct Mode {
  Number shape;
  Number stride;
  int64_t path;
};

/// A flat layout.
template <int N>
struct Modes {
  Mode mode[N];
  int count;
};

/// A layout in preorder. arity[i] is 0 for a leaf and k + 1 for a tuple of k modes.
template <int N>
struct ModeTree {
  Mode mode[N];
  signed char arity[N];
  int count;
  bool overflow;  // more nodes than there is room for

  HLO_CUTE_HD constexpr void AddTuple(int members) {
    if (count >= N || members > 126) {
      overflow = true;
      return;
    }
    arity[count++] = static_cast<signed char>(members + 1);
  }
  HLO_CUTE_HD constexpr void AddLeaf(Mode const& leaf) {
    if (count >= N) {
      overflow = true;
      return;
    }
    mode[count++] = leaf;
  }
  template <int M>
  HLO_CUTE_HD constexpr void AddTree(ModeTree<M> const& tree) {
    overflow = overflow || tree.overflow;
    for (int i = 0; i < tree.count; ++i) {
      if (tree.arity[i] == 0) {
        AddLeaf(tree.mode[i]);
      } else {
        AddTuple(tree.arity[i] - 1);
      }
    }
  }
  // One mode is a leaf, several are a tuple of leaves.
  HLO_CUTE_HD constexpr void AddModes(Modes<N> const& modes, int begin, int number) {
    if (number != 1) AddTuple(number);
    for (int i = begin; i < begin + number; ++i) AddLeaf(modes.mode[i]);
  }
  HLO_CUTE_HD constexpr void AddModes(Modes<N> const& modes) { AddModes(modes, 0, modes.count); }
  // The position after the subtree at `position`.
  HLO_CUTE_HD constexpr int After(int position) const {
    int open = 1;
    while (open > 0 && position < count) {
      open += arity[position] == 0 ? -1 : arity[position] - 2;
      ++position;
    }
    return position;
  }
  // The position of a member of the tuple at `position`.
  HLO_CUTE_HD constexpr int Member(int position, int member) const {
    int at = position + 1;
    for (int i = 0; i < member; ++i) at = After(at);
    return at;
  }
  HLO_CUTE_HD constexpr Modes<N> Leaves(int begin, int end) const {
    Modes<N> modes{};
    for (int i = begin; i < end; ++i) {
      if (arity[i] == 0) modes.mode[modes.count++] = mode[i];
    }
    return modes;
  }
  HLO_CUTE_HD constexpr Modes<N> Leaves() const { return Leaves(0, count); }
};

/// Why an operation has no result.
enum class Problem : unsigned char {
  kNone,
  kTooLarge,             // more modes than kMaxTreeNodes
  kStrideDoesNotDivide,  // composition: a stride falls between the modes of the left layout
  kShapeDoesNotDivide,   // composition: an extent falls between the modes of the left layout
  kModesCarry,           // composition: modes of the right layout share a mode of the left one
  kDynamicStride,        // the operation needs static strides
  kNotInjective,         // the complement of a layout that maps two coordinates to one
  kEmpty,                // the complement of a layout without elements
  kNegativeStride,
  kCoordinateStride,  // strides that are coordinates, where integers are needed
  kInverseGap,        // left inverse: the strides do not divide each other
};

/// What an operation of the algebra results in.
template <int N>
struct Outcome {
  ModeTree<N> tree;
  Program<N> program;
  Problem problem;

  HLO_CUTE_HD constexpr bool overflow() const { return tree.overflow || program.overflow; }
  HLO_CUTE_HD constexpr void Fail(Problem why) {
    if (problem == Problem::kNone) problem = why;
  }
};

}  // namespace detail
HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_MODE_TREE_H_
