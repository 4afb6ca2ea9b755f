// What the kernels of a module are planned with.
//
//   PlanContext context(device, analysis, &mlir_context);
//   for (const Kernel& kernel : KernelsOf(module)) PlanLikeXla(*kernel.instruction, context);
#ifndef HLO_INDEXING_CODEGEN_PLAN_PLAN_CONTEXT_H_
#define HLO_INDEXING_CODEGEN_PLAN_PLAN_CONTEXT_H_

#include <cstddef>
#include <optional>
#include <unordered_map>
#include <utility>

#include "codegen/ptx/device_model.h"
#include "hlo/module.h"
#include "hlo/shape.h"
#include "indexing_analysis/analysis.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/MLIRContext.h"
#include "support/diagnostics.h"

namespace hlo_indexing::plan {

/// Remembers the maps that kernels share: the layers of a model have the same shapes again and
/// again. `bench/README.md` has what that gains.
class MapTable {
 public:
  using IndexingMap = indexing_analysis::IndexingMap;

  explicit MapTable(mlir::MLIRContext* mlir_context) : mlir_context_(mlir_context) {}

  /// What Compose(first, second) of maps/ answers.
  const IndexingMap& Compose(const IndexingMap& first, const IndexingMap& second);
  /// Where the elements of an array lie in memory, in the layout that its shape says, else row
  /// major; unknown if it is none for arrays.
  const IndexingMap& Positions(const hlo::Shape& shape);
  /// Where elements of an array lie, those of an index: Positions(shape) after it, simplified.
  const IndexingMap& PositionsAt(const IndexingMap& index, const hlo::Shape& shape) {
    return Simplified(Compose(index, Positions(shape)));
  }
  /// Which element lies at a position; padding is not in its domain.
  const IndexingMap& Elements(const hlo::Shape& shape);
  /// Simplify(map).
  const IndexingMap& Simplified(const IndexingMap& map);

 private:
  using Pair = std::pair<IndexingMap, IndexingMap>;
  struct Hash {
    size_t operator()(const IndexingMap& map) const { return hash_value(map); }
    size_t operator()(const Pair& maps) const;
  };

  mlir::MLIRContext* mlir_context_;
  std::unordered_map<Pair, IndexingMap, Hash> compositions_;
  std::unordered_map<IndexingMap, IndexingMap, Hash> simplified_;
  llvm::DenseMap<const hlo::Shape*, IndexingMap> positions_;
  llvm::DenseMap<const hlo::Shape*, IndexingMap> elements_;
};

/// For one module: it remembers maps of its instructions. All that it refers to must outlive it;
/// the analysis must be one for `mlir_context`.
struct PlanContext {
  PlanContext(const ptx::DeviceModel& of_device, indexing_analysis::IndexingAnalysis& of_module,
              mlir::MLIRContext* of_maps)
      : device(of_device), analysis(of_module), mlir_context(of_maps), maps(of_maps) {}

  const ptx::DeviceModel& device;
  indexing_analysis::IndexingAnalysis& analysis;
  mlir::MLIRContext* mlir_context;
  MapTable maps;

  /// The line and column of an instruction in the text of its module; line 0 if it has none.
  static support::SourcePosition PositionOf(const hlo::Instruction& instruction);
};

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_PLAN_CONTEXT_H_
