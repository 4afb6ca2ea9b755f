#include "tools/instruction_head.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "hlo/literal.h"
#include "hlo/shape.h"

namespace hlo_indexing::tools {
namespace {

using hlo::Opcode;
using hlo::Shape;
using llvm::raw_ostream;

constexpr size_t kMostArrays = 8;
constexpr size_t kMostOperands = 8;
constexpr int64_t kMostElements = 16;

// Writes as many arrays as are left of `arrays`, and counts the elements of tuples behind them.
void WriteShape(const Shape& shape, size_t& arrays, raw_ostream& out) {
  if (!shape.IsTuple()) {
    out << shape.ToString();
    arrays -= std::min<size_t>(arrays, 1);
    return;
  }
  out << '(';
  const size_t size = shape.elements().size();
  for (size_t i = 0; i < size; ++i) {
    if (i != 0) out << ", ";
    if (arrays == 0) {
      out << "... " << size - i << " more";
      break;
    }
    WriteShape(*shape.elements()[i], arrays, out);
  }
  // A tuple of empty tuples has no arrays, and is cut all the same.
  if (size == 0) arrays -= std::min<size_t>(arrays, 1);
  out << ')';
}

void WriteOperands(const hlo::Instruction& instruction, raw_ostream& out) {
  const size_t size = instruction.operands().size();
  for (size_t i = 0; i < size; ++i) {
    if (i != 0) out << ", ";
    if (i == kMostOperands) {
      out << "... " << size - i << " more";
      return;
    }
    out << '%' << instruction.operand(i).name();
  }
}

}  // namespace

void WriteInstructionHead(const hlo::Instruction& instruction, raw_ostream& out) {
  out << '%' << instruction.name() << " = ";
  size_t arrays = kMostArrays;
  WriteShape(instruction.shape(), arrays, out);
  out << ' ' << hlo::OpcodeName(instruction.opcode()) << '(';
  if (instruction.opcode() == Opcode::kParameter) {
    out << instruction.parameter_number();
  } else if (instruction.opcode() == Opcode::kConstant) {
    const hlo::Literal& literal = *instruction.literal();
    const auto leaves = static_cast<size_t>(instruction.shape().num_array_leaves());
    const bool is_wide = std::max(leaves, literal.elements().size()) > kMostArrays;
    out << (is_wide ? "..." : literal.ToAbbreviatedString(kMostElements));
  } else {
    WriteOperands(instruction, out);
  }
  out << ')';
}

std::vector<int64_t> FirstArrayNumbers(llvm::ArrayRef<const hlo::Instruction*> operands) {
  std::vector<int64_t> numbers;
  int64_t next = 0;
  for (const hlo::Instruction* operand : operands) {
    numbers.push_back(next);
    next += operand->shape().num_array_leaves();
  }
  return numbers;
}

}  // namespace hlo_indexing::tools
