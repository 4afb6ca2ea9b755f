#include "codegen/emit/cuda_folding.h"

#include <algorithm>

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace hlo_indexing::emit {

namespace llvm_ops = mlir::LLVM;
using mlir::Operation;
using mlir::Value;

namespace {

// Operations of one expression: what people read at a glance.
constexpr int kMaxSize = 6;

// Whether it may be computed elsewhere in its block. Calls are of functions without effects.
bool IsExpression(Operation& operation) {
  if (operation.getNumResults() != 1 || operation.getNumRegions() != 0) return false;
  if (mlir::isa<mlir::arith::ArithDialect>(operation.getDialect())) return true;
  return mlir::isa<llvm_ops::LoadOp, llvm_ops::CallOp, llvm_ops::FMAOp, llvm_ops::SqrtOp,
                   llvm_ops::FAbsOp, llvm_ops::FFloorOp, llvm_ops::FCeilOp, llvm_ops::FTruncOp,
                   llvm_ops::RoundEvenOp, llvm_ops::CallIntrinsicOp, llvm_ops::CountLeadingZerosOp,
                   llvm_ops::CtPopOp>(operation);
}

// Where each operand is a statement of its own.
bool TakesOperandsApart(Operation& operation) {
  return operation.hasTrait<mlir::OpTrait::IsTerminator>() ||
         mlir::isa<llvm_ops::StoreOp, mlir::scf::ForOp, mlir::scf::WhileOp>(operation);
}

bool IsVector(Value value) { return mlir::isa<mlir::VectorType>(value.getType()); }

}  // namespace

bool CudaFolding::IsNotation(Operation& operation) {
  return mlir::isa<mlir::arith::ConstantOp, llvm_ops::AddressOfOp, llvm_ops::GEPOp,
                   llvm_ops::ExtractElementOp, llvm_ops::InsertElementOp, llvm_ops::PoisonOp,
                   llvm_ops::ExtractValueOp, llvm_ops::InsertValueOp, llvm_ops::BitcastOp>(
      operation);
}

llvm::SmallVector<Operation*, 4> CudaFolding::UsersOf(Value value) {
  llvm::SmallVector<Operation*, 4> users;
  llvm::SmallVector<Value, 8> values = {value};
  while (!values.empty()) {
    for (Operation* const user : values.pop_back_val().getUsers()) {
      if (IsNotation(*user)) {
        llvm::append_range(values, user->getResults());
      } else {
        users.push_back(user);
      }
    }
  }
  return users;
}

bool CudaFolding::HasEffect(Operation& operation) {
  if (operation.getNumRegions() != 0) return true;
  return mlir::isa<llvm_ops::StoreOp, llvm_ops::AtomicRMWOp, llvm_ops::AtomicCmpXchgOp,
                   mlir::NVVM::Barrier0Op>(operation);
}

CudaFolding::CudaFolding(llvm_ops::LLVMFuncOp function) {
  function.walk<mlir::WalkOrder::PreOrder>([&](Operation* operation) {
    for (mlir::Region& region : operation->getRegions()) {
      for (mlir::Block& block : region) {
        Visit(block);
        UnfoldLoadsBeforeEffects(block);
      }
    }
  });
}

void CudaFolding::Visit(mlir::Block& block) {
  for (Operation& operation : block) {
    if (IsNotation(operation)) continue;
    Limit(operation);
    if (!IsExpression(operation) || IsVector(operation.getResult(0))) continue;
    if (UserInBlock(operation) == nullptr) continue;
    int size = 1;
    for (const Value operand : operation.getOperands()) size += SizeOf(operand);
    folded_.try_emplace(&operation, size);
  }
}

// The only user, if it is in the same block.
Operation* CudaFolding::UserInBlock(Operation& operation) const {
  const llvm::SmallVector<Operation*, 4> users = UsersOf(operation.getResult(0));
  if (users.size() != 1 || users.front()->getBlock() != operation.getBlock()) return nullptr;
  return users.front();
}

// Of the expression that stands for a value, by way of an address too.
int CudaFolding::SizeOf(Value value) const {
  Operation* const operation = value.getDefiningOp();
  if (operation == nullptr) return 0;
  if (auto address = mlir::dyn_cast<llvm_ops::GEPOp>(operation)) {
    int size = 0;
    for (const Value index : address.getDynamicIndices()) size += SizeOf(index);
    return size;
  }
  const auto found = folded_.find(operation);
  return found == folded_.end() ? 0 : found->second;
}

// Names what makes an expression too long, the longest part first.
void CudaFolding::Limit(Operation& operation) {
  if (TakesOperandsApart(operation)) return;
  llvm::SmallVector<std::pair<int, Operation*>, 4> parts;
  int size = 1;
  for (const Value operand : operation.getOperands()) {
    Operation* part = operand.getDefiningOp();
    if (auto address = mlir::dyn_cast_or_null<llvm_ops::GEPOp>(part)) {
      part = address.getDynamicIndices().empty() ? nullptr
                                                 : address.getDynamicIndices()[0].getDefiningOp();
    }
    const auto found = folded_.find(part);
    if (part == nullptr || found == folded_.end()) continue;
    parts.emplace_back(found->second, part);
    size += found->second;
  }
  llvm::stable_sort(parts, [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [part_size, part] : parts) {
    if (size <= kMaxSize) break;
    folded_.erase(part);
    size -= part_size;
  }
}

// Folded, a load happens where its statement is: nothing may be written in between.
void CudaFolding::UnfoldLoadsBeforeEffects(mlir::Block& block) {
  // For each operation, where its statement is, and the next effect behind it.
  llvm::DenseMap<Operation*, int> statement;
  int place = 0;
  llvm::DenseMap<Operation*, int> place_of;
  for (Operation& operation : block) place_of[&operation] = place++;
  int next_effect = place;
  for (Operation& operation : llvm::reverse(block)) {
    const int here = place_of[&operation];
    int at = here;
    if (folded_.contains(&operation)) at = statement[UserInBlock(operation)];
    if (mlir::isa<llvm_ops::LoadOp>(operation) && next_effect < at) {
      folded_.erase(&operation);
      at = here;
    }
    statement[&operation] = at;
    if (HasEffect(operation)) next_effect = here;
  }
}

}  // namespace hlo_indexing::emit
