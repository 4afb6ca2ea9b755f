#include "codegen/emit/shared_array.h"

#include <algorithm>

#include "llvm/ADT/bit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;
using mlir::Value;

SharedArray::SharedArray(KernelEmitter& kernel, const plan::SharedTile& tile, hlo::ElementType type)
    : kernel_(kernel), tile_(tile) {
  buffer_ = {kernel.SharedBase(tile), type, tile.element_bits};
}

SharedArray::SharedArray(KernelEmitter& kernel, const plan::SharedTile& tile, hlo::ElementType type,
                         Value base)
    : kernel_(kernel), tile_(tile), buffer_{base, type, tile.element_bits} {}

SharedArray::Place SharedArray::PlaceOf(const plan::SharedAccess& access) {
  plan::MapTable& maps = kernel_.plans().maps;
  ElementEmitter& elements = kernel_.elements();
  plan::SharedAccess in_turn = access;
  in_turn.index = elements.InTurn(access.index);
  const IndexingMap position = maps.Simplified(tile_.PositionOf(in_turn));
  Place place;
  IndexingMap first = position;
  place.offsets = {0};
  if (elements.lanes() > 1 && DependsOnLane(position)) {
    const auto offsets = LaneOffsets(position, elements.lanes(), maps);
    if (!offsets.has_value()) kernel_.Fail("has lanes that are apart in shared memory");
    if (offsets.has_value()) place.offsets = *offsets;
    first = AtLane(position, 0, maps);
  }
  KernelBuilder& builder = kernel_.builder();
  const auto lanes = static_cast<int64_t>(llvm::bit_floor(place.offsets.size()));
  place.divisor = DivisorOfResult(first, lanes, maps).value_or(kBufferAlignment);
  const VariableValues variables = {elements.dimensions(), elements.ranges(), {}};
  if (!tile_.swizzle.has_value()) {
    place.first = EmitSum(builder, first, variables, 1);
    return place;
  }
  place.first = Swizzled(first, variables);
  // What lies below the exchanged bits stays together.
  place.divisor = std::min(place.divisor & -place.divisor, int64_t{1} << tile_.swizzle->base());
  return place;
}

// Bits of the position, shifted, exchange lower ones (CuTe, "Swizzle"). They are an expression of
// the map where that is short, which many accesses share; and what is a multiple of all that is
// exchanged may be added behind it, as a part of the address.
IndexSum SharedArray::Swizzled(const IndexingMap& position, const VariableValues& variables) {
  constexpr int kShort = 4;
  const layout::CuteSwizzle& swizzle = *tile_.swizzle;
  KernelBuilder& builder = kernel_.builder();
  mlir::ImplicitLocOpBuilder& ops = builder.ops();
  const int64_t count = int64_t{1} << swizzle.bits();
  const int64_t lowest = int64_t{1} << swizzle.base();
  const mlir::AffineExpr source =
      position.affine_map().getResult(0).floorDiv(lowest << swizzle.shift());
  const IndexingMap bits =
      kernel_.plans().maps.Simplified(WithResults(position, {source % count * lowest}));
  if (CostOfResults(bits) > kShort) {
    const Value place = EmitResults(builder, position, variables).front();
    const Value mask = builder.Integer(place.getType(), swizzle.source_mask());
    const Value distance = builder.Integer(place.getType(), swizzle.shift());
    const Value moved =
        arith::ShRUIOp::create(ops, arith::AndIOp::create(ops, place, mask), distance);
    return {arith::XOrIOp::create(ops, place, moved), 0};
  }
  IndexSum sum = EmitSum(builder, position, variables, count * lowest);
  const auto exchange = [&](Value with) {
    const unsigned width = std::max(sum.value.getType().getIntOrFloatBitWidth(),
                                    with.getType().getIntOrFloatBitWidth());
    sum.value =
        arith::XOrIOp::create(ops, builder.Resize(sum.value, width), builder.Resize(with, width));
  };
  const auto constant_of = [](const IndexingMap& map) {
    return mlir::dyn_cast<mlir::AffineConstantExpr>(map.affine_map().getResult(0));
  };
  if (constant_of(bits) && constant_of(bits).getValue() == 0) return sum;
  IndexSum exchanged = EmitSum(builder, bits, variables, lowest);
  if (exchanged.constant == 0) {
    exchange(exchanged.value);
    return sum;
  }
  // Turns of a loop that is written out often differ in one bit.
  const mlir::AffineExpr rest = bits.affine_map().getResult(0) - exchanged.constant;
  const IndexingMap above = kernel_.plans().maps.Simplified(
      WithResults(bits, {rest.floorDiv(exchanged.constant & -exchanged.constant)}));
  if (constant_of(above) && constant_of(above).getValue() == 0) {
    exchange(exchanged.value);
    exchange(builder.Integer(exchanged.value.getType(), exchanged.constant));
    return sum;
  }
  exchange(arith::AddIOp::create(ops, exchanged.value,
                                 builder.Integer(exchanged.value.getType(), exchanged.constant)));
  return sum;
}

void SharedArray::Store(const Lanes& lanes, const plan::SharedAccess& access) {
  const Place place = PlaceOf(access);
  StoreLanes(kernel_.builder(), Replicate(lanes, place.offsets.size()), buffer_, place.positions());
}

Lanes SharedArray::Load(const plan::SharedAccess& access) {
  const Place place = PlaceOf(access);
  return LoadLanes(kernel_.builder(), buffer_, place.positions());
}

Value SharedArray::PointerTo(const plan::SharedAccess& access) {
  KernelBuilder& builder = kernel_.builder();
  const IndexSum first = PlaceOf(access).first;
  return builder.PointerTo(buffer_.base, {first.value, /*scale_of=*/1, first.constant},
                           RegisterType(builder, buffer_.type));
}

}  // namespace hlo_indexing::emit
