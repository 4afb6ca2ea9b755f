// The exit status of the program.
#ifndef HLO_INDEXING_TOOLS_EXIT_CODE_H_
#define HLO_INDEXING_TOOLS_EXIT_CODE_H_

#include <algorithm>
#include <cstdint>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::tools {

enum class ExitCode : uint8_t {
  kFine = 0,
  kFinding = 1,
  kBadUsage = 2,
  kBadInput = 3,
  kNotSupported = 4,
  // As shells say it of a program that SIGINT has ended.
  kInterrupted = 130,
};

/// The status of two jobs done one after the other: that which the user has to act on first.
/// Example: Worst(kNotSupported, kBadInput) -> kBadInput
inline ExitCode Worst(ExitCode a, ExitCode b) {
  constexpr ExitCode kFromBestToWorst[] = {ExitCode::kFine,         ExitCode::kFinding,
                                           ExitCode::kNotSupported, ExitCode::kBadInput,
                                           ExitCode::kBadUsage,     ExitCode::kInterrupted};
  const auto* const place_of_a =
      std::find(std::begin(kFromBestToWorst), std::end(kFromBestToWorst), a);
  const auto* const place_of_b =
      std::find(std::begin(kFromBestToWorst), std::end(kFromBestToWorst), b);
  return std::max(place_of_a, place_of_b)[0];
}

/// A status as help and the manual page explain it.
struct ExitStatusHelp {
  int status;
  llvm::StringRef meaning;
};

/// All of them, in order.
llvm::ArrayRef<ExitStatusHelp> ExitStatuses();

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_EXIT_CODE_H_
