// An access of a kernel to global memory: what it moves, what it would have to, and why it moves
// more.
//
// Example: the load of %p by %f = f32[1024,1024] fusion(%p), whose computation transposes %p and is
// computed by a loop:
//
//   load operand 0: 32.0 sectors per request, ideal 4.0
//   th_x: neighbouring lanes are 4096 bytes apart, brought in by %transpose
#ifndef HLO_INDEXING_CODEGEN_EXPLAIN_ACCESS_REPORT_H_
#define HLO_INDEXING_CODEGEN_EXPLAIN_ACCESS_REPORT_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "codegen/explain/coalescing_table.h"
#include "codegen/explain/given_values.h"
#include "codegen/plan/accesses.h"
#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/plan_context.h"
#include "hlo/module.h"
#include "indexing_analysis/queries/coalescing.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::explain {

/// Why an access touches more sectors than it would have to.
enum class WasteReason : uint8_t {
  kNone,       // it does not
  kNoVector,   // what a thread accesses lies side by side, but is no vector: unaligned, or bounded
  kStride,     // all neighbouring lanes are equally far apart
  kShortRuns,  // groups of lanes are side by side, the groups are not
  kAlignment,  // lanes are side by side, but warps begin inside of a sector
  kScattered,  // lanes have no pattern, or data decide
};

/// As in the JSON: "none", "no vector", "stride", "short runs", "alignment", "scattered".
llvm::StringRef WasteReasonName(WasteReason reason);

struct Waste {
  WasteReason reason = WasteReason::kNone;
  /// In what neighbouring lanes differ: "th_x", "th_y" or "th_z".
  std::string variable;
  /// kStride, kNoVector: bits from lane to lane. kShortRuns: from run to run.
  std::optional<int64_t> stride_bits;
  /// kNoVector: bytes of a thread. kShortRuns: bytes of a run.
  int64_t run_bytes = 0;
  /// Loads: the instruction whose operand is read with the stride while its own elements are
  /// neighbours. Null if the order of the emitter brings it in.
  const hlo::Instruction* origin = nullptr;
};

struct AccessReport {
  plan::KernelAccess access;
  /// nullopt if nobody knows which elements are accessed; access.reason says why.
  std::optional<indexing_analysis::Coalescing> coalescing;
  Waste waste;
  /// Which value that is known at run time is not, though values are given; empty if all are.
  std::string unknown_value;

  /// Whether what is moved is exact, and nothing that is counted is left out.
  bool IsTrafficExact() const {
    return coalescing.has_value() && coalescing->IsTrafficExact() && access.reason.empty();
  }
  /// Whether all counts are, different sectors too.
  bool IsExact() const {
    return coalescing.has_value() && coalescing->IsExact() && access.reason.empty();
  }
  /// Why it is not; empty if it is.
  std::string reason() const;
};

/// All accesses of a kernel, in the order of its passes. `values`, if not null, has what is known
/// of values that decide at run time.
std::vector<AccessReport> ReportAccesses(const plan::KernelPlan& plan, plan::PlanContext& plans,
                                         CoalescingTable& table, GivenValues* values = nullptr);

}  // namespace hlo_indexing::explain

#endif  // HLO_INDEXING_CODEGEN_EXPLAIN_ACCESS_REPORT_H_
