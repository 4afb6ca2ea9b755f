// An array of an operand.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_MAPS_OPERAND_ARRAY_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_MAPS_OPERAND_ARRAY_H_

#include <compare>
#include <cstddef>
#include <cstdint>
#include <string>

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

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_MAPS_OPERAND_ARRAY_H_
