// The arrays of operands, and their numbers.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_MAPS_OPERAND_ARRAY_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_MAPS_OPERAND_ARRAY_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

#include "hlo/module.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include "support/printing.h"

namespace hlo_indexing::indexing_analysis {

using support::operator<<;
using support::PrintTo;

/// An array of an operand of an instruction, both by number.
/// Example: of the operands f32[2] p and (f32[3], (s32[], f32[4])) t, operand 1 has the arrays 0 to
/// 2, of which array 2 is the f32[4].
struct OperandArray {
  size_t operand = 0;
  /// The arrays of a tuple are numbered in order, however deep it nests; one that is no tuple is 0.
  int64_t leaf = 0;

  /// Writes `operand 1` or, unless the array is number 0, `operand 1, array 2`.
  void Print(llvm::raw_ostream& out) const {
    out << "operand " << operand;
    if (leaf != 0) out << ", array " << leaf;
  }
  std::string ToString() const { return support::ToString(*this); }

  friend auto operator<=>(const OperandArray&, const OperandArray&) = default;
};

/// The arrays of all operands, numbered from 0 on, without a list of them: each of ten thousand
/// get-tuple-elements of a tuple has all of its arrays.
/// Example: of the operands above, number 0 is p, number 3 is {1, 2}, the f32[4].
class OperandArrays {
 public:
  explicit OperandArrays(llvm::ArrayRef<const hlo::Instruction*> operands) {
    for (const hlo::Instruction* operand : operands) {
      ends_.push_back(size() + operand->shape().num_array_leaves());
    }
  }

  int64_t size() const { return ends_.empty() ? 0 : ends_.back(); }
  bool empty() const { return size() == 0; }
  /// `number` is less than size().
  OperandArray operator[](int64_t number) const {
    const auto operand = static_cast<size_t>(llvm::upper_bound(ends_, number) - ends_.begin());
    return {operand, number - FirstOf(operand)};
  }
  /// The array is one of these.
  int64_t NumberOf(const OperandArray& array) const { return FirstOf(array.operand) + array.leaf; }

 private:
  int64_t FirstOf(size_t operand) const { return operand == 0 ? 0 : ends_[operand - 1]; }

  // Behind the last array of each operand.
  llvm::SmallVector<int64_t, 4> ends_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_MAPS_OPERAND_ARRAY_H_
