#include "hlo/module.h"

#include <algorithm>

namespace hlo_indexing::hlo {

bool Instruction::IsRoot() const { return &parent_->root() == this; }

llvm::SmallVector<const Computation*, 4> Instruction::Branches() const {
  using Computations = llvm::ArrayRef<const Computation*>;
  const auto branches =
      Get<Computations>(AttributeName::kBranchComputations).value_or(Computations());
  if (!branches.empty()) return {branches.begin(), branches.end()};
  const Computation* on_true = Callee(AttributeName::kTrueComputation);
  const Computation* on_false = Callee(AttributeName::kFalseComputation);
  if (on_true == nullptr || on_false == nullptr) return {};
  return {on_true, on_false};
}

llvm::SmallVector<const Computation*, 2> Instruction::Callees() const {
  llvm::SmallVector<const Computation*, 2> callees;
  for (const Attribute& attribute : attributes_) {
    if (const auto* const one = std::get_if<const Computation*>(&attribute.value)) {
      callees.push_back(*one);
    } else if (const auto* const several =
                   std::get_if<llvm::ArrayRef<const Computation*>>(&attribute.value)) {
      callees.append(several->begin(), several->end());
    }
  }
  return callees;
}

const Attribute* Instruction::Find(AttributeName name) const {
  if (name == AttributeName::kOther) return nullptr;
  for (const Attribute& attribute : attributes_) {
    if (attribute.name == name) return &attribute;
  }
  return nullptr;
}

bool Computation::IsEntry() const { return &parent_->entry() == this; }

std::vector<const Instruction*> Computation::PostOrder() const {
  // Instructions stand in a valid order already; keep those that the root reaches.
  std::vector<bool> reached(instructions_.size(), false);
  reached[static_cast<size_t>(root_->index())] = true;
  for (size_t i = instructions_.size(); i-- > 0;) {
    if (!reached[i]) continue;
    for (const Instruction* operand : instructions_[i]->operands()) {
      reached[static_cast<size_t>(operand->index())] = true;
    }
  }
  std::vector<const Instruction*> order;
  for (size_t i = 0; i < instructions_.size(); ++i) {
    if (reached[i]) order.push_back(instructions_[i]);
  }
  return order;
}

const Computation* Module::FindComputation(llvm::StringRef name) const {
  for (const Computation* computation : computations_) {
    if (computation->name() == name) return computation;
  }
  return nullptr;
}

support::SourcePosition Module::Locate(size_t offset) const {
  return lines_ == nullptr ? support::Locate(text(), offset) : lines_->Locate(offset);
}

void Module::SetText(std::shared_ptr<const std::string> text,
                     std::shared_ptr<const support::LineIndex> lines, std::string file_name) {
  text_ = std::move(text);
  lines_ = std::move(lines);
  file_name_ = std::move(file_name);
}

ComputationBuilder::ComputationBuilder(Module& module, llvm::StringRef name)
    : module_(module), computation_(module.Make<Computation>()) {
  computation_->name_ = name;
  computation_->parent_ = &module;
}

Instruction* ComputationBuilder::Add(const Spec& spec) {
  Instruction* instruction = module_.Make<Instruction>();
  instruction->opcode_ = spec.opcode;
  instruction->name_ = spec.name;
  instruction->shape_ = spec.shape;
  instruction->operands_ = module_.Copy(spec.operands);
  instruction->attributes_ = module_.Copy(spec.attributes);
  instruction->parent_ = computation_;
  if (spec.opcode == Opcode::kParameter) {
    instruction->parameter_number_ = spec.parameter_number;
  } else {
    instruction->literal_ = spec.literal;
  }
  instruction->index_ = static_cast<int64_t>(made_.size());
  instruction->offset_ = spec.offset;
  instruction->opcode_offset_ = spec.opcode_offset;
  made_.push_back(instruction);
  instructions_.push_back(instruction);
  return instruction;
}

Computation* ComputationBuilder::Finish(const Instruction* root,
                                        llvm::ArrayRef<Attribute> attributes, uint32_t offset) {
  LinkUsers();
  computation_->instructions_ = module_.Copy(llvm::ArrayRef<const Instruction*>(instructions_));
  computation_->root_ = root == nullptr ? instructions_.back() : root;
  std::vector<const Instruction*> parameters;
  for (const Instruction* instruction : instructions_) {
    if (instruction->opcode() == Opcode::kParameter) parameters.push_back(instruction);
  }
  std::stable_sort(parameters.begin(), parameters.end(),
                   [](const Instruction* a, const Instruction* b) {
                     return a->parameter_number() < b->parameter_number();
                   });
  computation_->parameters_ = module_.Copy(llvm::ArrayRef<const Instruction*>(parameters));
  computation_->attributes_ = module_.Copy(attributes);
  computation_->index_ = static_cast<int64_t>(module_.computations_.size());
  computation_->offset_ = offset;
  module_.computations_.push_back(computation_);
  module_.num_instructions_ += static_cast<int64_t>(instructions_.size());
  return computation_;
}

// Fills the users of every instruction: one array for all, a stretch of it for each.
void ComputationBuilder::LinkUsers() {
  std::vector<uint32_t> counts(made_.size(), 0);
  size_t total = 0;
  for (const Instruction* instruction : made_) {
    for (const Instruction* operand : instruction->operands_) {
      ++counts[static_cast<size_t>(operand->index())];
      ++total;
    }
  }
  const Instruction** slots = module_.allocator_.Allocate<const Instruction*>(total);
  std::vector<llvm::MutableArrayRef<const Instruction*>> users(made_.size());
  std::vector<size_t> filled(made_.size(), 0);
  for (size_t i = 0; i < made_.size(); ++i) {
    users[i] = {slots, counts[i]};
    slots += counts[i];
  }
  for (const Instruction* instruction : made_) {
    for (const Instruction* operand : instruction->operands_) {
      const size_t i = static_cast<size_t>(operand->index());
      // An operand that is used twice by one instruction has it last in its list already.
      if (filled[i] != 0 && users[i][filled[i] - 1] == instruction) continue;
      users[i][filled[i]++] = instruction;
    }
  }
  for (size_t i = 0; i < made_.size(); ++i) made_[i]->users_ = users[i].take_front(filled[i]);
}

}  // namespace hlo_indexing::hlo
