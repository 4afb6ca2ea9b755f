// Shapes of operations that combine many elements into one: dot, convolution, reductions, sorts.
#include <algorithm>

#include "hlo/shape_inference.h"
#include "support/checked_math.h"

namespace hlo_indexing::hlo::shape_rules {
namespace {

using Sizes = llvm::SmallVector<int64_t, 6>;

bool SameSize(int64_t a, int64_t b) { return a == b || a == kUnboundedSize || b == kUnboundedSize; }

// A result for each of `count` arrays: the arrays with these sizes and the operands' types, as a
// tuple where there are several. Reducers may return another precision, and one result may stand in
// a tuple.
bool ExpectResults(ShapeRule& rule, size_t count, llvm::ArrayRef<int64_t> sizes) {
  const Shape* declared = rule.declared();
  const bool in_tuple = count > 1 || (declared != nullptr && declared->IsTuple());
  if (!in_tuple) {
    return rule.ExpectArray(rule.operand(0).element_type(), sizes, ShapeAspects::kDimensions);
  }
  llvm::SmallVector<const Shape*, 4> shapes;
  for (size_t i = 0; i < count; ++i) {
    shapes.push_back(rule.pool().Array(rule.operand(i).element_type(), sizes));
    if (shapes.back() == nullptr) return rule.Expect(nullptr);
  }
  return rule.Expect(rule.pool().Tuple(shapes), ShapeAspects::kDimensions);
}

// n arrays of the same dimensions followed by n initial values.
bool RequireArraysAndInits(ShapeRule& rule) {
  if (!rule.RequireArrays()) return false;
  const size_t count = rule.num_operands() / 2;
  if (rule.num_operands() % 2 != 0) {
    return rule.Fail(OpcodeName(rule.instruction().opcode()).str() +
                     " takes n arrays and n initial values, not " +
                     std::to_string(rule.num_operands()) + " operands");
  }
  for (size_t i = 1; i < count; ++i) {
    if (Compatible(rule.operand(0), rule.operand(i), ShapeAspects::kDimensions)) continue;
    return rule.Fail("operands 0 and " + std::to_string(i) + " of " +
                     OpcodeName(rule.instruction().opcode()).str() +
                     " must have the same dimensions, not " + rule.operand(0).ToString() + " and " +
                     rule.operand(i).ToString());
  }
  return rule.RequireParameters(AttributeName::kToApply, 2 * count);
}

// The pairs of batch or contracting dimensions of a dot.
bool RequirePairs(ShapeRule& rule, AttributeName lhs_name, AttributeName rhs_name) {
  const llvm::ArrayRef<int64_t> lhs = rule.instruction().Integers(lhs_name);
  const llvm::ArrayRef<int64_t> rhs = rule.instruction().Integers(rhs_name);
  if (!rule.RequireDimensions(lhs_name, rule.operand(0).rank()) ||
      !rule.RequireDimensions(rhs_name, rule.operand(1).rank())) {
    return false;
  }
  if (lhs.size() != rhs.size()) {
    return rule.FailAt(rhs_name, AttributeText(lhs_name).str() + " and " +
                                     AttributeText(rhs_name).str() +
                                     " must have the same number of entries");
  }
  for (size_t i = 0; i < lhs.size(); ++i) {
    const int64_t a = rule.operand(0).sizes()[static_cast<size_t>(lhs[i])];
    const int64_t b = rule.operand(1).sizes()[static_cast<size_t>(rhs[i])];
    if (SameSize(a, b)) continue;
    return rule.FailAt(lhs_name, "dimension " + std::to_string(lhs[i]) + " of " +
                                     rule.operand(0).ToString() + " and dimension " +
                                     std::to_string(rhs[i]) + " of " + rule.operand(1).ToString() +
                                     " must have the same size");
  }
  return true;
}

void AppendFreeDimensions(const Shape& shape, llvm::ArrayRef<int64_t> batch,
                          llvm::ArrayRef<int64_t> contracting, Sizes& sizes) {
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (llvm::is_contained(batch, i) || llvm::is_contained(contracting, i)) continue;
    sizes.push_back(shape.sizes()[static_cast<size_t>(i)]);
  }
}

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

}  // namespace

bool Dot(ShapeRule& rule) {
  if (!rule.RequireArrays()) return false;
  const Instruction& dot = rule.instruction();
  if (!RequirePairs(rule, AttributeName::kLhsBatchDims, AttributeName::kRhsBatchDims)) return false;
  // A sparse operand is stored shorter along the contracting dimension.
  const bool is_sparse = dot.Find(AttributeName::kSparsity) != nullptr;
  if (!is_sparse &&
      !RequirePairs(rule, AttributeName::kLhsContractingDims, AttributeName::kRhsContractingDims)) {
    return false;
  }
  const llvm::ArrayRef<int64_t> lhs_batch = dot.Integers(AttributeName::kLhsBatchDims);
  Sizes sizes;
  for (const int64_t dimension : lhs_batch) {
    sizes.push_back(rule.operand(0).sizes()[static_cast<size_t>(dimension)]);
  }
  AppendFreeDimensions(rule.operand(0), lhs_batch, dot.Integers(AttributeName::kLhsContractingDims),
                       sizes);
  AppendFreeDimensions(rule.operand(1), dot.Integers(AttributeName::kRhsBatchDims),
                       dot.Integers(AttributeName::kRhsContractingDims), sizes);
  return rule.ExpectArray(rule.operand(0).element_type(), sizes, ShapeAspects::kDimensions);
}

bool Convolution(ShapeRule& rule) {
  if (!rule.RequireArrays()) return false;
  const Instruction& convolution = rule.instruction();
  const auto labels = convolution.Required<const ConvolutionDimensions*>(AttributeName::kDimLabels);
  const auto window = convolution.Get<llvm::ArrayRef<WindowDimension>>(AttributeName::kWindow)
                          .value_or(llvm::ArrayRef<WindowDimension>());
  const Shape& input = rule.operand(0);
  const Shape& kernel = rule.operand(1);
  const int64_t spatial = labels->num_spatial();
  if (static_cast<int64_t>(labels->input.size()) != input.rank() ||
      static_cast<int64_t>(labels->kernel.size()) != kernel.rank() ||
      static_cast<int64_t>(window.size()) != spatial) {
    return rule.FailAt(AttributeName::kDimLabels,
                       "dim_labels and window must have the ranks of the operands");
  }
  const auto size_of = [](const Shape& shape, llvm::StringRef dims, char label) {
    const int64_t position = ConvolutionDimensions::Find(dims, label);
    return position < 0 ? int64_t{1} : shape.sizes()[static_cast<size_t>(position)];
  };
  const int64_t batch_groups =
      std::max<int64_t>(convolution.Get<int64_t>(AttributeName::kBatchGroupCount).value_or(1), 1);
  Sizes sizes;
  for (const char label : labels->output) {
    if (label == 'b') {
      const int64_t batch = size_of(input, labels->input, 'b');
      sizes.push_back(batch == kUnboundedSize ? batch : batch / batch_groups);
    } else if (label == 'f') {
      sizes.push_back(size_of(kernel, labels->kernel, 'o'));
    } else if (label == '?') {
      sizes.push_back(1);
    } else {
      const size_t dimension = static_cast<size_t>(label - '0');
      const int64_t size = size_of(input, labels->input, label);
      if (dimension >= window.size()) {
        return rule.FailAt(AttributeName::kDimLabels, "spatial dimensions must be numbered from 0");
      }
      const auto count = size == kUnboundedSize ? std::optional<int64_t>(size)
                                                : WindowCount(size, window[dimension]);
      if (!count) return rule.FailAt(AttributeName::kWindow, "the window does not fit in 64 bits");
      sizes.push_back(*count);
    }
  }
  return rule.ExpectArray(input.element_type(), sizes, ShapeAspects::kDimensions);
}

bool Reduce(ShapeRule& rule) {
  if (!RequireArraysAndInits(rule)) return false;
  const Shape& operand = rule.operand(0);
  if (!rule.RequireDimensions(AttributeName::kDimensions, operand.rank())) return false;
  const llvm::ArrayRef<int64_t> reduced = rule.instruction().Integers(AttributeName::kDimensions);
  Sizes sizes;
  AppendFreeDimensions(operand, {}, reduced, sizes);
  return ExpectResults(rule, rule.num_operands() / 2, sizes);
}

bool ReduceWindow(ShapeRule& rule) {
  if (!RequireArraysAndInits(rule)) return false;
  const Shape& operand = rule.operand(0);
  const auto window = rule.instruction()
                          .Get<llvm::ArrayRef<WindowDimension>>(AttributeName::kWindow)
                          .value_or(llvm::ArrayRef<WindowDimension>());
  if (static_cast<int64_t>(window.size()) != operand.rank()) {
    return rule.FailAt(AttributeName::kWindow, "the window has " + std::to_string(window.size()) +
                                                   " dimensions, the operand " +
                                                   std::to_string(operand.rank()));
  }
  Sizes sizes;
  for (size_t i = 0; i < window.size(); ++i) {
    const int64_t size = operand.sizes()[i];
    const auto count =
        size == kUnboundedSize ? std::optional<int64_t>(size) : WindowCount(size, window[i]);
    if (!count) return rule.FailAt(AttributeName::kWindow, "the window does not fit in 64 bits");
    sizes.push_back(*count);
  }
  return ExpectResults(rule, rule.num_operands() / 2, sizes);
}

bool SelectAndScatter(ShapeRule& rule) {
  return rule.RequireArrays() && rule.RequireParameters(AttributeName::kSelect, 2) &&
         rule.RequireParameters(AttributeName::kScatter, 2) &&
         rule.ExpectLike(rule.operand(0).element_type(), rule.operand(0));
}

bool Sort(ShapeRule& rule) {
  if (!rule.RequireArrays()) return false;
  const size_t count = rule.num_operands();
  if (!rule.RequireDimensions(AttributeName::kDimensions, rule.operand(0).rank()) ||
      !rule.RequireParameters(AttributeName::kToApply, 2 * count)) {
    return false;
  }
  if (rule.instruction().Integers(AttributeName::kDimensions).size() != 1) {
    return rule.FailAt(AttributeName::kDimensions, "sort needs exactly one dimension");
  }
  return SameAsOperands(rule);
}

bool TopK(ShapeRule& rule) {
  if (!rule.RequireArray(0)) return false;
  const Shape& operand = rule.operand(0);
  const int64_t k = rule.instruction().Required<int64_t>(AttributeName::kK);
  if (operand.rank() == 0 || k < 0 ||
      (operand.sizes().back() != kUnboundedSize && k > operand.sizes().back())) {
    return rule.FailAt(AttributeName::kK, "k must be between 0 and the size of the last dimension");
  }
  Sizes sizes(operand.sizes().begin(), operand.sizes().end());
  sizes.back() = k;
  const Shape* shapes[] = {rule.pool().Array(operand.element_type(), sizes),
                           rule.pool().Array(ElementType::kS32, sizes)};
  if (shapes[0] == nullptr || shapes[1] == nullptr) return rule.Expect(nullptr);
  return rule.Expect(rule.pool().Tuple(shapes), ShapeAspects::kDimensions);
}

// A real transform keeps n / 2 + 1 values of the last dimension; its inverse makes n of them.
bool Fft(ShapeRule& rule) {
  if (!rule.RequireArray(0)) return false;
  const Shape& operand = rule.operand(0);
  const llvm::ArrayRef<int64_t> lengths = rule.instruction().Integers(AttributeName::kFftLength);
  const llvm::StringRef type = rule.instruction().Required<Keyword>(AttributeName::kFftType).text;
  constexpr llvm::StringRef kTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  if (!llvm::is_contained(kTypes, type)) {
    return rule.FailAt(AttributeName::kFftType, "fft_type must be FFT, IFFT, RFFT or IRFFT");
  }
  if (lengths.empty() || static_cast<int64_t>(lengths.size()) > operand.rank() ||
      llvm::any_of(lengths, [](int64_t length) { return length < 0; })) {
    return rule.FailAt(AttributeName::kFftLength,
                       "fft_length needs a length for one or more of the last dimensions");
  }
  Sizes sizes(operand.sizes().begin(), operand.sizes().end());
  if (type == "RFFT") sizes.back() = lengths.back() / 2 + 1;
  if (type == "IRFFT") sizes.back() = lengths.back();
  return rule.ExpectArray(operand.element_type(), sizes, ShapeAspects::kDimensions);
}

bool TriangularSolve(ShapeRule& rule) {
  return rule.RequireArrays() && rule.ExpectLike(rule.operand(1).element_type(), rule.operand(1));
}

// (operand, one value per feature, one value per feature)
bool BatchNorm(ShapeRule& rule) {
  if (!rule.RequireArrays()) return false;
  const Shape& operand = rule.operand(0);
  const int64_t feature = rule.instruction().Required<int64_t>(AttributeName::kFeatureIndex);
  if (feature < 0 || feature >= operand.rank()) {
    return rule.FailAt(AttributeName::kFeatureIndex,
                       "feature_index is no dimension of " + operand.ToString());
  }
  const Shape* per_feature = rule.pool().Array(rule.operand(1).element_type(),
                                               operand.sizes()[static_cast<size_t>(feature)]);
  const Shape* shapes[] = {&operand, per_feature, per_feature};
  return rule.Expect(rule.pool().Tuple(shapes), ShapeAspects::kDimensions);
}

}  // namespace hlo_indexing::hlo::shape_rules
