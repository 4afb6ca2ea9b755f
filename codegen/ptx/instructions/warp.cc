// Instructions by which the lanes of a warp exchange values: shfl, vote, match, activemask, redux
// and elect (PTX ISA 9.7.9.6 and 9.7.13).
//
// A result that depends on a lane which does not take part is undefined by the ISA. Here the
// register of that lane is read as it is, and synccheck finds it.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/elementwise.h"
#include "codegen/ptx/instructions/table.h"
#include "codegen/ptx/instructions/warp_operands.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

// --- shfl

enum class Shuffle : uint8_t { kUp, kDown, kButterfly, kIndex };

/// The lane that a lane reads, and whether it is in range; else it is the lane itself (§9.7.9.6).
/// `clamp`: bits 0 to 4 the end of the segment, bits 8 to 12 the bits of a lane's number that say
/// which segment it is in.
template <Shuffle kMode>
struct ShuffleSource {
  int32_t lane;
  bool is_in_range;

  ShuffleSource(int32_t own, uint32_t offset, uint32_t clamp) {
    const auto b = static_cast<int32_t>(offset & 31);
    const auto c = static_cast<int32_t>(clamp & 31);
    const auto segment = static_cast<int32_t>((clamp >> 8) & 31);
    const int32_t first = own & segment;
    const int32_t end = first | (c & ~segment);
    if constexpr (kMode == Shuffle::kUp) {
      lane = own - b;
      is_in_range = lane >= end;
    } else if constexpr (kMode == Shuffle::kDown) {
      lane = own + b;
      is_in_range = lane <= end;
    } else if constexpr (kMode == Shuffle::kButterfly) {
      lane = own ^ b;
      is_in_range = lane <= end;
    } else {
      lane = first | (b & ~segment);
      is_in_range = lane <= end;
    }
    lane = is_in_range ? lane & 31 : own;
  }
};

/// The lanes whose source is no lane that executes.
LaneMask LanesReadingOthers(const Lanes<int32_t>& sources, const Execution& execution) {
  LaneMask lanes = 0;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    lanes |= (~(execution.lanes >> sources[static_cast<size_t>(lane)]) & 1U) << lane;
  }
  return lanes;
}

/// Whether the member mask of every lane names all lanes.
bool NamesWholeWarp(const Execution& execution, Slot members) {
  LaneMask common = kAllLanes;
  for (int lane = 0; lane < kWarpSize; ++lane) common &= execution.At<uint32_t>(members)[lane];
  return common == kAllLanes;
}

/// Slots: result, predicate (or kNoSlot), value, offset, clamp.
template <Shuffle kMode>
Step ExecuteShuffle(const Operation& operation, Execution& execution) {
  OrderExchanges(operation, execution);
  const auto* value = execution.At<uint32_t>(operation.slots[2]);
  const auto* offset = execution.At<uint32_t>(operation.slots[3]);
  const auto* clamp = execution.At<uint32_t>(operation.slots[4]);
  Lanes<int32_t> sources;
  std::array<uint8_t, kWarpSize> in_range;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const auto l = static_cast<size_t>(lane);
    const ShuffleSource<kMode> source(lane, offset[lane], clamp[lane]);
    sources[l] = source.lane;
    in_range[l] = source.is_in_range ? 1 : 0;
  }
  LaneMask inactive = execution.lanes == kAllLanes ? 0 : LanesReadingOthers(sources, execution);
  if (operation.members != kNoSlot && !NamesWholeWarp(execution, operation.members)) {
    const auto* members = execution.At<uint32_t>(operation.members);
    LaneMask strangers = 0;
    for (int lane = 0; lane < kWarpSize; ++lane) {
      const uint32_t mask = members[lane];
      inactive |= (~(mask >> sources[static_cast<size_t>(lane)]) & 1U) << lane;
      strangers |= (~(mask >> lane) & 1U) << lane;
    }
    if ((strangers & execution.lanes) != 0) {
      ReportMisuse(operation, execution, strangers & execution.lanes,
                   "a lane executes this that its member mask does not name", 1);
      inactive &= ~strangers;
    }
  }
  if ((inactive & execution.lanes) != 0) {
    ReportMisuse(operation, execution, inactive & execution.lanes,
                 "the lane that is read does not take part in the shuffle");
  }
  Lanes<uint32_t> received;
  for (int lane = 0; lane < kWarpSize; ++lane) {
    const auto l = static_cast<size_t>(lane);
    received[l] = value[sources[l]];
  }
  auto* result = execution.At<uint32_t>(operation.slots[0]);
  ForEachLane(execution.lanes,
              [&](int lane) { result[lane] = received[static_cast<size_t>(lane)]; });
  if (operation.slots[1] != kNoSlot) {
    AssignPredicate(execution, operation.slots[1], execution.lanes, MaskOfBytes(in_range));
  }
  return Step::kNext;
}

/// The places of `d` or `d|p`; `_` may stand for either.
struct ResultAndPredicate {
  Slot result = kNoSlot;
  Slot predicate = kNoSlot;
};

absl::StatusOr<ResultAndPredicate> DecodeResultAndPredicate(InstructionDecoder& d, Type type) {
  ResultAndPredicate places;
  const syntax::Operand& operand = d.operand(0);
  if (operand.kind == syntax::OperandKind::kPredicatePair) {
    if (operand.elements.size() != 2) return d.OperandError(0, "expected a result and a predicate");
    HLO_INDEXING_ASSIGN_OR_RETURN(places.result, d.Destination(operand.elements[0], type));
    HLO_INDEXING_ASSIGN_OR_RETURN(places.predicate,
                                  d.Destination(operand.elements[1], Type::kPred));
    return places;
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(places.result, d.Destination(0, type));
  return places;
}

/// `shfl` and `vote` without `.sync` are of targets below sm_70 (§9.7.9.5, §9.7.13.4).
absl::Status CheckOldForm(const InstructionDecoder& d, bool is_sync) {
  if (is_sync || d.target() < 70) return absl::OkStatus();
  return d.Error(std::string(d.opcode()) + " without .sync is not of targets from sm_70 on");
}

absl::Status DecodeShuffle(InstructionDecoder& d) {
  const bool is_sync = d.Take("sync");
  HLO_INDEXING_RETURN_IF_ERROR(CheckOldForm(d, is_sync));
  const std::optional<int> mode = d.TakeOneOf({"up", "down", "bfly", "idx"});
  if (!mode) return d.Error("shfl needs one of .up, .down, .bfly, .idx");
  HLO_INDEXING_RETURN_IF_ERROR(d.TakeType({Type::kB32}).status());
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(is_sync ? 5 : 4));
  HLO_INDEXING_ASSIGN_OR_RETURN(const ResultAndPredicate places,
                                DecodeResultAndPredicate(d, Type::kB32));
  const syntax::Operand& given = d.operand(0);
  if (given.kind == syntax::OperandKind::kPredicatePair &&
      given.elements[0].kind == syntax::OperandKind::kSink) {
    return d.OperandError(0, "the result of shfl cannot be left away");
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot value, d.Source(1, Type::kB32));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot offset, d.Source(2, Type::kB32));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot clamp, d.Source(3, Type::kB32));
  Slot members = kNoSlot;
  if (is_sync) {
    HLO_INDEXING_ASSIGN_OR_RETURN(members, d.Source(4, Type::kB32));
  }
  static constexpr std::array<Execute, 4> kExecute = {
      ExecuteShuffle<Shuffle::kUp>, ExecuteShuffle<Shuffle::kDown>,
      ExecuteShuffle<Shuffle::kButterfly>, ExecuteShuffle<Shuffle::kIndex>};
  return d.Emit({.execute = kExecute[static_cast<size_t>(*mode)],
                 .slots = {places.result, places.predicate, value, offset, clamp},
                 .pipe = Pipe::kMove,
                 .members = members});
}

// --- vote

enum class Vote : uint8_t { kAll, kAny, kUniform, kBallot };

/// What the lanes that take part, and of these the ones whose predicate is true, vote.
template <Vote kMode>
LaneMask Outcome(LaneMask participants, LaneMask agreeing) {
  if constexpr (kMode == Vote::kAll) return agreeing == participants ? kAllLanes : 0;
  if constexpr (kMode == Vote::kAny) return agreeing != 0 ? kAllLanes : 0;
  if constexpr (kMode == Vote::kUniform) {
    return agreeing == participants || agreeing == 0 ? kAllLanes : 0;
  }
  return agreeing;
}

/// Slots: result, predicate that is read.
template <Vote kMode>
Step ExecuteVote(const Operation& operation, Execution& execution) {
  OrderExchanges(operation, execution);
  const LaneMask predicate = execution.Predicate(operation.slots[1]);
  const auto give = [&](LaneMask participants, LaneMask lanes) {
    const LaneMask outcome = Outcome<kMode>(participants, predicate & participants);
    if constexpr (kMode == Vote::kBallot) {
      auto* result = execution.At<uint32_t>(operation.slots[0]);
      ForEachLane(lanes, [&](int lane) { result[lane] = outcome; });
    } else {
      AssignPredicate(execution, operation.slots[0], lanes, outcome);
    }
  };
  if (operation.members == kNoSlot) {
    give(execution.lanes, execution.lanes);
    return Step::kNext;
  }
  // The result may be the register that holds the mask: the sets are found before it is written.
  struct Set {
    uint32_t members;
    LaneMask lanes;
  };
  std::array<Set, kWarpSize> sets;
  size_t num_sets = 0;
  ForEachMemberSet(execution, operation.members,
                   [&](uint32_t members, LaneMask lanes) { sets[num_sets++] = {members, lanes}; });
  for (const Set& set : std::span(sets).first(num_sets)) {
    CheckMembers(operation, execution, set.members, set.lanes);
    give(set.members & set.lanes, set.lanes);
  }
  return Step::kNext;
}

absl::Status DecodeVote(InstructionDecoder& d) {
  const bool is_sync = d.Take("sync");
  HLO_INDEXING_RETURN_IF_ERROR(CheckOldForm(d, is_sync));
  const std::optional<int> mode = d.TakeOneOf({"all", "any", "uni", "ballot"});
  if (!mode) return d.Error("vote needs one of .all, .any, .uni, .ballot");
  const bool is_ballot = *mode == 3;
  const Type type = is_ballot ? Type::kB32 : Type::kPred;
  HLO_INDEXING_RETURN_IF_ERROR(d.TakeType({type}).status());
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(is_sync ? 3 : 2));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot result, d.Destination(0, type));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot predicate, d.PredicateSource(d.operand(1)));
  Slot members = kNoSlot;
  if (is_sync) {
    HLO_INDEXING_ASSIGN_OR_RETURN(members, d.Source(2, Type::kB32));
  }
  static constexpr std::array<Execute, 4> kExecute = {
      ExecuteVote<Vote::kAll>, ExecuteVote<Vote::kAny>, ExecuteVote<Vote::kUniform>,
      ExecuteVote<Vote::kBallot>};
  return d.Emit({.execute = kExecute[static_cast<size_t>(*mode)],
                 .slots = {result, predicate},
                 .pipe = Pipe::kInteger,
                 .members = members});
}

// --- match

/// For each lane, those that have the same value.
template <typename T>
[[gnu::always_inline]] inline Lanes<LaneMask> CompareLanes(const T* values) {
  Lanes<LaneMask> equal = {};
  for (size_t other = 0; other < kWarpSize; ++other) {
    const T value = values[other];
    const LaneMask bit = LaneMask{1} << other;
    HLO_INDEXING_PTX_INDEPENDENT_LANES
    for (size_t lane = 0; lane < kWarpSize; ++lane) {
      const LaneMask is_equal = values[lane] == value ? ~LaneMask{0} : 0;
      equal[lane] |= is_equal & bit;
    }
  }
  return equal;
}
template <typename T>
Lanes<LaneMask> EqualLanes(const T* values) {
  return CompareLanes(values);
}
template <typename T>
HLO_INDEXING_PTX_WIDE_VECTORS Lanes<LaneMask> WideEqualLanes(const T* values) {
  return CompareLanes(values);
}

/// Slots: result, predicate (or kNoSlot), value.
template <typename T, bool kAll, auto kEqualLanes>
Step ExecuteMatch(const Operation& operation, Execution& execution) {
  OrderExchanges(operation, execution);
  const Lanes<LaneMask> equal = kEqualLanes(execution.At<T>(operation.slots[2]));
  Lanes<uint32_t> matches = {};
  LaneMask all_equal = 0;
  ForEachMemberSet(execution, operation.members, [&](uint32_t members, LaneMask lanes) {
    CheckMembers(operation, execution, members, lanes);
    const LaneMask participants = members & lanes;
    ForEachLane(lanes, [&](int lane) {
      const LaneMask peers = equal[static_cast<size_t>(lane)] & participants;
      const bool is_match = !kAll || peers == participants;
      matches[static_cast<size_t>(lane)] = is_match ? peers : 0;
      all_equal |= is_match ? LaneMask{1} << lane : 0;
    });
  });
  auto* result = execution.At<uint32_t>(operation.slots[0]);
  ForEachLane(execution.lanes,
              [&](int lane) { result[lane] = matches[static_cast<size_t>(lane)]; });
  if (operation.slots[1] != kNoSlot) {
    AssignPredicate(execution, operation.slots[1], execution.lanes, all_equal);
  }
  return Step::kNext;
}

template <typename T>
Execute MatchExecute(bool is_all) {
#if HLO_INDEXING_PTX_HAS_WIDE_VECTORS
  if (HasWideVectors()) {
    return is_all ? ExecuteMatch<T, true, WideEqualLanes<T>>
                  : ExecuteMatch<T, false, WideEqualLanes<T>>;
  }
#endif
  return is_all ? ExecuteMatch<T, true, EqualLanes<T>> : ExecuteMatch<T, false, EqualLanes<T>>;
}

absl::Status DecodeMatch(InstructionDecoder& d) {
  if (!d.Take("sync")) return d.Error("match needs .sync");
  const std::optional<int> mode = d.TakeOneOf({"any", "all"});
  if (!mode) return d.Error("match needs one of .any, .all");
  const bool is_all = *mode == 1;
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type, d.TakeType({Type::kB32, Type::kB64}));
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(3));
  HLO_INDEXING_ASSIGN_OR_RETURN(const ResultAndPredicate places,
                                DecodeResultAndPredicate(d, Type::kB32));
  if (!is_all && d.operand(0).kind == syntax::OperandKind::kSink) {
    return d.OperandError(0, "the result of match.any cannot be left away");
  }
  if (!is_all && places.predicate != kNoSlot) {
    return d.OperandError(0, "match.any has no predicate");
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot value, d.Source(1, type));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot members, d.Source(2, Type::kB32));
  return d.Emit({.execute = type == Type::kB64 ? MatchExecute<uint64_t>(is_all)
                                               : MatchExecute<uint32_t>(is_all),
                 .slots = {places.result, places.predicate, value},
                 .pipe = Pipe::kInteger,
                 .members = members});
}

// --- activemask, elect

Step ExecuteActiveMask(const Operation& operation, Execution& execution) {
  auto* result = execution.At<uint32_t>(operation.slots[0]);
  ForEachLane(execution.lanes, [&](int lane) { result[lane] = execution.lanes; });
  return Step::kNext;
}

absl::Status DecodeActiveMask(InstructionDecoder& d) {
  HLO_INDEXING_RETURN_IF_ERROR(d.TakeType({Type::kB32}).status());
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(1));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot result, d.Destination(0, Type::kB32));
  return d.Emit({.execute = ExecuteActiveMask, .slots = {result}, .pipe = Pipe::kInteger});
}

/// Slots: number of the elected lane, predicate that is true in it alone. The ISA leaves open which
/// lane is elected, but the same one for the same mask: the first.
Step ExecuteElect(const Operation& operation, Execution& execution) {
  OrderExchanges(operation, execution);
  Lanes<uint32_t> leaders = {};
  LaneMask elected = 0;
  ForEachMemberSet(execution, operation.members, [&](uint32_t members, LaneMask lanes) {
    CheckMembers(operation, execution, members, lanes);
    const LaneMask participants = members & lanes;
    if (participants == 0) return;
    const int leader = std::countr_zero(participants);
    elected |= LaneMask{1} << leader;
    ForEachLane(lanes, [&](int lane) {
      leaders[static_cast<size_t>(lane)] = static_cast<uint32_t>(leader);
    });
  });
  auto* result = execution.At<uint32_t>(operation.slots[0]);
  ForEachLane(execution.lanes,
              [&](int lane) { result[lane] = leaders[static_cast<size_t>(lane)]; });
  AssignPredicate(execution, operation.slots[1], execution.lanes, elected);
  return Step::kNext;
}

absl::Status DecodeElect(InstructionDecoder& d) {
  if (!d.Take("sync")) return d.Error("elect needs .sync");
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(2));
  HLO_INDEXING_ASSIGN_OR_RETURN(const ResultAndPredicate places,
                                DecodeResultAndPredicate(d, Type::kB32));
  if (places.predicate == kNoSlot || d.operand(0).elements[1].kind == syntax::OperandKind::kSink) {
    return d.OperandError(0, "elect needs `d|p`");
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot members, d.Source(1, Type::kB32));
  return d.Emit({.execute = ExecuteElect,
                 .slots = {places.result, places.predicate},
                 .pipe = Pipe::kInteger,
                 .members = members});
}

// --- redux

/// Slots: result, value. kCombine(a, b) is associative and commutative.
template <typename T, auto kCombine>
Step ExecuteRedux(const Operation& operation, Execution& execution) {
  OrderExchanges(operation, execution);
  const T* value = execution.At<T>(operation.slots[1]);
  Lanes<T> reduced = {};
  ForEachMemberSet(execution, operation.members, [&](uint32_t members, LaneMask lanes) {
    CheckMembers(operation, execution, members, lanes);
    const LaneMask participants = members & lanes;
    if (participants == 0) return;
    T result = value[std::countr_zero(participants)];
    ForEachLane(participants & (participants - 1),
                [&](int lane) { result = kCombine(result, value[lane]); });
    ForEachLane(lanes, [&](int lane) { reduced[static_cast<size_t>(lane)] = result; });
  });
  T* result = execution.At<T>(operation.slots[0]);
  ForEachLane(execution.lanes,
              [&](int lane) { result[lane] = reduced[static_cast<size_t>(lane)]; });
  return Step::kNext;
}

uint32_t Sum(uint32_t a, uint32_t b) { return a + b; }
uint32_t And(uint32_t a, uint32_t b) { return a & b; }
uint32_t Or(uint32_t a, uint32_t b) { return a | b; }
uint32_t Xor(uint32_t a, uint32_t b) { return a ^ b; }
template <typename T>
T Least(T a, T b) {
  return b < a ? b : a;
}
template <typename T>
T Greatest(T a, T b) {
  return a < b ? b : a;
}

constexpr uint32_t kSignBit = 0x80000000;
constexpr uint32_t kInfinityBits = 0x7f800000;
/// The canonical NaN of f32 (§9.7.3).
constexpr uint32_t kNanBits = 0x7fffffff;

/// Numbers in the order of the floats whose bits they are, -0 before +0 (what redux.f32 asks for).
/// Own inverse on the bits of floats.
uint32_t OrderOfBits(uint32_t bits) { return (bits & kSignBit) != 0 ? ~bits : bits | kSignBit; }
uint32_t BitsOfOrder(uint32_t order) {
  return (order & kSignBit) != 0 ? order & ~kSignBit : ~order;
}

/// Slots: result, value. NaNs: the result where one is there (`.NaN`) or where all are.
template <bool kIsMax, bool kIsAbs, bool kPropagatesNan>
Step ExecuteFloatRedux(const Operation& operation, Execution& execution) {
  OrderExchanges(operation, execution);
  const auto* value = execution.At<uint32_t>(operation.slots[1]);
  Lanes<uint32_t> reduced = {};
  ForEachMemberSet(execution, operation.members, [&](uint32_t members, LaneMask lanes) {
    CheckMembers(operation, execution, members, lanes);
    std::optional<uint32_t> best;
    bool has_nan = false;
    ForEachLane(members & lanes, [&](int lane) {
      const uint32_t bits = kIsAbs ? value[lane] & ~kSignBit : value[lane];
      if ((bits & ~kSignBit) > kInfinityBits) {
        has_nan = true;
        return;
      }
      const uint32_t order = OrderOfBits(bits);
      if (!best || (kIsMax ? order > *best : order < *best)) best = order;
    });
    const uint32_t result = !best || (kPropagatesNan && has_nan) ? kNanBits : BitsOfOrder(*best);
    ForEachLane(lanes, [&](int lane) { reduced[static_cast<size_t>(lane)] = result; });
  });
  auto* result = execution.At<uint32_t>(operation.slots[0]);
  ForEachLane(execution.lanes,
              [&](int lane) { result[lane] = reduced[static_cast<size_t>(lane)]; });
  return Step::kNext;
}

template <bool kIsMax>
Execute FloatRedux(bool is_abs, bool propagates_nan) {
  if (is_abs) {
    return propagates_nan ? ExecuteFloatRedux<kIsMax, true, true>
                          : ExecuteFloatRedux<kIsMax, true, false>;
  }
  return propagates_nan ? ExecuteFloatRedux<kIsMax, false, true>
                        : ExecuteFloatRedux<kIsMax, false, false>;
}

/// The function of an integer redux, nullptr where the operation does not have the type.
Execute IntegerRedux(int op, Type type) {
  const bool is_signed = type == Type::kS32;
  const bool is_bits = type == Type::kB32;
  switch (op) {
    case 0:
      return is_bits ? nullptr : ExecuteRedux<uint32_t, Sum>;
    case 1:
      if (is_bits) return nullptr;
      return is_signed ? ExecuteRedux<int32_t, Least<int32_t>>
                       : ExecuteRedux<uint32_t, Least<uint32_t>>;
    case 2:
      if (is_bits) return nullptr;
      return is_signed ? ExecuteRedux<int32_t, Greatest<int32_t>>
                       : ExecuteRedux<uint32_t, Greatest<uint32_t>>;
    case 3:
      return is_bits ? ExecuteRedux<uint32_t, And> : nullptr;
    case 4:
      return is_bits ? ExecuteRedux<uint32_t, Or> : nullptr;
    default:
      return is_bits ? ExecuteRedux<uint32_t, Xor> : nullptr;
  }
}

absl::Status DecodeRedux(InstructionDecoder& d) {
  if (!d.Take("sync")) return d.Error("redux needs .sync");
  const std::optional<int> op = d.TakeOneOf({"add", "min", "max", "and", "or", "xor"});
  if (!op) return d.Error("redux needs one of .add, .min, .max, .and, .or, .xor");
  HLO_INDEXING_ASSIGN_OR_RETURN(const Type type,
                                d.TakeType({Type::kU32, Type::kS32, Type::kB32, Type::kF32}));
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(3));
  Execute execute = nullptr;
  if (type != Type::kF32) {
    execute = IntegerRedux(*op, type);
  } else if (*op == 1 || *op == 2) {
    const bool is_abs = d.Take("abs");
    const bool propagates_nan = d.Take("NaN");
    execute = *op == 1 ? FloatRedux<false>(is_abs, propagates_nan)
                       : FloatRedux<true>(is_abs, propagates_nan);
  }
  if (execute == nullptr) {
    return d.Error("redux does not have this operation for ." + std::string(NameOf(type)));
  }
  // Bits are of integers here, unlike those of shfl.
  const Type of_registers = type == Type::kB32 ? Type::kU32 : type;
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot result, d.Destination(0, of_registers));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot value, d.Source(1, of_registers));
  HLO_INDEXING_ASSIGN_OR_RETURN(const Slot members, d.Source(2, Type::kB32));
  return d.Emit(
      {.execute = execute, .slots = {result, value}, .pipe = Pipe::kInteger, .members = members});
}

constexpr OpcodeRow kRows[] = {
    {"shfl", DecodeShuffle},          {"vote", DecodeVote},   {"match", DecodeMatch},
    {"activemask", DecodeActiveMask}, {"elect", DecodeElect}, {"redux", DecodeRedux},
};

}  // namespace

std::span<const OpcodeRow> WarpOpcodes() { return kRows; }

}  // namespace hlo_indexing::ptx
