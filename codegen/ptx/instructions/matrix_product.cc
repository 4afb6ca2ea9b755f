#include "codegen/ptx/instructions/matrix_product.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "codegen/ptx/instructions/matrix_elements.h"
#include "codegen/ptx/instructions/matrix_fragment.h"
#include "codegen/ptx/instructions/warp_operands.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/numerics/convert.h"
#include "codegen/ptx/numerics/f64.h"
#include "codegen/ptx/numerics/float_format.h"
#include "codegen/ptx/numerics/half.h"
#include "codegen/ptx/numerics/host_rounding.h"
#include "codegen/ptx/numerics/rounding.h"
#include "codegen/ptx/syntax/module.h"

namespace hlo_indexing::ptx {
namespace {

using numerics::Rounding;

/// Largest matrices: A of m16k64, D of m16n16.
constexpr size_t kMaxFactor = 1024;
constexpr size_t kMaxSum = 256;

/// The dense matrix, by rows, of the elements that the lanes hold.
template <typename Element>
void Gather(const Execution& execution, const FragmentOperand& fragment,
            typename Element::Value* matrix) {
  constexpr size_t kPerRegister = 32 / Element::kBits;
  constexpr uint32_t kMask = Element::kBits == 32 ? ~uint32_t{0} : (1U << Element::kBits % 32) - 1;
  const uint16_t* place = fragment.places.data();
  for (size_t r = 0; r < fragment.num_registers; ++r) {
    const auto* words = execution.At<uint32_t>(fragment.slots[r]);
    for (size_t lane = 0; lane < kWarpSize; ++lane) {
      for (size_t i = 0; i < kPerRegister; ++i) {
        const uint32_t bits = words[lane] >> (i * Element::kBits % 32) & kMask;
        matrix[*place++] = Element::Decode(bits);
      }
    }
  }
}

/// sums += A * B, for each element in the order of k.
template <typename Element, typename Value>
void AddProducts(const MatrixShape& shape, const Value* a, const Value* b, Value* sums) {
  for (size_t i = 0; i < shape.m; ++i) {
    Value* row = sums + i * shape.n;
    for (size_t k = 0; k < shape.k; ++k) {
      const Value factor = a[i * shape.k + k];
      const Value* others = b + k * shape.n;
      for (size_t j = 0; j < shape.n; ++j) row[j] += Element::Product(factor, others[j]);
    }
  }
}

void GatherC(const Execution& execution, const MultiplyDetails& details, double* sums) {
  if (details.type_of_c == Type::kF16) {
    Gather<element::F16>(execution, details.c, sums);
    return;
  }
  const uint16_t* place = details.c.places.data();
  for (size_t r = 0; r < details.c.num_registers; ++r) {
    const auto* values = execution.At<float>(details.c.slots[r]);
    for (size_t lane = 0; lane < kWarpSize; ++lane) {
      sums[*place++] = static_cast<double>(values[lane]);
    }
  }
}

void ScatterD(const Execution& execution, const MultiplyDetails& details, const double* sums) {
  const uint16_t* place = details.d.places.data();
  for (size_t r = 0; r < details.d.num_registers; ++r) {
    if (details.type_of_d == Type::kF16) {
      auto* result = execution.At<uint32_t>(details.d.slots[r]);
      ForEachLane(execution.lanes, [&](int lane) {
        const uint16_t* pair = place + static_cast<ptrdiff_t>(2) * lane;
        result[lane] = numerics::Pack(numerics::NearestHalf<numerics::F16>(sums[pair[1]]),
                                      numerics::NearestHalf<numerics::F16>(sums[pair[0]]));
      });
      place += ptrdiff_t{2} * kWarpSize;
    } else {
      auto* result = execution.At<float>(details.d.slots[r]);
      ForEachLane(execution.lanes,
                  [&](int lane) { result[lane] = numerics::ToFloat(sums[place[lane]]); });
      place += kWarpSize;
    }
  }
}

template <typename A, typename B>
Step ExecuteFloats(const Operation& operation, Execution& execution) {
  CheckWholeWarp(operation, execution);
  const auto& details = operation.Details<MultiplyDetails>();
  std::array<double, kMaxFactor> a;
  std::array<double, kMaxFactor> b;
  std::array<double, kMaxSum> sums;
  Gather<A>(execution, details.a, a.data());
  Gather<B>(execution, details.b, b.data());
  GatherC(execution, details, sums.data());
  AddProducts<A>(details.shape, a.data(), b.data(), sums.data());
  ScatterD(execution, details, sums.data());
  return Step::kNext;
}

template <typename A, typename B>
Step ExecuteIntegers(const Operation& operation, Execution& execution) {
  CheckWholeWarp(operation, execution);
  const auto& details = operation.Details<MultiplyDetails>();
  std::array<int32_t, kMaxFactor> a;
  std::array<int32_t, kMaxFactor> b;
  std::array<int32_t, kMaxSum> sums = {};
  Gather<A>(execution, details.a, a.data());
  Gather<B>(execution, details.b, b.data());
  AddProducts<A>(details.shape, a.data(), b.data(), sums.data());
  // C and D have the same places, and may share registers.
  const uint16_t* place = details.c.places.data();
  for (size_t r = 0; r < details.c.num_registers; ++r) {
    const auto* addend = execution.At<int32_t>(details.c.slots[r]);
    for (size_t lane = 0; lane < kWarpSize; ++lane) {
      int32_t& sum = sums[*place++];
      int64_t total = int64_t{sum} + addend[lane];
      if (details.saturates) {
        total = std::clamp<int64_t>(total, std::numeric_limits<int32_t>::min(),
                                    std::numeric_limits<int32_t>::max());
      }
      sum = static_cast<int32_t>(total);
    }
  }
  place = details.d.places.data();
  for (size_t r = 0; r < details.d.num_registers; ++r) {
    auto* result = execution.At<int32_t>(details.d.slots[r]);
    ForEachLane(execution.lanes, [&](int lane) { result[lane] = sums[place[lane]]; });
    place += kWarpSize;
  }
  return Step::kNext;
}

void GatherDoubles(const Execution& execution, const FragmentOperand& fragment, double* matrix) {
  const uint16_t* place = fragment.places.data();
  for (size_t r = 0; r < fragment.num_registers; ++r) {
    const auto* values = execution.At<double>(fragment.slots[r]);
    for (size_t lane = 0; lane < kWarpSize; ++lane) matrix[*place++] = values[lane];
  }
}

template <Rounding kRounding>
Step ExecuteDoubles(const Operation& operation, Execution& execution) {
  const numerics::HostRounding mode(kRounding);
  CheckWholeWarp(operation, execution);
  const auto& details = operation.Details<MultiplyDetails>();
  const MatrixShape& shape = details.shape;
  std::array<double, kMaxFactor> a;
  std::array<double, kMaxFactor> b;
  std::array<double, kMaxSum> sums;
  GatherDoubles(execution, details.a, a.data());
  GatherDoubles(execution, details.b, b.data());
  GatherDoubles(execution, details.c, sums.data());
  for (size_t i = 0; i < shape.m; ++i) {
    for (size_t j = 0; j < shape.n; ++j) {
      double& sum = sums[i * shape.n + j];
      for (size_t k = 0; k < shape.k; ++k) {
        sum = numerics::Fma(a[i * shape.k + k], b[k * shape.n + j], sum);
      }
    }
  }
  const uint16_t* place = details.d.places.data();
  for (size_t r = 0; r < details.d.num_registers; ++r) {
    auto* result = execution.At<double>(details.d.slots[r]);
    ForEachLane(execution.lanes, [&](int lane) { result[lane] = sums[place[lane]]; });
    place += kWarpSize;
  }
  return Step::kNext;
}

// --- Which function and which shapes a combination of types has.

using E4m3 = element::Fp8<numerics::kE4m3Format>;
using E5m2 = element::Fp8<numerics::kE5m2Format>;

template <typename A>
Execute Fp8Function(Type b) {
  if (b == Type::kE4m3) return ExecuteFloats<A, E4m3>;
  if (b == Type::kE5m2) return ExecuteFloats<A, E5m2>;
  return nullptr;
}

template <size_t kWidth>
Execute IntegerFunction(bool a_is_signed, bool b_is_signed) {
  using Signed = element::Integer<kWidth, true>;
  using Unsigned = element::Integer<kWidth, false>;
  if (a_is_signed) {
    return b_is_signed ? ExecuteIntegers<Signed, Signed> : ExecuteIntegers<Signed, Unsigned>;
  }
  return b_is_signed ? ExecuteIntegers<Unsigned, Signed> : ExecuteIntegers<Unsigned, Unsigned>;
}

}  // namespace

Execute ProductFunction(Type a, Type b, bool is_and, Rounding rounding) {
  switch (a) {
    case Type::kE4m3:
      return Fp8Function<E4m3>(b);
    case Type::kE5m2:
      return Fp8Function<E5m2>(b);
    case Type::kS8:
    case Type::kU8:
      if (b != Type::kS8 && b != Type::kU8) return nullptr;
      return IntegerFunction<8>(a == Type::kS8, b == Type::kS8);
    case Type::kS4:
    case Type::kU4:
      if (b != Type::kS4 && b != Type::kU4) return nullptr;
      return IntegerFunction<4>(a == Type::kS4, b == Type::kS4);
    default:
      break;
  }
  if (a != b) return nullptr;
  switch (a) {
    case Type::kF16:
      return ExecuteFloats<element::F16, element::F16>;
    case Type::kBf16:
      return ExecuteFloats<element::Bf16, element::Bf16>;
    case Type::kTf32:
      return ExecuteFloats<element::Tf32, element::Tf32>;
    case Type::kB1:
      return is_and ? ExecuteIntegers<element::BitWord<true>, element::BitWord<true>>
                    : ExecuteIntegers<element::BitWord<false>, element::BitWord<false>>;
    case Type::kF64:
      switch (rounding) {
        case Rounding::kTowardZero:
          return ExecuteDoubles<Rounding::kTowardZero>;
        case Rounding::kDown:
          return ExecuteDoubles<Rounding::kDown>;
        case Rounding::kUp:
          return ExecuteDoubles<Rounding::kUp>;
        default:
          return ExecuteDoubles<Rounding::kNearestEven>;
      }
    default:
      return nullptr;
  }
}

}  // namespace hlo_indexing::ptx
