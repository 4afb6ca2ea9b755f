#include "codegen/plan/accesses.h"

#include <array>
#include <map>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "codegen/plan/atomics.h"
#include "codegen/plan/constants.h"
#include "codegen/plan/element_loops.h"
#include "codegen/plan/element_reads.h"
#include "codegen/plan/element_steps.h"
#include "codegen/plan/known_integers.h"
#include "codegen/plan/pass_loops.h"
#include "codegen/plan/thread_map.h"
#include "hlo/attribute.h"
#include "indexing_analysis/maps/access.h"
#include "indexing_analysis/maps/output_indexing.h"
#include "llvm/ADT/STLExtras.h"
#include "support/checked_math.h"

namespace hlo_indexing::plan {

using hlo::Instruction;
using hlo::Shape;
using indexing_analysis::OperandIndexing;
using indexing_analysis::OperandMap;
using indexing_analysis::OutputIndexing;

namespace {

constexpr int64_t kCounterBits = 32;

class AccessCollector {
 public:
  AccessCollector(const KernelPlan& plan, PlanContext& plans)
      : plan_(plan), plans_(plans), computation_(plan.Composed()) {
    if (computation_ != nullptr) {
      constants_ = ConstantsInMemory(*computation_);
      for (const KnownInteger& known : KnownIntegersOf(*computation_)) {
        known_.push_back(known.instruction);
      }
      for (const Instruction* of : computation_->instructions()) {
        const hlo::Opcode opcode = of->opcode();
        has_whiles_ = has_whiles_ || opcode == hlo::Opcode::kWhile;
        has_branches_ = has_branches_ || HasAlternatives(opcode);
        has_branches_at_values_ =
            has_branches_at_values_ || opcode == hlo::Opcode::kDynamicUpdateSlice ||
            opcode == hlo::Opcode::kDynamicSlice || opcode == hlo::Opcode::kGather;
      }
    }
    element_reads_.emplace(plan_, plans_, constants_, RowTurns::kTogether);
    turn_reads_.emplace(plan_, plans_, constants_, RowTurns::kOneByOne);
  }

  std::vector<KernelAccess> Collect() && {
    const std::vector<size_t> loops = LoopsOf(plan_);
    if (computation_ != nullptr && !plan_.passes.empty()) AddConstantsOfCallees();
    for (const size_t number : PassesInOrderOfCode(plan_, loops)) {
      pass_number_ = number;
      const ElementPass& pass = plan_.passes[number];
      loop_ = plan_.keeps_rows ? LoopOfRow() : loops[pass_number_];
      if (known_.empty()) {
        AddLoads(pass);
      } else {
        ElementPass computed = pass;
        llvm::append_range(computed.available, known_);
        AddLoads(computed);
      }
      AddStore(pass);
    }
    llvm::erase_if(accesses_, [](const KernelAccess& of) { return of.element.IsKnownEmpty(); });
    llvm::stable_sort(accesses_,
                      [](const KernelAccess& a, const KernelAccess& b) { return a.pass < b.pass; });
    pass_number_ = plan_.passes.size();
    for (size_t i = 0; i < plan_.scratch_arrays.size(); ++i) AddExchange(i);
    if (plan_.blocks_of_group > 1) AddCounters();
    return std::move(accesses_);
  }

 private:
  // Of a thread that keeps its row. What is loaded for outputs that some threads have only, is
  // loaded in a branch, and again in the next one.
  size_t LoopOfRow() const {
    const ElementPass& pass = plan_.passes[pass_number_];
    if (pass.store == StoreKind::kNone || HaveAllThreads(pass)) return 0;
    size_t first = pass_number_;
    while (first > 0 && plan_.passes[first - 1].store != StoreKind::kNone &&
           plan_.passes[first - 1].vector_elements == pass.vector_elements &&
           HaveSameDomain(plan_.passes[first - 1].map, pass.map)) {
      --first;
    }
    return first;
  }

  // In the first turn of the loop.
  bool HaveAllThreads(const ElementPass& pass) const {
    if (pass.map.IsUnknown() || pass.map.IsKnownEmpty()) return false;
    const IndexingMap map =
        LoopsOfPass() > 0 ? AtRange(pass.map, 0, pass.map.ranges()[0].bounds.lower, plans_.maps)
                          : pass.map;
    if (map.IsKnownEmpty() || !map.constraints().empty()) return false;
    for (size_t i = 0; i < plan_.launch.threads.size(); ++i) {
      const indexing_analysis::Interval all = {0, plan_.launch.threads[i] - 1};
      if (!(map.dimensions()[i].bounds == all)) return false;
    }
    return true;
  }

  bool HasAllBlocks(const ElementPass& pass) const {
    for (size_t i = 0; i < plan_.launch.blocks.size(); ++i) {
      const indexing_analysis::Interval all = {0, plan_.launch.blocks[i] - 1};
      if (!(pass.map.dimensions()[kBlockX + i].bounds == all)) return false;
    }
    return true;
  }

  void AddScratch(size_t number, AccessKind kind, const SharedTile& array,
                  const SharedAccess& exchange) {
    KernelAccess& access = accesses_.emplace_back();
    access.pass = pass_number_;
    access.loop = pass_number_++;
    access.kind = kind;
    access.scratch = number;
    access.element = exchange.index;
    access.access.position = array.PositionOf(exchange);
    access.access.threads = plan_.launch.threads;
    access.access.element_bits = array.element_bits;
    access.access.vector_elements = exchange.vector_elements;
  }

  void AddExchange(size_t number) {
    const SharedTile& array = plan_.scratch_arrays[number];
    for (const SharedAccess& access : array.accesses) {
      AddScratch(number, access.is_store ? AccessKind::kStore : AccessKind::kLoad, array, access);
    }
  }

  // The first thread of each block counts that it has come.
  void AddCounters() {
    const int64_t groups = plan_.launch.blocks[0];
    ThreadMapBuilder builder(plan_.launch, plans_);
    builder.Bound(kThreadX, indexing_analysis::Interval::Point(0));
    SharedTile counters;
    counters.element_bits = kCounterBits;
    counters.sizes = {plan_.launch.blocks[2], groups};
    counters.strides = {groups, 1};
    const SharedAccess count = {
        true, builder.Build({builder.Dimension(kBlockZ), builder.Dimension(kBlockX)}), 1};
    AddScratch(plan_.scratch_arrays.size(), AccessKind::kAtomic, counters, count);
  }

  void AddLoads(const ElementPass& pass) {
    const Instruction& instruction = *pass.instruction;
    if (llvm::is_contained(pass.available, &instruction) || AddLoadsOfElements(pass)) return;
    if (const std::optional<int64_t> operand = plan_.InputNumber(instruction)) {
      KernelAccess access = NewLoad(pass, *operand, pass.leaf, instruction.shape());
      access.element = pass.map;
      Add(std::move(access));
      return;
    }
    if (llvm::is_contained(constants_, &instruction)) {
      KernelAccess access = NewLoadOf(pass, instruction);
      access.element = pass.map;
      Add(std::move(access));
      return;
    }
    if (!pass.map.IsUnknown() && computation_ != nullptr &&
        HasElementLoopsBefore(instruction, pass.available)) {
      return AddLoadsByLoop(pass);
    }
    LoopNest loop;
    if (HasElementLoops(instruction.opcode())) loop.push_back({&instruction, pass.map});
    const OutputIndexing reads = ReadsOf(pass);
    const std::string varies = WhyReadsVary(instruction.opcode());
    if (reads.IsUnknown()) {
      for (size_t i = 0; i < plan_.Inputs().size(); ++i) {
        KernelAccess access = NewLoad(pass, static_cast<int64_t>(i), 0, plan_.InputShape(i));
        access.reason = reads.unknown_reason();
        Add(std::move(access), loop);
      }
      return;
    }
    for (const OperandIndexing& read : reads.operands()) {
      // Behind the operands comes what the thread has, then the constants.
      const size_t first_constant = plan_.Inputs().size() + pass.available.size();
      const bool is_constant = read.operand() >= first_constant;
      if (read.operand() >= plan_.Inputs().size() && !is_constant) continue;
      if (computation_ == nullptr && IsStartOfWholeDimension(instruction, read.operand())) continue;
      const KernelAccess load = is_constant
                                    ? NewLoadOf(pass, *constants_[read.operand() - first_constant])
                                    : NewLoad(pass, FirstOf(read.operand()), read.leaf(),
                                              plan_.InputShape(read.operand()));
      if (read.maps().empty()) {
        KernelAccess access = load;
        access.reason = read.reason();
        Add(std::move(access), loop);
      }
      for (const OperandMap& map : read.maps()) {
        KernelAccess access = load;
        if (!HasMapsWithoutTurns(instruction.opcode()) || map.map.num_ranges() == 0) {
          access.element = plans_.maps.Compose(pass.map, map.map);
        }
        if (!loop.empty()) access.access.repetitions = TurnsOfPass(pass, access.element);
        access.reason = read.reason().empty() ? varies : read.reason();
        if (access.reason.empty()) access.reason = WhyLoadsVary();
        Add(std::move(access), loop);
      }
    }
  }

  // As code makes elements. False where that is not followed.
  bool AddLoadsOfElements(const ElementPass& pass) {
    if (pass.map.IsUnknown()) return false;
    const std::optional<std::vector<ElementRead>> reads = ReadsOfElements(pass);
    if (!reads.has_value()) return false;
    for (const ElementRead& read : *reads) {
      const Instruction& instruction = *read.element.instruction;
      const std::optional<int64_t> input = plan_.InputNumber(instruction);
      KernelAccess access = input.has_value()
                                ? NewLoad(pass, *input, read.element.leaf,
                                          plan_.InputShape(static_cast<size_t>(*input)))
                                : NewLoadOf(pass, instruction);
      access.element = read.element.index;
      access.access.vector_elements = read.vector_elements;
      access.access.repetitions = read.repetitions;
      if (read.may_be_once) access.reason = "what turns of a loop read alike may be read once";
      if (read.num_loops > 0 && IsLoadedAtEntry(access, /*is_in_loop=*/true)) {
        AddAtEntryOnce(std::move(access));
      } else {
        const bool is_in_scope = read.is_in_branch || (read.num_loops > 0 && !read.is_written_out);
        Add(std::move(access), {}, /*may_be_loaded=*/false, is_in_scope, read.num_loops);
      }
    }
    return true;
  }

  // Where the turns of a row do not load all of what they have together, one by one.
  std::optional<std::vector<ElementRead>> ReadsOfElements(const ElementPass& pass) {
    const bool is_straight = HaveAllThreads(pass) && HasAllBlocks(pass);
    std::optional<std::vector<ElementRead>> reads = element_reads_->Of(pass, loop_, is_straight);
    if (!plan_.keeps_rows || !reads.has_value()) return reads;
    std::optional<std::vector<ElementRead>> of_turns = turn_reads_->Of(pass, loop_, is_straight);
    if (!of_turns.has_value()) return of_turns;
    const indexing_analysis::Interval turns = LoopsOfPass() > 0
                                                  ? pass.map.ranges().front().bounds
                                                  : indexing_analysis::Interval::Point(0);
    if (LoadsIn(*reads, turns) != LoadsIn(*of_turns, turns)) return of_turns;
    return reads;
  }

  // How many loads of each array by vectors of each width the turns have.
  std::map<std::tuple<const Instruction*, int64_t, int64_t>, int64_t> LoadsIn(
      llvm::ArrayRef<ElementRead> reads, indexing_analysis::Interval turns) {
    std::map<std::tuple<const Instruction*, int64_t, int64_t>, int64_t> counts;
    for (const ElementRead& read : reads) {
      // A scalar is loaded once, however often loops have it.
      if (read.num_loops > 0 && read.IsScalar()) continue;
      const IndexingMap& index = read.element.index;
      int64_t& count = counts[{read.element.instruction, read.element.leaf, read.width}];
      const int64_t loads = support::CheckedMul(read.repetitions, read.vector_elements / read.width)
                                .value_or(support::kInt64Max);
      const size_t loop = read.num_loops;
      const bool is_in_turns = LoopsOfPass() > 0 && index.num_ranges() > loop &&
                               (read.is_in_branch || DependsOnRange(index, loop));
      for (int64_t turn = turns.lower; turn <= (is_in_turns ? turns.upper : turns.lower); ++turn) {
        if (is_in_turns && AtRange(index, loop, turn, plans_.maps).IsKnownEmpty()) continue;
        count = support::CheckedAdd(count, loads).value_or(support::kInt64Max);
      }
    }
    return counts;
  }

  // Of loads that are not planned as code makes them: in which branches these stand is not known,
  // nor how often a loop comes back to them.
  std::string WhyLoadsVary() const {
    if (has_whiles_) return "what the iterations of a while loop read is counted once";
    if (!has_branches_) return "";
    return has_branches_at_values_ ? "values known at run time decide what branches read; what "
                                     "several of them read is counted once"
                                   : "what several branches read is counted once";
  }

  void AddLoadsByLoop(const ElementPass& pass) {
    for (const LoopRead& read : ReadsByLoop(pass, constants_, plans_)) {
      KernelAccess access = read.constant != nullptr
                                ? NewLoadOf(pass, *read.constant)
                                : NewLoad(pass, static_cast<int64_t>(read.parameter), read.leaf,
                                          plan_.InputShape(read.parameter));
      access.element = read.map;
      const int64_t turns = read.nest.empty() ? 1 : TurnsOfPass(pass, read.map);
      access.access.repetitions = support::CheckedMul(read.repetitions, turns).value_or(1);
      access.reason = read.reason.empty() ? WhyLoadsVary() : read.reason;
      Add(std::move(access), read.nest);
    }
  }

  // What a row has kept is there in all turns.
  int64_t TurnsOfPass(const ElementPass& pass, const IndexingMap& index) const {
    return plan_.keeps_rows ? 1 : RepeatedTurns(pass, index);
  }

  // How often a call reads which of their elements, no map of this computation says.
  void AddConstantsOfCallees() {
    const ElementPass& pass = plan_.passes[0];
    for (const Instruction* constant : ConstantsInMemoryOfCallees(*computation_)) {
      KernelAccess access = NewLoadOf(pass, *constant);
      access.reason = "a constant of %" + constant->parent().name().str() + ", which is called";
      Add(std::move(access));
    }
  }

  // An operand that is one before it is read there.
  int64_t FirstOf(size_t operand) const {
    const llvm::ArrayRef<const Instruction*> inputs = plan_.Inputs();
    return std::distance(inputs.begin(), llvm::find(inputs, inputs[operand]));
  }

  void AddStore(const ElementPass& pass) {
    if (pass.store == StoreKind::kNone) return;
    KernelAccess access;
    access.kind = pass.store == StoreKind::kAtomic ? AccessKind::kAtomic : AccessKind::kStore;
    access.output = *pass.output;
    access.shape = &pass.instruction->shape().ArrayLeaf(pass.leaf);
    access.element = pass.map;
    access.access.vector_elements = pass.vector_elements;
    if (access.kind == AccessKind::kAtomic && !HasInstruction(pass)) {
      access.reason = "compare and swap is tried again until no other thread comes in between";
    }
    if (pass.store == StoreKind::kSharedByte) {
      access.reason = "the thread that comes last of those with elements of a byte writes it";
      AddByteCounters(pass, *access.shape);
    }
    Add(std::move(access));
  }

  // Whether the update of a scatter is combined in memory by an instruction for it.
  static bool HasInstruction(const ElementPass& pass) {
    const Instruction& scatter = *pass.instruction;
    const AtomicOperation operation =
        AtomicOperationOf(*scatter.Callee(hlo::AttributeName::kToApply),
                          static_cast<size_t>(pass.leaf), scatter.operands().size() / 2);
    return HasAtomicInstruction(operation, scatter.shape().ArrayLeaf(pass.leaf).element_type());
  }

  // Each thread adds its element to the counter of the byte.
  void AddByteCounters(const ElementPass& pass, const Shape& shape) {
    const IndexingMap position = plans_.maps.PositionsAt(pass.map, shape);
    if (position.IsUnknown() || position.IsKnownEmpty()) return;
    const mlir::AffineExpr byte =
        position.affine_map().getResult(0).floorDiv(8 / shape.StorageBits());
    KernelAccess& access = accesses_.emplace_back();
    access.pass = pass_number_;
    access.loop = loop_;
    access.kind = AccessKind::kAtomic;
    access.scratch = plan_.scratch_arrays.size();
    access.access.position = plans_.maps.Simplified(position.WithResults(
        mlir::AffineMap::get(position.affine_map().getNumDims(),
                             position.affine_map().getNumSymbols(), byte + pass.first_counter)));
    access.element = access.access.position;
    access.access.threads = plan_.launch.threads;
    access.access.element_bits = kCounterBits;
  }

  OutputIndexing ReadsOf(const ElementPass& pass) {
    if (computation_ == nullptr) {
      return plans_.analysis.OutputToInput(*pass.instruction, pass.leaf);
    }
    llvm::SmallVector<const Instruction*, 4> ends(pass.available.begin(), pass.available.end());
    llvm::append_range(ends, constants_);
    // What the whole fusion reads is asked for most, and remembered.
    if (!plan_.is_computation && pass.output.has_value() && ends.empty()) {
      return plans_.analysis.OutputToInput(*plan_.instruction, *pass.output);
    }
    return plans_.analysis.OutputToParameters(*pass.instruction, pass.leaf, ends);
  }

  KernelAccess NewLoad(const ElementPass& pass, int64_t operand, int64_t leaf,
                       const Shape& shape) const {
    KernelAccess access;
    access.operand = operand;
    access.leaf = leaf;
    access.shape = &shape.ArrayLeaf(leaf);
    access.access.vector_elements = pass.vector_elements;
    return access;
  }

  KernelAccess NewLoadOf(const ElementPass& pass, const Instruction& constant) const {
    KernelAccess access;
    access.constant = &constant;
    access.shape = &constant.shape();
    access.access.vector_elements = pass.vector_elements;
    return access;
  }

  // A load is in the loops of an instruction, or in none of an element. The same one may have been
  // made before, unless that is known. In a branch, or a loop of an element that is not written
  // out, it is made anew in each turn of the loops of the pass.
  void Add(KernelAccess access, const LoopNest& nest = {}, bool may_be_loaded = true,
           bool is_in_scope = false, size_t num_short_loops = 0) {
    access.pass = pass_number_;
    access.loop = loop_;
    access.access.threads = plan_.launch.threads;
    access.access.element_bits =
        access.constant != nullptr ? BitsInMemory(*access.shape) : access.shape->StorageBits();
    // Padding of tiles, or a tail, makes an array larger than its elements.
    const auto* const layout = access.shape->layout();
    if (access.constant != nullptr || layout == nullptr || layout->HasOnlyOrder()) {
      access.access.num_positions = access.shape->num_elements();
    }
    if (access.kind == AccessKind::kLoad && !is_in_scope) ReadOnce(access, num_short_loops);
    if (!access.element.IsUnknown()) {
      access.access.position =
          access.constant != nullptr
              ? plans_.maps.Compose(access.element,
                                    PositionsOfConstant(*access.shape, plans_.mlir_context))
              : plans_.maps.PositionsAt(access.element, *access.shape);
    }
    if (access.access.position.IsUnknown() && access.reason.empty()) {
      access.reason = "which elements the threads access has no closed form";
    }
    if (access.constant != nullptr && access.reason.empty()) {
      access.reason = WhyPartOfCode(*access.constant, access.access.position);
    }
    // Nothing is accessed.
    if (access.element.IsKnownEmpty()) return;
    if (access.constant != nullptr && IsOneElement(access.access.position)) return;
    if (access.kind == AccessKind::kLoad) DropLane(access);
    if (!access.access.position.IsUnknown() &&
        IsLoadedAtEntry(access, LoopsOfPass() > 0 || plan_.keeps_rows)) {
      return AddAtEntryOnce(std::move(access));
    }
    if (access.IsOfOperand() && plan_.emitter != Emitter::kLoop &&
        llvm::is_contained(at_entry_, std::make_pair(access.operand, access.leaf))) {
      return;
    }
    if (may_be_loaded && access.kind == AccessKind::kLoad && !access.access.position.IsUnknown()) {
      std::vector<Load>& alike =
          loads_[llvm::hash_combine(plan_.keeps_rows ? 0 : loop_, nest.size(), access.constant,
                                    access.operand, access.leaf, hash_value(Key(access)))];
      const bool is_loaded = llvm::any_of(alike, [&](const auto& load) {
        const auto& [number, other_nest] = load;
        const KernelAccess& other = accesses_[number];
        // What a row has kept is there in all loops behind it.
        const bool is_there = other.loop == loop_ || (plan_.keeps_rows && other.loop == 0);
        return other_nest == nest && is_there && other.constant == access.constant &&
               other.operand == access.operand && other.leaf == access.leaf &&
               Key(other) == Key(access);
      });
      if (is_loaded) return;
      alike.emplace_back(accesses_.size(), nest);
    }
    accesses_.push_back(std::move(access));
  }

  // What loads of the same elements have in common. A thread that keeps what it has read does so
  // wherever it reads it again, and only there, where it has read it before.
  IndexingMap Key(const KernelAccess& access) const {
    const IndexingMap& position = access.access.position;
    return plan_.keeps_rows ? WithoutConditions(position, access.access.vector_elements > 1)
                            : position;
  }

  // What is the same in all turns of the loops, though these have conditions, is read before them.
  // Short loops of an element, which stand in front of them, are written out.
  void ReadOnce(KernelAccess& access, size_t num_short_loops) const {
    const ElementPass& pass = plan_.passes[pass_number_];
    const IndexingMap& element = access.element;
    if (element.IsUnknown() || element.num_ranges() != num_short_loops + pass.map.num_ranges()) {
      return;
    }
    std::optional<IndexBeforeLoops> before =
        BeforeLoops(element, num_short_loops, LoopsOfPass(), access.access.vector_elements,
                    plan_.launch, plans_.maps);
    if (before.has_value()) access.element = std::move(before->index);
  }

  // A position that is the same for all lanes of a vector is read once.
  void DropLane(KernelAccess& access) const {
    const IndexingMap& position = access.access.position;
    if (access.access.vector_elements == 1 || position.IsUnknown() || position.IsKnownEmpty() ||
        position.num_ranges() == 0 || position.num_runtime() > 0 ||
        access.element.num_ranges() != position.num_ranges()) {
      return;
    }
    const size_t lane = position.num_ranges() - 1;
    if (position.affine_map().isFunctionOfSymbol(static_cast<unsigned>(lane))) return;
    const indexing_analysis::Interval lanes = position.ranges()[lane].bounds;
    // Where the lane has a value, nothing speaks of it.
    const auto at = [&](const IndexingMap& of, int64_t value) {
      IndexingMap map = AtRange(of, lane, value, plans_.maps);
      if (map.IsKnownEmpty()) return map;
      std::vector<indexing_analysis::Variable> ranges(map.ranges());
      ranges[lane].bounds = indexing_analysis::Interval::Point(0);
      return IndexingMap(map.affine_map(), map.dimensions(), std::move(ranges), {},
                         map.constraints());
    };
    const IndexingMap first = at(position, lanes.lower);
    for (int64_t i = lanes.lower + 1; i <= lanes.upper; ++i) {
      if (!(at(position, i) == first)) return;
    }
    access.element = at(access.element, lanes.lower);
    access.access.position = first;
    access.access.vector_elements = 1;
  }

  // The ranges of the pass but for the lane.
  size_t LoopsOfPass() const {
    const ElementPass& pass = plan_.passes[pass_number_];
    if (pass.map.IsUnknown()) return 0;
    return pass.map.num_ranges() - (pass.vector_elements > 1 ? 1 : 0);
  }

  // What is the same in all turns of a loop is loaded before it, by all threads.
  bool IsLoadedAtEntry(const KernelAccess& access, bool is_in_loop) const {
    return access.IsOfOperand() && plan_.emitter != Emitter::kLoop && is_in_loop &&
           access.shape->num_elements() == 1;
  }

  void AddAtEntryOnce(KernelAccess access) {
    const auto at = std::make_pair(access.operand, access.leaf);
    if (llvm::is_contained(at_entry_, at)) return;
    at_entry_.push_back(at);
    ThreadMapBuilder builder(plan_.launch, plans_);
    const Expressions zeros(static_cast<size_t>(access.shape->rank()),
                            mlir::getAffineConstantExpr(0, plans_.mlir_context));
    access.element = builder.Build(zeros);
    // It comes before what else loads it, where that is known or not.
    for (KernelAccess& other : accesses_) {
      const bool is_same =
          other.IsOfOperand() && other.operand == access.operand && other.leaf == access.leaf;
      if (is_same) other.element = IndexingMap::KnownEmpty(access.element);
    }
    access.access.position = plans_.maps.PositionsAt(access.element, *access.shape);
    access.pass = pass_number_;
    access.loop = loop_;
    access.access.threads = plan_.launch.threads;
    access.access.element_bits = access.shape->StorageBits();
    access.access.vector_elements = 1;
    access.access.repetitions = 1;
    access.reason.clear();
    accesses_.push_back(std::move(access));
  }

  const KernelPlan& plan_;
  PlanContext& plans_;
  const hlo::Computation* computation_;
  // Those of the computation that are loaded.
  llvm::SmallVector<const Instruction*, 2> constants_;
  bool has_branches_ = false;
  // Those whose conditions may be on values known at run time.
  bool has_branches_at_values_ = false;
  bool has_whiles_ = false;
  // For these nothing is loaded.
  llvm::SmallVector<const Instruction*, 2> known_;
  std::optional<ElementReads> element_reads_;
  std::optional<ElementReads> turn_reads_;
  std::vector<KernelAccess> accesses_;
  // Scalars, by operand and array.
  std::vector<std::pair<int64_t, int64_t>> at_entry_;
  size_t pass_number_ = 0;
  // The first pass of the present loop.
  size_t loop_ = 0;
  // Numbers of loads, and the loops in which they are, by what makes them the same.
  using Load = std::pair<size_t, LoopNest>;
  std::unordered_map<size_t, std::vector<Load>> loads_;
};

}  // namespace

llvm::StringRef AccessKindName(AccessKind kind) {
  constexpr std::array<llvm::StringRef, 3> kNames = {"load", "store", "atomic"};
  return kNames[static_cast<size_t>(kind)];
}

std::vector<KernelAccess> AccessesOf(const KernelPlan& plan, PlanContext& plans) {
  return AccessCollector(plan, plans).Collect();
}

}  // namespace hlo_indexing::plan
