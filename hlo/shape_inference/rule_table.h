// Which rule gives the shape of which opcode, in one table (rule_table.cc). Private to the folder.
#ifndef HLO_INDEXING_HLO_SHAPE_INFERENCE_RULE_TABLE_H_
#define HLO_INDEXING_HLO_SHAPE_INFERENCE_RULE_TABLE_H_

#include <cstdint>

#include "hlo/attribute.h"
#include "hlo/module.h"
#include "hlo/opcode.h"
#include "hlo/shape_inference/shape_context.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::hlo {

namespace shape_rules {

using Rule = bool (*)(ShapeContext&);

/// The rule of an opcode; null if any shape goes.
Rule RuleOf(Opcode opcode);

using Sizes = llvm::SmallVector<int64_t, 6>;

/// Whether the sizes are equal as far as they are known.
inline bool SameSize(int64_t a, int64_t b) {
  return a == b || a == kUnboundedSize || b == kUnboundedSize;
}

/// The attribute `window`; empty if it is missing, as for scalars.
llvm::ArrayRef<WindowDimension> WindowOf(const Instruction& instruction);
/// Appends, for each of these sizes, the number of positions at which the window fits. False after
/// an error: another number of sizes than the window has, a window that is not positive, an
/// overflow.
bool AppendWindowedSizes(ShapeContext& context, llvm::ArrayRef<int64_t> sizes, Sizes& windowed);

// The rules by file; each returns false after it has recorded an error.

// elementwise.cc
bool SameAsOperand(ShapeContext& context);
bool SameUpToPrecision(ShapeContext& context);
bool Copy(ShapeContext& context);
bool Unary(ShapeContext& context);
bool Binary(ShapeContext& context);
bool ReducePrecision(ShapeContext& context);
bool AbsoluteValue(ShapeContext& context);
bool RealPart(ShapeContext& context);
bool Complex(ShapeContext& context);
bool Compare(ShapeContext& context);
bool IsFinite(ShapeContext& context);
bool Convert(ShapeContext& context);
bool StochasticConvert(ShapeContext& context);
bool BitcastConvert(ShapeContext& context);
bool Select(ShapeContext& context);
bool Clamp(ShapeContext& context);
bool Map(ShapeContext& context);

// movement.cc
bool Broadcast(ShapeContext& context);
bool Transpose(ShapeContext& context);
bool Reshape(ShapeContext& context);
bool DynamicReshape(ShapeContext& context);
bool Bitcast(ShapeContext& context);
bool Reverse(ShapeContext& context);
bool Slice(ShapeContext& context);
bool Pad(ShapeContext& context);
bool Concatenate(ShapeContext& context);
bool Iota(ShapeContext& context);
bool DynamicSlice(ShapeContext& context);
bool DynamicUpdateSlice(ShapeContext& context);
bool GetDimensionSize(ShapeContext& context);
bool SetDimensionSize(ShapeContext& context);

// gather_scatter.cc
bool Gather(ShapeContext& context);
bool Scatter(ShapeContext& context);

// contraction.cc
bool Dot(ShapeContext& context);
bool ScaledDot(ShapeContext& context);
bool RaggedDot(ShapeContext& context);
bool Convolution(ShapeContext& context);
bool TopK(ShapeContext& context);
bool Fft(ShapeContext& context);
bool Cholesky(ShapeContext& context);
bool TriangularSolve(ShapeContext& context);
bool BatchNormGrad(ShapeContext& context);
bool BatchNormInference(ShapeContext& context);
bool BatchNormTraining(ShapeContext& context);

// reduction.cc
bool Reduce(ShapeContext& context);
bool ReduceWindow(ShapeContext& context);
bool SelectAndScatter(ShapeContext& context);
bool Scan(ShapeContext& context);
bool Sort(ShapeContext& context);

// control.cc
bool Tuple(ShapeContext& context);
bool GetTupleElement(ShapeContext& context);
bool Call(ShapeContext& context);
bool While(ShapeContext& context);
bool Conditional(ShapeContext& context);
bool AfterAll(ShapeContext& context);
bool CopyStart(ShapeContext& context);
bool FirstElementOfOperand(ShapeContext& context);
bool SecondElementOfOperand(ShapeContext& context);
bool AsyncStart(ShapeContext& context);
bool AsyncUpdate(ShapeContext& context);
bool DeviceId(ShapeContext& context);

// environment.cc
bool Infeed(ShapeContext& context);
bool Outfeed(ShapeContext& context);
bool Send(ShapeContext& context);
bool SendDone(ShapeContext& context);
bool Recv(ShapeContext& context);
bool RecvDone(ShapeContext& context);
bool Rng(ShapeContext& context);
bool RngBitGenerator(ShapeContext& context);
bool RngGetAndUpdateState(ShapeContext& context);

// collectives.cc
bool AllReduce(ShapeContext& context);
bool AllGather(ShapeContext& context);
bool AllGatherStart(ShapeContext& context);
bool ReduceScatter(ShapeContext& context);
bool AllToAll(ShapeContext& context);
bool RaggedAllToAll(ShapeContext& context);
bool CollectiveBroadcast(ShapeContext& context);
bool CollectivePermute(ShapeContext& context);
bool CollectivePermuteStart(ShapeContext& context);

}  // namespace shape_rules

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_SHAPE_INFERENCE_RULE_TABLE_H_
