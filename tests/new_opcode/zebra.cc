// What the opcode `zebra` needs, one function for each of the project's tables: zebra(a, b),
// dimensions={0} is a[0], b[1], a[2], b[3], ...
#include "hlo/interpreter/opcode_table.h"
#include "hlo/shape_inference/rule_table.h"
#include "indexing_analysis/rules/read_rules.h"

namespace hlo_indexing {

// The dimensions of its operands.
bool hlo::shape_rules::Zebra(ShapeContext& context) {
  const AttributeName along = AttributeName::kDimensions;
  if (!context.RequireArrays() || !context.RequireMixable(0, 1) ||
      !context.RequireSameDimensions(0, 1) ||
      !context.RequireDimensions(along, context.operand(0).rank())) {
    return false;
  }
  const size_t count = context.instruction().Integers(along).size();
  if (count != 1) return context.FailAt(along, "zebra needs one dimension");
  return context.ExpectLike(context.operand(0).element_type(), context.operand(0));
}

bool hlo::evaluate::Zebra(Evaluation& e) {
  const std::shared_ptr<ArrayValue> result = e.NewResult();
  if (result == nullptr) return false;
  const auto dimension =
      static_cast<size_t>(e.instruction().Integers(AttributeName::kDimensions)[0]);
  const llvm::ArrayRef<int64_t> sizes = result->shape().sizes();
  // How many elements have the same index along the dimension before the next one comes.
  int64_t inner = 1;
  for (const int64_t size : sizes.drop_front(dimension + 1)) inner *= size;
  for (int64_t i = 0; i < result->size(); ++i) {
    const int64_t along = i / inner % sizes[dimension];
    result->CopyFrom(i, e.array(static_cast<size_t>(along % 2)), i);
  }
  return e.Return(result);
}

// With i = 2 * q + r along the dimension: operand r at the same index.
void indexing_analysis::read_rules::Zebra(ReadContext& context) {
  const auto dimension =
      static_cast<size_t>(context.instruction().Integers(hlo::AttributeName::kDimensions)[0]);
  const simplifier::Division half = DivMod(context.digits(), context.index()[dimension], 2);
  for (size_t operand = 0; operand < 2; ++operand) {
    Access access = context.Start();
    context.Constrain(access, half.remainder, Interval::Point(static_cast<int64_t>(operand)));
    context.Read(operand, 0, std::move(access), context.index());
  }
}

}  // namespace hlo_indexing
