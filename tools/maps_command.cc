// `hlo-indexing maps`: the indexing maps of every instruction.
#include <deque>

#include "hlo/printer.h"
#include "indexing_analysis/analysis.h"
#include "llvm/ADT/DenseMap.h"
#include "mlir/IR/MLIRContext.h"
#include "support/checked_math.h"
#include "tools/command.h"
#include "tools/input.h"
#include "tools/map_json.h"
#include "tools/progress.h"

namespace hlo_indexing::tools {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Module;
using indexing_analysis::Exactness;
using indexing_analysis::ExactnessName;
using indexing_analysis::IndexingAnalysis;
using indexing_analysis::IndexingMap;
using indexing_analysis::OperandIndexing;
using indexing_analysis::OutputIndexing;
using indexing_analysis::RuntimeVariable;
using llvm::raw_ostream;

// In which direction maps lead.
enum class MapDirection : uint8_t { kOutputToInput, kInputToOutput };

// One array of one operand of an instruction.
struct OperandArray {
  size_t operand;
  int64_t leaf;
};

std::vector<OperandArray> OperandArrays(const Instruction& instruction) {
  std::vector<OperandArray> arrays;
  for (size_t i = 0; i < instruction.operands().size(); ++i) {
    const int64_t count = instruction.operand(i).shape().num_array_leaves();
    for (int64_t leaf = 0; leaf < count; ++leaf) arrays.push_back({i, leaf});
  }
  return arrays;
}

llvm::StringRef DirectionName(MapDirection direction) {
  return direction == MapDirection::kOutputToInput ? "output_to_input" : "input_to_output";
}

// The replica map that belongs to map k, or null.
const IndexingMap* ReplicaMap(const OperandIndexing& operand, size_t k) {
  if (operand.replica_maps == nullptr || !(*operand.replica_maps)[k]) return nullptr;
  return &*(*operand.replica_maps)[k];
}

// Writes the maps of one instruction after the other.
class MapsRenderer {
 public:
  virtual ~MapsRenderer() = default;
  virtual void BeginFile(llvm::StringRef file) = 0;
  virtual void BeginModule(const Module& module) = 0;
  virtual void BeginComputation(const Computation& computation) = 0;
  virtual void BeginInstruction(const Instruction& instruction,
                                const std::vector<OperandArray>& operands) = 0;
  virtual void Output(int64_t output, MapDirection direction, const OutputIndexing& indexing) = 0;
};

// For people: each instruction with the maps of the operands that it reads.
class TextRenderer : public MapsRenderer {
 public:
  explicit TextRenderer(raw_ostream& out) : out_(out) {}

  void BeginFile(llvm::StringRef file) override { file_ = file; }

  void BeginModule(const Module& module) override {
    out_ << "// " << file_;
    if (!module.name().empty()) out_ << ", module " << module.name();
    out_ << '\n';
  }

  void BeginComputation(const Computation& computation) override {
    out_ << '\n' << (computation.IsEntry() ? "ENTRY " : "") << computation.name() << '\n';
  }

  void BeginInstruction(const Instruction& instruction,
                        const std::vector<OperandArray>& operands) override {
    instruction_ = &instruction;
    operands_ = &operands;
    hlo::PrintOptions options;
    options.metadata = hlo::PrintMetadata::kNo;
    out_ << "  ";
    hlo::PrintHead(instruction, out_, options);
    out_ << '\n';
  }

  void Output(int64_t output, MapDirection direction, const OutputIndexing& indexing) override {
    const bool has_outputs = instruction_->shape().num_array_leaves() != 1;
    const std::string output_name = has_outputs ? "output " + std::to_string(output) : "";
    const bool from_input = direction == MapDirection::kInputToOutput;
    const std::string prefix = has_outputs && !from_input ? output_name + ", " : "";
    const std::string target = has_outputs && from_input ? " to " + output_name : "";
    if (!indexing.unknown_reason().empty()) {
      out_ << "    "
           << (from_input ? "to " + (has_outputs ? output_name : "the output") + ", " : prefix)
           << "all operands: unknown: " << indexing.unknown_reason() << '\n';
      return;
    }
    size_t number = 0;
    for (const OperandIndexing& operand : indexing.operands()) {
      while ((*operands_)[number].operand != operand.operand ||
             (*operands_)[number].leaf != operand.leaf) {
        ++number;
      }
      out_ << "    " << (from_input ? "from " : prefix) << "operand " << number << " ("
           << instruction_->operand(operand.operand).name() << ")" << target << ":";
      WriteMaps(operand);
    }
  }

 private:
  void WriteMaps(const OperandIndexing& operand) {
    if (operand.exactness != Exactness::kExact) {
      out_ << ' ' << ExactnessName(operand.exactness) << ": " << operand.reason.str();
    }
    if (operand.maps == nullptr) {
      out_ << '\n';
      return;
    }
    const bool on_one_line = operand.maps->size() == 1 && operand.exactness == Exactness::kExact;
    if (!on_one_line) out_ << '\n';
    for (size_t k = 0; k < operand.maps->size(); ++k) {
      const IndexingMap& map = (*operand.maps)[k];
      out_ << (on_one_line ? " " : "      ") << map.ToString() << '\n';
      const IndexingMap* replica = ReplicaMap(operand, k);
      if (replica != nullptr) out_ << "        on replica " << replica->ToString() << '\n';
      for (size_t i = 0; i < map.num_runtime(); ++i) WriteRuntimeVariable(map, i);
    }
  }

  void WriteRuntimeVariable(const IndexingMap& map, size_t i) {
    const RuntimeVariable& variable = map.runtime()[i];
    // The device that asks is no instruction's value.
    if (variable.instruction == nullptr) return;
    out_ << "        " << map.SymbolName(map.num_ranges() + i) << " = "
         << variable.instruction->name();
    for (const Instruction* call : llvm::reverse(variable.calls)) out_ << " in " << call->name();
    out_ << " at " << variable.index.ToString() << '\n';
  }

  raw_ostream& out_;
  llvm::StringRef file_;
  const Instruction* instruction_ = nullptr;
  const std::vector<OperandArray>* operands_ = nullptr;
};

// For programs: one JSON object per instruction, output array and operand array. A tuple of a
// thousand arrays has a million of them, so what repeats is rendered once and copied.
class JsonRenderer : public MapsRenderer {
 public:
  explicit JsonRenderer(raw_ostream& out) : out_(out) {}

  void BeginFile(llvm::StringRef file) override {
    WriteHeader(file, out_);
    file_ = R"({"kind":"map","file":)" + JsonString(file);
  }

  void BeginModule(const Module& module) override {
    module_ = file_ + R"(,"module":)" + JsonString(module.name());
    // The lists of the last module's analysis are gone.
    texts_.clear();
  }

  void BeginComputation(const Computation& computation) override {
    computation_ = module_ + R"(,"computation":)" + JsonString(computation.name());
  }

  void BeginInstruction(const Instruction& instruction,
                        const std::vector<OperandArray>& operands) override {
    operands_ = &operands;
    instruction_ = computation_ + R"(,"instruction":)" + JsonString(instruction.name()) +
                   R"(,"opcode":")" + hlo::OpcodeName(instruction.opcode()).str() +
                   R"(","direction":")";
    operand_texts_.clear();
    for (size_t i = 0; i < operands.size(); ++i) {
      operand_texts_.push_back(R"(,"operand":)" + std::to_string(i) + R"(,"operand_name":)" +
                               JsonString(instruction.operand(operands[i].operand).name()));
    }
  }

  void Output(int64_t output, MapDirection direction, const OutputIndexing& indexing) override {
    const std::string prefix =
        instruction_ + DirectionName(direction).str() + R"(","output":)" + std::to_string(output);
    if (!indexing.unknown_reason().empty()) {
      const std::string tail = UnknownTail(indexing.unknown_reason());
      for (const std::string& operand : operand_texts_) out_ << prefix << operand << tail;
      return;
    }
    auto next = indexing.operands().begin();
    for (size_t i = 0; i < operand_texts_.size(); ++i) {
      out_ << prefix << operand_texts_[i];
      const OperandArray& array = (*operands_)[i];
      const bool is_read = next != indexing.operands().end() && next->operand == array.operand &&
                           next->leaf == array.leaf;
      if (!is_read) {
        out_ << ",\"exactness\":\"exact\",\"maps\":[]}\n";
        continue;
      }
      WriteTail(*next);
      ++next;
    }
  }

 private:
  static std::string UnknownTail(llvm::StringRef reason) {
    return R"(,"exactness":"unknown","reason":)" + JsonString(reason) + ",\"maps\":null}\n";
  }

  void WriteTail(const OperandIndexing& operand) {
    if (operand.maps == nullptr) {
      out_ << UnknownTail(operand.reason);
      return;
    }
    out_ << ",\"exactness\":\"" << ExactnessName(operand.exactness) << '"';
    if (operand.exactness != Exactness::kExact) {
      out_ << ",\"reason\":" << JsonString(operand.reason);
    }
    out_ << ",\"maps\":" << MapsText(operand) << "}\n";
  }

  // The maps as an array. Instructions of the same kind share their lists, so most have been
  // rendered.
  llvm::StringRef MapsText(const OperandIndexing& operand) {
    const auto [position, is_new] = texts_.try_emplace(operand.maps);
    if (!is_new) return position->second;
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::json::OStream json(stream);
    json.array([&] {
      for (size_t k = 0; k < operand.maps->size(); ++k) {
        WriteMap((*operand.maps)[k], json, ReplicaMap(operand, k));
      }
    });
    // Writing nested maps does not touch `texts_`, so the position still stands.
    position->second = std::move(text);
    return position->second;
  }

  raw_ostream& out_;
  std::string file_;
  std::string module_;
  std::string computation_;
  std::string instruction_;
  const std::vector<OperandArray>* operands_ = nullptr;
  std::vector<std::string> operand_texts_;
  llvm::DenseMap<const std::vector<IndexingMap>*, std::string> texts_;
};

// Walks over the modules and asks for the maps that the options select.
class MapsCommand {
 public:
  MapsCommand(const MapsOptions& options, MapsRenderer& renderer)
      : options_(options), renderer_(renderer) {}

  ExitCode Run() {
    if (!LoadCustomCalls(options_.custom_calls, options_.limits, &context_, custom_calls_)) {
      return ExitCode::kBadInput;
    }
    for (const std::string& file : options_.files) RunFile(file);
    if (!options_.instruction.empty() && !found_ && status_ == ExitCode::kFine) {
      ReportError(
          "there is no instruction '" + options_.instruction + "'" +
          (options_.computation.empty() ? "" : " in computation '" + options_.computation + "'"));
      status_ = ExitCode::kBadUsage;
    } else if (!options_.computation.empty() && !found_computation_ && status_ == ExitCode::kFine) {
      ReportError("there is no computation '" + options_.computation + "'");
      status_ = ExitCode::kBadUsage;
    }
    return status_;
  }

 private:
  void RunFile(const std::string& file) {
    const std::vector<std::unique_ptr<Module>> modules =
        LoadModules(file, options_.limits, status_);
    renderer_.BeginFile(file);
    int64_t instructions = 0;
    for (const std::unique_ptr<Module>& module : modules) {
      instructions += module->num_instructions();
    }
    Progress progress(file, instructions);
    for (const std::unique_ptr<Module>& module : modules) {
      indexing_analysis::AnalysisOptions analysis_options;
      analysis_options.custom_calls = &custom_calls_;
      if (!options_.simplify) {
        analysis_options.simplification = indexing_analysis::AnalysisOptions::Simplification::kNone;
      }
      IndexingAnalysis analysis(&context_, analysis_options);
      renderer_.BeginModule(*module);
      for (const Computation* computation : module->computations()) {
        if (!options_.computation.empty() && computation->name() != options_.computation) continue;
        found_computation_ = true;
        RunComputation(*computation, analysis, progress);
      }
    }
  }

  void RunComputation(const Computation& computation, IndexingAnalysis& analysis,
                      Progress& progress) {
    bool begun = false;
    for (const Instruction* instruction : computation.instructions()) {
      progress.Step();
      if (!IsSelected(*instruction)) continue;
      if (!begun) renderer_.BeginComputation(computation);
      begun = true;
      RunInstruction(*instruction, analysis);
    }
  }

  bool IsSelected(const Instruction& instruction) {
    if (!options_.instruction.empty() && instruction.name() != options_.instruction) return false;
    found_ = true;
    return !options_.fusions_only || instruction.opcode() == hlo::Opcode::kFusion;
  }

  void RunInstruction(const Instruction& instruction, IndexingAnalysis& analysis) {
    const std::vector<OperandArray> operands = OperandArrays(instruction);
    const int64_t outputs = instruction.shape().num_array_leaves();
    const auto records = support::CheckedMul(outputs, static_cast<int64_t>(operands.size()));
    renderer_.BeginInstruction(instruction, operands);
    if (operands.empty()) return;
    if (!records || static_cast<uint64_t>(*records) > options_.limits.records_per_instruction) {
      const Module& module = instruction.parent().parent();
      Report({support::MakeDiagnostic(
          {module.file_name(), module.text()}, instruction.offset(),
          "instruction '" + instruction.name().str() + "' has " + std::to_string(outputs) +
              " output and " + std::to_string(operands.size()) +
              " operand arrays, more pairs than the limit (--max-records)")});
      status_ = Worst(status_, ExitCode::kNotSupported);
      return;
    }
    for (int64_t output = 0; output < outputs; ++output) {
      if (options_.direction != Direction::kInputToOutput) {
        renderer_.Output(output, MapDirection::kOutputToInput,
                         analysis.OutputToInput(instruction, output));
      }
      if (options_.direction != Direction::kOutputToInput) {
        renderer_.Output(output, MapDirection::kInputToOutput,
                         analysis.InputToOutput(instruction, output));
      }
    }
  }

  const MapsOptions& options_;
  MapsRenderer& renderer_;
  mlir::MLIRContext context_{mlir::MLIRContext::Threading::DISABLED};
  indexing_analysis::CustomCallRegistry custom_calls_ =
      indexing_analysis::CustomCallRegistry::WithXlaTargets();
  ExitCode status_ = ExitCode::kFine;
  bool found_ = false;
  bool found_computation_ = false;
};

}  // namespace

ExitCode RunMaps(const MapsOptions& options, raw_ostream& out) {
  if (options.format == OutputFormat::kJson) {
    JsonRenderer renderer(out);
    return MapsCommand(options, renderer).Run();
  }
  TextRenderer renderer(out);
  return MapsCommand(options, renderer).Run();
}

}  // namespace hlo_indexing::tools
