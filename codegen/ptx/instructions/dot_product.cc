#include "codegen/ptx/instructions/dot_product.h"

#include <cstdint>
#include <optional>
#include <type_traits>

#include "absl/status/status.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/elementwise.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

/// Element i of a register of elements of type T, as the lowest bits of an addend modulo 2^32.
template <typename T>
uint32_t Element(uint32_t packed, int i) {
  return static_cast<uint32_t>(static_cast<T>(packed >> (8 * static_cast<int>(sizeof(T)) * i)));
}

template <typename A, typename B>
uint32_t Dp4aLane(uint32_t a, uint32_t b, uint32_t c) {
  for (int i = 0; i < 4; ++i) c += Element<A>(a, i) * Element<B>(b, i);
  return c;
}

template <typename A, typename B, bool kHigh>
uint32_t Dp2aLane(uint32_t a, uint32_t b, uint32_t c) {
  for (int i = 0; i < 2; ++i) c += Element<A>(a, i) * Element<B>(b, i + (kHigh ? 2 : 0));
  return c;
}

template <typename A, typename B, bool kAdd>
uint32_t VabsdiffLane(uint32_t a, uint32_t b, uint32_t c) {
  constexpr int kBits = 8 * static_cast<int>(sizeof(A));
  constexpr uint32_t kElement = (uint32_t{1} << kBits) - 1;
  uint32_t packed = 0;
  uint32_t sum = c;
  for (int i = 0; i * kBits < 32; ++i) {
    const int32_t difference =
        static_cast<int32_t>(Element<A>(a, i)) - static_cast<int32_t>(Element<B>(b, i));
    const uint32_t magnitude = static_cast<uint32_t>(difference < 0 ? -difference : difference);
    sum += magnitude;
    packed |= (magnitude & kElement) << (kBits * i);
  }
  return kAdd ? sum : packed;
}

/// `visit.operator()<A, B>()` with bytes that are signed as the types are.
template <typename Visit>
Execute VisitSigns(Type a, Type b, const Visit& visit) {
  if (a == Type::kS32) {
    return b == Type::kS32 ? visit.template operator()<int8_t, int8_t>()
                           : visit.template operator()<int8_t, uint8_t>();
  }
  return b == Type::kS32 ? visit.template operator()<uint8_t, int8_t>()
                         : visit.template operator()<uint8_t, uint8_t>();
}

template <typename Byte>
using Half = std::conditional_t<std::is_signed_v<Byte>, int16_t, uint16_t>;

}  // namespace

absl::Status DecodeDp4a(InstructionDecoder& d) {
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type a, d.TakeType({Type::kU32, Type::kS32}));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type b, d.TakeType({Type::kU32, Type::kS32}));
  const Execute execute =
      VisitSigns(a, b, []<typename A, typename B>() { return WideLanewise<Dp4aLane<A, B>>(); });
  return EmitElementwise(d, Pipe::kInteger, execute, Type::kU32, {a, b, Type::kU32});
}

absl::Status DecodeDp2a(InstructionDecoder& d) {
  const std::optional<int> mode = d.TakeOneOf({"lo", "hi"});
  if (!mode.has_value()) return d.Error("dp2a needs .lo or .hi");
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type a, d.TakeType({Type::kU32, Type::kS32}));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type b, d.TakeType({Type::kU32, Type::kS32}));
  const Execute execute = VisitSigns(a, b, [&]<typename A, typename B>() {
    return *mode == 0 ? WideLanewise<Dp2aLane<Half<A>, B, false>>()
                      : WideLanewise<Dp2aLane<Half<A>, B, true>>();
  });
  return EmitElementwise(d, Pipe::kInteger, execute, Type::kU32, {a, b, Type::kU32});
}

absl::Status DecodeVabsdiff(InstructionDecoder& d) {
  const bool has_halves = d.opcode() == "vabsdiff2";
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type result, d.TakeType({Type::kU32, Type::kS32}));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type a, d.TakeType({Type::kU32, Type::kS32}));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type b, d.TakeType({Type::kU32, Type::kS32}));
  const bool add = d.Take("add");
  for (int i = 0; i < d.num_operands(); ++i) {
    if (d.operand(i).kind == syntax::OperandKind::kRegister && !d.operand(i).name.empty()) {
      return d.OperandError(i, "masks and selections of elements are not supported");
    }
  }
  const Execute execute = VisitSigns(a, b, [&]<typename A, typename B>() {
    if (has_halves) {
      return add ? WideLanewise<VabsdiffLane<Half<A>, Half<B>, true>>()
                 : WideLanewise<VabsdiffLane<Half<A>, Half<B>, false>>();
    }
    return add ? WideLanewise<VabsdiffLane<A, B, true>>()
               : WideLanewise<VabsdiffLane<A, B, false>>();
  });
  return EmitElementwise(d, Pipe::kInteger, execute, result, {a, b, Type::kU32});
}

}  // namespace hlo_indexing::ptx
