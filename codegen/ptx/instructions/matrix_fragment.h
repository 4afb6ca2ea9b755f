// Matrices that the registers of a warp hold between them, for mma and wmma: which element lies
// where.
//
// Example: of the A matrix of `mma.m16n8k16` on f16, lane 5 holds in its register 1 the elements 2
// and 3 of row 9: FragmentLayout{MatrixRole::kA, {16, 8, 16}, 2}.Place(5, 1, 0) is {9, 2}.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_MATRIX_FRAGMENT_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_MATRIX_FRAGMENT_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx {

/// Most registers of a fragment: eight of f16, of f32 sums, and of f64 with k16.
inline constexpr size_t kMaxFragmentRegisters = 8;

struct MatrixShape {
  size_t m = 0;
  size_t n = 0;
  size_t k = 0;

  friend bool operator==(const MatrixShape&, const MatrixShape&) = default;
};

struct RowAndColumn {
  size_t row;
  size_t column;
};

/// The three matrices of D = A * B + C; C and D look alike.
enum class MatrixRole : uint8_t { kA, kB, kC };

/// Registers of one lane, and elements in each of them (1 for elements of 32 and 64 bits).
struct FragmentLayout {
  MatrixRole role = MatrixRole::kA;
  MatrixShape shape;
  size_t per_register = 1;

  /// Rows of the matrix.
  constexpr size_t Rows() const { return role == MatrixRole::kB ? shape.k : shape.m; }
  constexpr size_t Columns() const { return role == MatrixRole::kA ? shape.k : shape.n; }
  /// Registers that a lane needs to hold its share.
  constexpr size_t Registers() const { return Rows() * Columns() / kWarpSize / per_register; }

  /// Where element `i` of register `r` of a lane lies. For mma this is the rule behind the figures
  /// of PTX ISA 9.7.14.5 for all shapes but f16 m8n8k4. wmma leaves it open; with the same rule,
  /// blocks of 8 rows or columns in order, m16n16k16 is what devices since sm_80 are known to do.
  constexpr RowAndColumn Place(size_t lane, size_t r, size_t i) const {
    const size_t group = lane / 4;
    const size_t member = lane % 4;
    switch (role) {
      case MatrixRole::kA: {
        const size_t blocks = shape.m / 8;
        return {group + 8 * (r % blocks), (r / blocks * 4 + member) * per_register + i};
      }
      case MatrixRole::kB: {
        const size_t blocks = shape.k / (4 * per_register);
        return {(r % blocks * 4 + member) * per_register + i, group + 8 * (r / blocks)};
      }
      case MatrixRole::kC: {
        const size_t element = r * per_register + i;
        const size_t in_block = shape.m / 4;
        const size_t e = element % in_block;
        return {group + 8 * (e / 2), element / in_block * 8 + member * 2 + e % 2};
      }
    }
    return {0, 0};
  }

  /// For each register, lane and element in it, in this order: row * Columns() + column.
  std::vector<uint16_t> Places() const {
    std::vector<uint16_t> places;
    places.reserve(Rows() * Columns());
    for (size_t r = 0; r < Registers(); ++r) {
      for (size_t lane = 0; lane < kWarpSize; ++lane) {
        for (size_t i = 0; i < per_register; ++i) {
          const RowAndColumn place = Place(lane, r, i);
          places.push_back(static_cast<uint16_t>(place.row * Columns() + place.column));
        }
      }
    }
    return places;
  }
};

/// wmma.load and wmma.store (wmma.cc).
absl::Status DecodeWmmaMemory(InstructionDecoder& d);

/// What the registers of a fragment with such elements hold. Example: kF16 -> kF16x2
Type RegisterTypeOf(Type element);

/// The registers of a fragment, `{a, b}`: braces also around one.
absl::StatusOr<std::span<const syntax::Operand>> FragmentRegisters(InstructionDecoder& d,
                                                                   int operand, int count);

/// Takes the first of the modifiers that is a shape as "m16n8k16".
std::optional<MatrixShape> TakeMatrixShape(InstructionDecoder& d,
                                           std::initializer_list<std::string_view> names);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_MATRIX_FRAGMENT_H_
