#ifndef HLO_INDEXING_TESTS_LAYOUT_CUTE_TEXT_OF_H_
#define HLO_INDEXING_TESTS_LAYOUT_CUTE_TEXT_OF_H_

#include <cstdio>
#include <string>

#include "layout/cute/tensor.h"

namespace cute_test {

namespace cute = hlo_indexing::layout::cute;

// Collects what the library prints.
struct TextSink {
  std::string* text;
  void Text(const char* t) const { *text += t; }
  void Integer(int64_t value) const { *text += std::to_string(value); }
  void Unsigned(uint64_t value) const { *text += std::to_string(value); }
  void Pointer(const void* pointer) const {
    char buffer[32];
    snprintf(buffer, sizeof(buffer), "%p", pointer);
    *text += buffer;
  }
};

/// What print(t) prints.
template <class T>
std::string TextOf(T const& t) {
  std::string text;
  if constexpr (std::is_same<T, bool>::value) {
    text = t ? "1" : "0";
  } else if constexpr (std::is_same<T, std::string>::value) {
    text = t;
  } else {
    cute::print_to(TextSink{&text}, t);
  }
  return text;
}

}  // namespace cute_test

#endif  // HLO_INDEXING_TESTS_LAYOUT_CUTE_TEXT_OF_H_
