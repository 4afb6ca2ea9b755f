#include "codegen/ptx/instructions/function_decoder.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/table.h"
#include "codegen/ptx/instructions/target.h"
#include "codegen/ptx/machine/address.h"
#include "codegen/ptx/machine/special_registers.h"
#include "codegen/ptx/syntax/control_flow.h"
#include "codegen/ptx/syntax/parser.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

// Shared memory of the largest devices is 228 KiB; a module may declare more than any has.
constexpr uint64_t kMaxSharedBytes = uint64_t{1} << 26;
constexpr uint64_t kMaxLocalBytes = uint64_t{1} << 30;
// All lanes of a register of 128 bits; no slot needs more.
constexpr uint64_t kMaxRegisterBytes = uint64_t{1} << 30;

// Bytes that a lane of a register takes; 0 for a predicate.
int LaneBytes(Type type) {
  const int bits = BitWidth(type);
  if (type == Type::kPred) return 0;
  return bits <= 32 ? 4 : bits <= 64 ? 8 : 16;
}

uint64_t AlignUp(uint64_t offset, uint64_t alignment) {
  return alignment <= 1 ? offset : (offset + alignment - 1) / alignment * alignment;
}

bool HasModifier(const syntax::Instruction& instruction,
                 std::initializer_list<std::string_view> names) {
  return std::ranges::any_of(instruction.modifiers, [&](const syntax::Modifier& modifier) {
    return std::ranges::find(names, modifier.name) != names.end();
  });
}

// Whether blocks may see through it what other blocks do: atomics and synchronising accesses of
// memory that is not shared memory, and calls of the driver, whose order the user sees.
bool MayCommunicate(const syntax::Module& module, const syntax::Instruction& instruction) {
  if (instruction.opcode == "call") {
    return std::ranges::any_of(instruction.operands, [&](const syntax::Operand& operand) {
      return operand.kind == syntax::OperandKind::kFunction &&
             !module.functions[operand.index].has_body;
    });
  }
  if (HasModifier(instruction, {"shared", "shared::cta", "local", "param", "const"})) return false;
  if (instruction.opcode == "atom" || instruction.opcode == "red") return true;
  if (instruction.opcode == "cp") return HasModifier(instruction, {"reduce"});
  return (instruction.opcode == "ld" || instruction.opcode == "st") &&
         HasModifier(instruction, {"volatile", "relaxed", "acquire", "release", "mmio"});
}

// Whether a lane may see through it what other lanes do, at a time that a loop can wait for.
bool MaySeeOtherLanes(const syntax::Instruction& instruction) {
  if (instruction.opcode == "atom" || instruction.opcode == "mbarrier") return true;
  return instruction.opcode == "ld" &&
         HasModifier(instruction, {"volatile", "relaxed", "acquire", "mmio"});
}

bool UsesReservedShared(const syntax::Function& function) {
  return std::ranges::any_of(function.instructions, [](const syntax::Instruction& instruction) {
    return std::ranges::any_of(instruction.operands, [](const syntax::Operand& operand) {
      return operand.kind == syntax::OperandKind::kSpecialRegister &&
             operand.name.starts_with("%reserved_smem_offset_");
    });
  });
}

}  // namespace

ProgramDecoder::ProgramDecoder(const LoadedModule& loaded, Program& program)
    : loaded_(loaded), program_(program) {
  program_.text = loaded.text;
  program_.file = loaded.file;
  program_.module = loaded.module;
  program_.function_numbers.assign(loaded.module->functions.size(), 0);
}

absl::Status ProgramDecoder::ErrorAt(Place place, std::string_view message) const {
  return syntax::ErrorAt(loaded_.text, loaded_.file, place, message);
}

uint32_t ProgramDecoder::FunctionNumber(uint32_t index) {
  uint32_t& number = program_.function_numbers[index];
  if (number == 0) {
    pending_.push_back(index);
    number = static_cast<uint32_t>(pending_.size());
  }
  return number - 1;
}

absl::StatusOr<uint64_t> ProgramDecoder::SharedOffset(const syntax::Function* function,
                                                      uint32_t variable) {
  const syntax::Variable& declared =
      (function == nullptr ? loaded_.module->variables : function->variables)[variable];
  // Dynamic shared memory begins after all static variables, which are not all known yet: its place
  // is the same for all kernels of a module whose static variables are placed in advance.
  const auto [known, is_new] = shared_offsets_.try_emplace({function, variable}, 0);
  if (!is_new) return known->second;
  const uint64_t offset = AlignUp(program_.shared_bytes, declared.alignment);
  const uint64_t size = declared.SizeInBytes();
  if (size > kMaxSharedBytes || offset + size > kMaxSharedBytes) {
    return ErrorAt(declared.place,
                   absl::StrCat("shared memory of more than ", kMaxSharedBytes, " bytes"));
  }
  known->second = offset;
  program_.shared_bytes = offset + size;
  program_.shared_variables.push_back({std::string(declared.name), offset, size});
  return offset;
}

absl::Status ProgramDecoder::Decode(uint32_t kernel) {
  // Static variables of shared memory that the module or the kernel's functions declare; those of
  // `.extern .shared x[]` all begin where these end (§5.1.7).
  const syntax::Module& module = *loaded_.module;
  FunctionNumber(kernel);
  // What can be called: every function whose name an operand or an initial value says.
  for (size_t next = 0; next < pending_.size(); ++next) {
    const syntax::Function& function = module.functions[pending_[next]];
    for (const syntax::Instruction& instruction : function.instructions) {
      program_.blocks_communicate |= MayCommunicate(module, instruction);
      program_.lanes_communicate |= MaySeeOtherLanes(instruction);
    }
    syntax::ForEachOperand(function, [&](const syntax::Operand& operand) {
      if (operand.kind == syntax::OperandKind::kFunction &&
          module.functions[operand.index].has_body) {
        FunctionNumber(operand.index);
      }
    });
    // An indirect call may reach what a table of the module names.
    if (next == 0) {
      for (const syntax::Variable& variable : module.variables) {
        for (const syntax::Initializer& initializer : variable.initializers) {
          if (initializer.function != 0 && module.functions[initializer.function - 1].has_body) {
            FunctionNumber(initializer.function - 1);
          }
        }
      }
    }
  }
  const auto place_all = [&](const syntax::Function* function,
                             const std::vector<syntax::Variable>& variables) -> absl::Status {
    for (uint32_t i = 0; i < variables.size(); ++i) {
      if (variables[i].space != Space::kShared || variables[i].elements == 0) continue;
      HLO_INDEXING_RETURN_IF_ERROR(SharedOffset(function, i).status());
    }
    return absl::OkStatus();
  };
  for (const uint32_t index : pending_) {
    if (!UsesReservedShared(module.functions[index])) continue;
    program_.reserved_shared_bytes = kReservedSharedBytes;
    program_.shared_bytes = kReservedSharedBytes;
    program_.shared_variables = {
        {"shared memory that the system reserves", 0, kReservedSharedBytes}};
    break;
  }
  // A module's variables take room only where they are used.
  std::vector<bool> is_used(module.variables.size(), false);
  for (const uint32_t index : pending_) {
    const syntax::Function& function = module.functions[index];
    HLO_INDEXING_RETURN_IF_ERROR(place_all(&function, function.variables));
    syntax::ForEachOperand(function, [&](const syntax::Operand& operand) {
      if (operand.kind == syntax::OperandKind::kVariable && !operand.is_local) {
        is_used[operand.index] = true;
      }
    });
  }
  uint64_t dynamic_alignment = 16;
  for (uint32_t i = 0; i < module.variables.size(); ++i) {
    const syntax::Variable& variable = module.variables[i];
    if (variable.space != Space::kShared || !is_used[i]) continue;
    if (variable.elements == 0) {
      dynamic_alignment = std::max<uint64_t>(dynamic_alignment, variable.alignment);
    } else {
      HLO_INDEXING_RETURN_IF_ERROR(SharedOffset(nullptr, i).status());
    }
  }
  for (const uint32_t index : pending_) {
    for (const syntax::Variable& variable : module.functions[index].variables) {
      if (variable.space == Space::kShared && variable.elements == 0) {
        dynamic_alignment = std::max<uint64_t>(dynamic_alignment, variable.alignment);
      }
    }
  }
  program_.dynamic_shared_offset = AlignUp(program_.shared_bytes, dynamic_alignment);
  for (uint32_t i = 0; i < module.variables.size(); ++i) {
    const syntax::Variable& variable = module.variables[i];
    if (variable.space == Space::kShared && variable.elements == 0) {
      shared_offsets_[{nullptr, i}] = program_.dynamic_shared_offset;
    }
  }
  for (const uint32_t index : pending_) {
    const syntax::Function& function = module.functions[index];
    for (uint32_t i = 0; i < function.variables.size(); ++i) {
      const syntax::Variable& variable = function.variables[i];
      if (variable.space == Space::kShared && variable.elements == 0) {
        shared_offsets_[{&function, i}] = program_.dynamic_shared_offset;
      }
    }
  }

  program_.functions.resize(pending_.size());
  for (size_t number = 0; number < pending_.size(); ++number) {
    FunctionDecoder decoder(*this, module.functions[pending_[number]], program_.functions[number]);
    HLO_INDEXING_RETURN_IF_ERROR(decoder.Decode());
  }
  return absl::OkStatus();
}

FunctionDecoder::FunctionDecoder(ProgramDecoder& program, const syntax::Function& source,
                                 ProgramFunction& function)
    : program_(program), source_(source), function_(function) {
  function_.name = source.name;
  function_.source = &source;
}

Slot FunctionDecoder::NewSlot(int lane_bytes) {
  std::vector<std::byte>& registers = function_.initial_registers;
  // Rows of 64 bytes, so that vectors of registers are aligned; predicates are packed.
  const size_t size = lane_bytes == 0 ? 4 : static_cast<size_t>(lane_bytes) * kWarpSize;
  const size_t slot = AlignUp(registers.size(), lane_bytes == 0 ? 4 : 64);
  registers.resize(slot + size);
  return static_cast<Slot>(slot);
}

Slot FunctionDecoder::ConstantSlot(int lane_bytes, uint64_t bits) {
  const auto [known, is_new] = constants_.try_emplace({lane_bytes, bits}, kNoSlot);
  if (!is_new) return known->second;
  const Slot slot = known->second = NewSlot(lane_bytes);
  std::byte* start = function_.initial_registers.data() + slot;
  if (lane_bytes == 0) {
    const LaneMask mask = bits != 0 ? kAllLanes : 0;
    std::memcpy(start, &mask, sizeof(mask));
    return slot;
  }
  const auto stride = static_cast<size_t>(lane_bytes);
  for (size_t lane = 0; lane < kWarpSize; ++lane) {
    std::memcpy(start + lane * stride, &bits, std::min(stride, sizeof(bits)));
  }
  return slot;
}

Slot FunctionDecoder::SpecialSlot(std::string_view name, int lane_bytes) {
  const auto [known, is_new] = specials_.try_emplace(name, kNoSlot);
  if (is_new) {
    known->second = NewSlot(lane_bytes);
    function_.special_registers.push_back({name, known->second});
  }
  return known->second;
}

Slot FunctionDecoder::CarryFlag() {
  if (carry_flag_ == kNoSlot) carry_flag_ = NewSlot(0);
  return carry_flag_;
}

void FunctionDecoder::Append(Operation operation) {
  operation.number = program_.program().num_operations++;
  function_.operations.push_back(std::move(operation));
}

uint32_t FunctionDecoder::TargetOf(uint32_t label) const {
  return first_operations_[source_.labels[label].instruction];
}

void FunctionDecoder::AtEnd(uint32_t operation,
                            absl::Status (*finish)(FunctionDecoder&, Operation&)) {
  at_end_.emplace_back(operation, finish);
}

void FunctionDecoder::SetTurns() {
  if (source_.instructions.empty()) return;
  const syntax::ControlFlow flow(source_);
  const std::vector<size_t> order = flow.Order();
  if (std::ranges::is_sorted(order)) return;
  // The return at the end is no instruction of a block.
  function_.turns.assign(NextIndex(), NextIndex());
  function_.block_ends.assign(NextIndex(), NextIndex());
  uint32_t turn = 0;
  for (const size_t block : order) {
    const uint32_t end = first_operations_[flow.EndOf(block)];
    for (uint32_t i = first_operations_[flow.BeginOf(block)]; i < end; ++i) {
      function_.turns[i] = turn++;
      function_.block_ends[i] = end;
    }
  }
}

absl::Status FunctionDecoder::PlaceVariables() {
  local_places_.resize(source_.variables.size());
  uint64_t parameter_end = 0;
  std::vector<bool> is_kernel_parameter(source_.variables.size(), false);
  if (source_.is_entry) {
    for (const uint32_t index : source_.parameters) {
      const syntax::Variable& variable = source_.variables[index];
      parameter_end = AlignUp(parameter_end, variable.alignment);
      local_places_[index] = {parameter_end, variable.SizeInBytes()};
      is_kernel_parameter[index] = true;
      parameter_end += variable.SizeInBytes();
      if (parameter_end > kMaxLocalBytes) {
        return program_.ErrorAt(variable.place, "parameters of more than 1 GiB");
      }
      function_.parameters.push_back(local_places_[index]);
    }
    program_.program().parameter_bytes = parameter_end;
  }
  uint64_t end = 0;
  for (uint32_t i = 0; i < source_.variables.size(); ++i) {
    const syntax::Variable& variable = source_.variables[i];
    if (is_kernel_parameter[i]) continue;
    if (variable.space != Space::kLocal && variable.space != Space::kParam) continue;
    const uint64_t size = variable.SizeInBytes();
    end = AlignUp(end, variable.alignment);
    if (size > kMaxLocalBytes || end + size > kMaxLocalBytes) {
      return program_.ErrorAt(variable.place, "local memory of more than 1 GiB");
    }
    local_places_[i] = {end, size};
    end += size;
  }
  // Activations begin at multiples of 16, the largest alignment of a vector.
  function_.local_bytes = AlignUp(end, 16);
  if (source_.is_entry) return absl::OkStatus();
  const auto place_of = [&](uint32_t index, bool is_register) {
    return is_register ? VariablePlace{register_slots_[index], 0} : local_places_[index];
  };
  for (size_t i = 0; i < source_.parameters.size(); ++i) {
    function_.parameters.push_back(
        place_of(source_.parameters[i], source_.parameter_is_register[i]));
  }
  for (size_t i = 0; i < source_.results.size(); ++i) {
    function_.results.push_back(place_of(source_.results[i], source_.result_is_register[i]));
  }
  return absl::OkStatus();
}

absl::Status FunctionDecoder::Decode() {
  register_slots_.reserve(source_.registers.size());
  for (const syntax::Register& declared : source_.registers) {
    register_slots_.push_back(NewSlot(LaneBytes(declared.type)));
    if (function_.initial_registers.size() > kMaxRegisterBytes) {
      return program_.ErrorAt(declared.place, "too many registers");
    }
  }
  HLO_INDEXING_RETURN_IF_ERROR(PlaceVariables());
  first_operations_.reserve(source_.instructions.size() + 1);
  for (const syntax::Instruction& instruction : source_.instructions) {
    first_operations_.push_back(NextIndex());
    InstructionDecoder decoder(*this, instruction);
    const OpcodeRow* row = FindOpcode(instruction.opcode);
    if (row == nullptr) {
      return decoder.Error(
          absl::StrCat("instruction '", std::string(instruction.opcode), "' is not supported"));
    }
    HLO_INDEXING_RETURN_IF_ERROR(row->decode(decoder));
    HLO_INDEXING_RETURN_IF_ERROR(CheckTarget(decoder));
  }
  first_operations_.push_back(NextIndex());
  // The end of the body returns (§9.7.12.6).
  static const syntax::Instruction kReturn = [] {
    syntax::Instruction instruction;
    instruction.opcode = "ret";
    return instruction;
  }();
  InstructionDecoder decoder(*this, kReturn);
  HLO_INDEXING_RETURN_IF_ERROR(FindOpcode("ret")->decode(decoder));
  function_.operations.back().source =
      source_.instructions.empty() ? &kReturn : &source_.instructions.back();
  SetTurns();
  for (const auto& [operation, finish] : at_end_) {
    HLO_INDEXING_RETURN_IF_ERROR(finish(*this, function_.operations[operation]));
  }
  return absl::OkStatus();
}

absl::StatusOr<Program> DecodeKernel(const LoadedModule& loaded, uint32_t kernel) {
  Program program;
  ProgramDecoder decoder(loaded, program);
  HLO_INDEXING_RETURN_IF_ERROR(decoder.Decode(kernel));
  return program;
}

}  // namespace hlo_indexing::ptx
