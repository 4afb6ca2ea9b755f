// `hlo-indexing run`: executes a module.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "hlo/interpreter/interpreter.h"
#include "hlo/interpreter/npy.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "support/real_number.h"
#include "support/status_macros.h"
#include "tools/array_inputs.h"
#include "tools/check_option.h"
#include "tools/device_option.h"
#include "tools/environment.h"
#include "tools/gpu_run.h"
#include "tools/input.h"
#include "tools/interruption.h"
#include "tools/map_json.h"
#include "tools/module_files.h"
#include "tools/output_comparison.h"
#include "tools/output_file.h"
#include "tools/progress.h"
#include "tools/quantity.h"
#include "tools/report.h"
#include "tools/seeded_values.h"
#include "tools/shared_options.h"
#include "tools/subcommand.h"

namespace hlo_indexing::tools {
namespace {

// What executes a module.
enum class Backend : uint8_t { kInterpreter, kVirtualGpu, kCuda };

llvm::StringRef NameOf(Backend backend) {
  if (backend == Backend::kVirtualGpu) return "virtual-gpu";
  return backend == Backend::kCuda ? "cuda" : "interpreter";
}

struct RunOptions {
  OptionTable& table;
  ChoiceOption<Backend> backend{
      table,
      "backend",
      "backend",
      "What executes the module",
      {{Backend::kInterpreter, "interpreter", "evaluates instruction by instruction"},
       {Backend::kVirtualGpu, "virtual-gpu",
        "our kernels (see emit), buffers and control flow, without a device"},
       {Backend::kCuda, "cuda", "the same on a GPU of NVIDIA, if there is one"}}};
  FlagOption compare{table, "compare",
                     "How far the outputs are from those of the interpreter, instead of them"};
  TextOption tolerance{
      table,
      "tolerance",
      {"number"},
      "With --compare: the largest absolute error that is fine, as a part of the largest "
      "magnitude in the output; status 1 above it",
      "0"};
  FlagOption print_buffers{table, "print-buffers",
                           "The program of a GPU's back end before its outputs: launches, buffers"};
  CheckOption check{table, "none"};
  DeviceOption device{table,
                      "What kernels are planned for: h100, h200, a100, rtx-a6000, l4, b200, or a "
                      "file"};
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

// At the counts of devices in the header, if those are what is wrong.
void ReportDevices(const hlo::Module& module, const std::string& file, bool are_of_header,
                   const std::string& message) {
  for (const hlo::Attribute& attribute : module.attributes()) {
    const bool is_count = attribute.text == "replica_count" || attribute.text == "num_partitions";
    if (!is_count || !are_of_header) continue;
    return Report({support::MakeDiagnostic(module.source(), attribute.offset, message)});
  }
  ReportError(absl::StrCat(file, ": ", message));
}

// nullopt, after a message, if --tolerance is no number.
std::optional<double> ToleranceOf(const RunOptions& options) {
  if (!options.tolerance.is_given()) return 0;
  const std::optional<double> given = support::ParseDouble(options.tolerance.value());
  if (given && *given >= 0) return given;
  ReportError("--tolerance must be a number that is not negative, not '" +
              options.tolerance.value() + "'");
  return std::nullopt;
}

// The exit status for an error, after its message: of the file, if the error has no place in it.
ExitCode ReportFailure(const std::string& file, const absl::Status& status) {
  const std::string message(status.message());
  // Errors of instructions have their place.
  if (llvm::StringRef(message).contains(": error: ")) {
    Messages() << message;
    if (!llvm::StringRef(message).ends_with("\n")) Messages() << "\n";
  } else {
    ReportError(file + ": " + message);
  }
  if (status.code() == absl::StatusCode::kCancelled) return ExitCode::kInterrupted;
  return status.code() == absl::StatusCode::kInvalidArgument ? ExitCode::kBadInput
                                                             : ExitCode::kNotSupported;
}

// Executes one module.
class ModuleRun {
 public:
  /// `folder` is for the results; they are printed if it is empty.
  /// `gpu` runs it unless it is null: then the interpreter does.
  ModuleRun(const RunOptions& options, const InputFiles& files, std::string folder, GpuRun* gpu,
            llvm::raw_ostream& out)
      : options_(options), files_(files), folder_(std::move(folder)), gpu_(gpu), out_(out) {}

  ExitCode Run(const std::string& file, const hlo::Module& module);

 private:
  ExitCode MakeArguments(const hlo::Computation& entry, std::vector<hlo::Arguments>& arguments);
  ExitCode CheckSizes(const hlo::Computation& entry);
  // With the values of an array; nullptr if they are random.
  const std::string* FileOf(int64_t device, int64_t leaf) const;
  std::optional<std::vector<uint8_t>> MakeBytes(const hlo::Shape& shape, int64_t device,
                                                int64_t leaf);
  absl::StatusOr<std::vector<hlo::Value>> Evaluate(const std::string& file,
                                                   const hlo::Module& module,
                                                   const std::vector<hlo::Arguments>& arguments);
  absl::StatusOr<std::vector<hlo::Value>> EvaluateOnGpu(
      const std::string& file, const hlo::Module& module,
      const std::vector<hlo::Arguments>& arguments);
  ExitCode Compare(const std::string& file, const hlo::Module& module, const hlo::Value& expected,
                   const hlo::Value& actual);
  ExitCode WriteFindings(bool has_run);
  ExitCode WriteResults(const std::string& file, const hlo::Module& module,
                        llvm::ArrayRef<hlo::Value> results);
  std::optional<std::string> WriteArray(const hlo::ArrayValue& array, int64_t device, int64_t leaf);

  const RunOptions& options_;
  const InputFiles& files_;
  std::string folder_;
  GpuRun* gpu_;
  llvm::raw_ostream& out_;
  hlo::InterpreterOptions interpreter_;
};

// The limits on memory and steps hold for the arguments, too: a random value is a step.
ExitCode ModuleRun::CheckSizes(const hlo::Computation& entry) {
  int64_t leaves = 0;
  double bytes = 0;
  double random_values = 0;
  const hlo::Instruction* beyond = nullptr;
  std::string limit;
  const auto report_at = [&](const hlo::Instruction& parameter, const std::string& message) {
    const hlo::Module& module = entry.parent();
    Report({support::MakeDiagnostic(module.source(), parameter.offset(), message)});
    return ExitCode::kNotSupported;
  };
  for (const hlo::Instruction* parameter : entry.parameters()) {
    const hlo::Shape& shape = parameter->shape();
    for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf, ++leaves) {
      const hlo::Shape& array = shape.ArrayLeaf(leaf);
      if (array.HasUnboundedDimension()) {
        return report_at(*parameter, "parameter '" + parameter->name().str() +
                                         "' has an unbounded dimension, " + array.ToString());
      }
      const auto elements = static_cast<double>(array.num_elements());
      bytes += elements * static_cast<double>(hlo::LiteralBytesPerElement(array.element_type()));
      for (int64_t device = 0; device < interpreter_.num_devices(); ++device) {
        if (FileOf(device, leaves) == nullptr) random_values += elements;
      }
    }
    const double of_devices = bytes * static_cast<double>(interpreter_.num_devices());
    if (beyond != nullptr) continue;
    if (of_devices > static_cast<double>(interpreter_.max_bytes)) {
      beyond = parameter;
      limit = absl::StrCat("take more than the limit of ", interpreter_.max_bytes,
                           " bytes (--max-bytes)");
    } else if (random_values > static_cast<double>(interpreter_.max_steps)) {
      beyond = parameter;
      limit = absl::StrCat("have more random values than the limit of ", interpreter_.max_steps,
                           " steps (--max-steps)");
    }
  }
  for (const auto& [key, file] : files_) {
    if (key.leaf < leaves && key.device < interpreter_.num_devices()) continue;
    ReportError("--input for '" + file + "': there " + (leaves == 1 ? "is " : "are ") +
                Counted(leaves, "parameter array") + " and " +
                Counted(interpreter_.num_devices(), "device"));
    return ExitCode::kBadUsage;
  }
  if (beyond == nullptr) return ExitCode::kFine;
  return report_at(*beyond, "the parameters of computation '" + entry.name().str() + "' " + limit);
}

const std::string* ModuleRun::FileOf(int64_t device, int64_t leaf) const {
  auto found = files_.find({device, leaf});
  if (found == files_.end()) found = files_.find({-1, leaf});
  return found == files_.end() ? nullptr : &found->second;
}

std::optional<std::vector<uint8_t>> ModuleRun::MakeBytes(const hlo::Shape& shape, int64_t device,
                                                         int64_t leaf) {
  const std::string* const file = FileOf(device, leaf);
  if (file == nullptr) return SeededBytes(shape, options_.seed.value(), device, leaf);
  const std::optional<std::string> contents = ReadInput(*file, options_.limits.value().bytes);
  if (!contents) return std::nullopt;
  absl::StatusOr<std::vector<uint8_t>> bytes = hlo::ReadNpy(*contents, shape);
  if (bytes.ok()) return *std::move(bytes);
  ReportError("cannot use '" + *file + "': " + std::string(bytes.status().message()));
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
  if (!MakeOutputFolder(folder_) || !WriteOutputFile(path, hlo::WriteNpy(array))) {
    return std::nullopt;
  }
  return path.str().str();
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
                                                 {"backend", NameOf(options_.backend.value())},
                                                 {"outputs", std::move(outputs)}})
         << "\n";
  }
  return ExitCode::kFine;
}

ExitCode ModuleRun::Compare(const std::string& file, const hlo::Module& module,
                            const hlo::Value& expected, const hlo::Value& actual) {
  const bool is_fine = WriteComparison({.file = file,
                                        .module = module.name().str(),
                                        .backend = NameOf(options_.backend.value()),
                                        .tolerance = ToleranceOf(options_).value_or(0),
                                        .is_json = options_.format.is_json()},
                                       expected, actual, out_);
  return is_fine ? ExitCode::kFine : ExitCode::kFinding;
}

// What the checks of the virtual GPU have found; that there is nothing if all kernels ran.
ExitCode ModuleRun::WriteFindings(bool has_run) {
  if (gpu_ == nullptr || !options_.check.is_given()) return ExitCode::kFine;
  const std::vector<ptx::Finding> findings = gpu_->findings();
  if (options_.format.is_json()) {
    for (const ptx::Finding& finding : findings) {
      out_ << llvm::json::Value(llvm::json::Object{
                  {"kind", "finding"}, {"text", llvm::json::fixUTF8(finding.ToString())}})
           << "\n";
    }
  } else {
    if (!findings.empty()) out_ << "findings:\n";
    if (findings.empty() && has_run) out_ << "no findings\n";
    for (const ptx::Finding& finding : findings) out_ << "  " << finding.ToString() << "\n";
  }
  return findings.empty() ? ExitCode::kFine : ExitCode::kFinding;
}

absl::StatusOr<std::vector<hlo::Value>> ModuleRun::EvaluateOnGpu(
    const std::string& file, const hlo::Module& module,
    const std::vector<hlo::Arguments>& arguments) {
  HLO_INDEXING_RETURN_IF_ERROR(gpu_->Compile(file, module));
  if (options_.print_buffers.value()) {
    if (options_.format.is_json()) {
      out_ << llvm::json::Value(llvm::json::Object{{"kind", "buffers"},
                                                   {"file", llvm::json::fixUTF8(file)},
                                                   {"module", llvm::json::fixUTF8(module.name())},
                                                   {"program", BuffersJson(gpu_->program())}})
           << "\n";
    } else {
      gpu_->program().Print(out_);
    }
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(hlo::Value result, gpu_->Evaluate(file, arguments.front()));
  return std::vector<hlo::Value>{std::move(result)};
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
  const bool are_of_header = !options_.replicas.is_given() && !options_.partitions.is_given();
  if (interpreter_.num_replicas < 1 || interpreter_.num_partitions < 1 ||
      interpreter_.num_replicas > hlo::kMaxDevices ||
      interpreter_.num_partitions > hlo::kMaxDevices ||
      interpreter_.num_devices() > hlo::kMaxDevices) {
    ReportDevices(module, file, are_of_header,
                  absl::StrCat("between 1 and ", hlo::kMaxDevices,
                               " devices can be simulated, not ", interpreter_.num_replicas,
                               " replicas of ", interpreter_.num_partitions, " partitions"));
    return ExitCode::kNotSupported;
  }
  if (gpu_ != nullptr && interpreter_.num_devices() != 1) {
    ReportDevices(module, file, are_of_header,
                  absl::StrCat("a GPU's back end runs modules for one device; this one is for ",
                               interpreter_.num_devices()));
    return ExitCode::kNotSupported;
  }
  std::vector<hlo::Arguments> arguments;
  ExitCode status = CheckSizes(module.entry());
  if (status == ExitCode::kFine) status = MakeArguments(module.entry(), arguments);
  if (status != ExitCode::kFine) return status;
  const absl::StatusOr<std::vector<hlo::Value>> results =
      gpu_ == nullptr ? Evaluate(file, module, arguments) : EvaluateOnGpu(file, module, arguments);
  if (!results.ok()) {
    status = ReportFailure(file, results.status());
  } else if (options_.compare.value()) {
    const absl::StatusOr<std::vector<hlo::Value>> expected = Evaluate(file, module, arguments);
    status = expected.ok() ? Compare(file, module, expected->front(), results->front())
                           : ReportFailure(file, expected.status());
  } else {
    status = WriteResults(file, module, *results);
  }
  return Worst(status, WriteFindings(results.ok()));
}

constexpr Example kExamples[] = {
    {"The outputs of a module on random inputs", "hlo-indexing run --seed=1 module.hlo"},
    {"How far our kernels are from the interpreter",
     "hlo-indexing run --backend=virtual-gpu --compare --tolerance=1e-5 module.hlo"},
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
  // If the back end is one.
  ExitCode MakeGpu(std::optional<GpuRun>& gpu) const;

  RunOptions options_{table()};
};

ExitCode RunCommand::MakeGpu(std::optional<GpuRun>& gpu) const {
  if (!ToleranceOf(options_).has_value()) return ExitCode::kBadUsage;
  if (options_.tolerance.is_given() && !options_.compare.value()) {
    ReportError("--tolerance says nothing without --compare");
    return ExitCode::kBadUsage;
  }
  if (options_.compare.value() && (options_.output.is_given() || options_.full.value())) {
    ReportError("--output and --full say nothing with --compare, which writes errors");
    return ExitCode::kBadUsage;
  }
  if (options_.backend.value() == Backend::kInterpreter) {
    if (!options_.compare.value() && !options_.print_buffers.value() &&
        !options_.check.is_given() && !options_.device.is_given()) {
      return ExitCode::kFine;
    }
    ReportError(
        "--compare, --print-buffers, --check and --device are for --backend=virtual-gpu or cuda");
    return ExitCode::kBadUsage;
  }
  GpuRun::Options options;
  const bool is_virtual = options_.backend.value() == Backend::kVirtualGpu;
  options.kind = is_virtual ? GpuKind::kVirtual : GpuKind::kCuda;
  // What the interpreter may do is done by a GPU in a moment.
  if (is_virtual || options_.max_steps.is_given()) {
    options.max_steps = options_.max_steps.value();
  }
  if (is_virtual || options_.max_bytes.is_given()) {
    options.max_bytes = options_.max_bytes.value();
  }
  const std::optional<ptx::DeviceModel> device =
      options_.device.Read(options_.limits.value().bytes);
  if (!device.has_value()) return ExitCode::kBadUsage;
  options.device = *device;
  if (options_.check.is_given()) {
    if (!is_virtual) {
      ReportError("--check is for --backend=virtual-gpu");
      return ExitCode::kBadUsage;
    }
    options.checks = options_.check.Parse();
    if (!options.checks.has_value()) return ExitCode::kBadUsage;
  }
  gpu.emplace(std::move(options));
  return ExitCode::kFine;
}

ExitCode RunCommand::Run(llvm::raw_ostream& out) {
  std::optional<GpuRun> gpu;
  if (const ExitCode status = MakeGpu(gpu); status != ExitCode::kFine) return status;
  InputFiles inputs;
  if (!ParseInputs(options_.inputs.values(), inputs)) return ExitCode::kBadUsage;
  if (!options_.max_steps.IsAtLeast(0) || !options_.max_bytes.IsAtLeast(0) ||
      !options_.replicas.IsAtLeast(1) || !options_.partitions.IsAtLeast(1)) {
    return ExitCode::kBadUsage;
  }
  if (!MakeOutputFolder(options_.output.value())) return ExitCode::kBadUsage;
  ExitCode status = ExitCode::kFine;
  size_t number = 0;
  const Interruption interruption;
  const std::vector<std::string> files = ModuleFiles(arguments(), status);
  for (const std::string& file : files) {
    const auto modules = LoadModules(file, options_.limits.value(), status);
    if (Interruption::IsRequested()) return ExitCode::kInterrupted;
    if (options_.format.is_json()) WriteHeader(file, out);
    for (const auto& module : modules) {
      if (Interruption::IsRequested()) return ExitCode::kInterrupted;
      llvm::SmallString<128> folder(options_.output.value());
      // Results of several modules would overwrite each other.
      if (!folder.empty() && (modules.size() > 1 || files.size() > 1)) {
        llvm::sys::path::append(folder, absl::StrCat("module_", number++));
      }
      status = Worst(status, ModuleRun(options_, inputs, folder.str().str(),
                                       gpu.has_value() ? &*gpu : nullptr, out)
                                 .Run(file, *module));
    }
  }
  return status;
}

}  // namespace

std::unique_ptr<Subcommand> MakeRunCommand() { return std::make_unique<RunCommand>(); }

}  // namespace hlo_indexing::tools
