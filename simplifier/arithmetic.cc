#include "simplifier/arithmetic.h"

#include <algorithm>

#include "simplifier/div_mod.h"

namespace hlo_indexing::simplifier {
namespace {

using support::CheckedAdd;
using support::CheckedMul;

// a * b over two ranges, infinite ends included.
Interval MultiplyRanges(const Interval& a, const Interval& b) {
  if (!a.IsFinite() || !b.IsFinite()) {
    const bool non_negative = a.lower >= 0 && b.lower >= 0;
    return {non_negative ? 0 : Interval::kMinusInfinity, Interval::kPlusInfinity};
  }
  const Interval low = b * a.lower;
  const Interval high = b * a.upper;
  return {std::min(low.lower, high.lower), std::max(low.upper, high.upper)};
}

Sum OpaqueBinary(DigitContext& context, OpaqueOperation operation, const Sum& a, const Sum& b,
                 Interval range) {
  const Sum operands[] = {a, b};
  return context.Opaque(operation, operands, range);
}

// |a floordiv b| <= |a|, and the quotient of non-negative operands is not negative.
Interval FloorDivRange(const Interval& a, const Interval& b) {
  if (a.lower >= 0 && b.lower >= 1) return {0, a.upper};
  if (!a.IsFinite()) return Interval::All();
  const int64_t largest =
      std::max(a.upper, a.lower == support::kInt64Min ? support::kInt64Max : -a.lower);
  return {largest == support::kInt64Max ? Interval::kMinusInfinity : -largest - 1, largest};
}

// The remainder lies between 0 and the divisor, which it does not reach.
Interval ModRange(const Interval& b) {
  Interval range = {0, 0};
  if (b.upper > 0) {
    range.upper = b.upper == Interval::kPlusInfinity ? Interval::kPlusInfinity : b.upper - 1;
  }
  if (b.lower < 0) {
    range.lower = b.lower == Interval::kMinusInfinity ? Interval::kMinusInfinity : b.lower + 1;
  }
  return range;
}

// Appends factor * sum; false on overflow.
bool Accumulate(const Sum& sum, int64_t factor, TermVector& terms, int64_t& constant) {
  const std::optional<int64_t> offset = CheckedMul(sum.constant, factor);
  const std::optional<int64_t> total = offset ? CheckedAdd(constant, *offset) : std::nullopt;
  if (!total) return false;
  constant = *total;
  for (const Term& term : sum.terms) {
    const std::optional<int64_t> coefficient = CheckedMul(term.coefficient, factor);
    if (!coefficient) return false;
    if (*coefficient == 0) continue;
    terms.push_back(term);
    terms.back().coefficient = *coefficient;
  }
  return true;
}

// The one part that is not constant, if it comes once: its terms are the terms of the combination.
const Sum* OnlyVaryingPart(llvm::ArrayRef<ScaledSum> parts) {
  const Sum* only = nullptr;
  for (const auto& [sum, factor] : parts) {
    if (sum.IsConstant() || factor == 0) continue;
    if (only != nullptr || factor != 1) return nullptr;
    only = &sum;
  }
  return only;
}

// Nullopt on overflow.
std::optional<int64_t> SumOfConstants(llvm::ArrayRef<ScaledSum> parts, int64_t constant) {
  for (const auto& [sum, factor] : parts) {
    const std::optional<int64_t> offset = CheckedMul(sum.constant, factor);
    const std::optional<int64_t> total = offset ? CheckedAdd(constant, *offset) : std::nullopt;
    if (!total) return std::nullopt;
    constant = *total;
  }
  return constant;
}

std::optional<Sum> TryLinear(DigitContext& context, llvm::ArrayRef<ScaledSum> parts,
                             int64_t constant) {
  if (const Sum* only = OnlyVaryingPart(parts)) {
    const std::optional<int64_t> total = SumOfConstants(parts, constant);
    return total ? std::optional(Sum{only->terms, *total}) : std::nullopt;
  }
  TermVector terms;
  for (const auto& [sum, factor] : parts) {
    if (!Accumulate(sum, factor, terms, constant)) return std::nullopt;
  }
  return Normalize(context, std::move(terms), constant);
}

}  // namespace

Sum Add(DigitContext& context, const Sum& a, const Sum& b) {
  const ScaledSum parts[] = {{a, 1}, {b, 1}};
  if (std::optional<Sum> sum = TryLinear(context, parts, 0)) return *sum;
  return OpaqueBinary(context, OpaqueOperation::kAdd, a, b, NaturalRange(a) + NaturalRange(b));
}

Sum Scale(DigitContext& context, const Sum& a, int64_t factor) {
  if (std::optional<Sum> sum = TryLinear(context, ScaledSum{a, factor}, 0)) return *sum;
  return OpaqueBinary(context, OpaqueOperation::kMultiply, a, Constant(factor),
                      NaturalRange(a) * factor);
}

Sum Subtract(DigitContext& context, const Sum& a, const Sum& b) {
  const ScaledSum parts[] = {{a, 1}, {b, -1}};
  if (std::optional<Sum> sum = TryLinear(context, parts, 0)) return *sum;
  return Add(context, a, Scale(context, b, -1));
}

Sum Linear(DigitContext& context, llvm::ArrayRef<ScaledSum> parts, int64_t constant) {
  if (std::optional<Sum> sum = TryLinear(context, parts, constant)) return *sum;
  Sum total = Constant(constant);
  for (const auto& [sum, factor] : parts) total = Add(context, total, Scale(context, sum, factor));
  return total;
}

Sum Multiply(DigitContext& context, const Sum& a, const Sum& b) {
  if (b.IsConstant()) return Scale(context, a, b.constant);
  if (a.IsConstant()) return Scale(context, b, a.constant);
  return OpaqueBinary(context, OpaqueOperation::kMultiply, a, b,
                      MultiplyRanges(NaturalRange(a), NaturalRange(b)));
}

Sum FloorDiv(DigitContext& context, const Sum& a, const Sum& b) {
  if (b.IsConstant() && b.constant > 0) return DivMod(context, a, b.constant).quotient;
  if (b.IsConstant() && b.constant < 0 && b.constant != support::kInt64Min) {
    return DivMod(context, Scale(context, a, -1), -b.constant).quotient;
  }
  return OpaqueBinary(context, OpaqueOperation::kFloorDiv, a, b,
                      FloorDivRange(NaturalRange(a), NaturalRange(b)));
}

Sum CeilDiv(DigitContext& context, const Sum& a, const Sum& b) {
  return Scale(context, FloorDiv(context, Scale(context, a, -1), b), -1);
}

Sum Mod(DigitContext& context, const Sum& a, const Sum& b) {
  if (b.IsConstant() && b.constant > 0) return DivMod(context, a, b.constant).remainder;
  if (b.IsConstant() && b.constant < 0 && b.constant != support::kInt64Min) {
    return Scale(context, DivMod(context, Scale(context, a, -1), -b.constant).remainder, -1);
  }
  return OpaqueBinary(context, OpaqueOperation::kMod, a, b, ModRange(NaturalRange(b)));
}

Sum Substitution::Apply(const Sum& sum) {
  llvm::SmallVector<ScaledSum, 8> changed;
  TermVector unchanged;
  for (const Term& term : sum.terms) {
    const std::optional<Sum> value = AtomValue(*term.atom);
    if (!value) {
      unchanged.push_back(term);
      continue;
    }
    Sum digit = *value;
    if (term.lo > 1) digit = DivMod(context_, digit, term.lo).quotient;
    if (!term.IsTop()) digit = DivMod(context_, digit, term.extent).remainder;
    changed.push_back({digit, term.coefficient});
  }
  if (changed.empty()) return sum;
  changed.push_back({context_.Store(unchanged, 0), 1});
  return Linear(context_, changed, sum.constant);
}

std::optional<Sum> Substitution::AtomValue(const Atom& atom) {
  if (const auto known = memo_.find(&atom); known != memo_.end()) return known->second;
  std::optional<Sum> value = ComputeAtomValue(atom);
  memo_[&atom] = value;
  return value;
}

std::optional<Sum> Substitution::ComputeAtomValue(const Atom& atom) {
  if (atom.kind == AtomKind::kQuotientVariable) {
    const Sum& sum = atom.arguments.front();
    const Sum replaced = Apply(sum);
    if (replaced == sum && unchanged_quotients_ == UnchangedQuotients::kKeep) return std::nullopt;
    return replaced;
  }
  const bool is_function = atom.operation == OpaqueOperation::kFunction;
  if (atom.kind == AtomKind::kVariable || is_function) {
    if (const std::optional<Sum> value = replace_(atom)) {
      return Add(context_, *value, Constant(-atom.lower));
    }
    if (!is_function) return std::nullopt;
  }
  llvm::SmallVector<Sum, 4> arguments;
  bool changed = false;
  for (const Sum& argument : atom.arguments) {
    arguments.push_back(Apply(argument));
    changed |= !(arguments.back() == argument);
  }
  if (!changed) return std::nullopt;
  Sum value;
  switch (atom.operation) {
    case OpaqueOperation::kAdd:
      value = Add(context_, arguments[0], arguments[1]);
      break;
    case OpaqueOperation::kMultiply:
      value = Multiply(context_, arguments[0], arguments[1]);
      break;
    case OpaqueOperation::kFloorDiv:
      value = FloorDiv(context_, arguments[0], arguments[1]);
      break;
    case OpaqueOperation::kMod:
      value = Mod(context_, arguments[0], arguments[1]);
      break;
    case OpaqueOperation::kFunction:
      value = context_.Function(atom.variable, arguments, atom.ValueRange());
      break;
  }
  return Add(context_, value, Constant(-atom.lower));
}

Sum Renaming::Apply(const Sum& sum) {
  TermVector terms(sum.terms.begin(), sum.terms.end());
  bool changed = false;
  for (Term& term : terms) {
    const Atom* renamed = ApplyTo(*term.atom);
    changed |= renamed != term.atom;
    term.atom = renamed;
  }
  if (!changed) return sum;
  llvm::sort(terms, TermComesBefore);
  return context_.Store(terms, sum.constant);
}

const Atom* Renaming::ApplyTo(const Atom& atom) {
  if (const auto known = memo_.find(&atom); known != memo_.end()) return known->second;
  Atom renamed = atom;
  llvm::SmallVector<Sum, 4> arguments;
  for (const Sum& argument : atom.arguments) arguments.push_back(Apply(argument));
  renamed.arguments = arguments;
  if (atom.kind == AtomKind::kVariable) renamed.variable = rename_(atom.variable);
  const Atom* result = context_.Intern(renamed);
  memo_[&atom] = result;
  return result;
}

void ForEachAtom(const Sum& sum, llvm::SmallPtrSetImpl<const Atom*>& seen,
                 llvm::function_ref<void(const Atom&)> visit) {
  for (const Term& term : sum.terms) {
    if (!seen.insert(term.atom).second) continue;
    visit(*term.atom);
    for (const Sum& argument : term.atom->arguments) ForEachAtom(argument, seen, visit);
  }
}

namespace {

class Evaluator {
 public:
  using Values = llvm::function_ref<std::optional<int64_t>(const Atom&)>;
  explicit Evaluator(Values values) : values_(values) {}

  std::optional<int64_t> Value(const Sum& sum) {
    std::optional<int64_t> total = sum.constant;
    for (const Term& term : sum.terms) {
      const std::optional<int64_t> atom = AtomValue(*term.atom);
      if (!atom) return std::nullopt;
      int64_t digit = support::FloorDiv(*atom, term.lo);
      if (!term.IsTop()) digit = support::FloorMod(digit, term.extent);
      const std::optional<int64_t> product = CheckedMul(digit, term.coefficient);
      if (!product) return std::nullopt;
      total = CheckedAdd(*total, *product);
      if (!total) return std::nullopt;
    }
    return total;
  }

 private:
  std::optional<int64_t> AtomValue(const Atom& atom) {
    if (const auto known = memo_.find(&atom); known != memo_.end()) return known->second;
    std::optional<int64_t> value = RawValue(atom);
    if (value) value = support::CheckedSub(*value, atom.lower);
    memo_[&atom] = value;
    return value;
  }

  std::optional<int64_t> RawValue(const Atom& atom) {
    if (atom.kind == AtomKind::kQuotientVariable) return Value(atom.arguments.front());
    if (atom.IsLeaf()) return values_(atom);
    const std::optional<int64_t> a = Value(atom.arguments[0]);
    const std::optional<int64_t> b = Value(atom.arguments[1]);
    if (!a || !b) return std::nullopt;
    switch (atom.operation) {
      case OpaqueOperation::kAdd:
        return CheckedAdd(*a, *b);
      case OpaqueOperation::kMultiply:
        return CheckedMul(*a, *b);
      case OpaqueOperation::kFloorDiv:
        return support::CheckedFloorDiv(*a, *b);
      default:
        return support::CheckedFloorMod(*a, *b);
    }
  }

  Values values_;
  llvm::SmallDenseMap<const Atom*, std::optional<int64_t>, 8> memo_;
};

}  // namespace

std::optional<int64_t> Evaluate(const Sum& sum,
                                llvm::function_ref<std::optional<int64_t>(const Atom&)> values) {
  return Evaluator(values).Value(sum);
}

}  // namespace hlo_indexing::simplifier
