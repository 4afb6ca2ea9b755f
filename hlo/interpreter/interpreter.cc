#include "hlo/interpreter/interpreter.h"

#include "absl/strings/str_cat.h"
#include "hlo/interpreter/session.h"

namespace hlo_indexing::hlo {
namespace {

// Whether a value has the tuple structure, sizes and element types of a shape. Nothing fits an
// unbounded dimension: its size is not in the text, and what follows from it could not be checked.
bool Fits(const Value& value, const Shape& shape) {
  for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
    if (shape.ArrayLeaf(leaf).HasUnboundedDimension()) return false;
  }
  return Compatible(value.shape(), shape, ShapeAspects::kTypeAndDimensions);
}

absl::Status CheckArguments(llvm::ArrayRef<Arguments> arguments,
                            llvm::ArrayRef<const Shape*> shapes,
                            const InterpreterOptions& options) {
  if (options.num_replicas < 1 || options.num_partitions < 1 ||
      options.num_replicas > kMaxDevices || options.num_partitions > kMaxDevices ||
      options.num_devices() > kMaxDevices) {
    return absl::InvalidArgumentError(
        absl::StrCat("between 1 and ", kMaxDevices, " devices can be simulated"));
  }
  if (static_cast<int64_t>(arguments.size()) != options.num_devices()) {
    return absl::InvalidArgumentError(absl::StrCat("arguments are given for ", arguments.size(),
                                                   " devices, there are ", options.num_devices()));
  }
  for (const Arguments& of_device : arguments) {
    if (of_device.size() != shapes.size()) {
      return absl::InvalidArgumentError(
          absl::StrCat(shapes.size(), " arguments are needed, ", of_device.size(), " are given"));
    }
    for (size_t i = 0; i < shapes.size(); ++i) {
      if (Fits(of_device[i], *shapes[i])) continue;
      return absl::InvalidArgumentError(absl::StrCat("argument ", i, " must be ",
                                                     shapes[i]->ToString(), ", not ",
                                                     of_device[i].shape().ToString()));
    }
  }
  return absl::OkStatus();
}

llvm::SmallVector<const Shape*, 8> ShapesOf(llvm::ArrayRef<const Instruction*> instructions) {
  llvm::SmallVector<const Shape*, 8> shapes;
  for (const Instruction* instruction : instructions) shapes.push_back(&instruction->shape());
  return shapes;
}

llvm::SmallVector<int64_t, 8> AllDevices(const InterpreterOptions& options) {
  llvm::SmallVector<int64_t, 8> devices;
  for (int64_t i = 0; i < options.num_devices(); ++i) devices.push_back(i);
  return devices;
}

// The value with each element its own source.
Value WithOwnSources(const Value& value, Source next, int64_t& leaf, SourceSets& sets) {
  if (value.IsArray()) {
    auto traced = std::make_shared<ArrayValue>(&value.shape());
    next.leaf = leaf++;
    for (int64_t i = 0; i < traced->size(); ++i) {
      traced->CopyFrom(i, value.array(), i);
      next.element = i;
      traced->SetSources(i, sets.Single(next));
    }
    traced->CopyDimensionSizes(value.array());
    return Value(std::move(traced));
  }
  if (value.elements().empty()) return value;
  std::vector<Value> elements;
  for (const Value& element : value.elements()) {
    elements.push_back(WithOwnSources(element, next, leaf, sets));
  }
  return Value::Tuple(&value.shape(), std::move(elements));
}

std::vector<Arguments> WithOwnSourcesEach(llvm::ArrayRef<Arguments> arguments, SourceSets& sets) {
  std::vector<Arguments> traced(arguments.size());
  for (size_t device = 0; device < arguments.size(); ++device) {
    for (size_t i = 0; i < arguments[device].size(); ++i) {
      const Source first = {static_cast<int32_t>(device), static_cast<int32_t>(i)};
      int64_t leaf = 0;
      traced[device].push_back(WithOwnSources(arguments[device][i], first, leaf, sets));
    }
  }
  return traced;
}

// The value with the layouts of the shape: instructions hand on arrays of others.
Value InLayoutsOf(const Shape& shape, const Value& value) {
  if (value.IsArray()) {
    const bool is_same = &value.shape() == &shape || value.shape().layout() == shape.layout();
    if (is_same || !Fits(value, shape)) return value;
    auto array = std::make_shared<ArrayValue>(&shape);
    llvm::copy(value.array().bytes(), array->mutable_bytes().begin());
    array->CopyDimensionSizes(value.array());
    return Value(std::move(array));
  }
  if (!shape.IsTuple() || shape.elements().size() != value.elements().size()) return value;
  std::vector<Value> elements;
  for (size_t i = 0; i < value.elements().size(); ++i) {
    elements.push_back(InLayoutsOf(*shape.elements()[i], value.elements()[i]));
  }
  return Value::Tuple(&shape, std::move(elements));
}

// A node of a set takes eight bytes and during Members a number.
int64_t MaxNodes(const InterpreterOptions& options) { return options.max_bytes / 16; }

}  // namespace

absl::StatusOr<std::vector<Value>> EvaluateOnDevices(const Computation& computation,
                                                     llvm::ArrayRef<Arguments> arguments,
                                                     const InterpreterOptions& options) {
  absl::Status status = CheckArguments(arguments, ShapesOf(computation.parameters()), options);
  if (!status.ok()) return status;
  Session session(computation.parent(), options, /*sources=*/nullptr);
  std::vector<Value> results;
  if (!session.RunComputation(computation.root(), computation, AllDevices(options), arguments,
                              results)) {
    return session.status();
  }
  for (Value& result : results) result = InLayoutsOf(computation.root().shape(), result);
  return results;
}

absl::StatusOr<Value> Evaluate(const Computation& computation, llvm::ArrayRef<Value> arguments,
                               const InterpreterOptions& options) {
  absl::StatusOr<std::vector<Value>> results =
      EvaluateOnDevices(computation, Arguments(arguments), options);
  if (!results.ok()) return results.status();
  return results->front();
}

absl::StatusOr<Value> EvaluateInstruction(const Instruction& instruction,
                                          llvm::ArrayRef<Value> arguments,
                                          const InterpreterOptions& options) {
  Session session(instruction.parent().parent(), options, /*sources=*/nullptr);
  Value result;
  if (!session.RunUpTo(instruction, arguments, result)) return session.status();
  return result;
}

std::vector<Source> Provenance::Reads(int64_t leaf, int64_t element, int64_t device) const {
  const std::vector<const ArrayValue*> leaves = result(device).ArrayLeaves();
  return sets_->Members(leaves[static_cast<size_t>(leaf)]->SourcesOf(element));
}

absl::StatusOr<Provenance> TraceReads(const Computation& computation,
                                      llvm::ArrayRef<Arguments> arguments,
                                      const InterpreterOptions& options) {
  absl::Status status = CheckArguments(arguments, ShapesOf(computation.parameters()), options);
  if (!status.ok()) return status;
  auto sets = std::make_unique<SourceSets>(MaxNodes(options));
  Session session(computation.parent(), options, sets.get());
  std::vector<Value> results;
  if (!session.RunComputation(computation.root(), computation, AllDevices(options),
                              WithOwnSourcesEach(arguments, *sets), results)) {
    return session.status();
  }
  return Provenance(std::move(results), std::move(sets));
}

absl::StatusOr<Provenance> TraceReads(const Instruction& instruction,
                                      llvm::ArrayRef<Arguments> operands,
                                      const InterpreterOptions& options) {
  absl::Status status = CheckArguments(operands, ShapesOf(instruction.operands()), options);
  if (!status.ok()) return status;
  auto sets = std::make_unique<SourceSets>(MaxNodes(options));
  Session session(instruction.parent().parent(), options, sets.get());
  std::vector<Value> results;
  if (!session.RunInstruction(instruction, AllDevices(options), WithOwnSourcesEach(operands, *sets),
                              results)) {
    return session.status();
  }
  return Provenance(std::move(results), std::move(sets));
}

}  // namespace hlo_indexing::hlo
