#include "codegen/explain/plan_cures.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "codegen/explain/changed_kernels.h"
#include "codegen/explain/kernel_copy.h"
#include "codegen/plan/accesses.h"
#include "codegen/plan/xla_alternatives.h"
#include "codegen/plan/xla_plan.h"
#include "hlo/printer.h"
#include "indexing_analysis/analysis.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::explain {
namespace {

using llvm::DynamicAPInt;
using plan::KernelPlan;

constexpr int64_t kSectorBytes = 32;

std::optional<KernelFigures> FiguresOf(const KernelSums& sums) {
  if (sums.totals.unknown_accesses != 0) return std::nullopt;
  return KernelFigures{sums.totals.requests, sums.totals.sectors, sums.time.us(),
                       sums.totals.is_exact};
}

// Of ranges the lower ends.
std::optional<KernelFigures> LeastOf(const KernelReport& report, const ptx::DeviceModel& device) {
  if (report.totals.is_exact || report.totals.unknown_accesses != 0) return FiguresOf(report);
  std::vector<AccessReport> accesses = report.accesses;
  for (AccessReport& access : accesses) {
    indexing_analysis::Coalescing& counts = *access.coalescing;
    for (indexing_analysis::Image::Count* count :
         {&counts.requests, &counts.sectors, &counts.ideal_sectors, &counts.distinct_sectors}) {
      count->upper = count->lower;
    }
  }
  std::optional<KernelFigures> figures =
      FiguresOf(SumKernel(report.plan, accesses, report.shared, device));
  figures->is_exact = false;
  return figures;
}

// `distinct_sectors` as in SumKernel.
std::optional<KernelFigures> FiguresOf(const absl::StatusOr<KernelPlan>& plan,
                                       plan::PlanContext& plans, CoalescingTable& table,
                                       std::optional<DynamicAPInt> distinct_sectors) {
  if (!plan.ok()) return std::nullopt;
  std::vector<AccessReport> accesses;
  for (plan::KernelAccess& access : AccessesOf(*plan, plans)) {
    AccessReport& report = accesses.emplace_back();
    report.coalescing = table.Of(access.access);
    report.access = std::move(access);
  }
  return FiguresOf(SumKernel(*plan, accesses, ReportSharedAccesses(*plan, table.bank_conflicts()),
                             plans.device, std::move(distinct_sectors)));
}

// Of a kernel that computes the part.
std::optional<KernelFigures> FiguresOf(const KernelPlan& plan, const KernelPart& part,
                                       const plan::PlanContext& plans, CoalescingTable& table,
                                       std::optional<DynamicAPInt> distinct_sectors) {
  const std::unique_ptr<hlo::Module> module = CopyPart(plan, part);
  if (module == nullptr) return std::nullopt;
  indexing_analysis::IndexingAnalysis analysis(plans.mlir_context);
  plan::PlanContext of_part(plans.device, analysis, plans.mlir_context);
  return FiguresOf(PlanLikeXla(module->entry(), of_part), of_part, table,
                   std::move(distinct_sectors));
}

// Of two kernels, one after the other.
std::optional<KernelFigures> Sum(const std::optional<KernelFigures>& a,
                                 const std::optional<KernelFigures>& b) {
  if (!a.has_value() || !b.has_value()) return std::nullopt;
  return KernelFigures{a->requests + b->requests, a->sectors + b->sectors, a->us + b->us,
                       a->is_exact && b->is_exact};
}

// Estimates are sums of products: what differs by rounding only is the same.
bool IsAtMost(double us, double share, double of_us) { return us <= share * of_us * (1 + 1e-9); }

class ChangesOfKernel {
 public:
  ChangesOfKernel(const KernelReport& report, const KernelFigures& now, plan::PlanContext& plans,
                  CoalescingTable& table, int64_t max_tried)
      : report_(report), plans_(plans), table_(table), max_tried_(max_tried), now_(now) {}

  PlanCures Find() && {
    TryHeroes();
    TryResultLayouts();
    TrySplits();
    TryVectors();
    return std::move(result_);
  }

 private:
  // However a kernel is planned, it reads and writes the same elements.
  DynamicAPInt SameElements() const { return report_.totals.distinct_sectors; }

  // Whether one more may be planned.
  bool MayTry() {
    if (result_.num_tried == max_tried_) {
      ++result_.num_left_out;
      return false;
    }
    ++result_.num_tried;
    return true;
  }

  // Whether the figures are known, and `helps` holds for them.
  template <typename Predicate>
  bool IsGain(const std::optional<KernelFigures>& then, Predicate helps) {
    if (!then.has_value()) return false;
    if (helps(*then)) return true;
    // The limit of lanes made a range of it: nobody knows.
    if (now_.is_exact && !then->is_exact) ++result_.num_left_out;
    return false;
  }
  bool IsGain(const std::optional<KernelFigures>& then) {
    return IsGain(then, [&](const KernelFigures& figures) { return Helps(figures); });
  }

  bool Helps(const KernelFigures& then) const {
    return then.sectors * 10 <= now_.sectors * 9 && IsAtMost(then.us, 1, now_.us);
  }

  bool HelpsRequests(const KernelFigures& then, const plan::Launch& launch) const {
    if (then.sectors > now_.sectors || !IsAtMost(then.us, 1, now_.us)) return false;
    if (IsAtMost(then.us, 0.95, now_.us)) return true;
    const int64_t threads = launch.num_blocks() * launch.threads_per_block();
    const bool fills_device =
        threads >= int64_t{plans_.device.multiprocessors} * plans_.device.max_threads;
    return fills_device && then.requests * 4 <= now_.requests * 3;
  }

  // Keeps `cure` if it is better than the best until now.
  static void Keep(PlanCure cure, std::optional<PlanCure>& best) {
    const auto is_better = [](const KernelFigures& a, const KernelFigures& b) {
      if (a.sectors != b.sectors) return a.sectors < b.sectors;
      if (!IsAtMost(b.us, 1, a.us)) return true;
      return IsAtMost(a.us, 1, b.us) && a.requests < b.requests;
    };
    if (!best.has_value() || is_better(cure.then, best->then)) best = std::move(cure);
  }

  void Add(std::optional<PlanCure> cure) {
    if (!cure.has_value()) return;
    cure->now = now_;
    result_.cures.push_back(*std::move(cure));
  }

  void TryHeroes() {
    std::optional<PlanCure> best;
    for (const plan::Alternative& alternative : OtherHeroes(report_.plan, plans_)) {
      if (!MayTry()) continue;
      const absl::StatusOr<KernelPlan> plan = PlanAlternative(report_.plan, alternative, plans_);
      const std::optional<KernelFigures> then = FiguresOf(plan, plans_, table_, SameElements());
      if (!IsGain(then)) continue;
      PlanCure cure;
      cure.change = PlanChange::kHero;
      cure.variant = plan->variant;
      if (plan->emitter != plan::Emitter::kLoop) cure.at = alternative.changed_hero;
      cure.then = *then;
      Keep(std::move(cure), best);
    }
    Add(std::move(best));
  }

  void TryResultLayouts() {
    for (const plan::PlannedRoot& root : report_.plan.roots) {
      std::optional<PlanCure> best;
      for (const ResultLayout& changed : OtherResultLayouts(report_.plan, root)) {
        if (!MayTry()) continue;
        const auto then = FiguresOf(report_.plan, changed.part, plans_, table_, SameElements());
        if (!IsGain(then)) continue;
        PlanCure cure;
        cure.change = PlanChange::kResultLayout;
        cure.output = root.first_output;
        cure.minor_to_major = changed.layout.minor_to_major;
        // Read once, written once.
        cure.array_bytes = 2 * changed.bytes;
        cure.then = *then;
        Keep(std::move(cure), best);
      }
      Add(std::move(best));
    }
  }

  void TrySplits() {
    std::optional<PlanCure> best;
    for (const hlo::Instruction* at : SplitsOf(report_)) {
      if (!MayTry()) continue;
      KernelPart producer;
      producer.roots = {at};
      KernelPart consumer;
      consumer.roots = RootsOf(report_.plan);
      consumer.given = {at};
      // Which part of its operands each kernel reads is not counted again: all of them, at most.
      const std::optional<KernelFigures> then =
          Sum(FiguresOf(report_.plan, producer, plans_, table_, std::nullopt),
              FiguresOf(report_.plan, consumer, plans_, table_, std::nullopt));
      if (!IsGain(then)) continue;
      PlanCure cure;
      cure.change = PlanChange::kSplit;
      cure.at = at;
      cure.array_bytes = BytesOf(at->shape()).value_or(0);
      cure.then = *then;
      Keep(std::move(cure), best);
    }
    Add(std::move(best));
  }

  void TryVectors() {
    std::optional<PlanCure> best;
    for (const plan::Alternative& alternative : plan::WiderVectors(report_.plan)) {
      if (!MayTry()) continue;
      const absl::StatusOr<KernelPlan> plan = PlanAlternative(report_.plan, alternative, plans_);
      const std::optional<KernelFigures> then = FiguresOf(plan, plans_, table_, SameElements());
      const auto helps = [&](const KernelFigures& figures) {
        return HelpsRequests(figures, plan->launch);
      };
      if (!IsGain(then, helps)) continue;
      PlanCure cure;
      cure.change = PlanChange::kVector;
      cure.vector_elements = *alternative.vector_elements;
      cure.then = *then;
      Keep(std::move(cure), best);
    }
    Add(std::move(best));
  }

  const KernelReport& report_;
  plan::PlanContext& plans_;
  CoalescingTable& table_;
  int64_t max_tried_;
  KernelFigures now_;
  PlanCures result_;
};

// In instructions of usual size: each result of a reduction or sort of many arrays is made of all
// of them.
int64_t WorkOf(llvm::ArrayRef<const hlo::Instruction*> instructions) {
  constexpr int64_t kUsual = 64;
  int64_t work = 0;
  for (const hlo::Instruction* instruction : instructions) {
    const int64_t results = instruction->shape().num_array_leaves();
    const auto operands = static_cast<int64_t>(instruction->operands().size());
    work += std::max<int64_t>(1, results * operands / kUsual);
  }
  return work;
}

}  // namespace

llvm::StringRef PlanChangeName(PlanChange change) {
  constexpr std::array<llvm::StringRef, 4> kNames = {"result layout", "hero", "split", "vector"};
  return kNames[static_cast<size_t>(change)];
}

DynamicAPInt KernelFigures::moved_bytes() const { return sectors * kSectorBytes; }

PlanCureFinder::PlanCureFinder(plan::PlanContext& plans, const PlanCureLimits& limits)
    : plans_(plans),
      limits_(limits),
      table_(indexing_analysis::CoalescingOptions{
          .max_lane_accesses = limits.max_lane_accesses,
          .max_uncertain_lane_accesses = limits.max_lane_accesses,
          .counts_distinct_sectors = false}) {}

std::optional<PlanCures> PlanCureFinder::Find(const KernelReport& report) {
  const std::optional<KernelFigures> now = LeastOf(report, plans_.device);
  const bool has_given_values = llvm::any_of(report.accesses, [](const AccessReport& access) {
    return !access.access.access.known_arrays.empty();
  });
  if (!now.has_value() || has_given_values || now->us < limits_.min_us) return std::nullopt;
  if (++num_kernels_ > limits_.max_kernels) {
    ++num_left_out_;
    return std::nullopt;
  }
  KernelPart all;
  all.roots = RootsOf(report.plan);
  const std::unique_ptr<hlo::Module> whole = CopyPart(report.plan, all);
  if (whole == nullptr) return std::nullopt;
  const std::vector<const hlo::Instruction*> instructions = KernelInstructions(report.plan);
  std::string text = ToString(*whole);
  if (const auto known = known_.find(text); known != known_.end()) {
    PlanCures cures = known->second.cures;
    for (size_t i = 0; i < cures.cures.size(); ++i) {
      if (cures.cures[i].at != nullptr) cures.cures[i].at = instructions[known->second.places[i]];
    }
    return cures;
  }
  const int64_t num_instructions = WorkOf(instructions);
  const int64_t max_tried = std::min(
      limits_.max_tried, (limits_.max_instructions - num_instructions_) / num_instructions);
  if (std::ssize(known_) >= limits_.max_different_kernels || max_tried <= 0) {
    ++num_left_out_;
    return std::nullopt;
  }
  Known& known = known_[std::move(text)];
  known.cures = ChangesOfKernel(report, *now, plans_, table_, max_tried).Find();
  num_instructions_ += known.cures.num_tried * num_instructions;
  for (const PlanCure& cure : known.cures.cures) {
    known.places.push_back(
        static_cast<size_t>(llvm::find(instructions, cure.at) - instructions.begin()));
  }
  return known.cures;
}

}  // namespace hlo_indexing::explain
