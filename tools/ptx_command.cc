// `hlo-indexing ptx`: runs a kernel of a PTX text on the virtual GPU.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/ptx/device.h"
#include "codegen/ptx/device_model.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "tools/check_option.h"
#include "tools/device_option.h"
#include "tools/environment.h"
#include "tools/input.h"
#include "tools/interruption.h"
#include "tools/map_json.h"
#include "tools/output_file.h"
#include "tools/progress.h"
#include "tools/ptx_arguments.h"
#include "tools/ptx_report.h"
#include "tools/report.h"
#include "tools/shared_options.h"
#include "tools/subcommand.h"

namespace hlo_indexing::tools {
namespace {

struct PtxOptions {
  OptionTable& table;
  TextOption kernel{table, "kernel", {"name"}, "The kernel to run", "the only one"};
  FlagOption list{table, "list",
                  "Kernels, parameters, registers, shared memory, instructions by family"};
  TextOption grid{table, "grid", {"x[,y[,z]]"}, "Blocks", "1"};
  TextOption block{table, "block", {"x[,y[,z]]"}, "Threads of a block", "what .reqntid says, or 1"};
  NumberOption<uint64_t> shared{table, "shared", "Bytes of dynamic shared memory", 0};
  TextListOption arguments{
      table,
      "arg",
      {"argument"},
      "in:FILE.npy, inout:FILE.npy, out:f32[8], zeros:f32[8], a number such as "
      "u32:7 or f32:2.5, null, bytes:FILE; once for each parameter"};
  TextOption output{table,
                    "output",
                    {"folder", ValueKind::kFolder},
                    "Write the arrays inout, out and zeros there, as .npy files, instead of "
                    "printing their first elements"};
  CheckOption check{table, "memcheck,synccheck"};
  FlagOption profile{table, "profile",
                     "Requests, sectors, bank conflicts, occupancy, an estimate of time"};
  DeviceOption device{
      table, "The device of the estimate: h100, h200, a100, rtx-a6000, l4, b200, or a file"};
  NumberOption<uint64_t> registers{table, "registers",
                                   "Registers of a thread, as ptxas says, for the occupancy", 0,
                                   "not known"};
  NumberOption<uint64_t> schedule{table, "schedule",
                                  "Varies the order of warps and blocks by this number", 0};
  FlagOption cooperative{table, "cooperative",
                         "All blocks run at once and may wait for each other (grid.sync()), if the "
                         "--device holds so many"};
  NumberOption<uint64_t> max_instructions{table, "max-instructions",
                                          "The most warp instructions of a launch",
                                          ptx::LaunchOptions().max_warp_instructions};
  NumberOption<int> max_findings{table, "max-findings", "The launch ends after so many",
                                 ptx::LaunchOptions().max_findings};
  FormatOption format{table};
  InputSizeOption max_input_bytes{table};
};

bool ParseSizes(llvm::StringRef option, llvm::StringRef text, ptx::Dimensions& sizes) {
  llvm::SmallVector<llvm::StringRef, 3> items;
  text.split(items, ',');
  bool is_good = items.size() <= 3;
  sizes = {1, 1, 1};
  for (size_t i = 0; is_good && i < items.size(); ++i) {
    is_good = !items[i].trim().getAsInteger(10, sizes[i]) && sizes[i] > 0;
  }
  if (!is_good) {
    ReportError("--" + option.str() + " must be one to three positive numbers, not '" + text.str() +
                "'");
  }
  return is_good;
}

// Messages that have a place of their own stand as they are.
void ReportStatus(const absl::Status& status) {
  const std::string message(status.message());
  if (llvm::StringRef(message).contains(": error: ")) {
    Messages() << message << (llvm::StringRef(message).ends_with("\n") ? "" : "\n");
  } else {
    ReportError(message);
  }
}

constexpr Example kExamples[] = {
    {"The kernels of a text", "hlo-indexing ptx --list kernel.ptx"},
    {"A kernel on four blocks, with all checks",
     "hlo-indexing ptx kernel.ptx --kernel=saxpy --grid=4 --block=256 "
     "--arg=zeros:f32[1000] --arg=zeros:f32[1000] --arg=f32:2.5 --arg=u32:1000 --check=all"},
    {"What the memory sees",
     "hlo-indexing ptx kernel.ptx --kernel=transpose --grid=4,4 --block=32,8 "
     "--arg=zeros:f32[128,128] --arg=out:f32[128,128] --arg=u32:128 --profile"}};

constexpr SubcommandHelp kHelp = {
    .name = "ptx",
    .summary = "Runs a kernel of a PTX text on the virtual GPU: results, checks, accesses",
    .arguments = {.usage = "FILE",
                  .help = "PTX text; '-' is standard input",
                  .kind = ValueKind::kFile,
                  .is_required = true},
    .details =
        "Nothing of a GPU is needed. The status is 1 if the checks find something, and 4 if "
        "the text has an instruction that is not supported, or --max-instructions is reached.",
    .examples = kExamples};

class PtxCommand : public Subcommand {
 public:
  PtxCommand() : Subcommand(kHelp) {}
  ExitCode Run(llvm::raw_ostream& out) override;

 private:
  ExitCode Launch(const std::string& file, const ptx::Module& module, llvm::raw_ostream& out);
  ExitCode WriteArrays(const KernelArguments& arguments, const ptx::Device& device,
                       llvm::raw_ostream& out);

  PtxOptions options_{table()};
};

ExitCode PtxCommand::WriteArrays(const KernelArguments& arguments, const ptx::Device& device,
                                 llvm::raw_ostream& out) {
  constexpr size_t kShown = 8;
  const std::string& folder = options_.output.value();
  for (const KernelArray& array : arguments.arrays) {
    if (!array.is_result) continue;
    std::string bytes(array.bytes, '\0');
    if (const absl::Status status = device.Read(array.address, bytes.data(), bytes.size());
        !status.ok()) {
      ReportStatus(status);
      return ExitCode::kBadInput;
    }
    std::string shown;
    if (folder.empty()) {
      shown = FirstElements(array.header, bytes, kShown);
    } else {
      llvm::SmallString<128> path(folder);
      llvm::sys::path::append(path, absl::StrCat("arg_", array.argument, ".npy"));
      if (!WriteOutputFile(path, hlo::WriteNpy(array.header, bytes))) return ExitCode::kBadInput;
      shown = path.str().str();
    }
    if (options_.format.is_json()) {
      llvm::json::Array sizes;
      for (const int64_t size : array.header.sizes) sizes.push_back(size);
      out << llvm::json::Value(llvm::json::Object{
                 {"kind", "array"},
                 {"argument", array.argument},
                 {"type", llvm::json::fixUTF8(array.header.type)},
                 {"sizes", std::move(sizes)},
                 {folder.empty() ? "elements" : "file", llvm::json::fixUTF8(shown)}})
          << "\n";
    } else {
      out << "  argument " << array.argument << ": " << shown << "\n";
    }
  }
  return ExitCode::kFine;
}

ExitCode PtxCommand::Launch(const std::string& file, const ptx::Module& module,
                            llvm::raw_ostream& out) {
  ptx::LaunchOptions launch;
  const absl::StatusOr<uint32_t> kernel =
      module.FindKernel(options_.kernel.is_given() ? options_.kernel.value() : "");
  if (!kernel.ok()) {
    ReportStatus(kernel.status());
    return ExitCode::kBadUsage;
  }
  const ptx::syntax::Function& function = module.syntax().functions[*kernel];
  if (function.required_block[0] != 0) launch.block = function.required_block;
  if (options_.grid.is_given() && !ParseSizes("grid", options_.grid.value(), launch.grid)) {
    return ExitCode::kBadUsage;
  }
  if (options_.block.is_given() && !ParseSizes("block", options_.block.value(), launch.block)) {
    return ExitCode::kBadUsage;
  }
  if (options_.check.is_given()) {
    const std::optional<ptx::Checks> checks = options_.check.Parse();
    if (!checks) return ExitCode::kBadUsage;
    launch.checks = *checks;
  }
  if (!options_.max_findings.IsAtLeast(1)) return ExitCode::kBadUsage;
  constexpr uint64_t kMostRegisters = 255;
  if (options_.registers.value() > kMostRegisters) {
    ReportError("--registers must be at most 255, as many as a thread can have, not '" +
                std::to_string(options_.registers.value()) + "'");
    return ExitCode::kBadUsage;
  }
  launch.dynamic_shared_bytes = options_.shared.value();
  launch.profile = options_.profile.value();
  launch.schedule = options_.schedule.value();
  launch.max_warp_instructions = options_.max_instructions.value();
  launch.max_findings = options_.max_findings.value();
  const std::optional<ptx::DeviceModel> model =
      options_.device.Read(options_.max_input_bytes.value());
  if (!model) return ExitCode::kBadUsage;
  launch.is_cooperative = options_.cooperative.value();
  launch.device = &*model;

  ptx::Device device;
  const absl::StatusOr<KernelArguments> arguments =
      MakeKernelArguments(options_.arguments.values(), options_.max_input_bytes.value(), device);
  if (!arguments.ok()) {
    ReportStatus(arguments.status());
    return absl::IsDataLoss(arguments.status()) ? ExitCode::kBadInput : ExitCode::kBadUsage;
  }
  const Interruption interruption;
  ProgressLine progress;
  launch.keep_running = [&](uint64_t ended, uint64_t blocks) {
    progress.Update([&] { return absl::StrCat(file, ": ", ended, " of ", blocks, " blocks"); });
    TellEnvironment("blocks", static_cast<int64_t>(ended), static_cast<int64_t>(blocks));
    return !Interruption::IsRequested();
  };
  const absl::StatusOr<ptx::LaunchResult> result =
      device.Launch(module, function.name, arguments->values, launch);
  if (!result.ok()) {
    ReportStatus(result.status());
    const bool has_place =
        llvm::StringRef(std::string(result.status().message())).contains(": error: ");
    return has_place || result.status().code() == absl::StatusCode::kUnimplemented
               ? ExitCode::kNotSupported
               : ExitCode::kBadUsage;
  }
  if (options_.format.is_json() && !result->output.empty()) {
    out << llvm::json::Value(llvm::json::Object{{"kind", "printed"},
                                                {"text", llvm::json::fixUTF8(result->output)}})
        << "\n";
  } else {
    out << result->output;
    if (!result->output.empty() && result->output.back() != '\n') out << "\n";
  }
  PrintLaunch({.file = file,
               .module = module,
               .kernel = std::string(function.name),
               .options = launch,
               .result = *result,
               .device = *model,
               .registers = options_.registers.value()},
              options_.format.is_json(), out);
  const ExitCode written = WriteArrays(*arguments, device, out);
  if (absl::IsCancelled(result->status)) return ReportInterruption(file);
  const bool is_cut = absl::IsDeadlineExceeded(result->status);
  const bool is_clean = result->findings.empty() && (result->status.ok() || is_cut);
  const ExitCode checked =
      result->unchecked.empty() && !is_cut ? ExitCode::kFine : ExitCode::kNotSupported;
  return Worst(Worst(written, checked), is_clean ? ExitCode::kFine : ExitCode::kFinding);
}

ExitCode PtxCommand::Run(llvm::raw_ostream& out) {
  if (arguments().size() != 1) {
    ReportError("ptx takes one file");
    return ExitCode::kBadUsage;
  }
  const std::string& file = arguments().front();
  std::optional<std::string> text = ReadInput(file, options_.max_input_bytes.value());
  if (!text) return ExitCode::kBadInput;
  if (options_.format.is_json()) WriteHeader(file, out);
  const absl::StatusOr<ptx::Module> module =
      ptx::Module::Parse(*std::move(text), file == "-" ? "<stdin>" : file);
  if (!module.ok()) {
    ReportStatus(module.status());
    return ExitCode::kBadInput;
  }
  if (!MakeOutputFolder(options_.output.value())) return ExitCode::kBadUsage;
  if (options_.list.value()) {
    PrintKernels(file, *module, options_.format.is_json(), out);
    return ExitCode::kFine;
  }
  return Launch(file, *module, out);
}

}  // namespace

std::unique_ptr<Subcommand> MakePtxCommand() { return std::make_unique<PtxCommand>(); }

}  // namespace hlo_indexing::tools
