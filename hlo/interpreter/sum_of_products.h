// Sums of products of elements of two arrays, as dots and convolutions need them. Private to the
// folder.
//
// Products and sums are computed in f64, complex f64, or integers modulo 2^64, in the order in
// which they are added, and rounded once to the type of the result.
#ifndef HLO_INDEXING_HLO_INTERPRETER_SUM_OF_PRODUCTS_H_
#define HLO_INDEXING_HLO_INTERPRETER_SUM_OF_PRODUCTS_H_

#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "hlo/interpreter/evaluation.h"

namespace hlo_indexing::hlo {

/// The kinds of numbers that everything is computed in: kS64, kF64 or kC128.
ElementType WideTypeOf(const Evaluation& e);

/// An array in a wide type, with the sources of its elements if they are traced.
struct WideArray {
  std::vector<int64_t> integers;              // kS64
  std::vector<double> reals;                  // kF64
  std::vector<std::complex<double>> numbers;  // kC128
  std::vector<SourceSet> sources;
  std::shared_ptr<MemoryReservation> reservation;
};

/// False after an error.
bool Widen(Evaluation& e, const ArrayValue& array, ElementType wide_type, WideArray& wide);
/// Multiplies each element with that of `scale` which stands for its block: the dimensions of the
/// array are multiples of those of the scale. Reads both. A scale without dimensions is none.
bool ScaleBlocks(Evaluation& e, const Shape& shape, const ArrayValue& scale, ElementType wide_type,
                 WideArray& wide);

/// One sum.
class SumOfProducts {
 public:
  SumOfProducts(Evaluation& e, const WideArray& lhs, const WideArray& rhs, ElementType wide_type)
      : e_(e), lhs_(lhs), rhs_(rhs), wide_type_(wide_type) {}

  /// Adds the product of two elements by their positions.
  void Add(int64_t lhs, int64_t rhs) {
    if (wide_type_ == ElementType::kF64) {
      real_ += lhs_.reals[lhs] * rhs_.reals[rhs];
    } else if (wide_type_ == ElementType::kS64) {
      integer_ +=
          static_cast<uint64_t>(lhs_.integers[lhs]) * static_cast<uint64_t>(rhs_.integers[rhs]);
    } else {
      AddComplex(lhs_.numbers[lhs], rhs_.numbers[rhs]);
    }
    if (!lhs_.sources.empty()) Read(lhs_.sources[lhs]);
    if (!rhs_.sources.empty()) Read(rhs_.sources[rhs]);
  }
  void Read(SourceSet sources) { sources_ = e_.Union(sources_, sources); }
  /// The sum as an element of the result's type; the next begins at 0.
  Element Finish(ElementType result_type);

 private:
  void AddComplex(std::complex<double> a, std::complex<double> b);

  Evaluation& e_;
  const WideArray& lhs_;
  const WideArray& rhs_;
  ElementType wide_type_;
  uint64_t integer_ = 0;
  double real_ = 0;
  std::complex<double> number_ = 0;
  SourceSet sources_ = kNoSources;
};

/// result[i][j] = sum over k, in order, of lhs[i][k] * rhs[k][j], all row-major, for double and
/// uint64_t. Spends a step for each product; false after an error.
template <typename T>
bool MultiplyMatrices(Evaluation& e, int64_t rows, int64_t columns, int64_t inner, const T* lhs,
                      const T* rhs, T* result);

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_INTERPRETER_SUM_OF_PRODUCTS_H_
