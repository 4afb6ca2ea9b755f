// Control flow (§9.7.12): bra, brx.idx, call, ret, exit; trap, brkpt; and hints to the hardware
// that change nothing here.
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/function_decoder.h"
#include "codegen/ptx/instructions/stack.h"
#include "codegen/ptx/instructions/system_calls.h"
#include "codegen/ptx/instructions/table.h"
#include "codegen/ptx/machine/address.h"
#include "codegen/ptx/machine/executor.h"
#include "codegen/ptx/machine/findings.h"
#include "codegen/ptx/machine/launch_state.h"
#include "codegen/ptx/machine/special_registers.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

using syntax::Operand;
using syntax::OperandKind;

// --- Branches

Step Branch(const Operation& operation, Execution& execution) {
  execution.target = static_cast<uint32_t>(operation.immediate);
  return Step::kJump;
}

absl::Status DecodeBranch(InstructionDecoder& d) {
  d.Take("uni");
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(1));
  if (d.operand(0).kind != OperandKind::kLabel) return d.OperandError(0, "a label is needed here");
  HLO_INDEXING_RETURN_IF_ERROR(d.Emit(
      {.execute = Branch, .pipe = Pipe::kControl, .immediate = int64_t{d.operand(0).index}}));
  FunctionDecoder& function = d.function();
  function.AtEnd(function.NextIndex() - 1, [](FunctionDecoder& f, Operation& operation) {
    operation.immediate = f.TargetOf(static_cast<uint32_t>(operation.immediate));
    return absl::OkStatus();
  });
  return absl::OkStatus();
}

struct Targets : OperationDetails {
  std::vector<uint32_t> labels;
};

Step IndexedBranch(const Operation& operation, Execution& execution) {
  const std::vector<uint32_t>& targets = operation.Details<Targets>().labels;
  const auto* indices = execution.At<uint32_t>(operation.slots[0]);
  Warp& warp = *execution.warp;
  warp.current().index = execution.index;
  Activation* activation = warp.current().activation;
  LaneMask outside = 0;
  ForEachLane(execution.lanes, [&](int lane) {
    const LaneMask bit = LaneMask{1} << lane;
    if (indices[lane] >= targets.size()) {
      outside |= bit;
      return;
    }
    warp.MoveLanes(bit, activation, targets[indices[lane]]);
  });
  if (outside != 0) {
    ReportFinding(operation, execution, Check::kMemcheck, outside,
                  absl::StrCat("brx.idx with an index beyond its ", targets.size(), " targets"));
    execution.launch->is_stopped = true;
    execution.launch->stop_reason = "a branch beyond its list of targets";
  }
  return Step::kReschedule;
}

absl::Status DecodeIndexedBranch(InstructionDecoder& d) {
  if (!d.Take("idx")) return d.Error("'brx' needs the modifier '.idx'");
  d.Take("uni");
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(2));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot index, d.Source(0, Type::kU32));
  if (d.operand(1).kind != OperandKind::kLabelList) {
    return d.OperandError(1, "the name of a list of labels is needed here");
  }
  auto targets = std::make_shared<Targets>();
  targets->labels = d.function().source().label_lists[d.operand(1).index].labels;
  HLO_INDEXING_RETURN_IF_ERROR(d.Emit({.execute = IndexedBranch,
                                       .slots = {index},
                                       .pipe = Pipe::kControl,
                                       .details = std::move(targets)}));
  FunctionDecoder& function = d.function();
  function.AtEnd(function.NextIndex() - 1, [](FunctionDecoder& f, Operation& operation) {
    auto resolved = std::make_shared<Targets>();
    for (const uint32_t label : operation.Details<Targets>().labels) {
      resolved->labels.push_back(f.TargetOf(label));
    }
    operation.details = std::move(resolved);
    return absl::OkStatus();
  });
  return absl::OkStatus();
}

// --- Ends

Step Exit(const Operation&, Execution& execution) {
  execution.warp->current().index = execution.index;
  execution.warp->Exit(execution.lanes);
  ReleaseBarriers(*execution.launch, *execution.block);
  return Step::kReschedule;
}

absl::Status DecodeExit(InstructionDecoder& d) {
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(0));
  return d.Emit({.execute = Exit, .pipe = Pipe::kControl});
}

Step Trap(const Operation& operation, Execution& execution) {
  ReportFinding(operation, execution, Check::kMemcheck, execution.lanes, "trap was executed");
  execution.launch->is_stopped = true;
  execution.launch->stop_reason = "a thread has executed trap";
  return Step::kReschedule;
}

absl::Status DecodeTrap(InstructionDecoder& d) {
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(0));
  return d.Emit({.execute = Trap, .pipe = Pipe::kControl});
}

// --- Calls

// Where an argument or result of the caller lies: local memory, or a register.
struct Place {
  bool is_register = false;
  // Bytes from the activation's local base, or a slot; bytes of a value of it.
  uint64_t offset = 0;
  uint64_t size = 0;
};

struct CallDetails : OperationDetails {
  // Number in the program of the function, or -1: each lane's address tells.
  int64_t callee = -1;
  std::vector<Place> arguments;
  std::vector<Place> results;
};

std::byte* PlaceOf(Execution& execution, const Activation& activation, const Place& place,
                   int lane) {
  if (place.is_register) {
    return const_cast<std::byte*>(activation.registers.data()) + place.offset +
           static_cast<uint64_t>(lane) * place.size;
  }
  return execution.warp->local(lane) + activation.local_base + place.offset;
}

// Copies values of the lanes between the places of two activations. Sizes are equal: the decoder or
// the caller has checked it.
void Copy(Execution& execution, LaneMask lanes, const Activation& from, const Place& source,
          const Activation& to, const Place& result) {
  const uint64_t size = std::min(source.size, result.size);
  ForEachLane(lanes, [&](int lane) {
    std::memcpy(PlaceOf(execution, to, result, lane), PlaceOf(execution, from, source, lane), size);
    if (!result.is_register) {
      const uint64_t start = static_cast<uint64_t>(lane) * execution.warp->local_capacity() +
                             to.local_base + result.offset;
      std::memset(execution.warp->local_is_written().data() + start, 1, size);
    }
  });
}

// The place of a parameter or result inside the function.
Place InnerPlace(const ProgramFunction& function, const VariablePlace& place, bool is_register,
                 uint32_t index) {
  if (!is_register) return {false, place.offset, place.size};
  const int width = BitWidth(function.source->registers[index].type);
  return {true, place.offset, width <= 32 ? uint64_t{4} : uint64_t{8}};
}

Place ParameterPlace(const ProgramFunction& function, size_t i) {
  return InnerPlace(function, function.parameters[i], function.source->parameter_is_register[i],
                    function.source->parameters[i]);
}

Place ResultPlace(const ProgramFunction& function, size_t i) {
  return InnerPlace(function, function.results[i], function.source->result_is_register[i],
                    function.source->results[i]);
}

void EnterFunction(const Operation& operation, Execution& execution, LaneMask lanes,
                   const ProgramFunction& function) {
  const auto& details = operation.Details<CallDetails>();
  const LaunchOptions& options = *execution.launch->options;
  Warp& warp = *execution.warp;
  Activation* caller = warp.current().activation;
  if (caller->depth >= options.max_call_depth) {
    StopForStack(operation, execution,
                 absl::StrCat("more than ", options.max_call_depth, " calls are under way"));
    return;
  }
  const uint64_t bytes = caller->LocalEnd() + function.local_bytes;
  if (bytes > options.max_local_bytes_per_thread) {
    StopForStack(operation, execution,
                 absl::StrCat("more than ", options.max_local_bytes_per_thread,
                              " bytes of local memory in a thread"));
    return;
  }
  Activation& callee = warp.Call(function, operation, lanes, execution.index + 1);
  for (size_t i = 0; i < details.arguments.size(); ++i) {
    Copy(execution, lanes, *caller, details.arguments[i], callee, ParameterPlace(function, i));
  }
  Execution inner = execution;
  inner.registers = callee.registers.data();
  const uint64_t base = callee.local_base;
  for (const SpecialRegisterSlot& special : function.special_registers) {
    FillSpecialRegister(special.name, special.slot, inner);
    if (special.name != kLocalBase) continue;
    for (int lane = 0; lane < kWarpSize; ++lane) inner.At<uint64_t>(special.slot)[lane] = base;
  }
}

bool Fits(const ProgramFunction& function, const CallDetails& details) {
  return function.parameters.size() == details.arguments.size() &&
         function.results.size() >= details.results.size();
}

Step Call(const Operation& operation, Execution& execution) {
  const auto& details = operation.Details<CallDetails>();
  execution.warp->current().index = execution.index;
  const Program& program = *execution.launch->program;
  if (details.callee >= 0) {
    EnterFunction(operation, execution, execution.lanes,
                  program.functions[static_cast<size_t>(details.callee)]);
    return Step::kReschedule;
  }
  // Lanes that call the same function go together.
  const auto* addresses = execution.At<uint64_t>(operation.slots[0]);
  for (LaneMask rest = execution.lanes; rest != 0 && !execution.launch->is_stopped;) {
    const uint64_t address = addresses[std::countr_zero(rest)];
    LaneMask together = 0;
    ForEachLane(rest, [&](int lane) {
      if (addresses[lane] == address) together |= LaneMask{1} << lane;
    });
    rest &= ~together;
    const uint64_t index = (address - kFunctionWindow) / 16;
    const bool is_function = address >= kFunctionWindow &&
                             index < program.function_numbers.size() &&
                             program.function_numbers[index] != 0 && address % 16 == 0;
    const ProgramFunction* function =
        is_function ? &program.functions[program.function_numbers[index] - 1] : nullptr;
    if (function == nullptr || !Fits(*function, details)) {
      ReportFinding(operation, execution, Check::kMemcheck, together,
                    absl::StrCat("call of address 0x", absl::Hex(address), ", which is not a ",
                                 "function with these parameters"));
      execution.launch->is_stopped = true;
      execution.launch->stop_reason = "a call of what is no function";
      break;
    }
    EnterFunction(operation, execution, together, *function);
  }
  return Step::kReschedule;
}

Step Return(const Operation&, Execution& execution) {
  Warp& warp = *execution.warp;
  warp.current().index = execution.index;
  Activation* activation = warp.current().activation;
  if (activation->caller == nullptr) {
    warp.Exit(execution.lanes);
    ReleaseBarriers(*execution.launch, *execution.block);
    return Step::kReschedule;
  }
  const auto& details = activation->call->Details<CallDetails>();
  for (size_t i = 0; i < details.results.size(); ++i) {
    Copy(execution, execution.lanes, *activation, ResultPlace(*activation->function, i),
         *activation->caller, details.results[i]);
  }
  warp.Return(execution.lanes);
  return Step::kReschedule;
}

absl::Status DecodeReturn(InstructionDecoder& d) {
  d.Take("uni");
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(0));
  return d.Emit({.execute = Return, .pipe = Pipe::kControl});
}

// Where the elements of an argument or result list lie. Registers and numbers are of the type that
// the function's or prototype's variable has.
absl::StatusOr<std::vector<Place>> PlacesOf(InstructionDecoder& d, const Operand* list,
                                            const std::vector<Type>& types,
                                            const std::vector<uint64_t>& sizes, bool is_result) {
  const size_t count = list == nullptr ? 0 : list->elements.size();
  const bool is_ignored = is_result && count == 0;
  if (count != types.size() && !is_ignored) {
    return d.Error(absl::StrCat("the function has ", types.size(),
                                is_result ? " results, the call " : " parameters, the call ",
                                count));
  }
  std::vector<Place> places;
  for (size_t i = 0; i < count; ++i) {
    const Operand& element = list->elements[i];
    if (element.kind == OperandKind::kVariable && element.is_local) {
      const VariablePlace& place = d.function().LocalPlace(element.index);
      const Space space = d.function().source().variables[element.index].space;
      if (space != Space::kParam || place.size < sizes[i]) {
        return d.ErrorAt(element.place, absl::StrCat("a variable of .param space of ", sizes[i],
                                                     " bytes is needed here"));
      }
      places.push_back({false, place.offset, sizes[i]});
      continue;
    }
    HLO_INDEXING_ASSIGN_OR_RETURN(const Slot slot, is_result ? d.Destination(element, types[i])
                                                             : d.Source(element, types[i]));
    places.push_back({true, slot, BitWidth(types[i]) <= 32 ? uint64_t{4} : uint64_t{8}});
  }
  return places;
}

// Types and sizes of the parameters or results of what is called.
struct Signature {
  std::vector<Type> types;
  std::vector<uint64_t> sizes;

  void Add(const syntax::Variable& variable) {
    types.push_back(variable.type);
    sizes.push_back(variable.SizeInBytes());
  }
  void Add(const syntax::Register& declared) {
    types.push_back(declared.type);
    sizes.push_back(static_cast<uint64_t>(BitWidth(declared.type) + 7) / 8);
  }
  static Signature Of(const syntax::Function& function, const std::vector<uint32_t>& indices,
                      const std::vector<bool>& is_register) {
    Signature signature;
    for (size_t i = 0; i < indices.size(); ++i) {
      if (is_register[i]) {
        signature.Add(function.registers[indices[i]]);
      } else {
        signature.Add(function.variables[indices[i]]);
      }
    }
    return signature;
  }
  static Signature Of(const std::vector<syntax::Variable>& variables) {
    Signature signature;
    for (const syntax::Variable& variable : variables) signature.Add(variable);
    return signature;
  }
};

absl::Status DecodeCall(InstructionDecoder& d) {
  d.Take("uni");
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(1, 4));
  // [results,] callee [, arguments] [, prototype or list of targets]
  int next = 0;
  const Operand* results = nullptr;
  if (d.operand(0).kind == OperandKind::kTuple && d.num_operands() > 1) {
    results = &d.operand(next++);
  }
  const int callee = next++;
  const Operand* arguments = nullptr;
  if (next < d.num_operands() && d.operand(next).kind == OperandKind::kTuple) {
    arguments = &d.operand(next++);
  }
  const Operand* prototype = next < d.num_operands() ? &d.operand(next++) : nullptr;
  if (next != d.num_operands()) return d.OperandError(next, "an operand too many");

  const syntax::Module& module = *d.function().program().loaded().module;
  const syntax::Function* function = nullptr;
  Signature parameters;
  Signature returned;
  if (d.operand(callee).kind == OperandKind::kFunction) {
    function = &module.functions[d.operand(callee).index];
    if (function->is_entry) return d.OperandError(callee, "a kernel cannot be called");
    parameters = Signature::Of(*function, function->parameters, function->parameter_is_register);
    returned = Signature::Of(*function, function->results, function->result_is_register);
  } else if (prototype != nullptr && prototype->kind == OperandKind::kPrototype) {
    const syntax::Prototype& declared = d.function().source().prototypes[prototype->index];
    parameters = Signature::Of(declared.parameters);
    returned = Signature::Of(declared.results);
  } else {
    return d.OperandError(callee, "an indirect call needs a prototype (.callprototype)");
  }
  auto details = std::make_shared<CallDetails>();
  HLO_INDEXING_ASSIGN_OR_RETURN(details->arguments,
                                PlacesOf(d, arguments, parameters.types, parameters.sizes, false));
  HLO_INDEXING_ASSIGN_OR_RETURN(details->results,
                                PlacesOf(d, results, returned.types, returned.sizes, true));
  if (function != nullptr && !function->has_body) {
    SystemCallPlaces places;
    for (const Place& place : details->arguments) {
      if (place.is_register) return d.Error("a system call takes variables of .param space");
      places.arguments.push_back({place.offset, place.size});
    }
    for (const Place& place : details->results) {
      if (place.is_register) return d.Error("a system call gives a variable of .param space");
      places.results.push_back({place.offset, place.size});
    }
    return EmitSystemCall(d, function->name, std::move(places));
  }
  Operation operation{.execute = Call, .pipe = Pipe::kControl};
  if (function != nullptr) {
    details->callee = d.function().program().FunctionNumber(d.operand(callee).index);
  } else {
    HLO_INDEXING_ASSIGN_OR_RETURN(operation.slots[0], d.Source(callee, Type::kB64));
  }
  operation.details = std::move(details);
  return d.Emit(std::move(operation));
}

// --- What tells the hardware something that does not matter here

Step Nothing(const Operation&, Execution&) { return Step::kNext; }

// nanosleep: others go first, once.
absl::Status DecodeNanosleep(InstructionDecoder& d) {
  HLO_INDEXING_RETURN_IF_ERROR(d.TakeType({Type::kU32}).status());
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(1));
  HLO_INDEXING_RETURN_IF_ERROR(d.Source(0, Type::kU32).status());
  return d.Emit({.execute = Nothing, .pipe = Pipe::kControl});
}

// Programmatic dependent launch: a launch here begins when the ones before it have ended.
absl::Status DecodeGridDependency(InstructionDecoder& d) {
  if (!d.TakeOneOf({"wait", "launch_dependents"}).has_value()) {
    return d.Error("'griddepcontrol' needs '.wait' or '.launch_dependents'");
  }
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(0));
  return d.Emit({.execute = Nothing, .pipe = Pipe::kControl});
}

absl::Status DecodePerformanceEvent(InstructionDecoder& d) {
  d.Take("mask");
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(1));
  HLO_INDEXING_RETURN_IF_ERROR(d.Constant(0).status());
  return d.Emit({.execute = Nothing, .pipe = Pipe::kControl});
}

absl::Status DecodeSetMaxRegisters(InstructionDecoder& d) {
  if (!d.TakeOneOf({"inc", "dec"}).has_value()) {
    return d.Error("'setmaxnreg' needs '.inc' or '.dec'");
  }
  d.Take("sync");
  d.Take("aligned");
  HLO_INDEXING_RETURN_IF_ERROR(d.TakeType({Type::kU32}).status());
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(1));
  HLO_INDEXING_RETURN_IF_ERROR(d.Constant(0).status());
  return d.Emit({.execute = Nothing, .pipe = Pipe::kControl});
}

constexpr OpcodeRow kRows[] = {
    {"bra", DecodeBranch},
    {"brx", DecodeIndexedBranch},
    {"call", DecodeCall},
    {"ret", DecodeReturn},
    {"exit", DecodeExit},
    {"trap", DecodeTrap},
    {"brkpt", DecodeTrap},
    {"nanosleep", DecodeNanosleep},
    {"pmevent", DecodePerformanceEvent},
    {"griddepcontrol", DecodeGridDependency},
    {"setmaxnreg", DecodeSetMaxRegisters},
};

}  // namespace

std::span<const OpcodeRow> ControlOpcodes() { return kRows; }

}  // namespace hlo_indexing::ptx
