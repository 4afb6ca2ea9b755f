// Operations whose offsets are known at run time.
#include "indexing_analysis/read_rules.h"

namespace hlo_indexing::indexing_analysis::read_rules {
namespace {

using simplifier::Constant;
using Indices = llvm::SmallVector<Sum, 6>;

// Every start index is read by every element of the output. The start indices are scalars, or one
// vector.
void ReadStartIndices(ReadContext& context, size_t first) {
  for (size_t i = first; i < context.num_operands(); ++i) {
    Access access = context.Start();
    Indices index;
    for (const int64_t size : context.operand(i).sizes()) {
      index.push_back(context.AddRange(access, size));
    }
    context.Read(i, 0, std::move(access), index);
  }
}

// The offsets of the slice, each clamped so that the slice stays inside the array.
Indices StartIndices(ReadContext& context, size_t first, llvm::ArrayRef<int64_t> array_sizes,
                     llvm::ArrayRef<int64_t> slice_sizes, Access& access) {
  const bool is_vector = context.num_operands() > first && context.operand(first).rank() == 1;
  Indices starts;
  for (size_t i = 0; i < array_sizes.size(); ++i) {
    const Interval bounds = {0, array_sizes[i] - slice_sizes[i]};
    const Sum position = Constant(static_cast<int64_t>(i));
    starts.push_back(is_vector ? context.RuntimeValue(first, position, bounds, access)
                               : context.RuntimeValue(first + i, {}, bounds, access));
  }
  return starts;
}

}  // namespace

// in[i + start]
void DynamicSlice(ReadContext& context) {
  Access access = context.Start();
  const Indices starts =
      StartIndices(context, 1, context.operand(0).sizes(), context.output().sizes(), access);
  Indices index;
  for (size_t i = 0; i < starts.size(); ++i) {
    index.push_back(Add(context.digits(), context.index()[i], starts[i]));
  }
  context.Read(0, 0, std::move(access), index);
  ReadStartIndices(context, 1);
}

// update[i - start] inside the slice; the operand outside: the union over dimensions of lying
// outside there and inside in all dimensions before.
void DynamicUpdateSlice(ReadContext& context) {
  const llvm::ArrayRef<int64_t> sizes = context.operand(0).sizes();
  const llvm::ArrayRef<int64_t> slice = context.operand(1).sizes();
  Access access = context.Start();
  const Indices starts = StartIndices(context, 2, sizes, slice, access);
  Indices offsets;
  for (size_t i = 0; i < starts.size(); ++i) {
    offsets.push_back(Subtract(context.digits(), context.index()[i], starts[i]));
  }
  Access inside = access;
  for (size_t i = 0; i < offsets.size(); ++i) {
    context.Constrain(inside, offsets[i], {0, slice[i] - 1});
  }
  context.Read(1, 0, std::move(inside), offsets);
  ReadStartIndices(context, 2);
  Access before_here = access;
  for (size_t i = 0; i < offsets.size(); ++i) {
    Access below = before_here;
    context.Constrain(below, offsets[i], {Interval::kMinusInfinity, -1});
    context.Read(0, 0, std::move(below), context.index());
    Access above = before_here;
    context.Constrain(above, offsets[i], {slice[i], Interval::kPlusInfinity});
    context.Read(0, 0, std::move(above), context.index());
    context.Constrain(before_here, offsets[i], {0, slice[i] - 1});
  }
}

}  // namespace hlo_indexing::indexing_analysis::read_rules
