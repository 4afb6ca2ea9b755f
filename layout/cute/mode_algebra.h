#ifndef HLO_INDEXING_LAYOUT_CUTE_MODE_ALGEBRA_H_
#define HLO_INDEXING_LAYOUT_CUTE_MODE_ALGEBRA_H_

#include "layout/cute/mode_tree.h"

// The algebra on layouts as values: coalesce, composition, complement, inverses.
//
// A layout maps a coordinate to a sum of coordinate times stride; the one-dimensional index counts
// its coordinates with the first mode fastest, and an index past the end counts on in the last
// mode.
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

HLO_CUTE_HD constexpr void Push(Modes& modes, Number shape, Number stride, int64_t path = 0) {
  if (modes.count >= kMaxTreeNodes) return;
  Mode& mode = modes.mode[modes.count++];
  mode.shape = shape;
  mode.stride = stride;
  mode.path = stride.Is(0) ? 0 : path;
}

// Whether b continues where a ends, as far as is known.
HLO_CUTE_HD constexpr bool Continues(Mode const& a, Mode const& b) {
  return a.shape.known() && a.stride.known() && b.shape.known() && b.stride.known() &&
         a.path == b.path && a.shape.value * a.stride.value == b.stride.value;
}

enum class LastMode { kLikeOthers, kKept };

/// The least modes with the same function on the domain: (2,(1,6)):(1,(6,2)) -> 12:1.
/// LastMode::kKept keeps a last mode of size 1, in which an index past the end counts on.
HLO_CUTE_HD constexpr Modes Coalesced(Program& p, Modes const& modes, LastMode last) {
  Modes result{};
  for (int i = 0; i < modes.count; ++i) {
    Mode const& mode = modes.mode[i];
    const bool keep = last == LastMode::kKept && i + 1 == modes.count;
    if (mode.shape.Is(1) && !keep) continue;
    if (result.count > 0 && Continues(result.mode[result.count - 1], mode)) {
      Mode& previous = result.mode[result.count - 1];
      previous.shape = Product(p, previous.shape, mode.shape);
    } else {
      Push(result, mode.shape, mode.stride, mode.path);
    }
  }
  if (result.count == 0) Push(result, Known(1), Known(0));
  return result;
}

/// The modes without those that a stride of 0 or an extent of 1 makes constant.
HLO_CUTE_HD constexpr Modes WithoutConstantModes(Modes const& modes) {
  Modes result{};
  for (int i = 0; i < modes.count; ++i) {
    if (modes.mode[i].stride.Is(0) || modes.mode[i].shape.Is(1)) continue;
    result.mode[result.count++] = modes.mode[i];
  }
  return result;
}

HLO_CUTE_HD constexpr bool AllKnown(Modes const& modes) {
  for (int i = 0; i < modes.count; ++i) {
    if (!modes.mode[i].shape.known() || !modes.mode[i].stride.known()) return false;
  }
  return true;
}
HLO_CUTE_HD constexpr bool HasPath(Modes const& modes) {
  for (int i = 0; i < modes.count; ++i) {
    if (modes.mode[i].path != 0) return true;
  }
  return false;
}

/// The value of known modes at a one-dimensional index.
HLO_CUTE_HD constexpr int64_t Evaluate(Modes const& modes, int64_t index) {
  int64_t value = 0;
  for (int i = 0; i < modes.count; ++i) {
    const int64_t extent = modes.mode[i].shape.value;
    const bool last = i + 1 == modes.count;
    value += (last ? index : index % extent) * modes.mode[i].stride.value;
    if (!last) index /= extent;
  }
  return value;
}

// Composition, by enumeration: for known layouts whose strides do not divide each other, where a
// result may exist all the same, for instance (4,6):(1,9) o 2:5 -> 2:10. `pieces` gets the modes of
// each leaf of b one after the other and `sizes` their numbers.
constexpr int64_t kMaxEnumeratedComposition = 1024;
HLO_CUTE_HD constexpr Problem ComposeByEnumeration(Modes const& a, Modes const& b, Modes& pieces,
                                                   int* sizes) {
  int64_t size = 1;
  for (int i = 0; i < b.count; ++i) {
    size *= b.mode[i].shape.value;
    if (size > kMaxEnumeratedComposition || b.mode[i].stride.value < 0) {
      return Problem::kStrideDoesNotDivide;
    }
  }
  pieces.count = 0;
  for (int i = 0; i < b.count; ++i) {
    const int before = pieces.count;
    int64_t rest = b.mode[i].shape.value;
    int64_t stride = b.mode[i].stride.value;
    do {
      const int64_t step = Evaluate(a, stride);
      int64_t linear = 1;
      while (linear < rest && Evaluate(a, linear * stride) == linear * step) ++linear;
      if (rest % linear != 0) return Problem::kStrideDoesNotDivide;
      Push(pieces, Known(linear), Known(step));
      rest /= linear;
      stride *= linear;
    } while (rest > 1);
    sizes[i] = pieces.count - before;
  }
  for (int64_t index = 0; index < size; ++index) {
    // The coordinate inside the last mode of b is inside its extent, so b and the pieces agree in
    // what index they mean.
    int64_t in_b = 0;
    int64_t rest = index;
    for (int i = 0; i < b.count; ++i) {
      in_b += rest % b.mode[i].shape.value * b.mode[i].stride.value;
      rest /= b.mode[i].shape.value;
    }
    if (Evaluate(pieces, index) != Evaluate(a, in_b)) return Problem::kStrideDoesNotDivide;
  }
  return Problem::kNone;
}

// What the leaves of the right layout use of each mode of the left one: the sums of their largest
// digits, and how many use it.
struct DigitUse {
  Number sum[kMaxTreeNodes];
  int users[kMaxTreeNodes];
};

HLO_CUTE_HD constexpr void UseDigits(Program& p, DigitUse& use, int k, Number shape,
                                     Number stride) {
  if (shape.Is(1)) return;
  Number largest{};
  if (shape.known() && stride.known()) {
    largest = Known((shape.value - 1) * stride.value);
  } else {
    largest = Product(p, Sum(p, shape, Known(-1)), stride);
  }
  use.sum[k] = Sum(p, use.sum[k], largest);
  ++use.users[k];
}

/// a o (shape:stride), for the coalesced modes of a: walks through the modes of a, takes the part
/// of the stride that a mode covers out of it, and cuts as much of the extent off as fits the mode.
HLO_CUTE_HD constexpr Problem ComposeLeaf(Program& p, Modes const& a, Mode const& b, DigitUse& use,
                                          Modes& result) {
  Number rest = b.shape;
  Number stride = b.stride;
  const int first = result.count;
  const int last = a.count - 1;
  if (stride.Is(0)) {
    Push(result, rest, Known(0));
    return Problem::kNone;
  }
  if (last > 0 && stride.known() && stride.value < 0 && !rest.Is(1)) {
    return Problem::kNegativeStride;
  }
  for (int k = 0; k < last; ++k) {
    Number const& extent = a.mode[k].shape;
    if (rest.Is(1)) {
      // Nothing left to map. A leaf of size 1 gets the stride that it would have further on.
      if (result.count > first) return Problem::kNone;
      stride = extent.known() && stride.known() && extent.value > 0 && stride.value > 0
                   ? CeilQuotient(p, stride, extent)
                   : Known(0);
      continue;
    }
    if (extent.known() && stride.known()) {
      if (extent.value == 0) return Problem::kShapeDoesNotDivide;
      if (stride.value % extent.value == 0) {
        stride = Known(stride.value / extent.value);
        continue;
      }
    }
    Number taken{};
    if (rest.known() && extent.known() && stride.known() &&
        (rest.value - 1) * stride.value < extent.value) {
      taken = rest;
    } else if (extent.known() && stride.known()) {
      if (extent.value % stride.value != 0) return Problem::kStrideDoesNotDivide;
      const Number fits = Known(extent.value / stride.value);
      if (rest.known()) {
        if (rest.value % fits.value != 0) return Problem::kShapeDoesNotDivide;
        taken = fits;
      } else {
        taken = DivisorOf(rest) % fits.value == 0
                    ? fits
                    : Emit(p, Code::kWalkShape, extent, stride, rest, false, 0);
      }
    } else {
      taken = Emit(p, Code::kWalkShape, extent, stride, rest, rest.wide, 0);
    }
    Push(result, taken, Product(p, stride, a.mode[k].stride), a.mode[k].path);
    UseDigits(p, use, k, taken, stride);
    const bool all = taken.node == rest.node && taken.value == rest.value;
    rest = all ? Known(1) : Quotient(p, rest, taken);
    if (extent.known() && stride.known()) {
      stride = Known(1);
    } else if (!stride.Is(1)) {
      stride = Emit(p, Code::kWalkStride, extent, stride, Number{}, stride.wide, 0);
    }
  }
  if (!rest.Is(1) || result.count == first) {
    Push(result, rest, Product(p, stride, a.mode[last].stride), a.mode[last].path);
  }
  return Problem::kNone;
}

// The modes of a that a stride with a path counts along, and its position.
HLO_CUTE_HD constexpr int FindPath(ModeTree const& a, int64_t path) {
  int position = 0;
  for (; path != 0; path >>= 8) {
    const int member = static_cast<int>(path & 0xff) - 1;
    if (a.arity[position] == 0) {
      if (member != 0) return -1;
      continue;
    }
    if (member >= a.arity[position] - 1) return -1;
    position = a.Member(position, member);
  }
  return position;
}

// Modes of b that meet in a mode of a must not carry over into the next: unless that continues the
// mode, which for dynamic numbers is seen at run time only.
HLO_CUTE_HD constexpr Problem CheckDigits(Program& p, Modes const& a, DigitUse const& use) {
  for (int k = 0; k + 1 < a.count; ++k) {
    if (use.users[k] < 2) continue;
    Mode const& mode = a.mode[k];
    Mode const& next = a.mode[k + 1];
    const bool known = mode.shape.known() && mode.stride.known() && next.stride.known();
    if (use.sum[k].known() && mode.shape.known()) {
      if (use.sum[k].value < mode.shape.value) continue;
      if (known) return Problem::kModesCarry;
    }
    if (k + 2 == a.count && !known && mode.path == next.path) {
      const Number end = Product(p, mode.shape, mode.stride);
      Emit(p, Code::kRequireNoCarry, use.sum[k], mode.shape,
           Sum(p, end, Product(p, Known(-1), next.stride)), false, 0);
    } else {
      Require(p, Code::kRequireLess, use.sum[k], mode.shape);
    }
  }
  return Problem::kNone;
}

// The leaves of b whose strides have the given path, composed with the part of a at that path.
HLO_CUTE_HD constexpr Problem ComposeAtPath(Program& p, ModeTree const& a, Modes const& b,
                                            int64_t path, Modes* results) {
  const int position = FindPath(a, path);
  if (position < 0) return Problem::kCoordinateStride;
  const Modes left = Coalesced(p, a.Leaves(position, a.After(position)), LastMode::kKept);
  const Program before = p;
  DigitUse use{};
  Problem problem = Problem::kNone;
  for (int i = 0; i < b.count && problem == Problem::kNone; ++i) {
    if (b.mode[i].path == path || (path == 0 && b.mode[i].stride.Is(0))) {
      problem = ComposeLeaf(p, left, b.mode[i], use, results[i]);
    }
  }
  if (problem == Problem::kNone) problem = CheckDigits(p, left, use);
  if (problem != Problem::kStrideDoesNotDivide) return problem;
  if (path != 0 || !AllKnown(left) || !AllKnown(b) || HasPath(left) || HasPath(b)) return problem;
  p = before;
  Modes pieces{};
  int sizes[kMaxTreeNodes] = {};
  problem = ComposeByEnumeration(left, b, pieces, sizes);
  if (problem != Problem::kNone) return problem;
  for (int i = 0, next = 0; i < b.count; ++i) {
    results[i].count = 0;
    for (int k = 0; k < sizes[i]; ++k) results[i].mode[results[i].count++] = pieces.mode[next++];
  }
  return Problem::kNone;
}

/// a o b: the layout of the profile of b (leaves may become tuples) with (a o b)(c) = a(b(c)).
/// (10,2):(16,4) o (5,4):(1,5) -> (5,(2,2)):(16,(80,4)). Fails if and only if there is none, as far
/// as the known numbers tell, and records checks for the others.
HLO_CUTE_HD constexpr void Compose(Outcome& o, ModeTree const& a, ModeTree const& b) {
  const Modes leaves = b.Leaves();
  Modes results[kMaxTreeNodes] = {};
  int64_t paths[kMaxTreeNodes] = {};
  int path_count = 0;
  for (int i = 0; i < leaves.count; ++i) {
    bool seen = false;
    for (int k = 0; k < path_count; ++k) seen = seen || paths[k] == leaves.mode[i].path;
    if (!seen) paths[path_count++] = leaves.mode[i].path;
  }
  for (int k = 0; k < path_count; ++k) {
    const Problem problem = ComposeAtPath(o.program, a, leaves, paths[k], results);
    if (problem != Problem::kNone) return o.Fail(problem);
  }
  for (int i = 0, leaf = 0; i < b.count; ++i) {
    if (b.arity[i] != 0) {
      o.tree.AddTuple(b.arity[i] - 1);
    } else {
      o.tree.AddModes(results[leaf++]);
    }
  }
}

// Sorts by stride, small ones first; equal strides by extent, and otherwise keeps the order. The
// strides are known and positive. `before` gets, for each mode, the product of the extents before
// it, in the order from which it came.
HLO_CUTE_HD constexpr void SortByStride(Program& p, Modes& modes, Number* before) {
  Number product = Known(1);
  for (int i = 0; i < modes.count; ++i) {
    before[i] = product;
    product = Product(p, product, modes.mode[i].shape);
  }
  for (int i = 1; i < modes.count; ++i) {
    for (int k = i; k > 0; --k) {
      Mode& x = modes.mode[k - 1];
      Mode& y = modes.mode[k];
      const bool swap =
          x.stride.value > y.stride.value || (x.stride.value == y.stride.value && x.shape.known() &&
                                              y.shape.known() && x.shape.value > y.shape.value);
      if (!swap) break;
      const Mode mode = x;
      x = y;
      y = mode;
      const Number number = before[k - 1];
      before[k - 1] = before[k];
      before[k] = number;
    }
  }
}

HLO_CUTE_HD constexpr Problem StridesMustBePositive(Modes const& modes) {
  for (int i = 0; i < modes.count; ++i) {
    if (modes.mode[i].path != 0) return Problem::kCoordinateStride;
    if (!modes.mode[i].stride.known()) return Problem::kDynamicStride;
    if (modes.mode[i].stride.value < 0) return Problem::kNegativeStride;
  }
  return Problem::kNone;
}

// What of the space of size `target` (a product of extents) lies beyond `covered`: one mode, or two
// if known extents come before dynamic ones, so that the known part stays known.
HLO_CUTE_HD constexpr void PushRest(Program& p, Modes const& target, Number covered,
                                    Modes& result) {
  Number known = Known(1);
  int at = 0;
  for (; at < target.count && target.mode[at].shape.known(); ++at) {
    known = Known(known.value * target.mode[at].shape.value);
  }
  if (at == target.count) {
    Push(result, CeilQuotient(p, known, covered), covered);
    return;
  }
  Number dynamic = target.mode[at].shape;
  for (int i = at + 1; i < target.count; ++i) {
    dynamic = Product(p, dynamic, target.mode[i].shape);
  }
  if (known.value <= 1) {
    Push(result, CeilQuotient(p, Product(p, known, dynamic), covered), covered);
    return;
  }
  // What is covered has to end with the known part or to divide it, or two quotients rounded up
  // would make more than one.
  const bool divides = covered.known() && covered.value > 0 &&
                       (known.value % covered.value == 0 || covered.value % known.value == 0);
  if (!divides) Require(p, Code::kRequireDivides, known, covered);
  const Number quotient = CeilQuotient(p, known, covered);
  Push(result, quotient, covered);
  Push(result, CeilQuotient(p, dynamic, CeilQuotient(p, covered, known)),
       Product(p, covered, quotient));
}

enum class Gaps { kRefused, kSkipped };

/// The layout of what `modes` leaves out of the space of size `target`: its image together with
/// that of `modes` covers the space, each element once. 4:2 in 24 -> (2,3):(1,8). Where the strides
/// do not divide each other some elements cannot be covered: Gaps says what then happens.
HLO_CUTE_HD constexpr Problem Complement(Program& p, Modes const& modes, Modes const& target,
                                         Gaps policy, Modes& result) {
  Modes sorted = WithoutConstantModes(modes);
  Number covered = Known(1);
  Modes gaps{};
  if (sorted.count == 1 && sorted.mode[0].path == 0 && !sorted.mode[0].stride.known()) {
    Push(gaps, sorted.mode[0].stride, Known(1));
    covered = Product(p, sorted.mode[0].shape, sorted.mode[0].stride);
  } else {
    const Problem problem = StridesMustBePositive(sorted);
    if (problem != Problem::kNone) return problem;
    Number before[kMaxTreeNodes] = {};
    SortByStride(p, sorted, before);
    for (int i = 0; i < sorted.count; ++i) {
      Number const& stride = sorted.mode[i].stride;
      if (covered.known()) {
        const bool fits =
            covered.value > 0 && (policy == Gaps::kSkipped ? stride.value >= covered.value
                                                           : stride.value % covered.value == 0);
        if (!fits) return Problem::kNotInjective;
        Push(gaps, Known(stride.value / covered.value), covered);
      } else {
        Require(p, Code::kRequireMultiple, stride, covered);
        Push(gaps, Quotient(p, stride, covered), covered);
      }
      covered = Product(p, sorted.mode[i].shape, stride);
    }
  }
  PushRest(p, target, covered, gaps);
  result = Coalesced(p, gaps, LastMode::kLikeOthers);
  return Problem::kNone;
}

/// The largest layout r with layout(r(i)) = i: (8,4):(4,1) -> (4,8):(8,1)
HLO_CUTE_HD constexpr Modes RightInverse(Program& p, Modes const& modes) {
  // Only modes with known, positive strides take part; extents before them count.
  const Modes coalesced = Coalesced(p, modes, LastMode::kLikeOthers);
  Modes result{};
  Number reached = Known(1);
  while (reached.known()) {
    int best = -1;
    Number before = Known(1);
    Number before_best{};
    for (int i = 0; i < coalesced.count; ++i) {
      Mode const& mode = coalesced.mode[i];
      const bool fits = mode.stride.Is(reached.value) && mode.path == 0 &&
                        (!mode.shape.known() || mode.shape.value > 1);
      // Of several the longest, and a known one before a dynamic one.
      if (fits && (best < 0 || mode.shape.value > coalesced.mode[best].shape.value)) {
        best = i;
        before_best = before;
      }
      before = Product(p, before, mode.shape);
    }
    if (best < 0) break;
    Push(result, coalesced.mode[best].shape, before_best);
    reached = coalesced.mode[best].shape.known()
                  ? Known(reached.value * coalesced.mode[best].shape.value)
                  : coalesced.mode[best].shape;
  }
  return Coalesced(p, result, LastMode::kLikeOthers);
}

constexpr int64_t kMaxEnumeratedInverse = 4096;

HLO_CUTE_HD constexpr Problem InvertsOnImage(Modes const& layout, Modes const& inverse) {
  int64_t size = 1;
  for (int i = 0; i < layout.count; ++i) size *= layout.mode[i].shape.value;
  if (size > kMaxEnumeratedInverse) return Problem::kInverseGap;
  for (int64_t i = 0; i < size; ++i) {
    const int64_t value = Evaluate(layout, i);
    if (Evaluate(layout, Evaluate(inverse, value)) != value) return Problem::kInverseGap;
  }
  return Problem::kNone;
}

/// A layout r with layout(r(layout(i))) = layout(i): 4:2 -> (2,4):(0,1)
HLO_CUTE_HD constexpr Problem LeftInverse(Program& p, Modes const& modes, Modes& result) {
  const Modes coalesced = Coalesced(p, modes, LastMode::kLikeOthers);
  Modes sorted{};
  Number before_sorted[kMaxTreeNodes] = {};
  Number before = Known(1);
  for (int i = 0; i < coalesced.count; ++i) {
    Mode const& mode = coalesced.mode[i];
    if (!mode.stride.Is(0) && !mode.shape.Is(1)) {
      if (mode.path != 0) return Problem::kCoordinateStride;
      if (!mode.stride.known()) return Problem::kDynamicStride;
      if (mode.stride.value < 0) return Problem::kNegativeStride;
      int at = sorted.count++;
      for (; at > 0 && sorted.mode[at - 1].stride.value > mode.stride.value; --at) {
        sorted.mode[at] = sorted.mode[at - 1];
        before_sorted[at] = before_sorted[at - 1];
      }
      sorted.mode[at] = mode;
      before_sorted[at] = before;
    }
    before = Product(p, before, mode.shape);
  }
  // A value is a sum of digits times strides. The digit of a stride is what is left when it is
  // divided out, modulo the next stride.
  Modes pieces{};
  bool disjoint = true;
  if (sorted.count > 0) Push(pieces, sorted.mode[0].stride, Known(0));
  for (int i = 0; i < sorted.count; ++i) {
    Mode const& mode = sorted.mode[i];
    if (i + 1 == sorted.count) {
      Push(pieces, mode.shape, before_sorted[i]);
      break;
    }
    const int64_t next = sorted.mode[i + 1].stride.value;
    if (next % mode.stride.value != 0) return Problem::kInverseGap;
    const int64_t period = next / mode.stride.value;
    disjoint = disjoint && mode.shape.known() && mode.shape.value <= period;
    if (!mode.shape.known())
      Require(p, Code::kRequireLess, Sum(p, mode.shape, Known(-1)), Known(period));
    Push(pieces, Known(period), before_sorted[i]);
  }
  result = Coalesced(p, pieces, LastMode::kLikeOthers);
  // Where modes overlap, this may invert or not.
  if (!disjoint && AllKnown(modes)) return InvertsOnImage(modes, result);
  return Problem::kNone;
}

/// The modes that the layout maps to 0: (2,4):(3,0) -> 4:2
HLO_CUTE_HD constexpr Modes NullSpace(Program& p, Modes const& modes) {
  Modes zeros{};
  Number before = Known(1);
  for (int i = 0; i < modes.count; ++i) {
    Number const& extent = modes.mode[i].shape;
    if (modes.mode[i].stride.Is(0)) Push(zeros, extent, extent.Is(1) ? Known(0) : before);
    before = Product(p, before, extent);
  }
  if (zeros.count == 0) Push(zeros, Known(1), Known(0));
  return zeros;
}

/// 1 + the largest value less the smallest, of integer strides.
HLO_CUTE_HD constexpr Number CoSize(Program& p, Modes const& modes) {
  Number size = Known(1);
  for (int i = 0; i < modes.count; ++i) {
    Number stride = modes.mode[i].stride;
    if (stride.known() && stride.value < 0) stride = Known(-stride.value);
    size = Sum(p, size, Product(p, Sum(p, modes.mode[i].shape, Known(-1)), stride));
  }
  return size;
}

// The operations by which layouts call the algebra; Run gets the arguments as trees.

struct CoalesceOperation {
  HLO_CUTE_HD static constexpr void Run(Outcome& o, ModeTree const& a) {
    o.tree.AddModes(Coalesced(o.program, a.Leaves(), LastMode::kLikeOthers));
  }
};
struct FilterOperation {
  HLO_CUTE_HD static constexpr void Run(Outcome& o, ModeTree const& a) {
    o.tree.AddModes(Coalesced(o.program, WithoutConstantModes(a.Leaves()), LastMode::kLikeOthers));
  }
};
struct ComposeOperation {
  HLO_CUTE_HD static constexpr void Run(Outcome& o, ModeTree const& a, ModeTree const& b) {
    Compose(o, a, b);
  }
};
struct ComplementOperation {
  HLO_CUTE_HD static constexpr void Run(Outcome& o, ModeTree const& a, ModeTree const& target) {
    Modes result{};
    const Problem problem =
        Complement(o.program, a.Leaves(), target.Leaves(), Gaps::kSkipped, result);
    if (problem != Problem::kNone) return o.Fail(problem);
    o.tree.AddModes(result);
  }
};
struct RightInverseOperation {
  HLO_CUTE_HD static constexpr void Run(Outcome& o, ModeTree const& a) {
    o.tree.AddModes(RightInverse(o.program, a.Leaves()));
  }
};
struct LeftInverseOperation {
  HLO_CUTE_HD static constexpr void Run(Outcome& o, ModeTree const& a) {
    Modes result{};
    const Problem problem = LeftInverse(o.program, a.Leaves(), result);
    if (problem != Problem::kNone) return o.Fail(problem);
    o.tree.AddModes(result);
  }
};
struct NullSpaceOperation {
  HLO_CUTE_HD static constexpr void Run(Outcome& o, ModeTree const& a) {
    o.tree.AddModes(NullSpace(o.program, a.Leaves()));
  }
};
/// a o (b, complement of b in the domain of a): the elements of a that a tile b holds, and the
/// tiles.
struct LogicalDivideOperation {
  HLO_CUTE_HD static constexpr void Run(Outcome& o, ModeTree const& a, ModeTree const& b) {
    const Modes domain = Coalesced(o.program, a.Leaves(), LastMode::kLikeOthers);
    Modes rest{};
    const Problem problem = Complement(o.program, b.Leaves(), domain, Gaps::kRefused, rest);
    if (problem != Problem::kNone) return o.Fail(problem);
    ModeTree tile_and_rest{};
    tile_and_rest.AddTuple(2);
    tile_and_rest.AddTree(b);
    tile_and_rest.AddModes(rest);
    Compose(o, a, tile_and_rest);
  }
};
/// (a, complement of a o b): copies of a, arranged as b says.
struct LogicalProductOperation {
  HLO_CUTE_HD static constexpr void Run(Outcome& o, ModeTree const& a, ModeTree const& b) {
    Number size = CoSize(o.program, b.Leaves());
    const Modes leaves = a.Leaves();
    for (int i = 0; i < leaves.count; ++i) size = Product(o.program, size, leaves.mode[i].shape);
    Modes target{};
    Push(target, size, Known(1));
    Modes rest{};
    const Problem problem = Complement(o.program, leaves, target, Gaps::kRefused, rest);
    if (problem != Problem::kNone) return o.Fail(problem);
    ModeTree rest_tree{};
    rest_tree.AddModes(rest);
    o.tree.AddTuple(2);
    o.tree.AddTree(a);
    Compose(o, rest_tree, b);
  }
};
/// The part in which both layouts run through memory alike: from b's memory to a's domain, or 1:0.
struct CommonOperation {
  HLO_CUTE_HD static constexpr void Run(Outcome& o, ModeTree const& a, ModeTree const& b) {
    const Modes inverse = RightInverse(o.program, b.Leaves());
    ModeTree inverse_tree{};
    inverse_tree.AddModes(inverse);
    Outcome composed{};
    Compose(composed, a, inverse_tree);
    Modes result{};
    Push(result, Known(1), Known(0));
    if (composed.problem == Problem::kNone) {
      const Modes common =
          Coalesced(composed.program, composed.tree.Leaves(), LastMode::kLikeOthers);
      Mode const& first = common.mode[0];
      if (first.shape.known() && first.stride.Is(1) && first.path == 0) {
        ModeTree prefix{};
        Mode mode{};
        mode.shape = first.shape;
        mode.stride = Known(1);
        prefix.AddLeaf(mode);
        return Compose(o, inverse_tree, prefix);
      }
    }
    o.tree.AddModes(result);
  }
};

}  // namespace detail
HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_MODE_ALGEBRA_H_
