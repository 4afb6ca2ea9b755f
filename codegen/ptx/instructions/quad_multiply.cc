#include "codegen/ptx/instructions/quad_multiply.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "codegen/ptx/instructions/decoder.h"
#include "codegen/ptx/instructions/matrix_elements.h"
#include "codegen/ptx/instructions/matrix_fragment.h"
#include "codegen/ptx/instructions/warp_operands.h"
#include "codegen/ptx/machine/lanes.h"
#include "codegen/ptx/machine/operation.h"
#include "codegen/ptx/numerics/convert.h"
#include "codegen/ptx/numerics/half.h"
#include "codegen/ptx/syntax/module.h"
#include "support/status_macros.h"

namespace hlo_indexing::ptx {
namespace {

struct QuadDetails : OperationDetails {
  QuadMultiplyForm form;
  std::array<Slot, 2> a = {};
  std::array<Slot, 2> b = {};
  std::array<Slot, 8> c = {};
  std::array<Slot, 8> d = {};
};

// Lanes 4q to 4q + 3 and 4q + 16 to 4q + 19 make product q (PTX ISA 9.7.14.5.1, its figures).
constexpr size_t kProducts = 4;
size_t ProductOf(size_t lane) { return lane % 16 / 4; }
size_t UpperHalf(size_t lane) { return lane >= 16 ? 4 : 0; }

/// Where element i (0 to 3) of a lane's A lies.
RowAndColumn PlaceInA(bool is_row, size_t lane, size_t i) {
  if (is_row) return {lane % 4 + UpperHalf(lane), i};
  return {i + UpperHalf(lane), lane % 4};
}

RowAndColumn PlaceInB(bool is_row, size_t lane, size_t i) {
  if (is_row) return {lane % 4, i + UpperHalf(lane)};
  return {i, lane % 4 + UpperHalf(lane)};
}

/// Element i (0 to 7) of C and D, which differs for f32 and f16.
RowAndColumn PlaceInC(bool is_float, size_t lane, size_t i) {
  if (!is_float) return {lane % 4 + UpperHalf(lane), i};
  return {(lane & 1) + (i & 2) + UpperHalf(lane), (i & 4) + (lane & 2) + (i & 1)};
}

double HalfAt(const Execution& execution, Slot slot, size_t lane, size_t half) {
  return element::F16::Decode(execution.At<uint32_t>(slot)[lane] >> (16 * half) & 0xffff);
}

using Matrix = std::array<std::array<double, 8>, 8>;

Step ExecuteQuadMultiply(const Operation& operation, Execution& execution) {
  CheckWholeWarp(operation, execution);
  const auto& details = operation.Details<QuadDetails>();
  const QuadMultiplyForm& form = details.form;
  std::array<Matrix, kProducts> a;
  std::array<Matrix, kProducts> b;
  std::array<Matrix, kProducts> sums;
  for (size_t lane = 0; lane < kWarpSize; ++lane) {
    const size_t q = ProductOf(lane);
    for (size_t i = 0; i < 4; ++i) {
      const RowAndColumn in_a = PlaceInA(form.a_is_row, lane, i);
      a[q][in_a.row][in_a.column] = HalfAt(execution, details.a[i / 2], lane, i % 2);
      const RowAndColumn in_b = PlaceInB(form.b_is_row, lane, i);
      b[q][in_b.row][in_b.column] = HalfAt(execution, details.b[i / 2], lane, i % 2);
    }
    for (size_t i = 0; i < 8; ++i) {
      const RowAndColumn in_c = PlaceInC(form.c_is_float, lane, i);
      sums[q][in_c.row][in_c.column] =
          form.c_is_float ? static_cast<double>(execution.At<float>(details.c[i])[lane])
                          : HalfAt(execution, details.c[i / 2], lane, i % 2);
    }
  }
  for (size_t q = 0; q < kProducts; ++q) {
    for (size_t row = 0; row < 8; ++row) {
      for (size_t k = 0; k < 4; ++k) {
        for (size_t column = 0; column < 8; ++column) {
          sums[q][row][column] += a[q][row][k] * b[q][k][column];
        }
      }
    }
  }
  ForEachLane(execution.lanes, [&](int signed_lane) {
    const auto lane = static_cast<size_t>(signed_lane);
    const auto sum = [&](size_t i) {
      const RowAndColumn place = PlaceInC(form.d_is_float, lane, i);
      return sums[ProductOf(lane)][place.row][place.column];
    };
    if (form.d_is_float) {
      for (size_t i = 0; i < 8; ++i) {
        execution.At<float>(details.d[i])[lane] = numerics::ToFloat(sum(i));
      }
    } else {
      for (size_t i = 0; i < 4; ++i) {
        execution.At<uint32_t>(details.d[i])[lane] =
            numerics::Pack(numerics::NearestHalf<numerics::F16>(sum(2 * i + 1)),
                           numerics::NearestHalf<numerics::F16>(sum(2 * i)));
      }
    }
  });
  return Step::kNext;
}

}  // namespace

absl::Status DecodeQuadMultiply(InstructionDecoder& d, const QuadMultiplyForm& form, Slot members) {
  auto details = std::make_shared<QuadDetails>();
  details->form = form;
  HLO_INDEXING_RETURN_IF_ERROR(d.ExpectOperands(4));
  const auto type = [](bool is_float) { return is_float ? Type::kF32 : Type::kF16x2; };
  HLO_INDEXING_ASSIGN_OR_RETURN(const auto results,
                                FragmentRegisters(d, 0, form.d_is_float ? 8 : 4));
  for (size_t i = 0; i < results.size(); ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(details->d[i], d.Destination(results[i], type(form.d_is_float)));
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const auto a, FragmentRegisters(d, 1, 2));
  HLO_INDEXING_ASSIGN_OR_RETURN(const auto b, FragmentRegisters(d, 2, 2));
  for (size_t i = 0; i < 2; ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(details->a[i], d.Source(a[i], Type::kF16x2));
    HLO_INDEXING_ASSIGN_OR_RETURN(details->b[i], d.Source(b[i], Type::kF16x2));
  }
  HLO_INDEXING_ASSIGN_OR_RETURN(const auto c, FragmentRegisters(d, 3, form.c_is_float ? 8 : 4));
  for (size_t i = 0; i < c.size(); ++i) {
    HLO_INDEXING_ASSIGN_OR_RETURN(details->c[i], d.Source(c[i], type(form.c_is_float)));
  }
  return d.Emit({.execute = ExecuteQuadMultiply,
                 .pipe = Pipe::kTensor,
                 .members = members,
                 .details = std::move(details)});
}

}  // namespace hlo_indexing::ptx
