// The buffers that a kernel reads and writes, and its accesses to them. Private to the folder.
#ifndef HLO_INDEXING_CODEGEN_EMIT_BUFFERS_H_
#define HLO_INDEXING_CODEGEN_EMIT_BUFFERS_H_

#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "codegen/emit/kernel_builder.h"
#include "codegen/emit/number.h"
#include "codegen/plan/kernel_plan.h"
#include "hlo/shape.h"
#include "llvm/ADT/ArrayRef.h"
#include "mlir/IR/Value.h"

namespace hlo_indexing::emit {

/// An array in memory: elements of a type, each of so many bits.
struct Buffer {
  mlir::Value base;
  hlo::ElementType type = hlo::ElementType::kF32;
  int64_t element_bits = 32;
  /// Of the whole array, in bytes.
  int64_t alignment = kBufferAlignment;
};

/// Where the elements of neighbouring lanes are: at `first` times `scale` plus `constant`, which is
/// a multiple of `divisor`, plus an offset each, all in elements. Only elements of whole bytes have
/// a scale.
struct LanePositions {
  mlir::Value first;
  int64_t divisor = 1;
  llvm::ArrayRef<int64_t> offsets;
  int64_t scale = 1;
  int64_t constant = 0;
};

/// In as few accesses as the positions and their alignment allow, each of at most 16 bytes.
Lanes LoadLanes(KernelBuilder& builder, const Buffer& buffer, const LanePositions& positions);
/// The same. Elements that share a byte must all be there.
void StoreLanes(KernelBuilder& builder, const Lanes& lanes, const Buffer& buffer,
                const LanePositions& positions);

/// One element of less than a byte, whose other elements, `elements_of_byte` with this one, other
/// threads have: its bits are added to those of them in the counter of the byte, which also counts
/// them. The thread that comes last writes the byte and leaves a zero in the counter.
void StoreInSharedByte(KernelBuilder& builder, const Number& element, const Buffer& buffer,
                       mlir::Value position, mlir::Value elements_of_byte, mlir::Value counters,
                       int64_t first_counter);

/// kUnimplemented if a layout gives elements a size that no kernel knows: not that of the type, and
/// not a byte or a half, a quarter or an eighth of one for types that fit into it.
/// Example: s4 of E(4) or 8 bits is fine; s4 of E(5), s8 of E(9), f32 of E(64) are not.
absl::Status CheckElementSizes(const plan::KernelPlan& plan);

/// The arguments of a kernel: the arrays of its inputs, those of its outputs, scratch memory.
class KernelBuffers {
 public:
  KernelBuffers(const plan::KernelPlan& plan, KernelBuilder& builder);

  const Buffer& input(int64_t operand, int64_t leaf) const {
    return inputs_[static_cast<size_t>(operand)][static_cast<size_t>(leaf)];
  }
  const Buffer& output(int64_t leaf) const { return outputs_[static_cast<size_t>(leaf)]; }
  /// Null if the plan has none.
  mlir::Value scratch() const { return scratch_; }
  mlir::Value counters() const { return counters_; }

 private:
  std::vector<std::vector<Buffer>> inputs_;
  std::vector<Buffer> outputs_;
  mlir::Value scratch_;
  mlir::Value counters_;
};

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_BUFFERS_H_
