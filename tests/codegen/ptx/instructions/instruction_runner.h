// Runs a few instructions on many operands, through a kernel of PTX text, and compares with a
// model.
//
// Example: CheckInstruction("add.u32 %d0, %s0, %s1;", {"b32"}, {"b32", "b32"}, operands,
//                           [](const Values& s) { return Values{s[0] + s[1]}; });
// `operands` are rows of values for %s0, %s1; results are compared in the bits of their registers.
// Everything is executed twice: by whole warps, and by every other lane after a branch, where the
// registers of the other lanes must stay what they were.
#ifndef HLO_INDEXING_TESTS_CODEGEN_PTX_INSTRUCTIONS_INSTRUCTION_RUNNER_H_
#define HLO_INDEXING_TESTS_CODEGEN_PTX_INSTRUCTIONS_INSTRUCTION_RUNNER_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace hlo_indexing::ptx {

using Values = std::vector<uint64_t>;
using Rows = std::vector<Values>;

/// Registers are "pred", "b16", "b32" or "b64". The results of each row; `is_sparse`: only odd
/// lanes execute the text, the others keep kUntouched.
absl::StatusOr<Rows> RunInstruction(std::string_view text, const std::vector<std::string>& results,
                                    const std::vector<std::string>& sources, const Rows& operands,
                                    bool is_sparse);
inline constexpr uint64_t kUntouched = 0x5a5a'5a5a'5a5a'5a5a;

void CheckInstruction(std::string_view text, const std::vector<std::string>& results,
                      const std::vector<std::string>& sources, const Rows& operands,
                      const std::function<Values(const Values&)>& model);

/// The error of decoding; OK if there is none.
absl::Status ErrorOf(std::string_view text, const std::vector<std::string>& results,
                     const std::vector<std::string>& sources);

/// All pairs (triples) of the special values of integers, then `random` rows of random bits.
Rows IntegerRows(int num_sources, int random);
/// The same with numbers of f32 (`bits` 32), f64 (64) or f16 and bf16 (16): zeros, subnormal
/// numbers, ones, infinities, NaNs, and random bits.
Rows FloatRows(int num_sources, int bits, int random);
/// All values of 16 bits, one to a row.
Rows AllOf16Bits();

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_TESTS_CODEGEN_PTX_INSTRUCTIONS_INSTRUCTION_RUNNER_H_
