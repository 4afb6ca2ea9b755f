#include "codegen/emit/buffers.h"

#include <algorithm>
#include <bit>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "codegen/plan/lane_maps.h"
#include "hlo/element_type.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;
using hlo::ElementClass;
using hlo::ElementType;
using mlir::Type;
using mlir::Value;
using plan::LaneRange;

namespace {

// The type of an element, or of a part of a complex number, in memory.
Type MemoryType(KernelBuilder& builder, const Buffer& buffer) {
  if (IsComplex(buffer.type)) return RegisterType(builder, buffer.type);
  const Type held = RegisterType(builder, buffer.type);
  if (mlir::isa<mlir::IntegerType>(held)) {
    return builder.integer_type(static_cast<unsigned>(std::max<int64_t>(8, buffer.element_bits)));
  }
  return held;
}

// From memory to registers and back: of pred, and of integers in storage that is wider.
Value ToRegister(KernelBuilder& builder, Value value, ElementType type) {
  const Type held = RegisterType(builder, type);
  if (value.getType() == held) return value;
  if (type == ElementType::kPred) {
    const Value zero = builder.Integer(value.getType(), 0);
    return arith::CmpIOp::create(builder.ops(), arith::CmpIPredicate::ne, value, zero);
  }
  return builder.Resize(value, held.getIntOrFloatBitWidth());
}

Value ToMemory(KernelBuilder& builder, Value value, Type type, ElementType element) {
  if (value.getType() == type) return value;
  if (element == ElementType::kPred) return arith::ExtUIOp::create(builder.ops(), type, value);
  return builder.Resize(value, type.getIntOrFloatBitWidth());
}

// A value of fewer bits than a byte, of the byte that it is in, with its sign.
Value ExtendBits(KernelBuilder& builder, Value byte, ElementType type, int64_t bits) {
  const Value places = builder.Integer(byte.getType(), 8 - bits);
  const Value high = arith::ShLIOp::create(builder.ops(), byte, places);
  const bool is_signed = hlo::ClassOf(type) == ElementClass::kSigned;
  if (is_signed) return arith::ShRSIOp::create(builder.ops(), high, places);
  return arith::ShRUIOp::create(builder.ops(), high, places);
}

std::vector<LaneRange> RunsOf(const LanePositions& positions, const Buffer& buffer) {
  return plan::VectorsOf(positions.offsets, positions.divisor, buffer.element_bits,
                         buffer.alignment);
}

Value Offset(KernelBuilder& builder, Value position, int64_t offset) {
  if (offset == 0) return position;
  return arith::AddIOp::create(builder.ops(), position,
                               builder.Integer(position.getType(), offset));
}

// Elements of fewer bits than a byte: `per_byte` of them in each.
class PackedAccess {
 public:
  PackedAccess(KernelBuilder& builder, const Buffer& buffer)
      : builder_(builder), buffer_(buffer), per_byte_(8 / buffer.element_bits) {}

  void Load(Value position, LaneRange run, Lanes& lanes) {
    const auto count = static_cast<int64_t>(run.count);
    if (count < per_byte_) {
      const Value byte = LoadByte(position);
      const Value in_byte = arith::AndIOp::create(
          builder_.ops(), position, builder_.Integer(position.getType(), per_byte_ - 1));
      for (int64_t i = 0; i < count; ++i) {
        const Value place = builder_.Resize(Offset(builder_, in_byte, i), 8);
        const Value shift =
            arith::MulIOp::create(builder_.ops(), place, builder_.Integer(8, buffer_.element_bits));
        lanes.push_back({FromLowBits(arith::ShRUIOp::create(builder_.ops(), byte, shift)), {}});
      }
      return;
    }
    const int64_t num_bytes = count / per_byte_;
    const Value loaded = builder_.Load(buffer_.base, BytePosition(position),
                                       builder_.integer_type(8), num_bytes, num_bytes);
    for (int64_t i = 0; i < count; ++i) {
      const Value byte = num_bytes == 1 ? loaded : builder_.Extract(loaded, i / per_byte_);
      const Value shift = builder_.Integer(8, i % per_byte_ * buffer_.element_bits);
      lanes.push_back({FromLowBits(arith::ShRUIOp::create(builder_.ops(), byte, shift)), {}});
    }
  }

  // Whole bytes. Elements that are no whole byte are written with zeros beside them, which is right
  // at the end of an array only.
  void Store(Value position, LaneRange run, const Lanes& lanes) {
    Values bytes;
    for (size_t i = 0; i < run.count; i += static_cast<size_t>(per_byte_)) {
      Value byte = builder_.Integer(8, 0);
      for (size_t k = i; k < std::min(run.count, i + static_cast<size_t>(per_byte_)); ++k) {
        const Value bits = LowBits(lanes[run.first_lane + k]);
        const Value shift = builder_.Integer(8, static_cast<int64_t>(k - i) * buffer_.element_bits);
        byte = arith::OrIOp::create(builder_.ops(), byte,
                                    arith::ShLIOp::create(builder_.ops(), bits, shift));
      }
      bytes.push_back(byte);
    }
    builder_.Store(bytes.size() == 1 ? bytes.front() : builder_.Vector(bytes), buffer_.base,
                   BytePosition(position), static_cast<int64_t>(bytes.size()));
  }

  void StoreShared(Value position, const Number& element, Value elements_of_byte, Value counters,
                   int64_t first_counter) {
    constexpr unsigned kCounterBits = 32;
    constexpr int64_t kByteBits = 8;
    mlir::ImplicitLocOpBuilder& ops = builder_.ops();
    const Value byte = BytePosition(position);
    const Value in_byte =
        arith::AndIOp::create(ops, position, builder_.Integer(position.getType(), per_byte_ - 1));
    const Value shift = arith::MulIOp::create(ops, builder_.Resize(in_byte, kCounterBits),
                                              builder_.Integer(kCounterBits, buffer_.element_bits));
    const Value bits =
        arith::ExtUIOp::create(ops, builder_.integer_type(kCounterBits), LowBits(element));
    const Value counted = builder_.Integer(kCounterBits, int64_t{1} << kByteBits);
    const Value update =
        arith::OrIOp::create(ops, arith::ShLIOp::create(ops, bits, shift), counted);
    const Value counter = Offset(builder_, byte, first_counter);
    using mlir::LLVM::AtomicBinOp;
    const Value before = builder_.AtomicUpdate(AtomicBinOp::add, counters, counter, update);
    const Value after = arith::AddIOp::create(ops, before, update);
    const Value count =
        arith::ShRUIOp::create(ops, after, builder_.Integer(kCounterBits, kByteBits));
    const Value is_last =
        arith::CmpIOp::create(ops, arith::CmpIPredicate::eq, count, elements_of_byte);
    builder_.If(is_last, [&] {
      builder_.Store(builder_.Resize(after, kByteBits), buffer_.base, byte, 1);
      builder_.AtomicUpdate(AtomicBinOp::xchg, counters, counter,
                            builder_.Integer(kCounterBits, 0));
    });
  }

 private:
  Value LowBits(const Number& element) {
    const Value mask = builder_.Integer(8, (int64_t{1} << buffer_.element_bits) - 1);
    const Value held = ToMemory(builder_, element.value, builder_.integer_type(8), buffer_.type);
    return arith::AndIOp::create(builder_.ops(), held, mask);
  }
  Value BytePosition(Value position) {
    const Value shift =
        builder_.Integer(position.getType(), std::countr_zero(static_cast<uint64_t>(per_byte_)));
    return arith::ShRUIOp::create(builder_.ops(), position, shift);
  }
  Value LoadByte(Value position) {
    return builder_.Load(buffer_.base, BytePosition(position), builder_.integer_type(8), 1, 1);
  }
  Value FromLowBits(Value byte) {
    return ToRegister(builder_, ExtendBits(builder_, byte, buffer_.type, buffer_.element_bits),
                      buffer_.type);
  }

  KernelBuilder& builder_;
  const Buffer& buffer_;
  int64_t per_byte_;
};

}  // namespace

namespace {

KernelBuilder::Position PositionOf(const LanePositions& positions, int64_t offset,
                                   bool is_complex) {
  const int64_t parts = is_complex ? 2 : 1;
  return {positions.first, positions.scale * parts, (positions.constant + offset) * parts};
}

}  // namespace

Lanes LoadLanes(KernelBuilder& builder, const Buffer& buffer, const LanePositions& positions) {
  Lanes lanes;
  const bool is_complex = IsComplex(buffer.type);
  const Type type = MemoryType(builder, buffer);
  for (const LaneRange& run : RunsOf(positions, buffer)) {
    const int64_t offset = positions.offsets[run.first_lane];
    if (buffer.element_bits < 8) {
      const Value first = Offset(builder, positions.first, positions.constant + offset);
      PackedAccess(builder, buffer).Load(first, run, lanes);
      continue;
    }
    const int64_t parts = static_cast<int64_t>(run.count) * (is_complex ? 2 : 1);
    const int64_t bytes = static_cast<int64_t>(run.count) * buffer.element_bits / 8;
    const Value loaded = builder.Load(buffer.base, PositionOf(positions, offset, is_complex), type,
                                      parts, std::min(bytes, buffer.alignment));
    Values values;
    for (int64_t i = 0; i < parts; ++i) {
      values.push_back(
          ToRegister(builder, parts == 1 ? loaded : builder.Extract(loaded, i), buffer.type));
    }
    for (const Number& number : Unflatten(values, buffer.type)) lanes.push_back(number);
  }
  return lanes;
}

void StoreLanes(KernelBuilder& builder, const Lanes& lanes, const Buffer& buffer,
                const LanePositions& positions) {
  const bool is_complex = IsComplex(buffer.type);
  const Type type = MemoryType(builder, buffer);
  for (const LaneRange& run : RunsOf(positions, buffer)) {
    const int64_t offset = positions.offsets[run.first_lane];
    if (buffer.element_bits < 8) {
      const Value first = Offset(builder, positions.first, positions.constant + offset);
      PackedAccess(builder, buffer).Store(first, run, lanes);
      continue;
    }
    Values values;
    for (const Value value : Flatten(llvm::ArrayRef(lanes).slice(run.first_lane, run.count))) {
      values.push_back(ToMemory(builder, value, type, buffer.type));
    }
    const int64_t bytes = static_cast<int64_t>(run.count) * buffer.element_bits / 8;
    builder.Store(values.size() == 1 ? values.front() : builder.Vector(values), buffer.base,
                  PositionOf(positions, offset, is_complex), std::min(bytes, buffer.alignment));
  }
}

void StoreInSharedByte(KernelBuilder& builder, const Number& element, const Buffer& buffer,
                       Value position, Value elements_of_byte, Value counters,
                       int64_t first_counter) {
  PackedAccess(builder, buffer)
      .StoreShared(position, element, elements_of_byte, counters, first_counter);
}

absl::Status CheckElementSizes(const plan::KernelPlan& plan) {
  const auto check = [&](const hlo::Shape& array) {
    if (!array.IsArray()) return absl::OkStatus();
    const int64_t bits = array.StorageBits();
    const int64_t of_type = hlo::ElementBits(array.element_type());
    const bool is_part_of_byte = bits < 8 && 8 % bits == 0 && bits >= of_type;
    if (is_part_of_byte || bits == std::max<int64_t>(8, of_type)) return absl::OkStatus();
    return absl::UnimplementedError(absl::StrCat("%", plan.instruction->name().str(),
                                                 ": no kernel reads or writes elements of ", bits,
                                                 " bits each, as ", array.ToString(), " has them"));
  };
  for (size_t i = 0; i < plan.Inputs().size(); ++i) {
    const hlo::Shape& input = plan.InputShape(i);
    for (int64_t leaf = 0; leaf < input.num_array_leaves(); ++leaf) {
      if (absl::Status status = check(input.ArrayLeaf(leaf)); !status.ok()) return status;
    }
  }
  for (int64_t output = 0; output < plan.instruction->shape().num_array_leaves(); ++output) {
    if (absl::Status status = check(plan.OutputShape(output)); !status.ok()) return status;
  }
  return absl::OkStatus();
}

KernelBuffers::KernelBuffers(const plan::KernelPlan& plan, KernelBuilder& builder) {
  size_t next = 0;
  const auto buffer_of = [&](const hlo::Shape& array) -> Buffer {
    return {builder.Argument(next++), array.element_type(), array.StorageBits()};
  };
  for (size_t i = 0; i < plan.Inputs().size(); ++i) {
    const hlo::Shape& input = plan.InputShape(i);
    std::vector<Buffer>& buffers = inputs_.emplace_back();
    for (int64_t leaf = 0; leaf < input.num_array_leaves(); ++leaf) {
      buffers.push_back(buffer_of(input.ArrayLeaf(leaf)));
    }
  }
  for (int64_t output = 0; output < plan.instruction->shape().num_array_leaves(); ++output) {
    outputs_.push_back(buffer_of(plan.OutputShape(output)));
  }
  if (plan.scratch_bytes > 0) scratch_ = builder.Argument(next++);
  if (plan.counter_bytes() > 0) counters_ = builder.Argument(next);
}

}  // namespace hlo_indexing::emit
