// The answer to a question that may be too hard.
#ifndef HLO_INDEXING_SUPPORT_ANSWER_H_
#define HLO_INDEXING_SUPPORT_ANSWER_H_

#include <cstdint>

#include "llvm/ADT/StringRef.h"

namespace hlo_indexing::support {

enum class Answer : uint8_t { kYes, kNo, kUnknown };

/// "yes", "no" or "unknown".
inline llvm::StringRef AnswerName(Answer answer) {
  if (answer == Answer::kYes) return "yes";
  return answer == Answer::kNo ? "no" : "unknown";
}

}  // namespace hlo_indexing::support

#endif  // HLO_INDEXING_SUPPORT_ANSWER_H_
