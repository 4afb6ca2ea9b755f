// Shapes of operations that combine elements by a computation: reductions and sorts.
#include "hlo/shape_inference/rule_table.h"
#include "support/checked_math.h"

namespace hlo_indexing::hlo::shape_rules {
namespace {

// The number of positions at which the window fits; nullopt on overflow.
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

bool RequirePositive(ShapeContext& context, const WindowDimension& window, size_t dimension) {
  const std::pair<llvm::StringRef, int64_t> fields[] = {{"size", window.size},
                                                        {"stride", window.stride},
                                                        {"lhs_dilate", window.base_dilation},
                                                        {"rhs_dilate", window.window_dilation}};
  for (const auto& [name, value] : fields) {
    if (value > 0) continue;
    return context.FailAt(AttributeName::kWindow,
                          name.str() + " of window dimension " + std::to_string(dimension) +
                              " must be positive, not " + std::to_string(value));
  }
  return true;
}

// n arrays and n initial values.
bool RequireArraysAndInits(ShapeContext& context) {
  if (context.num_operands() % 2 == 0) return context.RequireArrays();
  return context.Fail(OpcodeName(context.instruction().opcode()).str() +
                      " takes n arrays and n initial values, not " +
                      std::to_string(context.num_operands()) + " operands");
}

// The arrays have the same dimensions, the initial values none, and a computation combines two
// times n values of their types.
bool RequireReduction(ShapeContext& context) {
  if (!RequireArraysAndInits(context)) return false;
  const size_t count = context.num_operands() / 2;
  llvm::SmallVector<ElementType, 4> types;
  for (size_t i = 0; i < count; ++i) {
    if (!context.RequireSameDimensions(0, i) ||
        !context.RequireScalar(count + i, "an initial value") ||
        !context.RequireMixable(i, count + i)) {
      return false;
    }
    types.push_back(context.operand(i).element_type());
  }
  return context.RequireReducer(AttributeName::kToApply, types);
}

// A result of these sizes for each of the arrays.
bool ExpectReduced(ShapeContext& context, llvm::ArrayRef<int64_t> sizes) {
  llvm::SmallVector<const Shape*, 4> shapes;
  for (size_t i = 0; i < context.num_operands() / 2; ++i) {
    shapes.push_back(context.pool().Array(context.operand(i).element_type(), sizes));
  }
  return context.ExpectEach(shapes);
}

// Whether a reduce combines whole results instead of their elements: one initial value and a
// computation, both of the result's shape. XLA itself wants scalars, but a module among its tests,
// written for MHLO, has this form.
bool CombinesWholeResults(ShapeContext& context, llvm::ArrayRef<int64_t> sizes) {
  const Computation* callee = context.instruction().Callee(AttributeName::kToApply);
  if (sizes.empty() || context.num_operands() != 2 || callee == nullptr) return false;
  const Shape* result = context.pool().Array(context.operand(0).element_type(), sizes);
  const auto is_like_result = [&](const Shape& shape) {
    return result != nullptr && ShapesAgree(shape, *result, TypeMatch::kSame);
  };
  return is_like_result(context.operand(1)) && is_like_result(callee->root().shape()) &&
         callee->parameters().size() == 2 && is_like_result(callee->parameters()[0]->shape()) &&
         is_like_result(callee->parameters()[1]->shape());
}

}  // namespace

llvm::ArrayRef<WindowDimension> WindowOf(const Instruction& instruction) {
  return instruction.Get<llvm::ArrayRef<WindowDimension>>(AttributeName::kWindow)
      .value_or(llvm::ArrayRef<WindowDimension>());
}

bool AppendWindowedSizes(ShapeContext& context, llvm::ArrayRef<int64_t> sizes, Sizes& windowed) {
  const llvm::ArrayRef<WindowDimension> window = WindowOf(context.instruction());
  if (window.size() != sizes.size()) {
    return context.FailAt(AttributeName::kWindow,
                          "the window has " + std::to_string(window.size()) +
                              " dimensions, it moves over " + std::to_string(sizes.size()));
  }
  for (size_t i = 0; i < window.size(); ++i) {
    if (!RequirePositive(context, window[i], i)) return false;
    if (sizes[i] == kUnboundedSize) {
      windowed.push_back(kUnboundedSize);
      continue;
    }
    const std::optional<int64_t> count = WindowCount(sizes[i], window[i]);
    if (!count) return context.FailAt(AttributeName::kWindow, "the window does not fit in 64 bits");
    windowed.push_back(*count);
  }
  return true;
}

bool Reduce(ShapeContext& context) {
  if (!RequireArraysAndInits(context)) return false;
  const Shape& operand = context.operand(0);
  if (!context.RequireDimensions(AttributeName::kDimensions, operand.rank())) return false;
  const llvm::ArrayRef<int64_t> reduced =
      context.instruction().Integers(AttributeName::kDimensions);
  Sizes sizes;
  for (int64_t i = 0; i < operand.rank(); ++i) {
    if (llvm::is_contained(reduced, i)) continue;
    sizes.push_back(operand.sizes()[static_cast<size_t>(i)]);
  }
  if (CombinesWholeResults(context, sizes)) {
    return context.ExpectArray(operand.element_type(), sizes, TypeMatch::kSame);
  }
  return RequireReduction(context) && ExpectReduced(context, sizes);
}

bool ReduceWindow(ShapeContext& context) {
  Sizes sizes;
  return RequireReduction(context) &&
         AppendWindowedSizes(context, context.operand(0).sizes(), sizes) &&
         ExpectReduced(context, sizes);
}

// (operand, source, initial value): each window of the operand selects where a source element goes.
bool SelectAndScatter(ShapeContext& context) {
  if (!context.RequireArrays()) return false;
  const Shape& operand = context.operand(0);
  const Shape& source = context.operand(1);
  const ElementType type = operand.element_type();
  if (!context.RequireScalar(2, "the initial value") || !context.RequireMixable(0, 1) ||
      !context.RequireMixable(0, 2) ||
      !context.RequireScalarFunction(AttributeName::kSelect, {type, type}, ElementType::kPred) ||
      !context.RequireReducer(AttributeName::kScatter, source.element_type())) {
    return false;
  }
  Sizes sizes;
  if (!AppendWindowedSizes(context, operand.sizes(), sizes)) return false;
  const Shape* windowed = context.pool().Array(source.element_type(), sizes);
  if (windowed == nullptr) return context.Expect(nullptr);
  if (!ShapesAgree(*windowed, source, TypeMatch::kSame)) {
    return context.Fail("the window fits into " + operand.ToString() + " as " +
                        windowed->ToString() + ", the source is " + source.ToString());
  }
  return context.ExpectLike(type, operand);
}

namespace {

// Whether an array has slices of this shape along a dimension, as many as `length` says.
bool HasSlices(const Shape& array, const Shape& slice, int64_t dimension, int64_t length) {
  if (!array.IsArray() || !slice.IsArray() || dimension >= array.rank() ||
      array.rank() != slice.rank() + 1 || !MayMix(array.element_type(), slice.element_type()) ||
      !SameSize(array.sizes()[static_cast<size_t>(dimension)], length)) {
    return false;
  }
  Sizes sizes(array.sizes().begin(), array.sizes().end());
  sizes.erase(sizes.begin() + dimension);
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (!SameSize(sizes[i], slice.sizes()[i])) return false;
  }
  return true;
}

llvm::SmallVector<const Shape*, 4> ResultsIn(const Shape& shape) {
  if (!shape.IsTuple()) return {&shape};
  return {shape.elements().begin(), shape.elements().end()};
}

}  // namespace

// n arrays, then the carries: the computation takes a slice of each array and the carries, and
// gives a slice of each output and the new carries.
bool Scan(ShapeContext& context) {
  const Instruction& scan = context.instruction();
  const Shape* declared = context.declared();
  if (!context.RequireArrays() || declared == nullptr) return declared == nullptr;
  const size_t operands = context.num_operands();
  const llvm::SmallVector<const Shape*, 4> results = ResultsIn(*declared);
  const int64_t carries = scan.Get<int64_t>(AttributeName::kNumCarries).value_or(0);
  if (carries < 0 || carries >= static_cast<int64_t>(operands) ||
      carries > static_cast<int64_t>(results.size())) {
    return context.FailAt(AttributeName::kNumCarries, "scan of " + std::to_string(operands) +
                                                          " operands to " + declared->ToString() +
                                                          " cannot have " +
                                                          std::to_string(carries) + " carries");
  }
  if (!context.RequireOneDimension(context.operand(0).rank()) ||
      !context.RequireParameters(AttributeName::kToApply, operands)) {
    return false;
  }
  const Computation& callee = *scan.Callee(AttributeName::kToApply);
  const int64_t dimension = scan.Integers(AttributeName::kDimensions)[0];
  const int64_t length = context.operand(0).sizes()[static_cast<size_t>(dimension)];
  const auto fits = [&](const Shape& whole, const Shape& part, bool is_carry) {
    return is_carry ? whole.IsArray() && ShapesAgree(whole, part, TypeMatch::kAnyPrecision)
                    : HasSlices(whole, part, dimension, length);
  };
  for (size_t i = 0; i < operands; ++i) {
    const Shape& parameter = callee.parameters()[i]->shape();
    const bool is_carry = i + static_cast<size_t>(carries) >= operands;
    if (fits(context.operand(i), parameter, is_carry)) continue;
    return context.FailAt(AttributeName::kToApply,
                          "parameter " + std::to_string(i) + " of computation '" +
                              callee.name().str() + "' has shape " + parameter.ToString() +
                              (is_carry ? ", the carry has " : ", no slice along dimension ") +
                              (is_carry ? "" : std::to_string(dimension) + " of ") +
                              context.operand(i).ToString());
  }
  const llvm::SmallVector<const Shape*, 4> given = ResultsIn(callee.root().shape());
  bool all_fit = given.size() == results.size();
  for (size_t i = 0; all_fit && i < results.size(); ++i) {
    all_fit = fits(*results[i], *given[i], i + static_cast<size_t>(carries) >= results.size());
  }
  if (all_fit) return true;
  return context.FailAt(AttributeName::kToApply, "computation '" + callee.name().str() +
                                                     "' gives " + callee.root().shape().ToString() +
                                                     ", from which " + std::to_string(carries) +
                                                     " carries and the slices of outputs do not "
                                                     "make " +
                                                     declared->ToString());
}

bool Sort(ShapeContext& context) {
  if (!context.RequireArrays()) return false;
  if (!context.RequireOneDimension(context.operand(0).rank())) return false;
  llvm::SmallVector<ElementType, 8> compared;
  llvm::SmallVector<const Shape*, 4> shapes;
  for (size_t i = 0; i < context.num_operands(); ++i) {
    if (!context.RequireSameDimensions(0, i)) return false;
    compared.append(2, context.operand(i).element_type());
    shapes.push_back(&context.operand(i));
  }
  return context.RequireScalarFunction(AttributeName::kToApply, compared, ElementType::kPred) &&
         context.ExpectEach(shapes);
}

}  // namespace hlo_indexing::hlo::shape_rules
