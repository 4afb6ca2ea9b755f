// The opcodes of HLO, in one table (hlo/opcodes.inc).
#ifndef HLO_INDEXING_HLO_OPCODE_H_
#define HLO_INDEXING_HLO_OPCODE_H_

#include <cstdint>
#include <optional>

#include "hlo/attribute.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::hlo {

enum class Opcode : uint8_t {
#define HLO_OPCODE(enumerator, ...) enumerator,
#include "hlo/opcodes.inc"
#undef HLO_OPCODE
};

/// The number of opcodes; Opcode values are below it.
inline constexpr int kNumOpcodes = 0
#define HLO_OPCODE(...) +1
#include "hlo/opcodes.inc"
#undef HLO_OPCODE
    ;

/// What the table says of an opcode.
struct OpcodeInfo {
  llvm::StringRef name;
  int min_operands;
  /// INT_MAX if any number is allowed.
  int max_operands;
  llvm::ArrayRef<AttributeName> required_attributes;
};

const OpcodeInfo& InfoOf(Opcode opcode);

/// The name in HLO text.
/// Example: kDynamicSlice -> "dynamic-slice"
inline llvm::StringRef OpcodeName(Opcode opcode) { return InfoOf(opcode).name; }

/// The opcode of that name.
/// Example: "popcnt" -> kPopulationCount
std::optional<Opcode> ParseOpcode(llvm::StringRef name);

/// The names of all opcodes, in the order of Opcode.
llvm::ArrayRef<llvm::StringRef> AllOpcodeNames();

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_OPCODE_H_
