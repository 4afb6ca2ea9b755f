#include "indexing_analysis/propagation/trace.h"

#include <optional>

#include "indexing_analysis/propagation/access_set.h"
#include "indexing_analysis/propagation/call_frame.h"
#include "indexing_analysis/propagation/map_writer.h"
#include "indexing_analysis/propagation/query.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::indexing_analysis {
namespace {

TraceStep::Access Describe(const Query& query, const AccessSet::Entry& entry) {
  DigitContext digits;
  Access access = CopyTo(digits, *entry.access);
  if (query.options.simplification == AnalysisOptions::Simplification::kFull) {
    simplifier::Simplify(digits, access.map);
  }
  const std::optional<IndexingMap> map =
      ExportShortest(digits, query.values.table(), access, query.options, query.mlir_context);
  if (!map) return {{}, kTooLongReason.str()};
  if (!entry.access->HasDevice()) return {{*map, std::nullopt}, entry.reason.str()};
  return {OperandMap::WithDeviceApart(*map), entry.reason.str()};
}

}  // namespace

void Trace::Add(const Query& query, const hlo::Instruction& instruction, int64_t leaf,
                const CallFrame* frame, const AccessSet& accesses) {
  TraceStep& step = steps_.emplace_back();
  step.instruction = &instruction;
  step.leaf = leaf;
  step.depth = DepthOf(frame);
  for (const AccessSet::Entry& entry : accesses.entries()) {
    step.accesses.push_back(Describe(query, entry));
  }
  for (const AccessSet::Unknown& unknown : accesses.unknown()) {
    step.accesses.push_back({{}, unknown.reason.str()});
  }
}

void Trace::AddAll(const Query& query, const hlo::Instruction& instruction, const CallFrame* frame,
                   llvm::ArrayRef<AccessSet> output) {
  for (size_t leaf = 0; leaf < output.size(); ++leaf) {
    if (output[leaf].IsEmpty()) continue;
    Add(query, instruction, static_cast<int64_t>(leaf), frame, output[leaf]);
  }
}

void Trace::MarkRepeated(const hlo::Instruction& call) {
  for (TraceStep& step : llvm::reverse(steps_)) {
    if (step.instruction != &call) return;
    step.is_repeated = true;
  }
}

}  // namespace hlo_indexing::indexing_analysis
