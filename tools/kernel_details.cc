#include "tools/kernel_details.h"

#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "hlo/attribute.h"
#include "hlo/memory_layout.h"
#include "hlo/opcode.h"
#include "hlo/printer.h"
#include "indexing_analysis/maps/inverse.h"
#include "indexing_analysis/maps/layout_maps.h"
#include "layout/tiled_layout.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include "tools/map_json.h"
#include "tools/shared_access_report.h"
#include "tools/utilization_report.h"

namespace hlo_indexing::tools {

using explain::KernelReport;
using hlo::Instruction;
using hlo::Opcode;
using indexing_analysis::IndexingMap;
using indexing_analysis::OperandIndexing;
using indexing_analysis::OperandMap;
using indexing_analysis::OutputIndexing;
using indexing_analysis::RuntimeVariable;
using llvm::json::fixUTF8;
using llvm::json::OStream;
using plan::KernelPlan;

namespace {

// Of an instruction.
constexpr size_t kMostTextBytes = 600;
// A literal of more elements is not printed.
constexpr int64_t kMostLiteralElements = 64;

// Splits lines of JSON into the elements of an array.
void WriteLines(llvm::StringRef lines, OStream& json) {
  llvm::SmallVector<llvm::StringRef, 8> records;
  lines.split(records, '\n', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  json.array([&] {
    for (const llvm::StringRef record : records) json.rawValue(record);
  });
}

std::string TextOf(const Instruction& instruction) {
  const bool is_long = instruction.opcode() == Opcode::kConstant && instruction.shape().IsArray() &&
                       instruction.shape().num_elements() > kMostLiteralElements;
  std::string text;
  llvm::raw_string_ostream out(text);
  if (is_long) {
    hlo::PrintHead(instruction, out);
  } else {
    hlo::Print(instruction, out, {.metadata = hlo::PrintMetadata::kNo});
  }
  if (text.size() > kMostTextBytes) {
    const size_t left_out = text.size() - kMostTextBytes;
    text.resize(kMostTextBytes);
    text += " ... " + std::to_string(left_out) + " bytes more";
  }
  return text;
}

// The computation whose instructions the kernel runs; null for an instruction by itself.
const hlo::Computation* ComputationOf(const KernelPlan& plan) {
  if (plan.is_computation) return &plan.instruction->parent();
  if (plan.instruction->opcode() != Opcode::kFusion) return nullptr;
  return plan.instruction->Callee(hlo::AttributeName::kCalls);
}

// What the graph shows, operands before users: what the root depends on.
std::vector<const Instruction*> NodesOf(const KernelPlan& plan) {
  const hlo::Computation* const computation = ComputationOf(plan);
  if (computation != nullptr) return computation->PostOrder();
  std::vector<const Instruction*> nodes;
  for (const Instruction* operand : plan.instruction->operands()) {
    if (!llvm::is_contained(nodes, operand)) nodes.push_back(operand);
  }
  nodes.push_back(plan.instruction);
  return nodes;
}

// Where what `reads` says is read goes, in the order of `reads`.
OutputIndexing Inverted(const OutputIndexing& reads) {
  if (reads.IsUnknown()) return reads;
  OutputIndexing::Operands::Elements operands;
  for (const OperandIndexing& operand : reads.operands()) {
    indexing_analysis::MapList::Elements maps;
    absl::Status status;
    for (const OperandMap& map : operand.maps()) {
      absl::StatusOr<IndexingMap> inverse = indexing_analysis::Inverse(map.map);
      status.Update(inverse.status());
      if (inverse.ok()) maps.push_back({*std::move(inverse), std::nullopt});
    }
    operands.push_back(status.ok() ? operand.WithMaps(indexing_analysis::MapList(std::move(maps)))
                                   : OperandIndexing::Unknown(operand.array(),
                                                              std::make_shared<const std::string>(
                                                                  std::string(status.message()))));
  }
  return OutputIndexing(std::move(operands));
}

// The whole of `{"text":...,"runtime":[...]}`.
std::string MapText(const IndexingMap& map) {
  std::string text;
  llvm::raw_string_ostream out(text);
  OStream json(out);
  json.object([&] {
    json.attribute("text", fixUTF8(map.ToString()));
    if (map.num_runtime() == 0) return;
    json.attributeArray("runtime", [&] {
      for (const RuntimeVariable& variable : map.runtime()) {
        json.value(variable.instruction == nullptr ? "" : fixUTF8(variable.instruction->name()));
      }
    });
  });
  return text;
}

}  // namespace

void KernelDetails::WriteMapNumber(const Map& map, OStream& json) {
  if (map.IsUnknown()) {
    json.value(nullptr);
    return;
  }
  const auto [known, is_new] = numbers_.try_emplace(map, static_cast<int64_t>(maps_.size()));
  if (is_new) {
    maps_.push_back(MapText(map));
    num_bytes_ += maps_.back().size();
  }
  json.value(known->second);
}

void KernelDetails::WriteMaps(llvm::ArrayRef<OperandMap> maps, OStream& json) {
  json.array([&] {
    for (const OperandMap& map : maps) WriteMapNumber(map.map, json);
  });
}

void KernelDetails::WriteArray(const hlo::Shape& shape, OStream& json) {
  json.attribute("shape", fixUTF8(shape.ToString()));
  if (!shape.IsArray() || shape.HasUnboundedDimension()) return;
  json.attributeArray("sizes", [&] {
    for (const int64_t size : shape.sizes()) json.value(size);
  });
  json.attribute("bits", shape.StorageBits());
  const absl::StatusOr<layout::TiledLayout> layout = hlo::MemoryLayoutOf(shape);
  if (!layout.ok()) return;
  json.attribute("layout", fixUTF8(layout->layout().ToString()));
  json.attribute("positions", layout->num_positions());
  json.attribute("wasted_bytes", layout->wasted_bytes());
  json.attributeBegin("position");
  WriteMapNumber(tools_.plans.maps.Positions(shape), json);
  json.attributeEnd();
  json.attributeBegin("element");
  WriteMapNumber(indexing_analysis::ElementMap(*layout, tools_.plans.mlir_context), json);
  json.attributeEnd();
}

void KernelDetails::WriteReads(const OutputIndexing& indexing, OStream& json) {
  if (indexing.IsUnknown()) json.attribute("unknown", fixUTF8(indexing.unknown_reason()));
  json.attributeArray("operands", [&] {
    for (const OperandIndexing& operand : indexing.operands()) {
      json.object([&] {
        json.attribute("operand", static_cast<int64_t>(operand.operand()));
        json.attribute("array", operand.leaf());
        json.attribute("exactness", ExactnessName(operand.exactness()));
        if (!operand.reason().empty()) json.attribute("reason", fixUTF8(operand.reason()));
        // Which device's array is meant.
        if (llvm::any_of(operand.maps(),
                         [](const OperandMap& map) { return map.replica_map.has_value(); })) {
          json.attribute("of_other_devices", true);
        }
        json.attributeBegin("maps");
        WriteMaps(operand.maps(), json);
        json.attributeEnd();
      });
    }
  });
}

void KernelDetails::WriteArrays(const KernelPlan& plan, OStream& json) {
  json.attributeArray("inputs", [&] {
    for (size_t operand = 0; operand < plan.Inputs().size(); ++operand) {
      const Instruction& input = *plan.Inputs()[operand];
      for (int64_t leaf = 0; leaf < input.shape().num_array_leaves(); ++leaf) {
        json.object([&] {
          json.attribute("name", fixUTF8(input.name()));
          json.attribute("operand", static_cast<int64_t>(operand));
          json.attribute("array", leaf);
          WriteArray(input.shape().ArrayLeaf(leaf), json);
        });
      }
    }
  });
  const Instruction& instruction = *plan.instruction;
  indexing_analysis::IndexingAnalysis& analysis = tools_.plans.analysis;
  json.attributeArray("outputs", [&] {
    for (int64_t leaf = 0; leaf < instruction.shape().num_array_leaves(); ++leaf) {
      json.object([&] {
        json.attribute("name", fixUTF8(instruction.name()));
        json.attribute("array", leaf);
        WriteArray(instruction.shape().ArrayLeaf(leaf), json);
        const OutputIndexing reads = plan.is_computation
                                         ? analysis.OutputToParameters(instruction, leaf, {})
                                         : analysis.OutputToInput(instruction, leaf);
        json.attributeObject("reads", [&] { WriteReads(reads, json); });
        json.attributeObject("goes_to", [&] {
          WriteReads(
              plan.is_computation ? Inverted(reads) : analysis.InputToOutput(instruction, leaf),
              json);
        });
      });
    }
  });
}

void KernelDetails::WriteNode(const Instruction& instruction, bool is_computed, OStream& json) {
  json.object([&] {
    json.attribute("name", fixUTF8(instruction.name()));
    json.attribute("opcode", hlo::OpcodeName(instruction.opcode()));
    json.attribute("shape", fixUTF8(instruction.shape().ToString()));
    json.attribute("line", text_.Locate(instruction).line);
    json.attribute("text", fixUTF8(TextOf(instruction)));
    if (instruction.IsRoot()) json.attribute("root", true);
    if (!is_computed || instruction.opcode() == Opcode::kParameter) {
      json.attribute("given", true);
      return;
    }
    json.attributeArray("operands", [&] {
      for (const Instruction* operand : instruction.operands()) {
        json.value(fixUTF8(operand->name()));
      }
    });
    if (const auto callees = instruction.Callees(); !callees.empty()) {
      json.attributeArray("calls", [&] {
        for (const hlo::Computation* callee : callees) json.value(fixUTF8(callee->name()));
      });
    }
    // A tuple only collects, and has no maps of its own that would say more.
    if (instruction.shape().num_array_leaves() != 1) return;
    json.attributeObject(
        "reads", [&] { WriteReads(tools_.plans.analysis.OutputToInput(instruction, 0), json); });
  });
}

void KernelDetails::WriteGraph(const KernelPlan& plan, OStream& json) {
  // What the instructions shown call, and what these call, each once.
  llvm::SetVector<const hlo::Computation*> called;
  const auto write_nodes = [&](llvm::ArrayRef<const Instruction*> nodes, auto is_computed) {
    json.attributeArray("nodes", [&] {
      for (const Instruction* node : nodes) {
        WriteNode(*node, is_computed(*node), json);
        if (!is_computed(*node)) continue;
        for (const hlo::Computation* callee : node->Callees()) called.insert(callee);
      }
    });
  };
  const bool is_computation = ComputationOf(plan) != nullptr;
  write_nodes(NodesOf(plan),
              [&](const Instruction& node) { return is_computation || &node == plan.instruction; });
  if (called.empty()) return;
  json.attributeArray("computations", [&] {
    // Each may add what it calls.
    size_t written = 0;
    while (written < called.size()) {
      const hlo::Computation& computation = *called[written++];
      json.object([&] {
        json.attribute("name", fixUTF8(computation.name()));
        write_nodes(computation.PostOrder(), [](const Instruction&) { return true; });
      });
    }
  });
}

void KernelDetails::WriteAccesses(const KernelReport& report, OStream& json) {
  json.attributeArray("accesses", [&] {
    for (const explain::AccessReport& access : report.accesses) {
      std::string record;
      llvm::raw_string_ostream out(record);
      WriteAccessJson(origin_, report.plan, access, report.cures, text_,
                      /*has_metric_names=*/false, out);
      json.object([&] {
        json.attributeBegin("record");
        json.rawValue(llvm::StringRef(record).rtrim('\n'));
        json.attributeEnd();
        const indexing_analysis::MemoryAccess& memory = access.access.access;
        json.attribute("bits", memory.element_bits);
        json.attribute("vector", access.coalescing.has_value() ? access.coalescing->vector_elements
                                                               : memory.vector_elements);
        json.attributeBegin("element");
        WriteMapNumber(access.access.element, json);
        json.attributeEnd();
        json.attributeBegin("position");
        WriteMapNumber(memory.position, json);
        json.attributeEnd();
      });
    }
  });
}

void KernelDetails::WriteTiles(const KernelReport& report, OStream& json) {
  std::string records;
  llvm::raw_string_ostream out(records);
  WriteSharedAccessesJson(origin_, report.plan, report.shared, text_.options(), out);
  json.attributeBegin("shared_accesses");
  WriteLines(records, json);
  json.attributeEnd();
  json.attributeArray("tiles", [&] {
    for (const plan::SharedTile& tile : report.plan.shared_tiles) {
      json.object([&] {
        json.attribute("hero", fixUTF8(tile.hero->name()));
        json.attribute("layout", tile.LayoutText());
        json.attribute("bits", tile.element_bits);
        json.attribute("bytes", tile.bytes());
        const auto numbers = [&](llvm::StringRef name, llvm::ArrayRef<int64_t> values) {
          json.attributeArray(name, [&] {
            for (const int64_t value : values) json.value(value);
          });
        };
        numbers("sizes", tile.sizes);
        numbers("strides", tile.strides);
        if (tile.swizzle.has_value()) {
          numbers("swizzle", {tile.swizzle->bits(), tile.swizzle->base(), tile.swizzle->shift()});
        }
        json.attributeArray("accesses", [&] {
          for (const plan::SharedAccess& access : tile.accesses) {
            json.object([&] {
              json.attribute("access", access.is_store ? "store" : "load");
              json.attribute("vector", access.vector_elements);
              json.attributeBegin("position");
              WriteMapNumber(tile.PositionOf(access), json);
              json.attributeEnd();
            });
          }
        });
      });
    }
  });
}

void KernelDetails::WriteUtilization(const KernelPlan& plan, OStream& json) {
  InstructionUtilization utilization;
  utilization.instruction = plan.instruction;
  utilization.is_of_computation = plan.is_computation;
  utilization.together = plan.is_computation
                             ? utilization_.OfComputation(plan.instruction->parent())
                             : utilization_.OfInstruction(*plan.instruction);
  std::string records;
  llvm::raw_string_ostream out(records);
  WriteUtilizationJson(origin_.file, utilization, out);
  json.attributeBegin("utilization");
  WriteLines(records, json);
  json.attributeEnd();
}

bool KernelDetails::IsLarge(const KernelPlan& plan) {
  constexpr size_t kMany = 200;
  const hlo::Computation* const computation = ComputationOf(plan);
  return computation != nullptr && computation->instructions().size() > kMany;
}

void KernelDetails::Add(const KernelReport& report) {
  std::string text;
  llvm::raw_string_ostream out(text);
  OStream json(out);
  json.object([&] {
    WriteGraph(report.plan, json);
    WriteArrays(report.plan, json);
    WriteAccesses(report, json);
    WriteTiles(report, json);
    WriteUtilization(report.plan, json);
    json.attributeArray("passes", [&] {
      for (const plan::ElementPass& pass : report.plan.passes) {
        json.object([&] {
          json.attribute("instruction", fixUTF8(pass.instruction->name()));
          if (pass.output.has_value()) json.attribute("output", *pass.output);
          json.attribute("vector", pass.vector_elements);
          json.attributeBegin("map");
          WriteMapNumber(pass.map, json);
          json.attributeEnd();
        });
      }
    });
  });
  num_bytes_ += text.size();
  kernels_.push_back(std::move(text));
}

std::string KernelDetails::Take() {
  std::string text;
  llvm::raw_string_ostream out(text);
  OStream json(out);
  const auto list = [&](llvm::StringRef name, const std::vector<std::string>& records) {
    json.attributeArray(name, [&] {
      for (const std::string& record : records) json.rawValue(record);
    });
  };
  json.object([&] {
    list("maps", maps_);
    list("kernels", kernels_);
  });
  numbers_.clear();
  maps_.clear();
  kernels_.clear();
  num_bytes_ = 0;
  return text;
}

}  // namespace hlo_indexing::tools
