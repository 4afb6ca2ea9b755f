#include "tools/tiles_report.h"

#include <algorithm>

#include "indexing_analysis/queries/strided_boxes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "tools/instruction_head.h"
#include "tools/map_json.h"
#include "tools/number_list.h"

namespace hlo_indexing::tools {
namespace {

using indexing_analysis::Exactness;
using indexing_analysis::Interval;
using indexing_analysis::Progression;
using indexing_analysis::StridedBox;
using indexing_analysis::SymbolicTile;
using indexing_analysis::SymbolicTiles;
using indexing_analysis::TileBound;
using indexing_analysis::TileFit;
using indexing_analysis::TileFits;
using indexing_analysis::TileOfArray;
using indexing_analysis::TileRegion;
using indexing_analysis::TileSizeCondition;
using llvm::raw_ostream;

// Fields that say which arrays a record is about.
void WritePair(const std::string& file, const TileOfPair& pair, llvm::json::OStream& json) {
  const hlo::Computation& computation = pair.instruction->parent();
  json.attribute("file", llvm::json::fixUTF8(file));
  json.attribute("module", llvm::json::fixUTF8(computation.parent().name()));
  json.attribute("computation", llvm::json::fixUTF8(computation.name()));
  json.attribute("instruction", llvm::json::fixUTF8(pair.instruction->name()));
  json.attribute("opcode", hlo::OpcodeName(pair.instruction->opcode()));
  json.attribute("direction", MapDirectionName(pair.direction));
  json.attribute("output", pair.output);
  if (pair.operand.has_value()) {
    json.attribute("operand", static_cast<int64_t>(pair.operand->operand));
    json.attribute("operand_array", pair.operand->leaf);
    json.attribute("operand_name",
                   llvm::json::fixUTF8(pair.instruction->operand(pair.operand->operand).name()));
  } else {
    json.attribute("inside", llvm::json::fixUTF8(pair.inside->name()));
    json.attribute("inside_array", pair.inside_array);
  }
}

void WriteNumbers(llvm::json::OStream& json, llvm::StringRef name,
                  llvm::ArrayRef<int64_t> numbers) {
  json.attributeArray(name, [&] {
    for (const int64_t number : numbers) json.value(number);
  });
}

void WriteBox(llvm::json::OStream& json, const StridedBox& box) {
  llvm::SmallVector<int64_t, 4> offset;
  llvm::SmallVector<int64_t, 4> size;
  llvm::SmallVector<int64_t, 4> stride;
  for (const Progression& side : box.sides) {
    offset.push_back(side.offset);
    size.push_back(side.size);
    stride.push_back(side.stride);
  }
  json.object([&] {
    WriteNumbers(json, "offset", offset);
    WriteNumbers(json, "size", size);
    WriteNumbers(json, "stride", stride);
  });
}

// An end that is no bound is left out.
void WriteInterval(llvm::json::OStream& json, const Interval& bounds) {
  if (bounds.lower != Interval::kMinusInfinity) json.attribute("lower", bounds.lower);
  if (bounds.upper != Interval::kPlusInfinity) json.attribute("upper", bounds.upper);
}

void WriteMapField(llvm::json::OStream& json, llvm::StringRef name,
                   const indexing_analysis::IndexingMap& map) {
  json.attributeBegin(name);
  WriteMap(map, json);
  json.attributeEnd();
}

void WriteRegion(llvm::json::OStream& json, const TileRegion& region) {
  json.object([&] {
    json.attributeBegin("tiles");
    WriteBox(json, region.tiles);
    json.attributeEnd();
    WriteMapField(json, "offset", region.offset);
    json.attributeArray("boxes", [&] {
      for (const StridedBox& box : region.boxes) WriteBox(json, box);
    });
    json.attributeArray("bounds", [&] {
      for (const TileBound& bound : region.bounds) {
        json.object([&] {
          json.attribute("dimension", static_cast<int64_t>(bound.dimension));
          WriteInterval(json, bound.bounds);
          WriteMapField(json, "shift", bound.shift);
        });
      }
    });
  });
}

void WriteCase(llvm::json::OStream& json, const SymbolicTile& tile) {
  json.object([&] {
    json.attributeArray("conditions", [&] {
      for (const TileSizeCondition& condition : tile.conditions) json.value(condition.ToString());
    });
    WriteMapField(json, "offset_and_size", tile.offset_and_size);
    WriteNumbers(json, "strides", tile.strides);
    json.attributeArray("bounds", [&] {
      for (const Interval& bounds : tile.bounds) {
        json.object([&] { WriteInterval(json, bounds); });
      }
    });
  });
}

void WriteNumber(llvm::json::OStream& json, llvm::StringRef name,
                 const llvm::DynamicAPInt& number) {
  std::string text;
  llvm::raw_string_ostream(text) << number;
  json.attributeBegin(name);
  json.rawValue(text);
  json.attributeEnd();
}

}  // namespace

std::string TileText(const TileOfArray& tile) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (tile.exactness == Exactness::kUnknown) {
    out << " unknown: " << tile.reason << '\n';
    return text;
  }
  if (tile.exactness == Exactness::kSuperset) out << " superset, " << tile.reason << ':';
  if (tile.regions.empty()) out << " nothing";
  if (tile.regions.size() == 1) out << ' ' << tile.regions.front();
  out << '\n';
  if (tile.regions.size() == 1) return text;
  for (const TileRegion& region : tile.regions) out << "        " << region << '\n';
  return text;
}

std::string TileText(const SymbolicTiles& tiles) {
  std::string text;
  llvm::raw_string_ostream out(text);
  if (tiles.cases.empty()) out << " no case: " << tiles.reason;
  if (tiles.cases.size() == 1) out << ' ' << tiles.cases.front();
  out << '\n';
  if (tiles.cases.size() == 1) return text;
  for (const SymbolicTile& tile : tiles.cases) out << "        " << tile << '\n';
  return text;
}

OperandTexts::OperandTexts(const hlo::Instruction& instruction)
    : instruction_(instruction), first_number_(FirstArrayNumbers(instruction.operands())) {}

void OperandTexts::Add(const indexing_analysis::OperandArray& array, const std::string& text) {
  if (entries_.empty() || entries_.back().operand != array.operand) of_operand_.clear();
  const auto [entry, is_new] = of_operand_.try_emplace(text, entries_.size());
  if (is_new) entries_.push_back({array.operand, {}, text});
  entries_[entry->second].numbers.push_back(first_number_[array.operand] + array.leaf);
}

void OperandTexts::Write(unsigned indent, raw_ostream& out) const {
  for (const Entry& entry : entries_) {
    out.indent(indent) << Numbered("operand", entry.numbers) << " ("
                       << instruction_.operand(entry.operand).name() << ')' << entry.text;
  }
}

void WriteTileJson(const std::string& file, const TileOfPair& pair, const TileOfArray& tile,
                   raw_ostream& out) {
  llvm::json::OStream json(out);
  json.object([&] {
    json.attribute("kind", "tile");
    WritePair(file, pair, json);
    WriteNumbers(json, "tile_sizes", pair.tile_sizes);
    WriteNumbers(json, "num_tiles", pair.num_tiles);
    json.attribute("exactness", ExactnessName(tile.exactness));
    if (!tile.reason.empty()) json.attribute("reason", llvm::json::fixUTF8(tile.reason));
    if (tile.exactness == Exactness::kUnknown) return;
    WriteNumber(json, "most_elements", tile.MostElements());
    WriteNumber(json, "elements_of_all_tiles", tile.ElementsOfAllTiles());
    json.attributeArray("regions", [&] {
      for (const TileRegion& region : tile.regions) WriteRegion(json, region);
    });
  });
  out << '\n';
}

void WriteTileJson(const std::string& file, const TileOfPair& pair, const SymbolicTiles& tiles,
                   raw_ostream& out) {
  llvm::json::OStream json(out);
  json.object([&] {
    json.attribute("kind", "symbolic_tile");
    WritePair(file, pair, json);
    if (!tiles.reason.empty()) json.attribute("reason", llvm::json::fixUTF8(tiles.reason));
    json.attributeArray("cases", [&] {
      for (const SymbolicTile& tile : tiles.cases) WriteCase(json, tile);
    });
  });
  out << '\n';
}

void WriteFitsText(const TileFits& fits, int64_t capacity, size_t top, raw_ostream& out) {
  if (fits.fits.empty()) {
    out << "    " << fits.reason << '\n';
  } else {
    const auto aligned =
        llvm::count_if(fits.fits, [](const TileFit& fit) { return fit.is_aligned; });
    out << "    " << fits.fits.size() << " of " << fits.num_candidates << " tile sizes fit "
        << capacity << " bytes, " << aligned << " of them aligned\n";
  }
  if (fits.num_unknown > 0) {
    out << "    whether " << fits.num_unknown << (fits.num_unknown == 1 ? " fits" : " fit")
        << " is not known: " << fits.unknown_reason << '\n';
  }
  for (size_t i = 0; i < std::min(top, fits.fits.size()); ++i) {
    out << "      " << fits.fits[i] << '\n';
  }
}

void WriteFitsJson(const std::string& file, const hlo::Instruction& instruction, int64_t output,
                   const TileFits& fits, int64_t capacity, size_t top, raw_ostream& out) {
  llvm::json::OStream json(out);
  const hlo::Computation& computation = instruction.parent();
  json.object([&] {
    json.attribute("kind", "tile_fit");
    json.attribute("file", llvm::json::fixUTF8(file));
    json.attribute("module", llvm::json::fixUTF8(computation.parent().name()));
    json.attribute("computation", llvm::json::fixUTF8(computation.name()));
    json.attribute("instruction", llvm::json::fixUTF8(instruction.name()));
    json.attribute("opcode", hlo::OpcodeName(instruction.opcode()));
    json.attribute("output", output);
    json.attribute("capacity", capacity);
    json.attribute("candidates", static_cast<int64_t>(fits.num_candidates));
    json.attribute("fitting", static_cast<int64_t>(fits.fits.size()));
    if (!fits.reason.empty()) json.attribute("reason", llvm::json::fixUTF8(fits.reason));
    if (fits.num_unknown > 0) {
      json.attribute("unknown", static_cast<int64_t>(fits.num_unknown));
      json.attribute("unknown_reason", llvm::json::fixUTF8(fits.unknown_reason));
    }
    json.attributeArray("fits", [&] {
      for (size_t i = 0; i < std::min(top, fits.fits.size()); ++i) {
        const TileFit& fit = fits.fits[i];
        json.object([&] {
          WriteNumbers(json, "tile_sizes", fit.tile_sizes);
          WriteNumber(json, "num_tiles", fit.num_tiles);
          WriteNumber(json, "bytes_per_tile", fit.bytes_per_tile);
          WriteNumber(json, "bytes_of_all_tiles", fit.bytes_of_all_tiles);
          json.attribute("aligned", fit.is_aligned);
        });
      }
    });
  });
  out << '\n';
}

}  // namespace hlo_indexing::tools
