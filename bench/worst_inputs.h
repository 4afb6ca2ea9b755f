// Modules on which an analysis takes longest, and those on which it would take longest without one
// of its tables.
#ifndef HLO_INDEXING_BENCH_WORST_INPUTS_H_
#define HLO_INDEXING_BENCH_WORST_INPUTS_H_

#include <cstdint>
#include <string>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::bench {

// Divisible by powers of 2 only, so every boundary divides the next.
inline constexpr int64_t kAlignedTotal = int64_t{1} << 24;
// About as many elements, of 18 prime factors: boundaries rarely divide each other.
inline constexpr int64_t kUnalignedTotal = int64_t{8} * 81 * 25 * 7 * 11 * 13;

enum class ChainSteps : uint8_t { kReshapes, kReshapesAndTransposes };

/// The text of a module that calls a computation of `length` random reshapes of `total` elements,
/// the dimensions of each result reversed where transposes are wanted; always the same ones.
std::string ReshapeChain(int64_t length, int64_t total, ChainSteps steps);

/// A kind of module of any size.
struct WorstInput {
  llvm::StringRef name;
  std::string (*text)(int64_t size);
  /// With every table, a benchmark takes milliseconds; without one, seconds at most.
  int64_t size = 0;
  /// For tests, where what takes exponential time without a table takes little.
  int64_t small_size = 0;
  /// Inverses of long chains of quotient variables take cubic time, whatever the tables hold.
  bool has_slow_inverses = false;
  /// Of a module of size n, 2^n or more calls, branches or iterations follow each other.
  bool has_exponential_paths = false;
};

llvm::ArrayRef<WorstInput> WorstInputs();

}  // namespace hlo_indexing::bench

#endif  // HLO_INDEXING_BENCH_WORST_INPUTS_H_
