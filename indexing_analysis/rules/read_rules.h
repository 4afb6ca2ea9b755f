// The read rules, by family. A rule is the transfer function of an opcode: it is given an access to
// one element of an instruction's output, as digit sums, and says which elements of the operands
// are read. The same rule serves an instruction by itself, when the access is the identity, and
// any path through a fusion. The relation that each rule states is documented with it; composition,
// simplification and reporting happen elsewhere. rules/rule_table.h says which opcode has which
// rule.
//
// Example: Reverse of f32[8] in dimension 0, for the access (2 * d0 + 1) -> operand 0 at (6 - 2 *
// d0)
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_RULES_READ_RULES_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_RULES_READ_RULES_H_

#include "indexing_analysis/rules/read_context.h"

namespace hlo_indexing::indexing_analysis {

using ReadRule = void (*)(ReadContext&);

namespace read_rules {

// elementwise.cc
void NoOperands(ReadContext& context);
void Elementwise(ReadContext& context);
void FirstOperand(ReadContext& context);
void Random(ReadContext& context);
void RandomBits(ReadContext& context);
void BitcastConvert(ReadContext& context);

// tuple.cc
void Tuple(ReadContext& context);
void GetTupleElement(ReadContext& context);
void CopyStart(ReadContext& context);
void Send(ReadContext& context);
void FirstElement(ReadContext& context);
void SecondElement(ReadContext& context);
void AsyncUpdate(ReadContext& context);
void CustomCall(ReadContext& context);

// movement.cc
void Broadcast(ReadContext& context);
void Transpose(ReadContext& context);
void Reverse(ReadContext& context);
void Reshape(ReadContext& context);
void DynamicReshape(ReadContext& context);
void Bitcast(ReadContext& context);
void Slice(ReadContext& context);
void Pad(ReadContext& context);
void Concatenate(ReadContext& context);

// contraction.cc
void Reduce(ReadContext& context);
void Dot(ReadContext& context);
void ScaledDot(ReadContext& context);
void RaggedDot(ReadContext& context);

// window.cc
void ReduceWindow(ReadContext& context);
void Convolution(ReadContext& context);
void SelectAndScatter(ReadContext& context);

// lines.cc
void Sort(ReadContext& context);
void TopK(ReadContext& context);
void Fft(ReadContext& context);
void Scan(ReadContext& context);
void BatchNormTraining(ReadContext& context);
void BatchNormInference(ReadContext& context);
void BatchNormGrad(ReadContext& context);

// triangular.cc
void Cholesky(ReadContext& context);
void TriangularSolve(ReadContext& context);

// dynamic.cc
void DynamicSlice(ReadContext& context);
void DynamicUpdateSlice(ReadContext& context);
void Gather(ReadContext& context);
void Scatter(ReadContext& context);

// collectives.cc
void AllReduce(ReadContext& context);
void AllGather(ReadContext& context);
void AllGatherStart(ReadContext& context);
void ReduceScatter(ReadContext& context);
void AllToAll(ReadContext& context);
void CollectiveBroadcast(ReadContext& context);
void CollectivePermute(ReadContext& context);
void CollectivePermuteStart(ReadContext& context);
void RaggedAllToAll(ReadContext& context);

}  // namespace read_rules

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_RULES_READ_RULES_H_
