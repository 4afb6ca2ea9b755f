// The elements that instructions of a fusion compute, as code of one thread. Private to the folder.
//
// An element is named by an instruction and an indexing map from the variables of the thread to the
// index: (th_x, ..., bl_z)[loops, lane]{runtime} -> index. The emitter follows the instruction's
// own indexing maps to what it reads, down to the buffers, so that what is read through the same
// map is computed once:
//
//   add at (bl_x * 128 + th_x)          ->  both operands at the same map
//   transpose at (th_x, bl_x)           ->  its operand at (bl_x, th_x): no code at all
//   pad at (th_x), low padding 3        ->  if (th_x >= 3) the operand at (th_x - 3)
//   reduce at (th_x), 10 elements       ->  a loop, the operand at (th_x, s0), s0 in [0, 9]
//
// Code of loops and branches is made in scopes, and what a scope has computed ends with it. Within
// a scope nothing is computed by recursion, however long the chain of instructions is.
#ifndef HLO_INDEXING_CODEGEN_EMIT_ELEMENT_EMITTER_H_
#define HLO_INDEXING_CODEGEN_EMIT_ELEMENT_EMITTER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "codegen/emit/buffers.h"
#include "codegen/emit/index_code.h"
#include "codegen/emit/kernel_builder.h"
#include "codegen/emit/number.h"
#include "codegen/plan/element_steps.h"
#include "codegen/plan/kernel_plan.h"
#include "codegen/plan/lane_maps.h"
#include "codegen/plan/plan_context.h"
#include "codegen/plan/short_loops.h"
#include "hlo/module.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace hlo_indexing::emit {

class ProductSum;

using indexing_analysis::IndexingMap;
using indexing_analysis::Interval;
using indexing_analysis::MapConstraint;
using plan::AtLane;
using plan::Conditions;
using plan::ConditionsOf;
using plan::DependsOnLane;
using plan::DivisorOfResult;
using plan::LaneOffsets;
using plan::SameForAllLanes;
using plan::ScalarIndex;
using plan::WithResults;

class ElementEmitter {
 public:
  // A branch, or a turn of a loop, while its code is made.
  class Scope {
   public:
    // How deep branches nest that are alternatives of one element does not count. Code of some
    // lanes is neither: all code behind it may have what it has loaded, but for vectors of these
    // lanes.
    enum class Kind : uint8_t { kTurn, kAlternative, kLanes };
    Scope(ElementEmitter& emitter, Kind kind);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    ElementEmitter& emitter_;
    Kind kind_;
  };

  // The loops of a pass while their code is made: the ranges of a map but for the lane.
  class PassLoops {
   public:
    PassLoops(ElementEmitter& emitter, const IndexingMap& map,
              plan::LoopForm form = plan::LoopForm::kLoop);
    ~PassLoops();
    PassLoops(const PassLoops&) = delete;
    PassLoops& operator=(const PassLoops&) = delete;

    // In each turn, from the scope on that is open then.
    void BeginTurn() { depth_of_turn_ = emitter_.NumScopes(); }

   private:
    friend class ElementEmitter;

    ElementEmitter& emitter_;
    const PassLoops* outer_;
    // From 1 on, of all loops of the kernel.
    int64_t number_;
    size_t num_ranges_;
    plan::LoopForm form_;
    size_t depth_outside_;
    size_t depth_of_turn_ = 0;
  };

  ElementEmitter(KernelBuilder& builder, plan::PlanContext& plans, const plan::KernelPlan& plan,
                 const KernelBuffers& buffers);
  ~ElementEmitter();

  /// What the dimension variables and the ranges of the maps are from now on, and how many lanes
  /// there are: 1 if the maps have none. The last range, if it is the lane, is null.
  void SetVariables(Values dimensions, Values ranges, int64_t lanes);
  const Values& dimensions() const { return dimensions_; }
  const Values& ranges() const { return ranges_; }
  int64_t lanes() const { return num_lanes_; }

  /// The map with the values of the ranges that are constants, those of turns that are written out.
  IndexingMap InTurn(const IndexingMap& map) const;

  /// The elements of an array of an instruction's output: one if they do not depend on the lane.
  Lanes Compute(const hlo::Instruction& instruction, int64_t leaf, const IndexingMap& index);

  /// Instructions whose elements the thread already has, until they are forgotten: what the
  /// function returns for an array of their output.
  using Provider = std::function<Lanes(int64_t leaf)>;
  void Provide(const hlo::Instruction& instruction, Provider provider);
  /// The same where an element is read at this index, which does not depend on loops; elsewhere it
  /// is computed.
  void ProvideAt(const hlo::Instruction& instruction, const IndexingMap& index, Provider provider);
  void ForgetProvided();

  /// From now on arrays are read only where this holds (null: always), and elements are computed
  /// from zeros elsewhere, without a branch. It is the one for a map's `domain`: of rows that a
  /// thread keeps, what was computed in one is used again within it.
  void SetReadCondition(mlir::Value condition, const IndexingMap& domain = {}) {
    read_condition_ = condition;
    read_domain_ = domain;
  }

  /// Makes code of a branch for the domain of a map.
  template <typename Function>
  auto InDomain(const IndexingMap& domain, Function function) {
    const IndexingMap outer = std::exchange(read_domain_, domain);
    auto result = function();
    read_domain_ = outer;
    return result;
  }

  /// The code that is made from now on is the instruction's, but for that of other elements.
  void SetPosition(const hlo::Instruction& instruction);

  /// Writes elements of an output array.
  void Store(const Lanes& lanes, int64_t output, const IndexingMap& index);
  /// The same at places in memory.
  void StoreAt(const Lanes& lanes, int64_t output, const IndexingMap& position);
  /// Where the one element of an output array is, in elements; null if there is none, and, after
  /// Fail, if it is in a layout that no kernel writes.
  mlir::Value PositionOf(int64_t output, const IndexingMap& index);
  const Buffer& OutputBuffer(int64_t output) const { return buffers_.output(output); }

  /// What a computation makes of these, an array of its result each. Scalars are given and made;
  /// of other arrays the elements at this index, which it may not move.
  std::vector<Lanes> Apply(const hlo::Computation& computation, std::vector<Lanes> parameters,
                           const IndexingMap& index);

  /// Whether the conditions hold, in the present scope.
  mlir::Value EmitConditions(const Conditions& conditions);

  /// `then` where the condition holds (null: always), else `otherwise`: so many elements of an
  /// array, which come out of a branch as one vector. LLVM would take a load of several elements
  /// apart, where each of them is the same load at another address in both branches.
  Lanes IfLanes(mlir::Value condition, hlo::ElementType type, size_t count,
                llvm::function_ref<Lanes()> then, llvm::function_ref<Lanes()> otherwise);

  /// Makes code of a scope of its own.
  template <typename Function>
  auto InScope(Function function) {
    const Scope scope(*this, Scope::Kind::kTurn);
    return function();
  }

  /// The same of turns one after the other, which read under conditions of theirs, as those of a
  /// row that is kept: what one has loaded is there for the next, however that writes its position.
  void InTurns(llvm::function_ref<void()> function) {
    InScope([&] {
      depth_of_turns_ = NumScopes();
      function();
    });
    depth_of_turns_ = kRowDepth;
    loads_of_turns_.clear();
  }

  /// What could not be made, the first time; the code is then of no use.
  const absl::Status& status() const { return status_; }
  /// Sets that.
  void Fail(const hlo::Instruction& instruction, const std::string& reason);

 private:
  // A computation that is applied inside of the kernel.
  struct Frame {
    const hlo::Computation* computation = nullptr;
    // Where it is called: its parameters are the operands there, from one on. Of a loop, those of
    // the state that stay as they are. Null if all are `parameters`.
    const Frame* caller = nullptr;
    const hlo::Instruction* call = nullptr;
    size_t first_operand = 0;
    // Whether the parameters are given, by array; one without lanes is not known.
    bool has_parameters = false;
    std::vector<Lanes> parameters;
    // Of parameters that are arrays: the one index that is known.
    IndexingMap index;
    // Of a loop: whose elements are those that the call is given.
    std::vector<bool> is_passed;
    // Whether its code is being made: that of given parameters is made once, and all at once.
    bool is_open = true;
  };
  // An element of an array, or those of all lanes.
  struct Element {
    // Null: the computation of the kernel.
    const Frame* frame = nullptr;
    const hlo::Instruction* instruction = nullptr;
    int64_t leaf = 0;
    IndexingMap index;

    friend bool operator==(const Element&, const Element&) = default;
  };
  struct ElementHash {
    size_t operator()(const Element& element) const {
      return llvm::hash_combine(element.frame, element.instruction, element.leaf,
                                hash_value(element.index));
    }
  };
  // How an element is made: from others, which are computed before it.
  struct Step {
    llvm::SmallVector<Element, 3> operands;
    std::function<Lanes(llvm::ArrayRef<const Lanes*>)> make;
  };
  // What has been computed, and where: in a domain, unless that is unknown, and in the turns of
  // the loops of this number whatever their domain.
  struct Known {
    Lanes lanes;
    IndexingMap domain;
    int64_t loops = 0;
  };
  using Memo = std::unordered_map<Element, Known, ElementHash>;
  // Elements of an array that code has loaded, one or those of all lanes: by their index, or by
  // their position in memory, which of an array of rank 1 looks the same.
  struct Loaded {
    const hlo::Instruction* array = nullptr;
    int64_t leaf = 0;
    bool is_position = false;
    IndexingMap elements;

    friend bool operator==(const Loaded&, const Loaded&) = default;
  };
  struct LoadedHash {
    size_t operator()(const Loaded& loaded) const {
      return llvm::hash_combine(loaded.array, loaded.leaf, loaded.is_position,
                                hash_value(loaded.elements));
    }
  };
  struct Loads {
    std::unordered_map<Loaded, Known, LoadedHash> lanes;
    // Of code of some lanes.
    bool is_of_lanes = false;
  };

  Lanes Compute(const Element& element);
  // Whether the thread has been given the element.
  bool IsProvided(const Element& element) const;
  // By which an element is remembered: of rows that are kept, without the conditions of its index.
  Element KeyOf(const Element& element) const;
  const Lanes* Find(const Element& element) const;
  // Whether all threads for which code is made have it.
  bool IsThere(const Known& known) const;
  void Remember(const Element& element, Lanes lanes);
  // The same element of all arrays of the instruction, but that of the element itself.
  void RememberLeaves(const Element& element, llvm::ArrayRef<Lanes> of_leaves);

  Step StepOf(const Element& element);
  Step StepOfParameter(const Element& element);
  Step Alias(Element element);
  void SetNames(const hlo::Instruction& instruction, const Lanes& lanes);
  Step Failed(const Element& element, const std::string& reason);
  Step NeverComputed(const Element& element);
  Step StepOfElementwise(const Element& element);
  Step StepOfBitcastConvert(const Element& element);
  Step StepOfMovement(const Element& element);
  Step StepOfLoad(const Element& element, const Buffer& buffer);
  Step StepOfConstant(const Element& element);
  Step StepOfIota(const Element& element);
  Step StepOfDimensionSize(const Element& element);
  Step StepOfAlternatives(const Element& element);
  Step StepOfReduction(const Element& element);
  // How what is read in a turn of loops is added to what has been read before.
  struct TurnCode {
    // From the operands of the step.
    std::function<Values(llvm::ArrayRef<const Lanes*>)> initial;
    // What was carried, what is read, and the index of the element where that is.
    std::function<Values(mlir::ValueRange, llvm::ArrayRef<Lanes>, const IndexingMap&)> combine;
    std::function<Lanes(mlir::ValueRange)> finish;
  };
  TurnCode ReductionCode(const Element& element);
  TurnCode ProductCode(const Element& element);
  Step StepOfTurns(const Element& element, std::vector<plan::ShortTurn> turns, Step step,
                   TurnCode code);
  Element OperandOfSlices(const Element& element, size_t operand);
  Step StepOfProducts(const Element& element);
  Step StepOfRaggedDot(const Element& element);
  Element ScaleOf(const Element& operand, const hlo::Instruction& scales);
  Lanes Factors(ProductSum& sum, const Element& operand, const std::optional<Element>& scale,
                size_t count);
  Step StepOfScatter(const Element& element);
  Step StepOfSelectAndScatter(const Element& element);
  Step StepOfFft(const Element& element);
  mlir::Value EmitWeight(const IndexingMap& place, int64_t length);
  Step StepOfRandomBits(const Element& element);
  Step StepOfBatchNormInference(const Element& element);
  Step StepOfCall(const Element& element, const hlo::Computation& callee, size_t first_operand = 0);
  // A frame with given parameters.
  Frame* OpenFrame(const hlo::Computation& computation, std::vector<Lanes> parameters,
                   const IndexingMap& index);
  const Frame* CallFrame(const Element& element, const hlo::Computation& callee,
                         size_t first_operand);
  Step StepOfConditional(const Element& element);
  Step StepOfWhile(const Element& element);
  Step StepOfMap(const Element& element);

  static Element InFrame(const Frame* frame, const plan::PlannedElement& element) {
    return {frame, element.instruction, element.leaf, element.index};
  }
  // The operand of an instruction, at the index that its own map says; a known empty one if it is
  // not read. nullopt if that is not one exact map.
  std::optional<Element> OperandAt(const Element& element, size_t operand);
  // An element that is read where the expressions say, which have the variables of an index.
  Element ElementAt(const Element& like, const hlo::Instruction& instruction,
                    const IndexingMap& variables, llvm::ArrayRef<mlir::AffineExpr> index);
  // The operand at the same index, or the only element of a scalar.
  Element OperandBeside(const Element& element, size_t operand) const;
  // The first alternative whose conditions hold, else the last.
  Step FirstThatHolds(const Element& element, std::vector<plan::ElementAlternative> alternatives);
  Lanes EmitAlternatives(const Element& element,
                         llvm::ArrayRef<plan::ElementAlternative> alternatives, size_t count);
  // Where it is known which lanes are elements of which alternative: neighbouring ones of the same
  // as a vector of their own; elsewhere each lane by itself.
  Step RunsOfLanes(const Element& element, llvm::ArrayRef<plan::ElementAlternative> alternatives);
  // Each lane by itself.
  Step LaneByLane(const Element& element);
  // Nested loops over the first `count` ranges of a map.
  Values EmitLoops(const IndexingMap& map, size_t count, const Values& carried,
                   llvm::function_ref<Values(mlir::ValueRange)> body);
  // A reduction that the turns of loops read, and that is the same in all of them: as the turns
  // name it, and as it is named before the loops, which are those of an element.
  struct Invariant {
    Element in_turn;
    Element before;
  };
  std::vector<Invariant> FindInvariants(const Element& element, llvm::ArrayRef<Element> read,
                                        size_t num_loops);
  // What is known at run time where an element is.
  std::vector<Element> RuntimeElements(const IndexingMap& index);
  // The element that is the value of a runtime variable of a map, where the map is.
  Element ElementOf(const indexing_analysis::RuntimeVariable& variable, const IndexingMap& map);
  // The turns of a loop have them, computed before it.
  void RememberInvariants(llvm::ArrayRef<Invariant> invariants,
                          llvm::ArrayRef<const Lanes*> computed);
  // `body` where the conditions hold, else what is carried.
  Values EmitWhere(const Conditions& conditions, mlir::ValueRange carried,
                   llvm::function_ref<Values()> body);

  // An element of an array, or those of all lanes, which are loaded if the code has not.
  Lanes LoadOnce(const Element& element, const IndexingMap& position, const Buffer& buffer);
  Lanes Load(const Buffer& buffer, const IndexingMap& position);
  // Where what is loaded now is there; unknown: in all threads that run the code.
  IndexingMap DomainOfLoads() const;
  // Of loops and branches, without the innermost ones that are of some lanes only.
  size_t NumScopes() const;
  // What the thread has of its turns, where its position is another expression of this one.
  const Lanes* FindInTurns(const Element& element, const IndexingMap& position);
  // The same of lanes of which some are one element, as those of a sum of each row beside another:
  // from the lanes of vectors that have been loaded; nullopt if one has not.
  std::optional<Lanes> FindLaneByLane(const Element& element, const IndexingMap& position);
  // What all turns of the loops of a pass load alike, before them; nullopt if they do not, or if
  // LLVM finds it, as turns of a loop without conditions.
  std::optional<Known> LoadBeforeLoops(const Element& element, const Buffer& buffer);
  // The only element of an array, which is loaded once for all turns of the loops.
  Lanes LoadScalar(const Buffer& buffer, const IndexingMap& position);
  // Where an instruction that is called stands.
  const Frame* FrameOf(const hlo::Instruction& instruction);
  // The values of the runtime variables of a map; none may depend on the lane.
  Values RuntimeValues(const IndexingMap& map);
  // Before code of a map for each lane: the values of its runtime variables that depend on the
  // lane, those of all lanes at once, which may be one access. They are remembered as those of each
  // lane.
  void ComputeForAllLanes(const IndexingMap& map);
  // Whether the ranges that the results mention are loops that are open here; else a failure.
  bool HasRangeValues(const IndexingMap& map);
  // How many elements of an array are in the byte of that at this position, as 32 bits.
  mlir::Value ElementsOfByte(const IndexingMap& position, const hlo::Shape& shape);
  // The one result of a map.
  mlir::Value EmitIndex(const IndexingMap& map);
  // A position in a buffer, in units of so many elements, which divide it.
  IndexSum EmitPlace(const IndexingMap& position, int64_t scale, const Buffer& buffer);
  // The same for each lane, or once if it does not depend on the lane.
  Values IndexOfLanes(const IndexingMap& map);
  size_t CountOf(const Element& element) const;
  const hlo::Shape& ShapeOf(const Element& element) const;

  KernelBuilder& builder_;
  plan::PlanContext& plans_;
  const plan::KernelPlan& plan_;
  const KernelBuffers& buffers_;
  Values dimensions_;
  Values ranges_;
  int64_t num_lanes_ = 1;
  mlir::Value read_condition_;
  IndexingMap read_domain_;
  std::vector<std::unique_ptr<Frame>> frames_;
  // Those of calls, by the instruction, its frame and the first operand.
  llvm::DenseMap<std::tuple<const hlo::Instruction*, const Frame*, size_t>, const Frame*> calls_;
  std::vector<Memo> scopes_;
  // What the scopes have loaded: each lane of vectors, too, where the array is read again.
  std::vector<Loads> loads_;
  // Of turns that read under conditions, as those of rows that are kept, the positions of the loads
  // of each array, in order, but for those of branches; and in how many scopes these turns are.
  llvm::DenseMap<std::pair<const hlo::Instruction*, int64_t>,
                 std::vector<std::pair<IndexingMap, Known>>>
      loads_of_turns_;
  static constexpr size_t kRowDepth = 1;
  size_t depth_of_turns_ = kRowDepth;
  struct Provided {
    Provider provider;
    // nullopt: anywhere.
    std::optional<IndexingMap> index;
  };
  llvm::DenseMap<const hlo::Instruction*, Provided> provided_;
  // Instructions that are the same integer, whatever is loaded (plan/known_integers.h).
  llvm::DenseMap<const hlo::Instruction*, int64_t> known_;
  // By buffer, those that the kernel has loaded at its beginning.
  llvm::DenseMap<mlir::Value, Lanes> scalars_;
  const PassLoops* loops_ = nullptr;
  int64_t num_loops_ = 0;
  int depth_ = 0;
  // What has been computed in all scopes; those at long indices count several times.
  int64_t num_elements_ = 0;
  absl::Status status_;
};

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_ELEMENT_EMITTER_H_
