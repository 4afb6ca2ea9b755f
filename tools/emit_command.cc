// `hlo-indexing emit`: the kernel of each fusion, or instruction by itself, as MLIR, LLVM IR, PTX
// or machine code.
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "codegen/emit/kernel.h"
#include "codegen/emit/ptx_backend.h"
#include "codegen/plan/bytes_in_flight.h"
#include "codegen/plan/kernel_plan.h"
#include "hlo/module.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "support/diagnostics.h"
#include "tools/cubin.h"
#include "tools/host_program.h"
#include "tools/kernel_command.h"
#include "tools/map_json.h"
#include "tools/output_file.h"
#include "tools/report.h"

namespace hlo_indexing::tools {
namespace {

using emit::KernelArgument;
using plan::KernelPlan;

enum class EmitStage : uint8_t { kPtx, kPlan, kMlir, kCuda, kLlvm, kCubin };

emit::Stage LoweringStage(EmitStage stage) {
  if (stage == EmitStage::kMlir) return emit::Stage::kMlir;
  if (stage == EmitStage::kCuda) return emit::Stage::kCuda;
  return stage == EmitStage::kLlvm ? emit::Stage::kLlvm : emit::Stage::kPtx;
}

// How comments begin, and files end.
llvm::StringRef CommentOf(EmitStage stage) { return stage == EmitStage::kLlvm ? "; " : "// "; }
llvm::StringRef ExtensionOf(EmitStage stage) {
  switch (stage) {
    case EmitStage::kPlan:
      return ".txt";
    case EmitStage::kMlir:
      return ".mlir";
    case EmitStage::kCuda:
      return ".cu";
    case EmitStage::kLlvm:
      return ".ll";
    case EmitStage::kCubin:
      return ".cubin";
    default:
      return ".ptx";
  }
}

void WriteSizes(llvm::json::OStream& json, llvm::StringRef name,
                const std::array<int64_t, 3>& sizes) {
  json.attributeArray(name, [&] {
    for (const int64_t size : sizes) json.value(size);
  });
}

void WriteArguments(llvm::json::OStream& json, const emit::Kernel& kernel) {
  json.attributeArray("arguments", [&] {
    for (const KernelArgument& argument : kernel.arguments) {
      json.object([&] {
        if (argument.is_scratch()) {
          json.attribute("scratch_bytes", argument.scratch_bytes);
          if (argument.is_zeros) json.attribute("zeros", true);
          return;
        }
        if (argument.operand.has_value()) {
          json.attribute("operand", *argument.operand);
          json.attribute("leaf", argument.leaf);
        } else {
          json.attribute("output", argument.leaf);
        }
        json.attribute("shape", argument.shape->ToString());
        if (argument.updates.has_value()) {
          json.attribute("updates", static_cast<int64_t>(*argument.updates));
        }
      });
    }
  });
}

// What Little's law asks of a kernel that is to keep the memory busy.
void WriteBytesInFlight(const KernelPlan& plan, plan::PlanContext& plans, llvm::raw_ostream& out) {
  const plan::BytesInFlight flight = plan::BytesInFlightOf(plan, plans);
  out << "in flight " << flight.bytes() << " bytes of a multiprocessor: " << flight.threads
      << " threads, " << flight.bytes_of_thread << " bytes each; the memory of "
      << plans.device.name << " asks for " << flight.asked << '\n';
}

constexpr Example kExamples[] = {
    {"The PTX of a fusion for an H100", "hlo-indexing emit --instruction=f module.hlo"},
    {"Its MLIR", "hlo-indexing emit --instruction=f --stage=mlir module.hlo"},
    {"All kernels of a module as files, and how to launch them",
     "hlo-indexing emit --arch=sm_80 --output=kernels module.hlo"}};

constexpr SubcommandHelp kHelp = {
    .name = "emit",
    .summary = "The kernel of each fusion: MLIR, LLVM IR, PTX",
    .arguments = kModuleFiles,
    .details =
        "Kernels follow the plans that `plan --plan=ours` shows. The arguments of a kernel are "
        "pointers to the arrays of its operands, then of its outputs, in the layouts of their "
        "shapes, each at a multiple of 16 bytes. Nothing but a GPU's driver is needed to run them, "
        "and `ptx` runs them without one.\n"
        "An instruction that has no kernel is an error with its place; the others are written.",
    .examples = kExamples};

class EmitCommand : public KernelCommand {
 public:
  EmitCommand() : KernelCommand(kHelp, Inputs::kNone, Plans::kOurs) {}

 protected:
  ExitCode Prepare(const ptx::DeviceModel& /*device*/, mlir::MLIRContext* /*context*/) override {
    const llvm::StringRef text = architecture_.value();
    int number = 0;
    constexpr int kLeast = 80;
    if (!text.starts_with("sm_") || text.drop_front(3).getAsInteger(10, number) ||
        number < kLeast) {
      ReportError("--arch must be sm_80 or later, without a letter, not '" +
                  support::Quotable(text) + "'");
      return ExitCode::kBadUsage;
    }
    options_ = {.architecture = number, .stage = LoweringStage(stage_.value())};
    backend_.emplace();
    const bool is_compiled =
        options_.stage == emit::Stage::kLlvm || options_.stage == emit::Stage::kPtx;
    if (is_compiled && stage_.value() != EmitStage::kPlan) {
      const absl::Status known = backend_->CheckArchitecture(number);
      if (!known.ok()) {
        ReportError("--arch=" + text.str() + ": " + std::string(known.message()));
        return ExitCode::kBadUsage;
      }
    }
    if (folder_.value().empty() && stage_.value() == EmitStage::kCubin) {
      ReportError("--stage=cubin is not text: it needs --output=FOLDER");
      return ExitCode::kBadUsage;
    }
    return MakeOutputFolder(folder_.value()) ? ExitCode::kFine : ExitCode::kBadUsage;
  }

  void BeginModule(const std::string& file, const hlo::Module& module,
                   llvm::raw_ostream& /*out*/) override {
    file_ = file;
    module_ = &module;
  }

  void Kernel(KernelPlan plan, KernelTools& tools, llvm::raw_ostream& out) override {
    const absl::StatusOr<emit::Kernel> kernel =
        emit::CompileKernel(plan, tools.plans, *backend_, options_);
    if (!kernel.ok()) return Fail(plan, kernel.status());
    std::string text = TextOf(plan, *kernel, tools.plans);
    std::optional<Cubin> cubin;
    if (stage_.value() == EmitStage::kCubin) {
      absl::StatusOr<Cubin> assembled = AssemblePtx(kernel->text, architecture_.value());
      if (!assembled.ok()) return Fail(plan, assembled.status());
      cubin = *std::move(assembled);
    }
    std::optional<std::string> name;
    if (!folder_.value().empty()) {
      name = Write(kernel->name, cubin.has_value() ? cubin->code : text);
      if (!name.has_value()) return;
      absl::StatusOr<HostedKernel> hosted = HostedKernelOf(*kernel, *name);
      if (!hosted.ok()) return Fail(plan, hosted.status());
      hosted_.push_back(*std::move(hosted));
    }
    if (!is_json() && !name.has_value()) {
      out << text;
      return;
    }
    std::string line;
    llvm::raw_string_ostream to_line(line);
    WriteJson(plan, *kernel, tools.plans.device.name, text, name, cubin, to_line);
    out << line;
    if (name.has_value()) manifest_ += line;
  }

  ExitCode EndModule(const hlo::Module& /*module*/, KernelTools& /*tools*/,
                     llvm::raw_ostream& /*out*/) override {
    const EmitStage stage = stage_.value();
    if (!folder_.value().empty()) WriteFile("manifest.jsonl", manifest_);
    if (!hosted_.empty() && (stage == EmitStage::kPtx || stage == EmitStage::kCubin)) {
      WriteFile("launch.cc", HostProgram(hosted_));
    }
    if (cannot_write_) return ExitCode::kBadInput;
    return has_failed_ ? ExitCode::kNotSupported : ExitCode::kFine;
  }

 private:
  void Fail(const KernelPlan& plan, const absl::Status& status) {
    Report({support::MakeDiagnostic(module_->source(), plan.instruction->offset(),
                                    std::string(status.message()))});
    has_failed_ = true;
  }

  // The plan as comments, then the code.
  std::string TextOf(const KernelPlan& plan, const emit::Kernel& kernel,
                     plan::PlanContext& plans) const {
    std::string text;
    llvm::raw_string_ostream out(text);
    const EmitStage stage = stage_.value();
    const llvm::StringRef comment = stage == EmitStage::kPlan ? "" : CommentOf(stage);
    out << comment << "kernel   " << kernel.name << '\n';
    llvm::SmallVector<llvm::StringRef, 16> lines;
    const std::string of_plan = plan.ToString();
    llvm::StringRef(of_plan).rtrim('\n').split(lines, '\n');
    for (const llvm::StringRef line : lines) out << comment << line << '\n';
    for (size_t i = 0; i < kernel.arguments.size(); ++i) {
      const KernelArgument& argument = kernel.arguments[i];
      out << comment << "argument " << i << ": ";
      out << DescriptionOf(argument);
      if (argument.updates.has_value()) {
        out << ", begins as argument " << *argument.updates << " or is in its memory";
      }
      out << '\n';
    }
    if (stage == EmitStage::kPlan) WriteBytesInFlight(plan, plans, out);
    if (stage != EmitStage::kPlan) out << kernel.text;
    return text;
  }

  // The name of the file in the folder; two kernels of one name get different ones.
  std::optional<std::string> Write(const std::string& kernel, const std::string& text) {
    // File systems have names of at most 255 bytes.
    constexpr size_t kMostBytes = 200;
    const std::string short_name = kernel.substr(0, kMostBytes);
    std::string stem = short_name;
    for (int i = 2; !files_.insert(stem).second; ++i) stem = short_name + "_" + std::to_string(i);
    std::string name = stem + ExtensionOf(stage_.value()).str();
    if (!WriteFile(name, text)) return std::nullopt;
    return name;
  }

  bool WriteFile(const std::string& name, const std::string& text) {
    llvm::SmallString<128> path(folder_.value());
    llvm::sys::path::append(path, name);
    if (WriteOutputFile(path, text)) return true;
    cannot_write_ = true;
    return false;
  }

  void WriteJson(const KernelPlan& plan, const emit::Kernel& kernel, const std::string& device,
                 const std::string& text, const std::optional<std::string>& file_name,
                 const std::optional<Cubin>& cubin, llvm::raw_ostream& out) const {
    llvm::json::OStream json(out);
    const hlo::Computation& computation = plan.instruction->parent();
    json.object([&] {
      json.attribute("kind", "kernel");
      json.attribute("file", llvm::json::fixUTF8(file_));
      json.attribute("module", llvm::json::fixUTF8(computation.parent().name()));
      json.attribute("computation", llvm::json::fixUTF8(computation.name()));
      json.attribute("instruction", llvm::json::fixUTF8(plan.instruction->name()));
      json.attribute("device", llvm::json::fixUTF8(device));
      json.attribute("arch", architecture_.value());
      json.attribute("emitter", plan::EmitterName(plan.emitter));
      json.attribute("name", kernel.name);
      WriteSizes(json, "blocks", kernel.launch.blocks);
      WriteSizes(json, "threads", kernel.launch.threads);
      json.attribute("shared_memory_bytes", plan.shared_memory_bytes());
      if (cubin.has_value()) {
        json.attribute("registers", cubin->registers);
        json.attribute("spilled_bytes", cubin->spilled_bytes);
      }
      WriteArguments(json, kernel);
      if (file_name.has_value()) {
        json.attribute("text_file", llvm::json::fixUTF8(*file_name));
      } else {
        json.attribute("text", llvm::json::fixUTF8(text));
      }
    });
    out << '\n';
  }

  ChoiceOption<EmitStage> stage_{
      table(),
      "stage",
      "stage",
      "How far kernels are compiled",
      {{EmitStage::kPtx, "ptx", "PTX"},
       {EmitStage::kPlan, "plan", "the plan and the arguments"},
       {EmitStage::kMlir, "mlir", "MLIR: arith, scf, llvm, nvvm"},
       {EmitStage::kCuda, "cuda", "CUDA C++, to read and edit, on layout/cute/"},
       {EmitStage::kLlvm, "llvm", "LLVM IR, optimized"},
       {EmitStage::kCubin, "cubin", "machine code, by ptxas if it is installed; with --output"}}};
  TextOption architecture_{table(), "arch", {"sm_NN"}, "The architecture of the PTX", "sm_90"};
  TextOption folder_{table(),
                     "output",
                     {"folder", ValueKind::kFolder},
                     "Write each kernel to a file there, with launch.cc, a program that launches "
                     "them; standard output and manifest.jsonl get a line of JSON for each, that "
                     "says how it is launched"};
  emit::LoweringOptions options_;
  std::optional<emit::PtxBackend> backend_;
  std::string file_;
  const hlo::Module* module_ = nullptr;
  std::set<std::string> files_;
  std::vector<HostedKernel> hosted_;
  std::string manifest_;
  bool has_failed_ = false;
  bool cannot_write_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> MakeEmitCommand() { return std::make_unique<EmitCommand>(); }

}  // namespace hlo_indexing::tools
