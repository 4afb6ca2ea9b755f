// `hlo-indexing run`: executes a module.
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "hlo/interpreter/interpreter.h"
#include "hlo/interpreter/npy.h"
#include "hlo/interpreter/random_bits.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "tools/environment.h"
#include "tools/input.h"
#include "tools/interruption.h"
#include "tools/map_json.h"
#include "tools/module_files.h"
#include "tools/progress.h"
#include "tools/report.h"
#include "tools/shared_options.h"
#include "tools/subcommand.h"

namespace hlo_indexing::tools {
namespace {

// What executes a module.
enum class Backend : uint8_t { kInterpreter, kCpu, kCuda };

struct RunOptions {
  OptionTable& table;
  ChoiceOption<Backend> backend{
      table,
      "backend",
      "backend",
      "What executes the module",
      {{Backend::kInterpreter, "interpreter", "evaluates instruction by instruction"},
       {Backend::kCpu, "cpu", "not supported yet"},
       {Backend::kCuda, "cuda", "not supported yet"}}};
  TextListOption inputs{table,
                        "input",
                        {"K[@DEVICE]=file", ValueKind::kFile},
                        "The K-th parameter array, on all devices or on one, from a .npy file"};
  NumberOption<uint64_t> seed{table, "seed", "For the values of parameters without a file", 0};
  TextOption output{table,
                    "output",
                    {"folder", ValueKind::kFolder},
                    "Write the results there, as .npy files, instead of printing them"};
  NumberOption<int64_t> replicas{table, "replicas", "Simulated replicas", 0, "the module's"};
  NumberOption<int64_t> partitions{table, "partitions", "Simulated partitions of each replica", 0,
                                   "the module's"};
  FlagOption full{table, "full", "Print arrays of more than 1000 elements whole"};
  FormatOption format{table};
  NumberOption<int64_t> max_steps{table, "max-steps", "The most steps of work of a module",
                                  hlo::InterpreterOptions().max_steps};
  NumberOption<int64_t> max_bytes{table, "max-bytes", "The most bytes that values take at a time",
                                  hlo::InterpreterOptions().max_bytes};
  InputLimitOptions limits{table};
};

// Which array an --input is for: the K-th of the entry's parameters, their tuples flattened, on one
// device or on all.
struct InputKey {
  int64_t device = -1;
  int64_t leaf = 0;

  friend auto operator<=>(const InputKey&, const InputKey&) = default;
};

using InputFiles = std::map<InputKey, std::string>;

// K=FILE or K@DEVICE=FILE.
bool ParseInputs(llvm::ArrayRef<std::string> inputs, InputFiles& files) {
  for (const std::string& input : inputs) {
    const auto [place, file] = llvm::StringRef(input).split('=');
    const auto [leaf, device] = place.split('@');
    InputKey key;
    const bool is_for_device = place.contains('@');
    if (file.empty() || leaf.getAsInteger(10, key.leaf) || key.leaf < 0 ||
        (is_for_device && (device.getAsInteger(10, key.device) || key.device < 0))) {
      ReportError("--input must be K=FILE or K@DEVICE=FILE, not '" + input + "'");
      return false;
    }
    if (!files.emplace(key, file.str()).second) {
      ReportError("--input=" + place.str() + " is given twice");
      return false;
    }
  }
  return true;
}

// An integer of the module's header, such as replica_count.
int64_t HeaderCount(const hlo::Module& module, llvm::StringRef name) {
  for (const hlo::Attribute& attribute : module.attributes()) {
    if (attribute.text != name) continue;
    int64_t count = 1;
    if (const auto* text = std::get_if<hlo::RawText>(&attribute.value)) {
      if (!text->text.getAsInteger(10, count)) return count;
    }
    if (const auto* integer = std::get_if<int64_t>(&attribute.value)) return *integer;
  }
  return 1;
}

// Bits that depend on the seed, the device and the array only; docs/interpreter.md states them.
class SeededBits {
 public:
  SeededBits(uint64_t seed, int64_t device, int64_t leaf)
      : key_(seed), high_(static_cast<uint64_t>(device) << 32 | static_cast<uint64_t>(leaf)) {}

  uint32_t Next() {
    if (next_ == 0) block_ = hlo::Philox4x32(key_, low_++, high_);
    const uint32_t word = block_[next_];
    next_ = (next_ + 1) % block_.size();
    return word;
  }
  // In [-1, 1), of 24 bits.
  double NextReal() { return static_cast<double>(Next() >> 8) * 0x1p-23 - 1; }

 private:
  uint64_t key_;
  uint64_t high_;
  uint64_t low_ = 0;
  size_t next_ = 0;
  std::array<uint32_t, 4> block_ = {};
};

std::vector<uint8_t> SeededBytes(const hlo::Shape& shape, SeededBits bits) {
  const hlo::ElementType type = shape.element_type();
  const int64_t width = hlo::LiteralBytesPerElement(type);
  std::vector<uint8_t> bytes(static_cast<size_t>(shape.num_elements() * width));
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    hlo::Element element;
    switch (hlo::ClassOf(type)) {
      case hlo::ElementClass::kFloat:
        element.real = bits.NextReal();
        break;
      case hlo::ElementClass::kComplex:
        element.real = bits.NextReal();
        element.imag = bits.NextReal();
        break;
      case hlo::ElementClass::kSigned:
        // -8 to 7, wrapped: products and sums stay small.
        element.integer = static_cast<int64_t>(bits.Next() >> 28) - 8;
        break;
      case hlo::ElementClass::kUnsigned:
        element.integer = bits.Next() >> 28;
        break;
      default:
        element.integer = bits.Next() >> 31;
    }
    hlo::StoreElement(type, element, bytes.data() + i * width);
  }
  return bytes;
}

// Executes one module.
class ModuleRun {
 public:
  /// `folder` is for the results; they are printed if it is empty.
  ModuleRun(const RunOptions& options, const InputFiles& files, std::string folder,
            llvm::raw_ostream& out)
      : options_(options), files_(files), folder_(std::move(folder)), out_(out) {}

  ExitCode Run(const std::string& file, const hlo::Module& module);

 private:
  ExitCode MakeArguments(const hlo::Computation& entry, std::vector<hlo::Arguments>& arguments);
  ExitCode CheckSizes(const hlo::Computation& entry);
  std::optional<std::vector<uint8_t>> MakeBytes(const hlo::Shape& shape, int64_t device,
                                                int64_t leaf);
  absl::StatusOr<std::vector<hlo::Value>> Evaluate(const std::string& file,
                                                   const hlo::Module& module,
                                                   const std::vector<hlo::Arguments>& arguments);
  ExitCode WriteResults(const std::string& file, const hlo::Module& module,
                        llvm::ArrayRef<hlo::Value> results);
  std::optional<std::string> WriteArray(const hlo::ArrayValue& array, int64_t device, int64_t leaf);

  const RunOptions& options_;
  const InputFiles& files_;
  std::string folder_;
  llvm::raw_ostream& out_;
  hlo::InterpreterOptions interpreter_;
};

// The limit on memory holds for the arguments, too.
ExitCode ModuleRun::CheckSizes(const hlo::Computation& entry) {
  int64_t leaves = 0;
  double bytes = 0;
  for (const hlo::Instruction* parameter : entry.parameters()) {
    const hlo::Shape& shape = parameter->shape();
    for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf, ++leaves) {
      const hlo::Shape& array = shape.ArrayLeaf(leaf);
      if (array.HasUnboundedDimension()) {
        ReportError("parameter '" + parameter->name().str() + "' has an unbounded dimension, " +
                    array.ToString());
        return ExitCode::kNotSupported;
      }
      bytes += static_cast<double>(array.num_elements()) *
               static_cast<double>(hlo::LiteralBytesPerElement(array.element_type()));
    }
  }
  for (const auto& [key, file] : files_) {
    if (key.leaf < leaves && key.device < interpreter_.num_devices()) continue;
    ReportError(absl::StrCat("--input for '", file, "': there are ", leaves,
                             " parameter arrays and ", interpreter_.num_devices(), " devices"));
    return ExitCode::kBadUsage;
  }
  if (bytes * static_cast<double>(interpreter_.num_devices()) <=
      static_cast<double>(interpreter_.max_bytes)) {
    return ExitCode::kFine;
  }
  ReportError(absl::StrCat("the parameters of computation '", entry.name().str(),
                           "' take more than the limit of ", interpreter_.max_bytes,
                           " bytes (--max-bytes)"));
  return ExitCode::kNotSupported;
}

std::optional<std::vector<uint8_t>> ModuleRun::MakeBytes(const hlo::Shape& shape, int64_t device,
                                                         int64_t leaf) {
  auto found = files_.find({device, leaf});
  if (found == files_.end()) found = files_.find({-1, leaf});
  if (found == files_.end()) return SeededBytes(shape, {options_.seed.value(), device, leaf});
  const std::optional<std::string> contents =
      ReadInput(found->second, options_.limits.value().bytes);
  if (!contents) return std::nullopt;
  absl::StatusOr<std::vector<uint8_t>> bytes = hlo::ReadNpy(*contents, shape);
  if (bytes.ok()) return *std::move(bytes);
  ReportError("cannot use '" + found->second + "': " + std::string(bytes.status().message()));
  return std::nullopt;
}

ExitCode ModuleRun::MakeArguments(const hlo::Computation& entry,
                                  std::vector<hlo::Arguments>& arguments) {
  arguments.resize(static_cast<size_t>(interpreter_.num_devices()));
  for (int64_t device = 0; device < interpreter_.num_devices(); ++device) {
    int64_t first_leaf = 0;
    for (const hlo::Instruction* parameter : entry.parameters()) {
      const hlo::Shape& shape = parameter->shape();
      std::vector<std::vector<uint8_t>> leaves;
      for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
        auto bytes = MakeBytes(shape.ArrayLeaf(leaf), device, first_leaf++);
        if (!bytes) return ExitCode::kBadInput;
        leaves.push_back(*std::move(bytes));
      }
      const std::vector<llvm::ArrayRef<uint8_t>> views(leaves.begin(), leaves.end());
      absl::StatusOr<hlo::Value> value = hlo::Value::FromBytes(shape, views);
      if (!value.ok()) {
        ReportError(std::string(value.status().message()));
        return ExitCode::kBadInput;
      }
      arguments[static_cast<size_t>(device)].push_back(*std::move(value));
    }
  }
  return ExitCode::kFine;
}

// Writes a result to the folder; its path, or nullopt after a message.
std::optional<std::string> ModuleRun::WriteArray(const hlo::ArrayValue& array, int64_t device,
                                                 int64_t leaf) {
  llvm::SmallString<128> path(folder_);
  const std::string suffix =
      interpreter_.num_devices() == 1 ? "" : absl::StrCat("_device_", device);
  llvm::sys::path::append(path, absl::StrCat("output_", leaf, suffix, ".npy"));
  std::error_code error = llvm::sys::fs::create_directories(folder_);
  if (!error) {
    llvm::raw_fd_ostream file(path, error);
    if (!error) {
      file << hlo::WriteNpy(array);
      file.flush();
      error = file.error();
      file.clear_error();
    }
  }
  if (!error) return path.str().str();
  ReportError("cannot write '" + path.str().str() + "': " + error.message());
  return std::nullopt;
}

ExitCode ModuleRun::WriteResults(const std::string& file, const hlo::Module& module,
                                 llvm::ArrayRef<hlo::Value> results) {
  llvm::json::Array outputs;
  for (int64_t device = 0; device < interpreter_.num_devices(); ++device) {
    const hlo::Value& result = results[static_cast<size_t>(device)];
    int64_t leaf = 0;
    for (const hlo::ArrayValue* array : result.ArrayLeaves()) {
      const std::string shape = array->shape().ToString();
      llvm::json::Object output{{"output", leaf}, {"shape", shape}};
      std::string text;
      if (!folder_.empty()) {
        const std::optional<std::string> path = WriteArray(*array, device, leaf);
        if (!path) return ExitCode::kBadInput;
        output["file"] = llvm::json::fixUTF8(*path);
        text = *path;
      } else {
        const hlo::Literal literal(&array->shape(), array->bytes(), /*elided=*/false);
        const bool is_whole = options_.full.value() || options_.format.is_json();
        text = is_whole ? literal.ToString() : literal.ToAbbreviatedString();
        if (options_.format.is_json()) output["value"] = text;
      }
      if (interpreter_.num_devices() > 1) output["device"] = device;
      if (!options_.format.is_json()) {
        if (interpreter_.num_devices() > 1) out_ << "device " << device << ", ";
        out_ << "output " << leaf << ": " << shape << " " << text << "\n";
      }
      outputs.push_back(std::move(output));
      ++leaf;
    }
  }
  if (options_.format.is_json()) {
    out_ << llvm::json::Value(llvm::json::Object{{"kind", "run"},
                                                 {"file", llvm::json::fixUTF8(file)},
                                                 {"module", llvm::json::fixUTF8(module.name())},
                                                 {"backend", "interpreter"},
                                                 {"outputs", std::move(outputs)}})
         << "\n";
  }
  return ExitCode::kFine;
}

// Evaluates with progress on a terminal, until Ctrl-C.
absl::StatusOr<std::vector<hlo::Value>> ModuleRun::Evaluate(
    const std::string& file, const hlo::Module& module,
    const std::vector<hlo::Arguments>& arguments) {
  ProgressLine progress;
  interpreter_.keep_running = [&](const hlo::Instruction& instruction, int64_t steps) {
    progress.Update([&] {
      constexpr int64_t kMillion = 1'000'000;
      return absl::StrCat(file, ": ", steps / kMillion, " million steps, now ",
                          instruction.name().str(), " (",
                          hlo::OpcodeName(instruction.opcode()).str(), ")");
    });
    return !Interruption::IsRequested();
  };
  return hlo::EvaluateOnDevices(module.entry(), arguments, interpreter_);
}

ExitCode ModuleRun::Run(const std::string& file, const hlo::Module& module) {
  interpreter_.max_steps = options_.max_steps.value();
  interpreter_.max_bytes = options_.max_bytes.value();
  interpreter_.num_replicas = options_.replicas.is_given() ? options_.replicas.value()
                                                           : HeaderCount(module, "replica_count");
  interpreter_.num_partitions = options_.partitions.is_given()
                                    ? options_.partitions.value()
                                    : HeaderCount(module, "num_partitions");
  if (interpreter_.num_replicas < 1 || interpreter_.num_partitions < 1 ||
      interpreter_.num_replicas > hlo::kMaxDevices ||
      interpreter_.num_partitions > hlo::kMaxDevices ||
      interpreter_.num_devices() > hlo::kMaxDevices) {
    ReportError(absl::StrCat("between 1 and ", hlo::kMaxDevices, " devices can be simulated"));
    return ExitCode::kNotSupported;
  }
  std::vector<hlo::Arguments> arguments;
  ExitCode status = CheckSizes(module.entry());
  if (status == ExitCode::kFine) status = MakeArguments(module.entry(), arguments);
  if (status != ExitCode::kFine) return status;
  const absl::StatusOr<std::vector<hlo::Value>> results = Evaluate(file, module, arguments);
  if (results.ok()) return WriteResults(file, module, *results);
  const std::string message(results.status().message());
  Messages() << message;
  if (!llvm::StringRef(message).ends_with("\n")) Messages() << "\n";
  if (results.status().code() == absl::StatusCode::kCancelled) return ExitCode::kInterrupted;
  return results.status().code() == absl::StatusCode::kInvalidArgument ? ExitCode::kBadInput
                                                                       : ExitCode::kNotSupported;
}

constexpr Example kExamples[] = {
    {"The outputs of a module on random inputs", "hlo-indexing run --seed=1 module.hlo"},
    {"The outputs as NumPy files, which are the inputs of another run",
     "hlo-indexing run --output=results module.hlo && "
     "hlo-indexing run --input=0=results/output_1.npy module.hlo"}};

constexpr SubcommandHelp kHelp = {
    .name = "run",
    .summary = "The outputs of modules, executed on given or random inputs",
    .arguments = kModuleFiles,
    .details =
        "Parameter arrays are numbered from 0, tuples flattened in order. Those without an "
        "--input have random values, which depend on the seed, the array and the device "
        "only.",
    .examples = kExamples};

class RunCommand : public Subcommand {
 public:
  RunCommand() : Subcommand(kHelp) {}
  ExitCode Run(llvm::raw_ostream& out) override;

 private:
  RunOptions options_{table()};
};

ExitCode RunCommand::Run(llvm::raw_ostream& out) {
  if (options_.backend.value() != Backend::kInterpreter) {
    ReportError("the back ends cpu and cuda are not supported yet; --backend=interpreter is");
    return ExitCode::kNotSupported;
  }
  InputFiles inputs;
  if (!ParseInputs(options_.inputs.values(), inputs)) return ExitCode::kBadUsage;
  if (options_.max_steps.value() < 0 || options_.max_bytes.value() < 0) {
    ReportError("--max-steps and --max-bytes must not be negative");
    return ExitCode::kBadUsage;
  }
  if ((options_.replicas.is_given() && options_.replicas.value() < 1) ||
      (options_.partitions.is_given() && options_.partitions.value() < 1)) {
    ReportError("--replicas and --partitions must be at least 1");
    return ExitCode::kBadUsage;
  }
  ExitCode status = ExitCode::kFine;
  size_t number = 0;
  const Interruption interruption;
  const std::vector<std::string> files = ModuleFiles(arguments(), status);
  for (const std::string& file : files) {
    if (options_.format.is_json()) WriteHeader(file, out);
    const auto modules = LoadModules(file, options_.limits.value(), status);
    for (const auto& module : modules) {
      if (Interruption::IsRequested()) return ExitCode::kInterrupted;
      llvm::SmallString<128> folder(options_.output.value());
      // Results of several modules would overwrite each other.
      if (!folder.empty() && (modules.size() > 1 || files.size() > 1)) {
        llvm::sys::path::append(folder, absl::StrCat("module_", number++));
      }
      status =
          Worst(status, ModuleRun(options_, inputs, folder.str().str(), out).Run(file, *module));
    }
  }
  return status;
}

}  // namespace

std::unique_ptr<Subcommand> MakeRunCommand() { return std::make_unique<RunCommand>(); }

}  // namespace hlo_indexing::tools
