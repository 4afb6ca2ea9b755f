// The one answer to a question that may be too hard: yes, no or unknown.
#ifndef HLO_INDEXING_SUPPORT_ANSWER_H_
#define HLO_INDEXING_SUPPORT_ANSWER_H_

#include <cstdint>
#include <string>

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "support/printing.h"

namespace hlo_indexing::support {

enum class Answer : uint8_t { kYes, kNo, kUnknown };

/// "yes", "no" or "unknown".
inline llvm::StringRef AnswerName(Answer answer) {
  if (answer == Answer::kYes) return "yes";
  return answer == Answer::kNo ? "no" : "unknown";
}

/// An answer, and how it was found or why there is none.
struct ReasonedAnswer {
  Answer answer = Answer::kUnknown;
  std::string reason;

  /// Writes `ANSWER: REASON`.
  void Print(llvm::raw_ostream& out) const { out << AnswerName(answer) << ": " << reason; }
  std::string ToString() const { return support::ToString(*this); }
};

}  // namespace hlo_indexing::support

#endif  // HLO_INDEXING_SUPPORT_ANSWER_H_
