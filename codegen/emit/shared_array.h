// Arrays in shared memory. Private to the folder.
#ifndef HLO_INDEXING_CODEGEN_EMIT_SHARED_ARRAY_H_
#define HLO_INDEXING_CODEGEN_EMIT_SHARED_ARRAY_H_

#include <cstdint>

#include "codegen/emit/index_code.h"
#include "codegen/emit/kernel_emitter.h"
#include "codegen/plan/kernel_plan.h"
#include "hlo/element_type.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::emit {

/// An array in shared memory, as the plan lays it out.
class SharedArray {
 public:
  SharedArray(KernelEmitter& kernel, const plan::SharedTile& tile, hlo::ElementType type);
  /// The same at a place in scratch memory.
  SharedArray(KernelEmitter& kernel, const plan::SharedTile& tile, hlo::ElementType type,
              mlir::Value base);

  /// Elements at the place of an access, by its vectors. The variables are those of the map.
  void Store(const Lanes& lanes, const plan::SharedAccess& access);
  Lanes Load(const plan::SharedAccess& access);
  /// Where the first of the elements is.
  mlir::Value PointerTo(const plan::SharedAccess& access);

 private:
  struct Place {
    IndexSum first;
    int64_t divisor = 1;
    llvm::SmallVector<int64_t, 16> offsets;

    LanePositions positions() const {
      return {first.value, divisor, offsets, /*scale=*/1, first.constant};
    }
  };
  Place PlaceOf(const plan::SharedAccess& access);
  IndexSum Swizzled(const IndexingMap& position, const VariableValues& variables);

  KernelEmitter& kernel_;
  const plan::SharedTile& tile_;
  Buffer buffer_;
};

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_SHARED_ARRAY_H_
