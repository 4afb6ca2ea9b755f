// An instruction that is ready to be executed: decoded once, executed for each warp that reaches
// it.
//
// The decoder has checked opcode, modifiers and operands; what is left is a function and the places
// of the operands in the frame's register file. Immediates have places there too: registers that
// nobody writes. So `add.s32 %r1, %r2, 7` is a function that adds 32-bit lanes, and three slots.
#ifndef HLO_INDEXING_CODEGEN_PTX_MACHINE_OPERATION_H_
#define HLO_INDEXING_CODEGEN_PTX_MACHINE_OPERATION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx {

class Warp;
class Block;
class LaunchState;
struct Operation;
struct Barrier;
struct Execution;

/// A register's place: its first byte in the register file of a frame.
using Slot = uint32_t;
inline constexpr Slot kNoSlot = ~Slot{0};

/// What follows an operation.
enum class Step : uint8_t {
  /// The next operation in the text.
  kNext,
  /// All executing lanes go to `Execution::target`; those whose guard is false to the next
  /// operation.
  kJump,
  /// The groups of the warp have changed: it chooses one of them again.
  kReschedule,
  /// The operation waits and will be executed again; other groups, warps and blocks go on.
  kRetry,
};

/// What an operation sees of the machine: the warp that executes it, and where its registers are.
struct Execution {
  std::byte* registers = nullptr;
  /// Lanes that execute: those of the group whose guard is true. Never 0 for a plain operation.
  LaneMask lanes = 0;
  /// Lanes of the group, whatever the guard says.
  LaneMask group = 0;
  /// Operation of this function that is executed, and where a jump goes.
  uint32_t index = 0;
  uint32_t target = 0;
  Warp* warp = nullptr;
  Block* block = nullptr;
  LaunchState* launch = nullptr;

  /// The lanes of the register at a slot. T: uint32_t (also for fewer bits), int32_t, float,
  /// uint64_t, int64_t, double or Bits128.
  template <typename T>
  T* At(Slot slot) const {
    static_assert(sizeof(T) >= 4);
    return reinterpret_cast<T*>(registers + slot);
  }
  /// The predicate at a slot, one bit for each lane.
  LaneMask& Predicate(Slot slot) const { return *At<LaneMask>(slot); }
};

using Execute = Step (*)(const Operation& operation, Execution& execution);

/// What else a family's operations know: subclasses are private to the family.
struct OperationDetails {
  virtual ~OperationDetails() = default;
};

/// The counts that a profile keeps apart.
enum class Pipe : uint8_t {
  kInteger,
  kFloat,
  kDouble,
  kHalf,
  kSpecialFunction,
  kConversion,
  kTensor,
  kMemory,
  kControl,
  kSynchronization,
  kMove
};

struct Operation {
  Execute execute = nullptr;
  /// Results first, then sources, in the order of the text.
  std::array<Slot, 6> slots = {kNoSlot, kNoSlot, kNoSlot, kNoSlot, kNoSlot, kNoSlot};
  /// The predicate of the guard, or kNoSlot.
  Slot guard = kNoSlot;
  bool guard_is_negated = false;
  Pipe pipe = Pipe::kInteger;
  /// Slot of the member mask of a `.sync` instruction: the lanes that it names are waited for
  /// before it is executed.
  Slot members = kNoSlot;
  /// Of an operation that waits at a barrier: called when the barrier is complete, before the lanes
  /// go on. Writes the result of bar.red.
  void (*finish_barrier)(const Operation& operation, Execution& execution,
                         const Barrier& barrier) = nullptr;
  /// A number for the family to use (an offset, a table, flags).
  int64_t immediate = 0;
  std::shared_ptr<const OperationDetails> details = nullptr;
  /// The instruction in the text, for messages.
  const syntax::Instruction* source = nullptr;
  /// Number among the operations of the program, for profiles.
  uint32_t number = 0;

  template <typename T>
  const T& Details() const {
    return static_cast<const T&>(*details);
  }
};

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_MACHINE_OPERATION_H_
