#ifndef HLO_INDEXING_LAYOUT_CUTE_MODE_ALGEBRA_H_
#define HLO_INDEXING_LAYOUT_CUTE_MODE_ALGEBRA_H_

#include "layout/cute/mode_tree.h"

// The algebra on layouts as values: coalesce and composition. mode_operations.h has the rest.
//
// A layout maps a coordinate to a sum of coordinate times stride; the one-dimensional index counts
// its coordinates with the first mode fastest, and an index past the end counts on in the last
// mode.
HLO_CUTE_BEGIN_NAMESPACE
namespace detail {

template <int N>
HLO_CUTE_HD constexpr void Push(Program<N>& p, Modes<N>& modes, Number shape, Number stride,
                                int64_t path = 0) {
  if (modes.count >= N) {
    p.overflow = true;
    return;
  }
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

/// The least modes with the same function on the domain. LastMode::kKept keeps a last mode of size
/// 1, in which an index past the end counts on.
/// Example: (2,(1,6)):(1,(6,2)) -> 12:1
template <int N>
HLO_CUTE_HD constexpr Modes<N> Coalesced(Program<N>& p, Modes<N> const& modes, LastMode last) {
  Modes<N> result{};
  for (int i = 0; i < modes.count; ++i) {
    Mode const& mode = modes.mode[i];
    const bool keep = last == LastMode::kKept && i + 1 == modes.count;
    if (mode.shape.Is(1) && !keep) continue;
    if (result.count > 0 && Continues(result.mode[result.count - 1], mode)) {
      Mode& previous = result.mode[result.count - 1];
      previous.shape = Product(p, previous.shape, mode.shape);
    } else {
      Push(p, result, mode.shape, mode.stride, mode.path);
    }
  }
  if (result.count == 0) Push(p, result, Known(1), Known(0));
  return result;
}

/// The modes without those that a stride of 0 or an extent of 1 makes constant.
template <int N>
HLO_CUTE_HD constexpr Modes<N> WithoutConstantModes(Modes<N> const& modes) {
  Modes<N> result{};
  for (int i = 0; i < modes.count; ++i) {
    if (modes.mode[i].stride.Is(0) || modes.mode[i].shape.Is(1)) continue;
    result.mode[result.count++] = modes.mode[i];
  }
  return result;
}

template <int N>
HLO_CUTE_HD constexpr bool AllKnown(Modes<N> const& modes) {
  for (int i = 0; i < modes.count; ++i) {
    if (!modes.mode[i].shape.known() || !modes.mode[i].stride.known()) return false;
  }
  return true;
}
template <int N>
HLO_CUTE_HD constexpr bool HasPath(Modes<N> const& modes) {
  for (int i = 0; i < modes.count; ++i) {
    if (modes.mode[i].path != 0) return true;
  }
  return false;
}

/// The value of known modes at a one-dimensional index.
template <int N>
HLO_CUTE_HD constexpr int64_t Evaluate(Modes<N> const& modes, int64_t index) {
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
template <int N>
HLO_CUTE_HD constexpr Problem ComposeByEnumeration(Program<N>& p, Modes<N> const& a,
                                                   Modes<N> const& b, Modes<N>& pieces,
                                                   int* sizes) {
  int64_t size = 1;
  for (int i = 0; i + 1 < a.count; ++i) {
    if (a.mode[i].shape.value <= 0) return Problem::kShapeDoesNotDivide;
  }
  for (int i = 0; i < b.count; ++i) {
    size *= b.mode[i].shape.value;
    if (size > kMaxEnumeratedComposition) return Problem::kStrideDoesNotDivide;
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
      Push(p, pieces, Known(linear), Known(step));
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

// Which coordinates of which modes of the left layout the leaves of the right one run through:
// shape:stride in mode k.
template <int N>
struct DigitUses {
  int k[N];
  Number shape[N];
  Number stride[N];
  int count;

  HLO_CUTE_HD constexpr void Add(Program<N>& p, int mode, Number extent, Number step) {
    if (extent.Is(1)) return;
    if (count >= N) {
      p.overflow = true;
      return;
    }
    k[count] = mode;
    shape[count] = extent;
    stride[count++] = step;
  }
  HLO_CUTE_HD constexpr int UsersOf(int mode) const {
    int users = 0;
    for (int i = 0; i < count; ++i) users += k[i] == mode ? 1 : 0;
    return users;
  }
  // The sum of the largest coordinates in a mode.
  HLO_CUTE_HD constexpr Number Largest(Program<N>& p, int mode) const {
    Number sum{};
    for (int i = 0; i < count; ++i) {
      if (k[i] != mode) continue;
      const Number last =
          shape[i].known() ? Known(shape[i].value - 1) : Sum(p, shape[i], Known(-1));
      sum = Sum(p, sum, Product(p, last, stride[i]));
    }
    return sum;
  }
};

// How the extent of a leaf with a dynamic stride is cut: a leaf that is alone may run backwards.
enum class Signs : unsigned char { kNotNegative, kAny };

// How far a layout goes on evenly from each of its modes on: modes whose strides turn out at run
// time to continue each other are one. 0 is without an end, as from the last mode on.
template <int N>
struct Reaches {
  Number reach[N];
  bool known;

  HLO_CUTE_HD constexpr void Find(Program<N>& p, Modes<N> const& a) {
    if (known) return;
    known = true;
    reach[a.count - 1] = Known(0);
    for (int k = a.count - 2; k >= 0; --k) {
      Mode const& mode = a.mode[k];
      Mode const& next = a.mode[k + 1];
      const bool numbers = mode.shape.known() && mode.stride.known() && next.stride.known();
      // Those that are known to continue each other have been made one.
      if (numbers || mode.path != next.path) {
        reach[k] = mode.shape;
      } else {
        const Number end = Product(p, mode.shape, mode.stride);
        const Number gap = Sum(p, end, Product(p, Known(-1), next.stride));
        reach[k] = Emit(p, Code::kReach, mode.shape, gap, reach[k + 1], true, 0);
      }
    }
  }
  // Whether it may be more than the mode.
  HLO_CUTE_HD constexpr bool GoesOn(Modes<N> const& a, int k) const {
    return reach[k].node != a.mode[k].shape.node || reach[k].value != a.mode[k].shape.value;
  }
};

// What a walk through mode k takes of `rest` steps of `stride`, where that depends on dynamic
// numbers. Where the mode has no place for them all the same the steps may go on through modes that
// continue it. If there are other leaves than this (`alone` says), they may only do so without an
// end, for the sum of all counts.
template <int N>
HLO_CUTE_HD constexpr Number EmitWalk(Program<N>& p, Modes<N> const& a, int k, Number stride,
                                      Number rest, Signs signs, bool alone, bool wide,
                                      Reaches<N>& reaches) {
  const bool any = signs == Signs::kAny;
  Number const& extent = a.mode[k].shape;
  reaches.Find(p, a);
  if (!reaches.GoesOn(a, k)) {
    return Emit(p, any ? Code::kWalkSignedShape : Code::kWalkShape, extent, stride, rest, wide, 0);
  }
  const Number walked =
      Emit(p, any ? Code::kTryWalkSignedShape : Code::kTryWalkShape, extent, stride, rest, wide, 0);
  const Number within = Emit(p, alone ? Code::kWithinReach : Code::kWithoutEnd, reaches.reach[k],
                             stride, rest, wide, 0);
  return Emit(p, Code::kWalkedOrWithin, walked, within, Number{}, wide, 0);
}

/// a o (shape:stride), for the coalesced modes of a: walks through the modes of a, takes the part
/// of the stride that a mode covers out of it, and cuts as much of the extent off as fits the mode.
template <int N>
HLO_CUTE_HD constexpr Problem ComposeLeaf(Program<N>& p, Modes<N> const& a, Mode const& b,
                                          Signs signs, bool alone, Reaches<N>& reaches,
                                          DigitUses<N>& uses, Modes<N>& result) {
  Number rest = b.shape;
  Number stride = b.stride;
  const int first = result.count;
  const int last = a.count - 1;
  if (stride.Is(0)) {
    Push(p, result, rest, Known(0));
    return Problem::kNone;
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
    // See ComposeAtPath: known strides are not negative here.
    if (stride.known() && stride.value < 0) return Problem::kNegativeStride;
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
                    : EmitWalk(p, a, k, stride, rest, signs, alone, false, reaches);
      }
    } else {
      taken = EmitWalk(p, a, k, stride, rest, signs, alone, rest.wide, reaches);
    }
    Push(p, result, taken, Product(p, stride, a.mode[k].stride), a.mode[k].path);
    uses.Add(p, k, taken, stride);
    const bool all = taken.node == rest.node && taken.value == rest.value;
    rest = all ? Known(1) : Quotient(p, rest, taken);
    if (extent.known() && stride.known()) {
      stride = Known(1);
    } else if (!stride.Is(1)) {
      stride = Emit(p, Code::kWalkStride, extent, stride, Number{}, stride.wide, 0);
    }
  }
  if (!rest.Is(1) || result.count == first) {
    Push(p, result, rest, Product(p, stride, a.mode[last].stride), a.mode[last].path);
  }
  return Problem::kNone;
}

// The modes of a that a stride with a path counts along, and its position.
template <int N>
HLO_CUTE_HD constexpr int FindPath(ModeTree<N> const& a, int64_t path) {
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

// Modes of b that meet in a mode of a must not carry over into the next: unless a goes on evenly
// there without an end, which for dynamic numbers is seen at run time only.
template <int N>
HLO_CUTE_HD constexpr Problem CheckDigits(Program<N>& p, Modes<N> const& a,
                                          DigitUses<N> const& uses, Reaches<N>& reaches) {
  for (int k = 0; k + 1 < a.count; ++k) {
    if (uses.UsersOf(k) < 2) continue;
    Mode const& mode = a.mode[k];
    const Number sum = uses.Largest(p, k);
    reaches.Find(p, a);
    if (sum.known() && mode.shape.known()) {
      if (sum.value < mode.shape.value) continue;
      if (!reaches.GoesOn(a, k)) return Problem::kModesCarry;
    }
    if (reaches.GoesOn(a, k)) {
      Emit(p, Code::kRequireNoCarry, sum, mode.shape, reaches.reach[k], false, 0);
    } else {
      Require(p, Code::kRequireLess, sum, mode.shape);
    }
  }
  return Problem::kNone;
}

// The leaves of b that count along one path of a.
template <int N>
struct ChosenLeaves {
  int leaf[N];
  int count;
  int moving;    // of which so many have more than one value
  int negative;  // and of these so many run backwards
};
template <int N>
HLO_CUTE_HD constexpr ChosenLeaves<N> LeavesAtPath(Modes<N> const& b, int64_t path) {
  ChosenLeaves<N> chosen{};
  for (int i = 0; i < b.count; ++i) {
    Mode const& mode = b.mode[i];
    if (mode.path != path && (path != 0 || !mode.stride.Is(0))) continue;
    chosen.leaf[chosen.count++] = i;
    if (mode.stride.Is(0) || mode.shape.Is(1)) continue;
    ++chosen.moving;
    if (mode.stride.known() && mode.stride.value < 0) ++chosen.negative;
  }
  return chosen;
}
template <int N>
HLO_CUTE_HD constexpr void Negate(Program<N>& p, Modes<N>& modes, int first = 0) {
  for (int i = first; i < modes.count; ++i) {
    modes.mode[i].stride = Product(p, Known(-1), modes.mode[i].stride);
  }
}

// What leaves become in a composition: modes, those of one leaf next to each other.
template <int N>
struct LeafResults {
  Modes<N> modes;
  int begin[N];
  int count[N];
};

// The chosen leaves of b, none of which runs backwards or all of which do. Division rounds towards
// 0, so a(-x) = -a(x), and what runs backwards is composed as if it ran forwards.
template <int N>
HLO_CUTE_HD constexpr Problem ComposeLeaves(Program<N>& p, Modes<N> const& left, Modes<N> const& b,
                                            ChosenLeaves<N> const& chosen,
                                            LeafResults<N>& results) {
  const bool backwards = chosen.negative > 0;
  const bool alone = chosen.moving == 1;
  const Signs signs = alone ? Signs::kAny : Signs::kNotNegative;
  DigitUses<N> uses{};
  Reaches<N> reaches{};
  for (int i = 0; i < chosen.count; ++i) {
    Mode leaf = b.mode[chosen.leaf[i]];
    Modes<N>& result = results.modes;
    const int begin = result.count;
    if (backwards) leaf.stride = Product(p, Known(-1), leaf.stride);
    const Problem problem = ComposeLeaf(p, left, leaf, signs, alone, reaches, uses, result);
    if (problem != Problem::kNone) return problem;
    if (backwards) Negate(p, result, begin);
    results.begin[chosen.leaf[i]] = begin;
    results.count[chosen.leaf[i]] = result.count - begin;
  }
  return CheckDigits(p, left, uses, reaches);
}

// The leaves of b whose strides have the given path, composed with the part of a at that path.
template <int N>
HLO_CUTE_HD constexpr Problem ComposeAtPath(Program<N>& p, ModeTree<N> const& a, Modes<N> const& b,
                                            int64_t path, LeafResults<N>& results) {
  const int position = FindPath(a, path);
  if (position < 0) return Problem::kCoordinateStride;
  const Modes<N> left = Coalesced(p, a.Leaves(position, a.After(position)), LastMode::kKept);
  const int instructions = p.count;
  const bool overflow = p.overflow;
  const ChosenLeaves<N> chosen = LeavesAtPath(b, path);
  const bool mixed = chosen.negative > 0 && chosen.negative < chosen.moving && left.count > 1;
  const Problem problem =
      mixed ? Problem::kNegativeStride : ComposeLeaves(p, left, b, chosen, results);
  if (problem != Problem::kStrideDoesNotDivide && problem != Problem::kNegativeStride) {
    return problem;
  }
  if (path != 0 || !AllKnown(left) || !AllKnown(b) || HasPath(left) || HasPath(b)) return problem;
  p.count = instructions;
  p.overflow = overflow;
  // No leaf has a path, so these are the results of all.
  if (ComposeByEnumeration(p, left, b, results.modes, results.count) != Problem::kNone) {
    return problem;
  }
  for (int i = 1; i < b.count; ++i) results.begin[i] = results.begin[i - 1] + results.count[i - 1];
  return Problem::kNone;
}

// A layout without elements: any with its shape will do.
template <int N>
HLO_CUTE_HD constexpr bool IsEmpty(Modes<N> const& modes) {
  for (int i = 0; i < modes.count; ++i) {
    if (modes.mode[i].shape.Is(0)) return true;
  }
  return false;
}

/// a o b: the layout of the profile of b (leaves may become tuples) with (a o b)(c) = a(b(c)).
/// Fails if and only if there is none, as far as the known numbers tell, and records checks for the
/// others.
/// Example: (10,2):(16,4) o (5,4):(1,5) -> (5,(2,2)):(16,(80,4))
template <int N>
HLO_CUTE_HD constexpr void Compose(Outcome<N>& o, ModeTree<N> const& a, ModeTree<N> const& b) {
  o.tree.overflow = o.tree.overflow || a.overflow || b.overflow;
  const Modes<N> leaves = b.Leaves();
  if (IsEmpty(leaves)) return o.tree.AddTree(b);
  LeafResults<N> results{};
  int64_t paths[N] = {};
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
      o.tree.AddModes(results.modes, results.begin[leaf], results.count[leaf]);
      ++leaf;
    }
  }
}

}  // namespace detail
HLO_CUTE_END_NAMESPACE

#endif  // HLO_INDEXING_LAYOUT_CUTE_MODE_ALGEBRA_H_
