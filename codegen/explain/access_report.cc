#include "codegen/explain/access_report.h"

#include <array>
#include <cstdlib>
#include <utility>

#include "codegen/explain/lane_pattern.h"
#include "codegen/explain/stride_origin.h"
#include "support/checked_math.h"

namespace hlo_indexing::explain {
namespace {

using indexing_analysis::Coalescing;
using plan::KernelAccess;
using plan::KernelPlan;

// Of all accesses of a kernel together, four times as many as one may take: a tenth of a second.
constexpr int64_t kMostLaneAccesses = int64_t{1} << 24;

// The first coordinate of the block that has more than one thread.
std::string LaneVariable(const KernelPlan& plan) {
  for (size_t i = 0; i < plan.launch.threads.size(); ++i) {
    if (plan.launch.threads[i] > 1) return plan::kThreadDimensionNames[i].str();
  }
  return plan::kThreadDimensionNames[0].str();
}

Waste WasteOf(const KernelPlan& plan, const KernelAccess& access, const Coalescing& coalescing) {
  Waste waste;
  if (coalescing.sectors.upper == coalescing.ideal_sectors.upper) return waste;
  waste.variable = LaneVariable(plan);
  const LanePattern pattern = PatternOfFirstWarp(access.access.position, plan.launch.threads);
  std::optional<int64_t> stride = coalescing.lane_stride_bits;
  const bool is_regular = stride.has_value();
  if (!is_regular && pattern.stride.has_value() && access.access.position.num_runtime() == 0) {
    stride = *pattern.stride * access.access.element_bits;
  }
  waste.reason = WasteReason::kScattered;
  if (!stride.has_value()) return waste;
  // What a thread accesses at a time, and what it would if that were a vector.
  const int64_t width = access.access.element_bits * coalescing.vector_elements;
  const int64_t wanted = access.access.element_bits * access.access.vector_elements;
  if (std::abs(*stride) > width) {
    const bool is_vector = std::abs(*stride) == wanted;
    waste.reason = is_vector ? WasteReason::kNoVector : WasteReason::kStride;
    waste.stride_bits = stride;
    waste.run_bytes = is_vector ? wanted / 8 : 0;
  } else if (!is_regular && pattern.run > 1 && pattern.run_stride.has_value()) {
    // Lanes that access the same are a run of one.
    const int64_t run_bits = (*stride == 0 ? 1 : pattern.run) * width;
    waste.stride_bits = *pattern.run_stride * access.access.element_bits;
    if (std::abs(*waste.stride_bits) == run_bits) {
      waste.reason = WasteReason::kAlignment;
      waste.stride_bits.reset();
      return waste;
    }
    waste.reason = WasteReason::kShortRuns;
    waste.run_bytes = support::CeilDiv(run_bits, 8);
  } else if (is_regular || std::abs(*stride) == width) {
    waste.reason = WasteReason::kAlignment;
  }
  return waste;
}

// Whether one instruction on the way may have brought the distance of lanes in.
bool HasOrigin(WasteReason reason) {
  return reason == WasteReason::kStride || reason == WasteReason::kShortRuns ||
         reason == WasteReason::kScattered;
}

}  // namespace

llvm::StringRef WasteReasonName(WasteReason reason) {
  constexpr std::array<llvm::StringRef, 6> kNames = {"none",       "no vector", "stride",
                                                     "short runs", "alignment", "scattered"};
  return kNames[static_cast<size_t>(reason)];
}

std::string AccessReport::reason() const {
  if (!access.reason.empty() || !coalescing.has_value()) return access.reason;
  if (coalescing->reason.empty() || unknown_value.empty()) return coalescing->reason;
  return coalescing->reason + "; " + unknown_value;
}

std::vector<AccessReport> ReportAccesses(const KernelPlan& plan, plan::PlanContext& plans,
                                         CoalescingTable& table, GivenValues* values) {
  std::vector<AccessReport> reports;
  int64_t budget = kMostLaneAccesses;
  for (KernelAccess& access : AccessesOf(plan, plans)) {
    AccessReport& report = reports.emplace_back();
    if (values != nullptr) {
      GivenValues::Arrays arrays = values->ArraysOf(plan, access.access.position);
      access.access.known_arrays = std::move(arrays.by_variable);
      report.unknown_value = std::move(arrays.reason);
    }
    report.coalescing = table.Of(access.access, budget);
    if (report.coalescing.has_value()) {
      report.waste = WasteOf(plan, access, *report.coalescing);
      if (HasOrigin(report.waste.reason) && access.IsOfOperand()) {
        report.waste.origin = OriginOfStride(plan, access, plans);
      }
    }
    report.access = std::move(access);
  }
  return reports;
}

}  // namespace hlo_indexing::explain
