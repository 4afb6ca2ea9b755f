#include "tools/kernel_json.h"

#include <array>
#include <cstdint>

#include "tools/map_json.h"
#include "tools/quantity.h"

namespace hlo_indexing::tools {
namespace {

using explain::AccessReport;
using indexing_analysis::Coalescing;
using indexing_analysis::Image;
using llvm::DynamicAPInt;

void WriteSizes(llvm::json::OStream& json, llvm::StringRef name,
                const std::array<int64_t, 3>& sizes) {
  json.attributeArray(name, [&] {
    for (const int64_t size : sizes) json.value(size);
  });
}

// A whole number of any size.
void WriteNumber(llvm::json::OStream& json, llvm::StringRef name, const DynamicAPInt& number) {
  json.attributeBegin(name);
  json.rawValue(Digits(number));
  json.attributeEnd();
}

std::string Fraction(const DynamicAPInt& numerator, const DynamicAPInt& denominator) {
  return Digits(numerator) + "/" + Digits(denominator);
}

void WriteCounts(const Coalescing& coalescing, const DynamicAPInt Image::Count::* end,
                 llvm::json::OStream& json) {
  WriteNumber(json, "requests", coalescing.requests.*end);
  WriteNumber(json, "sectors", coalescing.sectors.*end);
  WriteNumber(json, "ideal_sectors", coalescing.ideal_sectors.*end);
  WriteNumber(json, "distinct_sectors", coalescing.distinct_sectors.*end);
}

void WriteCoalescing(const AccessReport& report, llvm::json::OStream& json) {
  const Coalescing& coalescing = *report.coalescing;
  json.attribute("vector_bytes", coalescing.vector_bytes);
  WriteCounts(coalescing, &Image::Count::upper, json);
  if (!coalescing.IsExact()) {
    json.attributeObject("best_case", [&] { WriteCounts(coalescing, &Image::Count::lower, json); });
  }
  json.attribute("sectors_per_request",
                 Fraction(coalescing.sectors.upper, coalescing.requests.upper));
  json.attribute("efficiency", Fraction(coalescing.ideal_sectors.upper, coalescing.sectors.upper));
}

void WriteWaste(const AccessReport& report, const ExplainText& text, llvm::json::OStream& json) {
  const explain::Waste& waste = report.waste;
  if (waste.reason == explain::WasteReason::kNone) return;
  json.attribute("cause", explain::WasteReasonName(waste.reason));
  json.attribute("broken_by", waste.variable);
  if (waste.stride_bits.has_value()) {
    if (*waste.stride_bits % 8 == 0) {
      json.attribute("stride_bytes", *waste.stride_bits / 8);
    } else {
      json.attribute("stride_bits", *waste.stride_bits);
    }
  }
  if (waste.origin == nullptr) return;
  json.attributeObject("origin", [&] {
    const support::SourcePosition position = text.Locate(*waste.origin);
    json.attribute("instruction", llvm::json::fixUTF8(waste.origin->name()));
    json.attribute("line", position.line);
    json.attribute("column", position.column);
  });
}

void WriteCure(const explain::LayoutCure& cure, llvm::json::OStream& json) {
  const std::string layout = LayoutText(cure.minor_to_major);
  json.attribute("hint", "layout " + layout + ": " + Digits(cure.sectors_then) +
                             " sectors instead of " + Digits(cure.sectors_now));
  json.attributeObject("cure", [&] {
    json.attribute("layout", layout);
    WriteNumber(json, "sectors", cure.sectors_then);
    WriteNumber(json, "sectors_now", cure.sectors_now);
    json.attribute("copy_bytes", cure.copy_bytes);
  });
}

void WritePlanCure(const explain::PlanCure& cure, llvm::json::OStream& json) {
  json.object([&] {
    json.attribute("change", explain::PlanChangeName(cure.change));
    switch (cure.change) {
      case explain::PlanChange::kResultLayout:
        json.attribute("output", cure.output);
        json.attribute("layout", LayoutText(cure.minor_to_major));
        json.attribute("copy_bytes", cure.array_bytes);
        break;
      case explain::PlanChange::kHero:
        json.attribute("variant", cure.variant);
        if (cure.at != nullptr) json.attribute("hero", llvm::json::fixUTF8(cure.at->name()));
        break;
      case explain::PlanChange::kSplit:
        json.attribute("at", llvm::json::fixUTF8(cure.at->name()));
        json.attribute("array_bytes", cure.array_bytes);
        break;
      case explain::PlanChange::kVector:
        json.attribute("vector_elements", cure.vector_elements);
        break;
    }
    WriteNumber(json, "moved_bytes", cure.then.moved_bytes());
    WriteNumber(json, "moved_bytes_now", cure.now.moved_bytes());
    WriteNumber(json, "requests", cure.then.requests);
    WriteNumber(json, "requests_now", cure.now.requests);
    json.attribute("estimated_us", cure.then.us);
    json.attribute("estimated_us_now", cure.now.us);
    json.attribute("exact", cure.then.is_exact && cure.now.is_exact);
  });
}

void WriteMetricNames(plan::AccessKind kind, llvm::json::OStream& json) {
  const std::string operation = MetricOperation(kind).str();
  json.attributeObject("metrics", [&] {
    json.attribute("requests", "l1tex__t_requests_pipe_lsu_" + operation);
    json.attribute("sectors", "l1tex__t_sectors_pipe_lsu_" + operation);
  });
}

}  // namespace

void WriteKernelName(const KernelOrigin& origin, const plan::KernelPlan& plan,
                     llvm::json::OStream& json) {
  const hlo::Computation& computation = plan.instruction->parent();
  json.attribute("file", llvm::json::fixUTF8(origin.file));
  json.attribute("module", llvm::json::fixUTF8(computation.parent().name()));
  json.attribute("computation", llvm::json::fixUTF8(computation.name()));
  json.attribute("instruction", llvm::json::fixUTF8(plan.instruction->name()));
  json.attribute("plan", origin.plan);
  json.attribute("device", llvm::json::fixUTF8(origin.device));
}

void WriteLaunch(const plan::KernelPlan& plan, llvm::json::OStream& json) {
  json.attribute("emitter", plan::EmitterName(plan.emitter));
  json.attribute("variant", plan.variant);
  WriteSizes(json, "blocks", plan.launch.blocks);
  WriteSizes(json, "threads", plan.launch.threads);
  const std::string refused = plan.launch.WhyRefused();
  if (!refused.empty()) json.attribute("refused", refused);
}

namespace {

void WriteAccessMaps(const AccessReport& report, llvm::json::OStream& json) {
  const indexing_analysis::MemoryAccess& memory = report.access.access;
  json.attribute("element_bits", memory.element_bits);
  json.attribute("vector_elements", report.coalescing.has_value()
                                        ? report.coalescing->vector_elements
                                        : memory.vector_elements);
  WriteSizes(json, "threads", memory.threads);
  json.attributeBegin("element");
  WriteMap(report.access.element, json);
  json.attributeEnd();
  json.attributeBegin("position");
  WriteMap(memory.position, json);
  json.attributeEnd();
}

}  // namespace

void WriteAccessJson(const KernelOrigin& origin, const plan::KernelPlan& plan,
                     const AccessReport& report, llvm::ArrayRef<explain::LayoutCure> cures,
                     const ExplainText& text, bool has_metric_names, llvm::raw_ostream& out) {
  const plan::KernelAccess& access = report.access;
  const bool is_load = access.kind == plan::AccessKind::kLoad;
  llvm::json::OStream json(out);
  json.object([&] {
    json.attribute("kind", "access");
    WriteKernelName(origin, plan, json);
    if (access.scratch.has_value()) {
      json.attribute("scratch", static_cast<int64_t>(*access.scratch));
    } else if (access.constant != nullptr) {
      json.attribute("constant", llvm::json::fixUTF8(access.constant->name()));
    } else if (is_load) {
      json.attribute("operand", access.operand);
      json.attribute("array", access.leaf);
    } else {
      json.attribute("output", access.output);
    }
    json.attribute("array_name", llvm::json::fixUTF8(NameOfArray(plan, access)));
    json.attribute("access", plan::AccessKindName(access.kind));
    json.attribute("space", "global");
    if (report.coalescing.has_value()) WriteCoalescing(report, json);
    json.attribute("exact", report.IsExact());
    if (!report.IsExact()) json.attribute("reason", llvm::json::fixUTF8(report.reason()));
    WriteWaste(report, text, json);
    for (const explain::LayoutCure& cure : cures) {
      if (access.IsOfOperand() && cure.operand == access.operand && cure.leaf == access.leaf) {
        WriteCure(cure, json);
      }
    }
    if (has_metric_names) WriteMetricNames(access.kind, json);
    if (text.options().has_maps) WriteAccessMaps(report, json);
  });
  out << '\n';
}

void WriteKernelJson(const KernelOrigin& origin, const explain::KernelReport& report,
                     const explain::PlanCures* changes, const Traffic* before,
                     const ExplainText& text, llvm::raw_ostream& out) {
  const explain::TrafficTotals& totals = report.totals;
  llvm::json::OStream json(out);
  json.object([&] {
    json.attribute("kind", "kernel");
    WriteKernelName(origin, report.plan, json);
    const support::SourcePosition position = text.Locate(*report.plan.instruction);
    json.attribute("line", position.line);
    json.attribute("column", position.column);
    WriteLaunch(report.plan, json);
    WriteNumber(json, "moved_bytes", totals.moved_bytes());
    WriteNumber(json, "needed_bytes", totals.needed_bytes());
    WriteNumber(json, "wasted_bytes", totals.wasted_bytes());
    WriteNumber(json, "dram_bytes", totals.dram_bytes());
    json.attribute("efficiency", Fraction(totals.ideal_sectors, totals.sectors));
    json.attribute("exact", totals.is_exact);
    json.attribute("dram_exact", totals.is_dram_exact);
    json.attribute("unknown_accesses", totals.unknown_accesses);
    json.attribute("estimated_us", report.time.us());
    json.attribute("bound", llvm::StringRef(report.time.bound()));
    json.attribute("dram_bandwidth_share", report.bandwidth_share);
    if (changes != nullptr) {
      json.attributeArray("cures", [&] {
        for (const explain::PlanCure& cure : changes->cures) WritePlanCure(cure, json);
      });
      json.attribute("changes_tried", changes->num_tried);
      json.attribute("changes_left_out", changes->num_left_out);
    }
    if (before == nullptr) return;
    json.attributeObject("before", [&] {
      WriteNumber(json, "moved_bytes", before->moved_bytes);
      WriteNumber(json, "wasted_bytes", before->wasted_bytes);
      json.attribute("estimated_us", before->us);
    });
  });
  out << '\n';
}

}  // namespace hlo_indexing::tools
