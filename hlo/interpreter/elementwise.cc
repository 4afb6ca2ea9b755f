// Elementwise operations and map. A scalar among arrays counts for every element.
#include "hlo/interpreter/element_operation.h"
#include "hlo/interpreter/evaluation.h"
#include "hlo/interpreter/opcode_table.h"
#include "hlo/interpreter/scalar_function.h"

namespace hlo_indexing::hlo::evaluate {
namespace {

// Position i of an operand for element i of the result: 0 throughout for a scalar among arrays.
struct OperandReader {
  const ArrayValue* array;
  bool is_scalar;

  Element Get(int64_t i) const { return array->Get(is_scalar ? 0 : i); }
};

llvm::SmallVector<OperandReader, 4> Readers(Evaluation& e, const ArrayValue& result) {
  llvm::SmallVector<OperandReader, 4> readers;
  for (size_t i = 0; i < e.num_operands(); ++i) {
    readers.push_back({&e.array(i), e.array(i).shape().IsScalar() && !result.shape().IsScalar()});
  }
  return readers;
}

// A dynamic dimension of the result is filled as far as that of the operands.
void CopyDimensionSizes(Evaluation& e, ArrayValue& result) {
  for (size_t i = 0; i < e.num_operands(); ++i) {
    if (!e.array(i).IsPartlyFilled() || e.array(i).shape().IsScalar()) continue;
    return result.CopyDimensionSizes(e.array(i));
  }
}

// select between whole tuples or tokens by one predicate, which every element reads.
bool SelectWhole(Evaluation& e) {
  const bool is_first = e.array(0).Integer(0) != 0;
  Value value = e.operand(is_first ? 1 : 2);
  const Value& other = e.operand(is_first ? 2 : 1);
  return AddSourcesOf(e.session(), e.instruction(), other, value) &&
         AddSources(e.session(), e.instruction(), e.array(0).SourcesOf(0), value) &&
         e.Return(std::move(value));
}

}  // namespace

bool Elementwise(Evaluation& e) {
  if (!e.instruction().shape().IsArray() && e.instruction().opcode() == Opcode::kSelect) {
    return SelectWhole(e);
  }
  std::string error;
  const auto operation = ElementOperation::Make(e.instruction(), error);
  if (!operation) return e.Fail(error);
  const std::shared_ptr<ArrayValue> result = e.NewResult();
  if (result == nullptr) return false;
  const llvm::SmallVector<OperandReader, 4> readers = Readers(e, *result);
  llvm::SmallVector<Element, 4> operands(readers.size());
  for (int64_t i = 0; i < result->size(); ++i) {
    for (size_t k = 0; k < readers.size(); ++k) operands[k] = readers[k].Get(i);
    result->Set(i, operation->Apply(operands, e.session().sources()));
  }
  CopyDimensionSizes(e, *result);
  return e.Return(result);
}

bool Map(Evaluation& e) {
  const std::shared_ptr<ArrayValue> result = e.NewResult();
  if (result == nullptr) return false;
  const ScalarFunction& function =
      e.session().FunctionOf(*e.instruction().Callee(AttributeName::kToApply));
  const llvm::SmallVector<OperandReader, 4> readers = Readers(e, *result);
  llvm::SmallVector<Element, 4> operands(readers.size());
  for (int64_t i = 0; i < result->size(); ++i) {
    for (size_t k = 0; k < readers.size(); ++k) operands[k] = readers[k].Get(i);
    Element element;
    if (!function.Apply(e.instruction(), e.device(), operands, element)) return false;
    result->Set(i, element);
  }
  CopyDimensionSizes(e, *result);
  return e.Return(result);
}

}  // namespace hlo_indexing::hlo::evaluate
