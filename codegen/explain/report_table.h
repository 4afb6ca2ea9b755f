// Remembers the reports of kernels that are one instruction each: before its fusions are made, a
// model has the same few instructions again and again. `bench/README.md` has what that gains.
#ifndef HLO_INDEXING_CODEGEN_EXPLAIN_REPORT_TABLE_H_
#define HLO_INDEXING_CODEGEN_EXPLAIN_REPORT_TABLE_H_

#include <cstddef>
#include <optional>
#include <unordered_map>

#include "codegen/explain/kernel_report.h"
#include "hlo/module.h"

namespace hlo_indexing::explain {

/// Of one module, on one device, by plans of one kind, and without given values.
class ReportTable {
 public:
  /// The report of an earlier instruction with the same opcode, shapes, layouts and attributes, as
  /// that of this one; nullopt if there is none.
  std::optional<KernelReport> Find(const hlo::Instruction& instruction) const;
  /// Remembers a report, unless other instructions may have another one for what is not known of
  /// them here: fusions, and what is read where values say.
  void Add(const KernelReport& report);

 private:
  struct Hash {
    size_t operator()(const hlo::Instruction* instruction) const;
  };
  struct Equal {
    bool operator()(const hlo::Instruction* a, const hlo::Instruction* b) const;
  };
  std::unordered_map<const hlo::Instruction*, KernelReport, Hash, Equal> known_;
};

}  // namespace hlo_indexing::explain

#endif  // HLO_INDEXING_CODEGEN_EXPLAIN_REPORT_TABLE_H_
