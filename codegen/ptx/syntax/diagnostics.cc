#include "codegen/ptx/syntax/diagnostics.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "codegen/ptx/syntax/module.h"
#include "codegen/ptx/syntax/parser.h"

namespace hlo_indexing::ptx::syntax {
namespace {

constexpr size_t kExcerptWidth = 120;
constexpr size_t kLongestQuote = 60;
constexpr size_t kLongestWord = 64;

std::string Printable(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c == '\t') {
      c = ' ';
    } else if (const auto byte = static_cast<unsigned char>(c); byte < 0x20 || byte >= 0x7f) {
      c = '?';
    }
  }
  return result;
}

// Insertions, removals and replacements that lead from one word to the other; both are short.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::array<size_t, kLongestWord + 1> row;
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string Concat(std::initializer_list<std::string_view> texts) {
  std::string result;
  for (const std::string_view text : texts) result += text;
  return result;
}

std::string Quoted(std::string_view text) {
  if (text.size() <= kLongestQuote) return Concat({"'", Printable(text), "'"});
  return Concat({"'", Printable(text.substr(0, kLongestQuote)), "...'"});
}

std::string QuotedDotted(std::string_view name) {
  return Quoted(Concat({".", name.substr(0, kLongestQuote)}));
}

std::string DidYouMean(std::string_view word, const std::vector<std::string_view>& candidates) {
  if (word.empty() || word.size() > kLongestWord) return "";
  size_t best_distance = word.size() / 3 + 2;
  std::string_view best;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > kLongestWord || candidate.size() + best_distance < word.size() ||
        word.size() + best_distance < candidate.size()) {
      continue;
    }
    const size_t distance = EditDistance(word, candidate);
    if (distance >= best_distance || distance >= candidate.size()) continue;
    best_distance = distance;
    best = candidate;
  }
  return best.empty() ? "" : Concat({"; did you mean '", best, "'?"});
}

std::string DidYouMeanDotted(std::string_view word,
                             const std::vector<std::string_view>& candidates) {
  std::string text = DidYouMean(word, candidates);
  if (!text.empty()) text.insert(text.find('\'') + 1, ".");
  return text;
}

absl::Status ErrorAt(std::string_view text, std::string_view name, Place place,
                     std::string_view message) {
  const size_t offset = std::min<size_t>(place.offset, text.size());
  const std::string_view before = text.substr(0, offset);
  const size_t newline = before.rfind('\n');
  const size_t line_start = newline == std::string_view::npos ? 0 : newline + 1;
  std::string_view line = text.substr(line_start);
  line = line.substr(0, line.find('\n'));
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  const size_t column = offset - line_start;
  const size_t window = column > kExcerptWidth * 3 / 4 ? column - kExcerptWidth / 2 : 0;
  line = line.substr(std::min(window, line.size()), kExcerptWidth);
  const auto line_number = 1 + std::count(before.begin(), before.end(), '\n');
  return absl::InvalidArgumentError(
      Concat({name.empty() ? "<input>" : name, ":", std::to_string(line_number), ":",
              std::to_string(column + 1), ": error: ", message, "\n", Printable(line), "\n",
              std::string(column - window, ' '), "^"}));
}

}  // namespace hlo_indexing::ptx::syntax
