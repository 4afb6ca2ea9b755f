// Operations that combine many elements into one.
#include "indexing_analysis/read_rules.h"

namespace hlo_indexing::indexing_analysis::read_rules {
namespace {

using hlo::AttributeName;
using simplifier::Constant;
using Indices = llvm::SmallVector<Sum, 6>;

// The index into one side of a dot. Output dimensions are batch, lhs free, rhs free.
Indices DotIndex(ReadContext& context, Access& access, const hlo::Shape& side,
                 llvm::ArrayRef<int64_t> batch, llvm::ArrayRef<int64_t> contracting,
                 size_t first_free) {
  Indices index(side.sizes().size(), Constant(0));
  for (size_t i = 0; i < batch.size(); ++i) {
    index[static_cast<size_t>(batch[i])] = context.index()[i];
  }
  for (const int64_t dimension : contracting) {
    const size_t i = static_cast<size_t>(dimension);
    index[i] = context.AddRange(access, side.sizes()[i]);
  }
  size_t next_free = first_free;
  for (int64_t i = 0; i < side.rank(); ++i) {
    if (llvm::is_contained(batch, i) || llvm::is_contained(contracting, i)) continue;
    index[static_cast<size_t>(i)] = context.index()[next_free++];
  }
  return index;
}

}  // namespace

// Every array is read along the reduced dimensions, every initial value by every element; so does
// each output of a variadic reduction.
void Reduce(ReadContext& context) {
  const llvm::ArrayRef<int64_t> reduced =
      context.instruction().Integers(AttributeName::kDimensions);
  const size_t count = context.num_operands() / 2;
  for (size_t i = count; i < context.num_operands(); ++i) {
    if (context.operand(i).rank() == 0) continue;
    context.ReadUnknown("the initial value of a reduction must be a scalar");
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    const hlo::Shape& operand = context.operand(i);
    Access access = context.Start();
    Indices index;
    size_t next_kept = 0;
    for (int64_t dimension = 0; dimension < operand.rank(); ++dimension) {
      index.push_back(
          llvm::is_contained(reduced, dimension)
              ? context.AddRange(access, operand.sizes()[static_cast<size_t>(dimension)])
              : context.index()[next_kept++]);
    }
    context.Read(i, 0, std::move(access), index);
    context.Read(count + i, 0, context.Start(), {});
  }
}

// out[b, l, r] = sum over c of lhs[b, l, c] * rhs[b, r, c], one range variable per pair of
// contracting dimensions in the order of the attribute.
void Dot(ReadContext& context) {
  const hlo::Instruction& dot = context.instruction();
  if (dot.Find(AttributeName::kSparsity) != nullptr || context.num_operands() != 2) {
    context.ReadUnknown("a dot with sparse operands is not analysed");
    return;
  }
  const llvm::ArrayRef<int64_t> lhs_batch = dot.Integers(AttributeName::kLhsBatchDims);
  const llvm::ArrayRef<int64_t> lhs_contracting = dot.Integers(AttributeName::kLhsContractingDims);
  const size_t lhs_free =
      static_cast<size_t>(context.operand(0).rank()) - lhs_batch.size() - lhs_contracting.size();
  Access lhs = context.Start();
  const Indices lhs_index =
      DotIndex(context, lhs, context.operand(0), lhs_batch, lhs_contracting, lhs_batch.size());
  context.Read(0, 0, std::move(lhs), lhs_index);
  Access rhs = context.Start();
  const Indices rhs_index =
      DotIndex(context, rhs, context.operand(1), dot.Integers(AttributeName::kRhsBatchDims),
               dot.Integers(AttributeName::kRhsContractingDims), lhs_batch.size() + lhs_free);
  context.Read(1, 0, std::move(rhs), rhs_index);
}

}  // namespace hlo_indexing::indexing_analysis::read_rules
