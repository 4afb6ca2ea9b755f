#include "codegen/explain/kernel_copy.h"

#include <cstdint>
#include <iterator>
#include <string>
#include <variant>
#include <vector>

#include "hlo/attribute.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::explain {
namespace {

using hlo::Attribute;
using hlo::AttributeName;
using hlo::Computation;
using hlo::ComputationBuilder;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;

// Whether an attribute may be left out: it says where an instruction comes from or runs, not what
// it computes. Control dependencies lead out of a part.
bool IsRemark(AttributeName name) {
  return name == AttributeName::kMetadata || name == AttributeName::kControlPredecessors ||
         name == AttributeName::kSharding || name == AttributeName::kFrontendAttributes ||
         name == AttributeName::kStatistics;
}

class ModuleCopy {
 public:
  explicit ModuleCopy(hlo::Module& module) : module_(module) {}

  const Shape* CopyOf(const Shape& shape) {
    const Shape*& copy = shapes_[&shape];
    if (copy == nullptr) copy = NewShape(shape, shape.layout());
    return copy;
  }

  // An array with another layout.
  const Shape* NewShape(const Shape& shape, const layout::Layout* layout) {
    hlo::ShapePool& pool = module_.shapes();
    if (shape.IsArray()) {
      llvm::SmallVector<hlo::Dimension, 6> dimensions;
      for (int64_t i = 0; i < shape.rank(); ++i) {
        dimensions.push_back({shape.sizes()[static_cast<size_t>(i)], shape.IsDynamic(i)});
      }
      return pool.Array(shape.element_type(), dimensions, layout);
    }
    if (shape.IsToken()) return pool.Token();
    llvm::SmallVector<const Shape*, 4> elements;
    for (const Shape* element : shape.elements()) elements.push_back(CopyOf(*element));
    if (shape.IsTuple()) return pool.Tuple(elements);
    return elements.size() == 1 ? pool.Buffer(elements.front()) : pool.Opaque();
  }

  // Names are numbers: kernels that compute the same have the same text.
  llvm::StringRef NewName() { return module_.Copy("v" + std::to_string(num_names_++)); }

  // Of an instruction and all that it calls.
  std::vector<Attribute> AttributesOf(const Instruction& instruction) {
    std::vector<Attribute> copies;
    for (const Attribute& attribute : instruction.attributes()) {
      if (IsRemark(attribute.name)) continue;
      Attribute& copy = copies.emplace_back(attribute);
      using Computations = llvm::ArrayRef<const Computation*>;
      if (const auto* called = std::get_if<const Computation*>(&attribute.value)) {
        copy.value = CopyOf(**called);
      } else if (const auto* list = std::get_if<Computations>(&attribute.value)) {
        llvm::SmallVector<const Computation*, 4> computations;
        for (const Computation* computation : *list) computations.push_back(CopyOf(*computation));
        copy.value = Computations(module_.Copy(Computations(computations)));
      } else if (const auto* shape = std::get_if<const Shape*>(&attribute.value)) {
        copy.value = CopyOf(**shape);
      }
    }
    return copies;
  }

  const Computation* CopyOf(const Computation& computation) {
    const auto known = computations_.find(&computation);
    if (known != computations_.end()) return known->second;
    ComputationBuilder builder(module_, NewName());
    llvm::DenseMap<const Instruction*, const Instruction*> copies;
    for (const Instruction* instruction : computation.instructions()) {
      llvm::SmallVector<const Instruction*, 4> operands;
      for (const Instruction* operand : instruction->operands()) {
        operands.push_back(copies.at(operand));
      }
      copies[instruction] = Add(builder, *instruction, CopyOf(instruction->shape()), operands);
    }
    return computations_[&computation] = builder.Finish(copies.at(&computation.root()), {});
  }

  const Instruction* Add(ComputationBuilder& builder, const Instruction& original,
                         const Shape* shape, llvm::ArrayRef<const Instruction*> operands) {
    const std::vector<Attribute> attributes = AttributesOf(original);
    ComputationBuilder::Spec spec;
    spec.opcode = original.opcode();
    spec.name = NewName();
    spec.shape = shape;
    spec.operands = operands;
    spec.attributes = attributes;
    spec.literal = original.literal();
    if (original.opcode() == Opcode::kParameter) {
      spec.parameter_number = original.parameter_number();
    }
    return builder.Add(spec);
  }

 private:
  hlo::Module& module_;
  llvm::DenseMap<const Shape*, const Shape*> shapes_;
  llvm::DenseMap<const Computation*, const Computation*> computations_;
  int64_t num_names_ = 0;
};

class PartCopy {
 public:
  PartCopy(const plan::KernelPlan& plan, const KernelPart& part, hlo::Module& module)
      : plan_(plan), part_(part), module_(module), builder_(module, "part"), shared_(module) {}

  bool Copy() && {
    const std::vector<const Instruction*> needed = Needed();
    AddInputs(needed);
    for (const Instruction* instruction : needed) {
      if (copies_.contains(instruction)) continue;
      const Shape* shape = ShapeOf(*instruction);
      if (shape == nullptr) return false;
      copies_[instruction] = part_.given.contains(instruction) ? AddParameter(shape)
                                                               : AddComputed(*instruction, shape);
    }
    const Instruction* root = copies_.at(part_.roots.front());
    if (part_.roots.size() > 1) root = AddTuple();
    if (root == nullptr) return false;
    module_.set_entry(builder_.Finish(root, {}));
    module_.set_has_entry_keyword(false);
    return true;
  }

 private:
  bool IsOneInstruction() const {
    return !plan_.is_computation && plan_.instruction->opcode() != Opcode::kFusion;
  }
  bool IsInput(const Instruction& instruction) const {
    return plan_.InputNumber(instruction).has_value();
  }

  // What the roots depend on, operands before users.
  std::vector<const Instruction*> Needed() const {
    llvm::DenseSet<const Instruction*> seen(part_.roots.begin(), part_.roots.end());
    std::vector<const Instruction*> needed(seen.begin(), seen.end());
    for (size_t i = 0; i < needed.size(); ++i) {
      if (IsInput(*needed[i]) || part_.given.contains(needed[i])) continue;
      for (const Instruction* operand : needed[i]->operands()) {
        if (seen.insert(operand).second) needed.push_back(operand);
      }
    }
    llvm::sort(needed,
               [](const Instruction* a, const Instruction* b) { return a->index() < b->index(); });
    return needed;
  }

  // In the order of the kernel's, which is that of its accesses.
  void AddInputs(llvm::ArrayRef<const Instruction*> needed) {
    if (IsOneInstruction()) {
      // It may have an operand twice: each is an input.
      for (const Instruction* operand : plan_.instruction->operands()) {
        operands_.push_back(AddParameter(shared_.CopyOf(operand->shape())));
        copies_[operand] = operands_.back();
      }
      return;
    }
    std::vector<const Instruction*> inputs;
    llvm::copy_if(needed, std::back_inserter(inputs),
                  [&](const Instruction* instruction) { return IsInput(*instruction); });
    llvm::sort(inputs, [](const Instruction* a, const Instruction* b) {
      return a->parameter_number() < b->parameter_number();
    });
    for (const Instruction* input : inputs) {
      copies_[input] = AddParameter(shared_.CopyOf(input->shape()));
    }
  }

  const Shape* ShapeOf(const Instruction& instruction) {
    const auto layout = part_.layouts.find(&instruction);
    if (layout == part_.layouts.end()) return shared_.CopyOf(instruction.shape());
    return shared_.NewShape(instruction.shape(), &layout->second);
  }

  const Instruction* AddParameter(const Shape* shape) {
    ComputationBuilder::Spec spec;
    spec.opcode = Opcode::kParameter;
    spec.name = shared_.NewName();
    spec.shape = shape;
    spec.parameter_number = num_parameters_++;
    return builder_.Add(spec);
  }

  const Instruction* AddComputed(const Instruction& instruction, const Shape* shape) {
    if (IsOneInstruction()) return shared_.Add(builder_, instruction, shape, operands_);
    llvm::SmallVector<const Instruction*, 4> operands;
    for (const Instruction* operand : instruction.operands()) {
      operands.push_back(copies_.at(operand));
    }
    return shared_.Add(builder_, instruction, shape, operands);
  }

  const Instruction* AddTuple() {
    llvm::SmallVector<const Instruction*, 4> elements;
    llvm::SmallVector<const Shape*, 4> shapes;
    for (const Instruction* root : part_.roots) {
      elements.push_back(copies_.at(root));
      shapes.push_back(&elements.back()->shape());
    }
    ComputationBuilder::Spec spec;
    spec.opcode = Opcode::kTuple;
    spec.name = shared_.NewName();
    spec.shape = module_.shapes().Tuple(shapes);
    spec.operands = elements;
    return spec.shape == nullptr ? nullptr : builder_.Add(spec);
  }

  const plan::KernelPlan& plan_;
  const KernelPart& part_;
  hlo::Module& module_;
  ComputationBuilder builder_;
  ModuleCopy shared_;
  llvm::DenseMap<const Instruction*, const Instruction*> copies_;
  // Of the one instruction, if it is no fusion.
  llvm::SmallVector<const Instruction*, 4> operands_;
  int64_t num_parameters_ = 0;
};

}  // namespace

llvm::SmallVector<const Instruction*, 2> RootsOf(const plan::KernelPlan& plan) {
  llvm::SmallVector<const Instruction*, 2> roots;
  for (const plan::PlannedRoot& root : plan.roots) roots.push_back(root.instruction);
  return roots;
}

std::unique_ptr<hlo::Module> CopyPart(const plan::KernelPlan& plan, const KernelPart& part) {
  auto module = std::make_unique<hlo::Module>();
  if (!PartCopy(plan, part, *module).Copy()) return nullptr;
  return module;
}

}  // namespace hlo_indexing::explain
