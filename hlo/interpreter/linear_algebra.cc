// Cholesky, triangular-solve and fft, computed in complex f64 and rounded once. What an element
// reads comes from the algorithm: the triangle that matters, or the transformed block.
#include <cmath>
#include <numbers>

#include "hlo/array_indices.h"
#include "hlo/interpreter/element_functions.h"
#include "hlo/interpreter/evaluation.h"
#include "hlo/interpreter/opcode_table.h"
#include "support/checked_math.h"

namespace hlo_indexing::hlo::evaluate {
namespace {

using Complex = std::complex<double>;

// A number with what it was computed from.
struct Number {
  Complex value = 0;
  SourceSet sources = kNoSources;
};

Number Read(const ArrayValue& array, int64_t position) {
  const Element element = array.Get(position);
  return {element.number(), element.sources};
}

void Write(ArrayValue& array, int64_t position, const Number& number) {
  Element element = ComplexElement(number.value);
  element.sources = number.sources;
  array.Set(position, element);
}

bool IsFloatOrComplex(ElementType type) {
  return ClassOf(type) == ElementClass::kFloat || ClassOf(type) == ElementClass::kComplex;
}

// a - b * c
Number SubtractProduct(Evaluation& e, const Number& a, const Number& b, const Number& c) {
  return {a.value - element_functions::Multiply(b.value, c.value),
          e.Union(a.sources, e.Union(b.sources, c.sources))};
}

Number Conjugate(const Number& a) { return {std::conj(a.value), a.sources}; }

bool CanSpendCube(Evaluation& e, int64_t elements, int64_t size) {
  return e.CanSpend(support::CheckedMul(elements, size).value_or(-1));
}

}  // namespace

// a = l l^H with l lower triangular, or a = u^H u. Only that triangle is read; the other one of the
// result is 0.
bool Cholesky(Evaluation& e) {
  const std::shared_ptr<ArrayValue> result = e.NewResult();
  if (result == nullptr) return false;
  const ArrayValue& a = e.array(0);
  const llvm::ArrayRef<int64_t> sizes = a.shape().sizes();
  if (sizes.size() < 2 || sizes.back() != sizes[sizes.size() - 2] || !IsFloatOrComplex(a.type())) {
    return e.Fail("cholesky needs square matrices of floats or complex numbers");
  }
  const int64_t n = sizes.back();
  const bool is_lower = e.instruction().Get<bool>(AttributeName::kLower).value_or(false);
  if (!CanSpendCube(e, a.size(), n)) return false;
  const int64_t matrices = n == 0 ? 0 : a.size() / (n * n);
  for (int64_t matrix = 0; matrix < matrices; ++matrix) {
    const int64_t first = matrix * n * n;
    // The lower triangle, of the transposed and conjugated matrix if the upper one is given.
    const auto position = [&](int64_t i, int64_t j) {
      return first + (is_lower ? i * n + j : j * n + i);
    };
    std::vector<Number> l(static_cast<size_t>(n * n));
    for (int64_t j = 0; j < n; ++j) {
      if (!e.Spend(n * n)) return false;
      for (int64_t i = j; i < n; ++i) {
        Number sum = Read(a, position(i, j));
        if (!is_lower) sum = Conjugate(sum);
        if (i == j) sum.value = sum.value.real();
        for (int64_t k = 0; k < j; ++k) {
          sum = SubtractProduct(e, sum, l[i * n + k], Conjugate(l[j * n + k]));
        }
        const Number& diagonal = l[j * n + j];
        l[i * n + j] = i == j ? Number{std::sqrt(sum.value.real()), sum.sources}
                              : Number{sum.value / diagonal.value.real(),
                                       e.Union(sum.sources, diagonal.sources)};
        Write(*result, position(i, j), is_lower ? l[i * n + j] : Conjugate(l[i * n + j]));
      }
    }
  }
  return e.Return(result);
}

namespace {

class TriangularSolveEvaluation {
 public:
  explicit TriangularSolveEvaluation(Evaluation& e) : e_(e) {}

  bool Run();

 private:
  bool Prepare();
  Number Coefficient(int64_t matrix, int64_t i, int64_t k);
  // The position of row i of right-hand side c.
  int64_t PositionOfUnknown(int64_t matrix, int64_t i, int64_t c) const {
    return matrix * n_ * count_ + (is_left_ ? i * count_ + c : c * n_ + i);
  }
  bool SolveFor(int64_t matrix, int64_t c, ArrayValue& result);

  Evaluation& e_;
  bool is_left_ = true;
  bool is_lower_ = true;
  bool has_unit_diagonal_ = false;
  bool is_transposed_ = false;
  bool is_conjugated_ = false;
  int64_t n_ = 0;
  int64_t count_ = 0;
};

bool TriangularSolveEvaluation::Prepare() {
  const Instruction& solve = e_.instruction();
  const auto flag = [&](AttributeName name) { return solve.Get<bool>(name).value_or(false); };
  is_left_ = flag(AttributeName::kLeftSide);
  is_lower_ = flag(AttributeName::kLower);
  has_unit_diagonal_ = flag(AttributeName::kUnitDiagonal);
  const auto transpose = solve.Get<Keyword>(AttributeName::kTransposeA);
  const llvm::StringRef kind = transpose ? transpose->text : "NO_TRANSPOSE";
  is_transposed_ = kind == "TRANSPOSE" || kind == "ADJOINT";
  is_conjugated_ = kind == "ADJOINT";
  if (!is_transposed_ && kind != "NO_TRANSPOSE") {
    return e_.Fail("transpose_a must be NO_TRANSPOSE, TRANSPOSE or ADJOINT");
  }
  const llvm::ArrayRef<int64_t> a = e_.array(0).shape().sizes();
  const llvm::ArrayRef<int64_t> b = e_.array(1).shape().sizes();
  const size_t rank = a.size();
  const bool fits = rank >= 2 && rank == b.size() && a.drop_back(2) == b.drop_back(2) &&
                    a[rank - 1] == a[rank - 2] &&
                    b[is_left_ ? rank - 2 : rank - 1] == a[rank - 1] &&
                    IsFloatOrComplex(e_.array(0).type()) && IsFloatOrComplex(e_.array(1).type());
  if (!fits) {
    return e_.Fail("a square matrix " + e_.array(0).shape().ToString() + " does not fit to " +
                   e_.array(1).shape().ToString());
  }
  n_ = a[rank - 1];
  count_ = b[is_left_ ? rank - 1 : rank - 2];
  return true;
}

// Entry (i, k) of the matrix m in m x = b: op(a), or its transpose if x stands on the left.
Number TriangularSolveEvaluation::Coefficient(int64_t matrix, int64_t i, int64_t k) {
  const bool swaps = is_transposed_ == is_left_;
  const int64_t row = swaps ? k : i;
  const int64_t column = swaps ? i : k;
  const Number entry = Read(e_.array(0), (matrix * n_ + row) * n_ + column);
  return is_conjugated_ ? Conjugate(entry) : entry;
}

bool TriangularSolveEvaluation::SolveFor(int64_t matrix, int64_t c, ArrayValue& result) {
  const bool is_forward = is_lower_ == (is_transposed_ != is_left_);
  std::vector<Number> x(static_cast<size_t>(n_));
  for (int64_t step = 0; step < n_; ++step) {
    const int64_t i = is_forward ? step : n_ - 1 - step;
    if (!e_.Spend(n_)) return false;
    Number sum = Read(e_.array(1), PositionOfUnknown(matrix, i, c));
    for (int64_t before = 0; before < step; ++before) {
      const int64_t k = is_forward ? before : n_ - 1 - before;
      sum = SubtractProduct(e_, sum, Coefficient(matrix, i, k), x[k]);
    }
    if (!has_unit_diagonal_) {
      const Number diagonal = Coefficient(matrix, i, i);
      sum = {sum.value / diagonal.value, e_.Union(sum.sources, diagonal.sources)};
    }
    x[i] = sum;
    Write(result, PositionOfUnknown(matrix, i, c), sum);
  }
  return true;
}

bool TriangularSolveEvaluation::Run() {
  const std::shared_ptr<ArrayValue> result = e_.NewResult();
  if (result == nullptr || !Prepare() || !CanSpendCube(e_, result->size(), n_)) return false;
  const int64_t per_matrix = n_ * count_;
  const int64_t matrices = per_matrix == 0 ? 0 : result->size() / per_matrix;
  for (int64_t matrix = 0; matrix < matrices; ++matrix) {
    for (int64_t c = 0; c < count_; ++c) {
      if (!SolveFor(matrix, c, *result)) return false;
    }
  }
  return e_.Return(result);
}

}  // namespace

bool TriangularSolve(Evaluation& e) { return TriangularSolveEvaluation(e).Run(); }

namespace {

enum class FftDirection : uint8_t { kForward, kInverse };

// The transform of a line, without the inverse's factor. Lengths with a factor 2 are halved, what
// is left is summed up.
std::vector<Complex> TransformLine(const std::vector<Complex>& line, FftDirection direction) {
  const size_t n = line.size();
  const double sign = direction == FftDirection::kForward ? -1 : 1;
  const auto root = [&](size_t k) {
    return std::polar(
        1.0, sign * 2 * std::numbers::pi * static_cast<double>(k % n) / static_cast<double>(n));
  };
  std::vector<Complex> result(n);
  if (n % 2 == 0 && n > 0) {
    std::vector<Complex> even;
    std::vector<Complex> odd;
    for (size_t i = 0; i < n; i += 2) {
      even.push_back(line[i]);
      odd.push_back(line[i + 1]);
    }
    even = TransformLine(even, direction);
    odd = TransformLine(odd, direction);
    for (size_t k = 0; k < n / 2; ++k) {
      const Complex turned = element_functions::Multiply(root(k), odd[k]);
      result[k] = even[k] + turned;
      result[k + n / 2] = even[k] - turned;
    }
    return result;
  }
  std::vector<Complex> roots;
  for (size_t k = 0; k < n; ++k) roots.push_back(root(k));
  for (size_t k = 0; k < n; ++k) {
    for (size_t i = 0; i < n; ++i) {
      result[k] += element_functions::Multiply(line[i], roots[i * k % n]);
    }
  }
  return result;
}

// One block of the transformed dimensions.
class FftBlock {
 public:
  FftBlock(llvm::ArrayRef<int64_t> sizes, std::vector<Complex> values)
      : sizes_(sizes.begin(), sizes.end()), values_(std::move(values)) {}

  void Transform(size_t dimension, FftDirection direction);
  // Cuts the last dimension to `size`.
  void CutLast(int64_t size);
  // Extends the last dimension to `size`, as the spectrum of real numbers continues: element n - k
  // is the conjugate of element k. The other dimensions have been transformed back.
  void ExtendLast(int64_t size);
  const std::vector<Complex>& values() const { return values_; }

 private:
  Index sizes_;
  std::vector<Complex> values_;
};

void FftBlock::Transform(size_t dimension, FftDirection direction) {
  const Index strides = RowMajorStrides(sizes_);
  Index starts = sizes_;
  starts[dimension] = std::min<int64_t>(sizes_[dimension], 1);
  ForEachStrided(starts, strides, 0, [&](int64_t, int64_t start) {
    std::vector<Complex> line;
    for (int64_t i = 0; i < sizes_[dimension]; ++i) {
      line.push_back(values_[start + i * strides[dimension]]);
    }
    line = TransformLine(line, direction);
    const double factor =
        direction == FftDirection::kInverse ? 1 / static_cast<double>(sizes_[dimension]) : 1;
    for (int64_t i = 0; i < sizes_[dimension]; ++i) {
      values_[start + i * strides[dimension]] = line[static_cast<size_t>(i)] * factor;
    }
  });
}

void FftBlock::CutLast(int64_t size) {
  std::vector<Complex> kept;
  for (size_t i = 0; i < values_.size(); ++i) {
    if (static_cast<int64_t>(i) % sizes_.back() < size) kept.push_back(values_[i]);
  }
  values_ = std::move(kept);
  sizes_.back() = size;
}

void FftBlock::ExtendLast(int64_t size) {
  std::vector<Complex> extended;
  const int64_t given = sizes_.back();
  const int64_t lines = given == 0 ? 0 : static_cast<int64_t>(values_.size()) / given;
  for (int64_t line = 0; line < lines; ++line) {
    for (int64_t k = 0; k < size; ++k) {
      extended.push_back(k < given ? values_[line * given + k]
                                   : std::conj(values_[line * given + size - k]));
    }
  }
  values_ = std::move(extended);
  sizes_.back() = size;
}

}  // namespace

// Every element of a block depends on the whole block.
bool Fft(Evaluation& e) {
  const std::shared_ptr<ArrayValue> result = e.NewResult();
  if (result == nullptr) return false;
  const ArrayValue& operand = e.array(0);
  const llvm::ArrayRef<int64_t> lengths = e.instruction().Integers(AttributeName::kFftLength);
  const llvm::StringRef type = e.instruction().Required<Keyword>(AttributeName::kFftType).text;
  const llvm::ArrayRef<int64_t> from = operand.shape().sizes().take_back(lengths.size());
  const llvm::ArrayRef<int64_t> to = result->shape().sizes().take_back(lengths.size());
  int64_t steps = 0;
  for (const int64_t length : lengths) {
    // The length without its factors 2 is summed up in square time.
    const int64_t odd =
        length == 0 ? 0 : length >> llvm::countr_zero(static_cast<uint64_t>(length));
    steps += odd + 64;
  }
  const int64_t elements = std::max(operand.size(), result->size());
  if (!e.CanSpend(support::CheckedMul(elements, steps).value_or(-1))) return false;
  const bool is_inverse = type == "IFFT" || type == "IRFFT";
  const FftDirection direction = is_inverse ? FftDirection::kInverse : FftDirection::kForward;
  const int64_t from_size = NumIndices(from);
  const int64_t to_size = NumIndices(to);
  const int64_t blocks = to_size == 0 ? 0 : result->size() / to_size;
  for (int64_t block = 0; block < blocks; ++block) {
    if (!e.Spend(std::max(from_size, to_size) * steps)) return false;
    std::vector<Complex> values;
    SourceSet sources = kNoSources;
    for (int64_t i = 0; i < from_size; ++i) {
      const Number number = Read(operand, block * from_size + i);
      values.push_back(number.value);
      sources = e.Union(sources, number.sources);
    }
    FftBlock transform(from, std::move(values));
    const size_t last = lengths.size() - 1;
    for (size_t d = 0; d < last; ++d) transform.Transform(d, direction);
    if (type == "IRFFT") transform.ExtendLast(lengths.back());
    transform.Transform(last, direction);
    if (type == "RFFT") transform.CutLast(to.back());
    for (int64_t i = 0; i < to_size; ++i) {
      Write(*result, block * to_size + i, {transform.values()[static_cast<size_t>(i)], sources});
    }
  }
  return e.Return(result);
}

}  // namespace hlo_indexing::hlo::evaluate
