// The command line: options, help, and the choice of the subcommand.
#include <memory>
#include <optional>
#include <system_error>

#include "hlo/interpreter.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "tools/command.h"
#include "tools/input.h"
#include "tools/map_json.h"

namespace hlo_indexing::tools {
namespace {

namespace cl = llvm::cl;

constexpr llvm::StringRef kOverview =
    "Which elements of which tensor every output element reads, for XLA HLO modules.\n\n"
    "EXAMPLES:\n"
    "  hlo-indexing maps module.hlo                       the maps of every instruction\n"
    "  hlo-indexing maps --fusions-only dump.txt          of the fusions, through their bodies\n"
    "  hlo-indexing maps --instruction=add.5 --format=json dump.txt | jq .maps\n"
    "  hlo-indexing simplify '(d0) -> (d0 floordiv 4 * 4 + d0 mod 4), domain: d0 in [0, 99]'\n"
    "  hlo-indexing equal '(d0) -> (d0 mod 2), domain: d0 in [0, 1]' "
    "'(d0) -> (d0), domain: d0 in [0, 1]'\n"
    "  hlo-indexing inverse '(d0) -> (d0 * 2 + 1), domain: d0 in [0, 9]'\n"
    "  hlo-indexing image '(d0)[s0] -> (d0 * 2 + s0), domain: d0 in [0, 4], s0 in [0, 2]'\n"
    "  hlo-indexing cute 'composition((_4,_8):(_8,_1), _2:_4)'   CuTe's algebra as a calculator\n"
    "  hlo-indexing cute --svg '(_8,_8):(_8,_1)' > layout.svg\n"
    "  hlo-indexing layout 'f32[3,5]{1,0:T(2,2)}'          sizes, padding, maps, the table\n"
    "  hlo-indexing layout 'bf16[100,200]' --tpu          its formats on a TPU\n"
    "  hlo-indexing stats dump.txt                        opcodes, shapes, coverage\n"
    "  hlo-indexing run --seed=1 module.hlo               execute a module on random inputs\n"
    "  hlo-indexing print --no-metadata dump.txt          canonical HLO text\n"
    "\n"
    "EXIT STATUS: 0 fine; 1 `equal` answers no; 2 bad usage; 3 the input could not be read or "
    "parsed;\n"
    "4 a part of the request is not supported (what could be done was printed).\n";

// The options of all subcommands. They register themselves with LLVM's parser.
struct CommandLine {
  cl::OptionCategory category{"hlo-indexing options"};

  cl::SubCommand maps{"maps", "Indexing maps per instruction, output array and operand array"};
  cl::SubCommand simplify{"simplify",
                          "Bare maps in simplest form, from arguments or lines of stdin"};
  cl::SubCommand equal{"equal", "Whether two bare maps are the same function"};
  cl::SubCommand compose{"compose", "The second bare map after the first"};
  cl::SubCommand inverse{"inverse", "The maps from results to dimensions"};
  cl::SubCommand image{"image", "What bare maps reach, and how often"};
  cl::SubCommand cute{"cute", "CuTe's layout algebra as a calculator, with pictures"};
  cl::SubCommand layout{"layout", "Where the elements of an array lie in memory"};
  cl::SubCommand stats{"stats", "Opcodes, shapes and how many maps are exact, superset, unknown"};
  cl::SubCommand print{"print", "The modules again, in canonical text"};
  cl::SubCommand run{"run", "Execute the modules"};

  cl::list<std::string> maps_files{cl::Positional, cl::desc("FILE... ('-' for stdin)"),
                                   cl::OneOrMore, cl::sub(maps), cl::cat(category)};
  cl::list<std::string> single_maps{cl::Positional,   cl::desc("[MAP]..."), cl::sub(simplify),
                                    cl::sub(inverse), cl::sub(image),       cl::cat(category)};
  cl::list<std::string> map_pairs{cl::Positional, cl::desc("[MAP MAP]..."), cl::sub(equal),
                                  cl::sub(compose), cl::cat(category)};
  cl::list<std::string> cute_expressions{cl::Positional, cl::desc("[EXPR]..."), cl::sub(cute),
                                         cl::cat(category)};
  cl::opt<layout::PictureFormat> picture{
      cl::desc("Only a picture:"),
      cl::values(clEnumValN(layout::PictureFormat::kText, "table", "as a table of text"),
                 clEnumValN(layout::PictureFormat::kSvg, "svg", "as SVG"),
                 clEnumValN(layout::PictureFormat::kTikz, "tikz", "as a LaTeX document")),
      cl::sub(cute), cl::sub(layout), cl::cat(category)};
  cl::opt<bool> cute_offsets{"offsets", cl::desc("With all offsets, the first coordinate fastest"),
                             cl::sub(cute), cl::cat(category)};
  cl::opt<bool> cute_functions{"functions", cl::desc("List the functions"), cl::sub(cute),
                               cl::cat(category)};
  cl::list<std::string> shapes{cl::Positional, cl::desc("SHAPE..."), cl::OneOrMore, cl::sub(layout),
                               cl::cat(category)};
  cl::list<std::string> stats_files{cl::Positional, cl::desc("FILE... ('-' for stdin)"),
                                    cl::OneOrMore, cl::sub(stats), cl::cat(category)};
  cl::list<std::string> print_files{cl::Positional, cl::desc("FILE... ('-' for stdin)"),
                                    cl::OneOrMore, cl::sub(print), cl::cat(category)};
  cl::list<std::string> run_files{cl::Positional, cl::desc("FILE... ('-' for stdin)"),
                                  cl::OneOrMore, cl::sub(run), cl::cat(category)};

  cl::opt<OutputFormat> format{
      "format",
      cl::desc("Output format:"),
      cl::values(clEnumValN(OutputFormat::kText, "text", "for people"),
                 clEnumValN(OutputFormat::kJson, "json", "one JSON object per line")),
      cl::init(OutputFormat::kText),
      cl::sub(maps),
      cl::sub(simplify),
      cl::sub(equal),
      cl::sub(compose),
      cl::sub(inverse),
      cl::sub(image),
      cl::sub(cute),
      cl::sub(layout),
      cl::sub(stats),
      cl::sub(run),
      cl::cat(category)};
  cl::opt<std::string> output{"o",
                              cl::desc("Write to a file instead of stdout"),
                              cl::value_desc("file"),
                              cl::init("-"),
                              cl::sub(maps),
                              cl::sub(simplify),
                              cl::sub(equal),
                              cl::sub(compose),
                              cl::sub(inverse),
                              cl::sub(image),
                              cl::sub(cute),
                              cl::sub(layout),
                              cl::sub(stats),
                              cl::sub(print),
                              cl::sub(run),
                              cl::cat(category)};

  cl::opt<Direction> direction{"direction",
                               cl::desc("Which maps:"),
                               cl::values(clEnumValN(Direction::kOutputToInput, "output-to-input",
                                                     "what each output element reads"),
                                          clEnumValN(Direction::kInputToOutput, "input-to-output",
                                                     "which output elements read an input element"),
                                          clEnumValN(Direction::kBoth, "both", "both")),
                               cl::init(Direction::kOutputToInput),
                               cl::sub(maps),
                               cl::cat(category)};
  cl::opt<std::string> instruction{"instruction", cl::desc("Only the instruction of that name"),
                                   cl::value_desc("name"), cl::sub(maps), cl::cat(category)};
  cl::opt<std::string> computation{"computation", cl::desc("Only the computation of that name"),
                                   cl::value_desc("name"), cl::sub(maps), cl::cat(category)};
  cl::opt<bool> fusions_only{"fusions-only", cl::desc("Only fusion instructions"), cl::sub(maps),
                             cl::cat(category)};
  cl::opt<bool> no_simplify{"no-simplify",
                            cl::desc("Leave domains and expressions as composition gives them"),
                            cl::sub(maps), cl::cat(category)};
  cl::opt<bool> rescale_ranges{
      "rescale-ranges", cl::desc("Let range variables with a known remainder count its multiples"),
      cl::sub(simplify), cl::cat(category)};
  cl::opt<std::string> custom_calls{
      "custom-calls",         cl::desc("What custom calls read: rules as JSON"),
      cl::value_desc("file"), cl::sub(maps),
      cl::sub(stats),         cl::cat(category)};
  cl::opt<bool> no_metadata{"no-metadata", cl::desc("Without metadata and source locations"),
                            cl::sub(print), cl::cat(category)};
  cl::opt<bool> operand_shapes{"operand-shapes", cl::desc("With the shapes of operands"),
                               cl::sub(print), cl::cat(category)};

  cl::opt<uint64_t> max_input_bytes{"max-input-bytes",   cl::desc("The largest input file"),
                                    cl::value_desc("n"), cl::init(Limits().input_bytes),
                                    cl::sub(maps),       cl::sub(simplify),
                                    cl::sub(equal),      cl::sub(compose),
                                    cl::sub(inverse),    cl::sub(image),
                                    cl::sub(cute),       cl::sub(stats),
                                    cl::sub(print),      cl::sub(run),
                                    cl::cat(category)};
  cl::opt<uint64_t> max_errors{"max-errors",        cl::desc("Stop after so many errors in a file"),
                               cl::value_desc("n"), cl::init(Limits().errors),
                               cl::sub(maps),       cl::sub(stats),
                               cl::sub(print),      cl::sub(run),
                               cl::cat(category)};
  cl::opt<uint64_t> max_records{
      "max-records",
      cl::desc("The most pairs of output and operand arrays of one instruction"),
      cl::value_desc("n"),
      cl::init(Limits().records_per_instruction),
      cl::sub(maps),
      cl::cat(category)};

  cl::list<std::string> indices{"index", cl::desc("Where the element of that index lies"),
                                cl::value_desc("i,j,..."), cl::sub(layout), cl::cat(category)};
  cl::list<std::string> positions{"position", cl::desc("What lies at that position, in elements"),
                                  cl::value_desc("n"), cl::sub(layout), cl::cat(category)};
  cl::list<std::string> bytes{"byte", cl::desc("What lies at that byte"), cl::value_desc("n"),
                              cl::sub(layout), cl::cat(category)};
  cl::opt<std::string> relayout{"relayout", cl::desc("What a copy to another layout moves"),
                                cl::value_desc("shape or layout"), cl::sub(layout),
                                cl::cat(category)};
  cl::opt<bool> tpu{"tpu", cl::desc("The formats of the array on a TPU, with the bytes they waste"),
                    cl::sub(layout), cl::cat(category)};
  cl::opt<bool> offsets{"offsets", cl::desc("With the position of every element"), cl::sub(layout),
                        cl::cat(category)};
  cl::opt<int64_t> max_cells{
      "max-cells",         cl::desc("The most cells of a picture, and the most offsets"),
      cl::value_desc("n"), cl::init(LayoutOptions().max_cells),
      cl::sub(layout),     cl::cat(category)};

  cl::opt<Backend> backend{"backend",
                           cl::desc("What executes the module:"),
                           cl::values(clEnumValN(Backend::kInterpreter, "interpreter",
                                                 "evaluates instruction by instruction"),
                                      clEnumValN(Backend::kCpu, "cpu", "not supported yet"),
                                      clEnumValN(Backend::kCuda, "cuda", "not supported yet")),
                           cl::init(Backend::kInterpreter),
                           cl::sub(run),
                           cl::cat(category)};
  cl::list<std::string> inputs{
      "input", cl::desc("The K-th parameter array, on all devices or on one, from a .npy file"),
      cl::value_desc("K[@DEVICE]=file"), cl::sub(run), cl::cat(category)};
  cl::opt<uint64_t> seed{"seed",
                         cl::desc("For the values of parameters without a file"),
                         cl::value_desc("n"),
                         cl::init(0),
                         cl::sub(run),
                         cl::cat(category)};
  cl::opt<std::string> output_folder{"output", cl::desc("Write the results there, as .npy files"),
                                     cl::value_desc("folder"), cl::sub(run), cl::cat(category)};
  cl::opt<int64_t> replicas{
      "replicas",          cl::desc("Simulated replicas; default: the module's"),
      cl::value_desc("n"), cl::init(0),
      cl::sub(run),        cl::cat(category)};
  cl::opt<int64_t> partitions{
      "partitions",        cl::desc("Simulated partitions of each; default: the module's"),
      cl::value_desc("n"), cl::init(0),
      cl::sub(run),        cl::cat(category)};
  cl::opt<int64_t> max_steps{"max-steps",         cl::desc("The most steps of work of a module"),
                             cl::value_desc("n"), cl::init(hlo::InterpreterOptions().max_steps),
                             cl::sub(run),        cl::cat(category)};
  cl::opt<int64_t> max_bytes{
      "max-bytes",         cl::desc("The most bytes that values take at a time"),
      cl::value_desc("n"), cl::init(hlo::InterpreterOptions().max_bytes),
      cl::sub(run),        cl::cat(category)};

  std::optional<layout::PictureFormat> picture_format() const {
    if (picture.getNumOccurrences() == 0) return std::nullopt;
    return picture.getValue();
  }

  LayoutOptions layout_options() {
    LayoutOptions options;
    options.shapes = shapes;
    options.format = format;
    options.indices = indices;
    options.positions = positions;
    options.bytes = bytes;
    if (relayout.getNumOccurrences() > 0) options.relayout = relayout.getValue();
    options.tpu = tpu;
    options.offsets = offsets;
    options.picture = picture_format();
    options.max_cells = max_cells;
    return options;
  }

  RunOptions run_options() {
    RunOptions options;
    options.files = run_files;
    options.format = format;
    options.backend = backend;
    options.inputs = inputs;
    options.seed = seed;
    options.output = output_folder;
    options.replicas = replicas;
    options.partitions = partitions;
    options.max_steps = max_steps;
    options.max_bytes = max_bytes;
    options.limits = limits();
    return options;
  }

  Limits limits() const {
    Limits limits;
    limits.input_bytes = max_input_bytes;
    limits.errors = max_errors;
    limits.records_per_instruction = max_records;
    return limits;
  }
};

void PrintVersion(llvm::raw_ostream& out) {
  out << "hlo-indexing " << ToolVersion() << " (LLVM " << LLVM_VERSION_STRING << ")\n";
}

ExitCode Dispatch(CommandLine& line, llvm::raw_ostream& out) {
  if (line.maps) {
    MapsOptions options;
    options.files = line.maps_files;
    options.format = line.format;
    options.direction = line.direction;
    options.instruction = llvm::StringRef(line.instruction).ltrim('%').str();
    options.computation = llvm::StringRef(line.computation).ltrim('%').str();
    options.fusions_only = line.fusions_only;
    options.simplify = !line.no_simplify;
    options.custom_calls = line.custom_calls;
    options.limits = line.limits();
    return RunMaps(options, out);
  }
  if (line.simplify) {
    return RunSimplify({line.single_maps, line.format, line.limits(), line.rescale_ranges}, out);
  }
  if (line.equal) return RunEqual({line.map_pairs, line.format, line.limits(), false}, out);
  if (line.compose) return RunCompose({line.map_pairs, line.format, line.limits(), false}, out);
  if (line.inverse) return RunInverse({line.single_maps, line.format, line.limits(), false}, out);
  if (line.image) return RunImage({line.single_maps, line.format, line.limits(), false}, out);

  if (line.picture.getNumOccurrences() > 1) {
    ReportError("--table, --svg and --tikz: only one at a time");
    return ExitCode::kBadUsage;
  }
  if (line.cute) {
    return RunCute({line.cute_expressions, line.format, line.picture_format(), line.cute_offsets,
                    line.cute_functions, line.limits()},
                   out);
  }
  if (line.stats) {
    return RunStats({line.stats_files, line.format, line.custom_calls, line.limits()}, out);
  }
  if (line.print) {
    return RunPrint({line.print_files, !line.no_metadata, line.operand_shapes, line.limits()}, out);
  }
  if (line.layout) return RunLayout(line.layout_options(), out);
  if (line.run) return RunModules(line.run_options(), out);
  cl::PrintHelpMessage();
  return ExitCode::kBadUsage;
}

ExitCode Main(int argc, const char* const* argv) {
  // LLVM's libraries bring options of their own; ours is a small tool.
  cl::ResetCommandLineParser();
  CommandLine line;
  cl::SetVersionPrinter(PrintVersion);
  if (!cl::ParseCommandLineOptions(argc, argv, kOverview, &llvm::errs())) {
    return ExitCode::kBadUsage;
  }
  std::error_code error;
  llvm::raw_fd_ostream out(line.output, error);
  if (error) {
    ReportError("cannot write to '" + line.output + "': " + error.message());
    return ExitCode::kBadUsage;
  }
  constexpr size_t kBufferSize = size_t{1} << 18;
  out.SetBufferSize(kBufferSize);
  ExitCode status = Dispatch(line, out);
  out.flush();
  if (out.has_error()) {
    ReportError("cannot write to '" + line.output + "': " + out.error().message());
    out.clear_error();
    status = Worst(status, ExitCode::kBadInput);
  }
  return status;
}

}  // namespace
}  // namespace hlo_indexing::tools

int main(int argc, char** argv) {
  const llvm::InitLLVM init(argc, argv);
  return static_cast<int>(hlo_indexing::tools::Main(argc, argv));
}
