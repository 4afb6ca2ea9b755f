// What would help a kernel that would be planned otherwise then: another layout of a result,
// another hero, two kernels instead of one, wider vectors. Each has been planned again, and all
// accesses of that plan counted.
//
// Example: a loop that adds two transposes of f32[2048,2048], as XLA takes neither for its hero,
// reads both with 32 sectors for each request. With one of them as the hero it moves 168 MB instead
// of 285 MB:
//
//   PlanCureFinder finder(plans);
//   const KernelReport report = ReportKernel(*std::move(plan), plans, table);
//   const std::optional<PlanCures> found = finder.Find(report);
//   found->cures.front().now.moved_bytes();   // -> 285,212,672
//   found->cures.front().then.moved_bytes();  // -> 167,772,160
#ifndef HLO_INDEXING_CODEGEN_EXPLAIN_PLAN_CURES_H_
#define HLO_INDEXING_CODEGEN_EXPLAIN_PLAN_CURES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "codegen/explain/coalescing_table.h"
#include "codegen/explain/kernel_report.h"
#include "codegen/plan/plan_context.h"
#include "hlo/module.h"
#include "llvm/ADT/DynamicAPInt.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::explain {

/// What is changed.
enum class PlanChange : uint8_t {
  kResultLayout,
  kHero,
  kSplit,
  kVector,
};

/// As in the JSON: "result layout", "hero", "split", "vector".
llvm::StringRef PlanChangeName(PlanChange change);

/// Of a kernel, or of two that do its work: sums over all accesses.
struct KernelFigures {
  llvm::DynamicAPInt requests;
  llvm::DynamicAPInt sectors;
  double us = 0;
  bool is_exact = true;

  /// Between the multiprocessors and L2.
  llvm::DynamicAPInt moved_bytes() const;
};

struct PlanCure {
  PlanChange change = PlanChange::kHero;
  /// kResultLayout: the output array and its layout.
  int64_t output = 0;
  llvm::SmallVector<int64_t, 6> minor_to_major;
  /// kHero: the hero; null for a loop, which has none. kSplit: the instruction whose result one
  /// kernel stores and the other one loads.
  const hlo::Instruction* at = nullptr;
  /// kHero: the kind of the emitter then. Example: "packed transpose"
  std::string variant;
  /// kVector: elements that a thread computes at a time.
  int64_t vector_elements = 0;
  /// kSplit: of the array between the kernels, which `then` counts. kResultLayout: what a kernel
  /// moves that copies the result back to the layout that it has now, both sides coalesced; `then`
  /// does not count it.
  int64_t array_bytes = 0;
  /// Where they are ranges, the least of now and the most of then.
  KernelFigures now;
  KernelFigures then;
};

struct PlanCures {
  std::vector<PlanCure> cures;
  /// Changes that were planned, and those that were not, or whose accesses were not counted, as
  /// that is beyond the limits.
  int64_t num_tried = 0;
  int64_t num_left_out = 0;
};

struct PlanCureLimits {
  /// Of a kernel: changes that are planned.
  int64_t max_tried = 16;
  /// Of a module: kernels, different ones among them, instructions of all changes together.
  int64_t max_kernels = 256;
  int64_t max_different_kernels = 16;
  int64_t max_instructions = 2000;
  /// Of an access: see CoalescingOptions.
  int64_t max_lane_accesses = int64_t{1} << 14;
  /// Kernels that take less are left alone: to launch them takes longer, whatever they move.
  double min_us = 0.1;
};

/// For the kernels of one module.
class PlanCureFinder {
 public:
  /// The plans must be those of the module, and outlive the finder.
  explicit PlanCureFinder(plan::PlanContext& plans, const PlanCureLimits& limits = {});

  /// The best change of each kind, of results for each output, if it helps: it saves a tenth of the
  /// bytes that the kernel moves; or for vectors a quarter of the requests while enough threads are
  /// left to fill the device, or a twentieth of the estimated time. Neither bytes nor time grow.
  /// The launch of the second kernel is no part of the estimate.
  ///
  /// `report` must be of a plan of PlanLikeXla. Kernels that compute the same are planned again
  /// once. nullopt if nothing has been tried: beyond the limits of the module, for a shorter kernel
  /// than the least, where accesses are unknown, and where given values decide.
  std::optional<PlanCures> Find(const KernelReport& report);

  /// Kernels for which nothing has been tried, as that was beyond the limits of the module.
  int64_t num_left_out() const { return num_left_out_; }

 private:
  plan::PlanContext& plans_;
  PlanCureLimits limits_;
  // Its answers are less exact than those of the reports.
  CoalescingTable table_;
  int64_t num_kernels_ = 0;
  int64_t num_left_out_ = 0;
  int64_t num_instructions_ = 0;
  // By the text of the kernel; `at` as the place in KernelInstructions.
  struct Known {
    PlanCures cures;
    std::vector<size_t> places;
  };
  std::unordered_map<std::string, Known> known_;
};

}  // namespace hlo_indexing::explain

#endif  // HLO_INDEXING_CODEGEN_EXPLAIN_PLAN_CURES_H_
