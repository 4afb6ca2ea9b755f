// Which code of a function may follow which: blocks, and an order of them in which lanes that have
// parted wait for each other where their ways meet again.
//
// Example: a loop that a compiler has turned around,
//
//     bra HEAD;            block 0
//   TAIL:
//     st; @%p bra HEAD;    block 1
//     ret;                 block 2
//   HEAD:
//     @%q bra TAIL;        block 3
//     ld; bra TAIL;        block 4     order: 0, 3, 4, 1, 2
//
// Lanes that skip the load come to TAIL first in the text, but last in the order.
#ifndef HLO_INDEXING_CODEGEN_PTX_SYNTAX_CONTROL_FLOW_H_
#define HLO_INDEXING_CODEGEN_PTX_SYNTAX_CONTROL_FLOW_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx::syntax {

class ControlFlow {
 public:
  explicit ControlFlow(const Function& function);

  /// Blocks of code, in the order of the text: they begin at labels, and behind branches and ends.
  size_t num_blocks() const { return begins_.size(); }
  size_t BeginOf(size_t block) const { return begins_[block]; }
  size_t EndOf(size_t block) const;
  /// The block of an instruction.
  size_t BlockOf(size_t instruction) const { return block_of_[instruction]; }
  /// Those that may be executed next.
  const std::vector<size_t>& SuccessorsOf(size_t block) const { return successors_[block]; }

  /// All blocks, each behind those that lead to it, but for the ways back of loops; the blocks of a
  /// loop side by side, before those that follow it (a weak topological order: F. Bourdoncle,
  /// "Efficient chaotic iteration strategies with widenings", 1993). Loops nested deeper than 64
  /// are in the order of the text.
  std::vector<size_t> Order() const;

 private:
  const Function& function_;
  std::vector<size_t> begins_;
  std::vector<size_t> block_of_;
  std::vector<std::vector<size_t>> successors_;
};

}  // namespace hlo_indexing::ptx::syntax

#endif  // HLO_INDEXING_CODEGEN_PTX_SYNTAX_CONTROL_FLOW_H_
