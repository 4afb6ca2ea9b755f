// `hlo-indexing run`: executes a module.
#include <array>
#include <map>
#include <optional>

#include "absl/strings/str_cat.h"
#include "hlo/interpreter.h"
#include "hlo/npy.h"
#include "hlo/random_bits.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "tools/command.h"
#include "tools/input.h"
#include "tools/map_json.h"

namespace hlo_indexing::tools {
namespace {

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

class RunCommand {
 public:
  RunCommand(const RunOptions& options, InputFiles files, llvm::raw_ostream& out)
      : options_(options), files_(std::move(files)), out_(out) {}

  ExitCode Run(const std::string& file, const hlo::Module& module);

 private:
  ExitCode MakeArguments(const hlo::Computation& entry, std::vector<hlo::Arguments>& arguments);
  ExitCode CheckSizes(const hlo::Computation& entry);
  std::optional<std::vector<uint8_t>> MakeBytes(const hlo::Shape& shape, int64_t device,
                                                int64_t leaf);
  ExitCode WriteResults(const std::string& file, const hlo::Module& module,
                        llvm::ArrayRef<hlo::Value> results);
  std::optional<std::string> WriteArray(const hlo::ArrayValue& array, int64_t device, int64_t leaf);

  const RunOptions& options_;
  InputFiles files_;
  llvm::raw_ostream& out_;
  hlo::InterpreterOptions interpreter_;
};

// The limit on memory holds for the arguments, too.
ExitCode RunCommand::CheckSizes(const hlo::Computation& entry) {
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

std::optional<std::vector<uint8_t>> RunCommand::MakeBytes(const hlo::Shape& shape, int64_t device,
                                                          int64_t leaf) {
  auto found = files_.find({device, leaf});
  if (found == files_.end()) found = files_.find({-1, leaf});
  if (found == files_.end()) return SeededBytes(shape, {options_.seed, device, leaf});
  const std::optional<std::string> contents = ReadInput(found->second, options_.limits.input_bytes);
  if (!contents) return std::nullopt;
  absl::StatusOr<std::vector<uint8_t>> bytes = hlo::ReadNpy(*contents, shape);
  if (bytes.ok()) return *std::move(bytes);
  ReportError("cannot use '" + found->second + "': " + std::string(bytes.status().message()));
  return std::nullopt;
}

ExitCode RunCommand::MakeArguments(const hlo::Computation& entry,
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

// Writes a result below --output; its path, or nothing after a message.
std::optional<std::string> RunCommand::WriteArray(const hlo::ArrayValue& array, int64_t device,
                                                  int64_t leaf) {
  llvm::SmallString<128> path(options_.output);
  const std::string suffix =
      interpreter_.num_devices() == 1 ? "" : absl::StrCat("_device_", device);
  llvm::sys::path::append(path, absl::StrCat("output_", leaf, suffix, ".npy"));
  std::error_code error = llvm::sys::fs::create_directories(options_.output);
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

ExitCode RunCommand::WriteResults(const std::string& file, const hlo::Module& module,
                                  llvm::ArrayRef<hlo::Value> results) {
  llvm::json::Array outputs;
  for (int64_t device = 0; device < interpreter_.num_devices(); ++device) {
    const hlo::Value& result = results[static_cast<size_t>(device)];
    int64_t leaf = 0;
    for (const hlo::ArrayValue* array : result.ArrayLeaves()) {
      const std::string shape = array->shape().ToString();
      llvm::json::Object output{{"output", leaf}, {"shape", shape}};
      std::string text;
      if (!options_.output.empty()) {
        const std::optional<std::string> path = WriteArray(*array, device, leaf);
        if (!path) return ExitCode::kBadInput;
        output["file"] = llvm::json::fixUTF8(*path);
        text = *path;
      } else {
        text = hlo::Literal(&array->shape(), array->bytes(), /*elided=*/false).ToString();
        if (options_.format == OutputFormat::kJson) output["value"] = text;
      }
      if (interpreter_.num_devices() > 1) output["device"] = device;
      if (options_.format == OutputFormat::kText) {
        if (interpreter_.num_devices() > 1) out_ << "device " << device << ", ";
        out_ << "output " << leaf << ": " << shape << " " << text << "\n";
      }
      outputs.push_back(std::move(output));
      ++leaf;
    }
  }
  if (options_.format == OutputFormat::kJson) {
    out_ << llvm::json::Value(llvm::json::Object{{"kind", "run"},
                                                 {"file", llvm::json::fixUTF8(file)},
                                                 {"module", llvm::json::fixUTF8(module.name())},
                                                 {"backend", "interpreter"},
                                                 {"outputs", std::move(outputs)}})
         << "\n";
  }
  return ExitCode::kFine;
}

ExitCode RunCommand::Run(const std::string& file, const hlo::Module& module) {
  interpreter_.max_steps = options_.max_steps;
  interpreter_.max_bytes = options_.max_bytes;
  interpreter_.num_replicas =
      options_.replicas > 0 ? options_.replicas : HeaderCount(module, "replica_count");
  interpreter_.num_partitions =
      options_.partitions > 0 ? options_.partitions : HeaderCount(module, "num_partitions");
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
  const absl::StatusOr<std::vector<hlo::Value>> results =
      hlo::EvaluateOnDevices(module.entry(), arguments, interpreter_);
  if (results.ok()) return WriteResults(file, module, *results);
  const std::string message(results.status().message());
  llvm::errs() << message;
  if (!llvm::StringRef(message).ends_with("\n")) llvm::errs() << "\n";
  return results.status().code() == absl::StatusCode::kInvalidArgument ? ExitCode::kBadInput
                                                                       : ExitCode::kNotSupported;
}

}  // namespace

ExitCode RunModules(const RunOptions& options, llvm::raw_ostream& out) {
  if (options.backend != Backend::kInterpreter) {
    ReportError("the back ends cpu and cuda are not supported yet; --backend=interpreter is");
    return ExitCode::kNotSupported;
  }
  InputFiles inputs;
  if (!ParseInputs(options.inputs, inputs)) return ExitCode::kBadUsage;
  if (options.max_steps < 0 || options.max_bytes < 0) {
    ReportError("--max-steps and --max-bytes must not be negative");
    return ExitCode::kBadUsage;
  }
  ExitCode status = ExitCode::kFine;
  size_t number = 0;
  for (const std::string& file : options.files) {
    if (options.format == OutputFormat::kJson) WriteHeader(file, out);
    const auto modules = LoadModules(file, options.limits, status);
    for (const auto& module : modules) {
      // Results of several modules would overwrite each other.
      RunOptions of_module = options;
      if (!options.output.empty() && (modules.size() > 1 || options.files.size() > 1)) {
        llvm::SmallString<128> folder(options.output);
        llvm::sys::path::append(folder, absl::StrCat("module_", number++));
        of_module.output = folder.str().str();
      }
      status = Worst(status, RunCommand(of_module, inputs, out).Run(file, *module));
    }
  }
  return status;
}

}  // namespace hlo_indexing::tools
