// `hlo-indexing plan`: how each fusion, or instruction by itself, is launched.
#include <array>
#include <cstdint>
#include <memory>
#include <string>

#include "codegen/plan/kernel_plan.h"
#include "hlo/module.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "support/diagnostics.h"
#include "tools/instruction_head.h"
#include "tools/kernel_command.h"
#include "tools/map_json.h"

namespace hlo_indexing::tools {
namespace {

using plan::ElementPass;
using plan::KernelPlan;

void WriteSizes(llvm::json::OStream& json, llvm::StringRef name,
                const std::array<int64_t, 3>& sizes) {
  json.attributeArray(name, [&] {
    for (const int64_t size : sizes) json.value(size);
  });
}

void WriteTile(const plan::SharedTile& tile, llvm::json::OStream& json) {
  json.object([&] {
    json.attribute("hero", llvm::json::fixUTF8(tile.hero->name()));
    json.attribute("layout", tile.LayoutText());
    json.attribute("element_bits", tile.element_bits);
    json.attribute("bytes", tile.bytes());
    json.attributeArray("accesses", [&] {
      for (const plan::SharedAccess& access : tile.accesses) {
        json.object([&] {
          json.attribute("access", access.is_store ? "store" : "load");
          json.attributeBegin("map");
          WriteMap(access.index, json);
          json.attributeEnd();
          json.attribute("vector", access.vector_elements);
        });
      }
    });
  });
}

void WriteJson(const std::string& file, const KernelPlan& plan, const std::string& plan_name,
               const std::string& device, llvm::raw_ostream& out) {
  llvm::json::OStream json(out);
  const hlo::Computation& computation = plan.instruction->parent();
  json.object([&] {
    json.attribute("kind", "plan");
    json.attribute("file", llvm::json::fixUTF8(file));
    json.attribute("module", llvm::json::fixUTF8(computation.parent().name()));
    json.attribute("computation", llvm::json::fixUTF8(computation.name()));
    json.attribute("instruction", llvm::json::fixUTF8(plan.instruction->name()));
    json.attribute("plan", plan_name);
    json.attribute("device", llvm::json::fixUTF8(device));
    json.attribute("emitter", plan::EmitterName(plan.emitter));
    json.attribute("variant", plan.variant);
    WriteSizes(json, "blocks", plan.launch.blocks);
    WriteSizes(json, "threads", plan.launch.threads);
    const std::string refused = plan.launch.WhyRefused();
    if (!refused.empty()) json.attribute("refused", refused);
    if (const auto& products = plan.products; products.has_value()) {
      WriteSizes(json, "tile", {products->rows, products->columns, products->depth});
      WriteSizes(json, "units", products->units);
    }
    json.attributeArray("outputs", [&] {
      for (const ElementPass& pass : plan.passes) {
        if (!pass.output.has_value()) continue;
        json.object([&] {
          json.attribute("output", *pass.output);
          json.attributeBegin("map");
          WriteMap(pass.map, json);
          json.attributeEnd();
          json.attribute("vector", pass.vector_elements);
          if (pass.store == plan::StoreKind::kAtomic) json.attribute("atomic", true);
        });
      }
    });
    // The output arrays of each root of the fusion.
    json.attributeArray("roots", [&] {
      for (const plan::PlannedRoot& root : plan.roots) {
        json.array([&] {
          for (int64_t i = 0; i < root.num_outputs; ++i) json.value(root.first_output + i);
        });
      }
    });
    json.attributeArray("heroes", [&] {
      for (const plan::HeroRead& read : plan.heroes) {
        json.object([&] {
          json.attribute("output", read.output);
          json.attribute("hero", llvm::json::fixUTF8(read.hero->name()));
          json.attribute("operand", read.operand);
          json.attributeBegin("map");
          WriteMap(read.map, json);
          json.attributeEnd();
        });
      }
    });
    json.attribute("shared_memory_bytes", plan.shared_memory_bytes());
    json.attributeArray("shared_tiles", [&] {
      for (const plan::SharedTile& tile : plan.shared_tiles) WriteTile(tile, json);
    });
    if (plan.keeps_rows) json.attribute("keeps_rows", true);
    if (plan.blocks_of_group > 1) {
      json.attribute("blocks_of_group", plan.blocks_of_group);
      json.attribute("counter_bytes", plan.counter_bytes());
      json.attributeArray("scratch_arrays", [&] {
        for (const plan::SharedTile& array : plan.scratch_arrays) WriteTile(array, json);
      });
    }
  });
  out << '\n';
}

void WriteText(const KernelPlan& plan, llvm::raw_ostream& out) {
  out << "  ";
  WriteInstructionHead(*plan.instruction, out);
  out << '\n';
  llvm::SmallVector<llvm::StringRef, 16> lines;
  const std::string text = plan.ToString();
  llvm::StringRef(text).rtrim('\n').split(lines, '\n');
  for (const llvm::StringRef line : lines) out << "    " << line << '\n';
}

constexpr Example kExamples[] = {
    {"How XLA launches each kernel on an H100", "hlo-indexing plan module.hlo"},
    {"One fusion on another device", "hlo-indexing plan --instruction=f --device=a100 module.hlo"},
    {"Thread maps for a program", "hlo-indexing plan --format=json module.hlo"}};

constexpr SubcommandHelp kHelp = {
    .name = "plan",
    .summary = "How each kernel is launched: emitter, blocks, threads, thread maps",
    .arguments = kModuleFiles,
    .details =
        "For each fusion, and each instruction by itself, that XLA runs as a kernel: which emitter "
        "takes it, the blocks and threads, and the maps from (th_x, th_y, th_z, bl_x, bl_y, bl_z) "
        "and loops to the elements that a thread computes and reads. Instructions that move no "
        "data, or that a library runs, are left out, unless --instruction names them.\n"
        "A module without the word ENTRY is planned as the computation of one fusion.",
    .examples = kExamples};

class PlanCommand : public KernelCommand {
 public:
  PlanCommand() : KernelCommand(kHelp, Inputs::kNone) {}

 protected:
  void BeginModule(const std::string& file, const hlo::Module& module,
                   llvm::raw_ostream& out) override {
    file_ = file;
    computation_ = nullptr;
    if (!is_json()) {
      out << "// " << support::ForTerminal(file) << ", module " << module.name() << '\n';
    }
  }

  void Kernel(KernelPlan plan, KernelTools& tools, llvm::raw_ostream& out) override {
    if (is_json()) return WriteJson(file_, plan, plan_name(), tools.plans.device.name, out);
    const hlo::Computation& computation = plan.instruction->parent();
    if (&computation != computation_) {
      computation_ = &computation;
      out << '\n' << (computation.IsEntry() ? "ENTRY " : "") << computation.name() << '\n';
    }
    WriteText(plan, out);
  }

 private:
  std::string file_;
  const hlo::Computation* computation_ = nullptr;
};

}  // namespace

std::unique_ptr<Subcommand> MakePlanCommand() { return std::make_unique<PlanCommand>(); }

}  // namespace hlo_indexing::tools
