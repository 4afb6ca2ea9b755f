#include "tools/layout_report.h"

#include <algorithm>

#include "indexing_analysis/maps/layout_maps.h"
#include "layout/cute_algebra/conversion.h"
#include "layout/picture/picture.h"
#include "layout/tiled_picture.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "simplifier/arithmetic.h"
#include "tools/map_json.h"
#include "tools/report.h"
#include "tools/terminal.h"

namespace hlo_indexing::tools {
namespace {

using indexing_analysis::ElementMap;
using indexing_analysis::IndexingMap;
using indexing_analysis::PositionMap;
using layout::BitcastAnswer;
using layout::ContiguousMoves;
using layout::LayoutStep;
using layout::TiledLayout;
using layout::TpuFormat;

// An overview has the table if it is no larger.
constexpr int64_t kMaxTableCells = 512;
constexpr int64_t kMaxTableColumns = 32;

std::string Joined(llvm::ArrayRef<int64_t> values) {
  std::string text;
  for (const int64_t value : values) text += (text.empty() ? "" : ",") + std::to_string(value);
  return text;
}

std::string Counted(int64_t count, llvm::StringRef noun) {
  return std::to_string(count) + " " + noun.str() + (count == 1 ? "" : "s");
}

std::string MapText(const IndexingMap& map) {
  return map.IsUnknown() ? "too long to be written" : map.ToString();
}

// Example: position 17 of elements of 32 bits -> "byte 68"; position 3 of 4 bits -> "byte 1, bit 4"
std::string PlaceText(const TiledLayout& layout, int64_t position) {
  std::string text = "byte " + std::to_string(layout.ByteOffset(position));
  if (layout.element_bits() % 8 != 0) {
    text += ", bit " + std::to_string(layout.BitInByte(position));
  }
  return text;
}

// Example: 2,048 elements of 32 bits -> "2048 elements (8192 bytes)"
std::string SizeText(int64_t elements, int64_t element_bits) {
  const int64_t bits = elements * element_bits;
  return Counted(elements, "element") + " (" +
         (bits % 8 == 0 ? Counted(bits / 8, "byte") : Counted(bits, "bit")) + ")";
}

// Calls `visit` for every index, in row-major order.
void ForEachElement(const TiledLayout& layout,
                    llvm::function_ref<void(llvm::ArrayRef<int64_t>)> visit) {
  llvm::SmallVector<int64_t, 6> index(layout.dimensions().size(), 0);
  for (int64_t i = 0; i < layout.num_elements(); ++i) {
    visit(index);
    for (size_t d = index.size(); d > 0; --d) {
      if (++index[d - 1] < layout.dimensions()[d - 1]) break;
      index[d - 1] = 0;
    }
  }
}

// The array as a layout of CuTe's algebra, or why none is found.
std::string CuteText(const TiledLayout& layout) {
  const auto cute = layout::CuteLayoutOfXla(layout.dimensions(), layout.layout());
  if (!cute.ok()) return std::string(cute.status().message());
  return cute->layout.ToString() + (cute->is_padded ? ", of the padded array" : "");
}

void WriteIntegers(llvm::StringRef name, llvm::ArrayRef<int64_t> values,
                   llvm::json::OStream& json) {
  json.attributeArray(name, [&] {
    for (const int64_t value : values) json.value(value);
  });
}

void WriteSteps(const TiledLayout& layout, llvm::json::OStream& json) {
  json.attributeArray("steps", [&] {
    for (const LayoutStep& step : layout.Steps()) {
      json.object([&] {
        json.attribute("step", LayoutStepName(step.kind));
        if (step.tile) json.attribute("tile", static_cast<int64_t>(*step.tile));
        WriteIntegers("shape", step.shape, json);
        if (step.kind == LayoutStep::Kind::kTranspose) {
          WriteIntegers("dimensions", step.permutation, json);
        }
      });
    }
  });
}

void WriteSizes(const TiledLayout& layout, llvm::json::OStream& json) {
  json.attribute("elements", layout.num_elements());
  json.attribute("physical_elements", layout.num_positions());
  json.attribute("element_bits", layout.element_bits());
  json.attribute("bytes", layout.bytes());
  json.attribute("wasted_bytes", layout.wasted_bytes());
}

void WriteObject(llvm::raw_ostream& out,
                 llvm::function_ref<void(llvm::json::OStream&)> attributes) {
  llvm::json::OStream json(out);
  json.object([&] { attributes(json); });
  out << '\n';
}

void WriteMapAttribute(llvm::StringRef name, const IndexingMap& map, llvm::json::OStream& json) {
  json.attributeBegin(name);
  WriteMap(map, json);
  json.attributeEnd();
}

int64_t PositionOf(const NamedPositions& side, llvm::ArrayRef<int64_t> index) {
  const auto value = [&](const simplifier::Atom& atom) {
    return std::optional<int64_t>(index[atom.variable]);
  };
  return Evaluate(side.placement.position, value).value_or(-1);
}

// "no: element (0,2) moves from position 2 to 4"
std::string BitcastText(const NamedPositions& from, const NamedPositions& to,
                        const BitcastAnswer& bitcast) {
  std::string text = support::AnswerName(bitcast.answer).str();
  if (bitcast.answer == support::Answer::kYes) {
    return text + (bitcast.same_size ? "" : ", with other padding behind the elements");
  }
  if (bitcast.moved_index.empty()) return text + ": " + bitcast.reason;
  return text + ": element (" + Joined(bitcast.moved_index) + ") moves from position " +
         std::to_string(PositionOf(from, bitcast.moved_index)) + " to " +
         std::to_string(PositionOf(to, bitcast.moved_index));
}

std::string MovesText(const ContiguousMoves& moves, int64_t bits) {
  std::string text = moves.chunk_is_exact ? "" : "at least ";
  text += SizeText(moves.chunk_elements, bits) + " at a time";
  if (moves.runs) {
    text +=
        "; " + Counted(moves.runs->count, "run") + " of " + std::to_string(moves.runs->shortest);
    text += moves.runs->longest == moves.runs->shortest
                ? ""
                : " to " + std::to_string(moves.runs->longest);
    text += moves.runs->longest == 1 ? " element" : " elements";
  }
  return moves.reason.empty() ? text : text + "; " + moves.reason;
}

}  // namespace

bool LayoutReport::FitsOffsets(const NamedLayout& shape) {
  if (shape.layout.num_elements() <= options_.max_cells) return true;
  ReportError(shape.text + " has " + Counted(shape.layout.num_elements(), "offset") +
              ", more than the limit of " + std::to_string(options_.max_cells) + " (--max-cells)");
  return false;
}

ExitCode LayoutReport::WriteOverview(const NamedLayout& shape, bool with_offsets) {
  const bool fits = !with_offsets || FitsOffsets(shape);
  if (is_json()) {
    WriteOverviewJson(shape, with_offsets && fits);
  } else {
    WriteOverviewText(shape, with_offsets && fits);
  }
  return fits ? ExitCode::kFine : ExitCode::kNotSupported;
}

void LayoutReport::WriteOverviewText(const NamedLayout& shape, bool with_offsets) {
  const TiledLayout& layout = shape.layout;
  const int64_t padding = layout.num_positions() - layout.num_elements();
  out_ << shape.text << '\n';
  out_ << "  elements   " << layout.num_elements() << " of "
       << Counted(layout.element_bits(), "bit") << '\n';
  out_ << "  positions  " << layout.num_positions() << ", " << padding << " of padding\n";
  out_ << "  bytes      " << layout.bytes() << ", " << layout.wasted_bytes() << " wasted";
  if (layout.bytes() > 0) {
    const double share =
        static_cast<double>(layout.wasted_bytes()) / static_cast<double>(layout.bytes());
    out_ << llvm::format(" (%.1f %%)", share * 100);
  }
  out_ << "\n  CuTe       " << CuteText(layout) << '\n';
  out_ << "  steps\n";
  const std::string steps = layout::StepsToString(layout.Steps());
  for (const llvm::StringRef step : llvm::split(llvm::StringRef(steps).rtrim(), '\n')) {
    out_ << "    " << step << '\n';
  }
  out_ << "  position of an element\n    " << MapText(PositionMap(layout, &context_)) << '\n';
  out_ << "  element at a position\n    " << MapText(ElementMap(layout, &context_)) << '\n';
  WriteTable(shape);
  if (!with_offsets) return;
  out_ << "  offsets\n";
  const int64_t columns = layout.rank() == 0 ? 1 : layout.dimensions().back();
  int64_t column = 0;
  ForEachElement(layout, [&](llvm::ArrayRef<int64_t> index) {
    out_ << (column == 0 ? "    " : " ") << layout.Position(index);
    column = column + 1 == columns ? 0 : column + 1;
    if (column == 0) out_ << '\n';
  });
}

void LayoutReport::WriteTable(const NamedLayout& shape) {
  const absl::StatusOr<layout::Picture> picture = PictureOf(shape.layout, {"", kMaxTableCells});
  const bool is_small = picture.ok() && llvm::all_of(picture->grids, [](const layout::Grid& grid) {
                          return grid.columns <= kMaxTableColumns;
                        });
  if (!is_small) {
    out_ << "  the table is large: --table prints it, --svg draws it\n";
    return;
  }
  layout::Picture table = *picture;
  // The numbers are said above.
  table.caption.clear();
  if (!table.grids.empty()) out_ << '\n' << CutLines(ToText(table), options_.columns);
}

void LayoutReport::WriteOverviewJson(const NamedLayout& shape, bool with_offsets) {
  const TiledLayout& layout = shape.layout;
  WriteObject(out_, [&](llvm::json::OStream& json) {
    json.attribute("kind", "layout");
    json.attribute("shape", shape.text);
    WriteSizes(layout, json);
    const auto cute = layout::CuteLayoutOfXla(layout.dimensions(), layout.layout());
    json.attributeBegin("cute");
    if (cute.ok()) {
      json.value(cute->layout.ToString());
    } else {
      json.value(nullptr);
    }
    json.attributeEnd();
    WriteSteps(layout, json);
    WriteMapAttribute("map", PositionMap(layout, &context_), json);
    WriteMapAttribute("inverse", ElementMap(layout, &context_), json);
    if (!with_offsets) return;
    json.attributeArray("offsets", [&] {
      ForEachElement(layout,
                     [&](llvm::ArrayRef<int64_t> index) { json.value(layout.Position(index)); });
    });
  });
}

void LayoutReport::WritePosition(const NamedLayout& shape, int64_t position) {
  const TiledLayout& layout = shape.layout;
  const auto index = layout.IndexAt(position);
  if (!is_json()) {
    out_ << "position " << position << ", " << PlaceText(layout, position) << ": ";
    out_ << (index ? "element (" + Joined(*index) + ")" : "padding") << '\n';
    return;
  }
  WriteObject(out_, [&](llvm::json::OStream& json) {
    json.attribute("kind", "position");
    json.attribute("shape", shape.text);
    json.attribute("position", position);
    json.attribute("byte_offset", layout.ByteOffset(position));
    json.attribute("bit_offset", layout.BitOffset(position));
    json.attribute("padding", !index.has_value());
    if (index) WriteIntegers("index", *index, json);
  });
}

ExitCode LayoutReport::WriteRelayout(simplifier::DigitContext& digits,
                                     llvm::ArrayRef<int64_t> sizes, const NamedPositions& from,
                                     const NamedPositions& to) {
  const BitcastAnswer bitcast = IsBitcast(digits, sizes, from.placement, to.placement);
  const absl::StatusOr<ContiguousMoves> moves =
      FindContiguousMoves(digits, sizes, from.placement, to.placement);
  if (!moves.ok()) {
    ReportError(to.text + ": " + std::string(moves.status().message()));
    return ExitCode::kNotSupported;
  }
  const IndexingMap map =
      indexing_analysis::RelayoutMap(digits, from.placement, to.placement, &context_);
  const int64_t bits = to.placement.element_bits;
  if (!is_json()) {
    out_ << from.text << " to " << to.text << '\n';
    out_ << "  bitcast    " << BitcastText(from, to, bitcast) << '\n';
    out_ << "  moves      " << MovesText(*moves, bits) << '\n';
    out_ << "  positions read, by position written\n    " << MapText(map) << '\n';
    return ExitCode::kFine;
  }
  WriteObject(out_, [&](llvm::json::OStream& json) {
    json.attribute("kind", "relayout");
    json.attribute("from", from.text);
    json.attribute("to", to.text);
    json.attribute("bitcast", support::AnswerName(bitcast.answer));
    json.attribute("same_size", bitcast.same_size);
    json.attribute("bitcast_reason", bitcast.reason);
    if (!bitcast.moved_index.empty()) WriteIntegers("moved_index", bitcast.moved_index, json);
    json.attribute("chunk_elements", moves->chunk_elements);
    json.attribute("chunk_bits", moves->chunk_elements * bits);
    json.attribute("exact", moves->chunk_is_exact);
    if (moves->runs) {
      json.attribute("runs", moves->runs->count);
      json.attribute("shortest_run", moves->runs->shortest);
      json.attribute("longest_run", moves->runs->longest);
    }
    if (!moves->reason.empty()) json.attribute("reason", moves->reason);
    WriteMapAttribute("map", map, json);
  });
  return ExitCode::kFine;
}

void LayoutReport::WriteTpuFormats(const NamedLayout& shape, llvm::ArrayRef<TpuFormat> formats,
                                   llvm::ArrayRef<std::string> texts) {
  if (is_json()) {
    for (size_t i = 0; i < formats.size(); ++i) {
      WriteObject(out_, [&](llvm::json::OStream& json) {
        json.attribute("kind", "tpu_format");
        json.attribute("name", formats[i].name);
        json.attribute("shape", texts[i]);
        json.attribute("usual", formats[i].is_usual);
        WriteSizes(formats[i].layout, json);
      });
    }
    return;
  }
  size_t width = 0;
  for (const std::string& text : texts) width = std::max(width, text.size());
  out_ << shape.text << " on a TPU\n";
  for (size_t i = 0; i < formats.size(); ++i) {
    out_ << (formats[i].is_usual ? "* " : "  ") << texts[i]
         << std::string(width - texts[i].size() + 2, ' ') << formats[i].layout.bytes() << " bytes, "
         << formats[i].layout.wasted_bytes() << " wasted  " << formats[i].name << '\n';
  }
  if (llvm::any_of(formats, [](const TpuFormat& format) { return format.is_usual; })) {
    out_ << "* the usual one for this shape\n";
  } else {
    out_ << (formats.size() > 1 ? "none is known to be usual for elements of this size\n"
                                : "there is no tiled format for elements of this size\n");
  }
}

}  // namespace hlo_indexing::tools
