#include "hlo/opcode.h"

#include <array>
#include <climits>

#include "llvm/ADT/StringMap.h"

namespace hlo_indexing::hlo {
namespace {

constexpr int kAny = INT_MAX;
constexpr size_t kMaxRequired = 3;

// A row as the table states it; std::array because an opcode may require no attribute.
struct Row {
  llvm::StringRef name;
  int min_operands;
  int max_operands;
  size_t num_required;
  std::array<AttributeName, kMaxRequired> required;
};

template <typename... Names>
constexpr Row MakeRow(llvm::StringRef name, int min_operands, int max_operands, Names... required) {
  static_assert(sizeof...(Names) <= kMaxRequired);
  return {name, min_operands, max_operands, sizeof...(Names), {required...}};
}

constexpr Row kRows[] = {
#define HLO_OPCODE(enumerator, ...) MakeRow(__VA_ARGS__),
#include "hlo/opcodes.inc"
#undef HLO_OPCODE
};

}  // namespace

const OpcodeInfo& InfoOf(Opcode opcode) {
  static const auto* const infos = [] {
    auto* table = new std::array<OpcodeInfo, kNumOpcodes>();
    for (size_t i = 0; i < kNumOpcodes; ++i) {
      const Row& row = kRows[i];
      (*table)[i] = {row.name, row.min_operands, row.max_operands,
                     llvm::ArrayRef<AttributeName>(row.required.data(), row.num_required)};
    }
    return table;
  }();
  return (*infos)[static_cast<size_t>(opcode)];
}

std::optional<Opcode> ParseOpcode(llvm::StringRef name) {
  static const llvm::StringMap<Opcode>* const opcodes = [] {
    auto* map = new llvm::StringMap<Opcode>();
    for (size_t i = 0; i < kNumOpcodes; ++i) (*map)[kRows[i].name] = static_cast<Opcode>(i);
    return map;
  }();
  const auto found = opcodes->find(name);
  if (found == opcodes->end()) return std::nullopt;
  return found->second;
}

llvm::ArrayRef<llvm::StringRef> AllOpcodeNames() {
  static const auto* const names = [] {
    auto* table = new std::array<llvm::StringRef, kNumOpcodes>();
    for (size_t i = 0; i < kNumOpcodes; ++i) (*table)[i] = kRows[i].name;
    return table;
  }();
  return *names;
}

}  // namespace hlo_indexing::hlo
