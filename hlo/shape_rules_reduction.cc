// Shapes of operations that combine elements by a computation: reductions and sorts.
#include "hlo/shape_inference.h"
#include "support/checked_math.h"

namespace hlo_indexing::hlo::shape_rules {
namespace {

// The number of places where the window fits; nothing on overflow.
std::optional<int64_t> WindowCount(int64_t size, const WindowDimension& window) {
  const auto dilate = [](int64_t extent, int64_t dilation) -> std::optional<int64_t> {
    if (extent == 0) return 0;
    const auto gaps = support::CheckedMul(extent - 1, dilation);
    return gaps ? support::CheckedAdd(*gaps, 1) : std::nullopt;
  };
  const auto base = dilate(size, window.base_dilation);
  const auto low = base ? support::CheckedAdd(*base, window.padding_low) : std::nullopt;
  const auto padded = low ? support::CheckedAdd(*low, window.padding_high) : std::nullopt;
  const auto extent = dilate(window.size, window.window_dilation);
  if (!padded || !extent) return std::nullopt;
  if (*padded < *extent || *padded <= 0) return 0;
  return (*padded - *extent) / window.stride + 1;
}

bool RequirePositive(ShapeRule& rule, const WindowDimension& window, size_t dimension) {
  const std::pair<llvm::StringRef, int64_t> fields[] = {{"size", window.size},
                                                        {"stride", window.stride},
                                                        {"lhs_dilate", window.base_dilation},
                                                        {"rhs_dilate", window.window_dilation}};
  for (const auto& [name, value] : fields) {
    if (value > 0) continue;
    return rule.FailAt(AttributeName::kWindow,
                       name.str() + " of window dimension " + std::to_string(dimension) +
                           " must be positive, not " + std::to_string(value));
  }
  return true;
}

// n arrays and n initial values.
bool RequireArraysAndInits(ShapeRule& rule) {
  if (rule.num_operands() % 2 == 0) return rule.RequireArrays();
  return rule.Fail(OpcodeName(rule.instruction().opcode()).str() +
                   " takes n arrays and n initial values, not " +
                   std::to_string(rule.num_operands()) + " operands");
}

// The arrays have the same dimensions, the initial values none, and a computation combines two
// times n values of their types.
bool RequireReduction(ShapeRule& rule) {
  if (!RequireArraysAndInits(rule)) return false;
  const size_t count = rule.num_operands() / 2;
  llvm::SmallVector<ElementType, 4> types;
  for (size_t i = 0; i < count; ++i) {
    if (!rule.RequireSameDimensions(0, i) || !rule.RequireScalar(count + i, "an initial value") ||
        !rule.RequireMixable(i, count + i)) {
      return false;
    }
    types.push_back(rule.operand(i).element_type());
  }
  return rule.RequireReducer(AttributeName::kToApply, types);
}

// A result of these sizes for each of the arrays.
bool ExpectReduced(ShapeRule& rule, llvm::ArrayRef<int64_t> sizes) {
  llvm::SmallVector<const Shape*, 4> shapes;
  for (size_t i = 0; i < rule.num_operands() / 2; ++i) {
    shapes.push_back(rule.pool().Array(rule.operand(i).element_type(), sizes));
  }
  return rule.ExpectEach(shapes);
}

// Whether a reduce combines whole results instead of their elements: one initial value and a
// computation, both of the result's shape. XLA itself wants scalars, but a module among its tests,
// written for MHLO, has this form.
bool CombinesWholeResults(ShapeRule& rule, llvm::ArrayRef<int64_t> sizes) {
  const Computation* callee = rule.instruction().Callee(AttributeName::kToApply);
  if (sizes.empty() || rule.num_operands() != 2 || callee == nullptr) return false;
  const Shape* result = rule.pool().Array(rule.operand(0).element_type(), sizes);
  const auto is_like_result = [&](const Shape& shape) {
    return result != nullptr && ShapesAgree(shape, *result, TypeMatch::kAnyPrecision);
  };
  return is_like_result(rule.operand(1)) && is_like_result(callee->root().shape()) &&
         callee->parameters().size() == 2 && is_like_result(callee->parameters()[0]->shape()) &&
         is_like_result(callee->parameters()[1]->shape());
}

}  // namespace

llvm::ArrayRef<WindowDimension> WindowOf(const Instruction& instruction) {
  return instruction.Get<llvm::ArrayRef<WindowDimension>>(AttributeName::kWindow)
      .value_or(llvm::ArrayRef<WindowDimension>());
}

bool AppendWindowedSizes(ShapeRule& rule, llvm::ArrayRef<int64_t> sizes, Sizes& windowed) {
  const llvm::ArrayRef<WindowDimension> window = WindowOf(rule.instruction());
  if (window.size() != sizes.size()) {
    return rule.FailAt(AttributeName::kWindow, "the window has " + std::to_string(window.size()) +
                                                   " dimensions, it moves over " +
                                                   std::to_string(sizes.size()));
  }
  for (size_t i = 0; i < window.size(); ++i) {
    if (!RequirePositive(rule, window[i], i)) return false;
    if (sizes[i] == kUnboundedSize) {
      windowed.push_back(kUnboundedSize);
      continue;
    }
    const std::optional<int64_t> count = WindowCount(sizes[i], window[i]);
    if (!count) return rule.FailAt(AttributeName::kWindow, "the window does not fit in 64 bits");
    windowed.push_back(*count);
  }
  return true;
}

bool Reduce(ShapeRule& rule) {
  if (!RequireArraysAndInits(rule)) return false;
  const Shape& operand = rule.operand(0);
  if (!rule.RequireDimensions(AttributeName::kDimensions, operand.rank())) return false;
  const llvm::ArrayRef<int64_t> reduced = rule.instruction().Integers(AttributeName::kDimensions);
  Sizes sizes;
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (llvm::is_contained(reduced, i)) continue;
    sizes.push_back(operand.sizes()[static_cast<size_t>(i)]);
  }
  if (!CombinesWholeResults(rule, sizes) && !RequireReduction(rule)) return false;
  return ExpectReduced(rule, sizes);
}

bool ReduceWindow(ShapeRule& rule) {
  Sizes sizes;
  return RequireReduction(rule) && AppendWindowedSizes(rule, rule.operand(0).sizes(), sizes) &&
         ExpectReduced(rule, sizes);
}

// (operand, source, initial value): each window of the operand selects where a source element goes.
bool SelectAndScatter(ShapeRule& rule) {
  if (!rule.RequireArrays()) return false;
  const Shape& operand = rule.operand(0);
  const Shape& source = rule.operand(1);
  const ElementType type = operand.element_type();
  if (!rule.RequireScalar(2, "the initial value") || !rule.RequireMixable(0, 1) ||
      !rule.RequireMixable(0, 2) ||
      !rule.RequireScalarFunction(AttributeName::kSelect, {type, type}, ElementType::kPred) ||
      !rule.RequireReducer(AttributeName::kScatter, source.element_type())) {
    return false;
  }
  Sizes sizes;
  if (!AppendWindowedSizes(rule, operand.sizes(), sizes)) return false;
  const Shape* windowed = rule.pool().Array(source.element_type(), sizes);
  if (windowed == nullptr) return rule.Expect(nullptr);
  if (!ShapesAgree(*windowed, source, TypeMatch::kSame)) {
    return rule.Fail("the window fits into " + operand.ToString() + " as " + windowed->ToString() +
                     ", the source is " + source.ToString());
  }
  return rule.ExpectLike(type, operand);
}

bool Sort(ShapeRule& rule) {
  if (!rule.RequireArrays()) return false;
  if (!rule.RequireDimensions(AttributeName::kDimensions, rule.operand(0).rank())) return false;
  if (rule.instruction().Integers(AttributeName::kDimensions).size() != 1) {
    return rule.FailAt(AttributeName::kDimensions, "sort needs exactly one dimension");
  }
  llvm::SmallVector<ElementType, 8> compared;
  llvm::SmallVector<const Shape*, 4> shapes;
  for (size_t i = 0; i < rule.num_operands(); ++i) {
    if (!rule.RequireSameDimensions(0, i)) return false;
    compared.append(2, rule.operand(i).element_type());
    shapes.push_back(&rule.operand(i));
  }
  return rule.RequireScalarFunction(AttributeName::kToApply, compared, ElementType::kPred) &&
         rule.ExpectEach(shapes);
}

}  // namespace hlo_indexing::hlo::shape_rules
