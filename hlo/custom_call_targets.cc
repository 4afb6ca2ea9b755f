#include "hlo/custom_call_targets.h"

namespace hlo_indexing::hlo {

llvm::ArrayRef<llvm::StringLiteral> IdentityCustomCallTargets() {
  static constexpr llvm::StringLiteral kTargets[] = {
      "LayoutConstraint",
      "MoveToDevice",
      "MoveToHost",
      "PinToDevice",
      "Sharding",
      "annotate_device_placement",
      "xla.sdy.FuncResultSharding",
  };
  return kTargets;
}

}  // namespace hlo_indexing::hlo
