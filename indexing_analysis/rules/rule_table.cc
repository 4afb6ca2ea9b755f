#include "indexing_analysis/rules/rule_table.h"

#include <iterator>

#include "indexing_analysis/rules/unbounded.h"
#include "indexing_analysis/rules/used_parameters.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using hlo::Opcode;
using namespace read_rules;  // NOLINT(google-build-using-namespace)
using Callees = RuleInputs::Callees;

// Rules that look at nothing but dimensions, and at the attributes besides.
constexpr RuleInputs kDimensions = {.dimensions = true,
                                    .element_types_and_layouts = false,
                                    .opcode = false,
                                    .attributes = false,
                                    .callees = Callees::kNothing,
                                    .index_values = false,
                                    .registered_maps = false,
                                    .anything_else = false};
constexpr RuleInputs kAttributes = {.dimensions = true,
                                    .element_types_and_layouts = false,
                                    .opcode = false,
                                    .attributes = true,
                                    .callees = Callees::kNothing,
                                    .index_values = false,
                                    .registered_maps = false,
                                    .anything_else = false};

constexpr RuleTraits kByAttributes = {.inputs = kAttributes, .reads_other_devices = false};
constexpr RuleTraits kByAttributesOfEveryOperand = {
    .inputs = kAttributes, .reads_every_operand = true, .reads_other_devices = false};
constexpr RuleTraits kReshape = {.inputs = kDimensions,
                                 .reads_every_operand = true,
                                 .allows_unbounded = allows_unbounded::Reshape,
                                 .reads_other_devices = false};
constexpr RuleTraits kElementwise = {.inputs = kDimensions,
                                     .is_elementwise = true,
                                     .reads_every_operand = true,
                                     .allows_unbounded = allows_unbounded::Anywhere,
                                     .reads_other_devices = false};
constexpr RuleTraits kCopy = {.inputs = kDimensions,
                              .is_elementwise = true,
                              .is_identity = true,
                              .reads_every_operand = true,
                              .allows_unbounded = allows_unbounded::Anywhere,
                              .reads_other_devices = false};

// The traits of a rule that is right of dimensions without bound, where `allows` says so.
constexpr RuleTraits Unbounded(RuleTraits traits, decltype(RuleTraits::allows_unbounded) allows) {
  traits.allows_unbounded = allows;
  return traits;
}

constexpr RuleTraits Forwards(Forwarding forwarding) {
  return {.inputs = kAttributes, .reads_other_devices = false, .forwarding = forwarding};
}
constexpr RuleTraits kReadsNothing = Forwards(Forwarding::kNoOperand);
constexpr RuleTraits kFirstOperand = Forwards(Forwarding::kFirstOperand);
constexpr RuleTraits kTuple = Forwards(Forwarding::kTuple);
constexpr RuleTraits kGetTupleElement = Forwards(Forwarding::kGetTupleElement);
constexpr RuleTraits kBarrier = {.inputs = kAttributes,
                                 .is_identity = true,
                                 .reads_other_devices = false,
                                 .forwarding = Forwarding::kFirstOperand};

constexpr RuleTraits With(RuleInputs inputs) {
  return {.inputs = inputs, .reads_other_devices = false};
}
constexpr RuleTraits kBitcast = [] {
  RuleInputs inputs = kAttributes;
  inputs.element_types_and_layouts = true;
  return With(inputs);
}();
// By the computation that says how elements of a line depend on others.
constexpr RuleTraits kLinesByComputation = [] {
  RuleInputs inputs = kAttributes;
  inputs.callees = Callees::kEverything;
  return With(inputs);
}();
constexpr RuleTraits kReduce = [] {
  RuleTraits traits = kByAttributes;
  traits.first_alike = ReducedAlike;
  traits.allows_unbounded = allows_unbounded::Reduce;
  return traits;
}();
constexpr RuleTraits kSort = [] {
  RuleTraits traits = kLinesByComputation;
  traits.first_alike = SortedAlike;
  traits.allows_unbounded = allows_unbounded::Sort;
  return traits;
}();
constexpr RuleTraits kCustomCall = [] {
  RuleInputs inputs = kAttributes;
  inputs.registered_maps = true;
  return With(inputs);
}();

constexpr RuleTraits kCollective = [] {
  RuleInputs inputs = kAttributes;
  // It says which devices a group's numbers mean.
  inputs.opcode = true;
  RuleTraits traits = With(inputs);
  traits.reads_other_devices = true;
  return traits;
}();

constexpr RuleTraits Indexed(decltype(RuleTraits::index_operands) index_operands,
                             Callees callees = Callees::kNothing) {
  RuleInputs inputs = kAttributes;
  inputs.callees = callees;
  inputs.index_values = true;
  RuleTraits traits = With(inputs);
  traits.index_operands = index_operands;
  return traits;
}
constexpr RuleTraits kDynamicSlice = Indexed(index_operands::DynamicSlice);
constexpr RuleTraits kDynamicUpdateSlice = Indexed(index_operands::DynamicUpdateSlice);
constexpr RuleTraits kGather = Unbounded(Indexed(index_operands::Gather), allows_unbounded::Gather);
constexpr RuleTraits kScatter = Indexed(index_operands::Scatter, Callees::kUsedParameters);

// A computation says all, also which dimensions its callers have. A start may have fewer operands
// than it.
constexpr RuleTraits Calls(ControlFlow control_flow) {
  RuleInputs inputs = kDimensions;
  inputs.dimensions = inputs.opcode = control_flow == ControlFlow::kAsyncStart;
  inputs.callees = Callees::kEverything;
  return {.inputs = inputs, .reads_other_devices = false, .control_flow = control_flow};
}
constexpr RuleTraits kCall = Calls(ControlFlow::kCall);
constexpr RuleTraits kFusion = Calls(ControlFlow::kFusion);
constexpr RuleTraits kAsyncStart = Calls(ControlFlow::kAsyncStart);
// Equivalent ones are too rare to be looked for: each has computations of its own.
constexpr RuleTraits BranchesOrRepeats(ControlFlow control_flow) {
  RuleTraits traits;
  traits.reads_other_devices = false;
  traits.control_flow = control_flow;
  return traits;
}
constexpr RuleTraits kConditional = BranchesOrRepeats(ControlFlow::kConditional);
constexpr RuleTraits kWhile = BranchesOrRepeats(ControlFlow::kWhile);

}  // namespace

// clang-format off
extern constexpr OpcodeRow kOpcodeRows[] = {
    {Opcode::kAbs, Elementwise, kElementwise},
    {Opcode::kAcos, Elementwise, kElementwise},
    {Opcode::kAcosh, Elementwise, kElementwise},
    {Opcode::kAdd, Elementwise, kElementwise},
    {Opcode::kAddDependency, FirstOperand, kFirstOperand},
    {Opcode::kAfterAll, NoOperands, kReadsNothing},
    {Opcode::kAllGather, AllGather, kCollective},
    {Opcode::kAllGatherDone, SecondElement, Unbounded(kByAttributes, allows_unbounded::Anywhere)},
    {Opcode::kAllGatherStart, AllGatherStart, kCollective},
    {Opcode::kAllReduce, AllReduce, kCollective},
    {Opcode::kAllReduceDone, FirstOperand, kFirstOperand},
    {Opcode::kAllReduceStart, AllReduce, kCollective},
    {Opcode::kAllToAll, AllToAll, kCollective},
    {Opcode::kAnd, Elementwise, kElementwise},
    {Opcode::kAsin, Elementwise, kElementwise},
    {Opcode::kAsinh, Elementwise, kElementwise},
    {Opcode::kAsyncDone, SecondElement, Unbounded(kByAttributes, allows_unbounded::Anywhere)},
    {Opcode::kAsyncStart, nullptr, kAsyncStart},
    {Opcode::kAsyncUpdate, AsyncUpdate, kByAttributes},
    {Opcode::kAtan2, Elementwise, kElementwise},
    {Opcode::kAtanh, Elementwise, kElementwise},
    {Opcode::kBatchNormGrad, BatchNormGrad, kByAttributes},
    {Opcode::kBatchNormInference, BatchNormInference, kByAttributes},
    {Opcode::kBatchNormTraining, BatchNormTraining, kByAttributes},
    {Opcode::kBitcast, Bitcast, kBitcast},
    {Opcode::kBitcastConvert, BitcastConvert, Unbounded(kByAttributes, allows_unbounded::BitcastConvert)},
    {Opcode::kBroadcast, Broadcast, Unbounded(kByAttributesOfEveryOperand, allows_unbounded::Anywhere)},
    {Opcode::kCall, nullptr, kCall},
    {Opcode::kCbrt, Elementwise, kElementwise},
    {Opcode::kCeil, Elementwise, kElementwise},
    {Opcode::kCholesky, Cholesky, kByAttributes},
    {Opcode::kClamp, Elementwise, kElementwise},
    {Opcode::kCollectiveBroadcast, CollectiveBroadcast, kCollective},
    {Opcode::kCollectivePermute, CollectivePermute, kCollective},
    {Opcode::kCollectivePermuteDone, SecondElement, Unbounded(kByAttributes, allows_unbounded::Anywhere)},
    {Opcode::kCollectivePermuteStart, CollectivePermuteStart, kCollective},
    {Opcode::kCompare, Elementwise, kElementwise},
    {Opcode::kComplex, Elementwise, kElementwise},
    {Opcode::kConcatenate, Concatenate, Unbounded(kByAttributesOfEveryOperand, allows_unbounded::Concatenate)},
    {Opcode::kConditional, nullptr, kConditional},
    {Opcode::kConstant, NoOperands, kReadsNothing},
    {Opcode::kConvert, Elementwise, kElementwise},
    {Opcode::kConvolution, Convolution, Unbounded(kByAttributes, allows_unbounded::Convolution)},
    {Opcode::kCopy, Elementwise, kCopy},
    {Opcode::kCopyDone, FirstElement, Unbounded(kByAttributes, allows_unbounded::Anywhere)},
    {Opcode::kCopyStart, CopyStart, Unbounded(kByAttributes, allows_unbounded::Anywhere)},
    {Opcode::kCosh, Elementwise, kElementwise},
    {Opcode::kCosine, Elementwise, kElementwise},
    {Opcode::kCountLeadingZeros, Elementwise, kElementwise},
    {Opcode::kCustomCall, CustomCall, kCustomCall},
    {Opcode::kDivide, Elementwise, kElementwise},
    {Opcode::kDomain, FirstOperand, kFirstOperand},
    {Opcode::kDot, Dot, Unbounded(kByAttributesOfEveryOperand, allows_unbounded::Dot)},
    {Opcode::kDynamicReshape, DynamicReshape, kByAttributes},
    {Opcode::kDynamicSlice, DynamicSlice, kDynamicSlice},
    {Opcode::kDynamicUpdateSlice, DynamicUpdateSlice, kDynamicUpdateSlice},
    {Opcode::kErf, Elementwise, kElementwise},
    {Opcode::kExponential, Elementwise, kElementwise},
    {Opcode::kExponentialMinusOne, Elementwise, kElementwise},
    {Opcode::kFft, Fft, kByAttributes},
    {Opcode::kFloor, Elementwise, kElementwise},
    {Opcode::kFusion, nullptr, kFusion},
    {Opcode::kGather, Gather, kGather},
    {Opcode::kGetDimensionSize, NoOperands, kReadsNothing},
    {Opcode::kGetTupleElement, GetTupleElement, kGetTupleElement},
    {Opcode::kImag, Elementwise, kElementwise},
    {Opcode::kInfeed, NoOperands, kReadsNothing},
    {Opcode::kIota, NoOperands, kReadsNothing},
    {Opcode::kIsFinite, Elementwise, kElementwise},
    {Opcode::kLog, Elementwise, kElementwise},
    {Opcode::kLogPlusOne, Elementwise, kElementwise},
    {Opcode::kLogistic, Elementwise, kElementwise},
    {Opcode::kMap, Elementwise, kElementwise},
    {Opcode::kMaximum, Elementwise, kElementwise},
    {Opcode::kMinimum, Elementwise, kElementwise},
    {Opcode::kMulhi, Elementwise, kElementwise},
    {Opcode::kMultiply, Elementwise, kElementwise},
    {Opcode::kNegate, Elementwise, kElementwise},
    {Opcode::kNot, Elementwise, kElementwise},
    {Opcode::kOptimizationBarrier, FirstOperand, kBarrier},
    {Opcode::kOr, Elementwise, kElementwise},
    {Opcode::kOutfeed, NoOperands, kReadsNothing},
    {Opcode::kPad, Pad, Unbounded(kByAttributes, allows_unbounded::Pad)},
    {Opcode::kParameter, NoOperands, kReadsNothing},
    {Opcode::kPartitionId, NoOperands, kReadsNothing},
    {Opcode::kPopulationCount, Elementwise, kElementwise},
    {Opcode::kPower, Elementwise, kElementwise},
    {Opcode::kRaggedAllToAll, RaggedAllToAll, kCollective},
    {Opcode::kRaggedDot, RaggedDot, kByAttributes},
    {Opcode::kReal, Elementwise, kElementwise},
    {Opcode::kRecv, NoOperands, kReadsNothing},
    {Opcode::kRecvDone, FirstElement, Unbounded(kByAttributes, allows_unbounded::Anywhere)},
    {Opcode::kReduce, Reduce, kReduce},
    {Opcode::kReducePrecision, Elementwise, kElementwise},
    {Opcode::kReduceScatter, ReduceScatter, kCollective},
    {Opcode::kReduceWindow, ReduceWindow, Unbounded(kByAttributes, allows_unbounded::ReduceWindow)},
    {Opcode::kRemainder, Elementwise, kElementwise},
    {Opcode::kReplicaId, NoOperands, kReadsNothing},
    {Opcode::kReshape, Reshape, kReshape},
    {Opcode::kReverse, Reverse, Unbounded(kByAttributesOfEveryOperand, allows_unbounded::Reverse)},
    {Opcode::kRng, Random, kByAttributes},
    {Opcode::kRngBitGenerator, RandomBits, kByAttributes},
    {Opcode::kRngGetAndUpdateState, NoOperands, kReadsNothing},
    {Opcode::kRoundNearestAfz, Elementwise, kElementwise},
    {Opcode::kRoundNearestEven, Elementwise, kElementwise},
    {Opcode::kRsqrt, Elementwise, kElementwise},
    {Opcode::kScaledDot, ScaledDot, kByAttributes},
    {Opcode::kScan, Scan, kLinesByComputation},
    {Opcode::kScatter, Scatter, kScatter},
    {Opcode::kSelect, Elementwise, kElementwise},
    {Opcode::kSelectAndScatter, SelectAndScatter, kByAttributes},
    {Opcode::kSend, Send, Unbounded(kByAttributes, allows_unbounded::Anywhere)},
    {Opcode::kSendDone, NoOperands, kReadsNothing},
    {Opcode::kSetDimensionSize, FirstOperand, kFirstOperand},
    {Opcode::kShiftLeft, Elementwise, kElementwise},
    {Opcode::kShiftRightArithmetic, Elementwise, kElementwise},
    {Opcode::kShiftRightLogical, Elementwise, kElementwise},
    {Opcode::kSign, Elementwise, kElementwise},
    {Opcode::kSine, Elementwise, kElementwise},
    {Opcode::kSinh, Elementwise, kElementwise},
    {Opcode::kSlice, Slice, Unbounded(kByAttributesOfEveryOperand, allows_unbounded::Anywhere)},
    {Opcode::kSort, Sort, kSort},
    {Opcode::kSqrt, Elementwise, kElementwise},
    {Opcode::kStochasticConvert, Elementwise, kElementwise},
    {Opcode::kSubtract, Elementwise, kElementwise},
    {Opcode::kTan, Elementwise, kElementwise},
    {Opcode::kTanh, Elementwise, kElementwise},
    {Opcode::kTopK, TopK, kByAttributes},
    {Opcode::kTranspose, Transpose, Unbounded(kByAttributesOfEveryOperand, allows_unbounded::Anywhere)},
    {Opcode::kTriangularSolve, TriangularSolve, kByAttributes},
    {Opcode::kTuple, Tuple, kTuple},
    {Opcode::kWhile, nullptr, kWhile},
    {Opcode::kXor, Elementwise, kElementwise},
};
// clang-format on

namespace {

constexpr bool IsInOrder() {
  for (size_t i = 0; i < std::size(kOpcodeRows); ++i) {
    if (kOpcodeRows[i].opcode != static_cast<Opcode>(i)) return false;
  }
  return true;
}
static_assert(std::size(kOpcodeRows) == hlo::kNumOpcodes, "every opcode has a row");
static_assert(IsInOrder(), "rows stand in the order of hlo/opcodes.inc");

}  // namespace

}  // namespace hlo_indexing::indexing_analysis
