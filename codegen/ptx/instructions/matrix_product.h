// D = A * B + C of matrices in the registers of a warp: what mma and wmma do once they are decoded.
//
// Numerics. The ISA leaves the order and the precision of the sums of floating point open. Here
// products are exact, they are added to C in the order of k in double precision, and the sum is
// rounded once, to nearest even, to the type of D. Devices add with fewer bits and cut off, so that
// their last bits may differ. f64 is a chain of fma in the order of k with the rounding that the
// instruction names; integers are exact, and wrap around or with `.satfinite` saturate at the end.
//
// Example: ProductFunction(Type::kS8, Type::kU8, false, Rounding::kNearestEven) is the function of
// `mma.m16n8k32.row.col.s32.s8.u8.s32`, whose operation has MultiplyDetails.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_MATRIX_PRODUCT_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_MATRIX_PRODUCT_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "codegen/ptx/instructions/matrix_fragment.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/numerics/rounding.h"
#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx {

/// A fragment in registers: the places of its elements, and the slots.
struct FragmentOperand {
  std::vector<uint16_t> places;
  std::array<Slot, kMaxFragmentRegisters> slots = {};
  size_t num_registers = 0;
};

struct MultiplyDetails : OperationDetails {
  /// With k in elements as they are multiplied: words of 32 for b1.
  MatrixShape shape;
  FragmentOperand a;
  FragmentOperand b;
  FragmentOperand c;
  FragmentOperand d;
  /// kF16, kF32, kS32 or kF64.
  Type type_of_c = Type::kF32;
  Type type_of_d = Type::kF32;
  bool saturates = false;
};

/// The function for types of A and B; nullptr where they do not go together. `is_and`: of b1, and
/// not xor. `rounding`: of f64.
Execute ProductFunction(Type a, Type b, bool is_and, numerics::Rounding rounding);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_MATRIX_PRODUCT_H_
