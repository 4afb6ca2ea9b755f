// Which elements the threads of a reduction of rows have: as many lanes, warps or warps of a block
// as a row has vectors, at most a block. Lanes are shuffled together, then a warp, or each, adds
// what the warps of a row have left in shared memory. Private to the folder.
#ifndef HLO_INDEXING_CODEGEN_PLAN_ROW_MAPS_H_
#define HLO_INDEXING_CODEGEN_PLAN_ROW_MAPS_H_

#include <array>
#include <cstdint>
#include <optional>

#include "codegen/plan/reduction_plan.h"
#include "codegen/plan/thread_map.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hlo_indexing::plan {

// The dimensions are {reduced, kept, reduced}.
class RowMaps : public ReductionMaps {
 public:
  RowMaps(const EmitterInput& input, const std::array<int64_t, 3>& sizes);
  /// Rows whose elements are needed again, and which have one block then. `kept`: registers for
  /// each element, if it is kept; nullopt if it must be read again.
  RowMaps(const EmitterInput& input, const std::array<int64_t, 3>& sizes,
          std::optional<int64_t> kept);

  /// KernelPlan::keeps_rows.
  bool keeps_rows() const { return keeps_rows_; }
  const char* variant() const override { return "row reduction"; }
  int64_t threads() const override { return threads_of_row_ * rows_; }
  int64_t blocks() const override { return groups(); }
  int64_t blocks_of_group() const override { return blocks_of_group_; }
  int64_t vector() const override { return vector_; }
  int64_t shuffled_lanes() const override;
  IndexingMap Input(const Launch& launch, int64_t group) const override;
  IndexingMap Output(const Launch& launch, int64_t group) const override;
  /// A partial result of each block, which the first threads of the row read.
  SharedTile Partials(const Launch& launch, int64_t group) const override;
  /// A partial result of each warp of a row, which the first of these reads.
  std::optional<SharedTile> Tile(const Launch& launch, int64_t group) const override;
  /// The same, which all warps of the row read.
  std::optional<SharedTile> TileForAll(const Launch& launch) const;
  /// The row that a thread works on.
  IndexingMap Rows(const Launch& launch) const;

 private:
  int64_t vectors() const { return sizes_[2] / vector_; }
  int64_t groups() const;
  int64_t MostThreads() const;
  void ChooseThreads(llvm::function_ref<bool()> fits);
  bool MayKeep(int64_t kept) const;
  void ChooseRows();
  void Divide();
  std::optional<SharedTile> TileOfWarps(const Launch& launch, int64_t group, bool is_for_all) const;
  mlir::AffineExpr Row(const ThreadMapBuilder& builder) const;
  mlir::AffineExpr InRow(const ThreadMapBuilder& builder) const;

  const EmitterInput& input_;
  std::array<int64_t, 3> sizes_;
  int64_t vector_;
  int64_t threads_of_row_ = 1;
  int64_t rows_ = 1;
  int64_t steps_ = 1;
  bool keeps_rows_ = false;
  // The blocks that have a row, and among how many of them its steps are divided.
  int64_t blocks_of_group_ = 1;
  int64_t blocks_of_steps_ = 1;
};

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_ROW_MAPS_H_
