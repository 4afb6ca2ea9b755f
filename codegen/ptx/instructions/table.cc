#include "codegen/ptx/instructions/table.h"

#include <algorithm>
#include <array>
#include <span>
#include <string_view>
#include <vector>

namespace hlo_indexing::ptx {
namespace {

std::vector<OpcodeRow> SortedRows() {
  const std::span<const OpcodeRow> families[] = {ControlOpcodes(),
                                                 BarrierOpcodes(),
                                                 ClusterOpcodes(),
                                                 IntegerOpcodes(),
                                                 BitOpcodes(),
                                                 FloatOpcodes(),
                                                 HalfOpcodes(),
                                                 ComparisonOpcodes(),
                                                 ConversionOpcodes(),
                                                 MoveOpcodes(),
                                                 LoadStoreOpcodes(),
                                                 AtomicOpcodes(),
                                                 WarpOpcodes(),
                                                 AsyncCopyOpcodes(),
                                                 TransactionOpcodes(),
                                                 MatrixOpcodes(),
                                                 MatrixMultiplyOpcodes(),
                                                 StackOpcodes()};
  std::vector<OpcodeRow> rows;
  for (const std::span<const OpcodeRow> family : families) {
    rows.insert(rows.end(), family.begin(), family.end());
  }
  std::ranges::sort(rows, {}, &OpcodeRow::opcode);
  return rows;
}

}  // namespace

const OpcodeRow* FindOpcode(std::string_view opcode) {
  static const std::vector<OpcodeRow> kRows = SortedRows();
  const auto row = std::ranges::lower_bound(kRows, opcode, {}, &OpcodeRow::opcode);
  return row == kRows.end() || row->opcode != opcode ? nullptr : &*row;
}

}  // namespace hlo_indexing::ptx
