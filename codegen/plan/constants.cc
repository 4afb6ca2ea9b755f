#include "codegen/plan/constants.h"

#include <algorithm>
#include <cstddef>

#include "codegen/plan/movement.h"
#include "hlo/element_type.h"
#include "hlo/opcode.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"

namespace hlo_indexing::plan {

using hlo::Computation;
using hlo::Instruction;
using hlo::Shape;
using indexing_analysis::IndexingMap;

bool IsSplat(const hlo::Literal& literal) {
  const llvm::ArrayRef<uint8_t> bytes = literal.bytes();
  const size_t width = bytes.size() / static_cast<size_t>(literal.shape().num_elements());
  // Each is what lies one element before it.
  return bytes.drop_front(width) == bytes.drop_back(width);
}

bool IsConstantInMemory(const Instruction& instruction) {
  const Shape& shape = instruction.shape();
  if (instruction.opcode() != hlo::Opcode::kConstant || !shape.IsArray()) return false;
  const hlo::Literal* const literal = instruction.literal();
  if (shape.num_elements() <= 1 || literal == nullptr) return false;
  return literal->is_elided() || !IsSplat(*literal);
}

llvm::SmallVector<const Instruction*, 2> ConstantsInMemory(const Computation& computation) {
  llvm::SmallVector<const Instruction*, 2> constants;
  for (const Instruction* instruction : computation.instructions()) {
    if (IsConstantInMemory(*instruction)) constants.push_back(instruction);
  }
  return constants;
}

llvm::SmallVector<const Instruction*, 2> ConstantsInMemoryOfCallees(
    const Computation& computation) {
  llvm::SmallVector<const Instruction*, 2> constants;
  llvm::SetVector<const Computation*> called;
  called.insert(&computation);
  for (size_t i = 0; i < called.size(); ++i) {
    const Computation& caller = *called[i];
    if (i > 0) llvm::append_range(constants, ConstantsInMemory(caller));
    for (const Instruction* instruction : caller.instructions()) {
      for (const Computation* callee : instruction->Callees()) called.insert(callee);
    }
  }
  return constants;
}

IndexingMap PositionsOfConstant(const Shape& shape, mlir::MLIRContext* context) {
  mlir::AffineExpr position = mlir::getAffineConstantExpr(0, context);
  for (unsigned i = 0; i < shape.sizes().size(); ++i) {
    position = position * shape.sizes()[i] + mlir::getAffineDimExpr(i, context);
  }
  const auto rank = static_cast<unsigned>(shape.rank());
  return IndexingMap::FromSizes(mlir::AffineMap::get(rank, 0, position), shape.sizes());
}

bool IsOneElement(const IndexingMap& position) {
  return !position.IsUnknown() && !position.IsKnownEmpty() && position.affine_map().isConstant();
}

namespace {

// Where LLVM writes such a loop out, each turn is an access to one element.
bool IsSameForAllThreads(const IndexingMap& position) {
  if (position.IsUnknown() || position.IsKnownEmpty() || position.num_runtime() > 0) return false;
  for (unsigned i = 0; i < position.num_dimensions(); ++i) {
    if (position.affine_map().isFunctionOfDim(i)) return false;
  }
  return true;
}

// Whether elements are compared as they are. What LLVM asks is for which indices the comparison
// holds, and these may be a range, or bits of a number.
bool IsCompared(const Instruction& constant) {
  constexpr int64_t kMaxElements = 1024;
  if (constant.shape().num_elements() > kMaxElements) return false;
  if (constant.shape().element_type() == hlo::ElementType::kPred) return true;
  llvm::SetVector<const Instruction*> moved;
  moved.insert(&constant);
  for (size_t i = 0; i < moved.size(); ++i) {
    for (const Instruction* user : moved[i]->users()) {
      if (user->opcode() == hlo::Opcode::kCompare) return true;
      if (IsMovement(user->opcode())) moved.insert(user);
    }
  }
  return false;
}

}  // namespace

std::string WhyPartOfCode(const Instruction& constant, const IndexingMap& position) {
  if (constant.literal()->is_elided()) {
    return "the text leaves out the values of %" + constant.name().str() +
           ": were they all the same, nothing would be loaded";
  }
  if (IsSameForAllThreads(position)) {
    return "where the loop is written out, the values are part of the code";
  }
  return IsCompared(constant) ? "the comparison of the values may be part of the code" : "";
}

int64_t BitsInMemory(const Shape& shape) {
  return std::max<int64_t>(8, hlo::ElementBits(shape.element_type()));
}

}  // namespace hlo_indexing::plan
