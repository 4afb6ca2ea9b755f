// Numbers and constant expressions (§4.4, §4.5).
//
// Example: ParseConstant at `(1 << 4) - 0x2U;` gives 14 and stops at `;`.
#ifndef HLO_INDEXING_CODEGEN_PTX_SYNTAX_CONSTANT_H_
#define HLO_INDEXING_CODEGEN_PTX_SYNTAX_CONSTANT_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "codegen/ptx/syntax/cursor.h"

namespace hlo_indexing::ptx::syntax {

struct Constant {
  /// An integer in two's complement; of a float, the bits of an f32 where is_single, else an f64.
  uint64_t bits = 0;
  bool is_float = false;
  bool is_single = false;
  /// Of the type .u64; else .s64.
  bool is_unsigned = false;
};

/// Whether a constant can begin at the token: a number, a sign, `~`, `!`, `(` or `WARP_SZ`.
bool IsConstantStart(const Cursor& cursor);

/// The value of the expression at the cursor. Integers are calculated in .s64 and .u64 as in C,
/// with wrap around; a shift by 64 or more moves all bits out. Floats have a sign and no other
/// operator. Errors are division by 0 and more than `max_depth` operators within each other.
absl::StatusOr<Constant> ParseConstant(Cursor& cursor, int64_t max_depth);

/// An integer product, what stands between `+` and `-` in `sym+4*8-2`.
absl::StatusOr<uint64_t> ParseConstantTerm(Cursor& cursor, int64_t max_depth);

/// A number of the token that fits in 32 bits, such as a size in a directive.
absl::StatusOr<uint32_t> ParseSmallNumber(Cursor& cursor, int64_t max_depth);

/// The only number is a token and it is an integer. Example: "0x1FU" -> 31
absl::StatusOr<Constant> ParseNumber(Cursor& cursor);

}  // namespace hlo_indexing::ptx::syntax

#endif  // HLO_INDEXING_CODEGEN_PTX_SYNTAX_CONSTANT_H_
