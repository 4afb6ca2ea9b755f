// How many random cases a test tries.
#ifndef HLO_INDEXING_TESTS_PROPERTY_NUM_CASES_H_
#define HLO_INDEXING_TESTS_PROPERTY_NUM_CASES_H_

#include <algorithm>
#include <cstdlib>

namespace hlo_indexing::testing {

// Under sanitizers a case takes ten times as long, and what they look for shows in fewer cases: the
// first quarter of those that other builds check.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr int kShareOfCases = 4;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr int kShareOfCases = 4;
#else
inline constexpr int kShareOfCases = 1;
#endif
#else
inline constexpr int kShareOfCases = 1;
#endif

/// `usual`, fewer under sanitizers, or what the environment variable of that name says, for a long
/// run.
inline int NumCases(const char* variable, int usual) {
  const char* text = std::getenv(variable);
  if (text != nullptr) return static_cast<int>(std::strtol(text, nullptr, 10));
  return std::max(1, usual / kShareOfCases);
}

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_PROPERTY_NUM_CASES_H_
