#include "codegen/ptx/instructions/bulk_reduction.h"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "codegen/ptx/instructions/atomic_functions.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/machine/async_copies.h"
#include "codegen/ptx/numerics/half.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

enum class Action : uint8_t { kAnd, kOr, kXor, kAdd, kInc, kDec, kMin, kMax };

template <typename T, T (*kFunction)(T, T)>
void Reduce(std::byte* to, const std::byte* from, uint64_t bytes) {
  for (uint64_t offset = 0; offset + sizeof(T) <= bytes; offset += sizeof(T)) {
    T old;
    T operand;
    std::memcpy(&old, to + offset, sizeof(T));
    std::memcpy(&operand, from + offset, sizeof(T));
    old = kFunction(old, operand);
    std::memcpy(to + offset, &old, sizeof(T));
  }
}

template <typename T>
ReduceBytes OnBits(Action action) {
  if (action == Action::kAnd) return Reduce<T, And<T>>;
  if (action == Action::kOr) return Reduce<T, Or<T>>;
  return action == Action::kXor ? Reduce<T, Xor<T>> : nullptr;
}

template <typename T>
ReduceBytes MinOrMax(Action action) {
  if (action == Action::kMin) return Reduce<T, Min<T>>;
  return action == Action::kMax ? Reduce<T, Max<T>> : nullptr;
}

template <numerics::HalfScalar Half>
ReduceBytes OnHalves(Action action) {
  if (action == Action::kAdd) return Reduce<uint16_t, AddHalves<Half>>;
  if (action == Action::kMin) return Reduce<uint16_t, ExtremeOfHalves<Half, false>>;
  return action == Action::kMax ? Reduce<uint16_t, ExtremeOfHalves<Half, true>> : nullptr;
}

/// nullptr where the type does not have the action.
ReduceBytes FunctionOf(Action action, Type type) {
  const bool is_add = action == Action::kAdd;
  switch (type) {
    case Type::kB32:
      return OnBits<uint32_t>(action);
    case Type::kB64:
      return OnBits<uint64_t>(action);
    case Type::kU32:
      if (action == Action::kInc) return Reduce<uint32_t, Increment>;
      if (action == Action::kDec) return Reduce<uint32_t, Decrement>;
      return is_add ? Reduce<uint32_t, Add<uint32_t>> : MinOrMax<uint32_t>(action);
    case Type::kS32:
      return is_add ? Reduce<uint32_t, Add<uint32_t>> : MinOrMax<int32_t>(action);
    case Type::kU64:
      return is_add ? Reduce<uint64_t, Add<uint64_t>> : MinOrMax<uint64_t>(action);
    case Type::kS64:
      return MinOrMax<int64_t>(action);
    case Type::kF32:
      return is_add ? Reduce<uint32_t, AddFlushed> : nullptr;
    case Type::kF64:
      return is_add ? Reduce<uint64_t, AddDoubles> : nullptr;
    case Type::kF16:
      return OnHalves<numerics::F16>(action);
    case Type::kBf16:
      return OnHalves<numerics::Bf16>(action);
    default:
      return nullptr;
  }
}

}  // namespace

absl::StatusOr<ReduceBytes> TakeBulkReduction(InstructionDecoder& d) {
  const std::optional<int> number =
      d.TakeOneOf({"and", "or", "xor", "add", "inc", "dec", "min", "max"});
  if (!number) return d.Error("cp.reduce.async.bulk needs an operation as .add");
  const auto action = static_cast<Action>(*number);
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType());
  const ReduceBytes function = FunctionOf(action, type);
  if (function == nullptr) {
    return d.Error("cp.reduce.async.bulk does not have this operation for ." +
                   std::string(NameOf(type)));
  }
  const bool is_half = type == Type::kF16 || type == Type::kBf16;
  if (is_half && action == Action::kAdd && !d.Take("noftz")) {
    return d.Error("an addition of ." + std::string(NameOf(type)) + " needs .noftz");
  }
  return function;
}

}  // namespace hlo_indexing::ptx
