#include "codegen/emit/index_code.h"

#include <utility>

#include "indexing_analysis/maps/read_map.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "simplifier/arithmetic.h"
#include "simplifier/emission_form.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;
using indexing_analysis::IndexingMap;
using indexing_analysis::Interval;
using mlir::Value;
using simplifier::Atom;
using simplifier::DigitContext;
using simplifier::EmissionOpcode;
using simplifier::EmissionProgram;
using simplifier::EmissionStep;

namespace {

class ProgramWriter {
 public:
  ProgramWriter(KernelBuilder& builder, const EmissionProgram& program,
                const VariableValues& variables)
      : builder_(builder), program_(program), variables_(variables) {
    for (const EmissionStep& step : program.steps) computed_.push_back(Write(step));
  }

  Value result(size_t i) const { return computed_[program_.results[i]]; }
  Interval range(size_t i) const { return program_.steps[program_.results[i]].range; }

 private:
  Value Leaf(const Atom& atom) {
    size_t i = atom.variable;
    for (const llvm::ArrayRef<Value> kind :
         {variables_.dimensions, variables_.ranges, variables_.runtime}) {
      if (i < kind.size()) return builder_.Resize(kind[i], Bits());
      i -= kind.size();
    }
    return nullptr;
  }

  unsigned Bits() const { return static_cast<unsigned>(program_.bits); }
  Value Number(int64_t value) { return builder_.Integer(Bits(), value); }

  Value Write(const EmissionStep& step) {
    if (step.opcode == EmissionOpcode::kConstant) return Number(step.immediate);
    if (step.opcode == EmissionOpcode::kLeaf) return Leaf(*step.leaf);
    const Value a = computed_[*step.lhs];
    const Value b = step.rhs.has_value() ? computed_[*step.rhs] : Number(step.immediate);
    mlir::ImplicitLocOpBuilder& ops = builder_.ops();
    switch (step.opcode) {
      case EmissionOpcode::kAdd:
        return arith::AddIOp::create(ops, a, b);
      case EmissionOpcode::kSubtract:
        return arith::SubIOp::create(ops, a, b);
      case EmissionOpcode::kMultiply:
        return arith::MulIOp::create(ops, a, b);
      case EmissionOpcode::kShiftLeft:
        return arith::ShLIOp::create(ops, a, b);
      case EmissionOpcode::kShiftRight:
        return arith::ShRSIOp::create(ops, a, b);
      case EmissionOpcode::kShiftRightLogical:
        return arith::ShRUIOp::create(ops, a, b);
      case EmissionOpcode::kAnd:
        return arith::AndIOp::create(ops, a, b);
      case EmissionOpcode::kDivideUnsigned:
        return arith::DivUIOp::create(ops, a, b);
      case EmissionOpcode::kFloorDivide:
        return FloorDivide(a, b);
      default:
        return arith::SubIOp::create(ops, a, arith::MulIOp::create(ops, b, FloorDivide(a, b)));
    }
  }

  // The quotient towards zero, and one less if there is a rest with another sign than the divisor.
  Value FloorDivide(Value a, Value b) {
    mlir::ImplicitLocOpBuilder& ops = builder_.ops();
    const Value quotient = arith::DivSIOp::create(ops, a, b);
    const Value rest = arith::SubIOp::create(ops, a, arith::MulIOp::create(ops, quotient, b));
    const Value is_inexact = arith::CmpIOp::create(ops, arith::CmpIPredicate::ne, rest, Number(0));
    const Value has_other_sign = arith::CmpIOp::create(
        ops, arith::CmpIPredicate::slt, arith::XOrIOp::create(ops, rest, b), Number(0));
    const Value is_less = arith::AndIOp::create(ops, is_inexact, has_other_sign);
    return arith::AddIOp::create(ops, quotient,
                                 arith::ExtSIOp::create(ops, quotient.getType(), is_less));
  }

  KernelBuilder& builder_;
  const EmissionProgram& program_;
  const VariableValues& variables_;
  Values computed_;
};

simplifier::QuasiAffineMap SumsOf(DigitContext& context, const IndexingMap& map) {
  return indexing_analysis::ReadMap(context, map,
                                    indexing_analysis::RuntimeVariablesAs::kVariables);
}

EmissionProgram ProgramOf(DigitContext& context, const IndexingMap& map) {
  return simplifier::EmissionForm(context, SumsOf(context, map).results);
}

}  // namespace

Values EmitResults(KernelBuilder& builder, const IndexingMap& map,
                   const VariableValues& variables) {
  DigitContext context;
  const EmissionProgram program = ProgramOf(context, map);
  const ProgramWriter writer(builder, program, variables);
  Values results;
  for (size_t i = 0; i < program.results.size(); ++i) results.push_back(writer.result(i));
  return results;
}

IndexSum EmitSum(KernelBuilder& builder, const IndexingMap& map, const VariableValues& variables,
                 int64_t divisor) {
  // A number of 32 bits in elements, too, of which a position counts up to 16 as one.
  constexpr int64_t kMaxConstant = INT32_MAX / 16;
  DigitContext context;
  simplifier::Sum sum = SumsOf(context, map).results.front();
  int64_t constant = 0;
  const bool is_apart = sum.constant > 0 && sum.constant <= kMaxConstant && !sum.IsConstant() &&
                        sum.constant % divisor == 0 &&
                        simplifier::Range(context, sum).lower >= sum.constant;
  if (is_apart) constant = std::exchange(sum.constant, 0);
  const EmissionProgram program = simplifier::EmissionForm(context, sum);
  return {ProgramWriter(builder, program, variables).result(0), constant};
}

int CostOfResults(const IndexingMap& map) {
  DigitContext context;
  return ProgramOf(context, map).cost;
}

Value EmitConditions(KernelBuilder& builder, const IndexingMap& map,
                     llvm::ArrayRef<Interval> bounds, const VariableValues& variables) {
  DigitContext context;
  const EmissionProgram program = ProgramOf(context, map);
  const ProgramWriter writer(builder, program, variables);
  mlir::ImplicitLocOpBuilder& ops = builder.ops();
  Value condition;
  const auto require = [&](size_t i, arith::CmpIPredicate predicate, int64_t bound) {
    const Value result = writer.result(i);
    const Value limit = builder.Integer(result.getType(), bound);
    condition = builder.And(condition, arith::CmpIOp::create(ops, predicate, result, limit));
  };
  for (size_t i = 0; i < bounds.size(); ++i) {
    const Interval range = writer.range(i);
    if (bounds[i].lower > range.lower) require(i, arith::CmpIPredicate::sge, bounds[i].lower);
    if (bounds[i].upper < range.upper) require(i, arith::CmpIPredicate::sle, bounds[i].upper);
  }
  return condition;
}

}  // namespace hlo_indexing::emit
