// Operations that read their operands where they are asked for their output.
#include "indexing_analysis/read_rules.h"

namespace hlo_indexing::indexing_analysis::read_rules {

// parameter, constant, iota: nothing is read.
void NoOperands(ReadContext&) {}

// out[i] = f(a[i], b[i], ...); a scalar operand of an array is read by every element. A tuple is
// copied array by array.
void Elementwise(ReadContext& context) {
  const hlo::Shape& output = context.output();
  for (size_t i = 0; i < context.num_operands(); ++i) {
    if (!context.operand(i).IsArray()) {
      context.ReadSameIndex(i, context.output_leaf());
    } else if (context.operand(i).rank() == output.rank()) {
      context.ReadSameIndex(i);
    } else {
      context.Read(i, 0, context.Start(), {});
    }
  }
}

// The same bits: identity where the element widths agree; narrower elements add a last dimension
// over the parts of an element, wider ones take it away.
void BitcastConvert(ReadContext& context) {
  const int64_t rank = context.output().rank();
  const int64_t operand_rank = context.operand(0).rank();
  if (rank == operand_rank) {
    context.ReadSameIndex(0);
    return;
  }
  Access access = context.Start();
  llvm::SmallVector<Sum, 6> index(context.index().begin(), context.index().end());
  if (rank > operand_rank) {
    index.pop_back();
  } else {
    index.push_back(context.AddRange(access, context.operand(0).sizes().back()));
  }
  context.Read(0, 0, std::move(access), index);
}

void Tuple(ReadContext& context) {
  const int64_t operand = context.instruction().shape().ElementOfLeaf(context.output_leaf());
  const int64_t first = context.instruction().shape().FirstLeafOfElement(operand);
  context.ReadSameIndex(static_cast<size_t>(operand), context.output_leaf() - first);
}

void GetTupleElement(ReadContext& context) {
  const int64_t index = context.instruction().Required<int64_t>(hlo::AttributeName::kIndex);
  context.ReadSameIndex(0, context.operand(0).FirstLeafOfElement(index) + context.output_leaf());
}

}  // namespace hlo_indexing::indexing_analysis::read_rules
