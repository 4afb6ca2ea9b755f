// Tiles as text and as JSON.
#ifndef HLO_INDEXING_TOOLS_TILES_REPORT_H_
#define HLO_INDEXING_TOOLS_TILES_REPORT_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/maps/operand_array.h"
#include "indexing_analysis/maps/output_indexing.h"
#include "indexing_analysis/queries/symbolic_tiles.h"
#include "indexing_analysis/queries/tile_fit.h"
#include "indexing_analysis/queries/tiles.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

namespace hlo_indexing::tools {

/// What tiles of an array need of another one, or what needs them, by the arrays' instruction.
struct TileOfPair {
  const hlo::Instruction* instruction = nullptr;
  indexing_analysis::MapDirection direction = indexing_analysis::MapDirection::kOutputToInput;
  int64_t output = 0;
  /// The array of an operand; nullopt for that of an instruction inside, `inside` and its array.
  std::optional<indexing_analysis::OperandArray> operand;
  const hlo::Instruction* inside = nullptr;
  int64_t inside_array = 0;
  /// Of the array that is tiled; empty for any sizes.
  llvm::SmallVector<int64_t, 4> tile_sizes;
  llvm::SmallVector<int64_t, 4> num_tiles;
};

/// What stands behind the name of an array, such as
///
///     32x8 at (d1 * 32, d0 * 8), domain: d0 in [0, 1], d1 in [0, 1]
///
/// or several such lines. Begins with a blank or, of several, with the end of a line.
std::string TileText(const indexing_analysis::TileOfArray& tile);
std::string TileText(const indexing_analysis::SymbolicTiles& tiles);

/// Operand arrays of one instruction with texts, those of an operand with equal ones together: a
/// loop of a thousand arrays has a million pairs, of which few differ.
class OperandTexts {
 public:
  explicit OperandTexts(const hlo::Instruction& instruction);

  /// The arrays of an operand come one after the other.
  void Add(const indexing_analysis::OperandArray& array, const std::string& text);
  /// Each as `operands 1 to 3 (p)` with its text, indented by so many blanks. Operand arrays are
  /// numbered in tuple order.
  void Write(unsigned indent, llvm::raw_ostream& out) const;

 private:
  struct Entry {
    size_t operand = 0;
    std::vector<int64_t> numbers;
    std::string text;
  };
  const hlo::Instruction& instruction_;
  // By operand: the number of its first array.
  std::vector<int64_t> first_number_;
  std::vector<Entry> entries_;
  // Those of the last operand, by text.
  std::map<std::string, size_t> of_operand_;
};

/// Writes an object on a line, `{"kind":"tile",...}` or `{"kind":"symbolic_tile",...}`;
/// docs/command_line.md says what they hold.
void WriteTileJson(const std::string& file, const TileOfPair& pair,
                   const indexing_analysis::TileOfArray& tile, llvm::raw_ostream& out);
void WriteTileJson(const std::string& file, const TileOfPair& pair,
                   const indexing_analysis::SymbolicTiles& tiles, llvm::raw_ostream& out);

/// What fits: the first `top` as lines, and how many more there are.
void WriteFitsText(const indexing_analysis::TileFits& fits, int64_t capacity, size_t top,
                   llvm::raw_ostream& out);
/// `{"kind":"tile_fit",...}`
void WriteFitsJson(const std::string& file, const hlo::Instruction& instruction, int64_t output,
                   const indexing_analysis::TileFits& fits, int64_t capacity, size_t top,
                   llvm::raw_ostream& out);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_TILES_REPORT_H_
