#include "codegen/plan/dot_dimensions.h"

#include <algorithm>
#include <numeric>

#include "hlo/attribute.h"
#include "hlo/opcode.h"
#include "indexing_analysis/rules/rule_table.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::plan {

using hlo::AttributeName;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using mlir::AffineExpr;

namespace {

int64_t SizeAt(const Shape& shape, int64_t dimension) {
  return shape.sizes()[static_cast<size_t>(dimension)];
}

// Sets the indices of some dimensions to those at a row-major position in them.
void SetDimensions(const Shape& shape, llvm::ArrayRef<int64_t> dimensions,
                   llvm::ArrayRef<int64_t> places, AffineExpr position, Expressions& index) {
  Sizes sizes;
  for (const int64_t dimension : dimensions) sizes.push_back(SizeAt(shape, dimension));
  const Expressions parts = Delinearize(position, sizes);
  for (size_t i = 0; i < parts.size(); ++i) index[static_cast<size_t>(places[i])] = parts[i];
}

}  // namespace

DotDimensions::DotDimensions(const FusedComputation& fused, const Instruction& dot) : dot_(dot) {
  constexpr std::array<AttributeName, 2> kBatch = {AttributeName::kLhsBatchDims,
                                                   AttributeName::kRhsBatchDims};
  constexpr std::array<AttributeName, 2> kSummed = {AttributeName::kLhsContractingDims,
                                                    AttributeName::kRhsContractingDims};
  const llvm::ArrayRef<int64_t> lhs_summed = dot.Integers(kSummed[0]);
  const Sizes lhs_order = PhysicalDimensions(dot.operand(0).shape());
  llvm::SmallVector<size_t, 2> order(lhs_summed.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](size_t a, size_t b) {
    return llvm::find(lhs_order, lhs_summed[a]) < llvm::find(lhs_order, lhs_summed[b]);
  });
  auto next_in_result = static_cast<int64_t>(dot.Integers(kBatch[0]).size());
  for (const size_t i : {0U, 1U}) {
    Operand& operand = operands_[i];
    operand.batch.assign(dot.Integers(kBatch[i]).begin(), dot.Integers(kBatch[i]).end());
    for (const size_t k : order) operand.summed.push_back(dot.Integers(kSummed[i])[k]);
    const auto is_own = [&](int64_t dimension) {
      return !llvm::is_contained(operand.batch, dimension) &&
             !llvm::is_contained(operand.summed, dimension);
    };
    for (const int64_t dimension : PhysicalDimensions(dot.operand(i).shape())) {
      if (!is_own(dimension)) continue;
      operand.own.push_back(dimension);
      int64_t before = 0;
      for (int64_t other = 0; other < dimension; ++other) before += is_own(other) ? 1 : 0;
      operand.own_in_result.push_back(next_in_result + before);
    }
    next_in_result += static_cast<int64_t>(operand.own.size());
    const int64_t minor = MinorDimension(fused, dot.operand(i));
    operand.is_sum_minor = minor < 0 || llvm::is_contained(operand.summed, minor);
  }
}

int64_t DotDimensions::MinorDimension(const FusedComputation& fused, const Instruction& operand) {
  const Instruction* instruction = &operand;
  // Which dimension of the operand each of the instruction is.
  Sizes dimensions(operand.shape().rank());
  std::iota(dimensions.begin(), dimensions.end(), 0);
  while (fused.Contains(*instruction) && !instruction->operands().empty()) {
    const Instruction* next = &instruction->operand(0);
    Sizes of_next(next->shape().IsArray() ? next->shape().rank() : 0, -1);
    if (instruction->opcode() == Opcode::kTranspose ||
        instruction->opcode() == Opcode::kBroadcast) {
      const llvm::ArrayRef<int64_t> given = instruction->Integers(AttributeName::kDimensions);
      for (size_t i = 0; i < given.size(); ++i) {
        if (instruction->opcode() == Opcode::kTranspose) {
          of_next[static_cast<size_t>(given[i])] = dimensions[i];
        } else {
          of_next[i] = dimensions[static_cast<size_t>(given[i])];
        }
      }
    } else if (indexing_analysis::TraitsOf(instruction->opcode()).is_elementwise) {
      for (const Instruction* other : instruction->operands()) {
        const bool is_larger = other->shape().IsArray() && next->shape().IsArray() &&
                               other->shape().num_elements() > next->shape().num_elements();
        if (is_larger) next = other;
      }
      of_next = dimensions;
      if (!next->shape().IsArray() || next->shape().sizes().size() != of_next.size()) break;
    } else {
      break;
    }
    instruction = next;
    dimensions = of_next;
  }
  if (!instruction->shape().IsArray()) return -1;
  const Sizes order = PhysicalDimensions(instruction->shape());
  for (const int64_t dimension : llvm::reverse(order)) {
    if (SizeAt(instruction->shape(), dimension) > 1) {
      return dimensions[static_cast<size_t>(dimension)];
    }
  }
  return -1;
}

int64_t DotDimensions::SizeOf(size_t operand, llvm::ArrayRef<int64_t> dimensions) const {
  const Shape& shape = dot_.operand(operand).shape();
  int64_t size = 1;
  for (const int64_t dimension : dimensions) size *= SizeAt(shape, dimension);
  return size;
}

MatrixSizes DotDimensions::Matrices(size_t rows_operand) const {
  return {SizeOf(0, operands_[0].batch), SizeOf(rows_operand, operands_[rows_operand].own),
          SizeOf(1 - rows_operand, operands_[1 - rows_operand].own),
          SizeOf(0, operands_[0].summed)};
}

int64_t DotDimensions::MinorSize(size_t operand, bool of_sum) const {
  const Sizes& dimensions = of_sum ? operands_[operand].summed : operands_[operand].own;
  return dimensions.empty() ? 1 : SizeAt(dot_.operand(operand).shape(), dimensions.back());
}

bool DotDimensions::IsResultMinorOfLhs() const {
  const Sizes order = PhysicalDimensions(dot_.shape());
  for (const int64_t dimension : llvm::reverse(order)) {
    if (SizeAt(dot_.shape(), dimension) == 1) continue;
    return llvm::is_contained(operands_[0].own_in_result, dimension);
  }
  return false;
}

Expressions DotDimensions::OperandIndex(size_t operand, AffineExpr batch, AffineExpr own,
                                        AffineExpr sum) const {
  const Shape& shape = dot_.operand(operand).shape();
  const Operand& of = operands_[operand];
  Expressions index(shape.rank());
  SetDimensions(shape, of.batch, of.batch, batch, index);
  SetDimensions(shape, of.own, of.own, own, index);
  SetDimensions(shape, of.summed, of.summed, sum, index);
  return index;
}

Expressions DotDimensions::ResultIndex(size_t rows_operand, AffineExpr batch, AffineExpr row,
                                       AffineExpr column) const {
  Expressions index(dot_.shape().rank());
  Sizes batch_in_result(operands_[0].batch.size());
  std::iota(batch_in_result.begin(), batch_in_result.end(), 0);
  SetDimensions(dot_.operand(0).shape(), operands_[0].batch, batch_in_result, batch, index);
  for (const size_t i : {0U, 1U}) {
    SetDimensions(dot_.operand(i).shape(), operands_[i].own, operands_[i].own_in_result,
                  i == rows_operand ? row : column, index);
  }
  return index;
}

}  // namespace hlo_indexing::plan
