// Products of matrices: a dot, with what its operands are made of and what becomes of its elements.
//
// A block computes a tile of the result, of one place of the batch. In each step along the sum its
// threads bring a tile of either operand to shared memory, in vectors along the memory of the
// operand, wait, and every warp multiplies its part of both: by tensor cores where they have the
// types, else a thread has some rows and columns of its own. The tiles of two steps take turns, so
// that nobody waits to fill the next one. Where there are few tiles, they are smaller,
// and several warps share the products of a step, whose sums are added in shared memory in the end.
// Tiles lie so that neither side has bank conflicts: rows are padded, or swizzled if they are
// short.
#include <algorithm>
#include <bit>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "codegen/plan/dot_dimensions.h"
#include "codegen/plan/our_emitters.h"
#include "codegen/plan/thread_map.h"
#include "hlo/opcode.h"
#include "indexing_analysis/rules/rule_table.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using mlir::AffineExpr;

namespace {

constexpr int64_t kWarpSize = 32;
constexpr int64_t kAccessBits = 128;
// Of products that one instruction of a tensor core adds up: 16 halves, 32 bytes.
constexpr int64_t kMultiplyBits = 256;
constexpr int64_t kMultiplyRows = ProductTiles::kMultiplyRows;
constexpr int64_t kMultiplyColumns = ProductTiles::kMultiplyColumns;

int64_t PowerOfTwoFrom(int64_t number) {
  return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(number)));
}
int64_t LogOf(int64_t power) { return std::countr_zero(static_cast<uint64_t>(power)); }

// Whether elements stay elements, each by itself.
bool KeepsElements(const Instruction& instruction, int64_t count) {
  if (!instruction.shape().IsArray() || instruction.shape().num_elements() != count) return false;
  switch (instruction.opcode()) {
    case Opcode::kBitcast:
    case Opcode::kReshape:
    case Opcode::kTranspose:
    case Opcode::kCopy:
      return true;
    default: {
      const auto& traits = indexing_analysis::TraitsOf(instruction.opcode());
      return traits.is_elementwise && !traits.reads_other_devices;
    }
  }
}

// Whether an element is made of few others, so that it may be made again for each tile.
bool IsQuicklyMade(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kBroadcast:
    case Opcode::kConstant:
    case Opcode::kIota:
    case Opcode::kSlice:
    case Opcode::kDynamicSlice:
    case Opcode::kPad:
    case Opcode::kReverse:
    case Opcode::kConcatenate:
    case Opcode::kGather:
    case Opcode::kGetTupleElement:
      return true;
    default:
      return instruction.shape().IsArray() &&
             KeepsElements(instruction, instruction.shape().num_elements());
  }
}

// The one dot of the kernel, of whose elements each root has one each. What becomes of an element
// is written out for each that a thread has, so there must not be much of it.
const Instruction* HeroOfProducts(const FusedComputation& fused) {
  constexpr size_t kMostInstructions = 256;
  if (fused.instructions().size() > kMostInstructions) return nullptr;
  const Instruction* dot = nullptr;
  for (const Instruction* instruction : fused.instructions()) {
    if (instruction->opcode() == Opcode::kDot) {
      if (dot != nullptr) return nullptr;
      dot = instruction;
    } else if (!IsQuicklyMade(*instruction)) {
      return nullptr;
    }
  }
  constexpr size_t kOperandsOfDenseDot = 2;
  if (dot == nullptr || dot->operands().size() != kOperandsOfDenseDot) return nullptr;
  llvm::DenseSet<const Instruction*> made_of_dot = {dot};
  for (const Instruction* instruction : fused.instructions()) {
    const bool is_user = llvm::any_of(instruction->operands(), [&](const Instruction* operand) {
      return made_of_dot.contains(operand);
    });
    if (!is_user) continue;
    if (!KeepsElements(*instruction, dot->shape().num_elements())) return nullptr;
    made_of_dot.insert(instruction);
  }
  const bool are_roots = llvm::all_of(fused.roots(), [&](const FusionRoot& root) {
    return made_of_dot.contains(root.instruction);
  });
  return are_roots ? dot : nullptr;
}

// Where the elements of the dot that the threads have go in each root; nullopt if no map says so.
std::optional<std::vector<IndexingMap>> PlacesInRoots(const EmitterInput& input,
                                                      const Instruction& dot,
                                                      const IndexingMap& elements) {
  llvm::DenseMap<const Instruction*, IndexingMap> places = {{&dot, elements}};
  for (const Instruction* instruction : input.fused.instructions()) {
    if (instruction == &dot) continue;
    std::optional<IndexingMap> place;
    for (size_t i = 0; i < instruction->operands().size(); ++i) {
      const auto found = places.find(&instruction->operand(i));
      if (found == places.end()) continue;
      IndexingMap here = PlaceOfOperand(input, found->second, *instruction, 0, i);
      if (here.IsUnknown() || here.num_ranges() != elements.num_ranges()) return std::nullopt;
      if (place.has_value() && !(*place == here)) return std::nullopt;
      place = std::move(here);
    }
    if (place.has_value()) places.try_emplace(instruction, *std::move(place));
  }
  std::vector<IndexingMap> of_roots;
  for (const FusionRoot& root : input.fused.roots()) {
    of_roots.push_back(places.lookup(root.instruction));
  }
  return of_roots;
}

// Bits of the operands' elements, if tensor cores multiply them as HLO does: exactly, with sums of
// 32 bits.
std::optional<int64_t> TensorCoreBits(const Instruction& dot) {
  const ElementType type = dot.operand(0).shape().element_type();
  const ElementType sum = dot.shape().element_type();
  if (dot.operand(1).shape().element_type() != type) return std::nullopt;
  if (type == ElementType::kF16 || type == ElementType::kBF16) {
    const bool is_sum = sum == ElementType::kF32 || sum == type;
    return is_sum ? std::optional(hlo::ElementBits(type)) : std::nullopt;
  }
  if (type == ElementType::kS8 || type == ElementType::kU8) {
    const bool is_sum = sum == ElementType::kS32 || sum == ElementType::kU32;
    return is_sum ? std::optional(hlo::ElementBits(type)) : std::nullopt;
  }
  return std::nullopt;
}

// Halves the longer side while multiprocessors have no block.
void Shrink(int64_t& rows, int64_t& columns, int64_t least_rows, int64_t least_columns,
            const MatrixSizes& sizes, int64_t multiprocessors) {
  const auto blocks = [&] {
    return sizes.batch * support::CeilDiv(sizes.rows, rows) *
           support::CeilDiv(sizes.columns, columns);
  };
  while (blocks() < multiprocessors) {
    if (rows > least_rows && (rows >= columns || columns <= least_columns)) {
      rows /= 2;
    } else if (columns > least_columns) {
      columns /= 2;
    } else {
      return;
    }
  }
}

ProductTiles TensorCoreTiles(const MatrixSizes& sizes, int64_t bits, int64_t multiprocessors) {
  constexpr int64_t kMost = 128;
  constexpr int64_t kBytesOfStep = int64_t{16} * 1024;
  constexpr int64_t kLeastWarps = 4;
  ProductTiles tiles;
  tiles.uses_tensor_cores = true;
  tiles.rows = std::clamp(PowerOfTwoFrom(sizes.rows), kMultiplyRows, kMost);
  tiles.columns = std::clamp(PowerOfTwoFrom(sizes.columns), kMultiplyColumns, kMost);
  const int64_t least_columns = std::min(tiles.columns, 2 * kMultiplyColumns);
  Shrink(tiles.rows, tiles.columns, kMultiplyRows, least_columns, sizes, multiprocessors);
  // Larger steps have more bytes on the way.
  const int64_t least_depth = 2 * kMultiplyBits / bits;
  const int64_t most_depth = kBytesOfStep * 8 / (bits * (tiles.rows + tiles.columns));
  tiles.depth = std::clamp(PowerOfTwoFrom(sizes.depth), least_depth,
                           static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(most_depth))));
  tiles.units[0] = tiles.rows / std::min<int64_t>(tiles.rows, tiles.rows == kMost ? 64 : 32);
  tiles.units[1] = tiles.columns / std::min<int64_t>(tiles.columns, 32);
  tiles.units[2] = std::clamp<int64_t>(kLeastWarps / (tiles.units[0] * tiles.units[1]), 1,
                                       tiles.depth * bits / kMultiplyBits);
  return tiles;
}

// 16 x 16 threads, each with up to 4 x 4 results.
ProductTiles ThreadTiles(const MatrixSizes& sizes, int64_t bits, int64_t multiprocessors) {
  constexpr int64_t kThreads = 16;
  constexpr int64_t kMost = 4 * kThreads;
  constexpr int64_t kBitsOfStep = 512;
  ProductTiles tiles;
  tiles.units = {kThreads, kThreads, 1};
  tiles.rows = std::clamp(PowerOfTwoFrom(sizes.rows), kThreads, kMost);
  tiles.columns = std::clamp(PowerOfTwoFrom(sizes.columns), kThreads, kMost);
  Shrink(tiles.rows, tiles.columns, kThreads, kThreads, sizes, multiprocessors);
  tiles.depth = std::max<int64_t>(4, kBitsOfStep / std::max<int64_t>(bits, 16));
  return tiles;
}

class ProductMaps {
 public:
  ProductMaps(const EmitterInput& input, const DotDimensions& dot, ProductTiles tiles)
      : input_(input), dot_(dot), tiles_(tiles), sizes_(dot.Matrices(tiles.rows_operand)) {
    num_threads_ = tiles_.units[0] * tiles_.units[1] * tiles_.units[2] *
                   (tiles_.uses_tensor_cores ? kWarpSize : 1);
    counts_ = {sizes_.batch, support::CeilDiv(sizes_.rows, tiles_.rows),
               support::CeilDiv(sizes_.columns, tiles_.columns)};
    launch_.threads[0] = num_threads_;
    launch_.blocks[0] = counts_[0] * counts_[1] * counts_[2];
  }

  const Launch& launch() const { return launch_; }

  // Elements of an operand that are one access: how many of those that are neighbours divide the
  // dimension, so that rows begin at multiples of them.
  int64_t Vector(size_t side) const {
    const int64_t bits = std::max<int64_t>(8, ElementWidth(Operand(side).shape()));
    int64_t vector = std::min(kAccessBits / bits, IsReadAlongSum(side) ? tiles_.depth : Own(side));
    if (input_.vector_elements.has_value()) vector = std::min(vector, *input_.vector_elements);
    const int64_t minor = dot_.MinorSize(OperandNumber(side), IsReadAlongSum(side));
    while (minor % vector != 0) vector /= 2;
    return vector;
  }
  bool IsReadAlongSum(size_t side) const { return dot_.IsSumMinor(OperandNumber(side)); }

  // [step, vector of the thread, element] -> the operand.
  IndexingMap Load(size_t side) const {
    ThreadMapBuilder builder(launch_, input_.plans);
    const Place place = PlaceOfLoad(builder, side);
    const Blocks block = BlockOf(builder);
    AffineExpr own = (side == 0 ? block.row : block.column) * Own(side) + place.own;
    AffineExpr sum = place.step * tiles_.depth + place.sum;
    // Vectors are elements as a whole or not at all.
    const bool is_along_sum = IsReadAlongSum(side);
    const int64_t of_own = is_along_sum ? 1 : Vector(side);
    const int64_t of_sum = is_along_sum ? Vector(side) : 1;
    builder.Constrain(own, {0, (side == 0 ? sizes_.rows : sizes_.columns) - of_own});
    builder.Constrain(sum, {0, sizes_.depth - of_sum});
    AffineExpr& minor = is_along_sum ? sum : own;
    minor = minor + place.element;
    return builder.Build(dot_.OperandIndex(OperandNumber(side), block.batch, own, sum));
  }

  SharedTile Tile(size_t side) const {
    SharedTile tile;
    tile.hero = &Operand(side);
    tile.element_bits = std::max<int64_t>(8, ElementWidth(Operand(side).shape()));
    const bool is_sum_minor = tiles_.is_sum_minor[side];
    const int64_t length = is_sum_minor ? tiles_.depth : Own(side);
    const int64_t count = is_sum_minor ? Own(side) : tiles_.depth;
    // Elements of an access that fill a column cannot follow a swizzle.
    const bool is_vector = IsReadAlongSum(side) == is_sum_minor;
    LayOut(tile, count, length, /*may_swizzle=*/tiles_.uses_tensor_cores && is_vector);
    if (tiles_.steps > 1) {
      tile.sizes.insert(tile.sizes.begin(), 2);
      tile.strides.insert(tile.strides.begin(), count * tile.strides.front());
    }
    ThreadMapBuilder fill(launch_, input_.plans);
    Place place = PlaceOfLoad(fill, side);
    AffineExpr& minor = IsReadAlongSum(side) ? place.sum : place.own;
    minor = minor + place.element;
    tile.accesses.push_back({true, fill.Build(InTile(side, place)), is_vector ? Vector(side) : 1});
    ThreadMapBuilder read(launch_, input_.plans);
    const AffineExpr step = read.Loop(tiles_.steps);
    const int64_t read_vector =
        tiles_.uses_tensor_cores ? kAccessBits / tile.element_bits : Own(side) / tiles_.units[side];
    Place read_place =
        tiles_.uses_tensor_cores ? MatrixOf(read, side, read_vector) : ThreadsOf(read, side);
    read_place.step = step;
    tile.accesses.push_back({false, read.Build(InTile(side, read_place)), read_vector});
    return tile;
  }

  // [row of the thread, vector, element] -> the result. Tensor cores: [matrix of rows, half of it,
  // matrix or pair of matrices of columns, vector, element].
  IndexingMap Result() const {
    ThreadMapBuilder builder(launch_, input_.plans);
    const Blocks block = BlockOf(builder);
    AffineExpr row;
    // Of the first of neighbours that the thread has.
    AffineExpr column;
    if (tiles_.uses_tensor_cores) {
      const Warp warp = WarpOf(builder);
      const AffineExpr lane = builder.Thread() % kWarpSize;
      const AffineExpr matrix = builder.Loop(tiles_.rows_of_unit() / kMultiplyRows);
      const AffineExpr half = builder.Loop(2);
      row = warp.row * tiles_.rows_of_unit() + matrix * kMultiplyRows + half * 8 + lane.floorDiv(4);
      const AffineExpr in_row = lane % 4;
      const AffineExpr first = warp.column * tiles_.columns_of_unit();
      if (tiles_.pairs_lanes) {
        const AffineExpr pair = builder.Loop(tiles_.columns_of_unit() / (2 * kMultiplyColumns));
        column = first + (pair * 2 + in_row % 2) * kMultiplyColumns + in_row.floorDiv(2) * 4;
      } else {
        const AffineExpr of_columns = builder.Loop(tiles_.columns_of_unit() / kMultiplyColumns);
        column = first + of_columns * kMultiplyColumns + in_row * 2;
      }
      if (tiles_.units[2] > 1) builder.Constrain(warp.of_sum, {0, 0});
    } else {
      row = builder.Thread().floorDiv(tiles_.units[1]) * tiles_.rows_of_unit() +
            builder.Loop(tiles_.rows_of_unit());
      column = (builder.Thread() % tiles_.units[1]) * tiles_.columns_of_unit();
    }
    const int64_t vector = VectorOfResult();
    column = column + builder.Loop(ElementsOfResult() / vector) * vector;
    const AffineExpr element = builder.Loop(vector);
    row = block.row * tiles_.rows + row;
    column = block.column * tiles_.columns + column;
    builder.Constrain(row, {0, sizes_.rows - 1});
    // Vectors are elements as a whole or not at all.
    builder.Constrain(column, {0, sizes_.columns - vector});
    return builder.Build(dot_.ResultIndex(tiles_.rows_operand, block.batch, row, column + element));
  }
  // How many of these are one access: the most that every row begins at a multiple of.
  int64_t VectorOfResult() const {
    return std::gcd(dot_.MinorSize(OperandNumber(1), /*of_sum=*/false), ElementsOfResult());
  }

  // Neighbours of a row that a thread has.
  int64_t ElementsOfResult() const {
    if (!tiles_.uses_tensor_cores) return tiles_.columns_of_unit();
    return tiles_.pairs_lanes ? 4 : 2;
  }

  // Sums of the warps that share the products of a step: [number] for each thread.
  SharedTile PartialSums(const Instruction& dot) const {
    const int64_t of_group = num_threads_ / tiles_.units[2];
    const int64_t numbers = tiles_.rows_of_unit() * tiles_.columns_of_unit() / kWarpSize;
    SharedTile tile;
    tile.hero = &dot;
    tile.element_bits = 32;
    tile.sizes = {tiles_.units[2] - 1, numbers, of_group};
    tile.strides = {numbers * of_group, of_group, 1};
    ThreadMapBuilder fill(launch_, input_.plans);
    const AffineExpr group = fill.Thread().floorDiv(of_group) - 1;
    fill.Constrain(group, {0, tiles_.units[2] - 2});
    tile.accesses.push_back(
        {true, fill.Build({group, fill.Loop(numbers), fill.Thread() % of_group}), 1});
    ThreadMapBuilder read(launch_, input_.plans);
    read.Constrain(read.Thread(), {0, of_group - 1});
    const AffineExpr other = read.Loop(tiles_.units[2] - 1);
    // Of a matrix of the result a thread has two neighbours in each half of its rows. What is no
    // element of the result in any thread is not added up.
    const int64_t matrices = tiles_.columns_of_unit() / kMultiplyColumns;
    const AffineExpr row = read.Loop(tiles_.rows_of_unit() / kMultiplyRows);
    const AffineExpr column = read.Loop(matrices);
    const AffineExpr half = read.Loop(2);
    const AffineExpr neighbour = read.Loop(2);
    if (tiles_.units[0] == 1 && counts_[1] == 1) {
      read.Constrain(row * kMultiplyRows + half * (kMultiplyRows / 2), {0, sizes_.rows - 1});
    }
    // Lanes in pairs exchange sums of two matrices.
    if (tiles_.units[1] == 1 && counts_[2] == 1 && !tiles_.pairs_lanes) {
      read.Constrain(column * kMultiplyColumns, {0, sizes_.columns - 1});
    }
    const AffineExpr number = (row * matrices + column) * 4 + half * 2 + neighbour;
    tile.accesses.push_back({false, read.Build({other, number, read.Thread()}), 1});
    return tile;
  }

 private:
  struct Blocks {
    AffineExpr batch;
    AffineExpr row;
    AffineExpr column;
  };
  struct Warp {
    AffineExpr row;
    AffineExpr column;
    AffineExpr of_sum;
  };
  // In the tile of a step; of a vector, the first element, and which one it is.
  struct Place {
    AffineExpr step;
    AffineExpr own;
    AffineExpr sum;
    AffineExpr element;
  };

  size_t OperandNumber(size_t side) const {
    return side == 0 ? tiles_.rows_operand : 1 - tiles_.rows_operand;
  }
  const Instruction& Operand(size_t side) const {
    return dot_.instruction().operand(OperandNumber(side));
  }
  int64_t Own(size_t side) const { return side == 0 ? tiles_.rows : tiles_.columns; }

  Blocks BlockOf(const ThreadMapBuilder& builder) const {
    const Expressions block = Delinearize(builder.Block(), counts_);
    return {block[0], block[1], block[2]};
  }
  // Warps that share products are groups one after the other.
  Warp WarpOf(const ThreadMapBuilder& builder) const {
    const AffineExpr warp = builder.Thread().floorDiv(kWarpSize);
    const AffineExpr in_group = warp % (tiles_.units[0] * tiles_.units[1]);
    return {in_group.floorDiv(tiles_.units[1]), in_group % tiles_.units[1],
            warp.floorDiv(tiles_.units[0] * tiles_.units[1])};
  }

  Place PlaceOfLoad(ThreadMapBuilder& builder, size_t side) const {
    constexpr int64_t kSectorBits = 256;
    const int64_t vector = Vector(side);
    const int64_t vectors = Own(side) * tiles_.depth / vector;
    Place place;
    place.step = builder.Loop(tiles_.steps);
    const AffineExpr number =
        builder.Loop(support::CeilDiv(vectors, num_threads_)) * num_threads_ + builder.Thread();
    if (vectors % num_threads_ != 0) builder.Constrain(number, {0, vectors - 1});
    place.element = builder.Loop(vector);
    if (!IsReadAlongSum(side)) {
      const int64_t of_row = Own(side) / vector;
      place.own = (number % of_row) * vector;
      place.sum = number.floorDiv(of_row);
      return place;
    }
    // Neighbours have a row, or, where they then fill columns of the tile, a sector of it.
    int64_t of_row = tiles_.depth / vector;
    if (!tiles_.is_sum_minor[side]) {
      const int64_t bits = std::max<int64_t>(8, ElementWidth(Operand(side).shape()));
      of_row = std::min(of_row, std::max<int64_t>(1, kSectorBits / (vector * bits)));
    }
    const AffineExpr in_rows = number.floorDiv(of_row);
    place.own = in_rows % Own(side);
    place.sum = (in_rows.floorDiv(Own(side)) * of_row + number % of_row) * vector;
    return place;
  }

  Expressions InTile(size_t side, const Place& place) const {
    Expressions index = {place.own, place.sum};
    if (!tiles_.is_sum_minor[side]) std::swap(index[0], index[1]);
    if (tiles_.steps > 1) index.insert(index.begin(), place.step % 2);
    return index;
  }

  // Rows of at least eight units of 16 bytes are one unit longer, so that eight neighbours of a
  // column are in different banks; shorter ones exchange their units by the number of the row.
  static void LayOut(SharedTile& tile, int64_t count, int64_t length, bool may_swizzle) {
    constexpr int64_t kUnitsOfBanks = 8;
    const int64_t unit = kAccessBits / tile.element_bits;
    tile.sizes = {count, length};
    tile.strides = {length, 1};
    if (length >= kUnitsOfBanks * unit || !may_swizzle) {
      tile.strides[0] += unit;
    } else if (length > unit) {
      const absl::StatusOr<layout::CuteSwizzle> swizzle =
          layout::CuteSwizzle::Create(LogOf(length / unit), LogOf(unit), LogOf(kUnitsOfBanks));
      if (swizzle.ok()) tile.swizzle = *swizzle;
    }
  }

  // What the lanes of a warp point to, to load four matrices of 8 x 8 halves (or 8 x 16 bytes) at a
  // time (PTX ISA, "ldmatrix"): of rows the four quarters of a matrix of 16 x 16, of columns both
  // halves of two matrices, or of one where the warp has no more.
  Place MatrixOf(ThreadMapBuilder& builder, size_t side, int64_t vector) const {
    const Warp warp = WarpOf(builder);
    const AffineExpr lane = builder.Thread() % kWarpSize;
    const int64_t bits = ElementWidth(Operand(side).shape());
    const int64_t products = kMultiplyBits / bits;
    const AffineExpr multiply = builder.Loop(tiles_.depth / (products * tiles_.units[2]));
    const int64_t of_unit = Own(side) / tiles_.units[side];
    const int64_t matrices = std::min<int64_t>(of_unit, 2 * kMultiplyColumns);
    const AffineExpr matrix = builder.Loop(of_unit / matrices);
    const AffineExpr element = builder.Loop(vector);
    if (matrices == kMultiplyColumns) builder.Constrain(lane, {0, 15});
    const AffineExpr first = (side == 0 ? warp.row : warp.column) * of_unit + matrix * matrices;
    const AffineExpr first_product = (multiply * tiles_.units[2] + warp.of_sum) * products;
    // The number of the matrix along the rows or columns, and along the sum.
    const AffineExpr low = lane.floorDiv(8) % 2;
    const AffineExpr high = lane.floorDiv(16);
    const AffineExpr of_own = side == 0 ? low : high;
    const AffineExpr of_sum = side == 0 ? high : low;
    Place place;
    place.own = first + of_own * 8;
    place.sum = first_product + of_sum * (tiles_.is_sum_minor[side] ? vector : 8);
    AffineExpr& major = tiles_.is_sum_minor[side] ? place.own : place.sum;
    AffineExpr& minor = tiles_.is_sum_minor[side] ? place.sum : place.own;
    major = major + lane % 8;
    minor = minor + element;
    return place;
  }

  // One product of each row or column of the thread.
  Place ThreadsOf(ThreadMapBuilder& builder, size_t side) const {
    Place place;
    place.sum = builder.Loop(tiles_.depth);
    const AffineExpr thread =
        side == 0 ? builder.Thread().floorDiv(tiles_.units[1]) : builder.Thread() % tiles_.units[1];
    const int64_t of_unit = Own(side) / tiles_.units[side];
    place.own = thread * of_unit + builder.Loop(of_unit);
    return place;
  }

  const EmitterInput& input_;
  const DotDimensions& dot_;
  ProductTiles tiles_;
  MatrixSizes sizes_;
  int64_t num_threads_;
  // Places of the batch, tiles along rows and columns.
  Sizes counts_;
  Launch launch_;
};

// Shorter sums are made by each thread by itself.
constexpr int64_t kShortestSum = 16;

ProductTiles TilesOf(const EmitterInput& input, const DotDimensions& dot) {
  const Instruction& instruction = dot.instruction();
  // Neighbours along the columns are neighbours in the result.
  const size_t rows_operand = dot.IsResultMinorOfLhs() ? 1 : 0;
  const MatrixSizes sizes = dot.Matrices(rows_operand);
  const int64_t multiprocessors = input.plans.device.multiprocessors;
  const std::optional<int64_t> bits = TensorCoreBits(instruction);
  ProductTiles tiles =
      bits.has_value()
          ? TensorCoreTiles(sizes, *bits, multiprocessors)
          : ThreadTiles(sizes,
                        std::max(hlo::ElementBits(instruction.operand(0).shape().element_type()),
                                 hlo::ElementBits(instruction.operand(1).shape().element_type())),
                        multiprocessors);
  tiles.dot = &instruction;
  tiles.rows_operand = rows_operand;
  tiles.steps = support::CeilDiv(sizes.depth, tiles.depth);
  if (bits.has_value()) {
    // Matrices of halves can be turned when they are loaded, those of bytes cannot.
    constexpr int64_t kTurned = 16;
    for (const size_t side : {0U, 1U}) {
      const size_t operand = side == 0 ? rows_operand : 1 - rows_operand;
      tiles.is_sum_minor[side] = dot.IsSumMinor(operand) || *bits != kTurned;
    }
    // Four lanes have eight results of a row: a sector, if they are of 32 bits.
    tiles.pairs_lanes = input.fused.LargestOutputBits() < 32 &&
                        tiles.columns_of_unit() % (2 * kMultiplyColumns) == 0;
  }
  return tiles;
}

}  // namespace

std::optional<KernelPlan> PlanOurProducts(const EmitterInput& input) {
  const Instruction* hero = HeroOfProducts(input.fused);
  if (hero == nullptr) return std::nullopt;
  const DotDimensions dot(input.fused, *hero);
  const MatrixSizes sizes = dot.Matrices(0);
  if (sizes.depth < kShortestSum || sizes.batch * sizes.rows * sizes.columns == 0) {
    return std::nullopt;
  }
  KernelPlan plan;
  plan.emitter = Emitter::kProducts;
  plan.products = TilesOf(input, dot);
  const ProductTiles& tiles = *plan.products;
  plan.variant = tiles.uses_tensor_cores ? "products on tensor cores" : "products";
  const ProductMaps maps(input, dot, tiles);
  // Two threads would write to one byte.
  const bool shares_bytes = llvm::any_of(input.fused.roots(), [](const FusionRoot& root) {
    return root.instruction->shape().StorageBits() < 8;
  });
  if (shares_bytes) return std::nullopt;
  const auto places = PlacesInRoots(input, *hero, maps.Result());
  if (!places.has_value()) return std::nullopt;
  plan.launch = maps.launch();
  for (const size_t side : {0U, 1U}) {
    const size_t operand = side == 0 ? tiles.rows_operand : 1 - tiles.rows_operand;
    const IndexingMap load = maps.Load(side);
    plan.passes.push_back(LoadPass(hero->operand(operand), load, maps.Vector(side)));
    for (const FusionRoot& root : input.fused.roots()) {
      plan.heroes.push_back({root.first_output, hero, static_cast<int64_t>(operand), load});
    }
    plan.shared_tiles.push_back(maps.Tile(side));
  }
  if (tiles.units[2] > 1) plan.shared_tiles.push_back(maps.PartialSums(*hero));
  for (size_t i = 0; i < input.fused.roots().size(); ++i) {
    const FusionRoot& root = input.fused.roots()[i];
    ElementPass pass =
        StorePass(*root.instruction, 0, root.first_output, (*places)[i], maps.VectorOfResult());
    pass.available = {hero};
    plan.passes.push_back(std::move(pass));
  }
  return plan;
}

}  // namespace hlo_indexing::plan
