// Elements that are read from buffers, constants and indices, and their way to the outputs.
#include <algorithm>
#include <array>
#include <utility>

#include "codegen/emit/conversion.h"
#include "codegen/emit/element_emitter.h"
#include "codegen/plan/constants.h"
#include "codegen/plan/loop_ranges.h"
#include "codegen/plan/thread_map.h"
#include "hlo/attribute.h"
#include "llvm/ADT/bit.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;

using hlo::AttributeName;
using hlo::ElementType;
using hlo::Shape;
using mlir::AffineMap;
using mlir::Value;

// Where the conditions of the code never hold.
ElementEmitter::Step ElementEmitter::NeverComputed(const Element& element) {
  return {{},
          [this, type = ShapeOf(element).element_type()](llvm::ArrayRef<const Lanes*>) -> Lanes {
            return {ZeroOf(builder_, type)};
          }};
}

ElementEmitter::Step ElementEmitter::StepOfLoad(const Element& element, const Buffer& buffer) {
  if (element.index.IsKnownEmpty()) return NeverComputed(element);
  const IndexingMap position = plans_.maps.PositionsAt(element.index, ShapeOf(element));
  if (position.IsUnknown()) return Failed(element, "has a layout that no kernel reads");
  if (position.IsKnownEmpty()) return NeverComputed(element);
  const bool is_scalar = ShapeOf(element).num_elements() == 1;
  const bool once = position.num_runtime() == 0 && builder_.IsReadOnly(buffer.base);
  return {{}, [=, this](llvm::ArrayRef<const Lanes*>) {
            if (is_scalar) return LoadScalar(buffer, position);
            if (!once) return Load(buffer, position);
            return LoadOnce(element, position, buffer);
          }};
}

namespace {

// Whether no other thread has elements in the bytes of these; of the last byte there may be fewer.
bool AreWholeBytes(const Shape& shape, const Buffer& buffer, const IndexingMap& first,
                   int64_t divisor, llvm::ArrayRef<int64_t> offsets) {
  if (buffer.element_bits >= 8 || shape.num_elements() == 1) return true;
  const int64_t of_byte = 8 / buffer.element_bits;
  if (first.affine_map().isConstant()) {
    const int64_t place = first.affine_map().getConstantResults().front();
    const bool has_tiles = shape.layout() != nullptr && !shape.layout()->tiles.empty();
    const bool are_last = place + static_cast<int64_t>(offsets.size()) >= shape.num_elements();
    if (!has_tiles && place % of_byte == 0 && are_last) return true;
  }
  if (divisor % of_byte != 0 || static_cast<int64_t>(offsets.size()) % of_byte != 0) return false;
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

// What divides a position, and which power of two of it the address is scaled by: vectors are
// counted, not elements.
std::pair<int64_t, int64_t> DivisorOf(const IndexingMap& position, const Buffer& buffer,
                                      size_t num_lanes, plan::MapTable& maps) {
  const auto lanes = static_cast<int64_t>(llvm::bit_floor(num_lanes));
  // A constant 0 is divided by all.
  const int64_t divisor = DivisorOfResult(position, lanes, maps).value_or(kBufferAlignment * 8);
  if (buffer.element_bits < 8 || position.affine_map().isConstant()) return {divisor, 1};
  return {divisor, std::min(divisor & -divisor, lanes)};
}

}  // namespace

IndexSum ElementEmitter::EmitPlace(const IndexingMap& position, int64_t scale,
                                   const Buffer& buffer) {
  IndexingMap place = InTurn(position);
  // No thread of the turn is here.
  if (place.IsKnownEmpty()) return {builder_.Integer(32, 0), 0};
  if (scale > 1) {
    const mlir::AffineExpr quotient = place.affine_map().getResult(0).floorDiv(scale);
    place = plans_.maps.Simplified(WithResults(place, {quotient}));
  }
  // Packed elements are found by the bits of their position.
  if (buffer.element_bits < 8 || !HasRangeValues(place)) return {EmitIndex(place), 0};
  const Values runtime = RuntimeValues(place);
  return EmitSum(builder_, place, {dimensions_, ranges_, runtime}, 1);
}

// LLVM, too, would find most loads of the same element, but not all: only here it is known which,
// and so does the plan (plan/element_reads.h). An element is known by its index, or, as a reshape
// would write the index in another way, by its position.
Lanes ElementEmitter::LoadOnce(const Element& element, const IndexingMap& position,
                               const Buffer& buffer) {
  const bool has_lane = num_lanes_ > 1;
  const auto key_of = [&](bool is_position, const IndexingMap& of) -> Loaded {
    return {element.instruction, element.leaf, is_position, plan::LoadedElements(of, has_lane)};
  };
  const std::array<Loaded, 2> keys = {key_of(false, element.index), key_of(true, position)};
  for (const Loads& scope : llvm::reverse(loads_)) {
    for (const Loaded& key : keys) {
      const auto found = scope.lanes.find(key);
      if (found != scope.lanes.end() && IsThere(found->second)) return found->second.lanes;
    }
  }
  if (const Lanes* kept = FindInTurns(element, position)) return *kept;
  if (std::optional<Lanes> lanes = FindLaneByLane(element, position)) return *std::move(lanes);
  std::optional<Known> before = LoadBeforeLoops(element, buffer);
  const bool is_before = before.has_value();
  const Known known =
      is_before ? *std::move(before) : Known{Load(buffer, position), DomainOfLoads()};
  const Lanes& lanes = known.lanes;
  // A vector of some lanes is none of all.
  const size_t depth = lanes.size() > 1 ? loads_.size() : NumScopes();
  auto& loads = loads_[(is_before ? loops_->depth_outside_ : depth) - 1].lanes;
  for (size_t lane = 0; lanes.size() > 1 && lane < lanes.size(); ++lane) {
    for (const bool is_position : {false, true}) {
      const IndexingMap at =
          AtLane(is_position ? position : element.index, static_cast<int64_t>(lane), plans_.maps);
      if (at.IsKnownEmpty()) continue;
      loads.insert_or_assign(key_of(is_position, at),
                             Known{{lanes[lane]}, known.domain, known.loops});
    }
  }
  for (const Loaded& key : keys) loads.insert_or_assign(key, known);
  if (depth == depth_of_turns_ && (plan_.keeps_rows || depth > kRowDepth)) {
    loads_of_turns_[{element.instruction, element.leaf}].emplace_back(position, known);
  }
  return lanes;
}

// Under a condition, others have read zeros.
IndexingMap ElementEmitter::DomainOfLoads() const {
  return read_condition_ != nullptr || plan_.keeps_rows ? read_domain_ : IndexingMap();
}

std::optional<Lanes> ElementEmitter::FindLaneByLane(const Element& element,
                                                    const IndexingMap& position) {
  if (num_lanes_ == 1 || !DependsOnLane(position)) return std::nullopt;
  Lanes lanes;
  llvm::SmallVector<mlir::AffineMap, 8> places;
  bool meet = false;
  for (int64_t lane = 0; lane < num_lanes_; ++lane) {
    const IndexingMap at = AtLane(position, lane, plans_.maps);
    if (at.IsKnownEmpty()) return std::nullopt;
    meet = meet || llvm::is_contained(places, at.affine_map());
    places.push_back(at.affine_map());
    const Loaded key = {element.instruction, element.leaf, /*is_position=*/true,
                        plan::LoadedElements(at, /*has_lane=*/true)};
    for (const Loads& scope : llvm::reverse(loads_)) {
      const auto found = scope.lanes.find(key);
      if (found == scope.lanes.end() || !IsThere(found->second)) continue;
      lanes.push_back(found->second.lanes.front());
      break;
    }
    if (std::ssize(lanes) != lane + 1) return std::nullopt;
  }
  return meet ? std::optional(lanes) : std::nullopt;
}

size_t ElementEmitter::NumScopes() const {
  size_t count = loads_.size();
  while (loads_[count - 1].is_of_lanes) --count;
  return count;
}

// In turns under conditions, the position of what all of them read may be written in several ways:
// (th_x floordiv 2) mod 16, and th_x floordiv 2 where a turn has the threads up to 31.
const Lanes* ElementEmitter::FindInTurns(const Element& element, const IndexingMap& position) {
  const auto loaded = loads_of_turns_.find({element.instruction, element.leaf});
  if (loaded == loads_of_turns_.end()) return nullptr;
  const size_t count = DependsOnLane(position) ? static_cast<size_t>(num_lanes_) : 1;
  for (const auto& [other, known] :
       llvm::ArrayRef(loaded->second).take_front(plan::kMostComparedOfRow)) {
    if (known.lanes.size() == count && IsThere(known) &&
        plan::AreSamePositions(position, other, plans_.maps)) {
      return &known.lanes;
    }
  }
  return nullptr;
}

std::optional<ElementEmitter::Known> ElementEmitter::LoadBeforeLoops(const Element& element,
                                                                     const Buffer& buffer) {
  // What branches and loops of elements load is theirs.
  const bool is_of_turn = loops_ != nullptr && NumScopes() == loops_->depth_of_turn_ &&
                          element.index.num_ranges() == loops_->num_ranges_;
  if (!is_of_turn) return std::nullopt;
  const std::optional<plan::IndexBeforeLoops> before =
      plan::BeforeLoops(element.index, 0, loops_->num_ranges_ - (num_lanes_ > 1 ? 1 : 0),
                        num_lanes_, plan_.launch, plans_.maps, loops_->form_);
  if (!before.has_value()) return std::nullopt;
  const IndexingMap position = plans_.maps.PositionsAt(before->index, ShapeOf(element));
  if (position.IsUnknown() || position.IsKnownEmpty()) return std::nullopt;
  Lanes lanes;
  builder_.BeforeLoops([&] {
    Values first;
    for (const indexing_analysis::Variable& range : before->index.ranges()) {
      first.push_back(builder_.Integer(32, range.bounds.lower));
    }
    if (num_lanes_ > 1) first.back() = Value();
    Values ranges = std::exchange(ranges_, std::move(first));
    const Value condition = std::exchange(read_condition_, EmitConditions(before->conditions));
    lanes = Load(buffer, position);
    read_condition_ = condition;
    ranges_ = std::move(ranges);
  });
  return Known{std::move(lanes), before->index, loops_->number_};
}

Lanes ElementEmitter::Load(const Buffer& buffer, const IndexingMap& position) {
  const auto load = [&](const IndexingMap& first, llvm::ArrayRef<int64_t> offsets) {
    const auto [divisor, scale] = DivisorOf(first, buffer, offsets.size(), plans_.maps);
    const IndexSum place = EmitPlace(first, scale, buffer);
    const LanePositions positions = {place.value, divisor, offsets, scale, place.constant * scale};
    return IfLanes(
        read_condition_, buffer.type, offsets.size(),
        [&] { return LoadLanes(builder_, buffer, positions); },
        [&] { return Replicate({ZeroOf(builder_, buffer.type)}, offsets.size()); });
  };
  if (num_lanes_ == 1 || !DependsOnLane(position)) return load(position, {0});
  const IndexingMap first = AtLane(position, 0, plans_.maps);
  if (const auto offsets = LaneOffsets(position, num_lanes_, plans_.maps)) {
    return load(first, *offsets);
  }
  ComputeForAllLanes(position);
  Lanes lanes;
  // Each is in a branch of its own where there is a condition: LLVM would not find those alike.
  llvm::SmallVector<mlir::AffineMap, 8> loaded;
  const int64_t width =
      buffer.element_bits < 8 ? 1 : plan::LanesSideBySide(position, num_lanes_, plans_.maps);
  for (int64_t lane = 0; width > 1 && lane < num_lanes_; lane += width) {
    const IndexingMap group = OfLanes(position, lane, width, plans_.maps);
    const auto offsets = LaneOffsets(group, width, plans_.maps);
    lanes.append(load(AtLane(group, 0, plans_.maps), *offsets));
  }
  for (int64_t lane = 0; width == 1 && lane < num_lanes_; ++lane) {
    const IndexingMap of_lane = AtLane(position, lane, plans_.maps);
    const IndexingMap& at = of_lane.IsKnownEmpty() ? first : of_lane;
    // What is known at run time is another value for each lane.
    const auto* const alike =
        at.num_runtime() > 0 ? loaded.end() : llvm::find(loaded, at.affine_map());
    const auto number = static_cast<size_t>(alike - loaded.begin());
    loaded.push_back(at.affine_map());
    lanes.push_back(number + 1 < loaded.size() ? lanes[number] : load(at, {0}).front());
  }
  return lanes;
}

Lanes ElementEmitter::LoadScalar(const Buffer& buffer, const IndexingMap& position) {
  if (const auto at_entry = scalars_.find(buffer.base); at_entry != scalars_.end()) {
    return at_entry->second;
  }
  const bool is_in_loop =
      plan_.keeps_rows || llvm::any_of(ranges_, [](Value range) { return range != nullptr; });
  // Runtime variables have values where the load stands, not before the loop.
  if (!is_in_loop || position.num_runtime() > 0 || !position.affine_map().isConstant() ||
      !builder_.IsReadOnly(buffer.base)) {
    return Load(buffer, position);
  }
  const auto load = [&] {
    const Value condition = std::exchange(read_condition_, Value());
    Lanes lanes = Load(buffer, position);
    read_condition_ = condition;
    return lanes;
  };
  // One thread of a loop kernel computes a scalar output: no other loads what that one reads.
  if (plan_.emitter == plan::Emitter::kLoop) {
    Lanes lanes;
    builder_.BeforeLoops([&] { lanes = load(); });
    return lanes;
  }
  Lanes lanes;
  builder_.AtEntry([&] { lanes = load(); });
  scalars_.try_emplace(buffer.base, lanes);
  return lanes;
}

void ElementEmitter::Store(const Lanes& lanes, int64_t output, const IndexingMap& index) {
  const Shape& shape = plan_.OutputShape(output);
  const IndexingMap position = plans_.maps.PositionsAt(index, shape);
  if (position.IsUnknown()) return Fail(*plan_.instruction, "has a layout that no kernel writes");
  StoreAt(lanes, output, position);
}

void ElementEmitter::StoreAt(const Lanes& lanes, int64_t output, const IndexingMap& position) {
  if (position.IsKnownEmpty()) return;
  const Shape& shape = plan_.OutputShape(output);
  const Buffer& buffer = buffers_.output(output);
  const plan::ElementPass* shared_byte = nullptr;
  for (const plan::ElementPass& pass : plan_.passes) {
    if (pass.output == output && pass.store == plan::StoreKind::kSharedByte) shared_byte = &pass;
  }
  const auto store = [&](const Lanes& stored, const IndexingMap& first,
                         llvm::ArrayRef<int64_t> offsets) {
    if (shared_byte != nullptr) {
      return StoreInSharedByte(builder_, stored.front(), buffer, EmitIndex(first),
                               ElementsOfByte(first, shape), buffers_.counters(),
                               shared_byte->first_counter);
    }
    const auto [divisor, scale] = DivisorOf(first, buffer, offsets.size(), plans_.maps);
    if (!AreWholeBytes(shape, buffer, first, divisor, offsets)) {
      return Fail(*plan_.instruction,
                  "has elements of less than a byte: several threads would write to one");
    }
    const IndexSum place = EmitPlace(first, scale, buffer);
    StoreLanes(builder_, stored, buffer,
               {place.value, divisor, offsets, scale, place.constant * scale});
  };
  if (num_lanes_ == 1 || !DependsOnLane(position)) return store(lanes, position, {0});
  const auto count = static_cast<size_t>(num_lanes_);
  const Lanes all = Replicate(lanes, count);
  const auto offsets = LaneOffsets(position, num_lanes_, plans_.maps);
  if (offsets.has_value() && shared_byte == nullptr) {
    return store(all, AtLane(position, 0, plans_.maps), *offsets);
  }
  const bool is_packed = buffer.element_bits < 8;
  const int64_t width = is_packed ? 1 : plan::LanesSideBySide(position, num_lanes_, plans_.maps);
  for (int64_t lane = 0; width > 1 && lane < num_lanes_; lane += width) {
    const IndexingMap group = OfLanes(position, lane, width, plans_.maps);
    const auto of_group = LaneOffsets(group, width, plans_.maps);
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(lane);
    store(Lanes(first, first + static_cast<std::ptrdiff_t>(width)), AtLane(group, 0, plans_.maps),
          *of_group);
  }
  for (size_t lane = 0; width == 1 && lane < count; ++lane) {
    store({all[lane]}, AtLane(position, static_cast<int64_t>(lane), plans_.maps), {0});
  }
}

Value ElementEmitter::ElementsOfByte(const IndexingMap& position, const Shape& shape) {
  constexpr unsigned kBits = 32;
  const int64_t of_byte = 8 / shape.StorageBits();
  const mlir::AffineExpr first = position.affine_map().getResult(0).floorDiv(of_byte) * of_byte;
  int64_t always = 0;
  Value sometimes = builder_.Integer(kBits, 0);
  for (int64_t i = 0; i < of_byte; ++i) {
    const IndexingMap place = plans_.maps.Simplified(WithResults(position, {first + i}));
    const IndexingMap element = plans_.maps.Compose(place, plans_.maps.Elements(shape));
    if (element.IsKnownEmpty()) continue;
    const Value is_element = EmitConditions(ConditionsOf(element, place));
    if (is_element == nullptr) {
      ++always;
      continue;
    }
    const Value one =
        arith::ExtUIOp::create(builder_.ops(), builder_.integer_type(kBits), is_element);
    sometimes = arith::AddIOp::create(builder_.ops(), sometimes, one);
  }
  return arith::AddIOp::create(builder_.ops(), sometimes, builder_.Integer(kBits, always));
}

Value ElementEmitter::PositionOf(int64_t output, const IndexingMap& index) {
  const Shape& shape = plan_.OutputShape(output);
  const IndexingMap position = plans_.maps.PositionsAt(index, shape);
  if (position.IsKnownEmpty()) return nullptr;
  if (!position.IsUnknown()) return EmitIndex(position);
  Fail(*plan_.instruction, "has a layout that no kernel writes");
  return nullptr;
}

ElementEmitter::Step ElementEmitter::StepOfConstant(const Element& element) {
  const hlo::Literal* literal = element.instruction->literal();
  const Shape& shape = element.instruction->shape();
  if (!shape.IsArray()) return Failed(element, "is a tuple");
  if (literal == nullptr || literal->is_elided()) return Failed(element, "has no values: {...}");
  const llvm::ArrayRef<uint8_t> bytes = literal->bytes();
  const ElementType type = shape.element_type();
  if (shape.num_elements() == 0) return Failed(element, "has no elements");
  if (plan::IsSplat(*literal)) {
    const size_t width = bytes.size() / static_cast<size_t>(shape.num_elements());
    return {{}, [this, type, one = bytes.take_front(width)](llvm::ArrayRef<const Lanes*>) -> Lanes {
              return {NumberOfBytes(builder_, type, one)};
            }};
  }
  constexpr size_t kMaxConstantBytes = size_t{1} << 20;
  if (bytes.size() > kMaxConstantBytes) return Failed(element, "is too large for a kernel");
  const IndexingMap at =
      plans_.maps.Compose(element.index, plan::PositionsOfConstant(shape, plans_.mlir_context));
  if (at.IsKnownEmpty()) return NeverComputed(element);
  return {{}, [this, at, type, bytes, bits = plan::BitsInMemory(shape)](auto) {
            const mlir::Type held = RegisterType(builder_, type);
            const mlir::Type in_memory =
                held == builder_.integer_type(1) ? builder_.integer_type(8) : held;
            const llvm::ArrayRef<char> data(reinterpret_cast<const char*>(bytes.data()),
                                            bytes.size());
            const Buffer buffer = {builder_.ConstantArray(in_memory, data), type, bits};
            return Load(buffer, at);
          }};
}

ElementEmitter::Step ElementEmitter::StepOfIota(const Element& element) {
  const auto dimension =
      static_cast<unsigned>(element.instruction->Required<int64_t>(AttributeName::kIotaDimension));
  const AffineMap affine = element.index.affine_map();
  const IndexingMap index = element.index.WithResults(
      AffineMap::get(affine.getNumDims(), affine.getNumSymbols(), affine.getResult(dimension)));
  const ElementType type = ShapeOf(element).element_type();
  return {{}, [this, index, type](llvm::ArrayRef<const Lanes*>) {
            const auto number_at = [&](const IndexingMap& at) {
              const Value value = EmitIndex(at);
              return EmitConvertFromIndex(builder_, value, type);
            };
            if (num_lanes_ == 1 || !DependsOnLane(index)) return Lanes{number_at(index)};
            Lanes lanes;
            for (int64_t lane = 0; lane < num_lanes_; ++lane) {
              const IndexingMap at = AtLane(index, lane, plans_.maps);
              lanes.push_back(at.IsKnownEmpty() ? ZeroOf(builder_, type) : number_at(at));
            }
            return lanes;
          }};
}

// The size is no element of the operand: nothing is read.
ElementEmitter::Step ElementEmitter::StepOfDimensionSize(const Element& element) {
  const Shape& shape = element.instruction->operand(0).shape();
  const int64_t dimension = element.instruction->Integers(AttributeName::kDimensions).front();
  if (shape.IsDynamic(dimension)) return Failed(element, "is known at run time");
  return {{},
          [this, size = shape.sizes()[static_cast<size_t>(dimension)]](llvm::ArrayRef<const Lanes*>)
              -> Lanes { return {{builder_.Integer(32, size), Value()}}; }};
}

}  // namespace hlo_indexing::emit
