#include "indexing_analysis/queries/tile_fit.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "indexing_analysis/maps/indexing_map.h"
#include "indexing_analysis/queries/tile_needs.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include "support/checked_math.h"

namespace hlo_indexing::indexing_analysis {
namespace {

using hlo::Shape;
using llvm::DynamicAPInt;
using mlir::AffineExpr;

constexpr int64_t kSectorBits = 256;

using Sizes = llvm::SmallVector<int64_t, 4>;

// Powers of `base` below the size, and the size.
std::vector<int64_t> Candidates(int64_t size, int64_t base) {
  std::vector<int64_t> candidates;
  for (int64_t power = 1; power < size;) {
    candidates.push_back(power);
    if (power > size / base) break;
    power *= base;
  }
  candidates.push_back(size);
  return candidates;
}

// All combinations; fewer for each dimension, until they are not too many.
std::vector<Sizes> TileSizes(llvm::ArrayRef<int64_t> sizes, size_t max_candidates) {
  std::vector<Sizes> all;
  for (int64_t base = 2;; base *= 2) {
    size_t count = 1;
    std::vector<std::vector<int64_t>> of_dimensions;
    for (const int64_t size : sizes) {
      of_dimensions.push_back(Candidates(size, base));
      count = std::min(count * of_dimensions.back().size(), max_candidates + 1);
    }
    // With a base beyond all sizes, 1 and the whole dimension are left.
    if (count > max_candidates && base < (int64_t{1} << 40)) continue;
    all = {{}};
    for (const auto& candidates : of_dimensions) {
      std::vector<Sizes> longer;
      for (const Sizes& combination : all) {
        for (const int64_t candidate : candidates) {
          if (longer.size() >= max_candidates) break;
          longer.push_back(combination);
          longer.back().push_back(candidate);
        }
      }
      all = std::move(longer);
    }
    return all;
  }
}

// An array that is read, the first of the operands that it is, and the first read by the same maps
// of an array of these sizes, whose tiles are the same.
struct ReadArray {
  const OperandIndexing* indexing = nullptr;
  size_t array = 0;
  size_t alike = 0;
};

// The arrays that are read by maps of their own: an operand that comes twice, with the same maps,
// is needed once.
class DistinctReads {
 public:
  DistinctReads(llvm::ArrayRef<OperandIndexing> operands, const hlo::Instruction& instruction)
      : instruction_(instruction) {
    for (size_t i = 0; i < operands.size(); ++i) {
      const OperandIndexing& operand = operands[i];
      auto& of_array = by_array_[{&instruction.operand(operand.operand()), operand.leaf()}];
      const bool is_there = llvm::any_of(of_array, [&](size_t other) {
        return llvm::equal(operands[other].maps(), operand.maps());
      });
      if (is_there) continue;
      of_array.push_back(i);
      reads_.push_back({&operand, of_array.front(), AlikeOf(operand)});
    }
  }

  std::vector<ReadArray> Take() && { return std::move(reads_); }

 private:
  llvm::ArrayRef<int64_t> SizesOf(const OperandIndexing& operand) const {
    return instruction_.operand(operand.operand()).shape().ArrayLeaf(operand.leaf()).sizes();
  }

  // The number of the next read, unless there is one like it.
  size_t AlikeOf(const OperandIndexing& operand) {
    llvm::hash_code code = llvm::hash_combine_range(SizesOf(operand));
    for (const OperandMap& map : operand.maps()) {
      code = llvm::hash_combine(code, hash_value(map.map));
    }
    auto& of_maps = by_maps_[code];
    for (const size_t number : of_maps) {
      const OperandIndexing& other = *reads_[number].indexing;
      const bool is_alike =
          SizesOf(other) == SizesOf(operand) && llvm::equal(other.maps(), operand.maps());
      if (is_alike) return number;
    }
    of_maps.push_back(reads_.size());
    return reads_.size();
  }

  const hlo::Instruction& instruction_;
  std::vector<ReadArray> reads_;
  llvm::DenseMap<std::pair<const hlo::Instruction*, int64_t>, llvm::SmallVector<size_t, 1>>
      by_array_;
  std::unordered_map<size_t, llvm::SmallVector<size_t, 1>> by_maps_;
};

// How many are tried of an output that is made of so many maps of so many dimensions: a usual one
// has at most 16 of 8.
size_t MostCandidates(llvm::ArrayRef<ReadArray> reads, const Shape& output,
                      const TileFitOptions& options) {
  constexpr size_t kUsualRank = 8;
  constexpr size_t kUsualMaps = 16;
  constexpr size_t kLeast = 4;
  size_t rank = std::max<size_t>(kUsualRank, output.sizes().size());
  size_t num_maps = kUsualMaps;
  for (const ReadArray& read : reads) {
    for (const OperandMap& map : read.indexing->maps()) {
      ++num_maps;
      if (!map.map.IsUnknown()) rank = std::max<size_t>(rank, map.map.affine_map().getNumResults());
    }
  }
  const size_t work = rank * rank * rank / (kUsualRank * kUsualRank * kUsualRank);
  const size_t most = options.max_candidates / work / (num_maps / kUsualMaps);
  return std::max(most, std::min(kLeast, options.max_candidates));
}

// Of each dimension, how many elements apart its neighbours are; nullopt for tiled layouts.
std::optional<Sizes> Pitches(const Shape& shape) {
  Sizes order;
  if (shape.layout() != nullptr) {
    if (!shape.layout()->IsDefault()) return std::nullopt;
    order.assign(shape.layout()->minor_to_major.begin(), shape.layout()->minor_to_major.end());
  } else {
    for (int64_t i = shape.rank(); i-- > 0;) order.push_back(i);
  }
  Sizes pitches(shape.sizes().size());
  int64_t pitch = 1;
  for (const int64_t dimension : order) {
    pitches[static_cast<size_t>(dimension)] = pitch;
    pitch *= shape.sizes()[static_cast<size_t>(dimension)];
  }
  return pitches;
}

bool IsWholeSectors(int64_t elements, int64_t bits) {
  const auto size = support::CheckedMul(elements, bits);
  return size.has_value() && *size % kSectorBits == 0;
}

// Whether a bound in the minor-most dimension cuts rows at sectors or at the ends of the array.
bool CutsAtSectors(const TileBound& bound, int64_t size, int64_t bits) {
  const auto shift =
      mlir::dyn_cast<mlir::AffineConstantExpr>(bound.shift.affine_map().getResult(0));
  if (!shift) return false;
  const Interval bounds = bound.bounds + Interval::Point(shift.getValue());
  const bool begins_well =
      bounds.lower == Interval::kMinusInfinity || IsWholeSectors(bounds.lower, bits);
  const bool ends_well = bounds.upper == Interval::kPlusInfinity || bounds.upper == size - 1 ||
                         IsWholeSectors(bounds.upper + 1, bits);
  return begins_well && ends_well;
}

// Whether all boxes of all regions begin and end at sectors.
bool IsAligned(const TileOfArray& tile, const Shape& shape) {
  const std::optional<Sizes> pitches = Pitches(shape);
  if (!pitches.has_value()) return false;
  const int64_t bits = shape.StorageBits();
  const auto are_aligned = [&](const TileRegion& region, const StridedBox& box) {
    // One element is as good anywhere.
    if (region.MostElements() == 1) return true;
    AffineExpr position = mlir::getAffineConstantExpr(0, region.offset.context());
    for (size_t i = 0; i < pitches->size(); ++i) {
      const Progression& side = box.sides[i];
      const int64_t pitch = (*pitches)[i];
      const AffineExpr index = region.offset.affine_map().getResult(static_cast<unsigned>(i));
      position = position + (index + side.offset) * pitch;
      if (side.size == 1) continue;
      if (pitch > 1 && !IsWholeSectors(side.stride * pitch, bits)) return false;
      // A row: the whole dimension may end within a sector.
      const bool is_whole = side.size == shape.sizes()[i];
      if (pitch == 1 && (side.stride != 1 || (!is_whole && !IsWholeSectors(side.size, bits)))) {
        return false;
      }
    }
    for (const TileBound& bound : region.bounds) {
      const bool is_of_rows = (*pitches)[bound.dimension] == 1;
      if (is_of_rows && !CutsAtSectors(bound, shape.sizes()[bound.dimension], bits)) return false;
    }
    // Single elements, a row apart from each other.
    const bool has_rows = llvm::any_of(llvm::seq<size_t>(0, pitches->size()), [&](size_t i) {
      return (*pitches)[i] == 1 && box.sides[i].size > 1;
    });
    if (!has_rows) return false;
    const IndexingMap bit = Simplify(region.offset.WithResults(mlir::AffineMap::get(
        region.offset.affine_map().getNumDims(), region.offset.affine_map().getNumSymbols(),
        (position * bits) % kSectorBits)));
    if (bit.IsKnownEmpty()) return true;
    return bit.affine_map().getResult(0) == mlir::getAffineConstantExpr(0, region.offset.context());
  };
  return llvm::all_of(tile.regions, [&](const TileRegion& region) {
    return llvm::all_of(region.boxes,
                        [&](const StridedBox& box) { return are_aligned(region, box); });
  });
}

DynamicAPInt BytesOf(const DynamicAPInt& elements, const Shape& shape) {
  return (elements * DynamicAPInt(shape.StorageBits()) + DynamicAPInt(7)) / DynamicAPInt(8);
}

// (d0, d1, ...) -> (d0, d1, ...): what a tile has of the output itself.
IndexingMap Identity(llvm::ArrayRef<int64_t> sizes, mlir::MLIRContext* context) {
  return IndexingMap::FromSizes(
      mlir::AffineMap::getMultiDimIdentityMap(static_cast<unsigned>(sizes.size()), context), sizes);
}

}  // namespace

void TileFit::Print(llvm::raw_ostream& out) const {
  llvm::interleave(tile_sizes, out, "x");
  out << ": " << num_tiles << " tiles of " << bytes_per_tile << " bytes, " << bytes_of_all_tiles
      << " bytes in all" << (is_aligned ? ", aligned" : "");
}

TileFits FitTiles(const OutputIndexing& indexing, const hlo::Instruction& instruction,
                  int64_t output_leaf, int64_t capacity, const TileFitOptions& options) {
  TileFits result;
  const Shape& output = instruction.shape().ArrayLeaf(output_leaf);
  if (indexing.IsUnknown()) {
    result.reason = indexing.unknown_reason();
    return result;
  }
  if (indexing.operands().empty()) {
    result.reason = "it reads nothing";
    return result;
  }
  for (const OperandIndexing& operand : indexing.operands()) {
    if (operand.exactness() == Exactness::kExact) continue;
    result.reason = absl::StrCat("of operand ", operand.operand(),
                                 ", tiles are not known exactly: ", operand.reason());
    return result;
  }
  if (output.HasUnboundedDimension() || output.num_elements() == 0) {
    result.reason = "the output has no elements, or no bound";
    return result;
  }
  mlir::MLIRContext* const context = (*indexing.operands().front().maps().begin()).map.context();
  const IndexingMap identity = Identity(output.sizes(), context);
  const std::vector<ReadArray> reads = DistinctReads(indexing.operands(), instruction).Take();
  const std::vector<Sizes> candidates =
      TileSizes(output.sizes(), MostCandidates(reads, output, options));
  result.num_candidates = candidates.size();
  const auto unknown = [&](std::string reason) {
    if (result.num_unknown++ == 0) result.unknown_reason = std::move(reason);
  };
  // Tiles that are counted one by one, of all tile sizes.
  int64_t work = int64_t{1} << 20;
  const DynamicAPInt limit(capacity);
  for (const Sizes& tile_sizes : candidates) {
    TileFit fit;
    fit.tile_sizes = tile_sizes;
    fit.num_tiles = 1;
    DynamicAPInt elements(1);
    for (size_t i = 0; i < tile_sizes.size(); ++i) {
      fit.num_tiles *= DynamicAPInt(support::CeilDiv(output.sizes()[i], tile_sizes[i]));
      elements *= DynamicAPInt(tile_sizes[i]);
    }
    const DynamicAPInt bytes_of_output = BytesOf(elements, output);
    fit.bytes_per_tile = bytes_of_output;
    if (fit.bytes_per_tile > limit) continue;
    fit.bytes_of_all_tiles = BytesOf(DynamicAPInt(output.num_elements()), output);
    fit.is_aligned = IsAligned(
        TileOfMap(identity, output.sizes(), tile_sizes, output.sizes(), options.tiles), output);
    bool is_exact = true;
    std::vector<TileOfArray> tiles;
    for (const ReadArray& read : reads) {
      const OperandIndexing& operand = *read.indexing;
      const Shape& shape = instruction.operand(operand.operand()).shape().ArrayLeaf(operand.leaf());
      const TileOfArray& tile = tiles.emplace_back(
          read.alike < tiles.size()
              ? TileOfArray(tiles[read.alike])
              : TileOfOperand(operand, output.sizes(), tile_sizes, shape.sizes(), options.tiles));
      is_exact = tile.exactness == Exactness::kExact;
      if (!is_exact) {
        unknown(absl::StrCat("of operand ", operand.operand(), ", ", tile.reason));
        break;
      }
      fit.is_aligned &= IsAligned(tile, shape);
    }
    if (!is_exact) continue;
    TileNeeds needs;
    for (size_t i = 0; i < tiles.size(); ++i) {
      const OperandIndexing& operand = *reads[i].indexing;
      const Shape& shape = instruction.operand(operand.operand()).shape().ArrayLeaf(operand.leaf());
      for (const TileRegion& region : tiles[i].regions) {
        needs.Add(region, shape.StorageBits(), reads[i].array);
      }
    }
    fit.bytes_per_tile = bytes_of_output + needs.MostOfOneTile(work);
    fit.bytes_of_all_tiles += needs.OfAllTiles();
    if (fit.bytes_per_tile <= limit) {
      result.fits.push_back(std::move(fit));
    } else if (bytes_of_output + needs.LeastOfLargestTile() <= limit) {
      unknown("regions may share elements, or which tiles need most was not counted");
    }
  }
  llvm::stable_sort(result.fits, [](const TileFit& a, const TileFit& b) {
    if (a.is_aligned != b.is_aligned) return a.is_aligned;
    return std::tie(a.bytes_of_all_tiles, a.num_tiles) <
           std::tie(b.bytes_of_all_tiles, b.num_tiles);
  });
  if (result.fits.empty()) {
    result.reason =
        absl::StrCat("none of ", candidates.size(), " tile sizes ",
                     result.num_unknown > 0 ? "is known to fit " : "fits ", capacity, " bytes");
  }
  return result;
}

}  // namespace hlo_indexing::indexing_analysis
