// Operations that read their operands at the index of the output.
#include <cstdlib>

#include "indexing_analysis/rules/read_rules.h"

namespace hlo_indexing::indexing_analysis::read_rules {

// parameter, constant, iota, random state, device numbers, what comes from outside; and the size of
// a dimension: no element is read.
void NoOperands(ReadContext&) {}

// Forwards operand 0. The others give no value: what must come before, or the size of a dimension.
void FirstOperand(ReadContext& context) { context.ReadSameIndex(0, context.output_leaf()); }

// Every number depends on the parameters of the distribution, all scalars.
void Random(ReadContext& context) {
  for (size_t i = 0; i < context.num_operands(); ++i) context.ReadWholeOperand(i);
}

// The bits and the new state depend on the whole state.
void RandomBits(ReadContext& context) { context.ReadWholeOperand(0); }

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

// The same bits: identity if the element widths agree; narrower elements add a last dimension
// over the parts of an element, wider ones take it away.
void BitcastConvert(ReadContext& context) {
  const int64_t rank = context.output().rank();
  const int64_t operand_rank = context.operand(0).rank();
  if (rank == operand_rank) {
    context.ReadSameIndex(0);
    return;
  }
  if (std::abs(rank - operand_rank) != 1) {
    context.ReadUnknown("bitcast-convert changes the rank by more than one");
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

}  // namespace hlo_indexing::indexing_analysis::read_rules
