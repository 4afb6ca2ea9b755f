// What the subcommands of `hlo-indexing` share: exit codes, options, a file per subcommand.
#ifndef HLO_INDEXING_TOOLS_COMMAND_H_
#define HLO_INDEXING_TOOLS_COMMAND_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "layout/picture.h"
#include "llvm/Support/raw_ostream.h"

namespace hlo_indexing::tools {

/// The exit status of the program; the worst of several wins, in the order of ExitRank.
enum class ExitCode : uint8_t {
  kFine = 0,
  kFinding = 1,
  kBadUsage = 2,
  kBadInput = 3,
  kNotSupported = 4,
};

/// The status of two jobs done one after the other: bad input outweighs unsupported parts.
ExitCode Worst(ExitCode a, ExitCode b);

enum class OutputFormat : uint8_t { kText, kJson };
enum class Direction : uint8_t { kOutputToInput, kInputToOutput, kBoth };

/// Limits that keep hostile input from exhausting time or memory.
struct Limits {
  uint64_t input_bytes = uint64_t{1} << 30;
  uint64_t errors = 20;
  uint64_t records_per_instruction = uint64_t{1} << 25;
};

struct MapsOptions {
  std::vector<std::string> files;
  OutputFormat format = OutputFormat::kText;
  Direction direction = Direction::kOutputToInput;
  std::string instruction;
  std::string computation;
  bool fusions_only = false;
  bool simplify = true;
  /// A file of rules for custom calls; empty for none.
  std::string custom_calls;
  Limits limits;
};

/// For the subcommands on maps without a module; no maps stand for standard input.
struct BareMapsOptions {
  std::vector<std::string> maps;
  OutputFormat format = OutputFormat::kText;
  Limits limits;
  /// `simplify`: whether range variables may be replaced by others.
  bool rescale_ranges = false;
};

struct StatsOptions {
  std::vector<std::string> files;
  OutputFormat format = OutputFormat::kText;
  std::string custom_calls;
  Limits limits;
};

struct PrintCommandOptions {
  std::vector<std::string> files;
  bool metadata = true;
  bool operand_shapes = false;
  Limits limits;
};

/// What executes a module.
enum class Backend : uint8_t { kInterpreter, kCpu, kCuda };

struct RunOptions {
  std::vector<std::string> files;
  OutputFormat format = OutputFormat::kText;
  Backend backend = Backend::kInterpreter;
  /// K=FILE or K@DEVICE=FILE.
  std::vector<std::string> inputs;
  uint64_t seed = 0;
  /// A folder for the results; empty: they are printed.
  std::string output;
  /// 0: as the module's header says.
  int64_t replicas = 0;
  int64_t partitions = 0;
  int64_t max_steps = 0;
  int64_t max_bytes = 0;
  Limits limits;
};

/// No expressions stand for the lines of standard input.
struct CuteOptions {
  std::vector<std::string> expressions;
  OutputFormat format = OutputFormat::kText;
  /// A picture in place of the value.
  std::optional<layout::PictureFormat> picture;
  bool offsets = false;
  bool list_functions = false;
  Limits limits;
};

/// What --max-cells may ask for: pictures of more take gigabytes.
inline constexpr int64_t kMostCells = int64_t{1} << 22;

struct LayoutOptions {
  std::vector<std::string> shapes;
  OutputFormat format = OutputFormat::kText;
  /// *"2,3"*
  std::vector<std::string> indices;
  std::vector<std::string> positions;
  std::vector<std::string> bytes;
  /// Another shape, or only its layout.
  std::optional<std::string> relayout;
  bool tpu = false;
  bool offsets = false;
  /// A picture in place of the overview.
  std::optional<layout::PictureFormat> picture;
  /// Up to kMostCells.
  int64_t max_cells = 1 << 16;
};

ExitCode RunMaps(const MapsOptions& options, llvm::raw_ostream& out);
ExitCode RunSimplify(const BareMapsOptions& options, llvm::raw_ostream& out);
ExitCode RunEqual(const BareMapsOptions& options, llvm::raw_ostream& out);
ExitCode RunCompose(const BareMapsOptions& options, llvm::raw_ostream& out);
ExitCode RunInverse(const BareMapsOptions& options, llvm::raw_ostream& out);
ExitCode RunImage(const BareMapsOptions& options, llvm::raw_ostream& out);
ExitCode RunStats(const StatsOptions& options, llvm::raw_ostream& out);
ExitCode RunPrint(const PrintCommandOptions& options, llvm::raw_ostream& out);
ExitCode RunCute(const CuteOptions& options, llvm::raw_ostream& out);
ExitCode RunLayout(const LayoutOptions& options, llvm::raw_ostream& out);
ExitCode RunModules(const RunOptions& options, llvm::raw_ostream& out);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_COMMAND_H_
