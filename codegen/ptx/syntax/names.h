// What a name means where the parser is. Scopes are nested; a name of an inner scope hides that of
// an outer one. A range `%r<4>` declares %r0 to %r3 without an entry for each.
//
// Example: after Declare("%r", {kRange, ... count 4}), Find("%r3") is the register 3 of the range.
#ifndef HLO_INDEXING_CODEGEN_PTX_SYNTAX_NAMES_H_
#define HLO_INDEXING_CODEGEN_PTX_SYNTAX_NAMES_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx::syntax {

enum class Meaning : uint8_t {
  kRegister,
  kLocalVariable,
  kModuleVariable,
  kFunction,
  kLabel,
  kLabelList,
  kPrototype,
};

/// What was declared.
struct Declaration {
  Meaning meaning = Meaning::kRegister;
  /// Of a register, 1, or the components of a vector.
  uint8_t width = 1;
  uint32_t index = 0;
  Place place;
};

/// Spellings as numbers: 0, 1, 2 ... in the order of their first mention.
class Spellings {
 public:
  static constexpr uint32_t kNone = ~uint32_t{0};
  Spellings() : slots_(64, kNone) {}
  uint32_t Intern(std::string_view name);
  /// kNone: never interned.
  uint32_t Find(std::string_view name) const;
  std::string_view operator[](uint32_t symbol) const { return names_[symbol]; }

 private:
  size_t SlotOf(std::string_view name) const;
  void Grow();

  std::vector<std::string_view> names_;
  std::vector<size_t> hashes_;
  std::vector<uint32_t> slots_;
};

class Names {
 public:
  /// The module's scope is open from the beginning and has the depth 0.
  void OpenScope();
  void CloseScope();
  size_t depth() const { return scopes_.size() - 1; }

  /// The declaration of the current scope with this name (or one of these names), if there is one;
  /// else declares it. The registers of a range are `count` times declaration.width, from
  /// declaration.index on.
  std::optional<Declaration> Declare(std::string_view name, const Declaration& declaration);
  std::optional<Declaration> DeclareRange(std::string_view prefix, uint32_t count,
                                          const Declaration& declaration);

  /// The innermost declaration of the name. Of a register of a range, the index is that register's.
  std::optional<Declaration> Find(std::string_view name) const;
  std::optional<Declaration> FindInCurrentScope(std::string_view name) const;
  /// The number of registers of the range with this prefix; 0: no such range.
  uint32_t RangeSize(std::string_view prefix) const;

  /// Names that can be used here, at most some thousands, the last declared first.
  std::vector<std::string_view> Visible(bool is_module_only) const;

 private:
  static constexpr uint32_t kNone = Spellings::kNone;

  // A declaration in a stack: the end of the stack is the innermost scope. Of a range, count > 0.
  struct Entry {
    Declaration declaration;
    uint32_t symbol = 0;
    uint32_t count = 0;
    uint32_t scope = 0;
    uint32_t hidden = kNone;
  };
  struct Found {
    const Entry* entry = nullptr;
    uint32_t number = 0;
  };

  std::optional<Declaration> Push(uint32_t symbol, uint32_t count, const Declaration& declaration);
  Found Lookup(std::string_view name) const;
  const Entry* Innermost(const std::vector<uint32_t>& heads, uint32_t symbol) const;
  // The least number n of a name `prefix`n of the current scope.
  uint64_t* LeastNumber(std::string_view prefix);
  // What was declared in the current scope among `prefix`0 to `prefix`(count-1).
  std::optional<Declaration> FirstWithin(std::string_view prefix, uint32_t count) const;
  static Declaration Resolved(const Found& found);

  Spellings spellings_;
  // By symbol, the index of the innermost entry.
  std::vector<uint32_t> names_;
  std::vector<uint32_t> ranges_;
  std::vector<Entry> entries_;
  // By scope that is open, its number and its first entry.
  struct Scope {
    uint32_t number = 0;
    size_t first = 0;
  };
  std::vector<Scope> scopes_ = {Scope{}};
  uint32_t scopes_so_far_ = 0;
  std::unordered_map<uint64_t, uint64_t> least_numbers_;
  // A range such as `%r1<5>` makes %r12 ambiguous to read.
  bool has_digit_before_range_ = false;
};

}  // namespace hlo_indexing::ptx::syntax

#endif  // HLO_INDEXING_CODEGEN_PTX_SYNTAX_NAMES_H_
