#include "indexing_analysis/read_rules.h"

#include <array>
#include <optional>

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

Sum ReadContext::Device(Access& access) {
  return access_.has_device ? access_.map.results.back() : sink_.OwnDevice(access);
}

void ReadContext::Read(size_t operand, int64_t leaf, Access access, llvm::ArrayRef<Sum> index) {
  if (access.map.empty) return;
  std::optional<Sum> device;
  if (access.has_device) device = access.map.results.back();
  access.map.results.assign(index.begin(), index.end());
  if (device) access.map.results.push_back(*device);
  sink_.Read(operand, leaf, std::move(access));
}

void ReadContext::ReadWithin(size_t operand, int64_t leaf, Access access,
                             llvm::ArrayRef<Sum> index) {
  const hlo::Shape& shape = this->operand(operand);
  if (leaf >= shape.num_array_leaves() || shape.ArrayLeaf(leaf).sizes().size() != index.size()) {
    ReadUnknown("the shapes do not fit the opcode");
    return;
  }
  const llvm::ArrayRef<int64_t> sizes = shape.ArrayLeaf(leaf).sizes();
  for (size_t i = 0; i < sizes.size(); ++i) Constrain(access, index[i], {0, sizes[i] - 1});
  Read(operand, leaf, std::move(access), index);
}

void ReadContext::ReadFromDevice(size_t operand, int64_t leaf, Access access,
                                 llvm::ArrayRef<Sum> index, const Sum& device) {
  // Without a choice, or where nothing moves, the device stays what it was.
  const bool is_own = devices().Count() == 1 || device == Device(access);
  if (!is_own) {
    access.has_device = true;
    access.map.results = {device};
  }
  ReadWithin(operand, leaf, std::move(access), index);
}

void ReadContext::ReadSameIndexWithin(size_t operand, int64_t leaf) {
  const hlo::Shape& shape = this->operand(operand);
  const bool is_same =
      leaf < shape.num_array_leaves() && shape.ArrayLeaf(leaf).sizes() == output().sizes();
  if (is_same) {
    ReadSameIndex(operand, leaf);
  } else {
    ReadWithin(operand, leaf, Start(), index());
  }
}

void ReadContext::ReadWhole(size_t operand, int64_t leaf, llvm::StringRef superset_reason) {
  Access access = Start();
  llvm::SmallVector<Sum, 6> index;
  for (const int64_t size : this->operand(operand).ArrayLeaf(leaf).sizes()) {
    index.push_back(AddRange(access, size));
  }
  if (!superset_reason.empty()) access.superset_reason = superset_reason.str();
  Read(operand, leaf, std::move(access), index);
}

void ReadContext::ReadWholeOperand(size_t operand, llvm::StringRef superset_reason) {
  const int64_t leaves = this->operand(operand).num_array_leaves();
  for (int64_t leaf = 0; leaf < leaves; ++leaf) ReadWhole(operand, leaf, superset_reason);
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
    {Opcode::kAddDependency, read_rules::FirstOperand},
    {Opcode::kAfterAll, read_rules::NoOperands},
    {Opcode::kAllGather, read_rules::AllGather},
    {Opcode::kAllGatherDone, read_rules::SecondElement},
    {Opcode::kAllGatherStart, read_rules::AllGather},
    {Opcode::kAllReduce, read_rules::AllReduce},
    {Opcode::kAllReduceDone, read_rules::FirstOperand},
    {Opcode::kAllReduceStart, read_rules::AllReduce},
    {Opcode::kAllToAll, read_rules::AllToAll},
    {Opcode::kAnd, read_rules::Elementwise},
    {Opcode::kAsin, read_rules::Elementwise},
    {Opcode::kAsinh, read_rules::Elementwise},
    {Opcode::kAsyncDone, read_rules::SecondElement},
    {Opcode::kAsyncUpdate, read_rules::AsyncUpdate},
    {Opcode::kAtan2, read_rules::Elementwise},
    {Opcode::kAtanh, read_rules::Elementwise},
    {Opcode::kBatchNormGrad, read_rules::BatchNormGrad},
    {Opcode::kBatchNormInference, read_rules::BatchNormInference},
    {Opcode::kBatchNormTraining, read_rules::BatchNormTraining},
    {Opcode::kBitcast, read_rules::Bitcast},
    {Opcode::kBitcastConvert, read_rules::BitcastConvert},
    {Opcode::kBroadcast, read_rules::Broadcast},
    {Opcode::kCbrt, read_rules::Elementwise},
    {Opcode::kCeil, read_rules::Elementwise},
    {Opcode::kCholesky, read_rules::Cholesky},
    {Opcode::kClamp, read_rules::Elementwise},
    {Opcode::kCollectiveBroadcast, read_rules::CollectiveBroadcast},
    {Opcode::kCollectivePermute, read_rules::CollectivePermute},
    {Opcode::kCollectivePermuteDone, read_rules::SecondElement},
    {Opcode::kCollectivePermuteStart, read_rules::CollectivePermute},
    {Opcode::kCompare, read_rules::Elementwise},
    {Opcode::kComplex, read_rules::Elementwise},
    {Opcode::kConcatenate, read_rules::Concatenate},
    {Opcode::kConstant, read_rules::NoOperands},
    {Opcode::kConvert, read_rules::Elementwise},
    {Opcode::kConvolution, read_rules::Convolution},
    {Opcode::kCopy, read_rules::Elementwise},
    {Opcode::kCopyDone, read_rules::FirstElement},
    {Opcode::kCopyStart, read_rules::CopyStart},
    {Opcode::kCosh, read_rules::Elementwise},
    {Opcode::kCosine, read_rules::Elementwise},
    {Opcode::kCountLeadingZeros, read_rules::Elementwise},
    {Opcode::kCustomCall, read_rules::CustomCall},
    {Opcode::kDivide, read_rules::Elementwise},
    {Opcode::kDomain, read_rules::FirstOperand},
    {Opcode::kDot, read_rules::Dot},
    {Opcode::kDynamicReshape, read_rules::DynamicReshape},
    {Opcode::kDynamicSlice, read_rules::DynamicSlice},
    {Opcode::kDynamicUpdateSlice, read_rules::DynamicUpdateSlice},
    {Opcode::kErf, read_rules::Elementwise},
    {Opcode::kExponential, read_rules::Elementwise},
    {Opcode::kExponentialMinusOne, read_rules::Elementwise},
    {Opcode::kFft, read_rules::Fft},
    {Opcode::kFloor, read_rules::Elementwise},
    {Opcode::kGather, read_rules::Gather},
    {Opcode::kGetDimensionSize, read_rules::NoOperands},
    {Opcode::kGetTupleElement, read_rules::GetTupleElement},
    {Opcode::kImag, read_rules::Elementwise},
    {Opcode::kInfeed, read_rules::NoOperands},
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
    {Opcode::kOptimizationBarrier, read_rules::FirstOperand},
    {Opcode::kOr, read_rules::Elementwise},
    {Opcode::kOutfeed, read_rules::NoOperands},
    {Opcode::kPad, read_rules::Pad},
    {Opcode::kParameter, read_rules::NoOperands},
    {Opcode::kPartitionId, read_rules::NoOperands},
    {Opcode::kPopulationCount, read_rules::Elementwise},
    {Opcode::kPower, read_rules::Elementwise},
    {Opcode::kRaggedAllToAll, read_rules::RaggedAllToAll},
    {Opcode::kRaggedDot, read_rules::RaggedDot},
    {Opcode::kReal, read_rules::Elementwise},
    {Opcode::kRecv, read_rules::NoOperands},
    {Opcode::kRecvDone, read_rules::FirstElement},
    {Opcode::kReduce, read_rules::Reduce},
    {Opcode::kReducePrecision, read_rules::Elementwise},
    {Opcode::kReduceScatter, read_rules::ReduceScatter},
    {Opcode::kReduceWindow, read_rules::ReduceWindow},
    {Opcode::kRemainder, read_rules::Elementwise},
    {Opcode::kReplicaId, read_rules::NoOperands},
    {Opcode::kReshape, read_rules::Reshape},
    {Opcode::kReverse, read_rules::Reverse},
    {Opcode::kRng, read_rules::Random},
    {Opcode::kRngBitGenerator, read_rules::RandomBits},
    {Opcode::kRngGetAndUpdateState, read_rules::NoOperands},
    {Opcode::kRoundNearestAfz, read_rules::Elementwise},
    {Opcode::kRoundNearestEven, read_rules::Elementwise},
    {Opcode::kRsqrt, read_rules::Elementwise},
    {Opcode::kScaledDot, read_rules::ScaledDot},
    {Opcode::kScan, read_rules::Scan},
    {Opcode::kScatter, read_rules::Scatter},
    {Opcode::kSelect, read_rules::Elementwise},
    {Opcode::kSelectAndScatter, read_rules::SelectAndScatter},
    {Opcode::kSend, read_rules::CopyStart},
    {Opcode::kSendDone, read_rules::NoOperands},
    {Opcode::kSetDimensionSize, read_rules::FirstOperand},
    {Opcode::kShiftLeft, read_rules::Elementwise},
    {Opcode::kShiftRightArithmetic, read_rules::Elementwise},
    {Opcode::kShiftRightLogical, read_rules::Elementwise},
    {Opcode::kSign, read_rules::Elementwise},
    {Opcode::kSine, read_rules::Elementwise},
    {Opcode::kSinh, read_rules::Elementwise},
    {Opcode::kSlice, read_rules::Slice},
    {Opcode::kSort, read_rules::Sort},
    {Opcode::kSqrt, read_rules::Elementwise},
    {Opcode::kStochasticConvert, read_rules::Elementwise},
    {Opcode::kSubtract, read_rules::Elementwise},
    {Opcode::kTan, read_rules::Elementwise},
    {Opcode::kTanh, read_rules::Elementwise},
    {Opcode::kTopK, read_rules::TopK},
    {Opcode::kTranspose, read_rules::Transpose},
    {Opcode::kTriangularSolve, read_rules::TriangularSolve},
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

std::vector<bool> UsedParameters(const hlo::Computation& computation, size_t leaf) {
  const hlo::Instruction* root = &computation.root();
  if (root->opcode() == Opcode::kTuple && leaf < root->operands().size()) {
    root = &root->operand(leaf);
  }
  // By position: an operand stands before its users.
  std::vector<bool> is_used(computation.instructions().size(), false);
  is_used[static_cast<size_t>(root->index())] = true;
  for (size_t i = is_used.size(); i-- > 0;) {
    if (!is_used[i]) continue;
    for (const hlo::Instruction* operand : computation.instructions()[i]->operands()) {
      is_used[static_cast<size_t>(operand->index())] = true;
    }
  }
  std::vector<bool> parameters;
  for (const hlo::Instruction* parameter : computation.parameters()) {
    parameters.push_back(is_used[static_cast<size_t>(parameter->index())]);
  }
  return parameters;
}

bool ReadsOtherDevices(Opcode opcode) {
  // Every instruction of a module is asked.
  static constexpr std::array<bool, hlo::kNumOpcodes> kReads = [] {
    std::array<bool, hlo::kNumOpcodes> reads = {};
    for (const RuleRow& row : kRows) {
      reads[static_cast<size_t>(row.opcode)] = llvm::is_contained(
          {read_rules::AllReduce, read_rules::AllGather, read_rules::ReduceScatter,
           read_rules::AllToAll, read_rules::CollectiveBroadcast, read_rules::CollectivePermute,
           read_rules::RaggedAllToAll},
          row.rule);
    }
    return reads;
  }();
  return kReads[static_cast<size_t>(opcode)];
}

bool ReadsRuntimeValues(Opcode opcode) {
  const ReadRule rule = ReadRuleOf(opcode);
  return rule == read_rules::DynamicSlice || rule == read_rules::DynamicUpdateSlice ||
         rule == read_rules::Gather || rule == read_rules::Scatter;
}

}  // namespace hlo_indexing::indexing_analysis
