#include "hlo/parser/names.h"

namespace hlo_indexing::hlo {

std::pair<const Instruction*, bool> NameTable::LookUpInstruction(uint32_t scope,
                                                                 llvm::StringRef name) const {
  const auto found = instructions_.find({llvm::CachedHashStringRef(name), scope});
  if (found == instructions_.end()) return {nullptr, false};
  return {found->second, found->second == nullptr};
}

llvm::StringRef NameTable::FreshName(llvm::StringRef base) {
  if (fresh_word_.empty()) {
    fresh_word_ = ".inline.";
    for (int i = 2; state_.source.text.contains(fresh_word_); ++i) {
      fresh_word_ = ".inline" + std::to_string(i) + ".";
    }
  }
  return state_.module.Copy((base + fresh_word_ + std::to_string(num_fresh_names_++)).str());
}

}  // namespace hlo_indexing::hlo
