// `hlo-indexing tiles`: what a tile of the output needs.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "indexing_analysis/analysis.h"
#include "indexing_analysis/queries/symbolic_tiles.h"
#include "indexing_analysis/queries/tile_fit.h"
#include "indexing_analysis/queries/tile_fit_table.h"
#include "indexing_analysis/queries/tiles.h"
#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"
#include "support/diagnostics.h"
#include "tools/device_option.h"
#include "tools/instruction_head.h"
#include "tools/instruction_walk.h"
#include "tools/report.h"
#include "tools/shared_options.h"
#include "tools/subcommand.h"
#include "tools/tiles_report.h"

namespace hlo_indexing::tools {
namespace {

using hlo::Instruction;
using hlo::Module;
using hlo::Shape;
using indexing_analysis::Exactness;
using indexing_analysis::IndexingAnalysis;
using indexing_analysis::MapDirection;
using indexing_analysis::OperandIndexing;
using indexing_analysis::OutputIndexing;
using indexing_analysis::TileOfArray;
using indexing_analysis::TraceStep;
using llvm::raw_ostream;

constexpr Example kExamples[] = {
    {"What a tile of 8 x 32 of each output needs",
     "hlo-indexing tiles --tile-sizes=8,32 module.hlo"},
    {"Also of the instructions inside of a fusion",
     "hlo-indexing tiles --tile-sizes=8,32 --instruction=f --inside module.hlo"},
    {"For which tile sizes that is one box", "hlo-indexing tiles --symbolic module.hlo"},
    {"The tile sizes that fit the shared memory of an A100",
     "hlo-indexing tiles --fit=shared --device=a100 --instruction=f module.hlo"}};

constexpr SubcommandHelp kHelp = {
    .name = "tiles",
    .summary = "The tiles of operands that a tile of the output needs",
    .arguments = kModuleFiles,
    .details =
        "For every instruction and array of its operands: where the part begins that a tile of the "
        "output needs, as a map of the tile's index, its size and strides, and how the ends of "
        "arrays cut it. Where one box does not do, several, or other boxes for other tiles. Exact, "
        "or a superset with the reason.\n"
        "The last sizes of --tile-sizes are those of the last dimensions of the output; dimensions "
        "before have tiles of 1.",
    .examples = kExamples};

// Positive numbers, separated by commas.
std::optional<llvm::SmallVector<int64_t, 4>> ParseSizes(llvm::StringRef text) {
  llvm::SmallVector<int64_t, 4> sizes;
  llvm::SmallVector<llvm::StringRef, 4> parts;
  text.split(parts, ',');
  for (const llvm::StringRef part : parts) {
    int64_t size = 0;
    if (part.trim().getAsInteger(10, size) || size < 1) return std::nullopt;
    sizes.push_back(size);
  }
  return sizes;
}

// Bytes, with KiB or MiB behind the number or nothing.
std::optional<int64_t> ParseBytes(llvm::StringRef text) {
  int64_t factor = 1;
  if (text.consume_back("KiB")) factor = 1024;
  if (text.consume_back("MiB")) factor = int64_t{1024} * 1024;
  int64_t number = 0;
  if (text.getAsInteger(10, number) || number < 1) return std::nullopt;
  return support::CheckedMul(number, factor);
}

class TilesCommand : public Subcommand, private InstructionVisitor {
 public:
  TilesCommand() : Subcommand(kHelp) {}

  ExitCode Run(raw_ostream& out) override {
    if (!CheckOptions()) return ExitCode::kBadUsage;
    return WalkInstructions(arguments(), options_, *this, out);
  }

 private:
  bool CheckOptions() {
    const int asked = (tile_sizes_option_.is_given() ? 1 : 0) + (symbolic_.value() ? 1 : 0) +
                      (fit_option_.is_given() ? 1 : 0);
    if (asked != 1) {
      ReportError("give one of --tile-sizes=N,N, --symbolic and --fit=MEMORY");
      return false;
    }
    if (tile_sizes_option_.is_given()) {
      const auto sizes = ParseSizes(tile_sizes_option_.value());
      if (!sizes.has_value()) {
        ReportError("--tile-sizes='" + tile_sizes_option_.value() +
                    "': sizes are whole numbers from 1 on, separated by commas");
        return false;
      }
      tile_sizes_ = *sizes;
    } else if (inside_.value()) {
      ReportError("--inside needs --tile-sizes");
      return false;
    }
    if (fit_option_.is_given()) return ReadCapacity();
    for (const auto& [is_given, name] :
         {std::pair(top_.is_given(), "top"), std::pair(device_.is_given(), "device")}) {
      if (!is_given) continue;
      ReportError(std::string("--") + name + " needs --fit");
      return false;
    }
    return true;
  }

  bool ReadCapacity() {
    if (direction_.value() != MapDirection::kOutputToInput) {
      ReportError("--fit is about tiles of outputs: there is no --direction");
      return false;
    }
    const auto [memory, bytes] = llvm::StringRef(fit_option_.value()).split(':');
    const bool has_bytes = llvm::StringRef(fit_option_.value()).contains(':');
    if (memory != "shared") {
      ReportError("--fit='" + fit_option_.value() + "': the memory is 'shared' or 'shared:100KiB'");
      return false;
    }
    if (has_bytes) {
      const std::optional<int64_t> size = ParseBytes(bytes);
      if (!size.has_value()) {
        ReportError("--fit='" + fit_option_.value() +
                    "': behind the colon stands a number of bytes, or of KiB or MiB");
        return false;
      }
      capacity_ = *size;
      return true;
    }
    const auto device = device_.Read(options_.limits.value().bytes);
    if (!device.has_value()) return false;
    capacity_ = static_cast<int64_t>(device->shared_bytes_per_block);
    return true;
  }

  void BeginModule(IndexingAnalysis& /*analysis*/) override { fits_.emplace(capacity_); }

  ExitCode Visit(const std::string& file, const Instruction& instruction,
                 IndexingAnalysis& analysis, raw_ostream& out) override {
    status_ = ExitCode::kFine;
    if (instruction.shape().num_array_leaves() == 0) return status_;
    if (!options_.format.is_json()) {
      out << "  ";
      WriteInstructionHead(instruction, out);
      out << '\n';
    }
    for (int64_t output = 0; output < instruction.shape().num_array_leaves(); ++output) {
      if (fit_option_.is_given()) {
        RunFit(file, instruction, output, analysis, out);
        continue;
      }
      const std::optional<MapDirection> direction = direction_.value();
      if (direction != MapDirection::kInputToOutput) {
        RunOutput(file, instruction, output, MapDirection::kOutputToInput,
                  analysis.OutputToInput(instruction, output), out);
        if (inside_.value()) RunInside(file, instruction, output, analysis, out);
      }
      if (direction != MapDirection::kOutputToInput) {
        RunOutput(file, instruction, output, MapDirection::kInputToOutput,
                  analysis.InputToOutput(instruction, output), out);
      }
    }
    return status_;
  }

  void RunFit(const std::string& file, const Instruction& instruction, int64_t output,
              IndexingAnalysis& analysis, raw_ostream& out) {
    const indexing_analysis::TileFits& fits =
        fits_->Fit(analysis.OutputToInput(instruction, output), instruction, output);
    if (options_.format.is_json()) {
      WriteFitsJson(file, instruction, output, fits, capacity_, top_.value(), out);
      return;
    }
    if (instruction.shape().num_array_leaves() > 1) out << "    output " << output << '\n';
    WriteFitsText(fits, capacity_, top_.value(), out);
  }

  // Sets the sizes of tiles of an array; false if it has no bound.
  bool SetTiles(const Shape& shape, TileOfPair& pair) const {
    if (shape.HasUnboundedDimension()) return false;
    if (symbolic_.value()) return true;
    pair.tile_sizes = indexing_analysis::TileSizesFor(tile_sizes_, shape.sizes());
    pair.num_tiles = indexing_analysis::NumTiles(pair.tile_sizes, shape.sizes());
    return true;
  }

  // `in tiles of 8x32, 2x2 of them`
  std::string TilesText(const TileOfPair& pair) const {
    if (symbolic_.value() || pair.tile_sizes.empty()) return "";
    std::string text;
    llvm::raw_string_ostream out(text);
    out << " in tiles of ";
    llvm::interleave(pair.tile_sizes, out, "x");
    out << ", ";
    llvm::interleave(pair.num_tiles, out, "x");
    out << " of them";
    return text;
  }

  void RunOutput(const std::string& file, const Instruction& instruction, int64_t output,
                 MapDirection direction, const OutputIndexing& indexing, raw_ostream& out) {
    const bool is_forward = direction == MapDirection::kOutputToInput;
    const Shape& output_shape = instruction.shape().ArrayLeaf(output);
    TileOfPair pair;
    pair.instruction = &instruction;
    pair.direction = direction;
    pair.output = output;
    const bool is_text = !options_.format.is_json();
    if (is_forward) {
      if (!SetTiles(output_shape, pair)) return ReportUnbounded(instruction, "the output");
      if (is_text) {
        out << "    output " << output << TilesText(pair);
        if (indexing.IsUnknown()) out << ": unknown: " << indexing.unknown_reason();
        if (!indexing.IsUnknown() && indexing.operands().empty()) out << ": reads nothing";
        out << '\n';
      }
    }
    OperandTexts texts(instruction);
    for (const OperandIndexing& operand : indexing.operands()) {
      const Shape& shape = instruction.operand(operand.operand()).shape().ArrayLeaf(operand.leaf());
      pair.operand = operand.array();
      const bool is_bounded = !output_shape.HasUnboundedDimension() &&
                              !shape.HasUnboundedDimension() &&
                              (is_forward || SetTiles(shape, pair));
      if (!is_bounded) {
        ReportUnbounded(instruction, "operand " + std::to_string(operand.operand()));
        continue;
      }
      const Shape& from = is_forward ? output_shape : shape;
      const Shape& to = is_forward ? shape : output_shape;
      const auto write = [&](const auto& tile) {
        if (!is_text) return WriteTileJson(file, pair, tile, out);
        const std::string of_output = "\n      output " + std::to_string(output);
        texts.Add(operand.array(),
                  (is_forward ? "" : TilesText(pair) + of_output) + ":" + TileText(tile));
      };
      if (symbolic_.value()) {
        write(SymbolicTilesOfOperand(operand, from.sizes()));
      } else {
        write(TileOfOperand(operand, from.sizes(), pair.tile_sizes, to.sizes()));
      }
    }
    texts.Write(is_forward ? 6 : 4, out);
  }

  // What the tile needs of each array inside of a fusion or call: the accesses that reach it.
  void RunInside(const std::string& file, const Instruction& instruction, int64_t output,
                 IndexingAnalysis& analysis, raw_ostream& out) {
    const Shape& output_shape = instruction.shape().ArrayLeaf(output);
    if (output_shape.HasUnboundedDimension()) return;
    // A loop's computation is followed until nothing changes: the last time says all.
    std::map<std::pair<const Instruction*, int64_t>, size_t> last;
    const std::vector<TraceStep> steps = analysis.TracePropagation(instruction, output);
    for (size_t i = 0; i < steps.size(); ++i) last[{steps[i].instruction, steps[i].leaf}] = i;
    for (size_t i = 0; i < steps.size(); ++i) {
      const TraceStep& step = steps[i];
      if (step.depth == 0 || last.at({step.instruction, step.leaf}) != i) continue;
      const Shape& shape = step.instruction->shape().ArrayLeaf(step.leaf);
      if (shape.HasUnboundedDimension()) continue;
      TileOfPair pair;
      pair.instruction = &instruction;
      pair.output = output;
      pair.inside = step.instruction;
      pair.inside_array = step.leaf;
      (void)SetTiles(output_shape, pair);
      std::vector<indexing_analysis::IndexingMap> maps;
      std::string reason;
      bool is_unknown = false;
      for (const TraceStep::Access& access : step.accesses) {
        is_unknown |= access.map.map.IsUnknown();
        maps.push_back(access.map.map);
        if (reason.empty()) reason = access.reason;
      }
      TileOfArray tile = TileOfMaps(maps, output_shape.sizes(), pair.tile_sizes, shape.sizes());
      if (is_unknown) tile.regions.clear();
      if (is_unknown || (!reason.empty() && tile.exactness == Exactness::kExact)) {
        tile.exactness = is_unknown ? Exactness::kUnknown : Exactness::kSuperset;
        if (!reason.empty()) tile.reason = reason;
      }
      if (options_.format.is_json()) {
        WriteTileJson(file, pair, tile, out);
        continue;
      }
      out << "      %" << step.instruction->name();
      if (step.instruction->shape().num_array_leaves() > 1) out << ", array " << step.leaf;
      out << ':' << TileText(tile);
    }
  }

  void ReportUnbounded(const Instruction& instruction, const std::string& what) {
    const Module& module = instruction.parent().parent();
    Report(
        {support::MakeDiagnostic(module.source(), instruction.offset(),
                                 what + " has a dimension without a bound: there are no tiles")});
    status_ = Worst(status_, ExitCode::kNotSupported);
  }

  TextOption tile_sizes_option_{
      table(), "tile-sizes", {"n,n,..."}, "The sizes of tiles of the last dimensions"};
  FlagOption symbolic_{table(), "symbolic",
                       "Any sizes t0, t1, ...: for which of them a tile needs one box"};
  TextOption fit_option_{table(),
                         "fit",
                         {"memory"},
                         "The tile sizes that are exact and fit 'shared', a block's shared memory, "
                         "or so much of it ('shared:100KiB')"};
  DeviceOption device_{table(),
                       "The device whose memory --fit means: h100, h200, a100, rtx-a6000, l4, "
                       "b200, or a file that describes one"};
  NumberOption<size_t> top_{table(), "top", "How many tile sizes --fit shows", size_t{10}};
  ChoiceOption<std::optional<MapDirection>> direction_{
      table(),
      "direction",
      "direction",
      "Whose tiles",
      {{MapDirection::kOutputToInput, "output-to-input",
        "what tiles of the output need of operands"},
       {MapDirection::kInputToOutput, "input-to-output",
        "which part of the output needs tiles of operands"},
       {std::nullopt, "both", "both"}}};
  FlagOption inside_{table(), "inside",
                     "Also the tiles of every instruction inside of fusions and calls"};
  InstructionOptions options_{table()};
  llvm::SmallVector<int64_t, 4> tile_sizes_;
  int64_t capacity_ = 0;
  std::optional<indexing_analysis::TileFitTable> fits_;
  // Of the instruction that is visited.
  ExitCode status_ = ExitCode::kFine;
};

}  // namespace

std::unique_ptr<Subcommand> MakeTilesCommand() { return std::make_unique<TilesCommand>(); }

}  // namespace hlo_indexing::tools
