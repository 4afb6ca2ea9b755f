#include "hlo/interpreter/evaluation.h"

#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::hlo {

SourceSet Evaluation::SourcesOfAll(const ArrayValue& array) {
  SourceSet all = kNoSources;
  if (!array.has_sources()) return all;
  for (int64_t i = 0; i < array.size(); ++i) all = Union(all, array.SourcesOf(i));
  return all;
}

const Shape& Evaluation::ResultShape(size_t i) const {
  const Shape& shape = instruction_.shape();
  return shape.IsTuple() ? *shape.elements()[i] : shape;
}

bool Evaluation::ReturnEach(std::vector<std::shared_ptr<ArrayValue>> arrays) {
  if (!instruction_.shape().IsTuple()) return Return(std::move(arrays.front()));
  std::vector<Value> elements;
  for (std::shared_ptr<ArrayValue>& array : arrays) elements.emplace_back(std::move(array));
  return Return(Value::Tuple(&instruction_.shape(), std::move(elements)));
}

int64_t GroupEvaluation::SlotOf(int64_t device) const {
  const auto* found = llvm::find(devices_, device);
  return found == devices_.end() ? -1 : found - devices_.begin();
}

bool AddSources(Session& session, const Instruction& instruction, SourceSet sources, Value& value) {
  if (session.sources() == nullptr || sources == kNoSources) return true;
  if (value.IsArray()) {
    std::shared_ptr<ArrayValue> array = session.NewArray(instruction, value.shape());
    if (array == nullptr) return false;
    for (int64_t i = 0; i < array->size(); ++i) {
      array->CopyFrom(i, value.array(), i);
      array->SetSources(i, session.sources()->Union(array->SourcesOf(i), sources));
    }
    array->CopyDimensionSizes(value.array());
    value = Value(std::move(array));
    return true;
  }
  std::vector<Value> elements(value.elements().begin(), value.elements().end());
  for (Value& element : elements) {
    if (!AddSources(session, instruction, sources, element)) return false;
  }
  if (!elements.empty()) value = Value::Tuple(&value.shape(), std::move(elements));
  return true;
}

bool AddSourcesOf(Session& session, const Instruction& instruction, const Value& other,
                  Value& value) {
  if (session.sources() == nullptr) return true;
  if (value.IsArray()) {
    std::shared_ptr<ArrayValue> array = session.NewArray(instruction, value.shape());
    if (array == nullptr) return false;
    for (int64_t i = 0; i < array->size(); ++i) {
      array->CopyFrom(i, value.array(), i);
      array->SetSources(i,
                        session.sources()->Union(array->SourcesOf(i), other.array().SourcesOf(i)));
    }
    array->CopyDimensionSizes(value.array());
    value = Value(std::move(array));
    return true;
  }
  std::vector<Value> elements(value.elements().begin(), value.elements().end());
  for (size_t i = 0; i < elements.size(); ++i) {
    if (!AddSourcesOf(session, instruction, other.elements()[i], elements[i])) return false;
  }
  if (!elements.empty()) value = Value::Tuple(&value.shape(), std::move(elements));
  return true;
}

}  // namespace hlo_indexing::hlo
