#include "codegen/ptx/syntax/control_flow.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace hlo_indexing::ptx::syntax {
namespace {

bool IsBranch(const Instruction& instruction) {
  return instruction.opcode == "bra" || instruction.opcode == "brx";
}

// Whether what follows in the text may be executed next.
bool FallsThrough(const Instruction& instruction) {
  if (instruction.guard.has_value()) return true;
  const std::string_view opcode = instruction.opcode;
  return !IsBranch(instruction) && opcode != "ret" && opcode != "exit" && opcode != "trap";
}

// The strongly connected components of a part of the blocks, by R. Tarjan's algorithm ("Depth-first
// search and linear graph algorithms", 1972), with a stack of its own.
class Components {
 public:
  explicit Components(const ControlFlow& flow)
      : flow_(flow), part_of_(flow.num_blocks(), 0), seen_(flow.num_blocks()) {}

  // Of these blocks, in the order in which they lead to each other; the blocks of each in the order
  // of the text behind the first one that is come to. Ways to the header do not count.
  std::vector<std::vector<size_t>> Find(const std::vector<size_t>& blocks, size_t header) {
    found_.clear();
    header_ = header;
    ++part_;
    for (const size_t block : blocks) {
      part_of_[block] = part_;
      seen_[block] = Seen();
    }
    for (const size_t block : blocks) {
      if (seen_[block].number == 0) Visit(block);
    }
    // Found from the last one on.
    std::reverse(found_.begin(), found_.end());
    return std::move(found_);
  }

 private:
  struct Seen {
    size_t number = 0;  // 0: not yet
    size_t lowest = 0;
    bool is_open = false;
  };
  struct Step {
    size_t block = 0;
    size_t next_successor = 0;
  };

  void Visit(size_t root) {
    std::vector<Step> steps;
    const auto enter = [&](size_t block) {
      seen_[block] = {++count_, count_, true};
      open_.push_back(block);
      steps.push_back({block, 0});
    };
    enter(root);
    while (!steps.empty()) {
      Step& step = steps.back();
      const std::vector<size_t>& successors = flow_.SuccessorsOf(step.block);
      if (step.next_successor < successors.size()) {
        // What is visited first comes last: so the text that follows comes before what is jumped
        // to.
        const size_t next = successors[successors.size() - ++step.next_successor];
        if (part_of_[next] != part_ || next == header_) continue;
        if (seen_[next].number == 0) {
          enter(next);
        } else if (seen_[next].is_open) {
          seen_[step.block].lowest = std::min(seen_[step.block].lowest, seen_[next].number);
        }
        continue;
      }
      const size_t block = step.block;
      steps.pop_back();
      if (!steps.empty()) {
        Seen& caller = seen_[steps.back().block];
        caller.lowest = std::min(caller.lowest, seen_[block].lowest);
      }
      if (seen_[block].lowest == seen_[block].number) Close(block);
    }
  }

  void Close(size_t root) {
    std::vector<size_t>& component = found_.emplace_back();
    size_t block = 0;
    do {
      block = open_.back();
      open_.pop_back();
      seen_[block].is_open = false;
      component.push_back(block);
    } while (block != root);
    // The one that was come to first leads the loop.
    std::iter_swap(component.begin(), component.end() - 1);
    std::sort(component.begin() + 1, component.end());
  }

  const ControlFlow& flow_;
  // Which blocks are looked at: those with the present number.
  std::vector<size_t> part_of_;
  size_t part_ = 0;
  size_t header_ = 0;
  size_t count_ = 0;
  std::vector<Seen> seen_;
  std::vector<size_t> open_;
  std::vector<std::vector<size_t>> found_;
};

}  // namespace

ControlFlow::ControlFlow(const Function& function) : function_(function) {
  const size_t count = function_.instructions.size();
  std::vector<bool> is_begin(count + 1, false);
  is_begin[0] = true;
  for (const Label& label : function_.labels) is_begin[label.instruction] = true;
  for (size_t i = 0; i < count; ++i) {
    const Instruction& instruction = function_.instructions[i];
    if (IsBranch(instruction) || !FallsThrough(instruction)) is_begin[i + 1] = true;
  }
  block_of_.resize(count + 1);
  for (size_t i = 0; i < count; ++i) {
    if (is_begin[i]) begins_.push_back(i);
    block_of_[i] = begins_.size() - 1;
  }
  block_of_[count] = begins_.size();
  successors_.resize(begins_.size());
  for (size_t block = 0; block < begins_.size(); ++block) {
    const Instruction& last = function_.instructions[EndOf(block) - 1];
    const auto add = [&](size_t next) {
      if (next < begins_.size()) successors_[block].push_back(next);
    };
    if (FallsThrough(last)) add(block + 1);
    if (!IsBranch(last)) continue;
    const auto add_label = [&](uint32_t label) {
      add(block_of_[function_.labels[label].instruction]);
    };
    for (const Operand& operand : last.operands) {
      if (operand.kind == OperandKind::kLabel) add_label(operand.index);
      if (operand.kind != OperandKind::kLabelList) continue;
      for (const uint32_t label : function_.label_lists[operand.index].labels) add_label(label);
    }
  }
}

size_t ControlFlow::EndOf(size_t block) const {
  return block + 1 < begins_.size() ? begins_[block + 1] : function_.instructions.size();
}

std::vector<size_t> ControlFlow::Order() const {
  constexpr int kMostNested = 64;
  constexpr size_t kNoHeader = static_cast<size_t>(-1);
  struct Part {
    std::vector<size_t> blocks;
    // Ways back to it are those of the loop that the part is.
    size_t header;
    int depth;
  };
  std::vector<size_t> order;
  Components components(*this);
  std::vector<size_t> all(num_blocks());
  for (size_t block = 0; block < all.size(); ++block) all[block] = block;
  // The last one is the next one.
  std::vector<Part> parts = {{std::move(all), kNoHeader, 0}};
  while (!parts.empty()) {
    const Part part = std::move(parts.back());
    parts.pop_back();
    if (part.blocks.size() == 1 || part.depth > kMostNested) {
      order.insert(order.end(), part.blocks.begin(), part.blocks.end());
      continue;
    }
    std::vector<std::vector<size_t>> found = components.Find(part.blocks, part.header);
    std::reverse(found.begin(), found.end());
    for (std::vector<size_t>& component : found) {
      const size_t header = component.front();
      parts.push_back({std::move(component), header, part.depth + 1});
    }
  }
  return order;
}

}  // namespace hlo_indexing::ptx::syntax
