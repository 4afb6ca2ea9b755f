#include "codegen/emit/kernel_builder.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "codegen/plan/bytes_in_flight.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/Support/SaveAndRestore.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "support/checked_math.h"

namespace hlo_indexing::emit {

namespace arith = mlir::arith;
namespace scf = mlir::scf;
using mlir::Type;
using mlir::Value;
using mlir::ValueRange;
using mlir::LLVM::LLVMPointerType;

namespace {

constexpr unsigned kSharedSpace = 3;
constexpr unsigned kGlobalSpace = 1;
constexpr int32_t kAllLanes = -1;
// A line of memory: constants share no sectors, as plans have it.
constexpr unsigned kConstantAlignment = 128;
// The last operand of `shfl.sync.down`: lanes by which segments are told apart, and the last lane
// of one (PTX ISA, "shfl.sync", segmask and clamp).
int64_t ShuffleSegments(int64_t lanes) { return (32 - lanes) << 8 | 31; }

// The special registers x, y, z of threads, then of blocks.
template <typename... Ops>
struct SpecialRegisters {};
using IndexRegisters =
    SpecialRegisters<mlir::NVVM::ThreadIdXOp, mlir::NVVM::ThreadIdYOp, mlir::NVVM::ThreadIdZOp,
                     mlir::NVVM::BlockIdXOp, mlir::NVVM::BlockIdYOp, mlir::NVVM::BlockIdZOp>;

// Positions of the code become `.loc`, and nothing else is told to debuggers.
void SetLineTable(mlir::LLVM::LLVMFuncOp function, const KernelSignature& signature) {
  namespace debug = mlir::LLVM;
  mlir::MLIRContext* const context = function.getContext();
  const auto text = [&](llvm::StringRef string) { return mlir::StringAttr::get(context, string); };
  const auto id = [&] { return mlir::DistinctAttr::create(mlir::UnitAttr::get(context)); };
  const auto file = debug::DIFileAttr::get(context, text(signature.file), text(""));
  const auto unit = debug::DICompileUnitAttr::get(id(), llvm::dwarf::DW_LANG_C, file,
                                                  text("hlo-indexing"), /*isOptimized=*/true,
                                                  debug::DIEmissionKind::DebugDirectivesOnly);
  const auto type = debug::DISubroutineTypeAttr::get(context, {});
  const auto subprogram = debug::DISubprogramAttr::get(
      context, id(), unit, file, text(signature.name), text(signature.name), file, /*line=*/1,
      /*scopeLine=*/1, debug::DISubprogramFlags::Definition | debug::DISubprogramFlags::Optimized,
      type, {}, {});
  const mlir::Location place = mlir::FileLineColLoc::get(text(signature.file), 1, 1);
  function->setLoc(mlir::FusedLoc::get(context, {place}, subprogram));
}

template <typename Op>
Value ReadRegister(mlir::ImplicitLocOpBuilder& ops, int64_t count) {
  const Type type = ops.getI32Type();
  if (count == 1) return arith::ConstantIntOp::create(ops, type, 0);
  const auto range = mlir::LLVM::ConstantRangeAttr::get(
      ops.getContext(), llvm::APInt(32, 0), llvm::APInt(32, static_cast<uint64_t>(count)));
  return Op::create(ops, type, range);
}

template <typename... Ops>
Values ReadRegisters(mlir::ImplicitLocOpBuilder& ops, llvm::ArrayRef<int64_t> counts,
                     SpecialRegisters<Ops...> /*registers*/) {
  size_t i = 0;
  return {ReadRegister<Ops>(ops, counts[i++])...};
}

}  // namespace

KernelBuilder::KernelBuilder(mlir::MLIRContext* context, const KernelSignature& signature)
    : module_(mlir::ModuleOp::create(mlir::UnknownLoc::get(context))),
      ops_(mlir::UnknownLoc::get(context), context) {
  ops_.setInsertionPointToEnd(module_->getBody());
  const Type pointer = LLVMPointerType::get(context);
  const llvm::SmallVector<Type, 8> types(signature.arguments.size(), pointer);
  const auto type =
      mlir::LLVM::LLVMFunctionType::get(mlir::LLVM::LLVMVoidType::get(context), types);
  is_source_ = signature.is_source;
  if (!signature.file.empty()) file_ = ops_.getStringAttr(signature.file);
  auto function = mlir::LLVM::LLVMFuncOp::create(ops_, signature.name, type);
  functions_.push_back(function);
  if (file_ != nullptr && !is_source_) SetLineTable(function, signature);
  function->setAttr(mlir::NVVM::NVVMDialect::getKernelFuncAttrName(), ops_.getUnitAttr());
  llvm::SmallVector<int32_t, 3> threads;
  for (const int64_t size : signature.threads) threads.push_back(static_cast<int32_t>(size));
  function->setAttr(mlir::NVVM::NVVMDialect::getReqntidAttrName(),
                    ops_.getDenseI32ArrayAttr(threads));
  // All at once, as each change would make all of them anew.
  llvm::SmallVector<mlir::DictionaryAttr, 8> attributes;
  for (const BufferArgument& buffer : signature.arguments) {
    mlir::NamedAttrList of_buffer;
    of_buffer.append(mlir::LLVM::LLVMDialect::getAlignAttrName(),
                     ops_.getI64IntegerAttr(kBufferAlignment));
    if (buffer.is_alone) {
      of_buffer.append(mlir::LLVM::LLVMDialect::getNoAliasAttrName(), ops_.getUnitAttr());
    }
    if (buffer.is_read_only) {
      of_buffer.append(mlir::LLVM::LLVMDialect::getReadonlyAttrName(), ops_.getUnitAttr());
    }
    attributes.push_back(of_buffer.getDictionary(context));
  }
  function.setAllArgAttrs(attributes);
  mlir::Block* const entry = function.addEntryBlock(ops_);
  ops_.setInsertionPointToEnd(entry);
  mlir::LLVM::ReturnOp::create(ops_, ValueRange());
  ops_.setInsertionPointToStart(entry);
  for (const Value argument : entry->getArguments()) arguments_.push_back(argument);
  llvm::SmallVector<int64_t, 6> counts(llvm::ArrayRef(signature.threads));
  llvm::append_range(counts, signature.blocks);
  indices_ = ReadRegisters(ops_, counts, IndexRegisters());
}

bool KernelBuilder::IsReadOnly(Value argument) const {
  mlir::LLVM::LLVMFuncOp kernel = functions_.front();
  const auto of_kernel = mlir::dyn_cast<mlir::BlockArgument>(argument);
  return of_kernel && of_kernel.getOwner() == &kernel.getBody().front() &&
         kernel.getArgAttr(of_kernel.getArgNumber(),
                           mlir::LLVM::LLVMDialect::getReadonlyAttrName()) != nullptr;
}

void KernelBuilder::AtEntry(llvm::function_ref<void()> body) {
  const mlir::OpBuilder::InsertionGuard guard(ops_);
  mlir::LLVM::LLVMFuncOp kernel = functions_.front();
  ops_.setInsertionPointToStart(&kernel.getBody().front());
  body();
}

void KernelBuilder::BeforeLoops(llvm::function_ref<void()> body) {
  const mlir::OpBuilder::InsertionGuard guard(ops_);
  if (outermost_loop_ != nullptr) ops_.setInsertionPoint(outermost_loop_);
  body();
}

void KernelBuilder::SetPosition(int64_t line, int64_t column) {
  if (file_ == nullptr) return;
  ops_.setLoc(
      mlir::FileLineColLoc::get(file_, static_cast<unsigned>(line), static_cast<unsigned>(column)));
}

void KernelBuilder::SetLine(int64_t line, llvm::StringRef text) {
  if (is_source_) lines_.try_emplace(line, text.trim().str());
}

void KernelBuilder::SetName(Value value, llvm::StringRef name) {
  if (!is_source_ || mlir::isa<mlir::NameLoc>(value.getLoc())) return;
  value.setLoc(mlir::NameLoc::get(ops_.getStringAttr(name), value.getLoc()));
}

Values KernelBuilder::Function(llvm::StringRef name, ValueRange operands, FunctionBody body) {
  if (!is_source_) return body(operands);
  // Functions of one name are told apart by the types behind the dot.
  std::string symbol = name.str();
  llvm::raw_string_ostream out(symbol);
  for (const Type type : operands.getTypes()) out << '.' << type;
  auto function = module_->lookupSymbol<mlir::LLVM::LLVMFuncOp>(symbol);
  if (!function) function = MakeFunction(symbol, operands, body);
  const Value result = mlir::LLVM::CallOp::create(ops_, function, operands).getResult();
  const auto parts = mlir::dyn_cast<mlir::LLVM::LLVMStructType>(result.getType());
  if (!parts) return {result};
  Values results;
  for (int64_t i = 0; i < static_cast<int64_t>(parts.getBody().size()); ++i) {
    results.push_back(mlir::LLVM::ExtractValueOp::create(ops_, result, i));
  }
  return results;
}

mlir::LLVM::LLVMFuncOp KernelBuilder::MakeFunction(llvm::StringRef symbol, ValueRange operands,
                                                   FunctionBody body) {
  mlir::MLIRContext* const context = ops_.getContext();
  const mlir::OpBuilder::InsertionGuard guard(ops_);
  const llvm::SaveAndRestore<mlir::Operation*> outermost(outermost_loop_, nullptr);
  const mlir::Location position = ops_.getLoc();
  ops_.setLoc(mlir::UnknownLoc::get(context));
  // Before what calls it. Of which type it is, its code says.
  ops_.setInsertionPoint(functions_.back());
  const llvm::SmallVector<Type, 4> types(operands.getTypes());
  const auto type_with = [&](Type result) {
    return mlir::LLVM::LLVMFunctionType::get(result, types);
  };
  auto function = mlir::LLVM::LLVMFuncOp::create(ops_, symbol,
                                                 type_with(mlir::LLVM::LLVMVoidType::get(context)),
                                                 mlir::LLVM::Linkage::Internal);
  functions_.push_back(function);
  mlir::Block* const entry = function.addEntryBlock(ops_);
  ops_.setInsertionPointToEnd(entry);
  const Values results = body(entry->getArguments());
  Value result = results.front();
  if (results.size() > 1) {
    const llvm::SmallVector<Type, 2> parts(ValueRange(results).getTypes());
    result =
        mlir::LLVM::PoisonOp::create(ops_, mlir::LLVM::LLVMStructType::getLiteral(context, parts));
    for (size_t i = 0; i < results.size(); ++i) {
      result = mlir::LLVM::InsertValueOp::create(ops_, result, results[i], static_cast<int64_t>(i));
    }
  }
  function.setFunctionType(type_with(result.getType()));
  mlir::LLVM::ReturnOp::create(ops_, result);
  functions_.pop_back();
  ops_.setLoc(position);
  return function;
}

mlir::OwningOpRef<mlir::ModuleOp> KernelBuilder::Take() && { return std::move(module_); }

Type KernelBuilder::float_type(unsigned bits) {
  return bits == 64 ? Type(ops_.getF64Type()) : Type(ops_.getF32Type());
}

Value KernelBuilder::Integer(Type type, int64_t value) {
  return arith::ConstantOp::create(ops_, ops_.getIntegerAttr(type, value));
}

Value KernelBuilder::Float(Type type, double value) {
  return arith::ConstantOp::create(ops_, ops_.getFloatAttr(type, value));
}

Value KernelBuilder::Resize(Value integer, unsigned bits) {
  const unsigned present = integer.getType().getIntOrFloatBitWidth();
  if (present == bits) return integer;
  if (present < bits) return arith::ExtSIOp::create(ops_, integer_type(bits), integer);
  return arith::TruncIOp::create(ops_, integer_type(bits), integer);
}

Value KernelBuilder::And(Value a, Value b) {
  if (a == nullptr) return b;
  if (b == nullptr) return a;
  return arith::AndIOp::create(ops_, a, b);
}

Value KernelBuilder::PointerTo(Value base, Position position, Type element) {
  // An index that is a constant of the instruction has 32 bits.
  if (position.offset > INT32_MAX || position.offset < INT32_MIN) {
    const Value scaled =
        arith::MulIOp::create(ops_, Resize(position.first, 64), Integer(64, position.scale));
    position = arith::AddIOp::create(ops_, scaled, Integer(64, position.offset)).getResult();
  }
  llvm::SmallVector<mlir::LLVM::GEPArg, 2> indices = {position.first};
  // The scale of an address is part of the instruction that makes it.
  const bool is_scaled = position.scale > 1 || position.offset != 0;
  if (is_scaled) indices.push_back(static_cast<int32_t>(position.offset));
  const Type type = is_scaled ? mlir::LLVM::LLVMArrayType::get(element, position.scale) : element;
  return mlir::LLVM::GEPOp::create(ops_, base.getType(), type, base, indices,
                                   mlir::LLVM::GEPNoWrapFlags::inbounds);
}

Value KernelBuilder::Load(Value base, Position position, Type element, int64_t count,
                          int64_t alignment) {
  const Type type = count == 1 ? element : Type(mlir::VectorType::get({count}, element));
  return mlir::LLVM::LoadOp::create(ops_, type, PointerTo(base, position, element),
                                    static_cast<unsigned>(alignment));
}

void KernelBuilder::Store(Value value, Value base, Position position, int64_t alignment) {
  const auto vector = mlir::dyn_cast<mlir::VectorType>(value.getType());
  const Type element = vector ? vector.getElementType() : value.getType();
  mlir::LLVM::StoreOp::create(ops_, value, PointerTo(base, position, element),
                              static_cast<unsigned>(alignment));
}

Value KernelBuilder::Offset(Value base, int64_t bytes) {
  if (bytes == 0) return base;
  return PointerTo(base, Integer(64, bytes), integer_type(8));
}

Value KernelBuilder::Extract(Value vector, int64_t i) {
  return mlir::LLVM::ExtractElementOp::create(ops_, vector, Integer(32, i));
}

namespace {

// The vector of that type whose elements these are, in order; null if there is none.
Value VectorOf(llvm::ArrayRef<Value> elements, Type type) {
  Value whole;
  for (size_t i = 0; i < elements.size(); ++i) {
    auto element = elements[i].getDefiningOp<mlir::LLVM::ExtractElementOp>();
    if (!element || element.getVector().getType() != type) return nullptr;
    const Value vector = element.getVector();
    llvm::APInt position;
    if (i > 0 && vector != whole) return nullptr;
    if (!mlir::matchPattern(element.getPosition(), mlir::m_ConstantInt(&position))) return nullptr;
    if (position != i) return nullptr;
    whole = vector;
  }
  return whole;
}

}  // namespace

Value KernelBuilder::Vector(llvm::ArrayRef<Value> elements) {
  const auto type =
      mlir::VectorType::get({static_cast<int64_t>(elements.size())}, elements.front().getType());
  if (const Value whole = VectorOf(elements, type)) return whole;
  Value vector = mlir::LLVM::PoisonOp::create(ops_, type);
  for (size_t i = 0; i < elements.size(); ++i) {
    vector = mlir::LLVM::InsertElementOp::create(ops_, vector, elements[i],
                                                 Integer(32, static_cast<int64_t>(i)));
  }
  return vector;
}

Value KernelBuilder::SharedArray(Type element, int64_t count) {
  const std::string name = absl::StrCat("shared_", num_globals_++);
  {
    const mlir::OpBuilder::InsertionGuard guard(ops_);
    ops_.setInsertionPointToStart(module_->getBody());
    mlir::LLVM::GlobalOp::create(ops_, mlir::LLVM::LLVMArrayType::get(element, count),
                                 /*isConstant=*/false, mlir::LLVM::Linkage::Internal, name,
                                 mlir::Attribute(), /*alignment=*/16, kSharedSpace);
  }
  return mlir::LLVM::AddressOfOp::create(
      ops_, LLVMPointerType::get(ops_.getContext(), kSharedSpace), name);
}

Value KernelBuilder::ConstantArray(Type element, llvm::ArrayRef<char> bytes) {
  const auto size = static_cast<int64_t>(bytes.size()) * 8 / element.getIntOrFloatBitWidth();
  const auto values = mlir::DenseElementsAttr::getFromRawBuffer(
      mlir::RankedTensorType::get({size}, element), bytes);
  std::string& name = constants_[values];
  if (name.empty()) {
    name = absl::StrCat("constant_", num_globals_++);
    const mlir::OpBuilder::InsertionGuard guard(ops_);
    ops_.setInsertionPointToStart(module_->getBody());
    mlir::LLVM::GlobalOp::create(ops_, mlir::LLVM::LLVMArrayType::get(element, size),
                                 /*isConstant=*/true, mlir::LLVM::Linkage::Internal, name, values,
                                 kConstantAlignment, kGlobalSpace);
  }
  return mlir::LLVM::AddressOfOp::create(
      ops_, LLVMPointerType::get(ops_.getContext(), kGlobalSpace), name);
}

void KernelBuilder::Barrier() { mlir::NVVM::Barrier0Op::create(ops_); }

void KernelBuilder::Fence() {
  mlir::LLVM::FenceOp::create(ops_, mlir::LLVM::AtomicOrdering::acq_rel, "device");
}

Value KernelBuilder::Shuffle(mlir::NVVM::ShflKind kind, Value value, int64_t lane,
                             int64_t segments) {
  const Type type = value.getType();
  const unsigned bits = type.getIntOrFloatBitWidth();
  const Type i32 = integer_type(32);
  const auto shuffle = [&](Value word) -> Value {
    return mlir::NVVM::ShflOp::create(ops_, word.getType(), Integer(32, kAllLanes), word,
                                      Integer(32, lane), Integer(32, segments), kind,
                                      mlir::UnitAttr());
  };
  if (is_source_ && bits == 32) return shuffle(value);
  const Type as_integer = integer_type(bits);
  Value words = type == as_integer ? value : arith::BitcastOp::create(ops_, as_integer, value);
  if (bits <= 32) {
    if (bits < 32) words = arith::ExtUIOp::create(ops_, i32, words);
    words = shuffle(words);
    if (bits < 32) words = arith::TruncIOp::create(ops_, as_integer, words);
  } else {
    const Type i64 = integer_type(64);
    const Value low = shuffle(arith::TruncIOp::create(ops_, i32, words));
    const Value high = shuffle(
        arith::TruncIOp::create(ops_, i32, arith::ShRUIOp::create(ops_, words, Integer(64, 32))));
    words = arith::OrIOp::create(
        ops_, arith::ExtUIOp::create(ops_, i64, low),
        arith::ShLIOp::create(ops_, arith::ExtUIOp::create(ops_, i64, high), Integer(64, 32)));
  }
  return type == as_integer ? words : arith::BitcastOp::create(ops_, type, words);
}

Value KernelBuilder::ShuffleDown(Value value, int64_t distance, int64_t neighbours) {
  return Shuffle(mlir::NVVM::ShflKind::down, value, distance, ShuffleSegments(neighbours));
}

Value KernelBuilder::ShuffleXor(Value value, int64_t bits) {
  constexpr int64_t kWholeWarp = 31;
  return Shuffle(mlir::NVVM::ShflKind::bfly, value, bits, kWholeWarp);
}

Value KernelBuilder::ShuffleFromFirst(Value value, int64_t neighbours) {
  return Shuffle(mlir::NVVM::ShflKind::idx, value, 0, ShuffleSegments(neighbours));
}

Values KernelBuilder::LoadMatrices(Value row, int64_t count, bool is_transposed) {
  mlir::MLIRContext* const context = ops_.getContext();
  constexpr int kRows = 8;
  const llvm::SmallVector<Type, 4> words(static_cast<size_t>(count), integer_type(32));
  const Value loaded = mlir::NVVM::LdMatrixOp::create(
      ops_, mlir::LLVM::LLVMStructType::getLiteral(context, words), row,
      static_cast<uint32_t>(count),
      is_transposed ? mlir::NVVM::MMALayout::col : mlir::NVVM::MMALayout::row,
      mlir::NVVM::LdStMatrixShapeAttr::get(context, kRows, kRows),
      mlir::NVVM::LdStMatrixEltType::B16);
  Values values;
  for (int64_t i = 0; i < count; ++i) {
    values.push_back(mlir::LLVM::ExtractValueOp::create(ops_, loaded, i));
  }
  return values;
}

Values KernelBuilder::MultiplyMatrices(hlo::ElementType type, ValueRange rows, ValueRange columns,
                                       ValueRange sums) {
  using mlir::NVVM::MMATypes;
  mlir::MLIRContext* const context = ops_.getContext();
  const bool is_integer = hlo::IsIntegral(type);
  MMATypes of_operands = type == hlo::ElementType::kS8 ? MMATypes::s8 : MMATypes::u8;
  if (!is_integer) of_operands = type == hlo::ElementType::kF16 ? MMATypes::f16 : MMATypes::bf16;
  // Halves come as pairs, all others as words.
  const auto registers = [&](ValueRange words) {
    if (type != hlo::ElementType::kF16) return Values(words);
    const Type pair = mlir::VectorType::get({2}, ops_.getF16Type());
    Values pairs;
    for (const Value word : words) {
      pairs.push_back(mlir::LLVM::BitcastOp::create(ops_, pair, word));
    }
    return pairs;
  };
  const llvm::SmallVector<Type, 4> of_sums(sums.getTypes());
  const std::array<int64_t, 3> shape = {16, 8, is_integer ? 32 : 16};
  const Value added = mlir::NVVM::MmaOp::create(
      ops_, mlir::LLVM::LLVMStructType::getLiteral(context, of_sums), registers(rows),
      registers(columns), sums, shape, std::nullopt,
      is_integer ? std::optional(mlir::NVVM::MMAIntOverflow::wrapped) : std::nullopt,
      std::array<MMATypes, 2>{of_operands, of_operands},
      std::array{mlir::NVVM::MMALayout::row, mlir::NVVM::MMALayout::col});
  Values values;
  for (size_t i = 0; i < sums.size(); ++i) {
    values.push_back(mlir::LLVM::ExtractValueOp::create(ops_, added, static_cast<int64_t>(i)));
  }
  return values;
}

Value KernelBuilder::AtomicUpdate(mlir::LLVM::AtomicBinOp operation, Value base, Value position,
                                  Value value) {
  return mlir::LLVM::AtomicRMWOp::create(ops_, operation,
                                         PointerTo(base, position, value.getType()), value,
                                         mlir::LLVM::AtomicOrdering::monotonic);
}

Value KernelBuilder::CompareAndSwap(Value base, Value position, Value expected, Value desired) {
  const Value result = mlir::LLVM::AtomicCmpXchgOp::create(
      ops_, PointerTo(base, position, expected.getType()), expected, desired,
      mlir::LLVM::AtomicOrdering::monotonic, mlir::LLVM::AtomicOrdering::monotonic);
  return mlir::LLVM::ExtractValueOp::create(ops_, result, 0);
}

Values KernelBuilder::If(Value condition, Body then, Body otherwise) {
  if (condition == nullptr) return then();
  // The types of the results are known when the first branch is made.
  mlir::Region then_region;
  Values results;
  llvm::SmallVector<Type, 8> types;
  {
    const mlir::OpBuilder::InsertionGuard guard(ops_);
    ops_.createBlock(&then_region);
    results = then();
    for (const Value result : results) types.push_back(result.getType());
    scf::YieldOp::create(ops_, results);
  }
  auto branch = scf::IfOp::create(ops_, types, condition, /*withElseRegion=*/!types.empty());
  branch.getThenRegion().takeBody(then_region);
  if (!types.empty()) {
    const mlir::OpBuilder::InsertionGuard guard(ops_);
    mlir::Region& region = branch.getElseRegion();
    if (region.empty()) ops_.createBlock(&region);
    ops_.setInsertionPointToStart(&region.front());
    scf::YieldOp::create(ops_, otherwise());
  }
  return Values(branch.getResults());
}

void KernelBuilder::If(Value condition, llvm::function_ref<void()> then) {
  const auto body = [&] {
    then();
    return Values();
  };
  If(condition, body, [] { return Values(); });
}

namespace {

// Whether several turns of a loop fit into registers.
bool IsShort(mlir::Block& body) {
  constexpr size_t kMostOperations = 48;
  return llvm::none_of(body, [](mlir::Operation& op) { return op.getNumRegions() > 0; }) &&
         llvm::range_size(body) <= kMostOperations;
}

int64_t LoadedBytes(mlir::Block& body) {
  int64_t bits = 0;
  for (auto load : body.getOps<mlir::LLVM::LoadOp>()) {
    bits += mlir::DataLayout::closest(load).getTypeSizeInBits(load.getType());
  }
  return support::CeilDiv(bits, 8);
}

void Unroll(scf::ForOp loop, int turns) {
  mlir::Builder builder(loop.getContext());
  const auto unroll = mlir::LLVM::LoopUnrollAttr::get(
      loop.getContext(), {}, builder.getI32IntegerAttr(turns), {}, {}, {}, {}, {});
  loop->setAttr("loop_annotation",
                mlir::LLVM::LoopAnnotationAttr::get(loop.getContext(), {}, {}, {}, unroll, {}, {},
                                                    {}, {}, {}, {}, {}, {}, {}, {}, {}));
}

}  // namespace

Values KernelBuilder::For(int64_t lower, int64_t upper, ValueRange carried, LoopBody body) {
  const bool fits = lower >= INT32_MIN && upper < INT32_MAX;
  const unsigned bits = fits ? 32 : 64;
  if (lower == upper) return body(Integer(bits, lower), carried);
  scf::ForOp loop = EmitFor(Integer(bits, lower), Integer(bits, upper + 1), carried, body);
  const int turns = plan::TurnsAtOnce(upper - lower + 1, LoadedBytes(*loop.getBody()));
  if (turns > 1 && IsShort(*loop.getBody())) Unroll(loop, turns);
  return Values(loop.getResults());
}

void KernelBuilder::AsLoop(llvm::function_ref<void()> turns) {
  // What goes before the loop goes before this.
  mlir::Operation* const first = Integer(32, 0).getDefiningOp();
  const llvm::SaveAndRestore<mlir::Operation*> outermost(outermost_loop_, OutermostOf(first));
  turns();
}

Values KernelBuilder::ForBelow(Value count, ValueRange carried, LoopBody body) {
  return Values(EmitFor(Integer(32, 0), count, carried, body).getResults());
}

scf::ForOp KernelBuilder::EmitFor(Value begin, Value end, ValueRange carried, LoopBody body) {
  auto loop = scf::ForOp::create(ops_, begin, end, Integer(begin.getType(), 1), carried);
  const mlir::OpBuilder::InsertionGuard guard(ops_);
  const llvm::SaveAndRestore<mlir::Operation*> outermost(outermost_loop_, OutermostOf(loop));
  mlir::Block* const block = loop.getBody();
  if (!block->empty()) block->getTerminator()->erase();
  ops_.setInsertionPointToEnd(block);
  scf::YieldOp::create(ops_, body(loop.getInductionVar(), loop.getRegionIterArgs()));
  return loop;
}

Values KernelBuilder::Repeat(ValueRange carried, RepeatBody body) {
  llvm::SmallVector<Type, 8> types(carried.getTypes());
  const llvm::SmallVector<mlir::Location, 8> places(types.size(), ops_.getLoc());
  auto loop = scf::WhileOp::create(ops_, types, carried);
  const mlir::OpBuilder::InsertionGuard guard(ops_);
  const llvm::SaveAndRestore<mlir::Operation*> outermost(outermost_loop_, OutermostOf(loop));
  mlir::Block* const before = ops_.createBlock(&loop.getBefore(), {}, types, places);
  Value goes_on;
  const Values next = body(before->getArguments(), goes_on);
  scf::ConditionOp::create(ops_, goes_on, next);
  mlir::Block* const after = ops_.createBlock(&loop.getAfter(), {}, types, places);
  scf::YieldOp::create(ops_, after->getArguments());
  return Values(loop.getResults());
}

}  // namespace hlo_indexing::emit
