#ifndef HLO_INDEXING_LAYOUT_CUTE_MODE_OPERATIONS_H_
#define HLO_INDEXING_LAYOUT_CUTE_MODE_OPERATIONS_H_

#include "layout/cute/mode_algebra.h"

// Complement and inverses of layouts as values, and the operations that layouts call.
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

// Sorts by stride, small ones first; equal strides by extent, and otherwise keeps the order. The
// strides are known and positive. `before` gets, for each mode, the product of the extents before
// it, in the order from which it came.
template <int N>
HLO_CUTE_HD constexpr void SortByStride(Program<N>& p, Modes<N>& modes, Number* before) {
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

template <int N>
HLO_CUTE_HD constexpr Problem StridesMustBePositive(Modes<N> const& modes) {
  for (int i = 0; i < modes.count; ++i) {
    if (modes.mode[i].path != 0) return Problem::kCoordinateStride;
    if (!modes.mode[i].stride.known()) return Problem::kDynamicStride;
    if (modes.mode[i].stride.value < 0) return Problem::kNegativeStride;
  }
  return Problem::kNone;
}

// What of the space of size `target` (a product of extents) lies beyond `covered`: one mode, or two
// if known extents come before dynamic ones, so that the known part stays known.
template <int N>
HLO_CUTE_HD constexpr void PushRest(Program<N>& p, Modes<N> const& target, Number covered,
                                    Modes<N>& result) {
  Number known = Known(1);
  int at = 0;
  for (; at < target.count && target.mode[at].shape.known(); ++at) {
    known = Known(known.value * target.mode[at].shape.value);
  }
  if (at == target.count) {
    Push(p, result, CeilQuotient(p, known, covered), covered);
    return;
  }
  Number dynamic = target.mode[at].shape;
  for (int i = at + 1; i < target.count; ++i) {
    dynamic = Product(p, dynamic, target.mode[i].shape);
  }
  if (known.value <= 1) {
    Push(p, result, CeilQuotient(p, Product(p, known, dynamic), covered), covered);
    return;
  }
  // What is covered has to end with the known part or to divide it, or two quotients rounded up
  // would make more than one.
  const bool divides = covered.known() && covered.value > 0 &&
                       (known.value % covered.value == 0 || covered.value % known.value == 0);
  if (!divides) Require(p, Code::kRequireDivides, known, covered);
  const Number quotient = CeilQuotient(p, known, covered);
  Push(p, result, quotient, covered);
  Push(p, result, CeilQuotient(p, dynamic, CeilQuotient(p, covered, known)),
       Product(p, covered, quotient));
}

enum class Gaps { kRefused, kSkipped };

// The modes that lie between those of a layout, of which the smallest has the stride 1, and up to
// where all of them reach. If the strides do not divide each other some offsets cannot be covered:
// `policy` says what then happens.
template <int N>
HLO_CUTE_HD constexpr Problem FindGaps(Program<N>& p, Modes<N> const& modes, Gaps policy,
                                       Modes<N>& gaps, Number& covered) {
  Modes<N> sorted = WithoutConstantModes(modes);
  covered = Known(1);
  if (sorted.count == 1 && sorted.mode[0].path == 0 && !sorted.mode[0].stride.known()) {
    Require(p, Code::kRequirePositive, sorted.mode[0].stride, Known(1));
    Push(p, gaps, sorted.mode[0].stride, Known(1));
    covered = Product(p, sorted.mode[0].shape, sorted.mode[0].stride);
  } else {
    const Problem problem = StridesMustBePositive(sorted);
    if (problem != Problem::kNone) return problem;
    Number before[N] = {};
    SortByStride(p, sorted, before);
    for (int i = 0; i < sorted.count; ++i) {
      Number const& stride = sorted.mode[i].stride;
      if (sorted.mode[i].shape.Is(0)) return Problem::kEmpty;
      if (covered.known()) {
        const bool fits =
            covered.value > 0 && (policy == Gaps::kSkipped ? stride.value >= covered.value
                                                           : stride.value % covered.value == 0);
        if (!fits) return Problem::kNotInjective;
        Push(p, gaps, Known(stride.value / covered.value), covered);
      } else {
        Require(p, policy == Gaps::kSkipped ? Code::kRequireApart : Code::kRequireMultiple, stride,
                covered);
        Push(p, gaps, Quotient(p, stride, covered), covered);
      }
      covered = Product(p, sorted.mode[i].shape, stride);
    }
  }
  return Problem::kNone;
}

/// The layout of what `modes` leaves out of the space of size `target`: its image together with
/// that of `modes` covers the space, each element once, but for what Gaps::kSkipped leaves out.
/// Example: 4:2 in 24 -> (2,3):(1,8); with Gaps::kSkipped, (3,6):(1,10) in 60 -> 3:3
template <int N>
HLO_CUTE_HD constexpr Problem Complement(Program<N>& p, Modes<N> const& modes,
                                         Modes<N> const& target, Gaps policy, Modes<N>& result) {
  Modes<N> gaps{};
  Number covered{};
  const Problem problem = FindGaps(p, modes, policy, gaps, covered);
  if (problem != Problem::kNone) return problem;
  PushRest(p, target, covered, gaps);
  result = Coalesced(p, gaps, LastMode::kLikeOthers);
  return Problem::kNone;
}

/// Where `count` copies of `modes` lie that have no offset in common: first in the gaps, then
/// behind what all of them reach. Padding stays free.
/// Example: 6 copies of (3,6):(1,10) -> (3,2):(3,60)
template <int N>
HLO_CUTE_HD constexpr Problem PlacesOfCopies(Program<N>& p, Modes<N> const& modes, Number count,
                                             Modes<N>& result) {
  Modes<N> places{};
  Number covered{};
  const Problem problem = FindGaps(p, modes, Gaps::kSkipped, places, covered);
  if (problem != Problem::kNone) return problem;
  Number between = Known(1);
  for (int i = 0; i < places.count; ++i) between = Product(p, between, places.mode[i].shape);
  Push(p, places, CeilQuotient(p, count, between), covered);
  result = Coalesced(p, places, LastMode::kLikeOthers);
  return Problem::kNone;
}

/// The largest layout r with layout(r(i)) = i.
/// Example: (8,4):(4,1) -> (4,8):(8,1)
template <int N>
HLO_CUTE_HD constexpr Modes<N> RightInverse(Program<N>& p, Modes<N> const& modes) {
  // Only modes with known, positive strides take part; extents before them count.
  const Modes<N> coalesced = Coalesced(p, modes, LastMode::kLikeOthers);
  Modes<N> result{};
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
    Push(p, result, coalesced.mode[best].shape, before_best);
    reached = coalesced.mode[best].shape.known()
                  ? Known(reached.value * coalesced.mode[best].shape.value)
                  : coalesced.mode[best].shape;
  }
  return Coalesced(p, result, LastMode::kLikeOthers);
}

constexpr int64_t kMaxEnumeratedInverse = 4096;

template <int N>
HLO_CUTE_HD constexpr Problem InvertsOnImage(Modes<N> const& layout, Modes<N> const& inverse) {
  int64_t size = 1;
  for (int i = 0; i < layout.count; ++i) size *= layout.mode[i].shape.value;
  if (size > kMaxEnumeratedInverse) return Problem::kInverseGap;
  for (int64_t i = 0; i < size; ++i) {
    const int64_t value = Evaluate(layout, i);
    if (Evaluate(layout, Evaluate(inverse, value)) != value) return Problem::kInverseGap;
  }
  return Problem::kNone;
}

// The modes that a left inverse is made of, small strides first, with the index strides of their
// coordinates. Strides are known and have one sign; if they are negative, their opposites.
template <int N>
struct InvertedModes {
  Modes<N> sorted;
  Number before[N];
  bool negative;
};
template <int N>
HLO_CUTE_HD constexpr Problem SortForInverse(Program<N>& p, Modes<N> const& coalesced,
                                             InvertedModes<N>& result) {
  Number before = Known(1);
  Modes<N>& sorted = result.sorted;
  for (int i = 0; i < coalesced.count; ++i) {
    Mode mode = coalesced.mode[i];
    if (!mode.stride.Is(0) && !mode.shape.Is(1)) {
      if (mode.path != 0) return Problem::kCoordinateStride;
      if (!mode.stride.known()) return Problem::kDynamicStride;
      const bool negative = mode.stride.value < 0;
      if (sorted.count > 0 && negative != result.negative) return Problem::kNegativeStride;
      result.negative = negative;
      if (negative) mode.stride = Known(-mode.stride.value);
      int at = sorted.count++;
      for (; at > 0 && sorted.mode[at - 1].stride.value > mode.stride.value; --at) {
        sorted.mode[at] = sorted.mode[at - 1];
        result.before[at] = result.before[at - 1];
      }
      sorted.mode[at] = mode;
      result.before[at] = before;
    }
    before = Product(p, before, mode.shape);
  }
  return Problem::kNone;
}

/// A layout r with layout(r(layout(i))) = layout(i).
/// Example: 4:2 -> (2,4):(0,1)
template <int N>
HLO_CUTE_HD constexpr Problem LeftInverse(Program<N>& p, Modes<N> const& modes, Modes<N>& result) {
  InvertedModes<N> inverted{};
  const Problem problem = SortForInverse(p, Coalesced(p, modes, LastMode::kLikeOthers), inverted);
  if (problem != Problem::kNone) return problem;
  Modes<N> const& sorted = inverted.sorted;
  // A value is a sum of digits times strides. The digit of a stride is what is left when it is
  // divided out, modulo the next stride.
  Modes<N> pieces{};
  bool disjoint = true;
  if (sorted.count > 0) Push(p, pieces, sorted.mode[0].stride, Known(0));
  for (int i = 0; i < sorted.count; ++i) {
    Mode const& mode = sorted.mode[i];
    if (i + 1 == sorted.count) {
      Push(p, pieces, mode.shape, inverted.before[i]);
      break;
    }
    const int64_t next = sorted.mode[i + 1].stride.value;
    if (next % mode.stride.value != 0) return Problem::kInverseGap;
    const int64_t period = next / mode.stride.value;
    disjoint = disjoint && mode.shape.known() && mode.shape.value <= period;
    if (!mode.shape.known()) {
      Require(p, Code::kRequireLess, Sum(p, mode.shape, Known(-1)), Known(period));
    }
    Push(p, pieces, Known(period), inverted.before[i]);
  }
  // Division rounds towards 0, so the inverse at -x is that at x of the opposite strides.
  if (inverted.negative) Negate(p, pieces);
  result = Coalesced(p, pieces, LastMode::kLikeOthers);
  // Where modes overlap, this may invert or not.
  if (!disjoint && AllKnown(modes)) return InvertsOnImage(modes, result);
  return Problem::kNone;
}

/// The modes that the layout maps to 0.
/// Example: (2,4):(3,0) -> 4:2
template <int N>
HLO_CUTE_HD constexpr Modes<N> NullSpace(Program<N>& p, Modes<N> const& modes) {
  Modes<N> zeros{};
  Number before = Known(1);
  for (int i = 0; i < modes.count; ++i) {
    Number const& extent = modes.mode[i].shape;
    if (modes.mode[i].stride.Is(0)) Push(p, zeros, extent, extent.Is(1) ? Known(0) : before);
    before = Product(p, before, extent);
  }
  if (zeros.count == 0) Push(p, zeros, Known(1), Known(0));
  return zeros;
}

/// 1 + the largest value less the smallest, of integer strides.
template <int N>
HLO_CUTE_HD constexpr Number CoSize(Program<N>& p, Modes<N> const& modes) {
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
  template <int N>
  HLO_CUTE_HD static constexpr void Run(Outcome<N>& o, ModeTree<N> const& a) {
    o.tree.AddModes(Coalesced(o.program, a.Leaves(), LastMode::kLikeOthers));
  }
};
struct FilterOperation {
  template <int N>
  HLO_CUTE_HD static constexpr void Run(Outcome<N>& o, ModeTree<N> const& a) {
    o.tree.AddModes(Coalesced(o.program, WithoutConstantModes(a.Leaves()), LastMode::kLikeOthers));
  }
};
struct ComposeOperation {
  template <int N>
  HLO_CUTE_HD static constexpr void Run(Outcome<N>& o, ModeTree<N> const& a, ModeTree<N> const& b) {
    Compose(o, a, b);
  }
};
struct ComplementOperation {
  template <int N>
  HLO_CUTE_HD static constexpr void Run(Outcome<N>& o, ModeTree<N> const& a,
                                        ModeTree<N> const& target) {
    Modes<N> result{};
    const Problem problem =
        Complement(o.program, a.Leaves(), target.Leaves(), Gaps::kSkipped, result);
    if (problem != Problem::kNone) return o.Fail(problem);
    o.tree.AddModes(result);
  }
};
struct RightInverseOperation {
  template <int N>
  HLO_CUTE_HD static constexpr void Run(Outcome<N>& o, ModeTree<N> const& a) {
    o.tree.AddModes(RightInverse(o.program, a.Leaves()));
  }
};
struct LeftInverseOperation {
  template <int N>
  HLO_CUTE_HD static constexpr void Run(Outcome<N>& o, ModeTree<N> const& a) {
    Modes<N> result{};
    const Problem problem = LeftInverse(o.program, a.Leaves(), result);
    if (problem != Problem::kNone) return o.Fail(problem);
    o.tree.AddModes(result);
  }
};
struct NullSpaceOperation {
  template <int N>
  HLO_CUTE_HD static constexpr void Run(Outcome<N>& o, ModeTree<N> const& a) {
    o.tree.AddModes(NullSpace(o.program, a.Leaves()));
  }
};
/// a o (b, complement of b in the domain of a): the elements of a that a tile b holds, and the
/// tiles.
struct LogicalDivideOperation {
  template <int N>
  HLO_CUTE_HD static constexpr void Run(Outcome<N>& o, ModeTree<N> const& a, ModeTree<N> const& b) {
    const Modes<N> domain = Coalesced(o.program, a.Leaves(), LastMode::kLikeOthers);
    Modes<N> rest{};
    const Problem problem = Complement(o.program, b.Leaves(), domain, Gaps::kRefused, rest);
    if (problem != Problem::kNone) return o.Fail(problem);
    ModeTree<N> tile_and_rest{};
    tile_and_rest.AddTuple(2);
    tile_and_rest.AddTree(b);
    tile_and_rest.AddModes(rest);
    Compose(o, a, tile_and_rest);
  }
};
/// (a, places of copies o b): copies of a, arranged as b says.
struct LogicalProductOperation {
  template <int N>
  HLO_CUTE_HD static constexpr void Run(Outcome<N>& o, ModeTree<N> const& a, ModeTree<N> const& b) {
    const Number count = CoSize(o.program, b.Leaves());
    Modes<N> places{};
    const Problem problem = PlacesOfCopies(o.program, a.Leaves(), count, places);
    if (problem != Problem::kNone) return o.Fail(problem);
    ModeTree<N> place_tree{};
    place_tree.AddModes(places);
    o.tree.AddTuple(2);
    o.tree.AddTree(a);
    Compose(o, place_tree, b);
  }
};
/// The part in which both layouts run through memory alike: from b's memory to a's domain, or 1:0.
struct CommonOperation {
  template <int N>
  HLO_CUTE_HD static constexpr void Run(Outcome<N>& o, ModeTree<N> const& a, ModeTree<N> const& b) {
    const Modes<N> inverse = RightInverse(o.program, b.Leaves());
    ModeTree<N> inverse_tree{};
    inverse_tree.AddModes(inverse);
    Outcome<N> composed{};
    Compose(composed, a, inverse_tree);
    o.program.overflow = o.program.overflow || composed.overflow();
    Modes<N> result{};
    Push(o.program, result, Known(1), Known(0));
    if (composed.problem == Problem::kNone) {
      const Modes<N> common =
          Coalesced(composed.program, composed.tree.Leaves(), LastMode::kLikeOthers);
      Mode const& first = common.mode[0];
      if (first.shape.known() && first.stride.Is(1) && first.path == 0) {
        ModeTree<N> prefix{};
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

#endif  // HLO_INDEXING_LAYOUT_CUTE_MODE_OPERATIONS_H_
