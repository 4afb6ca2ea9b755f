// Shapes of operations that multiply and add up many elements, and of other array algebra.
#include <algorithm>

#include "hlo/shape_inference/rule_table.h"
#include "support/checked_math.h"

namespace hlo_indexing::hlo::shape_rules {
namespace {

// The pairs of batch or contracting dimensions of a dot. A sparse operand is stored shorter along
// the contracting dimension.
bool RequirePairs(ShapeContext& context, AttributeName lhs_name, AttributeName rhs_name,
                  bool have_same_sizes = true) {
  const llvm::ArrayRef<int64_t> lhs = context.instruction().Integers(lhs_name);
  const llvm::ArrayRef<int64_t> rhs = context.instruction().Integers(rhs_name);
  if (!context.RequireDimensions(lhs_name, context.operand(0).rank()) ||
      !context.RequireDimensions(rhs_name, context.operand(1).rank())) {
    return false;
  }
  if (lhs.size() != rhs.size()) {
    return context.FailAt(rhs_name, AttributeText(lhs_name).str() + " and " +
                                        AttributeText(rhs_name).str() +
                                        " must have the same number of entries");
  }
  for (size_t i = 0; i < lhs.size() && have_same_sizes; ++i) {
    const int64_t a = context.operand(0).sizes()[static_cast<size_t>(lhs[i])];
    const int64_t b = context.operand(1).sizes()[static_cast<size_t>(rhs[i])];
    if (SameSize(a, b)) continue;
    return context.FailAt(lhs_name, "dimension " + std::to_string(lhs[i]) + " of " +
                                        context.operand(0).ToString() + " and dimension " +
                                        std::to_string(rhs[i]) + " of " +
                                        context.operand(1).ToString() + " must have the same size");
  }
  return true;
}

// The dimensions that both sides have, and those that are summed over.
bool RequireDimensionsOfProducts(ShapeContext& context, bool have_same_sizes = true) {
  return RequirePairs(context, AttributeName::kLhsBatchDims, AttributeName::kRhsBatchDims) &&
         RequirePairs(context, AttributeName::kLhsContractingDims,
                      AttributeName::kRhsContractingDims, have_same_sizes) &&
         context.RequireDisjoint(AttributeName::kLhsBatchDims,
                                 AttributeName::kLhsContractingDims) &&
         context.RequireDisjoint(AttributeName::kRhsBatchDims, AttributeName::kRhsContractingDims);
}

// What a ragged-dot's groups split: one dimension of lhs. Where that is free, rhs has one for the
// groups, else it has none; and there are the sizes of the groups.
bool RequireGroups(ShapeContext& context) {
  const Instruction& dot = context.instruction();
  const Shape& rhs = context.operand(1);
  const Shape& sizes = context.operand(2);
  if (!IsIntegral(sizes.element_type())) {
    return context.Fail("the group sizes must be integers, not " + sizes.ToString());
  }
  if (sizes.rank() == 0) return context.Fail("the group sizes need a dimension");
  const llvm::ArrayRef<int64_t> ragged = dot.Integers(AttributeName::kLhsRaggedDims);
  if (ragged.size() != 1) {
    return context.FailAt(AttributeName::kLhsRaggedDims,
                          "ragged-dot needs one dimension of lhs in lhs_ragged_dims");
  }
  if (!context.RequireDimensions(AttributeName::kLhsRaggedDims, context.operand(0).rank()) ||
      !context.RequireDimensions(AttributeName::kRhsGroupDims, rhs.rank())) {
    return false;
  }
  const bool is_free =
      !llvm::is_contained(dot.Integers(AttributeName::kLhsContractingDims), ragged[0]) &&
      !llvm::is_contained(dot.Integers(AttributeName::kLhsBatchDims), ragged[0]);
  const llvm::ArrayRef<int64_t> group = dot.Integers(AttributeName::kRhsGroupDims);
  if (group.size() != (is_free ? 1U : 0U)) {
    return context.FailAt(AttributeName::kRhsGroupDims,
                          "ragged-dot needs one dimension of rhs in rhs_group_dims where a free "
                          "dimension is ragged, else none");
  }
  if (!is_free) return true;
  if (!context.RequireDisjoint(AttributeName::kRhsContractingDims, AttributeName::kRhsGroupDims) ||
      !context.RequireDisjoint(AttributeName::kRhsBatchDims, AttributeName::kRhsGroupDims)) {
    return false;
  }
  if (SameSize(rhs.sizes()[static_cast<size_t>(group[0])], sizes.sizes().back())) return true;
  return context.FailAt(AttributeName::kRhsGroupDims,
                        "rhs " + rhs.ToString() + " and the group sizes " + sizes.ToString() +
                            " must have the same number of groups");
}

void AppendFreeDimensions(const Shape& shape, llvm::ArrayRef<int64_t> batch,
                          llvm::ArrayRef<int64_t> contracting, Sizes& sizes) {
  for (int64_t i = 0; i < shape.rank(); ++i) {
    if (llvm::is_contained(batch, i) || llvm::is_contained(contracting, i)) continue;
    sizes.push_back(shape.sizes()[static_cast<size_t>(i)]);
  }
}

// Classes of values in the order in which one can stand for the other.
int Generality(ElementType type) {
  switch (ClassOf(type)) {
    case ElementClass::kPredicate:
      return 0;
    case ElementClass::kSigned:
    case ElementClass::kUnsigned:
      return 1;
    case ElementClass::kFloat:
      return 2;
    case ElementClass::kComplex:
      return 3;
    case ElementClass::kNone:
      break;
  }
  return 4;
}

// The array of sums of products of the first two operands. Its type is the one that the text asks
// for, as in XLA; only truth values are no sums of numbers.
bool ExpectProducts(ShapeContext& context, llvm::ArrayRef<int64_t> sizes) {
  ElementType type = context.operand(0).element_type();
  const ElementType other = context.operand(1).element_type();
  if (Generality(other) > Generality(type) ||
      (Generality(other) == Generality(type) && ElementBits(other) > ElementBits(type))) {
    type = other;
  }
  const Shape* declared = context.declared();
  if (declared != nullptr && declared->IsArray()) {
    const ElementType given = declared->element_type();
    if (given == ElementType::kPred && type != ElementType::kPred) {
      return context.Fail(OpcodeName(context.instruction().opcode()).str() + " of " +
                          ElementTypeName(context.operand(0).element_type()).str() + " and " +
                          ElementTypeName(other).str() + " cannot give " +
                          ElementTypeName(given).str());
    }
  }
  return context.ExpectArray(type, sizes, TypeMatch::kAny);
}

// The features of input and kernel fit each other and the numbers of groups.
bool RequireFeatures(ShapeContext& context, int64_t batch, int64_t features, int64_t kernel_input,
                     int64_t kernel_output) {
  const auto groups_of = [&](AttributeName name) {
    return context.instruction().Get<int64_t>(name).value_or(1);
  };
  const int64_t feature_groups = groups_of(AttributeName::kFeatureGroupCount);
  const int64_t batch_groups = groups_of(AttributeName::kBatchGroupCount);
  const auto require_divides = [&](AttributeName name, int64_t size, const char* of) {
    if (size == kUnboundedSize || size % groups_of(name) == 0) return true;
    return context.FailAt(
        name, AttributeText(name).str() + " must divide the " + of + ", " + std::to_string(size));
  };
  for (const AttributeName name :
       {AttributeName::kFeatureGroupCount, AttributeName::kBatchGroupCount}) {
    if (groups_of(name) <= 0) {
      return context.FailAt(name, AttributeText(name).str() + " must be positive");
    }
    if (!require_divides(name, kernel_output, "kernel's output features")) return false;
  }
  if (feature_groups > 1 && batch_groups > 1) {
    return context.FailAt(AttributeName::kBatchGroupCount,
                          "batch_group_count and feature_group_count cannot both be above 1");
  }
  if (!require_divides(AttributeName::kFeatureGroupCount, features, "input features") ||
      !require_divides(AttributeName::kBatchGroupCount, batch, "batch")) {
    return false;
  }
  if (features == kUnboundedSize || SameSize(features / feature_groups, kernel_input)) return true;
  return context.FailAt(AttributeName::kDimLabels,
                        "the kernel takes " + std::to_string(kernel_input) +
                            " input features, each of the " + std::to_string(feature_groups) +
                            " groups of the input has " +
                            std::to_string(features / feature_groups));
}

int64_t SizeOfLabel(const Shape& shape, llvm::StringRef labels, char label) {
  const int64_t position = ConvolutionDimensions::Find(labels, label);
  return position < 0 ? int64_t{1} : shape.sizes()[static_cast<size_t>(position)];
}

char SpatialLabel(size_t dimension) { return static_cast<char>('0' + dimension); }

// The window moves over the input's spatial dimensions and has the kernel's.
bool WindowedSpatialSizes(ShapeContext& context, const ConvolutionDimensions& labels,
                          Sizes& windowed) {
  const llvm::ArrayRef<WindowDimension> window = WindowOf(context.instruction());
  Sizes sizes;
  for (size_t i = 0; i < window.size(); ++i) {
    sizes.push_back(SizeOfLabel(context.operand(0), labels.input, SpatialLabel(i)));
    const int64_t kernel = SizeOfLabel(context.operand(1), labels.kernel, SpatialLabel(i));
    // XLA wants equal sizes. A window beyond the kernel is let pass, since a module among XLA's own
    // tests has one (window 3x3, kernel 2x2): it is imported there without being verified. What
    // lies beyond the kernel adds nothing.
    if (kernel == kUnboundedSize || kernel <= window[i].size) continue;
    return context.FailAt(AttributeName::kWindow, "the window has size " +
                                                      std::to_string(window[i].size) +
                                                      " in spatial dimension " + std::to_string(i) +
                                                      ", the kernel " + std::to_string(kernel));
  }
  return AppendWindowedSizes(context, sizes, windowed);
}

}  // namespace

bool Dot(ShapeContext& context) {
  if (!context.RequireArrays()) return false;
  const Instruction& dot = context.instruction();
  const bool is_sparse = dot.Find(AttributeName::kSparsity) != nullptr;
  constexpr size_t kFactors = 2;
  if (dot.opcode() == Opcode::kDot && !is_sparse && context.num_operands() != kFactors) {
    return context.Fail("a dot without sparsity has two operands, not " +
                        std::to_string(context.num_operands()));
  }
  if (!RequireDimensionsOfProducts(context, /*have_same_sizes=*/!is_sparse)) return false;
  const llvm::ArrayRef<int64_t> lhs_batch = dot.Integers(AttributeName::kLhsBatchDims);
  Sizes sizes;
  for (const int64_t dimension : lhs_batch) {
    sizes.push_back(context.operand(0).sizes()[static_cast<size_t>(dimension)]);
  }
  AppendFreeDimensions(context.operand(0), lhs_batch,
                       dot.Integers(AttributeName::kLhsContractingDims), sizes);
  AppendFreeDimensions(context.operand(1), dot.Integers(AttributeName::kRhsBatchDims),
                       dot.Integers(AttributeName::kRhsContractingDims), sizes);
  return ExpectProducts(context, sizes);
}

// (lhs, rhs, their scales). A scale is a scalar, or has an element for each block of its side:
// blocks are of equal size along every dimension.
bool ScaledDot(ShapeContext& context) {
  if (!Dot(context)) return false;
  for (size_t i = 2; i < context.num_operands(); ++i) {
    const Shape& scale = context.operand(i);
    const Shape& scaled = context.operand(i - 2);
    if (scale.rank() != 0 && scale.rank() != scaled.rank()) {
      return context.Fail("the scale " + scale.ToString() + " has another rank than " +
                          scaled.ToString());
    }
    for (size_t k = 0; k < scale.sizes().size(); ++k) {
      const int64_t size = scaled.sizes()[k];
      const int64_t blocks = scale.sizes()[k];
      // Nothing is made of blocks of any size.
      if (size == 0 || size == kUnboundedSize || blocks == kUnboundedSize) continue;
      if (blocks > 0 && size % blocks == 0) continue;
      return context.Fail("the scale " + scale.ToString() + " does not divide " +
                          scaled.ToString() + " into blocks");
    }
  }
  return true;
}

// (lhs, rhs, group sizes). A result for each group if the sum is ragged; else as a dot, where rhs
// has a matrix for each group if a free dimension is ragged.
bool RaggedDot(ShapeContext& context) {
  const Instruction& dot = context.instruction();
  if (!context.RequireArrays() || !RequireDimensionsOfProducts(context) ||
      !RequireGroups(context)) {
    return false;
  }
  const llvm::ArrayRef<int64_t> lhs_batch = dot.Integers(AttributeName::kLhsBatchDims);
  const llvm::ArrayRef<int64_t> lhs_contracting = dot.Integers(AttributeName::kLhsContractingDims);
  const llvm::ArrayRef<int64_t> rhs_contracting = dot.Integers(AttributeName::kRhsContractingDims);
  llvm::SmallVector<int64_t, 6> rhs_dropped(rhs_contracting.begin(), rhs_contracting.end());
  llvm::append_range(rhs_dropped, dot.Integers(AttributeName::kRhsGroupDims));
  Sizes sizes;
  if (llvm::is_contained(lhs_contracting, dot.Integers(AttributeName::kLhsRaggedDims)[0])) {
    sizes.push_back(context.operand(2).sizes().back());
  }
  for (const int64_t dimension : lhs_batch) {
    sizes.push_back(context.operand(0).sizes()[static_cast<size_t>(dimension)]);
  }
  AppendFreeDimensions(context.operand(0), lhs_batch, lhs_contracting, sizes);
  AppendFreeDimensions(context.operand(1), dot.Integers(AttributeName::kRhsBatchDims), rhs_dropped,
                       sizes);
  return ExpectProducts(context, sizes);
}

bool Convolution(ShapeContext& context) {
  if (!context.RequireArrays()) return false;
  const Instruction& convolution = context.instruction();
  const auto labels = convolution.Required<const ConvolutionDimensions*>(AttributeName::kDimLabels);
  const Shape& input = context.operand(0);
  const Shape& kernel = context.operand(1);
  const int64_t spatial = labels->num_spatial();
  if (static_cast<int64_t>(labels->input.size()) != input.rank() ||
      static_cast<int64_t>(labels->kernel.size()) != kernel.rank() ||
      static_cast<int64_t>(WindowOf(convolution).size()) != spatial) {
    return context.FailAt(AttributeName::kDimLabels,
                          "dim_labels and window must have the ranks of the operands");
  }
  for (int64_t i = 0; i < spatial; ++i) {
    const char label = SpatialLabel(static_cast<size_t>(i));
    if (ConvolutionDimensions::Find(labels->input, label) >= 0 &&
        ConvolutionDimensions::Find(labels->kernel, label) >= 0 &&
        ConvolutionDimensions::Find(labels->output, label) >= 0) {
      continue;
    }
    return context.FailAt(AttributeName::kDimLabels,
                          "input, kernel and output must have the same spatial dimensions, "
                          "numbered from 0");
  }
  const int64_t batch = SizeOfLabel(input, labels->input, 'b');
  const int64_t kernel_output = SizeOfLabel(kernel, labels->kernel, 'o');
  Sizes windowed;
  if (!RequireFeatures(context, batch, SizeOfLabel(input, labels->input, 'f'),
                       SizeOfLabel(kernel, labels->kernel, 'i'), kernel_output) ||
      !WindowedSpatialSizes(context, *labels, windowed)) {
    return false;
  }
  const int64_t batch_groups =
      convolution.Get<int64_t>(AttributeName::kBatchGroupCount).value_or(1);
  Sizes sizes;
  for (const char label : labels->output) {
    if (label == 'b') {
      sizes.push_back(batch == kUnboundedSize ? batch : batch / batch_groups);
    } else if (label == 'f') {
      sizes.push_back(kernel_output);
    } else if (label == '?') {
      sizes.push_back(1);
    } else if (const size_t dimension = static_cast<size_t>(label - '0');
               dimension < windowed.size()) {
      sizes.push_back(windowed[dimension]);
    } else {
      return context.FailAt(AttributeName::kDimLabels,
                            "spatial dimensions must be numbered from 0");
    }
  }
  return ExpectProducts(context, sizes);
}

bool TopK(ShapeContext& context) {
  if (!context.RequireArray(0)) return false;
  const Shape& operand = context.operand(0);
  const int64_t k = context.instruction().Required<int64_t>(AttributeName::kK);
  if (operand.rank() == 0 || k < 0 ||
      (operand.sizes().back() != kUnboundedSize && k > operand.sizes().back())) {
    return context.FailAt(AttributeName::kK,
                          "k must be between 0 and the size of the last dimension");
  }
  Sizes sizes(operand.sizes().begin(), operand.sizes().end());
  sizes.back() = k;
  const Shape* shapes[] = {context.pool().Array(operand.element_type(), sizes),
                           context.pool().Array(ElementType::kS32, sizes)};
  // The indices may be integers of any kind.
  const Shape* declared = context.declared();
  if (declared != nullptr && declared->IsTuple() && declared->elements().size() == 2 &&
      declared->elements()[1]->IsArray() && IsIntegral(declared->elements()[1]->element_type())) {
    shapes[1] = context.pool().Array(declared->elements()[1]->element_type(), sizes);
  }
  if (shapes[0] == nullptr || shapes[1] == nullptr) return context.Expect(nullptr);
  return context.Expect(context.pool().Tuple(shapes), TypeMatch::kAnyPrecision);
}

namespace {

// How many of the values of a dimension a real transform keeps: the others are their conjugates.
int64_t HalfOf(int64_t length) { return length == 0 ? 0 : length / 2 + 1; }

}  // namespace

bool Fft(ShapeContext& context) {
  if (!context.RequireArray(0)) return false;
  const Shape& operand = context.operand(0);
  const llvm::ArrayRef<int64_t> lengths = context.instruction().Integers(AttributeName::kFftLength);
  const llvm::StringRef type =
      context.instruction().Required<Keyword>(AttributeName::kFftType).text;
  constexpr llvm::StringRef kTypes[] = {"FFT", "IFFT", "RFFT", "IRFFT"};
  if (!llvm::is_contained(kTypes, type)) {
    return context.FailAt(AttributeName::kFftType, "fft_type must be FFT, IFFT, RFFT or IRFFT");
  }
  if (lengths.empty() || static_cast<int64_t>(lengths.size()) > operand.rank() ||
      llvm::any_of(lengths, [](int64_t length) { return length < 0; })) {
    return context.FailAt(AttributeName::kFftLength,
                          "fft_length needs a length for one or more of the last dimensions");
  }
  const bool is_real = type == "RFFT";
  if (ClassOf(operand.element_type()) !=
      (is_real ? ElementClass::kFloat : ElementClass::kComplex)) {
    return context.Fail("a transform of type " + type.str() + " takes " +
                        (is_real ? "floats" : "complex numbers") + ", not " + operand.ToString());
  }
  Sizes taken(lengths);
  if (type == "IRFFT") taken.back() = HalfOf(taken.back());
  const llvm::ArrayRef<int64_t> given = operand.sizes().take_back(taken.size());
  if (!std::equal(given.begin(), given.end(), taken.begin(), SameSize)) {
    return context.FailAt(AttributeName::kFftLength,
                          "the last dimensions of " + operand.ToString() +
                              " do not have the sizes that fft_length says");
  }
  Sizes sizes(operand.sizes().begin(), operand.sizes().end());
  if (is_real) sizes.back() = HalfOf(lengths.back());
  if (type == "IRFFT") sizes.back() = lengths.back();
  const Shape* declared = context.declared();
  const ElementClass result = type == "IRFFT" ? ElementClass::kFloat : ElementClass::kComplex;
  if (declared != nullptr && declared->IsArray() && ClassOf(declared->element_type()) != result) {
    return context.Fail("a transform of type " + type.str() + " gives " +
                        (type == "IRFFT" ? "floats" : "complex numbers") + ", not " +
                        declared->ToString());
  }
  return context.ExpectArray(operand.element_type(), sizes, TypeMatch::kAny);
}

namespace {

// Whether operand i is an array of square matrices.
bool RequireSquareMatrices(ShapeContext& context, size_t i) {
  if (!context.RequireArray(i)) return false;
  const llvm::ArrayRef<int64_t> sizes = context.operand(i).sizes();
  if (sizes.size() >= 2 && SameSize(sizes.back(), sizes[sizes.size() - 2])) return true;
  return context.Fail("operand " + std::to_string(i) + " must be square matrices, not " +
                      context.operand(i).ToString());
}

bool RequireFloatOrComplex(ShapeContext& context, size_t i) {
  const ElementClass of_elements = ClassOf(context.operand(i).element_type());
  if (of_elements == ElementClass::kFloat || of_elements == ElementClass::kComplex) return true;
  return context.Fail("operand " + std::to_string(i) +
                      " must have floats or complex numbers, not " + context.operand(i).ToString());
}

}  // namespace

bool Cholesky(ShapeContext& context) {
  return RequireSquareMatrices(context, 0) && RequireFloatOrComplex(context, 0) &&
         context.Expect(&context.operand(0), TypeMatch::kAnyPrecision);
}

bool TriangularSolve(ShapeContext& context) {
  if (!context.RequireArrays() || !RequireSquareMatrices(context, 0) ||
      !RequireFloatOrComplex(context, 0) || !RequireFloatOrComplex(context, 1) ||
      !context.RequireMixable(0, 1)) {
    return false;
  }
  const llvm::ArrayRef<int64_t> a = context.operand(0).sizes();
  const llvm::ArrayRef<int64_t> b = context.operand(1).sizes();
  const bool is_left = context.instruction().Get<bool>(AttributeName::kLeftSide).value_or(false);
  const size_t rank = a.size();
  const bool fits = b.size() == rank && SameSize(b[is_left ? rank - 2 : rank - 1], a[rank - 1]) &&
                    std::equal(a.begin(), a.end() - 2, b.begin(), b.end() - 2, SameSize);
  if (!fits) {
    return context.Fail("square matrices " + context.operand(0).ToString() + " do not fit to " +
                        context.operand(1).ToString());
  }
  return context.ExpectLike(context.operand(1).element_type(), context.operand(1));
}

namespace {

// Whether the operand has the dimension feature_index, and operands 1 to `last` a value for each
// index of it.
bool RequireFeatures(ShapeContext& context, size_t last) {
  if (!context.RequireArrays()) return false;
  const Shape& operand = context.operand(0);
  const int64_t feature = context.instruction().Required<int64_t>(AttributeName::kFeatureIndex);
  if (feature < 0 || feature >= operand.rank()) {
    return context.FailAt(AttributeName::kFeatureIndex,
                          "feature_index is no dimension of " + operand.ToString());
  }
  const int64_t count = operand.sizes()[static_cast<size_t>(feature)];
  for (size_t i = 1; i <= last; ++i) {
    const Shape& values = context.operand(i);
    if (values.rank() == 1 && SameSize(values.sizes().front(), count)) continue;
    return context.Fail("operand " + std::to_string(i) + " must have one value for each index of " +
                        "dimension " + std::to_string(feature) + " of " + operand.ToString() +
                        ", not be " + values.ToString());
  }
  return true;
}

// (operand, one value per feature, one value per feature)
bool ExpectFeatures(ShapeContext& context) {
  const Shape& operand = context.operand(0);
  const int64_t feature = context.instruction().Required<int64_t>(AttributeName::kFeatureIndex);
  const Shape* per_feature = context.pool().Array(context.operand(1).element_type(),
                                                  operand.sizes()[static_cast<size_t>(feature)]);
  const Shape* shapes[] = {&operand, per_feature, per_feature};
  return context.Expect(context.pool().Tuple(shapes), TypeMatch::kAnyPrecision);
}

}  // namespace

bool BatchNormTraining(ShapeContext& context) {
  return RequireFeatures(context, 2) && ExpectFeatures(context);
}

bool BatchNormGrad(ShapeContext& context) {
  return RequireFeatures(context, 3) && context.RequireSameDimensions(0, 4) &&
         ExpectFeatures(context);
}

bool BatchNormInference(ShapeContext& context) {
  return RequireFeatures(context, 4) &&
         context.Expect(&context.operand(0), TypeMatch::kAnyPrecision);
}

}  // namespace hlo_indexing::hlo::shape_rules
