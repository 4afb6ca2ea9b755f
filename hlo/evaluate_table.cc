// Which function evaluates which opcode: the only table.
#include <array>

#include "hlo/evaluate.h"

namespace hlo_indexing::hlo {
namespace {

using namespace evaluate;  // NOLINT(google-build-using-namespace)

constexpr PartlyFilled kPartly = PartlyFilled::kYes;

// clang-format off
constexpr EvaluateRow kRows[] = {
    {Opcode::kAbs, Elementwise, nullptr, kPartly},
    {Opcode::kAcos, Elementwise, nullptr, kPartly},
    {Opcode::kAcosh, Elementwise, nullptr, kPartly},
    {Opcode::kAdd, Elementwise, nullptr, kPartly},
    {Opcode::kAddDependency, Identity, nullptr, kPartly},
    {Opcode::kAfterAll, AfterAll, nullptr, kPartly},
    {Opcode::kAllGather, nullptr, AllGather},
    {Opcode::kAllGatherDone, SecondElement, nullptr, kPartly},
    {Opcode::kAllGatherStart, nullptr, AllGather},
    {Opcode::kAllReduce, nullptr, AllReduce},
    {Opcode::kAllReduceDone, Identity, nullptr, kPartly},
    {Opcode::kAllReduceStart, nullptr, AllReduce},
    {Opcode::kAllToAll, nullptr, AllToAll},
    {Opcode::kAnd, Elementwise, nullptr, kPartly},
    {Opcode::kAsin, Elementwise, nullptr, kPartly},
    {Opcode::kAsinh, Elementwise, nullptr, kPartly},
    {Opcode::kAsyncDone, AsyncDone, nullptr, kPartly},
    {Opcode::kAsyncStart, nullptr, AsyncStart, kPartly},
    {Opcode::kAsyncUpdate, nullptr, AsyncUpdate, kPartly},
    {Opcode::kAtan2, Elementwise, nullptr, kPartly},
    {Opcode::kAtanh, Elementwise, nullptr, kPartly},
    {Opcode::kBatchNormGrad, BatchNormGrad, nullptr},
    {Opcode::kBatchNormInference, BatchNormInference, nullptr},
    {Opcode::kBatchNormTraining, BatchNormTraining, nullptr},
    {Opcode::kBitcast, Bitcast, nullptr},
    {Opcode::kBitcastConvert, BitcastConvert, nullptr},
    {Opcode::kBroadcast, Broadcast, nullptr},
    {Opcode::kCall, nullptr, Call, kPartly},
    {Opcode::kCbrt, Elementwise, nullptr, kPartly},
    {Opcode::kCeil, Elementwise, nullptr, kPartly},
    {Opcode::kCholesky, Cholesky, nullptr},
    {Opcode::kClamp, Elementwise, nullptr, kPartly},
    {Opcode::kCollectiveBroadcast, nullptr, CollectiveBroadcast},
    {Opcode::kCollectivePermute, nullptr, CollectivePermute},
    {Opcode::kCollectivePermuteDone, SecondElement, nullptr, kPartly},
    {Opcode::kCollectivePermuteStart, nullptr, CollectivePermute},
    {Opcode::kCompare, Elementwise, nullptr, kPartly},
    {Opcode::kComplex, Elementwise, nullptr, kPartly},
    {Opcode::kConcatenate, Concatenate, nullptr},
    {Opcode::kConditional, nullptr, Conditional, kPartly},
    {Opcode::kConstant, Constant, nullptr},
    {Opcode::kConvert, Elementwise, nullptr, kPartly},
    {Opcode::kConvolution, Convolution, nullptr},
    {Opcode::kCopy, Identity, nullptr, kPartly},
    {Opcode::kCopyDone, FirstElement, nullptr, kPartly},
    {Opcode::kCopyStart, CopyStart, nullptr, kPartly},
    {Opcode::kCosh, Elementwise, nullptr, kPartly},
    {Opcode::kCosine, Elementwise, nullptr, kPartly},
    {Opcode::kCountLeadingZeros, Elementwise, nullptr, kPartly},
    {Opcode::kCustomCall, OutsideWorld, nullptr, kPartly},
    {Opcode::kDivide, Elementwise, nullptr, kPartly},
    {Opcode::kDomain, Identity, nullptr, kPartly},
    {Opcode::kDot, Dot, nullptr},
    {Opcode::kDynamicReshape, DynamicReshape, nullptr, kPartly},
    {Opcode::kDynamicSlice, DynamicSlice, nullptr},
    {Opcode::kDynamicUpdateSlice, DynamicUpdateSlice, nullptr},
    {Opcode::kErf, Elementwise, nullptr, kPartly},
    {Opcode::kExponential, Elementwise, nullptr, kPartly},
    {Opcode::kExponentialMinusOne, Elementwise, nullptr, kPartly},
    {Opcode::kFft, Fft, nullptr},
    {Opcode::kFloor, Elementwise, nullptr, kPartly},
    {Opcode::kFusion, nullptr, Call, kPartly},
    {Opcode::kGather, Gather, nullptr},
    {Opcode::kGetDimensionSize, GetDimensionSize, nullptr, kPartly},
    {Opcode::kGetTupleElement, GetTupleElement, nullptr, kPartly},
    {Opcode::kImag, Elementwise, nullptr, kPartly},
    {Opcode::kInfeed, OutsideWorld, nullptr, kPartly},
    {Opcode::kIota, Iota, nullptr},
    {Opcode::kIsFinite, Elementwise, nullptr, kPartly},
    {Opcode::kLog, Elementwise, nullptr, kPartly},
    {Opcode::kLogPlusOne, Elementwise, nullptr, kPartly},
    {Opcode::kLogistic, Elementwise, nullptr, kPartly},
    {Opcode::kMap, Map, nullptr, kPartly},
    {Opcode::kMaximum, Elementwise, nullptr, kPartly},
    {Opcode::kMinimum, Elementwise, nullptr, kPartly},
    {Opcode::kMulhi, Elementwise, nullptr, kPartly},
    {Opcode::kMultiply, Elementwise, nullptr, kPartly},
    {Opcode::kNegate, Elementwise, nullptr, kPartly},
    {Opcode::kNot, Elementwise, nullptr, kPartly},
    {Opcode::kOptimizationBarrier, Identity, nullptr, kPartly},
    {Opcode::kOr, Elementwise, nullptr, kPartly},
    {Opcode::kOutfeed, OutsideWorld, nullptr, kPartly},
    {Opcode::kPad, Pad, nullptr},
    {Opcode::kPartitionId, PartitionId, nullptr},
    {Opcode::kPopulationCount, Elementwise, nullptr, kPartly},
    {Opcode::kPower, Elementwise, nullptr, kPartly},
    {Opcode::kRaggedAllToAll, nullptr, RaggedAllToAll},
    {Opcode::kRaggedDot, RaggedDot, nullptr},
    {Opcode::kReal, Elementwise, nullptr, kPartly},
    {Opcode::kRecv, OutsideWorld, nullptr, kPartly},
    {Opcode::kRecvDone, OutsideWorld, nullptr, kPartly},
    {Opcode::kReduce, Reduce, nullptr},
    {Opcode::kReducePrecision, Elementwise, nullptr, kPartly},
    {Opcode::kReduceScatter, nullptr, ReduceScatter},
    {Opcode::kReduceWindow, ReduceWindow, nullptr},
    {Opcode::kRemainder, Elementwise, nullptr, kPartly},
    {Opcode::kReplicaId, ReplicaId, nullptr},
    {Opcode::kReshape, Reshape, nullptr},
    {Opcode::kReverse, Reverse, nullptr},
    {Opcode::kRng, OutsideWorld, nullptr, kPartly},
    {Opcode::kRngBitGenerator, RngBitGenerator, nullptr},
    {Opcode::kRngGetAndUpdateState, OutsideWorld, nullptr, kPartly},
    {Opcode::kRoundNearestAfz, Elementwise, nullptr, kPartly},
    {Opcode::kRoundNearestEven, Elementwise, nullptr, kPartly},
    {Opcode::kRsqrt, Elementwise, nullptr, kPartly},
    {Opcode::kScaledDot, ScaledDot, nullptr},
    {Opcode::kScan, Scan, nullptr},
    {Opcode::kScatter, Scatter, nullptr},
    {Opcode::kSelect, Elementwise, nullptr, kPartly},
    {Opcode::kSelectAndScatter, SelectAndScatter, nullptr},
    {Opcode::kSend, OutsideWorld, nullptr, kPartly},
    {Opcode::kSendDone, OutsideWorld, nullptr, kPartly},
    {Opcode::kSetDimensionSize, SetDimensionSize, nullptr, kPartly},
    {Opcode::kShiftLeft, Elementwise, nullptr, kPartly},
    {Opcode::kShiftRightArithmetic, Elementwise, nullptr, kPartly},
    {Opcode::kShiftRightLogical, Elementwise, nullptr, kPartly},
    {Opcode::kSign, Elementwise, nullptr, kPartly},
    {Opcode::kSine, Elementwise, nullptr, kPartly},
    {Opcode::kSinh, Elementwise, nullptr, kPartly},
    {Opcode::kSlice, Slice, nullptr},
    {Opcode::kSort, Sort, nullptr},
    {Opcode::kSqrt, Elementwise, nullptr, kPartly},
    {Opcode::kStochasticConvert, Elementwise, nullptr, kPartly},
    {Opcode::kSubtract, Elementwise, nullptr, kPartly},
    {Opcode::kTan, Elementwise, nullptr, kPartly},
    {Opcode::kTanh, Elementwise, nullptr, kPartly},
    {Opcode::kTopK, TopK, nullptr},
    {Opcode::kTranspose, Transpose, nullptr},
    {Opcode::kTriangularSolve, TriangularSolve, nullptr},
    {Opcode::kTuple, Tuple, nullptr, kPartly},
    {Opcode::kWhile, nullptr, While, kPartly},
    {Opcode::kXor, Elementwise, nullptr, kPartly},
};
// clang-format on

// Every opcode has a row, but parameter, whose value the caller gives.
static_assert(std::size(kRows) == kNumOpcodes - 1);

}  // namespace

const EvaluateRow* EvaluateRowOf(Opcode opcode) {
  static constexpr std::array<const EvaluateRow*, kNumOpcodes> kByOpcode = [] {
    std::array<const EvaluateRow*, kNumOpcodes> rows = {};
    for (const EvaluateRow& row : kRows) rows[static_cast<size_t>(row.opcode)] = &row;
    return rows;
  }();
  return kByOpcode[static_cast<size_t>(opcode)];
}

}  // namespace hlo_indexing::hlo
