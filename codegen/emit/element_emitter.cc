#include "codegen/emit/element_emitter.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/emit/elementwise.h"
#include "codegen/emit/index_code.h"
#include "codegen/plan/known_integers.h"
#include "codegen/plan/movement.h"
#include "codegen/plan/thread_map.h"
#include "hlo/attribute.h"
#include "llvm/ADT/APInt.h"
#include "llvm/ADT/STLExtras.h"
#include "mlir/IR/Matchers.h"

namespace hlo_indexing::emit {

using hlo::AttributeName;
using hlo::Computation;
using hlo::ElementType;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Shape;
using indexing_analysis::RuntimeVariable;
using mlir::AffineMap;
using mlir::Value;

namespace {

// How deep scopes and values known at run time may nest: each takes a frame of the stack.
constexpr int kMaxDepth = plan::kMaxElementDepth;
// The code of a thread may compute as many more elements for each instruction of the module.
constexpr int64_t kElementsPerInstruction = 16;
// An element counts once more for so many constraints and values known at run time of its index:
// composing that with further maps takes longer.
constexpr size_t kConditionsOfOneElement = 8;
// Of one index. Each has a map of its own, with those that it depends on: chains of gathers would
// take memory by the cube of their length.
constexpr size_t kMaxRuntimeValues = 64;

}  // namespace

ElementEmitter::Scope::Scope(ElementEmitter& emitter, Kind kind) : emitter_(emitter), kind_(kind) {
  emitter_.scopes_.emplace_back();
  emitter_.loads_.emplace_back();
  emitter_.loads_.back().is_of_lanes = kind == Kind::kLanes;
  if (kind_ == Kind::kTurn) ++emitter_.depth_;
}

ElementEmitter::Scope::~Scope() {
  emitter_.scopes_.pop_back();
  emitter_.loads_.pop_back();
  if (kind_ == Kind::kTurn) --emitter_.depth_;
}

ElementEmitter::PassLoops::PassLoops(ElementEmitter& emitter, const IndexingMap& map,
                                     plan::LoopForm form)
    : emitter_(emitter),
      outer_(std::exchange(emitter.loops_, this)),
      number_(++emitter.num_loops_),
      num_ranges_(map.num_ranges()),
      form_(form),
      depth_outside_(emitter.NumScopes()) {}

ElementEmitter::PassLoops::~PassLoops() { emitter_.loops_ = outer_; }

ElementEmitter::ElementEmitter(KernelBuilder& builder, plan::PlanContext& plans,
                               const plan::KernelPlan& plan, const KernelBuffers& buffers)
    : builder_(builder), plans_(plans), plan_(plan), buffers_(buffers), scopes_(1), loads_(1) {
  if (plan.Composed() == nullptr) return;
  for (const plan::KnownInteger& known : plan::KnownIntegersOf(*plan.Composed())) {
    known_.try_emplace(known.instruction, known.value);
  }
}

ElementEmitter::~ElementEmitter() = default;

void ElementEmitter::SetVariables(Values dimensions, Values ranges, int64_t lanes) {
  dimensions_ = std::move(dimensions);
  ranges_ = std::move(ranges);
  num_lanes_ = lanes;
}

void ElementEmitter::Provide(const Instruction& instruction, Provider provider) {
  provided_[&instruction] = {std::move(provider), std::nullopt};
}

void ElementEmitter::ProvideAt(const Instruction& instruction, const IndexingMap& index,
                               Provider provider) {
  provided_[&instruction] = {std::move(provider), index};
}

bool ElementEmitter::IsProvided(const Element& element) const {
  if (element.frame != nullptr) return false;
  const auto provided = provided_.find(element.instruction);
  if (provided == provided_.end()) return false;
  const std::optional<IndexingMap>& index = provided->second.index;
  return !index.has_value() || plan::HasResultsOf(element.index, *index, plans_.maps);
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
    if (frame->has_parameters) return static_cast<size_t>(num_lanes_);
  }
  return DependsOnLane(element.index) ? static_cast<size_t>(num_lanes_) : 1;
}

ElementEmitter::Element ElementEmitter::KeyOf(const Element& element) const {
  Element key = element;
  if (plan_.keeps_rows && key.frame == nullptr) {
    key.index = plan::WithoutConditions(key.index, num_lanes_ > 1);
  }
  return key;
}

const Lanes* ElementEmitter::Find(const Element& element) const {
  const Element key = KeyOf(element);
  for (const Memo& scope : llvm::reverse(scopes_)) {
    const auto found = scope.find(key);
    if (found != scope.end() && IsThere(found->second)) return &found->second.lanes;
  }
  return nullptr;
}

bool ElementEmitter::IsThere(const Known& known) const {
  if (known.domain.IsUnknown()) return true;
  if (known.loops != 0 && loops_ != nullptr && known.loops == loops_->number_) return true;
  return !read_domain_.IsUnknown() && plan::HasDomainWithin(read_domain_, known.domain);
}

void ElementEmitter::Remember(const Element& element, Lanes lanes) {
  const IndexingMap domain = plan_.keeps_rows ? read_domain_ : IndexingMap();
  scopes_.back().insert_or_assign(KeyOf(element), Known{std::move(lanes), domain});
}

void ElementEmitter::RememberLeaves(const Element& element, llvm::ArrayRef<Lanes> of_leaves) {
  for (size_t i = 0; i < of_leaves.size(); ++i) {
    if (static_cast<int64_t>(i) == element.leaf) continue;
    Element other = element;
    other.leaf = static_cast<int64_t>(i);
    Remember(other, of_leaves[i]);
  }
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
  const mlir::Location position = builder_.ops().getLoc();
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
    SetPosition(*pending[last].element.instruction);
    Lanes lanes = pending[last].step->make(operands);
    SetNames(*pending[last].element.instruction, lanes);
    Remember(pending[last].element, std::move(lanes));
    pending.pop_back();
  }
  builder_.ops().setLoc(position);
  return *Find(element);
}

void ElementEmitter::SetPosition(const Instruction& instruction) {
  if (!builder_.has_positions()) return;
  const support::SourcePosition position = plan::PlanContext::PositionOf(instruction);
  if (position.line <= 0) return;
  builder_.SetPosition(position.line, position.column);
  builder_.SetLine(position.line, position.line_text);
}

// What is computed is called as the instruction is.
void ElementEmitter::SetNames(const Instruction& instruction, const Lanes& lanes) {
  if (IsElementwise(instruction.opcode()) || instruction.opcode() == Opcode::kReduce) {
    for (const Number& lane : lanes) builder_.SetName(lane.value, instruction.name());
  }
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
  // What has failed has no code: nothing of it is followed any more.
  if (!status_.ok()) return Failed(element, "");
  const int64_t most = plan::kMostElementsOfThread +
                       kElementsPerInstruction * instruction.parent().parent().num_instructions();
  const size_t conditions = element.index.constraints().size() + element.index.num_runtime();
  num_elements_ += 1 + static_cast<int64_t>(conditions / kConditionsOfOneElement);
  if (num_elements_ > most) {
    Fail(*plan_.instruction, absl::StrCat("has code of more than ", most, " elements of a thread"));
    return Failed(element, "");
  }
  const bool has_index = !element.index.IsUnknown() && element.index.affine_map().getNumResults() ==
                                                           ShapeOf(element).sizes().size();
  if (!has_index) {
    return Failed(element, "is read at an index that is not known or too long to be written");
  }
  if (depth_ > kMaxDepth) return Failed(element, "is in too many loops and branches");
  if (element.index.num_runtime() > kMaxRuntimeValues) {
    return Failed(element, "is read at an index that depends on more than " +
                               std::to_string(kMaxRuntimeValues) + " values known at run time");
  }
  if (element.frame == nullptr) {
    if (IsProvided(element)) {
      return {{},
              [provider = provided_.find(&instruction)->second.provider,
               leaf = element.leaf](llvm::ArrayRef<const Lanes*>) { return provider(leaf); }};
    }
    if (const auto known = known_.find(&instruction); known != known_.end()) {
      return {{},
              [this, value = known->second,
               type = instruction.shape().element_type()](llvm::ArrayRef<const Lanes*>) -> Lanes {
                return {{builder_.Integer(RegisterType(builder_, type), value), Value()}};
              }};
    }
    if (const std::optional<int64_t> input = plan_.InputNumber(instruction)) {
      return StepOfLoad(element, buffers_.input(*input, element.leaf));
    }
  }
  if (const auto alias = plan::AliasOf({&instruction, element.leaf, element.index}, plans_)) {
    return Alias(InFrame(element.frame, *alias));
  }
  if (plan::IsMovement(instruction.opcode())) return StepOfMovement(element);
  if (plan::HasAlternatives(instruction.opcode())) return StepOfAlternatives(element);
  switch (instruction.opcode()) {
    case Opcode::kParameter:
      return StepOfParameter(element);
    case Opcode::kConstant:
      return StepOfConstant(element);
    case Opcode::kIota:
      return StepOfIota(element);
    case Opcode::kGetDimensionSize:
      return StepOfDimensionSize(element);
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
      return StepOfReduction(element);
    case Opcode::kDot:
    case Opcode::kScaledDot:
    case Opcode::kConvolution:
      return StepOfProducts(element);
    case Opcode::kRaggedDot:
      return StepOfRaggedDot(element);
    case Opcode::kRngBitGenerator:
      return StepOfRandomBits(element);
    case Opcode::kBatchNormInference:
      return StepOfBatchNormInference(element);
    case Opcode::kConditional:
      return StepOfConditional(element);
    case Opcode::kWhile:
      return StepOfWhile(element);
    case Opcode::kScatter:
      return StepOfScatter(element);
    case Opcode::kSelectAndScatter:
      return StepOfSelectAndScatter(element);
    case Opcode::kFft:
      return StepOfFft(element);
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
  size_t array = static_cast<size_t>(element.leaf);
  for (size_t i = 0; i < number && frame->has_parameters; ++i) {
    array += static_cast<size_t>(frame->computation->parameters()[i]->shape().num_array_leaves());
  }
  if (!frame->has_parameters || (array < frame->is_passed.size() && frame->is_passed[array])) {
    return Alias({frame->caller, &frame->call->operand(frame->first_operand + number), element.leaf,
                  element.index});
  }
  const bool is_known =
      !frame->parameters[array].empty() &&
      (ShapeOf(element).IsScalar() || element.index.affine_map() == frame->index.affine_map());
  if (!is_known) {
    return Failed(element, "is read at another index than that which the kernel computes");
  }
  return {{}, [frame, array](llvm::ArrayRef<const Lanes*>) { return frame->parameters[array]; }};
}

const ElementEmitter::Frame* ElementEmitter::CallFrame(const Element& element,
                                                       const Computation& callee,
                                                       size_t first_operand) {
  const Frame*& called = calls_[{element.instruction, element.frame, first_operand}];
  if (called != nullptr) return called;
  auto frame = std::make_unique<Frame>();
  frame->computation = &callee;
  frame->caller = element.frame;
  frame->call = element.instruction;
  frame->first_operand = first_operand;
  called = frame.get();
  frames_.push_back(std::move(frame));
  return called;
}

ElementEmitter::Step ElementEmitter::StepOfCall(const Element& element, const Computation& callee,
                                                size_t first_operand) {
  return Alias(
      {CallFrame(element, callee, first_operand), &callee.root(), element.leaf, element.index});
}

ElementEmitter::Frame* ElementEmitter::OpenFrame(const Computation& computation,
                                                 std::vector<Lanes> parameters,
                                                 const IndexingMap& index) {
  auto frame = std::make_unique<Frame>();
  frame->computation = &computation;
  frame->has_parameters = true;
  frame->parameters = std::move(parameters);
  frame->index = index;
  frames_.push_back(std::move(frame));
  return frames_.back().get();
}

std::vector<Lanes> ElementEmitter::Apply(const Computation& computation,
                                         std::vector<Lanes> parameters, const IndexingMap& index) {
  Frame* const applied = OpenFrame(computation, std::move(parameters), index);
  const IndexingMap scalar = ScalarIndex(index);
  std::vector<Lanes> results;
  const Shape& shape = computation.root().shape();
  for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
    const bool is_scalar = shape.ArrayLeaf(leaf).IsScalar();
    results.push_back(Compute({applied, &computation.root(), leaf, is_scalar ? scalar : index}));
  }
  applied->is_open = false;
  return results;
}

ElementEmitter::Element ElementEmitter::ElementAt(const Element& like,
                                                  const Instruction& instruction,
                                                  const IndexingMap& variables,
                                                  llvm::ArrayRef<mlir::AffineExpr> index) {
  const AffineMap affine = variables.affine_map();
  return {like.frame, &instruction, 0,
          plans_.maps.Simplified(variables.WithResults(AffineMap::get(
              affine.getNumDims(), affine.getNumSymbols(), index, plans_.mlir_context)))};
}

ElementEmitter::Element ElementEmitter::OperandBeside(const Element& element,
                                                      size_t operand) const {
  const Instruction& read = element.instruction->operand(operand);
  const bool is_scalar = read.shape().IsScalar() && !ShapeOf(element).IsScalar();
  return {element.frame, &read, 0, is_scalar ? ScalarIndex(element.index) : element.index};
}

std::optional<ElementEmitter::Element> ElementEmitter::OperandAt(const Element& element,
                                                                 size_t operand) {
  const auto found =
      plan::OperandAt({element.instruction, element.leaf, element.index}, operand, plans_);
  if (!found.has_value()) return std::nullopt;
  return InFrame(element.frame, *found);
}

// Whether an element has been followed out of the computation does not matter: an index keeps the
// values that it was made of. Which call of the computation they are of is known if there is one.
const ElementEmitter::Frame* ElementEmitter::FrameOf(const Instruction& instruction) {
  const Frame* found = nullptr;
  for (const std::unique_ptr<Frame>& frame : frames_) {
    if (frame->computation != &instruction.parent() || !frame->is_open) continue;
    if (found != nullptr) Fail(instruction, "is an index in a computation that is called twice");
    found = frame.get();
  }
  return found;
}

// The map of a runtime variable need not say where the value is needed.
ElementEmitter::Element ElementEmitter::ElementOf(const RuntimeVariable& variable,
                                                  const IndexingMap& map) {
  return {FrameOf(*variable.instruction), variable.instruction, variable.leaf,
          plan::WithConditionsOf(variable.index, map, plans_.maps)};
}

Values ElementEmitter::RuntimeValues(const IndexingMap& map) {
  Values values;
  const auto num_ranges = static_cast<unsigned>(map.num_ranges());
  for (const RuntimeVariable& variable : map.runtime()) {
    const auto symbol = num_ranges + static_cast<unsigned>(values.size());
    // Not read: the index may be one only where conditions hold that are not tested yet.
    if (!map.affine_map().isFunctionOfSymbol(symbol)) {
      values.push_back(builder_.Integer(32, 0));
      continue;
    }
    if (variable.instruction == nullptr || variable.index.IsUnknown()) {
      status_.Update(absl::UnimplementedError("an index is a value that is not known"));
      values.push_back(builder_.Integer(32, 0));
      continue;
    }
    const int depth = depth_++;
    if (depth > kMaxDepth) Fail(*variable.instruction, "is an index behind too many indices");
    const Lanes lanes = depth > kMaxDepth ? Lanes{ZeroOf(builder_, ElementType::kS32)}
                                          : Compute(ElementOf(variable, map));
    depth_ = depth;
    const ElementType type = variable.instruction->shape().ArrayLeaf(variable.leaf).element_type();
    values.push_back(EmitClamped(builder_, lanes.front().value, type, variable.bounds));
  }
  return values;
}

void ElementEmitter::ComputeForAllLanes(const IndexingMap& map) {
  for (const RuntimeVariable& variable : map.runtime()) {
    if (variable.instruction == nullptr || variable.index.IsUnknown()) continue;
    if (!DependsOnLane(variable.index) || depth_ >= kMaxDepth) continue;
    // Of lanes that are not computed nothing is known.
    const Interval lanes_of_index = variable.index.ranges().back().bounds;
    if (!lanes_of_index.Contains({0, num_lanes_ - 1})) continue;
    const Element all = ElementOf(variable, map);
    ++depth_;
    const Lanes lanes = Compute(all);
    --depth_;
    for (int64_t lane = 0; lane < num_lanes_; ++lane) {
      Element one = all;
      one.index = AtLane(all.index, lane, plans_.maps);
      Remember(one, {lanes[lanes.size() == 1 ? 0 : static_cast<size_t>(lane)]});
    }
  }
}

bool ElementEmitter::HasRangeValues(const IndexingMap& map) {
  for (unsigned i = 0; i < map.num_ranges(); ++i) {
    if (i < ranges_.size() && ranges_[i] != nullptr) continue;
    if (!map.affine_map().isFunctionOfSymbol(i)) continue;
    Fail(*plan_.instruction, "has an index with more values than one");
    return false;
  }
  return true;
}

IndexingMap ElementEmitter::InTurn(const IndexingMap& map) const {
  IndexingMap in_turn = map;
  for (size_t i = 0; i < std::min(ranges_.size(), map.num_ranges()); ++i) {
    llvm::APInt turn;
    const Interval turns = map.ranges()[i].bounds;
    if (turns.lower == turns.upper || ranges_[i] == nullptr) continue;
    if (!mlir::matchPattern(ranges_[i], mlir::m_ConstantInt(&turn))) continue;
    in_turn = plan::AtRange(in_turn, i, turn.getSExtValue(), plans_.maps);
    if (in_turn.IsKnownEmpty()) break;
  }
  return in_turn;
}

Value ElementEmitter::EmitIndex(const IndexingMap& map) {
  const IndexingMap in_turn = InTurn(map);
  if (in_turn.IsKnownEmpty() || !HasRangeValues(in_turn)) return builder_.Integer(32, 0);
  const Values runtime = RuntimeValues(in_turn);
  return EmitResults(builder_, in_turn, {dimensions_, ranges_, runtime}).front();
}

Values ElementEmitter::IndexOfLanes(const IndexingMap& map) {
  if (num_lanes_ == 1 || !DependsOnLane(map)) return {EmitIndex(map)};
  ComputeForAllLanes(map);
  Values indices;
  for (int64_t lane = 0; lane < num_lanes_; ++lane) {
    const IndexingMap at = AtLane(map, lane, plans_.maps);
    indices.push_back(at.IsKnownEmpty() ? builder_.Integer(32, 0) : EmitIndex(at));
  }
  return indices;
}

Value ElementEmitter::EmitConditions(const Conditions& conditions) {
  if (conditions.empty() || !HasRangeValues(conditions.expressions)) return nullptr;
  const IndexingMap in_turn = InTurn(conditions.expressions);
  // No thread has the turn: any code will do.
  const IndexingMap& expressions = in_turn.IsKnownEmpty() ? conditions.expressions : in_turn;
  const Values runtime = RuntimeValues(expressions);
  return emit::EmitConditions(builder_, expressions, conditions.bounds,
                              {dimensions_, ranges_, runtime});
}

}  // namespace hlo_indexing::emit
