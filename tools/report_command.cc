// `hlo-indexing report`: what `explain` says, and the maps, as a page to look at.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "codegen/explain/kernel_report.h"
#include "hlo/module.h"
#include "hlo/opcode.h"
#include "indexing_analysis/queries/utilization.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include "tools/explain_text.h"
#include "tools/explaining_command.h"
#include "tools/instruction_metadata.h"
#include "tools/kernel_details.h"
#include "tools/kernel_json.h"
#include "tools/quantity.h"
#include "tools/report_page.h"
#include "tools/version.h"

namespace hlo_indexing::tools {
namespace {

using explain::KernelReport;
using llvm::json::fixUTF8;

constexpr Example kExamples[] = {
    {"A page to look at in a browser", "hlo-indexing report module.hlo -o report.html"},
    {"What a change made better or worse",
     "hlo-indexing report --before=module.hlo module.hlo -o report.html"}};

constexpr SubcommandHelp kHelp = {
    .name = "report",
    .summary = "The kernels of a module as a page for the browser",
    .arguments = kModuleFiles,
    .details =
        "One HTML file, which needs no network: what explain says of every kernel, its computation "
        "as a graph with maps, what is read by elements that are pointed at, which sectors and "
        "banks the lanes of a warp touch, and the layouts of arrays. Data is compressed.",
    .examples = kExamples};

// Details of so many bytes are loaded together.
constexpr size_t kChunkBytes = size_t{1} << 16;

class ReportCommand : public ExplainingCommand {
 public:
  ReportCommand() : ExplainingCommand(kHelp, Formats::kOwn) {}

 protected:
  ExitCode EndModule(const hlo::Module& module, KernelTools& tools,
                     llvm::raw_ostream& /*out*/) override {
    if (!is_of_one_instruction()) AddWithoutKernels(module);
    const ExplainText text(module, {tools.plans.device.name});
    const KernelOrigin origin = Origin(tools);
    const std::vector<const KernelReport*> kernels = WorstFirst();
    const PlanCuresByKernel changes = PlanCuresOf(kernels, tools);
    std::string json_text;
    llvm::raw_string_ostream json_out(json_text);
    llvm::json::OStream json(json_out);
    json.object([&] {
      Record(json, [&](llvm::raw_ostream& out) { WriteModuleJson(module, origin, out); });
      if (has_before()) WriteEarlier(json);
      json.attributeArray(
          "kernels", [&] { WriteKernels(module, kernels, changes, origin, text, tools, json); });
    });
    modules_.push_back(std::move(json_text));
    return ExitCode::kFine;
  }

  void End(llvm::raw_ostream& out) override {
    std::string summary;
    llvm::raw_string_ostream summary_out(summary);
    llvm::json::OStream json(summary_out);
    json.object([&] {
      json.attribute("tool_version", ToolVersion());
      if (has_before()) json.attribute("before", fixUTF8(before_file()));
      json.attributeArray("modules", [&] {
        for (const std::string& module : modules_) json.rawValue(module);
      });
    });
    page_.Write(summary, out);
  }

 private:
  // The line of JSON that `write` writes, as the attribute "record".
  template <typename Write>
  static void Record(llvm::json::OStream& json, Write write) {
    std::string record;
    llvm::raw_string_ostream out(record);
    write(out);
    json.attributeBegin("record");
    json.rawValue(llvm::StringRef(record).rtrim('\n'));
    json.attributeEnd();
  }

  // All kernels of the earlier version: some may be gone.
  void WriteEarlier(llvm::json::OStream& json) const {
    json.attributeArray("earlier", [&] {
      for (const auto& [names, traffic] : earlier()) {
        json.object([&] {
          json.attribute("computation", fixUTF8(names.first));
          json.attribute("instruction", fixUTF8(names.second));
          const auto number = [&](llvm::StringRef name, const llvm::DynamicAPInt& value) {
            json.attributeBegin(name);
            json.rawValue(Digits(value));
            json.attributeEnd();
          };
          number("moved_bytes", traffic.moved_bytes);
          number("wasted_bytes", traffic.wasted_bytes);
          json.attribute("estimated_us", traffic.us);
        });
      }
    });
  }

  void WriteKernels(const hlo::Module& module, llvm::ArrayRef<const KernelReport*> kernels,
                    const PlanCuresByKernel& changes, const KernelOrigin& origin,
                    const ExplainText& text, KernelTools& tools, llvm::json::OStream& json) {
    indexing_analysis::UtilizationAnalysis utilization(tools.plans.analysis);
    KernelDetails details(origin, text, tools, utilization);
    const InstructionMetadata metadata(module);
    int64_t chunk = page_.num_chunks();
    const auto end_chunk = [&] {
      page_.AddChunk(details.Take());
      chunk = page_.num_chunks();
    };
    for (const KernelReport* report : kernels) {
      // What is small is not loaded together with it.
      if (details.num_kernels() != 0 && KernelDetails::IsLarge(report->plan)) end_chunk();
      const auto found = changes.find(report);
      json.object([&] {
        Record(json, [&](llvm::raw_ostream& out) {
          WriteKernelJson(origin, *report, found == changes.end() ? nullptr : &found->second,
                          Before(*report), text, out);
        });
        const hlo::Instruction& instruction = *report->plan.instruction;
        json.attribute("opcode", hlo::OpcodeName(instruction.opcode()));
        const std::string op_name = InstructionMetadata::OpName(instruction);
        if (!op_name.empty()) json.attribute("op_name", fixUTF8(op_name));
        const std::string source = metadata.Source(instruction);
        if (!source.empty()) json.attribute("source", fixUTF8(source));
        json.attribute("chunk", chunk);
        json.attribute("place", static_cast<int64_t>(details.num_kernels()));
      });
      details.Add(*report);
      if (details.num_bytes() >= kChunkBytes) end_chunk();
    }
    if (details.num_kernels() != 0) end_chunk();
  }

  ReportPage page_;
  std::vector<std::string> modules_;
};

}  // namespace

std::unique_ptr<Subcommand> MakeReportCommand() { return std::make_unique<ReportCommand>(); }

}  // namespace hlo_indexing::tools
