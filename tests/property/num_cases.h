// How many random cases a test tries.
#ifndef HLO_INDEXING_TESTS_PROPERTY_NUM_CASES_H_
#define HLO_INDEXING_TESTS_PROPERTY_NUM_CASES_H_

#include <cstdlib>

namespace hlo_indexing::testing {

/// `usual`, or what the environment variable of that name says, for a long run.
inline int NumCases(const char* variable, int usual) {
  const char* text = std::getenv(variable);
  return text == nullptr ? usual : static_cast<int>(std::strtol(text, nullptr, 10));
}

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_PROPERTY_NUM_CASES_H_
