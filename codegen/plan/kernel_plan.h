// How a fusion, or an instruction by itself, becomes one kernel: which emitter makes it, how it is
// launched, and which elements each thread computes. Pure data, without code of the kernel.
//
// Example: a fusion f32[1024] add(p, q) on an H100, as XLA launches it:
//
//   emitter  loop
//   launch   blocks [8, 1, 1], threads [128, 1, 1]
//   computes %add (output 0): (th_x, th_y, th_z, bl_x, bl_y, bl_z) -> (bl_x * 128 + th_x),
//              domain: th_x in [0, 127], th_y in [0, 0], ..., bl_x in [0, 7], ...
//
// What a kernel loads and stores follows from that: `ElementPass` says which elements of which
// instruction a thread computes, and the indexing maps of the instruction what these read.
#ifndef HLO_INDEXING_CODEGEN_PLAN_KERNEL_PLAN_H_
#define HLO_INDEXING_CODEGEN_PLAN_KERNEL_PLAN_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "layout/cute_algebra/swizzle.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "support/printing.h"

namespace hlo_indexing::plan {

using indexing_analysis::IndexingMap;
using support::operator<<;
using support::PrintTo;

/// Every buffer begins at a multiple of so many bytes, and all up to the next one may be read.
inline constexpr int64_t kBufferAlignment = 16;

/// The strategy by which a kernel is made. XLA counts in-place updates among the loops: of its
/// plans, the variant names them.
enum class Emitter : uint8_t {
  kLoop,
  kTranspose,
  kReduction,
  kConcatenate,
  kDynamicUpdateSlice,
  kScatter,
  kSort,
  kScan,
  kNormalization,
  kMatrices,
  kRows,
  kProducts,
};

/// As in the JSON: "loop", "transpose", "reduction", "concatenate", "dynamic_update_slice",
/// "scatter", "sort", "scan", "normalization", "matrices", "rows", "products".
llvm::StringRef EmitterName(Emitter emitter);

/// The largest grid that CUDA launches (CUDA C++ Programming Guide, "Technical Specifications per
/// Compute Capability").
inline constexpr std::array<int64_t, 3> kMostBlocks = {(int64_t{1} << 31) - 1, 65535, 65535};

/// The sizes of a launch, x first.
struct Launch {
  std::array<int64_t, 3> blocks = {1, 1, 1};
  std::array<int64_t, 3> threads = {1, 1, 1};

  int64_t num_blocks() const { return blocks[0] * blocks[1] * blocks[2]; }
  int64_t threads_per_block() const { return threads[0] * threads[1] * threads[2]; }
  /// Why CUDA refuses it; empty if it does not.
  /// Example: "the grid has 70000 blocks in y, and CUDA launches at most 65535: it does not run"
  std::string WhyRefused() const;
};

/// The dimension variables of a thread map, in this order.
enum ThreadDimension : uint8_t { kThreadX, kThreadY, kThreadZ, kBlockX, kBlockY, kBlockZ };
inline constexpr std::array<llvm::StringRef, 6> kThreadDimensionNames = {"th_x", "th_y", "th_z",
                                                                         "bl_x", "bl_y", "bl_z"};

/// How the elements of a pass reach memory.
enum class StoreKind : uint8_t {
  kNone,    // they stay in registers or in shared memory
  kStore,   // each is written once to the output array
  kAtomic,  // read, combined and written back in one step
  // Less than a byte, whose other elements other threads have: bits come together in a counter, and
  // the thread that comes last writes the byte.
  kSharedByte,
};

/// One loop nest of the kernel, or a part of one: elements of an instruction that each thread
/// computes. The range variables of the map are the loops, from the outermost to the innermost; of
/// a vectorised access, the last one is the element in the vector.
struct ElementPass {
  /// The planned instruction itself, or one of the computation that it calls.
  const hlo::Instruction* instruction = nullptr;
  int64_t leaf = 0;
  /// (th_x, th_y, th_z, bl_x, bl_y, bl_z)[loops]{runtime} -> the element. Unknown if the emitter
  /// has no closed form.
  IndexingMap map;
  /// Whose values the thread already has when the pass begins, in registers or in shared memory:
  /// heroes, in a pass over their users; the instruction itself, if it is only stored.
  llvm::SmallVector<const hlo::Instruction*, 2> available;
  StoreKind store = StoreKind::kNone;
  /// The output array of the planned instruction that is stored, at the same index.
  std::optional<int64_t> output;
  /// Elements of a vector that the emitter loads or stores at a time; 1 is scalar.
  int64_t vector_elements = 1;
  /// Of an output whose elements are less than a byte, in tiles: the places in its memory that the
  /// threads have, whole bytes with the padding in them. Unknown for others.
  IndexingMap places;
  /// Of shared bytes: the counter of the first byte of the output.
  int64_t first_counter = 0;
};

/// A map that the emitter follows for an operand of the hero, as XLA names it: the hero of an
/// output is the instruction whose access pattern decides the emitter.
struct HeroRead {
  /// The first one for which it is.
  int64_t output = 0;
  const hlo::Instruction* hero = nullptr;
  int64_t operand = 0;
  /// Unknown if the emitter has no closed form.
  IndexingMap map;
};

/// A store to, or a load from, an array in shared memory.
struct SharedAccess {
  bool is_store = false;
  /// (th_x, ..., bl_z)[loops] -> the index in the tile.
  IndexingMap index;
  /// How many iterations of the last loop are one access of a thread; 1 is scalar.
  int64_t vector_elements = 1;
};

/// An array in shared memory through which the threads of a block exchange elements: they fill it,
/// wait, and read it in another order. Or one in scratch memory, through which blocks do. Where an
/// element lies is a layout of CuTe: the sum of index and strides, then the swizzle. Example: 32
/// rows of 32 floats, each padded by one -> (_32,_32):(_33,_1)
struct SharedTile {
  /// Whose elements, or partial results, these are.
  const hlo::Instruction* hero = nullptr;
  int64_t element_bits = 0;
  llvm::SmallVector<int64_t, 4> sizes;
  /// In elements.
  llvm::SmallVector<int64_t, 4> strides;
  std::optional<layout::CuteSwizzle> swizzle;
  std::vector<SharedAccess> accesses;

  /// What the array takes, paddings included.
  int64_t bytes() const;
  /// CuTe's text of the layout.
  std::string LayoutText() const;
  /// (th_x, ..., bl_z)[loops] -> the position in elements, before the swizzle.
  IndexingMap PositionOf(const SharedAccess& access) const;
};

/// How a block computes a tile of a product of matrices: it goes along the sum in steps, for each
/// of which it has a tile of both operands in shared memory.
/// Example: 64x64 of 1000x1000 halves, 64 products in a step -> 4 warps of 32x32, 16 steps
struct ProductTiles {
  /// Rows and columns of the result of one instruction of a tensor core.
  static constexpr int64_t kMultiplyRows = 16;
  static constexpr int64_t kMultiplyColumns = 8;

  const hlo::Instruction* dot = nullptr;
  /// The operand of the dot whose tile has the rows; the other one has the columns.
  size_t rows_operand = 0;
  /// Elements of the result, and products of each that are added in a step.
  int64_t rows = 1;
  int64_t columns = 1;
  int64_t depth = 1;
  int64_t steps = 1;
  /// Tensor cores: warps side by side along rows and columns, and such that share the products of
  /// a step. Else threads along rows and columns.
  std::array<int64_t, 3> units = {1, 1, 1};
  bool uses_tensor_cores = false;
  /// Tensor cores: a thread has two neighbours of a row of the result; whether pairs of threads
  /// exchange theirs, so that each has four.
  bool pairs_lanes = false;
  /// Of the tiles of rows and of columns: whether neighbours in shared memory are neighbours along
  /// the sum.
  std::array<bool, 2> is_sum_minor = {false, false};

  /// Of the result, what a warp or a thread has.
  int64_t rows_of_unit() const { return rows / units[0]; }
  int64_t columns_of_unit() const { return columns / units[1]; }
  /// Example: "64x64x64 by 2x2x1 warps, 16 steps"
  std::string ToString() const;
};

/// An instruction whose value leaves the kernel, as one or, if it is variadic, several arrays.
struct PlannedRoot {
  const hlo::Instruction* instruction = nullptr;
  int64_t first_output = 0;
  int64_t num_outputs = 1;
};

struct KernelPlan {
  /// The planned instruction; or the root of the computation that is itself planned.
  const hlo::Instruction* instruction = nullptr;
  bool is_computation = false;
  std::vector<PlannedRoot> roots;
  Emitter emitter = Emitter::kLoop;
  /// The kind of the emitter, as in "packed transpose" or "multi-row reduction".
  std::string variant;
  Launch launch;
  std::vector<ElementPass> passes;
  std::vector<HeroRead> heroes;
  std::vector<SharedTile> shared_tiles;
  /// Products of matrices.
  std::optional<ProductTiles> products;
  /// Loops: whether all arrays of a variadic instruction are computed in one; else each by itself.
  bool joins_arrays = false;
  /// Reductions: whether the results are of rows, each of one thread; else vectors of columns.
  bool reduces_rows = false;
  /// Reductions: so many lanes have partial results of the same elements, which they shuffle
  /// together; a power of two. `shuffle_distance` is that from one of them to the next.
  int64_t shuffled_lanes = 1;
  int64_t shuffle_distance = 1;
  /// Rows: whether each thread keeps what it has of its row, so that nothing is read or computed
  /// twice. Its loop, the first range of the maps if there is one, is then written out.
  bool keeps_rows = false;

  /// Global memory that the blocks share with each other while the kernel runs, of any contents.
  int64_t scratch_bytes = 0;

  /// Reductions: so many blocks, all along y, have partial results of the same elements. The one
  /// that comes last combines them and goes on. Maps of what it does are those of the last block of
  /// a group, as which it goes on, whichever it is.
  int64_t blocks_of_group = 1;
  /// Partial results in scratch memory, each array from a multiple of kScratchAlignment bytes.
  std::vector<SharedTile> scratch_arrays;
  /// A line of 128 bytes: arrays share no sectors.
  static constexpr int64_t kScratchAlignment = 128;
  /// Outputs with elements of less than a byte: bytes that several threads share, of all outputs.
  int64_t shared_bytes = 0;
  /// Whose turn it is: a number of 32 bits for each group of blocks, then for each shared byte,
  /// zeros before and after a launch.
  int64_t num_counters() const {
    return (blocks_of_group == 1 ? 0 : launch.num_blocks() / blocks_of_group) + shared_bytes;
  }
  int64_t counter_bytes() const { return num_counters() * 4; }

  /// Where tiles lie in shared memory: tiles of blocks that differ in bl_z share their places, as a
  /// block has one of them.
  struct SharedPlaces {
    /// For each tile, the number of its place.
    std::vector<size_t> of_tiles;
    /// For each place, what the largest of its tiles takes.
    std::vector<int64_t> bytes;
  };
  SharedPlaces shared_places() const;
  /// Of all places together, each from a multiple of 16 bytes.
  int64_t shared_memory_bytes() const;

  /// The computation whose instructions the kernel computes: that of a fusion, or the planned one.
  /// Null for an instruction by itself.
  const hlo::Computation* Composed() const;
  /// What stands for the arrays that the kernel reads: the operands of the instruction, or the
  /// parameters of the computation that is itself planned.
  llvm::ArrayRef<const hlo::Instruction*> Inputs() const;
  /// As the kernel reads an input and writes an array of the output. A fusion has them in the
  /// layouts of its computation, whatever those of its operands and of its own shape are: before
  /// XLA lays a module out, they may differ.
  const hlo::Shape& InputShape(size_t input) const;
  const hlo::Shape& OutputShape(int64_t output) const;
  /// The output that the first array of an instruction is, whose elements a pass stores. Outputs
  /// without elements may be in front of it.
  int64_t FirstOutputOf(const hlo::Instruction& stored) const;
  /// Which input an instruction stands for where elements are computed: a parameter of the fused
  /// computation, or an operand of the one instruction. nullopt if it is computed itself.
  std::optional<int64_t> InputNumber(const hlo::Instruction& computed) const;

  /// Writes the form above.
  void Print(llvm::raw_ostream& out) const;
  std::string ToString() const { return support::ToString(*this); }
};

}  // namespace hlo_indexing::plan

#endif  // HLO_INDEXING_CODEGEN_PLAN_KERNEL_PLAN_H_
