#include "codegen/explain/report_table.h"

#include <utility>

#include "hlo/attribute.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace hlo_indexing::explain {
namespace {

using hlo::Attribute;
using hlo::Instruction;
using hlo::Opcode;

bool HaveSameAttributes(const Instruction& a, const Instruction& b) {
  const auto of = [](const Instruction& instruction) {
    llvm::SmallVector<const Attribute*, 4> attributes;
    for (const Attribute& attribute : instruction.attributes()) {
      if (!hlo::IsAnnotation(attribute.name)) attributes.push_back(&attribute);
    }
    return attributes;
  };
  return llvm::equal(of(a), of(b), [](const Attribute* x, const Attribute* y) {
    return x->name == y->name && x->value == y->value;
  });
}

// Whose reports follow from what is compared. What values of operands decide does not, even where
// these are constants.
bool IsShareable(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kFusion:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kGather:
    case Opcode::kScatter:
      return false;
    default:
      return true;
  }
}

// Makes the report of one instruction that of another.
void Rename(KernelReport& report, const Instruction& from, const Instruction& to) {
  const auto rename = [&](const Instruction*& instruction) {
    if (instruction == &from) {
      instruction = &to;
      return;
    }
    const auto* const operand = llvm::find(from.operands(), instruction);
    if (operand == from.operands().end()) return;
    instruction = to.operands()[static_cast<size_t>(operand - from.operands().begin())];
  };
  plan::KernelPlan& plan = report.plan;
  rename(plan.instruction);
  for (plan::PlannedRoot& root : plan.roots) rename(root.instruction);
  for (plan::ElementPass& pass : plan.passes) {
    rename(pass.instruction);
    for (const Instruction*& available : pass.available) rename(available);
  }
  for (plan::HeroRead& read : plan.heroes) rename(read.hero);
  for (plan::SharedTile& tile : plan.shared_tiles) rename(tile.hero);
  for (AccessReport& access : report.accesses) rename(access.waste.origin);
}

}  // namespace

// Equal shapes, layouts included, are the same object in a module.
size_t ReportTable::Hash::operator()(const Instruction* instruction) const {
  llvm::hash_code hash = llvm::hash_combine(instruction->opcode(), &instruction->shape());
  for (const Instruction* operand : instruction->operands()) {
    hash = llvm::hash_combine(hash, &operand->shape());
  }
  return hash;
}

bool ReportTable::Equal::operator()(const Instruction* a, const Instruction* b) const {
  if (a->opcode() != b->opcode() || &a->shape() != &b->shape()) return false;
  if (a->operands().size() != b->operands().size()) return false;
  for (size_t i = 0; i < a->operands().size(); ++i) {
    if (&a->operand(i).shape() != &b->operand(i).shape()) return false;
    // The same operand twice is loaded as two operands are, but not planned so everywhere.
    const auto first_of = [&](const Instruction* of) {
      return llvm::find(of->operands(), of->operands()[i]) - of->operands().begin();
    };
    if (first_of(a) != first_of(b)) return false;
  }
  return HaveSameAttributes(*a, *b);
}

std::optional<KernelReport> ReportTable::Find(const Instruction& instruction) const {
  const auto known = known_.find(&instruction);
  if (known == known_.end()) return std::nullopt;
  KernelReport report = known->second;
  Rename(report, *known->first, instruction);
  return report;
}

void ReportTable::Add(const KernelReport& report) {
  if (report.plan.is_computation || !IsShareable(*report.plan.instruction)) return;
  known_.try_emplace(report.plan.instruction, report);
}

}  // namespace hlo_indexing::explain
