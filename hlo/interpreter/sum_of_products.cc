#include "hlo/interpreter/sum_of_products.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "hlo/array_indices.h"
#include "hlo/interpreter/element_functions.h"
#include "support/checked_math.h"

namespace hlo_indexing::hlo {

ElementType WideTypeOf(const Evaluation& e) {
  const ElementType types[] = {e.array(0).type(), e.array(1).type(),
                               e.instruction().shape().element_type()};
  ElementType wide = ElementType::kS64;
  for (const ElementType type : types) {
    if (ClassOf(type) == ElementClass::kComplex) return ElementType::kC128;
    if (ClassOf(type) == ElementClass::kFloat) wide = ElementType::kF64;
  }
  return wide;
}

bool Widen(Evaluation& e, const ArrayValue& array, ElementType wide_type, WideArray& wide) {
  const int64_t bytes_each = LiteralBytesPerElement(wide_type) + (e.is_traced() ? 4 : 0);
  wide.reservation = e.session().Reserve(
      e.instruction(), support::CheckedMul(array.size(), bytes_each).value_or(-1));
  if (wide.reservation == nullptr) return false;
  const size_t size = static_cast<size_t>(array.size());
  if (wide_type == ElementType::kS64) wide.integers.resize(size);
  if (wide_type == ElementType::kF64) wide.reals.resize(size);
  if (wide_type == ElementType::kC128) wide.numbers.resize(size);
  if (e.is_traced()) wide.sources.resize(size);
  for (int64_t i = 0; i < array.size(); ++i) {
    const Element element = ConvertElement(array.Get(i), array.type(), wide_type);
    if (wide_type == ElementType::kS64) wide.integers[i] = element.integer;
    if (wide_type == ElementType::kF64) wide.reals[i] = element.real;
    if (wide_type == ElementType::kC128) wide.numbers[i] = element.number();
    if (e.is_traced()) wide.sources[i] = element.sources;
  }
  return true;
}

bool ScaleBlocks(Evaluation& e, const Shape& shape, const ArrayValue& scale, ElementType wide_type,
                 WideArray& wide) {
  const llvm::ArrayRef<int64_t> sizes = shape.sizes();
  const llvm::ArrayRef<int64_t> scale_sizes = scale.shape().sizes();
  // A scalar is one block of all.
  bool fits = scale_sizes.empty() || sizes.size() == scale_sizes.size();
  for (size_t i = 0; fits && i < scale_sizes.size(); ++i) {
    // Nothing is made of blocks of any size.
    fits = sizes[i] == 0 || (scale_sizes[i] > 0 && sizes[i] % scale_sizes[i] == 0);
  }
  if (!fits) {
    return e.Fail("the scale " + scale.shape().ToString() + " does not divide " + shape.ToString() +
                  " into blocks");
  }
  const Index strides = RowMajorStrides(scale_sizes);
  int64_t position = 0;
  return ForEachIndex(sizes, [&](llvm::ArrayRef<int64_t> index) {
    int64_t of_block = 0;
    for (size_t i = 0; i < scale_sizes.size(); ++i) {
      of_block += index[i] / (sizes[i] / scale_sizes[i]) * strides[i];
    }
    const Element factor = ConvertElement(scale.Get(of_block), scale.type(), wide_type);
    if (wide_type == ElementType::kS64) {
      wide.integers[position] = static_cast<int64_t>(
          static_cast<uint64_t>(wide.integers[position]) * static_cast<uint64_t>(factor.integer));
    } else if (wide_type == ElementType::kF64) {
      wide.reals[position] *= factor.real;
    } else {
      wide.numbers[position] = element_functions::Multiply(wide.numbers[position], factor.number());
    }
    if (e.is_traced()) wide.sources[position] = e.Union(wide.sources[position], factor.sources);
    ++position;
    return true;
  });
}

void SumOfProducts::AddComplex(std::complex<double> a, std::complex<double> b) {
  number_ += element_functions::Multiply(a, b);
}

Element SumOfProducts::Finish(ElementType result_type) {
  Element wide;
  if (wide_type_ == ElementType::kS64) {
    wide.integer = static_cast<int64_t>(integer_);
  } else {
    wide = wide_type_ == ElementType::kF64 ? FloatElement(real_) : ComplexElement(number_);
  }
  wide.sources = sources_;
  integer_ = 0;
  real_ = 0;
  number_ = 0;
  sources_ = kNoSources;
  return ConvertElement(wide, wide_type_, result_type);
}

namespace {

// What the innermost loops compute at a time; they vectorize because these are constants.
constexpr int64_t kRows = 4;
constexpr int64_t kColumns = 8;

// kRows x kColumns results from kRows rows of lhs and a panel of kColumns columns of rhs.
template <typename T>
void MultiplyBlock(int64_t inner, const T* const (&lhs)[kRows], const T* panel,
                   T (&sums)[kRows][kColumns]) {
  for (int64_t k = 0; k < inner; ++k) {
    for (int64_t row = 0; row < kRows; ++row) {
      const T factor = lhs[row][k];
      for (int64_t column = 0; column < kColumns; ++column) {
        sums[row][column] += factor * panel[k * kColumns + column];
      }
    }
  }
}

}  // namespace

template <typename T>
bool MultiplyMatrices(Evaluation& e, int64_t rows, int64_t columns, int64_t inner, const T* lhs,
                      const T* rhs, T* result) {
  std::vector<T> panel(static_cast<size_t>(inner * kColumns));
  for (int64_t column = 0; column < columns; column += kColumns) {
    const int64_t width = std::min(kColumns, columns - column);
    if (!e.Spend(rows * width * inner)) return false;
    for (int64_t k = 0; k < inner; ++k) {
      for (int64_t j = 0; j < kColumns; ++j) {
        panel[k * kColumns + j] = j < width ? rhs[k * columns + column + j] : T(0);
      }
    }
    for (int64_t row = 0; row < rows; row += kRows) {
      const int64_t height = std::min(kRows, rows - row);
      const T* lines[kRows];
      // Rows beyond the last repeat it; their sums are dropped.
      for (int64_t i = 0; i < kRows; ++i) lines[i] = lhs + (row + std::min(i, height - 1)) * inner;
      T sums[kRows][kColumns] = {};
      MultiplyBlock(inner, lines, panel.data(), sums);
      for (int64_t i = 0; i < height; ++i) {
        std::copy_n(sums[i], width, result + (row + i) * columns + column);
      }
    }
  }
  return true;
}

template bool MultiplyMatrices<double>(Evaluation&, int64_t, int64_t, int64_t, const double*,
                                       const double*, double*);
template bool MultiplyMatrices<uint64_t>(Evaluation&, int64_t, int64_t, int64_t, const uint64_t*,
                                         const uint64_t*, uint64_t*);

}  // namespace hlo_indexing::hlo
