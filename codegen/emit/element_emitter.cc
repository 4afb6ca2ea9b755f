#include "codegen/emit/element_emitter.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/emit/conversion.h"
#include "codegen/emit/elementwise.h"
#include "codegen/emit/index_code.h"
#include "hlo/attribute.h"
#include "indexing_analysis/maps/output_indexing.h"
#include "llvm/ADT/STLExtras.h"

namespace hlo_indexing::emit {

using hlo::AttributeName;
using hlo::Computation;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using indexing_analysis::OperandIndexing;
using indexing_analysis::OutputIndexing;
using indexing_analysis::RuntimeVariable;
using mlir::AffineMap;
using mlir::Value;
using mlir::ValueRange;

namespace {

// How deep scopes and values known at run time may nest: each takes a frame of the stack.
constexpr int kMaxDepth = 48;
// Branches of a concatenate, each inside of the one before.
constexpr size_t kMaxAlternatives = 256;

// The index of a scalar, from the same variables.
IndexingMap ScalarIndex(const IndexingMap& like) {
  const AffineMap map = like.affine_map();
  return like.WithResults(AffineMap::get(map.getNumDims(), map.getNumSymbols(), like.context()));
}

}  // namespace

struct ElementEmitter::Frame {
  const Computation* computation = nullptr;
  // Where it is called: its parameters are the operands there. Null if they are `parameters`.
  const Frame* caller = nullptr;
  const Instruction* call = nullptr;
  std::vector<Lanes> parameters;
};

struct ElementEmitter::Element {
  // Null: the computation of the kernel.
  const Frame* frame = nullptr;
  const Instruction* instruction = nullptr;
  int64_t leaf = 0;
  IndexingMap index;

  friend bool operator==(const Element&, const Element&) = default;
};

struct ElementEmitter::ElementHash {
  size_t operator()(const Element& element) const {
    return llvm::hash_combine(element.frame, element.instruction, element.leaf,
                              hash_value(element.index));
  }
};

struct ElementEmitter::Step {
  llvm::SmallVector<Element, 3> operands;
  std::function<Lanes(llvm::ArrayRef<const Lanes*>)> make;
};

struct ElementEmitter::Alternative {
  Element element;
  // None for the last.
  Conditions conditions;
};

ElementEmitter::Scope::Scope(ElementEmitter& emitter, bool counts)
    : emitter_(emitter), counts_(counts) {
  emitter_.scopes_.emplace_back();
  if (counts_) ++emitter_.depth_;
}

ElementEmitter::Scope::~Scope() {
  emitter_.scopes_.pop_back();
  if (counts_) --emitter_.depth_;
}

ElementEmitter::ElementEmitter(KernelBuilder& builder, plan::PlanContext& plans,
                               const plan::KernelPlan& plan, const KernelBuffers& buffers)
    : builder_(builder), plans_(plans), plan_(plan), buffers_(buffers), scopes_(1) {}

ElementEmitter::~ElementEmitter() = default;

void ElementEmitter::SetVariables(Values dimensions, Values ranges, int64_t lanes) {
  dimensions_ = std::move(dimensions);
  ranges_ = std::move(ranges);
  num_lanes_ = lanes;
}

void ElementEmitter::Provide(const Instruction& instruction, Provider provider) {
  provided_[&instruction] = std::move(provider);
}

void ElementEmitter::ForgetProvided() { provided_.clear(); }

void ElementEmitter::Fail(const Instruction& instruction, const std::string& reason) {
  if (!status_.ok()) return;
  status_ = absl::UnimplementedError(absl::StrCat("%", instruction.name().str(), ": ",
                                                  hlo::OpcodeName(instruction.opcode()).str(), " ",
                                                  reason));
}

const Shape& ElementEmitter::ShapeOf(const Element& element) const {
  return element.instruction->shape().ArrayLeaf(element.leaf);
}

// Applied computations get lanes from outside.
size_t ElementEmitter::CountOf(const Element& element) const {
  if (num_lanes_ == 1) return 1;
  for (const Frame* frame = element.frame; frame != nullptr; frame = frame->caller) {
    if (frame->call == nullptr) return static_cast<size_t>(num_lanes_);
  }
  return DependsOnLane(element.index) ? static_cast<size_t>(num_lanes_) : 1;
}

const Lanes* ElementEmitter::Find(const Element& element) const {
  for (const Memo& scope : llvm::reverse(scopes_)) {
    const auto found = scope.find(element);
    if (found != scope.end()) return &found->second;
  }
  return nullptr;
}

void ElementEmitter::Remember(const Element& element, Lanes lanes) {
  scopes_.back().insert_or_assign(element, std::move(lanes));
}

Lanes ElementEmitter::Compute(const Instruction& instruction, int64_t leaf,
                              const IndexingMap& index) {
  return Compute({nullptr, &instruction, leaf, index});
}

Lanes ElementEmitter::Compute(const Element& element) {
  struct Pending {
    Element element;
    std::optional<Step> step;
  };
  std::vector<Pending> pending;
  pending.push_back({element, std::nullopt});
  while (!pending.empty()) {
    const size_t last = pending.size() - 1;
    if (Find(pending[last].element) != nullptr) {
      pending.pop_back();
      continue;
    }
    if (!pending[last].step.has_value()) pending[last].step = StepOf(pending[last].element);
    llvm::SmallVector<const Lanes*, 4> operands;
    for (size_t i = 0; i < pending[last].step->operands.size(); ++i) {
      const Element& operand = pending[last].step->operands[i];
      const Lanes* const found = Find(operand);
      if (found == nullptr) pending.push_back({Element(operand), std::nullopt});
      operands.push_back(found);
      if (found == nullptr) break;
    }
    if (pending.size() - 1 != last) continue;
    Lanes lanes = pending[last].step->make(operands);
    Remember(pending[last].element, std::move(lanes));
    pending.pop_back();
  }
  return *Find(element);
}

ElementEmitter::Step ElementEmitter::Failed(const Element& element, const std::string& reason) {
  Fail(*element.instruction, reason);
  const ElementType type = ShapeOf(element).element_type();
  return {{},
          [this, type](llvm::ArrayRef<const Lanes*>) -> Lanes { return {ZeroOf(builder_, type)}; }};
}

ElementEmitter::Step ElementEmitter::Alias(Element element) {
  return {{std::move(element)},
          [](llvm::ArrayRef<const Lanes*> operands) { return *operands.front(); }};
}

ElementEmitter::Step ElementEmitter::StepOf(const Element& element) {
  const Instruction& instruction = *element.instruction;
  const bool has_index = !element.index.IsUnknown() && element.index.affine_map().getNumResults() ==
                                                           ShapeOf(element).sizes().size();
  if (!has_index) return Failed(element, "is read at an index that is not known");
  if (depth_ > kMaxDepth) return Failed(element, "is in too many loops and branches");
  if (element.frame == nullptr) {
    const auto provided = provided_.find(&instruction);
    if (provided != provided_.end()) {
      return {{}, [provider = provided->second, leaf = element.leaf](llvm::ArrayRef<const Lanes*>) {
                return provider(leaf);
              }};
    }
    if (const std::optional<int64_t> input = plan_.InputNumber(instruction)) {
      return StepOfLoad(element, buffers_.input(*input, element.leaf));
    }
  }
  const auto alias_of = [&](size_t operand, int64_t leaf) {
    return Alias({element.frame, &instruction.operand(operand), leaf, element.index});
  };
  switch (instruction.opcode()) {
    case Opcode::kParameter:
      return StepOfParameter(element);
    case Opcode::kConstant:
      return StepOfConstant(element);
    case Opcode::kIota:
      return StepOfIota(element);
    case Opcode::kTuple: {
      const int64_t operand = instruction.shape().ElementOfLeaf(element.leaf);
      const int64_t first = instruction.shape().FirstLeafOfElement(operand);
      return alias_of(static_cast<size_t>(operand), element.leaf - first);
    }
    case Opcode::kGetTupleElement: {
      const auto i = instruction.Required<int64_t>(AttributeName::kIndex);
      return alias_of(0, instruction.operand(0).shape().FirstLeafOfElement(i) + element.leaf);
    }
    case Opcode::kOptimizationBarrier:
    case Opcode::kDomain:
    case Opcode::kAddDependency:
      return alias_of(0, element.leaf);
    case Opcode::kCopy:
    case Opcode::kTranspose:
    case Opcode::kReshape:
    case Opcode::kBroadcast:
    case Opcode::kSlice:
    case Opcode::kReverse:
    case Opcode::kDynamicSlice:
    case Opcode::kGather:
    case Opcode::kBitcast:
      return StepOfMovement(element);
    case Opcode::kPad:
      return StepOfPad(element);
    case Opcode::kConcatenate:
      return StepOfConcatenate(element);
    case Opcode::kDynamicUpdateSlice:
      return StepOfDynamicUpdateSlice(element);
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      return StepOfReduction(element);
    case Opcode::kDot:
    case Opcode::kConvolution:
      return StepOfProducts(element);
    case Opcode::kMap:
      return StepOfMap(element);
    case Opcode::kFusion:
      return StepOfCall(element, *instruction.Callee(AttributeName::kCalls));
    case Opcode::kCall:
      return StepOfCall(element, *instruction.Callee(AttributeName::kToApply));
    case Opcode::kBitcastConvert:
      if (instruction.operand(0).shape().rank() != instruction.shape().rank()) {
        return StepOfBitcastConvert(element);
      }
      break;
    default:
      break;
  }
  return StepOfElementwise(element);
}

ElementEmitter::Step ElementEmitter::StepOfParameter(const Element& element) {
  const auto number = static_cast<size_t>(element.instruction->parameter_number());
  const Frame* const frame = element.frame;
  if (frame == nullptr) return Failed(element, "is not read by this kernel");
  if (frame->call != nullptr) {
    return Alias({frame->caller, &frame->call->operand(number), element.leaf, element.index});
  }
  return {{}, [frame, number](llvm::ArrayRef<const Lanes*>) { return frame->parameters[number]; }};
}

ElementEmitter::Step ElementEmitter::StepOfCall(const Element& element, const Computation& callee) {
  for (const std::unique_ptr<Frame>& frame : frames_) {
    if (frame->call != element.instruction || frame->caller != element.frame) continue;
    return Alias({frame.get(), &callee.root(), element.leaf, element.index});
  }
  auto frame = std::make_unique<Frame>();
  frame->computation = &callee;
  frame->caller = element.frame;
  frame->call = element.instruction;
  frames_.push_back(std::move(frame));
  return Alias({frames_.back().get(), &callee.root(), element.leaf, element.index});
}

std::vector<Lanes> ElementEmitter::Apply(const Computation& computation,
                                         std::vector<Lanes> parameters, const IndexingMap& index) {
  auto frame = std::make_unique<Frame>();
  frame->computation = &computation;
  frame->parameters = std::move(parameters);
  frames_.push_back(std::move(frame));
  const Frame* const applied = frames_.back().get();
  const IndexingMap scalar = ScalarIndex(index);
  std::vector<Lanes> results;
  for (int64_t leaf = 0; leaf < computation.root().shape().num_array_leaves(); ++leaf) {
    results.push_back(Compute({applied, &computation.root(), leaf, scalar}));
  }
  return results;
}

ElementEmitter::Element ElementEmitter::OperandBeside(const Element& element,
                                                      size_t operand) const {
  const Instruction& read = element.instruction->operand(operand);
  const bool is_scalar = read.shape().IsScalar() && !ShapeOf(element).IsScalar();
  return {element.frame, &read, 0, is_scalar ? ScalarIndex(element.index) : element.index};
}

ElementEmitter::Step ElementEmitter::StepOfElementwise(const Element& element) {
  const Instruction& instruction = *element.instruction;
  if (!IsElementwise(instruction.opcode())) {
    return Failed(element, "has no code in a kernel");
  }
  Step step;
  for (size_t i = 0; i < instruction.operands().size(); ++i) {
    step.operands.push_back(OperandBeside(element, i));
  }
  step.make = [this, &instruction](llvm::ArrayRef<const Lanes*> operands) {
    size_t count = 1;
    for (const Lanes* operand : operands) count = std::max(count, operand->size());
    Lanes lanes;
    for (size_t lane = 0; lane < count; ++lane) {
      llvm::SmallVector<Number, 3> numbers;
      for (const Lanes* operand : operands) {
        numbers.push_back((*operand)[operand->size() == 1 ? 0 : lane]);
      }
      absl::StatusOr<Number> number = EmitElementwise(builder_, instruction, numbers);
      if (!number.ok()) {
        Fail(instruction, std::string(number.status().message()));
        number = ZeroOf(builder_, instruction.shape().element_type());
      }
      lanes.push_back(*number);
    }
    return lanes;
  };
  return step;
}

// Between elements of different widths: the most minor dimension has the parts of the wider ones,
// the lowest bits first.
ElementEmitter::Step ElementEmitter::StepOfBitcastConvert(const Element& element) {
  const Instruction& instruction = *element.instruction;
  const ElementType from = instruction.operand(0).shape().element_type();
  const ElementType to = instruction.shape().element_type();
  const AffineMap affine = element.index.affine_map();
  const auto at = [&](llvm::ArrayRef<mlir::AffineExpr> results) {
    return Element{element.frame, &instruction.operand(0), 0,
                   element.index.WithResults(AffineMap::get(
                       affine.getNumDims(), affine.getNumSymbols(), results, plans_.mlir_context))};
  };
  Step step;
  llvm::SmallVector<mlir::AffineExpr, 6> index(affine.getResults());
  if (instruction.shape().rank() < instruction.operand(0).shape().rank()) {
    const int64_t num_parts = instruction.operand(0).shape().sizes().back();
    for (int64_t i = 0; i < num_parts; ++i) {
      index.push_back(mlir::getAffineConstantExpr(i, plans_.mlir_context));
      step.operands.push_back(at(index));
      index.pop_back();
    }
    step.make = [this, element, from, to](llvm::ArrayRef<const Lanes*> parts_of) {
      size_t count = 1;
      for (const Lanes* part : parts_of) count = std::max(count, part->size());
      Lanes lanes;
      for (size_t lane = 0; lane < count; ++lane) {
        Lanes parts;
        for (const Lanes* part : parts_of) parts.push_back((*part)[part->size() == 1 ? 0 : lane]);
        lanes.push_back(EmitJoinedBits(builder_, parts, from, to));
      }
      return lanes;
    };
    return step;
  }
  const mlir::AffineExpr place = index.pop_back_val();
  step.operands.push_back(at(index));
  const IndexingMap places =
      element.index.WithResults(AffineMap::get(affine.getNumDims(), affine.getNumSymbols(), place));
  step.make = [this, element, places, from, to](llvm::ArrayRef<const Lanes*> operands) {
    const Lanes& whole = *operands.front();
    const bool differ = num_lanes_ > 1 && DependsOnLane(places);
    Lanes lanes;
    for (size_t lane = 0; lane < (differ ? CountOf(element) : whole.size()); ++lane) {
      const IndexingMap at_lane =
          differ ? AtLane(places, static_cast<int64_t>(lane), plans_.maps) : places;
      const Value index_of_part = EmitIndex(at_lane.IsKnownEmpty() ? places : at_lane);
      lanes.push_back(
          EmitBitsAt(builder_, whole[whole.size() == 1 ? 0 : lane], index_of_part, from, to));
    }
    return lanes;
  };
  return step;
}

ElementEmitter::Step ElementEmitter::StepOfMap(const Element& element) {
  const Instruction& instruction = *element.instruction;
  Step step;
  for (size_t i = 0; i < instruction.operands().size(); ++i) {
    step.operands.push_back(OperandBeside(element, i));
  }
  step.make = [this, element, &instruction](llvm::ArrayRef<const Lanes*> operands) {
    std::vector<Lanes> parameters;
    for (const Lanes* operand : operands) parameters.push_back(*operand);
    return Apply(*instruction.Callee(AttributeName::kToApply), std::move(parameters),
                 element.index)[static_cast<size_t>(element.leaf)];
  };
  return step;
}

std::optional<ElementEmitter::Element> ElementEmitter::OperandAt(const Element& element,
                                                                 size_t operand) {
  const Instruction& instruction = *element.instruction;
  const OutputIndexing reads = plans_.analysis.OutputToInput(instruction, element.leaf);
  for (const OperandIndexing& read : reads.operands()) {
    if (read.operand() != operand) continue;
    const bool is_one_map = read.exactness() == indexing_analysis::Exactness::kExact &&
                            read.maps().size() == 1 && !read.maps()[0].replica_map.has_value();
    if (!is_one_map) break;
    return Element{element.frame, &instruction.operand(operand), read.leaf(),
                   plans_.maps.Compose(element.index, read.maps()[0].map)};
  }
  const bool is_read = reads.IsUnknown() || llvm::any_of(reads.operands(), [&](const auto& read) {
                         return read.operand() == operand;
                       });
  if (is_read) return std::nullopt;
  return Element{element.frame, &instruction.operand(operand), 0,
                 IndexingMap::KnownEmpty(element.index)};
}

ElementEmitter::Step ElementEmitter::StepOfMovement(const Element& element) {
  std::optional<Element> operand = OperandAt(element, 0);
  if (!operand.has_value()) return Failed(element, "does not read one element of its operand");
  const ElementType from = ShapeOf(*operand).element_type();
  const ElementType to = ShapeOf(element).element_type();
  if (hlo::ElementBits(from) != hlo::ElementBits(to) ||
      (from != to && (from == ElementType::kPred || to == ElementType::kPred))) {
    return Failed(element, "changes the size of elements");
  }
  if (operand->index.IsKnownEmpty()) {
    // No thread computes it.
    return {{},
            [this, to](llvm::ArrayRef<const Lanes*>) -> Lanes { return {ZeroOf(builder_, to)}; }};
  }
  if (from == to) return Alias(*std::move(operand));
  return {{*std::move(operand)}, [this, from, to](llvm::ArrayRef<const Lanes*> operands) {
            Lanes lanes;
            for (const Number& number : *operands.front()) {
              lanes.push_back(EmitJoinedBits(builder_, {number}, from, to));
            }
            return lanes;
          }};
}

// Whether an element has been followed out of the computation does not matter: an index keeps the
// values that it was made of. Which call of the computation they are of is known if there is one.
const ElementEmitter::Frame* ElementEmitter::FrameOf(const Instruction& instruction) {
  const Frame* found = nullptr;
  for (const std::unique_ptr<Frame>& frame : frames_) {
    if (frame->computation != &instruction.parent()) continue;
    if (found != nullptr) Fail(instruction, "is an index in a computation that is called twice");
    found = frame.get();
  }
  return found;
}

Values ElementEmitter::RuntimeValues(const IndexingMap& map) {
  Values values;
  for (const RuntimeVariable& variable : map.runtime()) {
    if (variable.instruction == nullptr || variable.index.IsUnknown()) {
      status_.Update(absl::UnimplementedError("an index is a value that is not known"));
      values.push_back(builder_.Integer(32, 0));
      continue;
    }
    const int depth = depth_++;
    if (depth > kMaxDepth) Fail(*variable.instruction, "is an index behind too many indices");
    const Lanes lanes = depth > kMaxDepth
                            ? Lanes{ZeroOf(builder_, ElementType::kS32)}
                            : Compute({FrameOf(*variable.instruction), variable.instruction,
                                       variable.leaf, variable.index});
    depth_ = depth;
    const ElementType type = variable.instruction->shape().ArrayLeaf(variable.leaf).element_type();
    values.push_back(EmitClamped(builder_, lanes.front().value, type, variable.bounds));
  }
  return values;
}

Value ElementEmitter::EmitIndex(const IndexingMap& map) {
  const Values runtime = RuntimeValues(map);
  return EmitResults(builder_, map, {dimensions_, ranges_, runtime}).front();
}

Value ElementEmitter::EmitConditions(const Conditions& conditions) {
  if (conditions.empty()) return nullptr;
  const Values runtime = RuntimeValues(conditions.expressions);
  return emit::EmitConditions(builder_, conditions.expressions, conditions.bounds,
                              {dimensions_, ranges_, runtime});
}

ElementEmitter::Step ElementEmitter::StepOfLoad(const Element& element, const Buffer& buffer) {
  if (element.index.IsKnownEmpty()) {
    return {{}, [this, type = buffer.type](llvm::ArrayRef<const Lanes*>) -> Lanes {
              return {ZeroOf(builder_, type)};
            }};
  }
  const IndexingMap position =
      plans_.maps.Compose(element.index, plans_.maps.Positions(ShapeOf(element)));
  if (position.IsUnknown()) return Failed(element, "has a layout that no kernel reads");
  return {{}, [this, buffer, position](llvm::ArrayRef<const Lanes*>) {
            return Load(buffer, position);
          }};
}

Lanes ElementEmitter::Load(const Buffer& buffer, const IndexingMap& position) {
  const auto load = [&](const IndexingMap& first, llvm::ArrayRef<int64_t> offsets) {
    const mlir::AffineExpr expression = first.affine_map().getResult(0);
    const int64_t divisor = expression.getLargestKnownDivisor();
    // A constant 0 is divided by all.
    return LoadLanes(builder_, buffer,
                     {EmitIndex(first), divisor == 0 ? kBufferAlignment * 8 : divisor, offsets});
  };
  if (num_lanes_ == 1 || !DependsOnLane(position)) return load(position, {0});
  const IndexingMap first = AtLane(position, 0, plans_.maps);
  if (const auto offsets = LaneOffsets(position, num_lanes_, plans_.maps)) {
    return load(first, *offsets);
  }
  Lanes lanes;
  for (int64_t lane = 0; lane < num_lanes_; ++lane) {
    const IndexingMap at = AtLane(position, lane, plans_.maps);
    lanes.push_back(load(at.IsKnownEmpty() ? first : at, {0}).front());
  }
  return lanes;
}

void ElementEmitter::Store(const Lanes& lanes, int64_t output, const IndexingMap& index) {
  const Shape& shape = plan_.instruction->shape().ArrayLeaf(output);
  const IndexingMap position = plans_.maps.Compose(index, plans_.maps.Positions(shape));
  if (position.IsUnknown()) return Fail(*plan_.instruction, "has a layout that no kernel writes");
  if (position.IsKnownEmpty()) return;
  const Buffer& buffer = buffers_.output(output);
  const auto store = [&](const Lanes& stored, const IndexingMap& first,
                         llvm::ArrayRef<int64_t> offsets) {
    const mlir::AffineExpr expression = first.affine_map().getResult(0);
    const int64_t divisor = expression.getLargestKnownDivisor();
    StoreLanes(builder_, stored, buffer,
               {EmitIndex(first), divisor == 0 ? kBufferAlignment * 8 : divisor, offsets});
  };
  if (num_lanes_ == 1 || !DependsOnLane(position)) return store(lanes, position, {0});
  const auto count = static_cast<size_t>(num_lanes_);
  const Lanes all = Replicate(lanes, count);
  if (const auto offsets = LaneOffsets(position, num_lanes_, plans_.maps)) {
    return store(all, AtLane(position, 0, plans_.maps), *offsets);
  }
  for (size_t lane = 0; lane < count; ++lane) {
    store({all[lane]}, AtLane(position, static_cast<int64_t>(lane), plans_.maps), {0});
  }
}

ElementEmitter::Step ElementEmitter::StepOfConstant(const Element& element) {
  const hlo::Literal* literal = element.instruction->literal();
  const Shape& shape = element.instruction->shape();
  if (!shape.IsArray()) return Failed(element, "is a tuple");
  if (literal == nullptr || literal->is_elided()) return Failed(element, "has no values: {...}");
  const llvm::ArrayRef<uint8_t> bytes = literal->bytes();
  const ElementType type = shape.element_type();
  if (shape.num_elements() == 0) return Failed(element, "has no elements");
  const size_t width = bytes.size() / static_cast<size_t>(shape.num_elements());
  const llvm::ArrayRef<uint8_t> one = bytes.take_front(width);
  bool is_splat = true;
  for (size_t i = 0; i < bytes.size() && is_splat; i += width) {
    is_splat = bytes.slice(i, width) == one;
  }
  if (is_splat) {
    return {{}, [this, type, one](llvm::ArrayRef<const Lanes*>) -> Lanes {
              return {NumberOfBytes(builder_, type, one)};
            }};
  }
  constexpr size_t kMaxConstantBytes = size_t{1} << 20;
  if (bytes.size() > kMaxConstantBytes) return Failed(element, "is too large for a kernel");
  // Literals are row-major.
  llvm::SmallVector<mlir::AffineExpr, 6> index;
  mlir::AffineExpr position = mlir::getAffineConstantExpr(0, plans_.mlir_context);
  for (unsigned i = 0; i < shape.sizes().size(); ++i) {
    position = position * shape.sizes()[i] + mlir::getAffineDimExpr(i, plans_.mlir_context);
  }
  const IndexingMap positions = IndexingMap::FromSizes(
      AffineMap::get(static_cast<unsigned>(shape.rank()), 0, position), shape.sizes());
  const IndexingMap at = plans_.maps.Compose(element.index, positions);
  return {{}, [this, at, type, bytes](llvm::ArrayRef<const Lanes*>) {
            const int64_t bits = std::max<int64_t>(8, hlo::ElementBits(type));
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

ElementEmitter::Step ElementEmitter::LaneByLane(const Element& element) {
  Step step;
  for (int64_t lane = 0; lane < num_lanes_; ++lane) {
    Element at = element;
    at.index = AtLane(element.index, lane, plans_.maps);
    if (at.index.IsKnownEmpty()) at.index = AtLane(element.index, 0, plans_.maps);
    step.operands.push_back(std::move(at));
  }
  step.make = [](llvm::ArrayRef<const Lanes*> operands) {
    Lanes lanes;
    for (const Lanes* operand : operands) lanes.push_back(operand->front());
    return lanes;
  };
  return step;
}

ElementEmitter::Step ElementEmitter::FirstThatHolds(const Element& element,
                                                    std::vector<Alternative> alternatives) {
  if (alternatives.size() == 1) return Alias(alternatives.front().element);
  if (num_lanes_ > 1 && DependsOnLane(element.index)) {
    for (Alternative& alternative : alternatives) {
      std::optional<Conditions> same =
          SameForAllLanes(alternative.conditions, num_lanes_, plans_.maps);
      if (!same.has_value()) return LaneByLane(element);
      alternative.conditions = *std::move(same);
    }
  }
  return {{}, [this, element, alternatives](llvm::ArrayRef<const Lanes*>) {
            return EmitAlternatives(element, alternatives, CountOf(element));
          }};
}

Lanes ElementEmitter::EmitAlternatives(const Element& element,
                                       llvm::ArrayRef<Alternative> alternatives, size_t count) {
  const ElementType type = ShapeOf(element).element_type();
  const auto compute = [&](const Alternative& alternative) {
    return InScope([&] { return Flatten(Replicate(Compute(alternative.element), count)); });
  };
  const std::function<Values(size_t)> from = [&](size_t i) -> Values {
    const Alternative& alternative = alternatives[i];
    if (i + 1 == alternatives.size()) return compute(alternative);
    const Value condition = EmitConditions(alternative.conditions);
    return builder_.If(
        condition, [&] { return compute(alternative); },
        [&] {
          const Scope scope(*this, /*counts=*/false);
          return from(i + 1);
        });
  };
  return Unflatten(from(0), type);
}

ElementEmitter::Step ElementEmitter::StepOfPad(const Element& element) {
  const std::optional<Element> inside = OperandAt(element, 0);
  if (!inside.has_value()) return Failed(element, "does not read one element of its operand");
  const Element padding = {element.frame, &element.instruction->operand(1), 0,
                           ScalarIndex(element.index)};
  if (inside->index.IsKnownEmpty()) return Alias(padding);
  const Conditions conditions = ConditionsOf(inside->index, element.index);
  if (conditions.empty()) return Alias(*inside);
  return FirstThatHolds(element, {{*inside, conditions}, {padding, {}}});
}

ElementEmitter::Step ElementEmitter::StepOfConcatenate(const Element& element) {
  std::vector<Alternative> alternatives;
  for (size_t i = 0; i < element.instruction->operands().size(); ++i) {
    const std::optional<Element> operand = OperandAt(element, i);
    if (!operand.has_value()) return Failed(element, "does not read one element of an operand");
    if (operand->index.IsKnownEmpty()) continue;
    const Conditions conditions = ConditionsOf(operand->index, element.index);
    if (conditions.empty()) return Alias(*operand);
    alternatives.push_back({*operand, conditions});
  }
  if (alternatives.empty()) return Failed(element, "has no element that is computed");
  if (alternatives.size() > kMaxAlternatives) return Failed(element, "has too many operands");
  // What is no element of the others is one of the last.
  alternatives.back().conditions = Conditions();
  return FirstThatHolds(element, std::move(alternatives));
}

ElementEmitter::Step ElementEmitter::StepOfDynamicUpdateSlice(const Element& element) {
  const Element beside = {element.frame, &element.instruction->operand(0), 0, element.index};
  const std::optional<Element> update = OperandAt(element, 1);
  if (!update.has_value()) return Failed(element, "does not read one element of its update");
  if (update->index.IsKnownEmpty()) return Alias(beside);
  const Conditions conditions = ConditionsOf(update->index, element.index);
  if (conditions.empty()) return Alias(*update);
  return FirstThatHolds(element, {{*update, conditions}, {beside, {}}});
}

Values ElementEmitter::EmitLoops(const IndexingMap& map, size_t count, const Values& carried,
                                 llvm::function_ref<Values(ValueRange)> body) {
  Values indices;
  const std::function<Values(size_t, ValueRange)> from = [&](size_t i, ValueRange values) {
    if (i == count) {
      const Values outer = ranges_;
      ranges_ = indices;
      llvm::append_range(ranges_, outer);
      Values results = InScope([&] { return body(values); });
      ranges_ = outer;
      return results;
    }
    const Interval bounds = map.ranges()[i].bounds;
    return builder_.For(bounds.lower, bounds.upper, values,
                        [&](Value index, ValueRange inner) -> Values {
                          indices.push_back(index);
                          Values results = from(i + 1, inner);
                          indices.pop_back();
                          return results;
                        });
  };
  return from(0, carried);
}

Values ElementEmitter::EmitWhere(const Conditions& conditions, ValueRange carried,
                                 llvm::function_ref<Values()> body) {
  if (conditions.empty()) return body();
  return builder_.If(
      EmitConditions(conditions), [&] { return InScope([&] { return body(); }); },
      [&] { return Values(carried); });
}

// reduce and reduce-window: arrays, then their initial values.
ElementEmitter::Step ElementEmitter::StepOfReduction(const Element& element) {
  const Instruction& instruction = *element.instruction;
  const size_t num_arrays = instruction.operands().size() / 2;
  Step step;
  for (size_t i = 0; i < num_arrays; ++i) {
    if (!instruction.operand(num_arrays + i).shape().IsScalar()) {
      return Failed(element, "combines arrays");
    }
    step.operands.push_back(
        {element.frame, &instruction.operand(num_arrays + i), 0, ScalarIndex(element.index)});
  }
  std::vector<Element> inputs;
  Conditions conditions;
  size_t num_loops = 0;
  for (size_t i = 0; i < num_arrays; ++i) {
    std::optional<Element> input = OperandAt(element, i);
    if (!input.has_value()) return Failed(element, "is not read by one map");
    if (input->index.IsKnownEmpty()) return Alias(step.operands[static_cast<size_t>(element.leaf)]);
    num_loops = input->index.num_ranges() - element.index.num_ranges();
    const IndexingMap known =
        WithRangesInFront(element.index, input->index.ranges().take_front(num_loops));
    conditions = ConditionsOf(input->index, known);
    inputs.push_back(*std::move(input));
  }
  size_t count = CountOf(element);
  if (count > 1 && !conditions.empty()) {
    std::optional<Conditions> same = SameForAllLanes(conditions, num_lanes_, plans_.maps);
    if (!same.has_value()) return LaneByLane(element);
    conditions = *std::move(same);
  }
  step.make = [=, this, &instruction](llvm::ArrayRef<const Lanes*> initial) {
    // Values of one array after the other, each of `count` lanes.
    std::vector<ElementType> types;
    Values carried;
    for (size_t i = 0; i < num_arrays; ++i) {
      types.push_back(instruction.operand(i).shape().element_type());
      llvm::append_range(carried, Flatten(Replicate(*initial[i], count)));
    }
    const auto lanes_of = [&](ValueRange values) {
      std::vector<Lanes> lanes;
      for (const ElementType type : types) {
        const size_t width = count * (IsComplex(type) ? 2 : 1);
        lanes.push_back(Unflatten(values.take_front(width), type));
        values = values.drop_front(width);
      }
      return lanes;
    };
    const Values results =
        EmitLoops(inputs.front().index, num_loops, carried, [&](ValueRange values) {
          return EmitWhere(conditions, values, [&] {
            std::vector<Lanes> parameters = lanes_of(values);
            for (const Element& input : inputs) {
              parameters.push_back(Replicate(Compute(input), count));
            }
            Values combined;
            for (const Lanes& lanes : Apply(*instruction.Callee(AttributeName::kToApply),
                                            std::move(parameters), inputs.front().index)) {
              llvm::append_range(combined, Flatten(Replicate(lanes, count)));
            }
            return combined;
          });
        });
    const std::vector<Lanes> of_arrays = lanes_of(results);
    for (size_t i = 0; i < num_arrays; ++i) {
      if (static_cast<int64_t>(i) == element.leaf) continue;
      Element other = element;
      other.leaf = static_cast<int64_t>(i);
      Remember(other, of_arrays[i]);
    }
    return of_arrays[static_cast<size_t>(element.leaf)];
  };
  return step;
}

// dot and convolution: sums of products.
ElementEmitter::Step ElementEmitter::StepOfProducts(const Element& element) {
  const Instruction& instruction = *element.instruction;
  const ElementType type = ShapeOf(element).element_type();
  if (instruction.operands().size() != 2) return Failed(element, "has sparse operands");
  const auto zero = [this, type](llvm::ArrayRef<const Lanes*>) -> Lanes {
    return {ZeroOf(builder_, type)};
  };
  const std::optional<Element> lhs = OperandAt(element, 0);
  const std::optional<Element> rhs = OperandAt(element, 1);
  if (!lhs.has_value() || !rhs.has_value()) return Failed(element, "is not read by one map");
  if (lhs->index.IsKnownEmpty() || rhs->index.IsKnownEmpty()) return {{}, zero};
  if (lhs->index.num_ranges() != rhs->index.num_ranges()) {
    return Failed(element, "reads its operands along different dimensions");
  }
  const size_t num_loops = lhs->index.num_ranges() - element.index.num_ranges();
  // Of both: each may know more of the ranges than the other.
  std::vector<Conditions> conditions;
  for (const Element* operand : {&*lhs, &*rhs}) {
    const IndexingMap known =
        WithRangesInFront(element.index, lhs->index.ranges().take_front(num_loops));
    conditions.push_back(ConditionsOf(operand->index, known));
  }
  const size_t count = CountOf(element);
  for (Conditions& condition : conditions) {
    if (count == 1 || condition.empty()) continue;
    std::optional<Conditions> same = SameForAllLanes(condition, num_lanes_, plans_.maps);
    if (!same.has_value()) return LaneByLane(element);
    condition = *std::move(same);
  }
  return {{}, [=, this, &instruction](llvm::ArrayRef<const Lanes*>) {
            ProductSum sum(builder_, instruction);
            const Values carried = Flatten(Replicate({sum.Zero()}, count));
            const Values results =
                EmitLoops(lhs->index, num_loops, carried, [&](ValueRange values) {
                  return EmitWhere(conditions[0], values, [&] {
                    return EmitWhere(conditions[1], values, [&] {
                      const Lanes a = Replicate(Compute(*lhs), count);
                      const Lanes b = Replicate(Compute(*rhs), count);
                      Lanes sums = Unflatten(values, sum.type());
                      for (size_t i = 0; i < count; ++i) sums[i] = sum.Add(sums[i], a[i], b[i]);
                      return Flatten(sums);
                    });
                  });
                });
            Lanes lanes;
            for (const Number& number : Unflatten(results, sum.type())) {
              lanes.push_back(sum.Finish(number));
            }
            return lanes;
          }};
}

}  // namespace hlo_indexing::emit
