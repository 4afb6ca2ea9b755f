#include "codegen/ptx/syntax/liveness.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "codegen/ptx/syntax/control_flow.h"

namespace hlo_indexing::ptx::syntax {
namespace {

// Words of all sets of the analysis, and how often each block is looked at.
constexpr uint64_t kMaxWords = uint64_t{1} << 24;
constexpr uint64_t kMaxWork = uint64_t{1} << 30;

class RegisterSet {
 public:
  explicit RegisterSet(size_t count) : words_((count + 63) / 64) {}

  bool Contains(uint32_t i) const { return (words_[i / 64] >> (i % 64) & 1) != 0; }
  void Insert(uint32_t i) { words_[i / 64] |= uint64_t{1} << (i % 64); }
  void Remove(uint32_t i) { words_[i / 64] &= ~(uint64_t{1} << (i % 64)); }
  // Whether there was something to add.
  bool Add(const RegisterSet& other) {
    uint64_t added = 0;
    for (size_t i = 0; i < words_.size(); ++i) {
      added |= other.words_[i] & ~words_[i];
      words_[i] |= other.words_[i];
    }
    return added != 0;
  }
  size_t num_words() const { return words_.size(); }

 private:
  std::vector<uint64_t> words_;
};

bool HasModifier(const Instruction& instruction, std::string_view name) {
  return std::ranges::any_of(instruction.modifiers,
                             [&](const Modifier& modifier) { return modifier.name == name; });
}

// Whether the first operand is written, if it is a register or registers. Of most instructions that
// write none it is an address, a label or a number.
bool WritesFirstOperand(const Instruction& instruction) {
  const std::string_view opcode = instruction.opcode;
  if (opcode == "bar" || opcode == "barrier") return HasModifier(instruction, "red");
  return opcode != "nanosleep" && opcode != "brx";
}

class Liveness {
 public:
  explicit Liveness(const Function& function) : function_(function), flow_(function) {}

  std::optional<LiveRegisters> Count() {
    const size_t num_blocks = flow_.num_blocks();
    const uint64_t words = (function_.registers.size() + 63) / 64;
    if (words * num_blocks > kMaxWords) return std::nullopt;
    live_.assign(num_blocks, RegisterSet(function_.registers.size()));
    uint64_t work = 0;
    // Backwards, until nothing changes: each round settles one more level of loops.
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (size_t block = num_blocks; block-- > 0;) {
        RegisterSet live = LiveAtEnd(block);
        VisitBackwards(block, live);
        has_changed |= live_[block].Add(live);
        work += words + flow_.EndOf(block) - flow_.BeginOf(block);
      }
      if (work > kMaxWork) return std::nullopt;
    }
    LiveRegisters most;
    for (size_t block = 0; block < num_blocks; ++block) {
      RegisterSet live = LiveAtEnd(block);
      LiveRegisters now = WidthOf(live);
      Raise(most, now);
      VisitBackwards(block, live, &now, &most);
    }
    return most;
  }

 private:
  RegisterSet LiveAtEnd(size_t block) const {
    RegisterSet live(function_.registers.size());
    for (const size_t next : flow_.SuccessorsOf(block)) live.Add(live_[next]);
    // The caller reads results that are registers.
    if (function_.instructions[flow_.EndOf(block) - 1].opcode == "ret") {
      for (size_t i = 0; i < function_.results.size(); ++i) {
        if (function_.result_is_register[i]) live.Insert(function_.results[i]);
      }
    }
    return live;
  }

  template <typename Visit>
  static void ForEachRegister(const Operand& operand, Visit visit) {
    if (operand.kind == OperandKind::kRegister) visit(operand.index);
    for (const Operand& element : operand.elements) ForEachRegister(element, visit);
  }

  static bool IsWritten(const Operand& operand) {
    return operand.kind == OperandKind::kRegister || operand.kind == OperandKind::kVector ||
           operand.kind == OperandKind::kPredicatePair || operand.kind == OperandKind::kTuple;
  }

  // From the end of the block to its begin. With `now`, which is what is live at the end, keeps it
  // and the most of it.
  void VisitBackwards(size_t block, RegisterSet& live, LiveRegisters* now = nullptr,
                      LiveRegisters* most = nullptr) const {
    const auto change = [&](uint32_t index, bool is_live) {
      if (live.Contains(index) == is_live) return;
      is_live ? live.Insert(index) : live.Remove(index);
      if (now == nullptr) return;
      uint64_t& count = IsPredicate(index) ? now->predicates : now->words;
      count += is_live ? WordsOf(index) : -WordsOf(index);
    };
    for (size_t i = flow_.EndOf(block); i-- > flow_.BeginOf(block);) {
      const Instruction& instruction = function_.instructions[i];
      const bool writes = !instruction.operands.empty() &&
                          IsWritten(instruction.operands.front()) &&
                          WritesFirstOperand(instruction);
      if (writes) {
        // A result needs its register even if nobody reads it. What a guard keeps from being
        // written stays needed, and wgmma reads what it writes.
        ForEachRegister(instruction.operands.front(), [&](uint32_t r) { change(r, true); });
        if (now != nullptr) Raise(*most, *now);
        if (!instruction.guard.has_value() && instruction.opcode != "wgmma") {
          ForEachRegister(instruction.operands.front(), [&](uint32_t r) { change(r, false); });
        }
      }
      for (size_t k = writes ? 1 : 0; k < instruction.operands.size(); ++k) {
        ForEachRegister(instruction.operands[k], [&](uint32_t r) { change(r, true); });
      }
      if (instruction.guard.has_value()) change(instruction.guard->register_index, true);
      if (now != nullptr) Raise(*most, *now);
    }
  }

  bool IsPredicate(uint32_t index) const { return BitWidth(function_.registers[index].type) == 1; }
  uint64_t WordsOf(uint32_t index) const {
    return std::max<uint64_t>(
        1, static_cast<uint64_t>(BitWidth(function_.registers[index].type)) / 32);
  }

  LiveRegisters WidthOf(const RegisterSet& live) const {
    LiveRegisters width;
    for (uint32_t i = 0; i < function_.registers.size(); ++i) {
      if (!live.Contains(i)) continue;
      (IsPredicate(i) ? width.predicates : width.words) += WordsOf(i);
    }
    return width;
  }

  static void Raise(LiveRegisters& most, const LiveRegisters& now) {
    most.words = std::max(most.words, now.words);
    most.predicates = std::max(most.predicates, now.predicates);
  }

  const Function& function_;
  ControlFlow flow_;
  // At the begin of each block.
  std::vector<RegisterSet> live_;
};

}  // namespace

std::optional<LiveRegisters> CountLiveRegisters(const Function& function) {
  if (!function.has_body) return std::nullopt;
  if (function.instructions.empty()) return LiveRegisters();
  return Liveness(function).Count();
}

}  // namespace hlo_indexing::ptx::syntax
