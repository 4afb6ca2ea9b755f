// --fail-on: a limit whose violation is a finding.
#ifndef HLO_INDEXING_TOOLS_FAILURE_LIMIT_H_
#define HLO_INDEXING_TOOLS_FAILURE_LIMIT_H_

#include <optional>
#include <string>

#include "codegen/explain/kernel_report.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::tools {

/// What a kernel must not be. Example: "efficiency<0.5", "wasted_bytes>1000000"
class FailureLimit {
 public:
  /// nullopt, with a message in `error`, for a text that is none.
  static std::optional<FailureLimit> Parse(llvm::StringRef text, std::string& error);

  bool IsMetBy(const explain::KernelReport& report) const;
  /// Example: "efficiency is 0.22, below 0.5"
  std::string Describe(const explain::KernelReport& report) const;

 private:
  using Metric = double (*)(const explain::KernelReport& report);
  struct NamedMetric {
    llvm::StringRef name;
    Metric value;
  };
  static const NamedMetric kMetrics[];

  const NamedMetric* metric_ = nullptr;
  bool is_lower_limit_ = false;
  double limit_ = 0;
};

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_FAILURE_LIMIT_H_
