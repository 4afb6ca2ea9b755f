// Runs a test on the stack that a thread of a small pool may have.
//
//   RunOnSmallStack([&] { EXPECT_TRUE(ParseIndexingMap(deep, &context).ok()); });
#ifndef HLO_INDEXING_TESTS_SUPPORT_SMALL_STACK_H_
#define HLO_INDEXING_TESTS_SUPPORT_SMALL_STACK_H_

#include <gtest/gtest.h>
#include <pthread.h>

#include <cstddef>
#include <functional>

namespace hlo_indexing::testing {

/// 512 KiB. Sanitizers keep more on the stack.
#if defined(__SANITIZE_ADDRESS__)
inline constexpr size_t kSmallStack = size_t{4} << 20;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
inline constexpr size_t kSmallStack = size_t{4} << 20;
#else
inline constexpr size_t kSmallStack = size_t{512} << 10;
#endif
#else
inline constexpr size_t kSmallStack = size_t{512} << 10;
#endif

/// Runs `function` in a thread with a stack of kSmallStack bytes, to its end.
inline void RunOnSmallStack(std::function<void()> function) {
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, kSmallStack), 0);
  pthread_t thread = {};
  const auto run = [](void* argument) -> void* {
    (*static_cast<std::function<void()>*>(argument))();
    return nullptr;
  };
  ASSERT_EQ(pthread_create(&thread, &attributes, run, &function), 0);
  EXPECT_EQ(pthread_join(thread, nullptr), 0);
  EXPECT_EQ(pthread_attr_destroy(&attributes), 0);
}

}  // namespace hlo_indexing::testing

#endif  // HLO_INDEXING_TESTS_SUPPORT_SMALL_STACK_H_
