// The families of instructions: each file decodes and executes one, and lists its opcodes here.
#ifndef HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_TABLE_H_
#define HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_TABLE_H_

#include <span>
#include <string_view>

#include "codegen/ptx/instructions/decoder.h"

namespace hlo_indexing::ptx {

std::span<const OpcodeRow> ControlOpcodes();      // control.cc: bra brx.idx call ret exit trap
std::span<const OpcodeRow> BarrierOpcodes();      // barrier.cc: bar barrier bar.warp.sync fences
std::span<const OpcodeRow> ClusterOpcodes();      // cluster.cc: mapa getctarank
std::span<const OpcodeRow> IntegerOpcodes();      // integer.cc
std::span<const OpcodeRow> BitOpcodes();          // bits.cc
std::span<const OpcodeRow> FloatOpcodes();        // floating_point.cc
std::span<const OpcodeRow> HalfOpcodes();         // half.cc: f16, bf16, packed
std::span<const OpcodeRow> ComparisonOpcodes();   // comparison.cc: setp set selp slct
std::span<const OpcodeRow> ConversionOpcodes();   // conversion.cc: cvt cvta isspacep
std::span<const OpcodeRow> MoveOpcodes();         // move.cc: mov prmt
std::span<const OpcodeRow> LoadStoreOpcodes();    // load_store.cc: ld st ldu prefetch
std::span<const OpcodeRow> StackOpcodes();        // stack.cc: alloca stacksave stackrestore
std::span<const OpcodeRow> AtomicOpcodes();       // atomic.cc: atom red
std::span<const OpcodeRow> WarpOpcodes();         // warp.cc: shfl vote match redux activemask elect
std::span<const OpcodeRow> AsyncCopyOpcodes();    // async_copy.cc: cp.async, cp.async.bulk
std::span<const OpcodeRow> TransactionOpcodes();  // mbarrier.cc
std::span<const OpcodeRow> MatrixOpcodes();       // matrix.cc: ldmatrix stmatrix movmatrix
std::span<const OpcodeRow> MatrixMultiplyOpcodes();  // matrix_multiply.cc: mma wmma

/// The row of an opcode (the part before the first dot), or nullptr.
const OpcodeRow* FindOpcode(std::string_view opcode);

}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_INSTRUCTIONS_TABLE_H_
