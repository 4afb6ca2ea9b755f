#include "tools/shared_access_report.h"

#include <string>

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "support/to_double.h"
#include "tools/map_json.h"
#include "tools/quantity.h"

namespace hlo_indexing::tools {

using explain::SharedAccessReport;
using indexing_analysis::BankConflicts;
using llvm::DynamicAPInt;

namespace {

constexpr size_t kTerminalWidth = 100;

llvm::StringRef KindOf(const plan::KernelPlan& plan, const SharedAccessReport& report) {
  const plan::SharedTile& tile = plan.shared_tiles[report.tile];
  return tile.accesses[report.access].is_store ? "store" : "load";
}

std::string Operation(const plan::KernelPlan& plan, const SharedAccessReport& report) {
  return KindOf(plan, report) == "store" ? "op_st.sum" : "op_ld.sum";
}

std::string WavefrontMetric(const plan::KernelPlan& plan, const SharedAccessReport& report) {
  return "l1tex__data_pipe_lsu_wavefronts_mem_shared_" + Operation(plan, report);
}

// Counts what is more than ideal.
std::string ConflictMetric(const plan::KernelPlan& plan, const SharedAccessReport& report) {
  return "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_" + Operation(plan, report);
}

// The position is the one before the swizzle.
void WriteTileMaps(const plan::KernelPlan& plan, const SharedAccessReport& report,
                   llvm::json::OStream& json) {
  const plan::SharedTile& tile = plan.shared_tiles[report.tile];
  const plan::SharedAccess& access = tile.accesses[report.access];
  json.attribute("vector_elements", access.vector_elements);
  const auto numbers = [&](llvm::StringRef name, llvm::ArrayRef<int64_t> values) {
    json.attributeArray(name, [&] {
      for (const int64_t value : values) json.value(value);
    });
  };
  numbers("threads", plan.launch.threads);
  if (tile.swizzle.has_value()) {
    numbers("swizzle", {tile.swizzle->bits(), tile.swizzle->base(), tile.swizzle->shift()});
  }
  json.attributeBegin("element");
  WriteMap(access.index, json);
  json.attributeEnd();
  json.attributeBegin("position");
  WriteMap(tile.PositionOf(access), json);
  json.attributeEnd();
}

std::string PerRequest(const DynamicAPInt& wavefronts, const DynamicAPInt& requests) {
  return requests == 0 ? "0" : OneDecimal(support::RatioOf(wavefronts, requests));
}

}  // namespace

void WriteSharedAccesses(const plan::KernelPlan& plan, llvm::ArrayRef<SharedAccessReport> reports,
                         const ExplainTextOptions& options, llvm::raw_ostream& out) {
  for (const SharedAccessReport& report : reports) {
    const plan::SharedTile& tile = plan.shared_tiles[report.tile];
    const BankConflicts& conflicts = report.conflicts;
    const DynamicAPInt& wavefronts = conflicts.wavefronts.upper;
    const double share =
        wavefronts == 0 ? 1 : support::RatioOf(conflicts.ideal_wavefronts.upper, wavefronts);
    std::string line;
    llvm::raw_string_ostream(line)
        << "    " << llvm::formatv("{0,-7}", KindOf(plan, report)) << "tile of %"
        << tile.hero->name() << "  " << Percent(share) << "  "
        << PerRequest(wavefronts, conflicts.requests.upper) << " wavefronts per request, ideal "
        << PerRequest(conflicts.ideal_wavefronts.upper, conflicts.requests.upper) << ";";
    const std::string layout = tile.LayoutText();
    const bool is_wide = line.size() + 1 + layout.size() > kTerminalWidth;
    out << line << (is_wide ? "\n      " : " ") << layout << '\n';
    if (options.has_metric_names) {
      out << "      " << WavefrontMetric(plan, report) << ' ' << Digits(wavefronts) << "\n      "
          << ConflictMetric(plan, report) << ' '
          << Digits(wavefronts - conflicts.ideal_wavefronts.upper) << '\n';
    }
    if (!conflicts.IsExact()) out << "      not exact: " << conflicts.reason << '\n';
    if (options.has_maps) {
      const plan::SharedAccess& access = tile.accesses[report.access];
      out << "      elements " << access.index.ToString() << "\n      positions "
          << tile.PositionOf(access).ToString() << '\n';
    }
  }
}

void WriteSharedAccessesJson(const KernelOrigin& origin, const plan::KernelPlan& plan,
                             llvm::ArrayRef<SharedAccessReport> reports,
                             const ExplainTextOptions& options, llvm::raw_ostream& out) {
  for (const SharedAccessReport& report : reports) {
    const plan::SharedTile& tile = plan.shared_tiles[report.tile];
    const BankConflicts& conflicts = report.conflicts;
    llvm::json::OStream json(out);
    const auto number = [&](llvm::StringRef name, const DynamicAPInt& value) {
      json.attributeBegin(name);
      json.rawValue(Digits(value));
      json.attributeEnd();
    };
    json.object([&] {
      json.attribute("kind", "access");
      WriteKernelName(origin, plan, json);
      json.attribute("tile", static_cast<int64_t>(report.tile));
      json.attribute("hero", llvm::json::fixUTF8(tile.hero->name()));
      json.attribute("layout", tile.LayoutText());
      json.attribute("element_bits", tile.element_bits);
      json.attribute("access", KindOf(plan, report));
      json.attribute("space", "shared");
      json.attribute("vector_bytes", conflicts.vector_bytes);
      number("requests", conflicts.requests.upper);
      number("wavefronts", conflicts.wavefronts.upper);
      number("ideal_wavefronts", conflicts.ideal_wavefronts.upper);
      json.attribute("exact", conflicts.IsExact());
      if (!conflicts.IsExact()) json.attribute("reason", conflicts.reason);
      if (options.has_metric_names) {
        json.attributeObject("metrics", [&] {
          json.attribute("wavefronts", WavefrontMetric(plan, report));
          json.attribute("bank_conflicts", ConflictMetric(plan, report));
        });
      }
      if (options.has_maps) WriteTileMaps(plan, report, json);
    });
    out << '\n';
  }
}

}  // namespace hlo_indexing::tools
