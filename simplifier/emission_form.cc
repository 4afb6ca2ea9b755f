#include "simplifier/emission_form.h"

#include <bit>
#include <map>
#include <tuple>

#include "simplifier/arithmetic.h"

namespace hlo_indexing::simplifier {
namespace {

using support::CheckedAdd;
using support::CheckedMul;

bool IsPowerOfTwo(int64_t value) {
  return value > 0 && std::has_single_bit(static_cast<uint64_t>(value));
}

int Log2(int64_t power) { return std::countr_zero(static_cast<uint64_t>(power)); }

bool Fits32(const Interval& range) { return range.lower >= INT32_MIN && range.upper <= INT32_MAX; }

int CostOf(EmissionOpcode opcode, const TargetCosts& costs) {
  switch (opcode) {
    case EmissionOpcode::kConstant:
    case EmissionOpcode::kLeaf:
      return 0;
    case EmissionOpcode::kAdd:
    case EmissionOpcode::kSubtract:
      return costs.add;
    case EmissionOpcode::kMultiply:
      return costs.multiply;
    case EmissionOpcode::kShiftLeft:
    case EmissionOpcode::kShiftRight:
    case EmissionOpcode::kShiftRightLogical:
      return costs.shift;
    case EmissionOpcode::kAnd:
      return costs.logic;
    case EmissionOpcode::kDivideUnsigned:
      return costs.divide_unsigned;
    case EmissionOpcode::kFloorDivide:
    case EmissionOpcode::kFloorModulo:
      return costs.floor_divide;
  }
  return 0;
}

// Whether the operand's value must not have wrapped around.
bool ReadsWholeOperand(EmissionOpcode opcode) {
  return opcode == EmissionOpcode::kShiftRight || opcode == EmissionOpcode::kShiftRightLogical ||
         opcode == EmissionOpcode::kDivideUnsigned || opcode == EmissionOpcode::kFloorDivide ||
         opcode == EmissionOpcode::kFloorModulo;
}

class Emitter {
 public:
  Emitter(DigitContext& context, const TargetCosts& costs)
      : costs_(costs), shortest_form_(context) {}

  void Add(const Sum& sum) {
    const size_t checkpoint = program_.steps.size();
    const int cost = program_.cost;
    WriteDigits(sum);
    const int by_digits = program_.cost - cost;
    Rollback(checkpoint, cost);
    size_t result = WriteForm(shortest_form_.Write(sum));
    if (by_digits < program_.cost - cost) {
      Rollback(checkpoint, cost);
      result = WriteDigits(sum);
    }
    program_.results.push_back(result);
  }

  EmissionProgram Finish() {
    bool fits = llvm::all_of(program_.results,
                             [this](size_t i) { return Fits32(program_.steps[i].range); });
    for (const EmissionStep& step : program_.steps) {
      if (step.opcode == EmissionOpcode::kLeaf) fits &= Fits32(step.range);
      if (!ReadsWholeOperand(step.opcode)) continue;
      fits &= Fits32(program_.steps[*step.lhs].range);
      if (step.rhs) fits &= Fits32(program_.steps[*step.rhs].range);
    }
    program_.bits = fits ? 32 : 64;
    return std::move(program_);
  }

 private:
  using Key = std::tuple<EmissionOpcode, std::optional<size_t>, std::optional<size_t>, int64_t,
                         const Atom*>;

  static Key KeyOf(const EmissionStep& step) {
    return {step.opcode, step.lhs, step.rhs, step.immediate, step.leaf};
  }

  const Interval& RangeOf(size_t step) const { return program_.steps[step].range; }

  size_t Emit(const EmissionStep& step) {
    const auto [known, is_new] = known_.try_emplace(KeyOf(step), program_.steps.size());
    if (!is_new) {
      Interval& range = program_.steps[known->second].range;
      range = range.Intersect(step.range);
      return known->second;
    }
    program_.steps.push_back(step);
    program_.cost += CostOf(step.opcode, costs_);
    return known->second;
  }

  size_t Unary(EmissionOpcode opcode, size_t lhs, int64_t immediate, Interval range) {
    return Emit({opcode, lhs, std::nullopt, immediate, nullptr, range});
  }

  size_t Binary(EmissionOpcode opcode, size_t lhs, size_t rhs, Interval range) {
    return Emit({opcode, lhs, rhs, 0, nullptr, range});
  }

  size_t Number(int64_t value) {
    return Emit({EmissionOpcode::kConstant, std::nullopt, std::nullopt, value, nullptr,
                 Interval::Point(value)});
  }

  void Rollback(size_t num_steps, int cost) {
    while (program_.steps.size() > num_steps) {
      known_.erase(KeyOf(program_.steps.back()));
      program_.steps.pop_back();
    }
    program_.cost = cost;
  }

  size_t Leaf(const Atom& atom) {
    return Emit({EmissionOpcode::kLeaf, std::nullopt, std::nullopt, 0, &atom, atom.ValueRange()});
  }

  // factor * step, for a factor above 1.
  size_t Multiply(size_t step, int64_t factor) {
    const Interval range = RangeOf(step) * factor;
    if (IsPowerOfTwo(factor)) {
      return Unary(EmissionOpcode::kShiftLeft, step, Log2(factor), range);
    }
    return Unary(EmissionOpcode::kMultiply, step, factor, range);
  }

  // Adds up products; positive ones first, for there is no negation.
  size_t AddUp(llvm::ArrayRef<std::pair<int64_t, size_t>> parts, int64_t constant) {
    std::optional<size_t> sum;
    for (const auto& [factor, step] : parts) {
      if (factor <= 0) continue;
      const size_t product = factor == 1 ? step : Multiply(step, factor);
      const Interval range = sum ? RangeOf(*sum) + RangeOf(product) : program_.steps[product].range;
      sum = sum ? Binary(EmissionOpcode::kAdd, *sum, product, range) : product;
    }
    const bool starts_with_constant = !sum.has_value();
    if (starts_with_constant) sum = Number(constant);
    for (const auto& [factor, step] : parts) {
      if (factor >= 0) continue;
      if (factor == support::kInt64Min) {
        const size_t product =
            Unary(EmissionOpcode::kMultiply, step, factor, RangeOf(step) * factor);
        sum = Binary(EmissionOpcode::kAdd, *sum, product, RangeOf(*sum) + RangeOf(product));
        continue;
      }
      const size_t product = factor == -1 ? step : Multiply(step, -factor);
      const Interval range = RangeOf(*sum) + RangeOf(product) * -1;
      sum = Binary(EmissionOpcode::kSubtract, *sum, product, range);
    }
    return starts_with_constant ? *sum : AddConstant(*sum, constant);
  }

  size_t AddConstant(size_t step, int64_t constant) {
    if (constant == 0) return step;
    const Interval range = RangeOf(step) + Interval::Point(constant);
    return Binary(EmissionOpcode::kAdd, step, Number(constant), range);
  }

  // floor(step / divisor), for a divisor above 0.
  size_t Quotient(size_t step, int64_t divisor) {
    if (divisor == 1) return step;
    const Interval range = RangeOf(step);
    const Interval quotient = FloorDiv(range, divisor);
    if (quotient.IsPoint()) return Number(quotient.lower);
    const bool is_unsigned = range.lower >= 0;
    if (IsPowerOfTwo(divisor)) {
      const auto opcode =
          is_unsigned ? EmissionOpcode::kShiftRightLogical : EmissionOpcode::kShiftRight;
      return Unary(opcode, step, Log2(divisor), quotient);
    }
    if (is_unsigned) return Unary(EmissionOpcode::kDivideUnsigned, step, divisor, quotient);
    // (x + k * divisor) / divisor - k, if that is not negative.
    const auto raise = range.IsFinite() ? CheckedMul(-quotient.lower, divisor) : std::nullopt;
    if (raise && CheckedAdd(range.upper, *raise)) {
      const size_t raised = AddConstant(step, *raise);
      const size_t raised_quotient = Unary(EmissionOpcode::kDivideUnsigned, raised, divisor,
                                           quotient + Interval::Point(-quotient.lower));
      return AddConstant(raised_quotient, quotient.lower);
    }
    return Unary(EmissionOpcode::kFloorDivide, step, divisor, quotient);
  }

  // step - divisor * floor(step / divisor).
  size_t Remainder(size_t step, int64_t divisor) {
    const Interval range = {0, divisor - 1};
    if (range.Contains(RangeOf(step))) return step;
    if (IsPowerOfTwo(divisor)) return Unary(EmissionOpcode::kAnd, step, divisor - 1, range);
    const size_t product = Multiply(Quotient(step, divisor), divisor);
    return Binary(EmissionOpcode::kSubtract, step, product, range);
  }

  size_t WriteForm(const LinearForm& form) {
    llvm::SmallVector<std::pair<int64_t, size_t>, 4> parts;
    for (const auto& [coefficient, factor] : form.parts) {
      parts.push_back({coefficient, WriteFactor(*factor)});
    }
    return AddUp(parts, form.constant);
  }

  size_t WriteFactor(const Factor& factor) {
    switch (factor.kind) {
      case FactorKind::kLeaf:
        return Leaf(*factor.atom);
      case FactorKind::kFloorDiv:
        return Quotient(WriteForm(factor.operand), factor.divisor);
      case FactorKind::kMod:
        return Remainder(WriteForm(factor.operand), factor.divisor);
      case FactorKind::kBinary:
        break;
    }
    return Opaque(*factor.atom, WriteForm(factor.operand), WriteForm(factor.second));
  }

  size_t Opaque(const Atom& atom, size_t lhs, size_t rhs) {
    switch (atom.operation) {
      case OpaqueOperation::kAdd:
        return Binary(EmissionOpcode::kAdd, lhs, rhs, atom.ValueRange());
      case OpaqueOperation::kMultiply:
        return Binary(EmissionOpcode::kMultiply, lhs, rhs, atom.ValueRange());
      case OpaqueOperation::kFloorDiv:
        return Binary(EmissionOpcode::kFloorDivide, lhs, rhs, atom.ValueRange());
      default:
        return Binary(EmissionOpcode::kFloorModulo, lhs, rhs, atom.ValueRange());
    }
  }

  size_t WriteDigits(const Sum& sum) {
    llvm::SmallVector<std::pair<int64_t, size_t>, 4> parts;
    for (const Term& term : sum.terms) {
      size_t digit = Quotient(AtomValue(*term.atom), term.lo);
      if (!term.IsTop()) digit = Remainder(digit, term.extent);
      parts.push_back({term.coefficient, digit});
    }
    return AddUp(parts, sum.constant);
  }

  // Without the atom's `lower`.
  size_t AtomValue(const Atom& atom) {
    if (atom.kind == AtomKind::kQuotientVariable) return WriteDigits(atom.arguments.front());
    const bool is_leaf = atom.IsLeaf();
    const size_t value =
        is_leaf ? Leaf(atom)
                : Opaque(atom, WriteDigits(atom.arguments[0]), WriteDigits(atom.arguments[1]));
    return AddConstant(value, -atom.lower);
  }

  const TargetCosts& costs_;
  ShortestForm shortest_form_;
  EmissionProgram program_;
  std::map<Key, size_t> known_;
};

// A value of the width, with its sign.
int64_t Wrap(uint64_t value, int bits) {
  if (bits == 32) return static_cast<int32_t>(static_cast<uint32_t>(value));
  return static_cast<int64_t>(value);
}

std::optional<int64_t> RunStep(const EmissionStep& step, llvm::ArrayRef<int64_t> values, int bits) {
  const int64_t lhs = step.lhs ? values[*step.lhs] : 0;
  const int64_t rhs = step.rhs ? values[*step.rhs] : step.immediate;
  const auto a = static_cast<uint64_t>(lhs);
  const auto b = static_cast<uint64_t>(rhs);
  const auto places = static_cast<unsigned>(step.immediate);
  const uint64_t mask = bits == 32 ? UINT32_MAX : UINT64_MAX;
  switch (step.opcode) {
    case EmissionOpcode::kConstant:
    case EmissionOpcode::kLeaf:
      return Wrap(b, bits);
    case EmissionOpcode::kAdd:
      return Wrap(a + b, bits);
    case EmissionOpcode::kSubtract:
      return Wrap(a - b, bits);
    case EmissionOpcode::kMultiply:
      return Wrap(a * b, bits);
    case EmissionOpcode::kShiftLeft:
      return Wrap(a << places, bits);
    case EmissionOpcode::kShiftRight:
      return lhs >> places;
    case EmissionOpcode::kShiftRightLogical:
      return Wrap((a & mask) >> places, bits);
    case EmissionOpcode::kAnd:
      return Wrap(a & b, bits);
    case EmissionOpcode::kDivideUnsigned:
      return Wrap((a & mask) / b, bits);
    case EmissionOpcode::kFloorDivide:
      return support::CheckedFloorDiv(lhs, rhs);
    case EmissionOpcode::kFloorModulo:
      return support::CheckedFloorMod(lhs, rhs);
  }
  return std::nullopt;
}

}  // namespace

EmissionProgram EmissionForm(DigitContext& context, llvm::ArrayRef<Sum> sums,
                             const TargetCosts& costs) {
  Emitter emitter(context, costs);
  for (const Sum& sum : sums) emitter.Add(sum);
  return emitter.Finish();
}

std::optional<std::vector<int64_t>> Evaluate(
    const EmissionProgram& program,
    llvm::function_ref<std::optional<int64_t>(const Atom&)> values) {
  std::vector<int64_t> computed;
  for (EmissionStep step : program.steps) {
    if (step.opcode == EmissionOpcode::kLeaf) {
      const std::optional<int64_t> value = values(*step.leaf);
      if (!value) return std::nullopt;
      step.immediate = *value;
    }
    const std::optional<int64_t> value = RunStep(step, computed, program.bits);
    if (!value) return std::nullopt;
    computed.push_back(*value);
  }
  std::vector<int64_t> results;
  for (const size_t result : program.results) results.push_back(computed[result]);
  return results;
}

}  // namespace hlo_indexing::simplifier
