#include "codegen/ptx/syntax/names.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx::syntax {
namespace {

constexpr size_t kMostDigits = 9;
constexpr size_t kMostVisible = 4096;

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

// A name cut before some of its last digits, which are a number without zeros before it.
struct Split {
  std::string_view prefix;
  uint32_t number = 0;
};

// Calls visit(Split) for each way to cut the name, the longest number first; until it is true.
template <typename Visit>
void ForEachSplit(std::string_view name, Visit visit) {
  size_t digits = 0;
  while (digits < name.size() && digits < kMostDigits && IsDigit(name[name.size() - 1 - digits])) {
    ++digits;
  }
  for (; digits > 0; --digits) {
    const std::string_view prefix = name.substr(0, name.size() - digits);
    const std::string_view number = name.substr(prefix.size());
    if (number[0] == '0' && digits > 1) continue;
    uint32_t value = 0;
    for (const char c : number) value = value * 10 + static_cast<uint32_t>(c - '0');
    if (visit(Split{prefix, value})) return;
  }
}

}  // namespace

size_t Spellings::SlotOf(std::string_view name) const {
  const size_t hash = std::hash<std::string_view>()(name);
  size_t slot = hash & (slots_.size() - 1);
  while (slots_[slot] != kNone && (hashes_[slots_[slot]] != hash || names_[slots_[slot]] != name)) {
    slot = (slot + 1) & (slots_.size() - 1);
  }
  return slot;
}

uint32_t Spellings::Find(std::string_view name) const { return slots_[SlotOf(name)]; }

uint32_t Spellings::Intern(std::string_view name) {
  const size_t slot = SlotOf(name);
  if (slots_[slot] != kNone) return slots_[slot];
  const uint32_t symbol = static_cast<uint32_t>(names_.size());
  slots_[slot] = symbol;
  names_.push_back(name);
  hashes_.push_back(std::hash<std::string_view>()(name));
  if (names_.size() * 2 > slots_.size()) Grow();
  return symbol;
}

void Spellings::Grow() {
  slots_.assign(slots_.size() * 2, kNone);
  for (uint32_t symbol = 0; symbol < names_.size(); ++symbol) {
    size_t slot = hashes_[symbol] & (slots_.size() - 1);
    while (slots_[slot] != kNone) slot = (slot + 1) & (slots_.size() - 1);
    slots_[slot] = symbol;
  }
}

void Names::OpenScope() { scopes_.push_back({++scopes_so_far_, entries_.size()}); }

void Names::CloseScope() {
  while (entries_.size() > scopes_.back().first) {
    const Entry& entry = entries_.back();
    (entry.count > 0 ? ranges_ : names_)[entry.symbol] = entry.hidden;
    entries_.pop_back();
  }
  scopes_.pop_back();
  // Of a function that is over.
  if (depth() == 0) {
    least_numbers_.clear();
    has_digit_before_range_ = false;
  }
}

std::optional<Declaration> Names::Push(uint32_t symbol, uint32_t count,
                                       const Declaration& declaration) {
  if (symbol >= names_.size()) {
    names_.resize(symbol + 1, kNone);
    ranges_.resize(symbol + 1, kNone);
  }
  uint32_t& head = (count > 0 ? ranges_ : names_)[symbol];
  const uint32_t scope = scopes_.back().number;
  if (head != kNone && entries_[head].scope == scope) return entries_[head].declaration;
  entries_.push_back({declaration, symbol, count, scope, head});
  head = static_cast<uint32_t>(entries_.size() - 1);
  return std::nullopt;
}

std::optional<Declaration> Names::Declare(std::string_view name, const Declaration& declaration) {
  const Found found = Lookup(name);
  if (found.entry != nullptr && found.entry->scope == scopes_.back().number) {
    return found.entry->declaration;
  }
  ForEachSplit(name, [&](const Split& split) {
    uint64_t* least = LeastNumber(split.prefix);
    *least = std::min<uint64_t>(*least, split.number);
    return false;
  });
  return Push(spellings_.Intern(name), 0, declaration);
}

std::optional<Declaration> Names::DeclareRange(std::string_view prefix, uint32_t count,
                                               const Declaration& declaration) {
  if (count == 0) return std::nullopt;
  // %r1<5> holds %r10, and %r<20> would too.
  std::optional<Declaration> conflict;
  ForEachSplit(prefix, [&](const Split& split) {
    if (split.number == 0) return false;
    const uint32_t symbol = spellings_.Find(split.prefix);
    const Entry* range = Innermost(ranges_, symbol);
    const uint64_t least = uint64_t{split.number} * 10;
    if (range != nullptr && range->scope == scopes_.back().number && range->count > least) {
      conflict = range->declaration;
    }
    uint64_t* least_number = LeastNumber(split.prefix);
    *least_number = std::min(*least_number, least);
    return conflict.has_value();
  });
  if (conflict) return conflict;
  if (*LeastNumber(prefix) < count) return FirstWithin(prefix, count).value_or(declaration);
  if (!prefix.empty() && IsDigit(prefix.back())) has_digit_before_range_ = true;
  return Push(spellings_.Intern(prefix), count, declaration);
}

std::optional<Declaration> Names::FirstWithin(std::string_view prefix, uint32_t count) const {
  for (size_t i = scopes_.back().first; i < entries_.size(); ++i) {
    bool is_within = false;
    ForEachSplit(spellings_[entries_[i].symbol], [&](const Split& split) {
      const uint64_t scale = entries_[i].count > 0 ? 10 : 1;
      is_within = split.prefix == prefix && split.number * scale < count;
      return is_within;
    });
    if (is_within) return entries_[i].declaration;
  }
  return std::nullopt;
}

uint64_t* Names::LeastNumber(std::string_view prefix) {
  const uint64_t key = uint64_t{scopes_.back().number} << 32 | spellings_.Intern(prefix);
  return &least_numbers_.try_emplace(key, std::numeric_limits<uint64_t>::max()).first->second;
}

const Names::Entry* Names::Innermost(const std::vector<uint32_t>& heads, uint32_t symbol) const {
  if (symbol >= heads.size() || heads[symbol] == kNone) return nullptr;
  return &entries_[heads[symbol]];
}

Names::Found Names::Lookup(std::string_view name) const {
  Found found{Innermost(names_, spellings_.Find(name)), 0};
  if (name.empty() || !IsDigit(name.back())) return found;
  ForEachSplit(name, [&](const Split& split) {
    const Entry* range = Innermost(ranges_, spellings_.Find(split.prefix));
    // Scopes are numbered in the order in which they were opened: the innermost has the largest.
    if (range != nullptr && split.number < range->count &&
        (found.entry == nullptr || range->scope > found.entry->scope)) {
      found = {range, split.number};
    }
    return !has_digit_before_range_;
  });
  return found;
}

Declaration Names::Resolved(const Found& found) {
  Declaration result = found.entry->declaration;
  result.index += found.number * result.width;
  return result;
}

std::optional<Declaration> Names::Find(std::string_view name) const {
  const Found found = Lookup(name);
  if (found.entry == nullptr) return std::nullopt;
  return Resolved(found);
}

std::optional<Declaration> Names::FindInCurrentScope(std::string_view name) const {
  const Found found = Lookup(name);
  if (found.entry == nullptr || found.entry->scope != scopes_.back().number) return std::nullopt;
  return Resolved(found);
}

uint32_t Names::RangeSize(std::string_view prefix) const {
  const Entry* range = Innermost(ranges_, spellings_.Find(prefix));
  return range == nullptr ? 0 : range->count;
}

std::vector<std::string_view> Names::Visible(bool is_module_only) const {
  std::vector<std::string_view> result;
  for (size_t i = entries_.size(); i-- > 0 && result.size() < kMostVisible;) {
    const Entry& entry = entries_[i];
    if (entry.count == 0 && (!is_module_only || entry.scope == 0)) {
      result.push_back(spellings_[entry.symbol]);
    }
  }
  return result;
}

}  // namespace hlo_indexing::ptx::syntax
