// `hlo-indexing emit`: the kernel of each fusion, or instruction by itself, as MLIR, LLVM IR or
// PTX.
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "codegen/emit/kernel.h"
#include "codegen/emit/ptx_backend.h"
#include "codegen/plan/kernel_plan.h"
#include "hlo/module.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "support/diagnostics.h"
#include "tools/kernel_command.h"
#include "tools/map_json.h"
#include "tools/report.h"

namespace hlo_indexing::tools {
namespace {

using emit::KernelArgument;
using plan::KernelPlan;

enum class EmitStage : uint8_t { kPtx, kPlan, kMlir, kLlvm };

emit::Stage LoweringStage(EmitStage stage) {
  if (stage == EmitStage::kMlir) return emit::Stage::kMlir;
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
    case EmitStage::kLlvm:
      return ".ll";
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
      ReportError("--arch must be sm_80 or later, not '" + text.str() + "'");
      return ExitCode::kBadUsage;
    }
    options_ = {.architecture = number, .stage = LoweringStage(stage_.value())};
    if (folder_.value().empty()) return ExitCode::kFine;
    if (const std::error_code error = llvm::sys::fs::create_directories(folder_.value())) {
      ReportError("'" + folder_.value() + "' cannot be made: " + error.message());
      return ExitCode::kBadUsage;
    }
    return ExitCode::kFine;
  }

  void BeginModule(const std::string& file, const hlo::Module& module,
                   llvm::raw_ostream& /*out*/) override {
    file_ = file;
    module_ = &module;
  }

  void Kernel(KernelPlan plan, KernelTools& tools, llvm::raw_ostream& out) override {
    if (!backend_.has_value()) backend_.emplace();
    const absl::StatusOr<emit::Kernel> kernel =
        emit::CompileKernel(plan, tools.plans, *backend_, options_);
    if (!kernel.ok()) {
      const std::string message(kernel.status().message());
      Report({support::MakeDiagnostic({module_->file_name(), module_->text()},
                                      plan.instruction->offset(), message)});
      has_failed_ = true;
      return;
    }
    const std::string text = TextOf(plan, *kernel);
    std::optional<std::string> name;
    if (!folder_.value().empty()) {
      name = Write(kernel->name, text);
      if (!name.has_value()) return;
    }
    if (is_json() || name.has_value()) {
      WriteJson(plan, *kernel, tools.plans.device.name, text, name, out);
    } else {
      out << text;
    }
  }

  ExitCode EndModule(const hlo::Module& /*module*/, KernelTools& /*tools*/,
                     llvm::raw_ostream& /*out*/) override {
    if (cannot_write_) return ExitCode::kBadUsage;
    return has_failed_ ? ExitCode::kNotSupported : ExitCode::kFine;
  }

 private:
  // The plan as comments, then the code.
  std::string TextOf(const KernelPlan& plan, const emit::Kernel& kernel) const {
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
      if (argument.operand.has_value()) out << "operand " << *argument.operand;
      if (!argument.operand.has_value()) out << "output " << argument.leaf;
      if (argument.operand.has_value() && argument.leaf > 0) out << ", array " << argument.leaf;
      out << ", " << argument.shape->ToString();
      if (argument.updates.has_value()) {
        out << ", begins as argument " << *argument.updates << " or is in its memory";
      }
      out << '\n';
    }
    if (stage != EmitStage::kPlan) out << kernel.text;
    return text;
  }

  // The name of the file in the folder; two kernels of one name get different ones.
  std::optional<std::string> Write(const std::string& kernel, const std::string& text) {
    std::string stem = kernel;
    for (int i = 2; !files_.insert(stem).second; ++i) stem = kernel + "_" + std::to_string(i);
    std::string name = stem + ExtensionOf(stage_.value()).str();
    llvm::SmallString<128> path(folder_.value());
    llvm::sys::path::append(path, name);
    std::error_code error;
    llvm::raw_fd_ostream file(path, error);
    if (!error) {
      file << text;
      file.close();
      error = file.error();
      file.clear_error();
    }
    if (!error) return name;
    ReportError("'" + path.str().str() + "' cannot be written: " + error.message());
    cannot_write_ = true;
    return std::nullopt;
  }

  void WriteJson(const KernelPlan& plan, const emit::Kernel& kernel, const std::string& device,
                 const std::string& text, const std::optional<std::string>& file_name,
                 llvm::raw_ostream& out) const {
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
      WriteArguments(json, kernel);
      if (file_name.has_value()) {
        json.attribute("text_file", llvm::json::fixUTF8(*file_name));
      } else {
        json.attribute("text", llvm::json::fixUTF8(text));
      }
    });
    out << '\n';
  }

  ChoiceOption<EmitStage> stage_{table(),
                                 "stage",
                                 "stage",
                                 "How far kernels are compiled",
                                 {{EmitStage::kPtx, "ptx", "PTX"},
                                  {EmitStage::kPlan, "plan", "the plan and the arguments"},
                                  {EmitStage::kMlir, "mlir", "MLIR: arith, scf, llvm, nvvm"},
                                  {EmitStage::kLlvm, "llvm", "LLVM IR, optimized"}}};
  TextOption architecture_{table(), "arch", {"sm_NN"}, "The architecture of the PTX", "sm_90"};
  TextOption folder_{table(),
                     "output",
                     {"folder", ValueKind::kFolder},
                     "Write each kernel to a file there; standard output gets a line of JSON for "
                     "each, that says how it is launched"};
  emit::LoweringOptions options_;
  std::optional<emit::PtxBackend> backend_;
  std::string file_;
  const hlo::Module* module_ = nullptr;
  std::set<std::string> files_;
  bool has_failed_ = false;
  bool cannot_write_ = false;
};

}  // namespace

std::unique_ptr<Subcommand> MakeEmitCommand() { return std::make_unique<EmitCommand>(); }

}  // namespace hlo_indexing::tools
