#include "simplifier/quasi_affine_map.h"

#include <numeric>

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "simplifier/feasibility.h"
#include "simplifier/pinned.h"
#include "simplifier/refine.h"
#include "simplifier/small_domain.h"

namespace hlo_indexing::simplifier {
namespace {

using support::CheckedMul;
using support::CheckedSub;

// Bounds travel in steps that may be small (x < y and y < x shrink both by one), so stop some time.
// Rounds, for constraints of one term; these are divided among all terms.
constexpr int kMaxRounds = 4096;
constexpr int kFewRounds = 64;

// { x : x + constant in bounds }; an end that leaves the 64-bit range bounds nothing there, or
// everything.
Interval ShiftDown(Interval bounds, int64_t constant) {
  Interval result = bounds;
  if (bounds.lower != Interval::kMinusInfinity) {
    const std::optional<int64_t> lower = CheckedSub(bounds.lower, constant);
    if (!lower && constant < 0) return Interval::Empty();
    result.lower = lower.value_or(Interval::kMinusInfinity);
  }
  if (bounds.upper != Interval::kPlusInfinity) {
    const std::optional<int64_t> upper = CheckedSub(bounds.upper, constant);
    if (!upper && constant > 0) return Interval::Empty();
    result.upper = upper.value_or(Interval::kPlusInfinity);
  }
  return result;
}

// { x : factor * x in bounds }, for factor != 0.
Interval DivideBounds(Interval bounds, int64_t factor) {
  const auto divide_up = [&](int64_t end) {
    return support::CheckedCeilDiv(end, factor).value_or(Interval::kMinusInfinity);
  };
  const auto divide_down = [&](int64_t end) {
    return support::CheckedFloorDiv(end, factor).value_or(Interval::kPlusInfinity);
  };
  const bool has_lower = bounds.lower != Interval::kMinusInfinity;
  const bool has_upper = bounds.upper != Interval::kPlusInfinity;
  if (factor > 0) {
    return {has_lower ? divide_up(bounds.lower) : Interval::kMinusInfinity,
            has_upper ? divide_down(bounds.upper) : Interval::kPlusInfinity};
  }
  return {has_upper ? divide_up(bounds.upper) : Interval::kMinusInfinity,
          has_lower ? divide_down(bounds.lower) : Interval::kPlusInfinity};
}

// The 64-bit integers x for which `(x - offset) floordiv lo` lies in `digit`.
Interval ValuesWithDigit(Interval digit, int64_t lo, int64_t offset) {
  using Wide = __int128;
  Interval result;
  if (digit.lower != Interval::kMinusInfinity) {
    const Wide lower = Wide{digit.lower} * lo + offset;
    if (lower > support::kInt64Max) return Interval::Empty();
    result.lower = static_cast<int64_t>(std::max<Wide>(lower, support::kInt64Min));
  }
  if (digit.upper != Interval::kPlusInfinity) {
    const Wide upper = Wide{digit.upper} * lo + (lo - 1) + offset;
    if (upper < support::kInt64Min) return Interval::Empty();
    result.upper = static_cast<int64_t>(std::min<Wide>(upper, support::kInt64Max));
  }
  return result;
}

// The values of a mark whose digit `mark floordiv lo` lies in `digit`. They may leave the 64-bit
// range; an end that does is infinite here.
Interval MarkBounds(Interval digit, int64_t lo) {
  Interval result;
  if (digit.lower != Interval::kMinusInfinity) {
    result.lower = CheckedMul(digit.lower, lo).value_or(Interval::kMinusInfinity);
  }
  if (digit.upper != Interval::kPlusInfinity) {
    const std::optional<int64_t> start = CheckedMul(digit.upper, lo);
    const std::optional<int64_t> end = start ? support::CheckedAdd(*start, lo - 1) : std::nullopt;
    result.upper = end.value_or(Interval::kPlusInfinity);
  }
  return result;
}

bool ComesBefore(const Term& a, const Term& b) {
  if (a.atom != b.atom) return StructurallyLess(*a.atom, *b.atom);
  return a.lo < b.lo;
}

bool IsEquality(const Constraint& constraint) {
  return constraint.bounds.IsPoint() && constraint.expression.terms.size() > 1;
}

// sum - factor * (expression - value) for the equality `expression = value`; nothing on overflow.
std::optional<Sum> AddMultiple(DigitContext& context, const Sum& sum, const Constraint& equality,
                               int64_t factor) {
  TermVector terms(sum.terms.begin(), sum.terms.end());
  for (Term term : equality.expression.terms) {
    const std::optional<int64_t> product = CheckedMul(term.coefficient, factor);
    const std::optional<int64_t> negated = product ? CheckedSub(0, *product) : std::nullopt;
    if (!negated) return std::nullopt;
    term.coefficient = *negated;
    terms.push_back(term);
  }
  // Reducing one equality by another may have left a constant in it.
  const auto value = CheckedSub(equality.bounds.lower, equality.expression.constant);
  const auto scaled = value ? CheckedMul(*value, factor) : std::nullopt;
  const auto constant = scaled ? support::CheckedAdd(sum.constant, *scaled) : std::nullopt;
  return constant ? Normalize(context, std::move(terms), *constant) : std::nullopt;
}

// Adds the multiple of the equality that leaves the fewest terms; nothing unless these are fewer
// than before.
std::optional<Sum> Reduce(DigitContext& context, const Sum& sum, const Constraint& equality) {
  std::optional<Sum> best;
  for (const Term& term : equality.expression.terms) {
    const Term* same = llvm::find_if(sum.terms, [&](const Term& t) { return t.SameDigit(term); });
    // The smallest integer has no quotient by -1.
    if (same == sum.terms.end() || same->coefficient == support::kInt64Min ||
        same->coefficient % term.coefficient != 0) {
      continue;
    }
    const std::optional<Sum> next =
        AddMultiple(context, sum, equality, same->coefficient / term.coefficient);
    if (next && next->terms.size() < (best ? *best : sum).terms.size()) best = next;
  }
  return best;
}

enum class Effort : uint8_t { kIntervals, kAllPoints };

// Works on one map; every step keeps its set of points.
class Tightener {
 public:
  Tightener(DigitContext& context, QuasiAffineMap& map, Effort effort)
      : context_(context), map_(map), effort_(effort) {}

  void Run() {
    for (const Interval& box : map_.boxes) map_.empty |= box.IsEmpty();
    if (map_.empty || map_.constraints.empty()) return;
    const QuasiAffineMap given = map_;
    if (ReachesEnd(MaxRounds())) return;
    // Bounds that creep stay as they were, or simplifying again would go on from where this ends.
    map_ = given;
    narrows_ = false;
    function_bounds_.clear();
    mark_bounds_.clear();
    ReachesEnd(kFewRounds);
    // The last round may have left constants in constraints, which facts must not have.
    if (!map_.empty) NormalizeConstraints();
  }

 private:
  // Fewer where a round takes long.
  int MaxRounds() const {
    size_t terms = 1;
    for (const Constraint& constraint : map_.constraints) {
      terms += constraint.expression.terms.size();
    }
    return std::max(kFewRounds, kMaxRounds / static_cast<int>(std::min<size_t>(terms, kMaxRounds)));
  }

  // Whether nothing changes any more within so many rounds.
  bool ReachesEnd(int rounds) {
    for (int round = 0; round < rounds && !map_.empty; ++round) {
      boxes_changed_ = false;
      marks_changed_ = false;
      NormalizeConstraints();
      const bool remainders_changed = !map_.empty && MeetRemainders();
      if (narrows_ && !remainders_changed) {
        PropagateAll();
        if (effort_ == Effort::kAllPoints && !boxes_changed_ && !marks_changed_ && !map_.empty) {
          TryAllPoints();
        }
      }
      if (map_.empty) return true;
      const bool functions_changed = FindFunctionBounds();
      const bool sums_changed = UseEqualities();
      const bool bounds_changed = boxes_changed_ || marks_changed_ || functions_changed;
      if (!bounds_changed && !sums_changed && !remainders_changed) return true;
      SubstituteBoxes();
    }
    return map_.empty;
  }

  void NormalizeConstraints() {
    llvm::SmallVector<Constraint, 8> pending(map_.constraints.begin(), map_.constraints.end());
    map_.constraints.clear();
    for (size_t i = 0; i < pending.size() && !map_.empty; ++i) {
      const std::optional<Constraint> normal = NormalForm(pending[i]);
      if (!normal) continue;
      if (normal->expression.terms.size() == 1 && Absorb(*normal, pending)) continue;
      Keep(*normal);
    }
  }

  // Whether an end of the bounds leaves the 64-bit range where the constant is taken to the other
  // side, on a side where the terms may leave it too.
  bool LosesBounds(const Constraint& constraint) const {
    const int64_t constant = constraint.expression.constant;
    if (SubtractExactly(constraint.bounds, constant)) return false;
    const Interval range = RangeOf(constraint.expression.terms);
    return constant < 0 ? range.upper == Interval::kPlusInfinity
                        : range.lower == Interval::kMinusInfinity;
  }

  // The same constraint on the expression as one opaque value.
  Constraint WithoutConstant(const Constraint& constraint) {
    const Sum operands[] = {context_.Store(constraint.expression.terms, 0),
                            Constant(constraint.expression.constant)};
    return {context_.Opaque(OpaqueOperation::kAdd, operands, Interval::All()), constraint.bounds};
  }

  // The common divisor of the coefficients, with the sign of the first term's unless an end of the
  // bounds would be lost.
  static int64_t DivisorOf(const Constraint& constraint) {
    const llvm::ArrayRef<Term> terms = constraint.expression.terms;
    if (terms.empty()) return 1;
    int64_t divisor = 0;
    for (const Term& term : terms) {
      // Its opposite does not fit.
      if (term.coefficient == support::kInt64Min) return 1;
      divisor = std::gcd(divisor, term.coefficient);
    }
    const Term& first = *std::min_element(terms.begin(), terms.end(), ComesBefore);
    if (first.coefficient > 0) return divisor;
    // Negated, an end may be beyond 64 bits, or stand for none.
    const Interval& bounds = constraint.bounds;
    const Interval negated = bounds * -1;
    const bool keeps_ends =
        (negated.lower == Interval::kMinusInfinity) == (bounds.upper == Interval::kPlusInfinity) &&
        (negated.upper == Interval::kPlusInfinity) == (bounds.lower == Interval::kMinusInfinity);
    return keeps_ends ? -divisor : divisor;
  }

  // Nothing where the constraint always or never holds; the latter empties the map.
  std::optional<Constraint> NormalForm(const Constraint& constraint) {
    if (LosesBounds(constraint)) return NormalForm(WithoutConstant(constraint));
    Constraint normal = {Sum{constraint.expression.terms, 0},
                         ShiftDown(constraint.bounds, constraint.expression.constant)};
    const int64_t divisor = DivisorOf(normal);
    if (divisor != 1) {
      TermVector terms(normal.expression.terms.begin(), normal.expression.terms.end());
      for (Term& term : terms) term.coefficient /= divisor;
      normal = {context_.Store(terms, 0), DivideBounds(normal.bounds, divisor)};
    }
    const Interval range = RangeOf(normal.expression.terms);
    if (normal.bounds.Contains(range)) return std::nullopt;
    normal.bounds = normal.bounds.Intersect(range);
    if (normal.bounds.IsEmpty()) {
      map_.empty = true;
      return std::nullopt;
    }
    return normal;
  }

  // Turns a bound on one digit with coefficient 1 into a bound on its variable, or on the sum of
  // its mark. False where the digit does not allow that.
  bool Absorb(const Constraint& constraint, llvm::SmallVectorImpl<Constraint>& pending) {
    const Term& term = constraint.expression.terms.front();
    if (!narrows_ || term.coefficient != 1 || !term.IsTop()) return false;
    if (term.atom->kind == AtomKind::kVariable) {
      IntersectBox(term.atom->variable,
                   ValuesWithDigit(constraint.bounds, term.lo, term.atom->lower));
      return true;
    }
    if (term.atom->kind != AtomKind::kMark) return false;
    const Interval bounds = MarkBounds(constraint.bounds, term.lo);
    const bool loses_end = (bounds.lower == Interval::kMinusInfinity &&
                            constraint.bounds.lower != Interval::kMinusInfinity) ||
                           (bounds.upper == Interval::kPlusInfinity &&
                            constraint.bounds.upper != Interval::kPlusInfinity);
    if (!loses_end) pending.push_back({term.atom->arguments.front(), bounds});
    return !loses_end;
  }

  void Keep(const Constraint& constraint) {
    for (Constraint& known : map_.constraints) {
      if (!(known.expression == constraint.expression)) continue;
      known.bounds = known.bounds.Intersect(constraint.bounds);
      map_.empty |= known.bounds.IsEmpty();
      return;
    }
    map_.constraints.push_back(constraint);
  }

  void IntersectBox(VariableId variable, Interval bounds) {
    Interval& box = map_.boxes[variable];
    const Interval narrowed = box.Intersect(bounds);
    if (narrowed == box) return;
    box = narrowed;
    boxes_changed_ = true;
    map_.empty |= box.IsEmpty();
  }

  // By every constraint, and by what is known of marks, the sums of which have their values.
  void PropagateAll() {
    for (const Constraint& constraint : map_.constraints) Propagate(constraint);
    for (size_t i = 0; i < mark_bounds_.size() && !map_.empty; ++i) {
      const auto& [mark, bounds] = *(mark_bounds_.begin() + static_cast<std::ptrdiff_t>(i));
      const Sum& sum = mark->arguments.front();
      Propagate({sum, ShiftDown(bounds, sum.constant)});
    }
  }

  // Bounds each variable, and each mark, that stands alone in a term by the bounds and the range of
  // the other terms.
  void Propagate(const Constraint& constraint) {
    const llvm::ArrayRef<Term> terms = constraint.expression.terms;
    for (size_t i = 0; i < terms.size() && !map_.empty; ++i) {
      const Atom& atom = *terms[i].atom;
      if (atom.kind == AtomKind::kOpaque || !terms[i].IsTop()) continue;
      const Interval others =
          KnownRangeOf(terms.take_front(i)) + KnownRangeOf(terms.drop_front(i + 1));
      const Interval product = constraint.bounds + others * -1;
      const Interval digit = DivideBounds(product, terms[i].coefficient);
      if (digit.Contains(terms[i].DigitRange())) continue;
      if (atom.kind == AtomKind::kVariable) {
        IntersectBox(atom.variable, ValuesWithDigit(digit, terms[i].lo, atom.lower));
      } else {
        IntersectMark(atom, MarkBounds(digit, terms[i].lo));
      }
    }
  }

  // What constraints say of a mark is no constraint of its own; it narrows others.
  void IntersectMark(const Atom& mark, Interval bounds) {
    const auto [known, is_new] = mark_bounds_.insert({&mark, mark.ValueRange()});
    const Interval narrowed = known->second.Intersect(bounds);
    if (narrowed == known->second) return;
    known->second = narrowed;
    marks_changed_ = true;
    map_.empty |= narrowed.IsEmpty();
  }

  // Joins what constraints say of the remainders of each variable, and lets its bounds be of that
  // class. Whether a constraint has changed.
  bool MeetRemainders() {
    llvm::SmallVector<std::optional<Pinned>, 4> said;
    for (const Constraint& constraint : map_.constraints) said.push_back(PinnedBy(constraint));
    if (llvm::none_of(said, [](const auto& pinned) { return pinned.has_value(); })) return false;
    llvm::MapVector<const Atom*, Pinned> known;
    bool changed = false;
    for (size_t i = 0; i < said.size(); ++i) {
      if (!said[i]) continue;
      const Pinned& pinned = *said[i];
      const auto [joined, is_new] = known.insert({pinned.leaf, pinned});
      map_.empty |= pinned.values.modulus == 0;
      map_.empty |= !is_new && AreDisjoint(joined->second.values, pinned.values);
      if (map_.empty) return false;
      changed |= !is_new || pinned.values.modulus == 1 ||
                 !(map_.constraints[i] == PlainConstraint(context_, pinned));
      if (is_new) continue;
      const std::optional<Congruence> both = Intersect(joined->second.values, pinned.values);
      // The variable has fewer values than the modulus then, and keeps both.
      if (!both) return false;
      joined->second.values = *both;
    }
    for (const auto& [leaf, pinned] : known) {
      if (leaf->kind != AtomKind::kVariable || !narrows_) continue;
      IntersectBox(leaf->variable, Snap(map_.boxes[leaf->variable], pinned.values));
    }
    if (!changed || map_.empty) return false;
    llvm::SmallVector<Constraint, 2> kept;
    for (size_t i = 0; i < said.size(); ++i) {
      if (!said[i]) kept.push_back(map_.constraints[i]);
    }
    for (const auto& [leaf, pinned] : known) {
      if (pinned.values.modulus > 1) kept.push_back(PlainConstraint(context_, pinned));
    }
    map_.constraints = std::move(kept);
    return narrows_;
  }

  void TryAllPoints() {
    if (map_.constraints.empty()) return;
    SmallDomain domain = DecideSmallDomain(context_, map_.constraints);
    map_.empty = domain.empty;
    if (map_.empty) return;
    map_.constraints = std::move(domain.constraints);
    for (const auto& [atom, bounds] : domain.narrowed) {
      IntersectBox(atom->variable, bounds);
    }
  }

  // Collects the constraints that bound a function alone. They stay, for the range of a function is
  // what its value is clamped to, but are used everywhere else. Whether there is a new one.
  bool FindFunctionBounds() {
    bool changed = false;
    for (const Constraint& constraint : map_.constraints) {
      if (!IsFunctionBound(constraint.expression.terms)) continue;
      const Atom* atom = constraint.expression.terms.front().atom;
      // What joining remainders has left need not be in normal form.
      const Interval bounds = ShiftDown(constraint.bounds, constraint.expression.constant);
      const auto [known, is_new] = function_bounds_.try_emplace(atom, bounds);
      changed |= is_new || known->second != bounds;
      known->second = bounds;
    }
    return changed;
  }

  static bool IsFunctionBound(llvm::ArrayRef<Term> terms) {
    return terms.size() == 1 && terms.front().IsWhole() && terms.front().coefficient == 1 &&
           terms.front().atom->IsFunction();
  }

  // NaturalRange by what is known of functions too.
  Interval RangeOf(llvm::ArrayRef<Term> terms) const {
    if (function_bounds_.empty() || IsFunctionBound(terms)) return NaturalRange(terms, 0);
    Interval range = Interval::Point(0);
    for (const Term& term : terms) {
      const auto bounds = function_bounds_.find(term.atom);
      const bool known = bounds != function_bounds_.end() && term.IsWhole();
      range = range + (known ? bounds->second : term.DigitRange()) * term.coefficient;
    }
    return range;
  }

  // RangeOf by what is known of marks too. Not to drop a constraint by: what is known of a mark may
  // come from that constraint.
  Interval KnownRangeOf(llvm::ArrayRef<Term> terms) const {
    if (mark_bounds_.empty()) return RangeOf(terms);
    Interval range = Interval::Point(0);
    for (const Term& term : terms) {
      const Term alone = {1, term.atom, term.lo, term.extent};
      Interval digit = RangeOf(alone);
      const auto known = mark_bounds_.find(term.atom);
      if (known != mark_bounds_.end() && term.IsTop()) {
        digit = digit.Intersect(FloorDiv(known->second, term.lo));
      }
      range = range + digit * term.coefficient;
    }
    return range;
  }

  // Shortens the constraints and results by what equalities say. Whether a constraint has changed.
  bool UseEqualities() {
    bool changed = false;
    for (size_t i = 0; i < map_.constraints.size(); ++i) {
      const Constraint equality = map_.constraints[i];
      if (!IsEquality(equality)) continue;
      for (size_t k = 0; k < map_.constraints.size(); ++k) {
        if (k == i) continue;
        const auto reduced = Reduce(context_, map_.constraints[k].expression, equality);
        if (!reduced) continue;
        map_.constraints[k].expression = *reduced;
        changed = true;
      }
      for (Sum& result : map_.results) {
        result = Reduce(context_, result, equality).value_or(result);
      }
    }
    return changed;
  }

  // Makes every sum speak of the variables in their present boxes, and of the values of functions
  // that are known on the domain.
  void SubstituteBoxes() {
    const auto present = [this](const Atom& atom) -> std::optional<Sum> {
      if (const auto bounds = function_bounds_.find(&atom); bounds != function_bounds_.end()) {
        if (!bounds->second.IsPoint()) return std::nullopt;
        return Constant(bounds->second.lower + atom.lower);
      }
      if (atom.kind != AtomKind::kVariable) return std::nullopt;
      const Interval& box = map_.boxes[atom.variable];
      if (box == atom.ValueRange()) return std::nullopt;
      return context_.Variable(atom.variable, box);
    };
    Substitution substitution(context_, present);
    for (Constraint& constraint : map_.constraints) {
      constraint.expression = IsFunctionBound(constraint.expression.terms)
                                  ? SubstituteArguments(substitution, constraint.expression)
                                  : substitution.Apply(constraint.expression);
    }
    for (Sum& result : map_.results) result = substitution.Apply(result);
  }

  // A bound on a function alone stays, although its value may be known: only where the function is
  // read changes.
  Sum SubstituteArguments(Substitution& substitution, const Sum& bounded) {
    const Atom& function = *bounded.terms.front().atom;
    llvm::SmallVector<Sum, 4> arguments;
    bool changed = false;
    for (const Sum& argument : function.arguments) {
      arguments.push_back(substitution.Apply(argument));
      changed |= !(arguments.back() == argument);
    }
    if (!changed) return bounded;
    const Sum value = context_.Function(function.variable, arguments, function.ValueRange());
    return Add(context_, value, Constant(bounded.constant - function.lower));
  }

  DigitContext& context_;
  QuasiAffineMap& map_;
  Effort effort_;
  // The bounds, without `lower`, of function atoms.
  llvm::SmallDenseMap<const Atom*, Interval, 4> function_bounds_;
  // The values of marks on the domain, as far as constraints have told.
  llvm::MapVector<const Atom*, Interval> mark_bounds_;
  bool boxes_changed_ = false;
  bool marks_changed_ = false;
  bool narrows_ = true;
};

}  // namespace

void Tighten(DigitContext& context, QuasiAffineMap& map) {
  Tightener(context, map, Effort::kIntervals).Run();
}

namespace {

// Divides again under what the constraints say. Whether a result has changed.
bool DivideByFacts(DigitContext& context, QuasiAffineMap& map) {
  if (map.constraints.empty()) return false;
  const FactScope facts(context, map.constraints);
  const auto keep = [](const Atom&) -> std::optional<Sum> { return std::nullopt; };
  Substitution substitution(context, keep, UnchangedMarks::kDivideAgain);
  bool changed = false;
  for (Sum& result : map.results) {
    const Sum before = result;
    result = substitution.Apply(before);
    changed |= !(result == before);
  }
  return changed;
}

}  // namespace

void Simplify(DigitContext& context, QuasiAffineMap& map) {
  // Each round but the last has shortened something.
  constexpr int kMaxRefinements = 4;
  for (int round = 0; round < kMaxRefinements; ++round) {
    Tightener(context, map, Effort::kAllPoints).Run();
    map.empty = map.empty || HasNoPoint(map);
    if (map.empty) return;
    const bool divided = DivideByFacts(context, map);
    const bool refined = Refine(context, map);
    if (!divided && !refined) return;
  }
  Tighten(context, map);
}

}  // namespace hlo_indexing::simplifier
