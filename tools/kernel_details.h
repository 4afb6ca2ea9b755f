// What the page of `hlo-indexing report` shows of single kernels: the graph of what they compute,
// the maps, the accesses. docs/report.md says what the JSON holds.
#ifndef HLO_INDEXING_TOOLS_KERNEL_DETAILS_H_
#define HLO_INDEXING_TOOLS_KERNEL_DETAILS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/explain/kernel_report.h"
#include "codegen/plan/kernel_plan.h"
#include "hlo/module.h"
#include "hlo/shape.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "indexing_analysis/maps/output_indexing.h"
#include "indexing_analysis/queries/utilization.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"
#include "tools/explain_text.h"
#include "tools/kernel_command.h"
#include "tools/kernel_json.h"

namespace hlo_indexing::tools {

/// Collects the details of kernels of one module that the page loads together: they share a table
/// of the maps that they speak of.
class KernelDetails {
 public:
  /// All that it refers to must outlive it.
  KernelDetails(const KernelOrigin& origin, const ExplainText& text, KernelTools& tools,
                indexing_analysis::UtilizationAnalysis& utilization)
      : origin_(origin), text_(text), tools_(tools), utilization_(utilization) {}

  /// Whether the details take so much that they should be loaded by themselves.
  static bool IsLarge(const plan::KernelPlan& plan);
  void Add(const explain::KernelReport& report);
  size_t num_kernels() const { return kernels_.size(); }
  /// What the text has so far, roughly.
  size_t num_bytes() const { return num_bytes_; }
  /// `{"maps":[...],"kernels":[...]}` of the kernels so far, which are forgotten.
  std::string Take();

 private:
  using Map = indexing_analysis::IndexingMap;
  struct MapHash {
    size_t operator()(const Map& map) const { return hash_value(map); }
  };

  // The number of a map in the table; the unknown map is null.
  void WriteMapNumber(const Map& map, llvm::json::OStream& json);
  void WriteMaps(llvm::ArrayRef<indexing_analysis::OperandMap> maps, llvm::json::OStream& json);
  void WriteArray(const hlo::Shape& shape, llvm::json::OStream& json);
  void WriteArrays(const plan::KernelPlan& plan, llvm::json::OStream& json);
  void WriteReads(const indexing_analysis::OutputIndexing& indexing, llvm::json::OStream& json);
  void WriteGraph(const plan::KernelPlan& plan, llvm::json::OStream& json);
  void WriteNode(const hlo::Instruction& instruction, bool is_computed, llvm::json::OStream& json);
  void WriteAccesses(const explain::KernelReport& report, llvm::json::OStream& json);
  void WriteTiles(const explain::KernelReport& report, llvm::json::OStream& json);
  void WriteUtilization(const plan::KernelPlan& plan, llvm::json::OStream& json);

  const KernelOrigin& origin_;
  const ExplainText& text_;
  KernelTools& tools_;
  indexing_analysis::UtilizationAnalysis& utilization_;
  std::unordered_map<Map, int64_t, MapHash> numbers_;
  std::vector<std::string> maps_;
  std::vector<std::string> kernels_;
  size_t num_bytes_ = 0;
};

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_KERNEL_DETAILS_H_
