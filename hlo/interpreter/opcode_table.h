// Which function evaluates which opcode, in one table (opcode_table.cc). Private to the folder.
#ifndef HLO_INDEXING_HLO_INTERPRETER_OPCODE_TABLE_H_
#define HLO_INDEXING_HLO_INTERPRETER_OPCODE_TABLE_H_

#include <cstdint>

#include "hlo/interpreter/evaluation.h"
#include "hlo/opcode.h"

namespace hlo_indexing::hlo {

/// Whether arrays may come in whose dynamic dimensions are not filled to their bounds.
enum class PartlyFilled : uint8_t { kNo, kYes };

/// How an opcode is evaluated: device by device, or on all of them together.
struct OpcodeRow {
  Opcode opcode;
  bool (*on_one)(Evaluation&);
  bool (*on_group)(GroupEvaluation&);
  PartlyFilled partly_filled = PartlyFilled::kNo;
};

/// The row of an opcode. There is one for every opcode but parameter.
const OpcodeRow* OpcodeRowOf(Opcode opcode);

// The functions of the table, by file; each returns false after it has recorded an error.
namespace evaluate {

// elementwise.cc
bool Elementwise(Evaluation& e);
bool Map(Evaluation& e);

// movement.cc
bool Constant(Evaluation& e);
bool Iota(Evaluation& e);
bool Broadcast(Evaluation& e);
bool Transpose(Evaluation& e);
bool Reverse(Evaluation& e);
bool Reshape(Evaluation& e);
bool Slice(Evaluation& e);
bool Pad(Evaluation& e);
bool Concatenate(Evaluation& e);
bool Identity(Evaluation& e);

// bitcast.cc
bool Bitcast(Evaluation& e);
bool BitcastConvert(Evaluation& e);

// dynamic.cc
bool DynamicSlice(Evaluation& e);
bool DynamicUpdateSlice(Evaluation& e);
bool GetDimensionSize(Evaluation& e);
bool SetDimensionSize(Evaluation& e);
bool DynamicReshape(Evaluation& e);

// gather_scatter.cc
bool Gather(Evaluation& e);
bool Scatter(Evaluation& e);

// reduction.cc
bool Reduce(Evaluation& e);
bool ReduceWindow(Evaluation& e);
bool SelectAndScatter(Evaluation& e);
bool Scan(Evaluation& e);

// contraction.cc
bool Dot(Evaluation& e);
bool RaggedDot(Evaluation& e);
bool ScaledDot(Evaluation& e);

// convolution.cc
bool Convolution(Evaluation& e);

// sort.cc
bool Sort(Evaluation& e);
bool TopK(Evaluation& e);
/// The k largest (or smallest) of each line of the last dimension of the operand, in order, and
/// where they were; of equal ones the first.
bool SelectTopK(Evaluation& e, int64_t k, bool is_largest);

// linear_algebra.cc
bool Cholesky(Evaluation& e);
bool TriangularSolve(Evaluation& e);
bool Fft(Evaluation& e);

// normalization.cc
bool BatchNormTraining(Evaluation& e);
bool BatchNormInference(Evaluation& e);
bool BatchNormGrad(Evaluation& e);

// random.cc
bool RngBitGenerator(Evaluation& e);

// control.cc
bool Tuple(Evaluation& e);
bool GetTupleElement(Evaluation& e);
bool AfterAll(Evaluation& e);
bool CopyStart(Evaluation& e);
bool FirstElement(Evaluation& e);
bool SecondElement(Evaluation& e);
bool Call(GroupEvaluation& e);
bool While(GroupEvaluation& e);
bool Conditional(GroupEvaluation& e);
bool AsyncStart(GroupEvaluation& e);
bool AsyncUpdate(GroupEvaluation& e);
bool AsyncDone(Evaluation& e);
bool CustomCall(Evaluation& e);
bool OutsideWorld(Evaluation& e);

// collectives.cc
bool ReplicaId(Evaluation& e);
bool PartitionId(Evaluation& e);
bool AllReduce(GroupEvaluation& e);
bool AllGather(GroupEvaluation& e);
bool ReduceScatter(GroupEvaluation& e);
bool AllToAll(GroupEvaluation& e);
bool CollectivePermute(GroupEvaluation& e);
bool CollectiveBroadcast(GroupEvaluation& e);
bool RaggedAllToAll(GroupEvaluation& e);

}  // namespace evaluate

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_INTERPRETER_OPCODE_TABLE_H_
