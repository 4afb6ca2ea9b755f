// Shapes of operations between devices.
#include "hlo/shape_inference.h"

namespace hlo_indexing::hlo::shape_rules {
namespace {

llvm::SmallVector<const Shape*, 4> OperandShapes(const ShapeRule& rule) {
  llvm::SmallVector<const Shape*, 4> shapes;
  for (size_t i = 0; i < rule.num_operands(); ++i) shapes.push_back(&rule.operand(i));
  return shapes;
}

// The one dimension that the operation works along, which every operand has.
std::optional<int64_t> RequireOneDimension(ShapeRule& rule) {
  const llvm::ArrayRef<int64_t> dimensions =
      rule.instruction().Integers(AttributeName::kDimensions);
  if (dimensions.size() != 1) {
    rule.FailAt(AttributeName::kDimensions,
                OpcodeName(rule.instruction().opcode()).str() + " needs exactly one dimension");
    return std::nullopt;
  }
  for (size_t i = 0; i < rule.num_operands(); ++i) {
    if (!rule.RequireDimensions(AttributeName::kDimensions, rule.operand(i).rank())) {
      return std::nullopt;
    }
  }
  return dimensions[0];
}

// Whether `whole` consists of copies of `part` side by side along the dimension, as many as there
// are devices in a group: that number is not always in the text, so any will do.
bool IsMultiple(const Shape& whole, const Shape& part, int64_t dimension) {
  if (!whole.IsArray() || !MayMix(whole.element_type(), part.element_type()) ||
      whole.rank() != part.rank()) {
    return false;
  }
  for (int64_t i = 0; i < whole.rank(); ++i) {
    const int64_t of_whole = whole.sizes()[static_cast<size_t>(i)];
    const int64_t of_part = part.sizes()[static_cast<size_t>(i)];
    if (SameSize(of_whole, of_part)) continue;
    if (i != dimension || of_part == 0 || of_whole < of_part || of_whole % of_part != 0) {
      return false;
    }
  }
  return true;
}

enum class Scaling : uint8_t { kGather, kScatter };

// Each result has a multiple, or a fraction, of the operand's size along the dimension.
bool RequireScaledResults(ShapeRule& rule, const Shape& given, Scaling scaling) {
  const std::optional<int64_t> dimension = RequireOneDimension(rule);
  if (!dimension) return false;
  llvm::SmallVector<const Shape*, 4> results = {&given};
  if (given.IsTuple()) results.assign(given.elements().begin(), given.elements().end());
  const std::string name = OpcodeName(rule.instruction().opcode()).str();
  if (results.size() != rule.num_operands()) {
    return rule.Fail(name + " of " + std::to_string(rule.num_operands()) +
                     " operands cannot give " + given.ToString());
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const Shape& operand = rule.operand(i);
    const bool fits = scaling == Scaling::kGather
                          ? IsMultiple(*results[i], operand, *dimension)
                          : results[i]->IsArray() && IsMultiple(operand, *results[i], *dimension);
    if (fits) continue;
    return rule.Fail(name + " of " + operand.ToString() + " along dimension " +
                     std::to_string(*dimension) + " cannot give " + results[i]->ToString());
  }
  return true;
}

// An asynchronous collective gives (operands, results, ...): its results, or null after an error.
const Shape* RequireStart(ShapeRule& rule, llvm::ArrayRef<const Shape*> operands) {
  const Shape* declared = rule.declared();
  const std::string name = OpcodeName(rule.instruction().opcode()).str();
  if (!declared->IsTuple() || declared->elements().size() < 2) {
    rule.Fail(name + " gives (operands, results, ...), not " + declared->ToString());
    return nullptr;
  }
  const Shape& first = *declared->elements()[0];
  const Shape* tuple = rule.pool().Tuple(operands);
  const bool is_one = operands.size() == 1 && ShapesAgree(first, *operands[0], TypeMatch::kSame);
  if (!is_one && tuple != nullptr && !ShapesAgree(first, *tuple, TypeMatch::kSame)) {
    rule.Fail(name + " gives operands " + first.ToString() + ", it has " +
              (operands.size() == 1 ? operands[0] : tuple)->ToString());
    return nullptr;
  }
  return declared->elements()[1];
}

// With slice_sizes, a permute writes slices of operand 0 into operand 1; operands 2 and 3 say
// where.
bool IsInPlacePermute(const ShapeRule& rule) {
  return rule.num_operands() == 4 && rule.instruction().Find(AttributeName::kSliceSizes) != nullptr;
}

}  // namespace

// The computation only says how to combine: operands of several types may share it.
bool AllReduce(ShapeRule& rule) { return rule.ExpectEach(OperandShapes(rule)); }

bool AllGather(ShapeRule& rule) {
  if (!rule.RequireArrays()) return false;
  const Shape* declared = rule.declared();
  return declared == nullptr || RequireScaledResults(rule, *declared, Scaling::kGather);
}

bool AllGatherStart(ShapeRule& rule) {
  if (!rule.RequireArrays()) return false;
  if (rule.declared() == nullptr) return true;
  const Shape* results = RequireStart(rule, OperandShapes(rule));
  return results != nullptr && RequireScaledResults(rule, *results, Scaling::kGather);
}

bool ReduceScatter(ShapeRule& rule) {
  if (!rule.RequireArrays()) return false;
  const Shape* declared = rule.declared();
  return declared == nullptr || RequireScaledResults(rule, *declared, Scaling::kScatter);
}

// With dimensions, one array that is split along it and put together again: its shape stays.
// Without, one array for each device of a group.
bool AllToAll(ShapeRule& rule) {
  if (!rule.RequireArrays()) return false;
  if (rule.instruction().Find(AttributeName::kDimensions) != nullptr &&
      !RequireOneDimension(rule)) {
    return false;
  }
  for (size_t i = 1; i < rule.num_operands(); ++i) {
    if (!rule.RequireSameDimensions(0, i) || !rule.RequireMixable(0, i)) return false;
  }
  return rule.ExpectEach(OperandShapes(rule));
}

bool CollectiveBroadcast(ShapeRule& rule) {
  llvm::SmallVector<const Shape*, 4> shapes = OperandShapes(rule);
  if (rule.instruction().Get<bool>(AttributeName::kHasDynamicRoot).value_or(false)) {
    // Any type: XLA's own test of the parser gives the root as f32[1].
    const Shape& root = *shapes.pop_back_val();
    if (shapes.empty() || !root.IsArray() || root.rank() > 1 || root.num_elements() != 1) {
      return rule.FailAt(AttributeName::kHasDynamicRoot,
                         "the last operand must be the root, one number, not " + root.ToString());
    }
  }
  return rule.ExpectEach(shapes);
}

bool CollectivePermute(ShapeRule& rule) {
  if (IsInPlacePermute(rule)) return rule.ExpectEach(&rule.operand(1));
  return rule.ExpectEach(OperandShapes(rule));
}

bool CollectivePermuteStart(ShapeRule& rule) {
  if (rule.declared() == nullptr) return true;
  llvm::SmallVector<const Shape*, 4> operands = OperandShapes(rule);
  llvm::SmallVector<const Shape*, 4> expected = operands;
  if (IsInPlacePermute(rule)) {
    expected = {operands[1]};
    operands = {operands[0]};
  }
  const Shape* results = RequireStart(rule, operands);
  if (results == nullptr) return false;
  const Shape* tuple = rule.pool().Tuple(expected);
  const bool is_one =
      expected.size() == 1 && ShapesAgree(*results, *expected[0], TypeMatch::kAnyPrecision);
  if (is_one || tuple == nullptr || ShapesAgree(*results, *tuple, TypeMatch::kAnyPrecision)) {
    return true;
  }
  return rule.Fail("collective-permute-start gives " + results->ToString() +
                   ", its operands give " +
                   (expected.size() == 1 ? expected[0] : tuple)->ToString());
}

}  // namespace hlo_indexing::hlo::shape_rules
