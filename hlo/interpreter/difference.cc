#include "hlo/interpreter/difference.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "hlo/literal.h"

namespace hlo_indexing::hlo {
namespace {

struct Distance {
  double absolute = 0;
  double relative = 0;
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Distance DistanceOf(double expected, double actual) {
  if (expected == actual || (std::isnan(expected) && std::isnan(actual))) return {};
  const double absolute = std::fabs(expected - actual);
  if (!std::isfinite(absolute)) return {kInfinity, kInfinity};
  return {absolute, expected == 0 ? kInfinity : absolute / std::fabs(expected)};
}

Distance DistanceOf(const Element& expected, const Element& actual, ElementType type) {
  switch (ClassOf(type)) {
    case ElementClass::kFloat:
      return DistanceOf(expected.real, actual.real);
    case ElementClass::kComplex: {
      const Distance real = DistanceOf(expected.real, actual.real);
      const Distance imaginary = DistanceOf(expected.imag, actual.imag);
      const double absolute = std::hypot(real.absolute, imaginary.absolute);
      if (absolute == 0) return {};
      const double magnitude = std::hypot(expected.real, expected.imag);
      if (!std::isfinite(absolute)) return {kInfinity, kInfinity};
      return {absolute, magnitude == 0 ? kInfinity : absolute / magnitude};
    }
    case ElementClass::kUnsigned: {
      const auto a = static_cast<uint64_t>(expected.integer);
      const auto b = static_cast<uint64_t>(actual.integer);
      const auto absolute = static_cast<double>(a > b ? a - b : b - a);
      if (a == b) return {};
      return {absolute, a == 0 ? kInfinity : absolute / static_cast<double>(a)};
    }
    default: {
      const int64_t a = expected.integer;
      const int64_t b = actual.integer;
      if (a == b) return {};
      const double absolute = std::fabs(static_cast<double>(a) - static_cast<double>(b));
      return {absolute, a == 0 ? kInfinity : absolute / std::fabs(static_cast<double>(a))};
    }
  }
}

double MagnitudeOf(const Element& element, ElementType type) {
  double magnitude = 0;
  switch (ClassOf(type)) {
    case ElementClass::kFloat:
      magnitude = std::fabs(element.real);
      break;
    case ElementClass::kComplex:
      magnitude = std::hypot(element.real, element.imag);
      break;
    case ElementClass::kUnsigned:
      magnitude = static_cast<double>(static_cast<uint64_t>(element.integer));
      break;
    default:
      magnitude = std::fabs(static_cast<double>(element.integer));
  }
  return std::isfinite(magnitude) ? magnitude : 0;
}

llvm::SmallVector<int64_t, 6> IndexOf(const Shape& shape, int64_t position) {
  llvm::SmallVector<int64_t, 6> index(shape.sizes().size());
  for (size_t i = index.size(); i > 0; --i) {
    index[i - 1] = position % shape.sizes()[i - 1];
    position /= shape.sizes()[i - 1];
  }
  return index;
}

}  // namespace

Difference DifferenceOf(const ArrayValue& expected, const ArrayValue& actual) {
  Difference difference;
  int64_t absolute = 0;
  int64_t relative = 0;
  for (int64_t i = 0; i < expected.size(); ++i) {
    const Element wanted = expected.Get(i);
    difference.magnitude = std::max(difference.magnitude, MagnitudeOf(wanted, expected.type()));
    const Distance distance = DistanceOf(wanted, actual.Get(i), expected.type());
    if (distance.absolute == 0) continue;
    ++difference.num_different;
    if (distance.absolute > difference.max_absolute) {
      difference.max_absolute = distance.absolute;
      absolute = i;
    }
    if (distance.relative > difference.max_relative) {
      difference.max_relative = distance.relative;
      relative = i;
    }
  }
  if (difference.is_equal()) return difference;
  difference.absolute_index = IndexOf(expected.shape(), absolute);
  difference.relative_index = IndexOf(expected.shape(), relative);
  const auto text_of = [&](const ArrayValue& array) {
    return Literal(&array.shape(), array.bytes(), /*elided=*/false).ElementText(absolute);
  };
  difference.expected = text_of(expected);
  difference.actual = text_of(actual);
  return difference;
}

}  // namespace hlo_indexing::hlo
