// atom and red: read, change and write as one (PTX ISA 9.7.13.13 and 9.7.13.14).
//
// The lanes of a warp follow one another in order, so that lanes with equal addresses see each
// other's results. Scopes and semantics change nothing here: memory accesses happen one after
// another. What a device does about subnormal numbers is done too (see AddFlushed).
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/instructions/atomic_functions.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/memory_operand.h"
#include "codegen/ptx/instructions/table.h"
#include "codegen/ptx/machine/address.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/machine/warp_access.h"
#include "codegen/ptx/numerics/half.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

constexpr size_t kMaxElements = 8;

struct AtomicDetails : OperationDetails {
  MemoryOperand memory;
  bool is_release = false;
  /// Elements of the vector, 1 for a scalar.
  size_t count = 1;
  /// Of each element, where the old value goes and where the operand is.
  std::array<Slot, kMaxElements> results = {};
  std::array<Slot, kMaxElements> sources = {};
  /// What cas writes if the comparison holds.
  Slot replacement = kNoSlot;
};

/// The lanes of a register that hold a T: small ones sit in 32 bits.
template <typename T>
using LaneOf = std::conditional_t<sizeof(T) < 4, uint32_t, T>;

template <typename T>
T Load(const std::byte* place) {
  T value;
  std::memcpy(&value, place, sizeof(T));
  return value;
}

template <typename T>
void Store(std::byte* place, T value) {
  std::memcpy(place, &value, sizeof(T));
}

/// Checks the access of the lanes. Lanes that are refused get zeros as results.
template <typename T>
LaneMask Resolve(const Operation& operation, const Execution& execution,
                 const AtomicDetails& details, WarpAccess& access, HostPointers& pointers) {
  access.kind = AccessKind::kAtomic;
  access.is_strong = true;
  access.is_release = details.is_release;
  access.bytes = static_cast<uint32_t>(sizeof(T) * details.count);
  access.alignment = access.bytes;
  SetAddresses(details.memory, execution, access);
  const LaneMask allowed = ResolveAccess(operation, execution, access, pointers);
  for (size_t e = 0; e < details.count; ++e) {
    auto* result = execution.At<LaneOf<T>>(details.results[e]);
    ForEachLane(execution.lanes & ~allowed, [&](int lane) { result[lane] = LaneOf<T>{}; });
  }
  return allowed;
}

/// Whether the lane's address is in shared memory.
bool IsShared(const WarpAccess& access, size_t lane) {
  const Space space =
      access.space == Space::kGeneric ? SpaceOfGeneric(access.addresses[lane]) : access.space;
  return space == Space::kShared;
}

/// *a = kFunction(*a, b) for each element; in shared memory kInShared, if it is given.
template <typename T, auto kFunction, auto kInShared = nullptr>
Step ExecuteAtomic(const Operation& operation, Execution& execution) {
  const auto& details = operation.Details<AtomicDetails>();
  WarpAccess access;
  HostPointers pointers;
  const LaneMask allowed = Resolve<T>(operation, execution, details, access, pointers);
  ForEachLane(allowed, [&](int lane) {
    const auto l = static_cast<size_t>(lane);
    // A source may be the result of an element before it.
    std::array<T, kMaxElements> sources;
    for (size_t e = 0; e < details.count; ++e) {
      sources[e] = static_cast<T>(execution.At<LaneOf<T>>(details.sources[e])[lane]);
    }
    for (size_t e = 0; e < details.count; ++e) {
      std::byte* place = pointers[l] + e * sizeof(T);
      const T old = Load<T>(place);
      if constexpr (std::is_null_pointer_v<decltype(kInShared)>) {
        Store<T>(place, kFunction(old, sources[e]));
      } else {
        Store<T>(place,
                 IsShared(access, l) ? kInShared(old, sources[e]) : kFunction(old, sources[e]));
      }
      execution.At<LaneOf<T>>(details.results[e])[lane] = old;
    }
  });
  return Step::kNext;
}

bool IsEqual(const Bits128& a, const Bits128& b) { return a.low == b.low && a.high == b.high; }
template <typename T>
bool IsEqual(T a, T b) {
  return a == b;
}

/// Bit b: byte b of both is the same.
template <typename T>
uint32_t EqualBytes(const T& a, const T& b) {
  std::array<std::byte, sizeof(T)> bytes_of_a;
  std::array<std::byte, sizeof(T)> bytes_of_b;
  Store<T>(bytes_of_a.data(), a);
  Store<T>(bytes_of_b.data(), b);
  uint32_t equal = 0;
  for (size_t i = 0; i < sizeof(T); ++i) {
    equal |= static_cast<uint32_t>(bytes_of_a[i] == bytes_of_b[i]) << i;
  }
  return equal;
}

/// *a = *a == b ? c : *a.
template <typename T>
Step ExecuteCompareAndSwap(const Operation& operation, Execution& execution) {
  const auto& details = operation.Details<AtomicDetails>();
  const auto* expected = execution.At<LaneOf<T>>(details.sources[0]);
  const auto* replacement = execution.At<LaneOf<T>>(details.replacement);
  Lanes<uint32_t> kept_bytes;
  ForEachLane(execution.lanes, [&](int lane) {
    kept_bytes[static_cast<size_t>(lane)] =
        EqualBytes<T>(static_cast<T>(expected[lane]), static_cast<T>(replacement[lane]));
  });
  WarpAccess access;
  access.kept_bytes = &kept_bytes;
  HostPointers pointers;
  const LaneMask allowed = Resolve<T>(operation, execution, details, access, pointers);
  auto* result = execution.At<LaneOf<T>>(details.results[0]);
  ForEachLane(allowed, [&](int lane) {
    std::byte* place = pointers[static_cast<size_t>(lane)];
    const T old = Load<T>(place);
    if (IsEqual(old, static_cast<T>(expected[lane]))) {
      Store<T>(place, static_cast<T>(replacement[lane]));
    }
    result[lane] = old;
  });
  return Step::kNext;
}

// --- The function of an instruction.

enum class Action : uint8_t { kAnd, kOr, kXor, kCas, kExchange, kAdd, kInc, kDec, kMin, kMax };

template <typename T>
Execute OnBits(Action action) {
  switch (action) {
    case Action::kAnd:
      return ExecuteAtomic<T, And<T>>;
    case Action::kOr:
      return ExecuteAtomic<T, Or<T>>;
    case Action::kXor:
      return ExecuteAtomic<T, Xor<T>>;
    case Action::kExchange:
      return ExecuteAtomic<T, Exchange<T>>;
    case Action::kCas:
      return ExecuteCompareAndSwap<T>;
    default:
      return nullptr;
  }
}

template <typename T>
Execute OnIntegers(Action action) {
  switch (action) {
    case Action::kAdd:
      return ExecuteAtomic<T, Add<T>>;
    case Action::kMin:
      return ExecuteAtomic<T, Min<T>>;
    case Action::kMax:
      return ExecuteAtomic<T, Max<T>>;
    default:
      return nullptr;
  }
}

/// Of f16 and bf16, and packed ones.
template <numerics::HalfScalar Half>
Execute OnHalves(Action action, bool is_packed) {
  switch (action) {
    case Action::kAdd:
      return is_packed ? ExecuteAtomic<uint32_t, OnPairs<AddHalves<Half>>>
                       : ExecuteAtomic<uint16_t, AddHalves<Half>>;
    case Action::kMin:
      return is_packed ? ExecuteAtomic<uint32_t, OnPairs<ExtremeOfHalves<Half, false>>>
                       : ExecuteAtomic<uint16_t, ExtremeOfHalves<Half, false>>;
    case Action::kMax:
      return is_packed ? ExecuteAtomic<uint32_t, OnPairs<ExtremeOfHalves<Half, true>>>
                       : ExecuteAtomic<uint16_t, ExtremeOfHalves<Half, true>>;
    default:
      return nullptr;
  }
}

bool IsHalf(Type type) {
  return type == Type::kF16 || type == Type::kBf16 || type == Type::kF16x2 || type == Type::kBf16x2;
}

/// nullptr where the type does not have the action.
Execute FunctionOf(Action action, Type type) {
  switch (type) {
    case Type::kB16:
      return action == Action::kCas ? ExecuteCompareAndSwap<uint16_t> : nullptr;
    case Type::kB32:
      return OnBits<uint32_t>(action);
    case Type::kB64:
      return OnBits<uint64_t>(action);
    case Type::kB128:
      if (action == Action::kCas) return ExecuteCompareAndSwap<Bits128>;
      return action == Action::kExchange ? ExecuteAtomic<Bits128, Exchange<Bits128>> : nullptr;
    case Type::kU32:
      if (action == Action::kInc) return ExecuteAtomic<uint32_t, Increment>;
      if (action == Action::kDec) return ExecuteAtomic<uint32_t, Decrement>;
      return OnIntegers<uint32_t>(action);
    case Type::kS32:
      // Wraps around: added as unsigned.
      if (action == Action::kAdd) return ExecuteAtomic<uint32_t, Add<uint32_t>>;
      return OnIntegers<int32_t>(action);
    case Type::kU64:
      return OnIntegers<uint64_t>(action);
    case Type::kS64:
      return action == Action::kAdd ? nullptr : OnIntegers<int64_t>(action);
    case Type::kF32:
      return action == Action::kAdd ? ExecuteAtomic<uint32_t, AddFlushed, AddFloats> : nullptr;
    case Type::kF64:
      return action == Action::kAdd ? ExecuteAtomic<uint64_t, AddDoubles> : nullptr;
    case Type::kF16:
    case Type::kF16x2:
      return OnHalves<numerics::F16>(action, type == Type::kF16x2);
    case Type::kBf16:
    case Type::kBf16x2:
      return OnHalves<numerics::Bf16>(action, type == Type::kBf16x2);
    default:
      return nullptr;
  }
}

/// The elements of the vector that a modifier names, 1 where none does.
size_t TakeVectorLength(InstructionDecoder& d) {
  const std::optional<int> length = d.TakeOneOf({"v2", "v4", "v8"});
  return length ? size_t{2} << *length : 1;
}

/// What §9.7.13.13 says of vectors and of `.noftz`.
absl::Status CheckTypeRules(InstructionDecoder& d, Action action, Type type, size_t count,
                            Space space) {
  if (IsHalf(type)) {
    if (!d.Take("noftz")) {
      return d.Error("an atomic on ." + std::string(NameOf(type)) + " needs .noftz");
    }
    if (count == 1 && action != Action::kAdd) {
      return d.Error("min and max of ." + std::string(NameOf(type)) + " are of vectors only");
    }
  }
  if (count == 1) return absl::OkStatus();
  if (!IsHalf(type) && type != Type::kF32) {
    return d.Error("there are no atomics on vectors of ." + std::string(NameOf(type)));
  }
  if (count == 8 && BitWidth(type) == 32) {
    return d.Error(".v8 is of 16-bit types only");
  }
  if (space == Space::kShared) return d.Error("vector atomics are of global memory");
  return absl::OkStatus();
}

/// Scopes and semantics, of which at most one each is there; whether it is a release. They say what
/// other threads see, which is everything here, but for the detectors of races.
bool TakeOrder(InstructionDecoder& d, bool is_red) {
  d.TakeOneOf({"cta", "cluster", "gpu", "sys"});
  if (is_red) return d.TakeOneOf({"relaxed", "release"}) == 1;
  return d.TakeOneOf({"relaxed", "acquire", "release", "acq_rel"}).value_or(0) >= 2;
}

absl::Status DecodeAtomic(InstructionDecoder& d) {
  const bool is_red = d.opcode() == "red";
  if (is_red && d.Take("async")) {
    return d.Error("red.async needs a cluster; clusters are not supported");
  }
  auto details = std::make_shared<AtomicDetails>();
  details->is_release = TakeOrder(d, is_red);
  const Space space = TakeAccessSpace(d);
  if (space != Space::kGeneric && space != Space::kGlobal && space != Space::kShared) {
    return d.Error("atomics are of .global and .shared memory, not of ." +
                   std::string(NameOf(space)));
  }
  const std::optional<int> number =
      d.TakeOneOf({"and", "or", "xor", "cas", "exch", "add", "inc", "dec", "min", "max"});
  if (!number) return d.Error(std::string(d.opcode()) + " needs an operation as .add");
  const auto action = static_cast<Action>(*number);
  if (is_red && (action == Action::kCas || action == Action::kExchange)) {
    return d.Error("red has no .cas and no .exch");
  }
  details->count = TakeVectorLength(d);
  const bool has_policy = d.Take("L2::cache_hint");
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType());
  const Execute execute = FunctionOf(action, type);
  if (execute == nullptr) {
    return d.Error(std::string(d.opcode()) + " does not have this operation for ." +
                   std::string(NameOf(type)));
  }
  HLO_INDEXING_RETURN_IF_ERROR(CheckTypeRules(d, action, type, details->count, space));

  const int first = is_red ? 0 : 1;
  const int num_sources = action == Action::kCas ? 2 : 1;
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(first + 1 + num_sources + (has_policy ? 1 : 0)));
  HLO_INDEXING_ASSIGN_OR_RETURN(details->memory, DecodeMemoryOperand(d, first, space));
  const auto count = static_cast<int>(details->count);
  HLO_INDEXING_ASSIGN_OR_RETURN(const auto sources, d.Vector(first + 1, count));
  for (size_t e = 0; e < details->count; ++e) {
    HLO_INDEXING_ASSIGN_OR_RETURN(details->sources[e], d.Source(sources[e], type));
    // Also red has a place for the old value, which nobody reads.
    if (is_red) details->results[e] = d.Scratch(type);
  }
  if (!is_red) {
    if (d.operand(0).kind == syntax::OperandKind::kSink) {
      for (size_t e = 0; e < details->count; ++e) details->results[e] = d.Scratch(type);
    } else {
      HLO_INDEXING_ASSIGN_OR_RETURN(const auto results, d.Vector(0, count));
      for (size_t e = 0; e < details->count; ++e) {
        HLO_INDEXING_ASSIGN_OR_RETURN(details->results[e], d.Destination(results[e], type));
      }
    }
  }
  if (action == Action::kCas) {
    HLO_INDEXING_ASSIGN_OR_RETURN(details->replacement, d.Source(first + 2, type));
  }
  if (has_policy) {
    HLO_INDEXING_RETURN_IF_ERROR(d.Source(first + 1 + num_sources, Type::kB64).status());
  }
  return d.Emit({.execute = execute, .pipe = Pipe::kMemory, .details = std::move(details)});
}

constexpr OpcodeRow kRows[] = {{"atom", DecodeAtomic}, {"red", DecodeAtomic}};

}  // namespace

std::span<const OpcodeRow> AtomicOpcodes() { return kRows; }

}  // namespace hlo_indexing::ptx
