// The library as ::cute, which programs may open.
#include "layout/cute/namespace_cute.h"

#include <gtest/gtest.h>

namespace cute {

struct TwiceFn {
  template <class T>
  constexpr auto operator()(T const& x) const {
    return x * Int<2>{};
  }
};
// A specialization of one of the library's templates, which an alias would not allow.
template <>
struct is_swizzle<TwiceFn> : true_type {};

}  // namespace cute

namespace cute_test {
namespace {

TEST(NamespaceCute, OpensAndSpecializes) {
  static_assert(cute::is_swizzle<cute::TwiceFn>::value, "");
  const auto l = cute::transform(cute::Shape<cute::_2, cute::_3>{}, cute::TwiceFn{});
  static_assert(cute::is_constant_v<12, decltype(cute::get<0>(l) * cute::_3{})>, "");
  EXPECT_EQ(cute::size(cute::make_layout(cute::make_shape(2, 3))), 6);
  EXPECT_EQ(hlo_indexing::layout::cute::size(l), 24);
}

}  // namespace
}  // namespace cute_test
