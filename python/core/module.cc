// Modules, their instructions, and the maps of these.
#include "python/core/module.h"

#include <optional>
#include <tuple>

#include "hlo/printer.h"
#include "python/core/errors.h"
#include "python/core/long_work.h"
#include "python/core/map.h"
#include "support/diagnostics.h"
#include "tools/environment.h"
#include "tools/input.h"

namespace hlo_indexing::python {

namespace nb = nanobind;

using indexing_analysis::IndexingAnalysis;
using indexing_analysis::OperandIndexing;
using indexing_analysis::OutputIndexing;

namespace {

// The modules, and the warnings as the command line prints them.
std::pair<std::vector<Module>, nb::bytes> Load(const std::string& file,
                                               const std::optional<nb::bytes>& contents,
                                               uint64_t max_bytes, uint64_t max_errors,
                                               nb::object progress) {
  LongWork work(std::move(progress));
  tools::Environment environment;
  std::string messages;
  llvm::raw_string_ostream messages_stream(messages);
  environment.messages = &messages_stream;
  environment.stop = [&] { return work.MustStop(); };
  if (work.has_progress()) {
    environment.parsing_progress = [&](size_t done, size_t total) {
      work.Report("bytes of " + file, static_cast<int64_t>(done), static_cast<int64_t>(total));
    };
  }
  if (contents.has_value()) {
    environment.texts[file] =
        std::make_shared<const std::string>(contents->c_str(), contents->size());
  }
  std::vector<Module> result;
  tools::ExitCode status = tools::ExitCode::kFine;
  {
    const nb::gil_scoped_release release;
    const tools::ScopedEnvironment scope(environment);
    auto modules = tools::LoadModules(file, {max_bytes, max_errors}, status);
    const bool is_alone = modules.size() == 1;
    for (auto& module : modules) {
      result.push_back({std::make_shared<ModuleState>(std::move(module),
                                                      std::make_shared<Context>(), is_alone)});
    }
  }
  work.RaiseIfStopped();
  if (status != tools::ExitCode::kFine) Raise(absl::InvalidArgumentError(messages));
  return {std::move(result), nb::bytes(messages.data(), messages.size())};
}

// A module by itself, as text: its own, or printed if that has others, too.
nb::bytes SelfContainedText(const Module& self) {
  if (self.state->is_alone()) {
    const llvm::StringRef text = self.state->module().text();
    return nb::bytes(text.data(), text.size());
  }
  const std::string text = hlo::ToString(self.state->module());
  return nb::bytes(text.data(), text.size());
}

std::string Attribute(const Instruction& self, hlo::AttributeName name) {
  const hlo::Attribute* const attribute = self.instruction->Find(name);
  if (attribute == nullptr) return "";
  const auto* const text = std::get_if<hlo::RawText>(&attribute->value);
  return text == nullptr ? "" : text->text.str();
}

// Line and column of the instruction in the module's text.
std::pair<int64_t, int64_t> Place(const Instruction& self) {
  const support::SourcePosition position =
      support::Locate(self.state->module().text(), self.instruction->offset());
  return {position.line, position.column};
}

// The type, sizes and whether each is dynamic of every array of a shape.
using ArrayShape = std::tuple<std::string, std::string, std::vector<int64_t>>;
std::vector<ArrayShape> ArraysOf(const hlo::Shape& shape) {
  std::vector<ArrayShape> arrays;
  for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
    const hlo::Shape& array = shape.ArrayLeaf(leaf);
    arrays.emplace_back(array.ToString(), hlo::ElementTypeName(array.element_type()).str(),
                        std::vector<int64_t>(array.sizes().begin(), array.sizes().end()));
  }
  return arrays;
}

// The structure of a shape: the number of an array, a list of structures, or None for a token.
nb::object StructureOf(const hlo::Shape& shape, int64_t& next_leaf) {
  if (shape.IsTuple()) {
    nb::list elements;
    for (const hlo::Shape* element : shape.elements()) {
      elements.append(StructureOf(*element, next_leaf));
    }
    return elements;
  }
  if (shape.num_array_leaves() == 0) return nb::none();
  return nb::int_(next_leaf++);
}

// For each operand array that is related to the output: operand, array, exactness, reason, maps,
// each with the map to the device or None; or why nothing is known.
nb::object RecordsOf(const ModulePointer& state, const OutputIndexing& indexing) {
  if (indexing.IsUnknown()) return nb::cast(indexing.unknown_reason());
  nb::list result;
  for (const OperandIndexing& operand : indexing.operands()) {
    nb::list maps;
    for (const auto& [map, replica_map] : operand.maps()) {
      nb::object on_device = nb::none();
      if (replica_map) on_device = nb::cast(Map(state->context(), state, *replica_map));
      maps.append(nb::make_tuple(Map(state->context(), state, map), on_device));
    }
    result.append(nb::make_tuple(operand.operand(), operand.leaf(),
                                 indexing_analysis::ExactnessName(operand.exactness()).str(),
                                 operand.reason(), maps));
  }
  return result;
}

OutputIndexing IndexingOf(IndexingAnalysis& analysis, const hlo::Instruction& instruction,
                          int64_t output, bool from_input) {
  return from_input ? analysis.InputToOutput(instruction, output)
                    : analysis.OutputToInput(instruction, output);
}

nb::object Indexing(const Instruction& self, int64_t output, bool from_input, bool simplified) {
  if (output < 0 || output >= self.instruction->shape().num_array_leaves()) {
    Raise(absl::OutOfRangeError("%" + self.instruction->name().str() + " has " +
                                std::to_string(self.instruction->shape().num_array_leaves()) +
                                " output arrays"));
  }
  Context& context = *self.state->context();
  const OutputIndexing indexing = InContext(context, [&] {
    return IndexingOf(self.state->analysis(simplified), *self.instruction, output, from_input);
  });
  return RecordsOf(self.state, indexing);
}

// The answers for all instructions of a module that have operands. They become objects of Python
// one by one, when they are looked at.
struct ModuleMaps {
  struct Answer {
    const hlo::Instruction* instruction;
    int64_t output;
    OutputIndexing indexing;
  };
  ModulePointer state;
  std::vector<Answer> answers;
};

std::vector<const hlo::Instruction*> AllInstructions(const hlo::Module& module) {
  std::vector<const hlo::Instruction*> instructions;
  instructions.reserve(static_cast<size_t>(module.num_instructions()));
  for (const hlo::Computation* computation : module.computations()) {
    instructions.insert(instructions.end(), computation->instructions().begin(),
                        computation->instructions().end());
  }
  return instructions;
}

// Visits the answers, with the context to itself; stops where Ctrl-C asks for it.
template <typename Visit>
void ForEachAnswer(const ModulePointer& state,
                   const std::vector<const hlo::Instruction*>& instructions, bool from_input,
                   bool simplified, LongWork& work, Visit visit) {
  const std::string name = state->module().name().str();
  InContext(*state->context(), [&] {
    int64_t done = 0;
    for (const hlo::Instruction* instruction : instructions) {
      if (work.MustStop()) return;
      work.Report(name, ++done, static_cast<int64_t>(instructions.size()));
      if (instruction->operands().empty()) continue;
      for (int64_t leaf = 0; leaf < instruction->shape().num_array_leaves(); ++leaf) {
        visit(*instruction, leaf,
              IndexingOf(state->analysis(simplified), *instruction, leaf, from_input));
      }
    }
  });
  work.RaiseIfStopped();
}

// `wanted` are the instructions whose maps are wanted; all of the module without a list.
ModuleMaps AllMaps(const Module& self, bool from_input, bool simplified,
                   const std::optional<std::vector<const Instruction*>>& wanted,
                   nb::object progress) {
  LongWork work(std::move(progress));
  ModuleMaps maps{self.state, {}};
  std::vector<const hlo::Instruction*> instructions;
  if (wanted.has_value()) {
    for (const Instruction* one : *wanted) instructions.push_back(one->instruction);
  } else {
    instructions = AllInstructions(self.state->module());
  }
  maps.answers.reserve(instructions.size());
  ForEachAnswer(self.state, instructions, from_input, simplified, work,
                [&](const hlo::Instruction& instruction, int64_t output, OutputIndexing indexing) {
                  maps.answers.push_back({&instruction, output, std::move(indexing)});
                });
  return maps;
}

nb::tuple AnswerAt(const ModuleMaps& self, size_t number) {
  const ModuleMaps::Answer& answer = self.answers.at(number);
  return nb::make_tuple(Instruction{self.state, answer.instruction}, answer.output,
                        RecordsOf(self.state, answer.indexing));
}

// The number of maps of the module, and nothing else: what mapping costs without Python.
int64_t CountMaps(const Module& self) {
  LongWork work{nb::none()};
  int64_t count = 0;
  ForEachAnswer(self.state, AllInstructions(self.state->module()), /*from_input=*/false,
                /*simplified=*/true, work,
                [&](const hlo::Instruction&, int64_t, const OutputIndexing& indexing) {
                  for (const OperandIndexing& operand : indexing.operands()) {
                    count += static_cast<int64_t>(operand.maps().size());
                  }
                });
  return count;
}

std::vector<Instruction> Wrap(const ModulePointer& state,
                              llvm::ArrayRef<const hlo::Instruction*> instructions) {
  std::vector<Instruction> result;
  for (const hlo::Instruction* instruction : instructions) result.push_back({state, instruction});
  return result;
}

// An integer of the module's header, such as replica_count; 1 if it is not there.
int64_t HeaderCount(const Module& self, const std::string& name) {
  for (const hlo::Attribute& attribute : self.state->module().attributes()) {
    if (attribute.text != name) continue;
    int64_t count = 1;
    if (const auto* text = std::get_if<hlo::RawText>(&attribute.value)) {
      if (!text->text.getAsInteger(10, count)) return count;
    }
    if (const auto* integer = std::get_if<int64_t>(&attribute.value)) return *integer;
  }
  return 1;
}

void BindInstruction(nb::module_& module) {
  nb::class_<Instruction>(module, "Instruction")
      .def_prop_ro("name", [](const Instruction& self) { return self.instruction->name().str(); })
      .def_prop_ro(
          "opcode",
          [](const Instruction& self) { return hlo::OpcodeName(self.instruction->opcode()).str(); })
      .def_prop_ro("shape",
                   [](const Instruction& self) { return self.instruction->shape().ToString(); })
      .def_prop_ro("arrays",
                   [](const Instruction& self) { return ArraysOf(self.instruction->shape()); })
      .def_prop_ro("structure",
                   [](const Instruction& self) {
                     int64_t next_leaf = 0;
                     return StructureOf(self.instruction->shape(), next_leaf);
                   })
      .def_prop_ro("index", [](const Instruction& self) { return self.instruction->index(); })
      .def_prop_ro("is_root", [](const Instruction& self) { return self.instruction->IsRoot(); })
      .def_prop_ro(
          "operands",
          [](const Instruction& self) { return Wrap(self.state, self.instruction->operands()); })
      .def_prop_ro(
          "users",
          [](const Instruction& self) { return Wrap(self.state, self.instruction->users()); })
      .def_prop_ro("computation",
                   [](const Instruction& self) {
                     return Computation{self.state, &self.instruction->parent()};
                   })
      .def_prop_ro("place", &Place)
      .def_prop_ro(
          "metadata",
          [](const Instruction& self) { return Attribute(self, hlo::AttributeName::kMetadata); })
      .def("indexing", &Indexing, "output"_a, "from_input"_a, "simplified"_a)
      .def("__str__", [](const Instruction& self) { return hlo::ToString(*self.instruction); });
}

}  // namespace

void BindModules(nb::module_& module) {
  BindInstruction(module);
  nb::class_<ModuleMaps>(module, "ModuleMaps")
      .def("__len__", [](const ModuleMaps& self) { return self.answers.size(); })
      .def("at", &AnswerAt, "number"_a);
  nb::class_<Computation>(module, "Computation")
      .def_prop_ro("name", [](const Computation& self) { return self.computation->name().str(); })
      .def_prop_ro("is_entry", [](const Computation& self) { return self.computation->IsEntry(); })
      .def_prop_ro("instructions",
                   [](const Computation& self) {
                     return Wrap(self.state, self.computation->instructions());
                   })
      .def_prop_ro(
          "parameters",
          [](const Computation& self) { return Wrap(self.state, self.computation->parameters()); })
      .def_prop_ro("root", [](const Computation& self) {
        return Instruction{self.state, &self.computation->root()};
      });
  nb::class_<Module>(module, "Module")
      .def_prop_ro("name", [](const Module& self) { return self.state->module().name().str(); })
      .def_prop_ro("file",
                   [](const Module& self) { return self.state->module().file_name().str(); })
      .def_prop_ro("num_instructions",
                   [](const Module& self) { return self.state->module().num_instructions(); })
      .def_prop_ro(
          "entry",
          [](const Module& self) { return Computation{self.state, &self.state->module().entry()}; })
      .def_prop_ro("computations",
                   [](const Module& self) {
                     std::vector<Computation> result;
                     for (const auto* computation : self.state->module().computations()) {
                       result.push_back({self.state, computation});
                     }
                     return result;
                   })
      .def_prop_ro("stack_tables",
                   [](const Module& self) { return self.state->module().stack_tables().str(); })
      .def_prop_ro("text", &SelfContainedText)
      .def("header_count", &HeaderCount, "name"_a)
      .def("count_maps", &CountMaps)
      .def("all_maps", &AllMaps, "from_input"_a, "simplified"_a, "instructions"_a.none(),
           "progress"_a.none())
      .def(
          "add_custom_calls",
          [](const Module& self, const std::string& json) {
            const absl::Status status =
                InContext(*self.state->context(), [&] { return self.state->AddCustomCalls(json); });
            if (!status.ok()) Raise(status);
          },
          "json"_a)
      .def("__str__", [](const Module& self) { return hlo::ToString(self.state->module()); });
  module.def("load", &Load, "file"_a, "contents"_a.none(), "max_bytes"_a, "max_errors"_a,
             "progress"_a.none(),
             "The modules of a file, or of contents that stand for it, and warnings.");
}

}  // namespace hlo_indexing::python
