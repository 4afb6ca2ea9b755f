// ld, ldu and st (§9.7.9.8 to §9.7.9.12): all spaces, types, vectors, orders and cache hints.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "codegen/ptx/instructions/cache_control.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/function_decoder.h"
#include "codegen/ptx/instructions/memory_modifiers.h"
#include "codegen/ptx/instructions/memory_operand.h"
#include "codegen/ptx/instructions/table.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/launch_state.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/machine/warp_access.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

constexpr size_t kMaxElements = 8;
constexpr size_t kMaxAccessBytes = 32;

struct LoadStoreDetails : OperationDetails {
  MemoryOperand memory;
  AccessKind kind = AccessKind::kLoad;
  Ordering ordering;
  uint32_t bytes = 4;
  size_t num_elements = 1;
  /// Registers of the elements, whether their lanes have 64 bits; kNoSlot: `_`, not needed.
  std::array<Slot, kMaxElements> registers = {};
  std::array<bool, kMaxElements> is_wide = {};
};

void Prepare(const LoadStoreDetails& details, const Execution& execution, WarpAccess& access) {
  access.kind = details.kind;
  access.is_strong = details.ordering.is_strong;
  access.is_release = details.ordering.is_release;
  access.bytes = details.bytes;
  access.alignment = details.bytes;
  SetAddresses(details.memory, execution, access);
}

// The value in memory as the lanes of a register hold it: extended by its sign or zeros.
template <typename Lane, typename Element>
Lane Extended(Element element) {
  if constexpr (std::is_same_v<Element, Bits128>) {
    return element;
  } else if constexpr (std::is_signed_v<Element>) {
    return static_cast<Lane>(static_cast<std::make_signed_t<Lane>>(element));
  } else {
    return static_cast<Lane>(element);
  }
}

template <typename Lane, typename Element>
void LoadElement(const HostPointers& pointers, LaneMask lanes, LaneMask refused, size_t offset,
                 Lane* to) {
  ForEachLane(lanes, [&](int lane) {
    Element element;
    std::memcpy(&element, pointers[static_cast<size_t>(lane)] + offset, sizeof(Element));
    to[lane] = Extended<Lane>(element);
  });
  if (refused != 0) ForEachLane(refused, [&](int lane) { to[lane] = Lane{}; });
}

// Element: the type in memory, signed where loads extend the sign.
template <typename Element>
Step ExecuteLoad(const Operation& operation, Execution& execution) {
  const auto& details = operation.Details<LoadStoreDetails>();
  WarpAccess access;
  Prepare(details, execution, access);
  HostPointers pointers;
  const LaneMask lanes = ResolveAccess(operation, execution, access, pointers);
  const LaneMask refused = execution.lanes & ~lanes;
  for (size_t i = 0; i < details.num_elements; ++i) {
    const Slot slot = details.registers[i];
    if (slot == kNoSlot) continue;
    const size_t offset = i * sizeof(Element);
    if constexpr (std::is_same_v<Element, Bits128>) {
      LoadElement<Bits128, Element>(pointers, lanes, refused, offset, execution.At<Bits128>(slot));
    } else if (sizeof(Element) == 8 || details.is_wide[i]) {
      LoadElement<uint64_t, Element>(pointers, lanes, refused, offset,
                                     execution.At<uint64_t>(slot));
    } else {
      LoadElement<uint32_t, Element>(pointers, lanes, refused, offset,
                                     execution.At<uint32_t>(slot));
    }
  }
  return Step::kNext;
}

template <typename Element, typename Lane>
void StoreElement(const Lane* from, LaneMask lanes, size_t offset, const HostPointers& pointers) {
  ForEachLane(lanes, [&](int lane) {
    const auto element = static_cast<Element>(from[lane]);
    std::memcpy(pointers[static_cast<size_t>(lane)] + offset, &element, sizeof(Element));
  });
}

template <typename Element>
void StoreElements(const LoadStoreDetails& details, const Execution& execution, LaneMask lanes,
                   const HostPointers& pointers) {
  for (size_t i = 0; i < details.num_elements; ++i) {
    const Slot slot = details.registers[i];
    const size_t offset = i * sizeof(Element);
    if constexpr (std::is_same_v<Element, Bits128>) {
      StoreElement<Bits128>(execution.At<Bits128>(slot), lanes, offset, pointers);
    } else if (sizeof(Element) == 8 || details.is_wide[i]) {
      StoreElement<Element>(execution.At<uint64_t>(slot), lanes, offset, pointers);
    } else {
      StoreElement<Element>(execution.At<uint32_t>(slot), lanes, offset, pointers);
    }
  }
}

template <typename Element>
Step ExecuteStore(const Operation& operation, Execution& execution) {
  const auto& details = operation.Details<LoadStoreDetails>();
  WarpAccess access;
  Prepare(details, execution, access);
  HostPointers pointers;
  std::array<std::byte, kWarpSize * kMaxAccessBytes> stored;
  if (execution.launch->options->checks.racecheck) {
    for (size_t lane = 0; lane < kWarpSize; ++lane) {
      pointers[lane] = stored.data() + lane * details.bytes;
    }
    StoreElements<Element>(details, execution, execution.lanes, pointers);
    access.stored = stored.data();
  }
  const LaneMask lanes = ResolveAccess(operation, execution, access, pointers);
  StoreElements<Element>(details, execution, lanes, pointers);
  return Step::kNext;
}

// What executes a load or store of elements of the type.
Execute LoadOf(Type type) {
  const bool is_signed = IsSigned(type) && !IsFloat(type);
  switch (BitWidth(type)) {
    case 8:
      return is_signed ? ExecuteLoad<int8_t> : ExecuteLoad<uint8_t>;
    case 16:
      return is_signed ? ExecuteLoad<int16_t> : ExecuteLoad<uint16_t>;
    case 32:
      return is_signed ? ExecuteLoad<int32_t> : ExecuteLoad<uint32_t>;
    case 64:
      return ExecuteLoad<uint64_t>;
    default:
      return ExecuteLoad<Bits128>;
  }
}
Execute StoreOf(Type type) {
  switch (BitWidth(type)) {
    case 8:
      return ExecuteStore<uint8_t>;
    case 16:
      return ExecuteStore<uint16_t>;
    case 32:
      return ExecuteStore<uint32_t>;
    case 64:
      return ExecuteStore<uint64_t>;
    default:
      return ExecuteStore<Bits128>;
  }
}

absl::StatusOr<Type> TakeElementType(InstructionDecoder& d) {
  return d.TakeType({Type::kB8, Type::kB16, Type::kB32, Type::kB64, Type::kB128, Type::kU8,
                     Type::kU16, Type::kU32, Type::kU64, Type::kS8, Type::kS16, Type::kS32,
                     Type::kS64, Type::kF32, Type::kF64});
}

// A register with 128 bits holds nothing but b128.
absl::Status CheckRegisterWidth(InstructionDecoder& d, const syntax::Operand& operand, Type type) {
  if (operand.kind != syntax::OperandKind::kRegister) return absl::OkStatus();
  const Type declared = d.function().source().registers[operand.index].type;
  if ((BitWidth(declared) == 128) == (BitWidth(type) == 128)) return absl::OkStatus();
  return d.ErrorAt(operand.place, absl::StrCat("a register of ", BitWidth(declared),
                                               " bits does not hold elements of ", BitWidth(type)));
}

// `.v2 .v4 .v8`, and whether so many elements of the type are allowed.
absl::StatusOr<int> TakeCount(InstructionDecoder& d, Type type, Space space) {
  constexpr std::array<int, 3> kCounts = {2, 4, 8};
  const std::optional<int> vector = d.TakeOneOf({"v2", "v4", "v8"});
  const int count = vector.has_value() ? kCounts[static_cast<size_t>(*vector)] : 1;
  const int bits = count * BitWidth(type);
  if (count == 1 || (bits <= 128 && count <= 4 && BitWidth(type) < 128)) return count;
  if (bits != 256 || BitWidth(type) < 32 || BitWidth(type) > 64) {
    return d.Error(
        absl::StrCat("a vector of ", count, " elements of ", BitWidth(type), " bits is no access"));
  }
  const bool is_global = space == Space::kGlobal || space == Space::kGeneric;
  if (!is_global || d.target() < 100 || d.opcode() == "ldu") {
    return d.Error(
        "accesses of 256 bits are ld and st of .global and generic addresses, for "
        ".target sm_100 or higher");
  }
  return count;
}

absl::Status TakeOperands(InstructionDecoder& d, Type type, int count, bool is_store,
                          LoadStoreDetails& details) {
  const int vector_operand = is_store ? 1 : 0;
  HLO_INDEXING_ASSIGN_OR_RETURN(const std::span<const syntax::Operand> elements,
                                d.Vector(vector_operand, count));
  details.num_elements = static_cast<size_t>(count);
  for (size_t i = 0; i < elements.size(); ++i) {
    const syntax::Operand& element = elements[i];
    HLO_INDEXING_RETURN_IF_ERROR(CheckRegisterWidth(d, element, type));
    if (element.kind == syntax::OperandKind::kSink) {
      if (is_store) return d.ErrorAt(element.place, "'_' has no value to store");
      if (&element == &d.operand(0)) return d.ErrorAt(element.place, "a load needs a register");
      details.registers[i] = kNoSlot;
      continue;
    }
    HLO_INDEXING_ASSIGN_OR_RETURN(details.registers[i],
                                  is_store ? d.WideSource(element, type, &details.is_wide[i])
                                           : d.WideDestination(element, type, &details.is_wide[i]));
  }
  return absl::OkStatus();
}

absl::Status DecodeLoadStore(InstructionDecoder& d) {
  const bool is_store = d.opcode() == "st";
  const bool is_uniform = d.opcode() == "ldu";
  for (const std::string_view name : {"async", "bulk"}) {
    if (d.Take(name)) return d.ModifierError(name);
  }
  auto details = std::make_shared<LoadStoreDetails>();
  details->kind = is_store ? AccessKind::kStore : AccessKind::kLoad;
  CacheHints hints;
  bool is_non_coherent = false;
  if (!is_uniform) {
    HLO_INDEXING_ASSIGN_OR_RETURN(details->ordering, TakeOrdering(d));
    if (is_store ? details->ordering.is_acquire : details->ordering.is_release) {
      return d.ModifierError(is_store ? "acquire" : "release");
    }
    is_non_coherent = !is_store && d.Take("nc");
    HLO_INDEXING_ASSIGN_OR_RETURN(hints, TakeCacheHints(d, is_store));
  }
  d.Take("unified");
  const Space space = TakeAccessSpace(d);
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, TakeElementType(d));
  HLO_INDEXING_ASSIGN_OR_RETURN(const int count, TakeCount(d, type, space));
  HLO_INDEXING_RETURN_IF_ERROR(
      CheckAccessModifiers(d, details->ordering, hints, space, count * BitWidth(type)));
  if (is_non_coherent && (space != Space::kGlobal || details->ordering.is_strong)) {
    return d.Error(".nc is for plain loads of .global");
  }
  if (is_uniform && space != Space::kGlobal && space != Space::kGeneric) {
    return d.Error("ldu reads global memory");
  }
  if (is_store && space == Space::kConst) return d.Error("constant memory cannot be written");

  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(hints.has_policy ? 3 : 2));
  if (hints.has_policy) HLO_INDEXING_RETURN_IF_ERROR(CheckCachePolicy(d, 2));
  const int address_operand = is_store ? 0 : 1;
  HLO_INDEXING_ASSIGN_OR_RETURN(details->memory, DecodeMemoryOperand(d, address_operand, space));
  if (is_store && details->memory.address.is_kernel_parameter) {
    return d.OperandError(address_operand, "parameters of a kernel cannot be written");
  }
  HLO_INDEXING_RETURN_IF_ERROR(TakeOperands(d, type, count, is_store, *details));
  details->bytes = static_cast<uint32_t>(count * BitWidth(type) / 8);
  Operation operation;
  operation.execute = is_store ? StoreOf(type) : LoadOf(type);
  operation.pipe = Pipe::kMemory;
  operation.details = std::move(details);
  return d.Emit(std::move(operation));
}

constexpr OpcodeRow kRows[] = {
    {"ld", DecodeLoadStore},       {"ldu", DecodeLoadStore},
    {"st", DecodeLoadStore},       {"prefetch", DecodePrefetch},
    {"prefetchu", DecodePrefetch}, {"applypriority", DecodeApplyPriority},
    {"discard", DecodeDiscard},    {"createpolicy", DecodeCreatePolicy},
};

}  // namespace

std::span<const OpcodeRow> LoadStoreOpcodes() { return kRows; }

}  // namespace hlo_indexing::ptx
