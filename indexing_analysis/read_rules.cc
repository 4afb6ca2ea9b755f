#include "indexing_analysis/read_rules.h"

#include <array>

namespace hlo_indexing::indexing_analysis {

using hlo::Opcode;

Sum ReadContext::AddRange(Access& access, int64_t size) {
  const VariableId variable = access.AddRange({0, size - 1});
  // In front of the ranges that the access came with, behind those that this rule has added.
  const size_t added = access.ranges.size() - access_.ranges.size();
  access.ranges.insert(access.ranges.begin() + static_cast<std::ptrdiff_t>(added), variable);
  return size == 0 ? simplifier::Constant(0) : access.map.Variable(digits_, variable);
}

void ReadContext::Constrain(Access& access, const Sum& sum, Interval bounds) const {
  const Interval range = simplifier::NaturalRange(sum);
  if (bounds.Contains(range)) return;
  bounds = bounds.Intersect(range);
  if (bounds.IsEmpty()) access.map.empty = true;
  access.map.constraints.push_back({sum, bounds});
}

void ReadContext::Read(size_t operand, int64_t leaf, Access access, llvm::ArrayRef<Sum> index) {
  if (access.map.empty) return;
  access.map.results.assign(index.begin(), index.end());
  sink_.Read(operand, leaf, std::move(access));
}

namespace {

struct RuleRow {
  Opcode opcode;
  ReadRule rule;
};

constexpr RuleRow kRows[] = {
    {Opcode::kAbs, read_rules::Elementwise},
    {Opcode::kAcos, read_rules::Elementwise},
    {Opcode::kAcosh, read_rules::Elementwise},
    {Opcode::kAdd, read_rules::Elementwise},
    {Opcode::kAnd, read_rules::Elementwise},
    {Opcode::kAsin, read_rules::Elementwise},
    {Opcode::kAsinh, read_rules::Elementwise},
    {Opcode::kAtan2, read_rules::Elementwise},
    {Opcode::kAtanh, read_rules::Elementwise},
    {Opcode::kBitcast, read_rules::Bitcast},
    {Opcode::kBitcastConvert, read_rules::BitcastConvert},
    {Opcode::kBroadcast, read_rules::Broadcast},
    {Opcode::kCbrt, read_rules::Elementwise},
    {Opcode::kCeil, read_rules::Elementwise},
    {Opcode::kClamp, read_rules::Elementwise},
    {Opcode::kCompare, read_rules::Elementwise},
    {Opcode::kComplex, read_rules::Elementwise},
    {Opcode::kConcatenate, read_rules::Concatenate},
    {Opcode::kConstant, read_rules::NoOperands},
    {Opcode::kConvert, read_rules::Elementwise},
    {Opcode::kCopy, read_rules::Elementwise},
    {Opcode::kCosh, read_rules::Elementwise},
    {Opcode::kCosine, read_rules::Elementwise},
    {Opcode::kCountLeadingZeros, read_rules::Elementwise},
    {Opcode::kDivide, read_rules::Elementwise},
    {Opcode::kDot, read_rules::Dot},
    {Opcode::kDynamicSlice, read_rules::DynamicSlice},
    {Opcode::kDynamicUpdateSlice, read_rules::DynamicUpdateSlice},
    {Opcode::kErf, read_rules::Elementwise},
    {Opcode::kExponential, read_rules::Elementwise},
    {Opcode::kExponentialMinusOne, read_rules::Elementwise},
    {Opcode::kFloor, read_rules::Elementwise},
    {Opcode::kGetTupleElement, read_rules::GetTupleElement},
    {Opcode::kImag, read_rules::Elementwise},
    {Opcode::kIota, read_rules::NoOperands},
    {Opcode::kIsFinite, read_rules::Elementwise},
    {Opcode::kLog, read_rules::Elementwise},
    {Opcode::kLogPlusOne, read_rules::Elementwise},
    {Opcode::kLogistic, read_rules::Elementwise},
    {Opcode::kMap, read_rules::Elementwise},
    {Opcode::kMaximum, read_rules::Elementwise},
    {Opcode::kMinimum, read_rules::Elementwise},
    {Opcode::kMulhi, read_rules::Elementwise},
    {Opcode::kMultiply, read_rules::Elementwise},
    {Opcode::kNegate, read_rules::Elementwise},
    {Opcode::kNot, read_rules::Elementwise},
    {Opcode::kOr, read_rules::Elementwise},
    {Opcode::kPad, read_rules::Pad},
    {Opcode::kParameter, read_rules::NoOperands},
    {Opcode::kPopulationCount, read_rules::Elementwise},
    {Opcode::kPower, read_rules::Elementwise},
    {Opcode::kReal, read_rules::Elementwise},
    {Opcode::kReduce, read_rules::Reduce},
    {Opcode::kReducePrecision, read_rules::Elementwise},
    {Opcode::kRemainder, read_rules::Elementwise},
    {Opcode::kReshape, read_rules::Reshape},
    {Opcode::kReverse, read_rules::Reverse},
    {Opcode::kRoundNearestAfz, read_rules::Elementwise},
    {Opcode::kRoundNearestEven, read_rules::Elementwise},
    {Opcode::kRsqrt, read_rules::Elementwise},
    {Opcode::kSelect, read_rules::Elementwise},
    {Opcode::kShiftLeft, read_rules::Elementwise},
    {Opcode::kShiftRightArithmetic, read_rules::Elementwise},
    {Opcode::kShiftRightLogical, read_rules::Elementwise},
    {Opcode::kSign, read_rules::Elementwise},
    {Opcode::kSine, read_rules::Elementwise},
    {Opcode::kSinh, read_rules::Elementwise},
    {Opcode::kSlice, read_rules::Slice},
    {Opcode::kSqrt, read_rules::Elementwise},
    {Opcode::kStochasticConvert, read_rules::Elementwise},
    {Opcode::kSubtract, read_rules::Elementwise},
    {Opcode::kTan, read_rules::Elementwise},
    {Opcode::kTanh, read_rules::Elementwise},
    {Opcode::kTranspose, read_rules::Transpose},
    {Opcode::kTuple, read_rules::Tuple},
    {Opcode::kXor, read_rules::Elementwise},
};

}  // namespace

ReadRule ReadRuleOf(Opcode opcode) {
  static constexpr std::array<ReadRule, hlo::kNumOpcodes> kRules = [] {
    std::array<ReadRule, hlo::kNumOpcodes> rules = {};
    for (const RuleRow& row : kRows) rules[static_cast<size_t>(row.opcode)] = row.rule;
    return rules;
  }();
  return kRules[static_cast<size_t>(opcode)];
}

bool ReadsRuntimeValues(Opcode opcode) {
  const ReadRule rule = ReadRuleOf(opcode);
  return rule == read_rules::DynamicSlice || rule == read_rules::DynamicUpdateSlice;
}

}  // namespace hlo_indexing::indexing_analysis
