// Bitcasts: the same bytes in memory, read through another shape and layout.
#include "hlo/array_indices.h"
#include "hlo/interpreter/evaluation.h"
#include "hlo/interpreter/opcode_table.h"
#include "hlo/memory_layout.h"
#include "layout/tiled_index.h"
#include "support/checked_math.h"

namespace hlo_indexing::hlo::evaluate {
namespace {

// Coordinates with the bounds that they are below, major to minor.
struct Coordinates {
  Index index;
  Index bounds;

  void Append(int64_t coordinate, int64_t bound) {
    index.push_back(coordinate);
    bounds.push_back(bound);
  }
};

// One tiling: (e, d) becomes (e / t, ceil(d / t)) and, behind all of those, (e % t, t). Dimensions
// marked as combined are first merged with the next more minor one.
Coordinates ApplyTile(const Coordinates& before, const layout::Tile& tile) {
  Coordinates padded;
  while (padded.index.size() + before.index.size() < tile.dimensions.size()) padded.Append(0, 1);
  for (size_t i = 0; i < before.index.size(); ++i) {
    padded.Append(before.index[i], before.bounds[i]);
  }
  const size_t untiled = padded.index.size() - tile.dimensions.size();
  Coordinates outer;
  Coordinates inner;
  for (size_t i = 0; i < untiled; ++i) outer.Append(padded.index[i], padded.bounds[i]);
  int64_t coordinate = 0;
  int64_t bound = 1;
  for (size_t i = 0; i < tile.dimensions.size(); ++i) {
    coordinate = coordinate * padded.bounds[untiled + i] + padded.index[untiled + i];
    bound *= padded.bounds[untiled + i];
    const int64_t size = tile.dimensions[i];
    if (size == layout::kCombineDimension) continue;
    outer.Append(coordinate / size, support::CeilDiv(bound, size));
    inner.Append(coordinate % size, size);
    coordinate = 0;
    bound = 1;
  }
  outer.index.append(inner.index.begin(), inner.index.end());
  outer.bounds.append(inner.bounds.begin(), inner.bounds.end());
  return outer;
}

// An array in memory: how many elements it takes with its padding, and where each one lies.
struct MemoryPositions {
  int64_t num_positions = 0;
  std::vector<int64_t> of_element;
  std::shared_ptr<MemoryReservation> reservation;
};

// Reserves the memory for the positions of an array.
bool ReservePositions(Evaluation& e, int64_t size, MemoryPositions& positions) {
  const int64_t bytes_each = static_cast<int64_t>(sizeof(int64_t));
  positions.reservation =
      e.session().Reserve(e.instruction(), support::CheckedMul(size, bytes_each).value_or(-1));
  if (positions.reservation == nullptr) return false;
  positions.of_element.reserve(static_cast<size_t>(size));
  return true;
}

bool FindPositions(Evaluation& e, const Shape& shape, MemoryPositions& positions) {
  const layout::Layout layout = LayoutOrDefault(shape);
  const std::optional<int64_t> num_positions = layout::PhysicalElements(shape.sizes(), layout);
  if (!num_positions) return e.Fail("the size of " + shape.ToString() + " does not fit in 64 bits");
  positions.num_positions = *num_positions;
  if (!ReservePositions(e, shape.num_elements(), positions)) return false;
  if (layout.tiles.empty()) {
    // Without tiles an element lies where the strides say.
    Index strides(static_cast<size_t>(shape.rank()));
    int64_t stride = 1;
    for (const int64_t dimension : layout.minor_to_major) {
      strides[dimension] = stride;
      stride *= shape.sizes()[dimension];
    }
    ForEachStrided(shape.sizes(), strides, 0,
                   [&](int64_t, int64_t position) { positions.of_element.push_back(position); });
    return true;
  }
  ForEachIndex(shape.sizes(), [&](llvm::ArrayRef<int64_t> index) {
    Coordinates coordinates;
    for (const int64_t dimension : llvm::reverse(layout.minor_to_major)) {
      coordinates.Append(index[dimension], shape.sizes()[dimension]);
    }
    for (const layout::Tile& tile : layout.tiles) coordinates = ApplyTile(coordinates, tile);
    positions.of_element.push_back(
        PositionOf(coordinates.index, RowMajorStrides(coordinates.bounds)));
    return true;
  });
  return true;
}

// The bytes of an element of a Literal, of which its type uses the low bits.
llvm::ArrayRef<uint8_t> BytesOf(const ArrayValue& array, int64_t position) {
  const int64_t width = LiteralBytesPerElement(array.type());
  return array.bytes().slice(static_cast<size_t>(position * width), static_cast<size_t>(width));
}

// Elements that are read bit by bit from others of another width.
class BitReader {
 public:
  // `element_at` maps every position in memory to an element of the array, or to -1 for padding.
  BitReader(Evaluation& e, const ArrayValue& array, std::vector<int64_t> element_at, int64_t width)
      : e_(e), array_(array), element_at_(std::move(element_at)), width_(width) {}

  // Writes the element whose `to_width` bits begin at `first_bit`.
  void Read(int64_t first_bit, int64_t to_width, ArrayValue& to, int64_t position);

 private:
  Evaluation& e_;
  const ArrayValue& array_;
  std::vector<int64_t> element_at_;
  int64_t width_;
};

void BitReader::Read(int64_t first_bit, int64_t to_width, ArrayValue& to, int64_t position) {
  std::array<uint8_t, 16> bytes = {};
  SourceSet sources = kNoSources;
  const int64_t used = std::min<int64_t>(to_width, static_cast<int64_t>(bytes.size()) * 8);
  for (int64_t i = 0; i < used; ++i) {
    const int64_t bit = first_bit + i;
    const int64_t from_position = bit / width_;
    const int64_t element =
        from_position < static_cast<int64_t>(element_at_.size()) ? element_at_[from_position] : -1;
    if (element < 0) continue;
    sources = e_.Union(sources, array_.SourcesOf(element));
    const llvm::ArrayRef<uint8_t> from = BytesOf(array_, element);
    const int64_t within = bit % width_;
    if (within / 8 >= static_cast<int64_t>(from.size())) continue;
    if ((from[within / 8] >> (within % 8) & 1) != 0) {
      bytes[i / 8] = static_cast<uint8_t>(bytes[i / 8] | 1 << (i % 8));
    }
  }
  const int64_t width = LiteralBytesPerElement(to.type());
  uint8_t* out = to.mutable_bytes().data() + position * width;
  std::copy_n(bytes.begin(), width, out);
  // Integers of less than a byte are kept with their sign; a pred is 0 or 1.
  if (ElementBits(to.type()) < 8) StoreElement(to.type(), LoadElement(to.type(), out), out);
  to.SetSources(position, sources);
}

// The array that lies where the operand does.
bool ReadThrough(Evaluation& e, const MemoryPositions& from, int64_t from_width,
                 const MemoryPositions& to, int64_t to_width) {
  const std::shared_ptr<ArrayValue> result = e.NewResult();
  if (result == nullptr) return false;
  const ArrayValue& operand = e.array(0);
  const std::shared_ptr<MemoryReservation> reservation = e.session().Reserve(
      e.instruction(), support::CheckedMul(from.num_positions, sizeof(int64_t)).value_or(-1));
  if (reservation == nullptr ||
      !e.Spend(support::CheckedMul(result->size(), to_width).value_or(-1))) {
    return false;
  }
  std::vector<int64_t> elements(static_cast<size_t>(from.num_positions), -1);
  for (size_t i = 0; i < from.of_element.size(); ++i) {
    elements[static_cast<size_t>(from.of_element[i])] = static_cast<int64_t>(i);
  }
  if (from_width == to_width && operand.type() == result->type()) {
    for (int64_t i = 0; i < result->size(); ++i) {
      const int64_t position = to.of_element[static_cast<size_t>(i)];
      const int64_t element =
          position < from.num_positions ? elements[static_cast<size_t>(position)] : -1;
      if (element >= 0) result->CopyFrom(i, operand, element);
    }
    return e.Return(result);
  }
  BitReader reader(e, operand, std::move(elements), from_width);
  for (int64_t i = 0; i < result->size(); ++i) {
    reader.Read(to.of_element[static_cast<size_t>(i)] * to_width, to_width, *result, i);
  }
  return e.Return(result);
}

// Row-major, nothing between the elements.
bool Pack(Evaluation& e, int64_t size, MemoryPositions& positions) {
  positions.num_positions = size;
  if (!ReservePositions(e, size, positions)) return false;
  for (int64_t i = 0; i < size; ++i) positions.of_element.push_back(i);
  return true;
}

}  // namespace

bool Bitcast(Evaluation& e) {
  if (!e.operand(0).IsArray()) return e.Return(e.operand(0));
  const Shape& from_shape = e.instruction().operand(0).shape();
  const Shape& to_shape = e.instruction().shape();
  MemoryPositions from;
  MemoryPositions to;
  return FindPositions(e, from_shape, from) && FindPositions(e, to_shape, to) &&
         ReadThrough(e, from, from_shape.StorageBits(), to, to_shape.StorageBits());
}

// By the bits of the types, whatever the layouts: an element is cut into several along a new last
// dimension, the lowest bits first, or several are put together. A pred counts as a byte if the
// number of dimensions stays.
bool BitcastConvert(Evaluation& e) {
  const Shape& from = e.array(0).shape();
  const Shape& to = e.instruction().shape();
  int64_t from_width = ElementBits(from.element_type());
  int64_t to_width = ElementBits(to.element_type());
  if (from.rank() == to.rank()) {
    from_width = std::max(from_width, to_width);
    to_width = from_width;
  }
  MemoryPositions from_positions;
  MemoryPositions to_positions;
  return Pack(e, from.num_elements(), from_positions) && Pack(e, to.num_elements(), to_positions) &&
         ReadThrough(e, from_positions, from_width, to_positions, to_width);
}

}  // namespace hlo_indexing::hlo::evaluate
