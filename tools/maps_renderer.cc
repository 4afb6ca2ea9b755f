#include "tools/maps_renderer.h"

#include <optional>
#include <string>

#include "hlo/printer.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/JSON.h"
#include "support/diagnostics.h"
#include "tools/instruction_head.h"
#include "tools/map_json.h"
#include "tools/number_list.h"

namespace hlo_indexing::tools {
namespace {

using hlo::Computation;
using hlo::Instruction;
using hlo::Module;
using indexing_analysis::Exactness;
using indexing_analysis::ExactnessName;
using indexing_analysis::IndexingMap;
using indexing_analysis::MapDirection;
using indexing_analysis::MapList;
using indexing_analysis::OperandArray;
using indexing_analysis::OperandArrays;
using indexing_analysis::OperandIndexing;
using indexing_analysis::OperandMap;
using indexing_analysis::OutputIndexing;
using indexing_analysis::RuntimeVariable;
using indexing_analysis::TraceStep;
using llvm::raw_ostream;

// The texts of lists of maps. Instructions of the same kind share their lists, so most come again;
// a list that comes once can be large, so its text is kept from its second time on.
class RenderedMaps {
 public:
  using Render = llvm::function_ref<void(const MapList&, raw_ostream&)>;

  void Write(const MapList& maps, raw_ostream& out, Render render) {
    const auto [position, is_new] = texts_.try_emplace(maps.data());
    if (is_new) {
      position->second.maps = maps;
      return render(maps, out);
    }
    std::string& text = position->second.text;
    if (text.empty()) {
      llvm::raw_string_ostream stream(text);
      render(maps, stream);
    }
    out << text;
  }

  void Clear() { texts_.clear(); }

 private:
  struct Entry {
    // So that no other list gets its address.
    MapList maps;
    std::string text;
  };
  llvm::DenseMap<const OperandMap*, Entry> texts_;
};

// For people: each instruction with the maps of the operands that it reads. A loop of a thousand
// arrays that depend on each other has a million pairs, of which few differ: outputs that read the
// same are one answer, and arrays of an operand that are read alike one entry of it.
class TextRenderer : public MapsRenderer {
 public:
  TextRenderer(Pairs pairs, raw_ostream& out) : pairs_(pairs), out_(out) {}

  void BeginFile(llvm::StringRef file) override { file_ = file; }

  void BeginModule(const Module& module) override {
    Flush();
    // Modules share no lists.
    lines_.Clear();
    out_ << "// " << support::ForTerminal(file_);
    if (!module.name().empty()) out_ << ", module " << module.name();
    out_ << '\n';
  }

  void BeginComputation(const Computation& computation) override {
    Flush();
    out_ << '\n' << (computation.IsEntry() ? "ENTRY " : "") << computation.name() << '\n';
  }

  void BeginInstruction(const Instruction& instruction, const OperandArrays& operands) override {
    Flush();
    instruction_ = &instruction;
    operands_ = &operands;
    out_ << "  ";
    WriteInstructionHead(instruction, out_);
    out_ << '\n';
  }

  void Trace(int64_t output, llvm::ArrayRef<TraceStep> steps) override {
    Flush();
    const bool has_outputs = instruction_->shape().num_array_leaves() != 1;
    out_ << "    trace" << (has_outputs ? " of output " + std::to_string(output) : "") << ":\n";
    for (const TraceStep& step : steps) WriteStep(step);
  }

  void Output(int64_t output, MapDirection direction, const OutputIndexing& indexing) override {
    if (instruction_->shape().num_array_leaves() == 1) {
      // No other output can have the same answer, so nothing is held back.
      WriteAnswer(
          {.direction = direction,
           .indexing = indexing,
           .outputs = {output},
           .entries = indexing.IsUnknown() ? std::vector<Entry>() : EntriesOf(indexing, nullptr),
           .equal_answers = {}});
      return;
    }
    // Answers that share their lists are equal; most equal answers do.
    const auto [same, is_new] = answer_of_list_.try_emplace(
        std::make_pair(indexing.operands().data(), static_cast<int>(direction)), answers_.size());
    if (!indexing.operands().empty() && !is_new) {
      answers_[same->second].outputs.push_back(output);
      return;
    }
    Answer answer{.direction = direction,
                  .indexing = indexing,
                  .outputs = {output},
                  .entries = {},
                  .equal_answers = {}};
    std::string key = MapDirectionName(direction).str();
    if (indexing.IsUnknown()) {
      key += indexing.unknown_reason();
    } else {
      answer.entries = EntriesOf(indexing, &key);
    }
    const auto [equal, is_different] = answer_of_text_.try_emplace(key, answers_.size());
    same->second = equal->second;
    if (is_different) {
      answers_.push_back(std::move(answer));
    } else {
      answers_[equal->second].outputs.push_back(output);
      // Its list must live on, so that no other one gets its address.
      answers_[equal->second].equal_answers.push_back(indexing);
    }
  }

  void EndFile() override { Flush(); }

 private:
  void WriteStep(const TraceStep& step) {
    const auto indent = static_cast<unsigned>(6 + 2 * step.depth);
    hlo::PrintOptions options;
    options.metadata = hlo::PrintMetadata::kNo;
    out_.indent(indent);
    WriteInstructionHead(*step.instruction, out_);
    hlo::PrintAttributes(*step.instruction, out_, options);
    if (step.instruction->shape().num_array_leaves() != 1) out_ << ", array " << step.leaf;
    out_ << (step.is_repeated ? ": as before\n" : "\n");
    for (const TraceStep::Access& access : step.accesses) {
      out_.indent(indent + 4) << access.map.map.ToString();
      if (!access.reason.empty()) out_ << ": " << access.reason;
      out_ << '\n';
      WriteFurtherLines(access.map, indent + 6, out_);
    }
  }

  // What is said of some arrays of one operand.
  struct Entry {
    size_t operand;
    std::vector<int64_t> arrays;
    std::string text;
  };

  // What is said of some outputs.
  struct Answer {
    MapDirection direction;
    OutputIndexing indexing;
    std::vector<int64_t> outputs;
    std::vector<Entry> entries;
    std::vector<OutputIndexing> equal_answers;
  };

  // The entries of an answer, in the order of their first arrays; `key` becomes their text, unless
  // it is null.
  std::vector<Entry> EntriesOf(const OutputIndexing& indexing, std::string* key) {
    std::vector<Entry> entries;
    llvm::StringMap<size_t> entry_of_text;
    const auto add = [&](int64_t number, std::string text) {
      const OperandArray array = (*operands_)[number];
      size_t entry = entries.size();
      // Arrays of different operands are not written together.
      if (instruction_->operand(array.operand).shape().num_array_leaves() > 1) {
        const std::string entry_key = std::to_string(array.operand) + text;
        entry = entry_of_text.try_emplace(entry_key, entry).first->second;
      }
      if (entry == entries.size()) entries.push_back({array.operand, {}, std::move(text)});
      entries[entry].arrays.push_back(number);
    };
    int64_t next = 0;
    const auto add_unread_before = [&](int64_t number) {
      for (; pairs_ == Pairs::kAll && next < number; ++next) add(next, " not read\n");
      next = number + 1;
    };
    for (const OperandIndexing& operand : indexing.operands()) {
      const int64_t number = operands_->NumberOf(operand.array());
      add_unread_before(number);
      add(number, MapsText(operand));
    }
    add_unread_before(operands_->size());
    if (key == nullptr) return entries;
    for (const Entry& entry : entries) {
      *key += '\n' + Numbered("operand", entry.arrays) + entry.text;
    }
    return entries;
  }

  // Writes the answers that are held back.
  void Flush() {
    for (const Answer& answer : answers_) WriteAnswer(answer);
    answers_.clear();
    answer_of_list_.clear();
    answer_of_text_.clear();
  }

  void WriteAnswer(const Answer& answer) {
    const bool has_outputs = instruction_->shape().num_array_leaves() != 1;
    const std::string outputs = has_outputs ? Numbered("output", answer.outputs) : "";
    const bool from_input = answer.direction == MapDirection::kInputToOutput;
    const std::string prefix = has_outputs && !from_input ? outputs + ", " : "";
    const std::string target = has_outputs && from_input ? " to " + outputs : "";
    if (answer.indexing.IsUnknown()) {
      out_ << "    "
           << (from_input ? "to " + (has_outputs ? outputs : "the output") + ", " : prefix)
           << "all operands: unknown: " << answer.indexing.unknown_reason() << '\n';
    }
    for (const Entry& entry : answer.entries) {
      out_ << "    " << (from_input ? "from " : prefix) << Numbered("operand", entry.arrays) << " ("
           << instruction_->operand(entry.operand).name() << ")" << target << ":" << entry.text;
    }
  }

  std::string MapsText(const OperandIndexing& operand) {
    std::string text;
    llvm::raw_string_ostream out(text);
    const bool is_exact = operand.exactness() == Exactness::kExact;
    if (!is_exact) out << ' ' << ExactnessName(operand.exactness()) << ": " << operand.reason();
    const bool on_the_same_line = is_exact && operand.maps().size() == 1;
    out << (on_the_same_line ? " " : "\n");
    if (!is_exact && operand.maps().size() == 1) out.indent(6);
    lines_.Write(operand.maps(), out, WriteLines);
    return text;
  }

  // The maps, indented if there are several.
  static void WriteLines(const MapList& maps, raw_ostream& out) {
    for (const OperandMap& map : maps) {
      out << (maps.size() == 1 ? "" : "      ") << map.map.ToString() << '\n';
      WriteFurtherLines(map, 8, out);
    }
  }

  // The device that a map reaches and what its runtime variables are.
  static void WriteFurtherLines(const OperandMap& operand_map, unsigned indent, raw_ostream& out) {
    const auto& [map, replica_map] = operand_map;
    if (map.IsUnknown()) return;
    if (replica_map) out.indent(indent) << "on replica " << replica_map->ToString() << '\n';
    constexpr size_t kMostLines = 64;
    size_t lines = kMostLines;
    WriteRuntimeVariables(map, indent, lines, out);
  }

  // What an index depends on has names of its own: these lines stand below it.
  static void WriteRuntimeVariables(const IndexingMap& map, unsigned indent, size_t& lines,
                                    raw_ostream& out) {
    for (size_t i = 0; i < map.num_runtime(); ++i) {
      const RuntimeVariable& variable = map.runtime()[i];
      // The executing device is no instruction's value.
      if (variable.instruction == nullptr) continue;
      if (lines == 0) {
        out.indent(indent) << "...\n";
        return;
      }
      --lines;
      out.indent(indent) << map.SymbolName(map.num_ranges() + i) << " = "
                         << variable.instruction->name();
      for (const Instruction* call : llvm::reverse(variable.calls)) out << " in " << call->name();
      out << " at " << variable.index.ToString() << '\n';
      if (!variable.index.IsUnknown()) {
        WriteRuntimeVariables(variable.index, indent + 2, lines, out);
      }
    }
  }

  Pairs pairs_;
  raw_ostream& out_;
  llvm::StringRef file_;
  const Instruction* instruction_ = nullptr;
  const OperandArrays* operands_ = nullptr;
  // The answers of the instruction, by their lists and by their texts.
  std::vector<Answer> answers_;
  llvm::DenseMap<std::pair<const OperandIndexing*, int>, size_t> answer_of_list_;
  RenderedMaps lines_;
  llvm::StringMap<size_t> answer_of_text_;
};

// For programs: one JSON object per instruction, output array and operand array. A loop of a
// thousand arrays has a million of them, so what repeats is rendered once and copied.
class JsonRenderer : public MapsRenderer {
 public:
  JsonRenderer(Pairs pairs, raw_ostream& out) : pairs_(pairs), out_(out) {}

  void BeginFile(llvm::StringRef file) override {
    WriteHeader(file, out_);
    file_ = R"(,"file":)" + JsonString(file);
  }

  void BeginModule(const Module& module) override {
    module_ = file_ + R"(,"module":)" + JsonString(module.name());
    // Modules share no lists.
    texts_.Clear();
  }

  void BeginComputation(const Computation& computation) override {
    computation_ = module_ + R"(,"computation":)" + JsonString(computation.name());
  }

  void BeginInstruction(const Instruction& instruction, const OperandArrays& operands) override {
    operands_ = &operands;
    instruction_ = computation_ + R"(,"instruction":)" + JsonString(instruction.name()) +
                   R"(,"opcode":")" + hlo::OpcodeName(instruction.opcode()).str() + '"';
    operand_names_.clear();
    for (const Instruction* operand : instruction.operands()) {
      operand_names_.push_back(R"(,"operand_name":)" + JsonString(operand->name()));
    }
  }

  void Trace(int64_t output, llvm::ArrayRef<TraceStep> steps) override {
    for (size_t i = 0; i < steps.size(); ++i) {
      out_ << R"({"kind":"trace")" << instruction_ << R"(,"output":)" << output << R"(,"step":)"
           << i << R"(,"visited":)";
      llvm::json::OStream json(out_);
      WriteStep(steps[i], json);
      out_ << "}\n";
    }
  }

  void Output(int64_t output, MapDirection direction, const OutputIndexing& indexing) override {
    const std::string prefix = R"({"kind":"map")" + instruction_ + R"(,"direction":")" +
                               MapDirectionName(direction).str() + R"(","output":)" +
                               std::to_string(output);
    if (indexing.IsUnknown()) {
      const std::string tail = UnknownTail(indexing.unknown_reason());
      for (int64_t i = 0; i < operands_->size(); ++i) {
        WriteHead(prefix, i);
        out_ << tail;
      }
      return;
    }
    int64_t next = 0;
    const auto write_unread_before = [&](int64_t number) {
      for (; pairs_ == Pairs::kAll && next < number; ++next) WriteUnread(prefix, next);
      next = number + 1;
    };
    for (const OperandIndexing& operand : indexing.operands()) {
      const int64_t number = operands_->NumberOf(operand.array());
      write_unread_before(number);
      WriteHead(prefix, number);
      WriteTail(operand);
    }
    write_unread_before(operands_->size());
  }

 private:
  static void WriteStep(const TraceStep& step, llvm::json::OStream& json) {
    json.object([&] {
      json.attribute("instruction", step.instruction->name());
      json.attribute("opcode", hlo::OpcodeName(step.instruction->opcode()));
      json.attribute("computation", step.instruction->parent().name());
      json.attribute("array", step.leaf);
      json.attribute("depth", static_cast<int64_t>(step.depth));
      json.attribute("repeated", step.is_repeated);
      json.attributeArray("accesses", [&] {
        for (const TraceStep::Access& access : step.accesses) {
          json.object([&] {
            if (!access.reason.empty()) json.attribute("reason", access.reason);
            json.attributeBegin("map");
            const auto& [map, replica_map] = access.map;
            WriteMap(map, json, replica_map ? &*replica_map : nullptr);
            json.attributeEnd();
          });
        }
      });
    });
  }

  void WriteHead(llvm::StringRef prefix, int64_t number) {
    out_ << prefix << R"(,"operand":)" << number << operand_names_[(*operands_)[number].operand];
  }

  // The record of an operand array that the output does not depend on.
  void WriteUnread(llvm::StringRef prefix, int64_t number) {
    WriteHead(prefix, number);
    out_ << ",\"exactness\":\"exact\",\"maps\":[]}\n";
  }

  static std::string UnknownTail(llvm::StringRef reason) {
    return R"(,"exactness":"unknown","reason":)" + JsonString(reason) + ",\"maps\":null}\n";
  }

  void WriteTail(const OperandIndexing& operand) {
    if (operand.exactness() == Exactness::kUnknown) {
      out_ << UnknownTail(operand.reason());
      return;
    }
    out_ << ",\"exactness\":\"" << ExactnessName(operand.exactness()) << '"';
    if (operand.exactness() != Exactness::kExact) {
      out_ << ",\"reason\":" << JsonString(operand.reason());
    }
    out_ << ",\"maps\":";
    texts_.Write(operand.maps(), out_, WriteMaps);
    out_ << "}\n";
  }

  // The maps as an array.
  static void WriteMaps(const MapList& maps, raw_ostream& out) {
    llvm::json::OStream json(out);
    json.array([&] {
      for (const auto& [map, replica_map] : maps) {
        WriteMap(map, json, replica_map ? &*replica_map : nullptr);
      }
    });
  }

  Pairs pairs_;
  raw_ostream& out_;
  std::string file_;
  std::string module_;
  std::string computation_;
  std::string instruction_;
  const OperandArrays* operands_ = nullptr;
  // By operand.
  std::vector<std::string> operand_names_;
  RenderedMaps texts_;
};

}  // namespace

std::unique_ptr<MapsRenderer> MakeTextRenderer(Pairs pairs, raw_ostream& out) {
  return std::make_unique<TextRenderer>(pairs, out);
}

std::unique_ptr<MapsRenderer> MakeJsonRenderer(Pairs pairs, raw_ostream& out) {
  return std::make_unique<JsonRenderer>(pairs, out);
}

}  // namespace hlo_indexing::tools
