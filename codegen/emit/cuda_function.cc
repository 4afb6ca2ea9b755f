#include "codegen/emit/cuda_function.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Matchers.h"

namespace hlo_indexing::emit {

namespace llvm_ops = mlir::LLVM;
namespace nvvm = mlir::NVVM;
namespace scf = mlir::scf;
using mlir::Operation;
using mlir::Type;
using mlir::Value;
using mlir::ValueRange;

namespace {

// The elements that a vector is made of.
llvm::SmallVector<Value, 16> ElementsOf(Value vector) {
  const auto count = mlir::cast<mlir::VectorType>(vector.getType()).getNumElements();
  llvm::SmallVector<Value, 16> elements(static_cast<size_t>(count));
  while (auto insert = vector.getDefiningOp<llvm_ops::InsertElementOp>()) {
    const std::optional<int64_t> place = ConstantInteger(insert.getPosition());
    if (place.has_value() && *place >= 0 && *place < count && !elements[*place]) {
      elements[static_cast<size_t>(*place)] = insert.getValue();
    }
    vector = insert.getVector();
  }
  return elements;
}

// The vector that has all elements of another one, in the same order; the other one itself, if it
// is not made of elements.
Value WholeOf(Value vector) {
  if (!vector.getDefiningOp<llvm_ops::InsertElementOp>()) return vector;
  Value whole;
  const auto elements = ElementsOf(vector);
  for (size_t i = 0; i < elements.size(); ++i) {
    if (!elements[i]) return vector;
    auto extract = elements[i].getDefiningOp<llvm_ops::ExtractElementOp>();
    if (!extract || extract.getVector().getType() != vector.getType()) return vector;
    if (ConstantInteger(extract.getPosition()) != static_cast<int64_t>(i)) return vector;
    if (whole && whole != extract.getVector()) return vector;
    whole = extract.getVector();
  }
  return whole;
}

// Where its text of HLO is, from 1; 0 if that is not known.
unsigned LineOf(mlir::Location location) {
  while (const auto named = mlir::dyn_cast<mlir::NameLoc>(location)) location = named.getChildLoc();
  const auto place = mlir::dyn_cast<mlir::FileLineColLoc>(location);
  return place ? place.getLine() : 0;
}

// Literals of 64 bits are no `long long` by themselves.
std::string WordType(Type type, bool is_signed) {
  if (!type.isInteger(64)) return CudaType(type, is_signed);
  return is_signed ? "long long" : "unsigned long long";
}

// "x[0], x[1], x[2]"
std::string PartsOf(const std::string& array, int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i) {
    absl::StrAppend(&text, i == 0 ? "" : ", ", array, "[", i, "]");
  }
  return text;
}

}  // namespace

CudaFunction::CudaFunction(llvm_ops::LLVMFuncOp function, const SourceLines& source,
                           llvm::raw_ostream& out)
    : function_(function),
      source_(source),
      out_(out),
      folding_(function),
      ranges_(function),
      expressions_(folding_, ranges_) {}

absl::Status CudaFunction::status() const { return status_.ok() ? expressions_.status() : status_; }

void CudaFunction::Fail(const std::string& what) {
  if (status_.ok()) status_ = absl::UnimplementedError(absl::StrCat(what, " in CUDA C++"));
}

void CudaFunction::WriteBody() { WriteBlock(function_.getBody().front()); }

void CudaFunction::WriteLine(const std::string& text) {
  out_.indent(static_cast<unsigned>(depth_) * 2) << text << '\n';
}

// The line of HLO, where it is another than before.
void CudaFunction::WritePosition(Operation& operation) {
  const unsigned line = LineOf(operation.getLoc());
  const auto found = source_.find(line);
  if (line == line_ || found == source_.end()) return;
  line_ = line;
  constexpr size_t kMaxLength = 110;
  const llvm::StringRef text = found->second;
  WriteLine(absl::StrCat("// ", text.take_front(kMaxLength).str(),
                         text.size() > kMaxLength ? " ..." : ""));
}

void CudaFunction::WriteBlock(mlir::Block& block) {
  for (Operation& operation : block) {
    if (!folding_.IsFolded(operation)) WriteOperation(operation);
  }
}

void CudaFunction::WriteOperation(Operation& operation) {
  const auto read = [&](const char* name, const char* text) {
    DefineValue(operation.getResult(0), name, {text, kPrimary, true});
  };
  // Regions say by themselves where each of their statements is.
  if (operation.getNumRegions() == 0 && !operation.hasTrait<mlir::OpTrait::IsTerminator>()) {
    WritePosition(operation);
  }
  llvm::TypeSwitch<Operation*>(&operation)
      .Case([&](nvvm::ThreadIdXOp) { read("tx", "threadIdx.x"); })
      .Case([&](nvvm::ThreadIdYOp) { read("ty", "threadIdx.y"); })
      .Case([&](nvvm::ThreadIdZOp) { read("tz", "threadIdx.z"); })
      .Case([&](nvvm::BlockIdXOp) { read("bx", "blockIdx.x"); })
      .Case([&](nvvm::BlockIdYOp) { read("by", "blockIdx.y"); })
      .Case([&](nvvm::BlockIdZOp) { read("bz", "blockIdx.z"); })
      .Case([&](nvvm::Barrier0Op) { WriteLine("__syncthreads();"); })
      .Case([&](llvm_ops::FenceOp) { WriteLine("__threadfence();"); })
      .Case([&](nvvm::LdMatrixOp op) { WriteMatrixLoad(op); })
      .Case([&](nvvm::MmaOp op) { WriteMultiply(op); })
      .Case([&](nvvm::ShflOp) { WriteShuffle(operation); })
      .Case([&](llvm_ops::LoadOp op) { WriteLoad(op); })
      .Case([&](llvm_ops::StoreOp op) { WriteStore(op); })
      .Case([&](llvm_ops::AtomicRMWOp op) { WriteAtomic(op); })
      .Case([&](llvm_ops::AtomicCmpXchgOp op) { WriteCompareAndSwap(op); })
      .Case([&](llvm_ops::ReturnOp op) { WriteReturn(op); })
      .Case([&](scf::ForOp op) { WriteFor(op); })
      .Case([&](scf::WhileOp op) { WriteWhile(op); })
      .Case([&](scf::IfOp op) { WriteIf(op); })
      // Written by what they are in.
      .Case<scf::YieldOp, scf::ConditionOp>([](auto) {})
      .Default([&](Operation*) {
        if (operation.getNumResults() != 1) {
          return Fail(operation.getName().getStringRef().str() + " has no code");
        }
        DefineValue(operation.getResult(0), FallbackOf(operation), expressions_.Compute(operation));
      });
}

llvm::StringRef CudaFunction::FallbackOf(Operation& operation) {
  if (auto call = mlir::dyn_cast<llvm_ops::CallOp>(operation)) {
    return call.getCallee().value_or("").split('.').first;
  }
  const Type type = operation.getResult(0).getType();
  if (type.isInteger(1)) return "is";
  return type.isInteger() ? "n" : "v";
}

std::string CudaFunction::NameFor(Value value, llvm::StringRef fallback) {
  const auto named = mlir::dyn_cast<mlir::NameLoc>(value.getLoc());
  return names_.Take(named ? named.getName().getValue() : fallback);
}

bool CudaFunction::IsSigned(Value value) const { return ranges_.IsKnown(value); }

void CudaFunction::DefineValue(Value value, llvm::StringRef fallback,
                               const CudaExpression& expression) {
  const std::string name = NameFor(value, fallback);
  const bool is_pair = mlir::isa<llvm_ops::LLVMStructType>(value.getType());
  const std::string type = is_pair ? "auto" : CudaType(value.getType(), expression.is_signed);
  WriteLine(absl::StrCat("const ", type, " ", name, " = ", expression.text, ";"));
  expressions_.Define(value, {name, kPrimary, expression.is_signed});
}

std::string CudaFunction::DeclareVariable(Value value, llvm::StringRef fallback, Value init) {
  const std::string name = NameFor(value, fallback);
  if (const auto vector = mlir::dyn_cast<mlir::VectorType>(value.getType())) {
    if (init) Fail("a vector that a loop carries has no code");
    WriteLine(absl::StrCat("auto ", name, " = make_tensor<",
                           CudaType(vector.getElementType(), /*is_signed=*/false), ">(Int<",
                           vector.getNumElements(), ">{});"));
    expressions_.Define(value, {name, kPrimary, false});
    return name;
  }
  const bool is_signed = IsSigned(value);
  std::string text = absl::StrCat(CudaType(value.getType(), is_signed), " ", name);
  if (init) absl::StrAppend(&text, " = ", expressions_.Text(init));
  WriteLine(text + ";");
  expressions_.Define(value, {name, kPrimary, is_signed});
  return name;
}

void CudaFunction::WriteLoad(llvm_ops::LoadOp load) {
  const Value result = load.getResult();
  const Value address = load.getAddr();
  const auto vector = mlir::dyn_cast<mlir::VectorType>(result.getType());
  if (!vector) {
    const CudaExpression element = expressions_.Element(address, result.getType());
    return DefineValue(result, expressions_.ArrayName(address) + "_value", element);
  }
  const Type type = vector.getElementType();
  const std::string name = NameFor(result, expressions_.ArrayName(address) + "_values");
  WriteLine(absl::StrCat("const auto ", name, " = load<", vector.getNumElements(), ">(",
                         expressions_.Pointer(address, type), ");"));
  expressions_.Define(result, {name, kPrimary, expressions_.Element(address, type).is_signed});
}

// `x(0) = a;`, `x(1) = b;` of a vector, `copy(y, x);` of one that is there, `clear(x);` of zeros.
void CudaFunction::AssignElements(const std::string& name, Value vector) {
  const Value whole = WholeOf(vector);
  if (!whole.getDefiningOp<llvm_ops::InsertElementOp>()) {
    return WriteLine(absl::StrCat("copy(", expressions_.Text(whole), ", ", name, ");"));
  }
  const auto elements = ElementsOf(vector);
  const auto is_zero = [](Value element) {
    return element && (mlir::matchPattern(element, mlir::m_Zero()) ||
                       mlir::matchPattern(element, mlir::m_PosZeroFloat()));
  };
  if (llvm::all_of(elements, is_zero)) return WriteLine(absl::StrCat("clear(", name, ");"));
  for (size_t i = 0; i < elements.size(); ++i) {
    if (!elements[i]) return Fail("a vector that is not full has no code");
    WriteLine(absl::StrCat(name, "(", i, ") = ", expressions_.Text(elements[i]), ";"));
  }
}

void CudaFunction::WriteStore(llvm_ops::StoreOp store) {
  const Value value = store.getValue();
  const Value address = store.getAddr();
  const auto vector = mlir::dyn_cast<mlir::VectorType>(value.getType());
  if (!vector) {
    const CudaExpression element = expressions_.Element(address, value.getType());
    return WriteLine(absl::StrCat(element.text, " = ", expressions_.Text(value), ";"));
  }
  const Type type = vector.getElementType();
  const bool is_signed = expressions_.Element(address, type).is_signed;
  const Value whole = WholeOf(value);
  auto load = whole.getDefiningOp<llvm_ops::LoadOp>();
  const bool is_whole_signed = load && expressions_.Element(load.getAddr(), type).is_signed;
  const bool is_alike = CudaType(type, is_signed) == CudaType(type, is_whole_signed);
  if (is_alike && !whole.getDefiningOp<llvm_ops::InsertElementOp>()) {
    return WriteLine(absl::StrCat("store(", expressions_.Text(whole), ", ",
                                  expressions_.Pointer(address, type), ");"));
  }
  const std::string name = names_.Take(expressions_.ArrayName(address) + "_values");
  WriteLine(absl::StrCat("auto ", name, " = make_tensor<", CudaType(type, is_signed), ">(Int<",
                         vector.getNumElements(), ">{});"));
  AssignElements(name, value);
  WriteLine(absl::StrCat("store(", name, ", ", expressions_.Pointer(address, type), ");"));
}

std::string CudaFunction::AtomicPointer(Value address, Type element, const std::string& type) {
  std::string pointer = expressions_.Pointer(address, element);
  if (expressions_.ElementOf(address) == type) return pointer;
  return absl::StrCat("reinterpret_cast<", type, "*>(", pointer, ")");
}

void CudaFunction::WriteAtomic(llvm_ops::AtomicRMWOp atomic) {
  using Kind = llvm_ops::AtomicBinOp;
  const Value value = atomic.getVal();
  const Type type = value.getType();
  bool is_signed = false;
  const char* const name = [&]() -> const char* {
    switch (atomic.getBinOp()) {
      case Kind::xchg:
        return "atomicExch";
      case Kind::add:
      case Kind::fadd:
        return "atomicAdd";
      case Kind::min:
      case Kind::max:
        is_signed = true;
        return atomic.getBinOp() == Kind::min ? "atomicMin" : "atomicMax";
      case Kind::umin:
        return "atomicMin";
      case Kind::umax:
        return "atomicMax";
      case Kind::_and:
        return "atomicAnd";
      case Kind::_or:
        return "atomicOr";
      case Kind::_xor:
        return "atomicXor";
      case Kind::uinc_wrap:
        return "atomicInc";
      default:
        return nullptr;
    }
  }();
  if (name == nullptr) return Fail("an atomic operation has no code");
  const bool is_float = mlir::isa<mlir::FloatType>(type);
  const std::string word = WordType(type, is_signed);
  std::string text = expressions_.Text(value);
  if (!is_float) text = is_signed ? expressions_.Signed(value) : expressions_.Unsigned(value);
  const std::string call =
      absl::StrCat(name, "(", AtomicPointer(atomic.getPtr(), type, word), ", ", text, ")");
  if (atomic.getRes().use_empty()) return WriteLine(call + ";");
  DefineValue(atomic.getRes(), "old", {call, kPrimary, is_signed});
}

void CudaFunction::WriteCompareAndSwap(llvm_ops::AtomicCmpXchgOp swap) {
  const Type type = swap.getVal().getType();
  const std::string word = WordType(type, false);
  const std::string name = names_.Take("found");
  WriteLine(absl::StrCat("const ", CudaType(type, false), " ", name, " = atomicCAS(",
                         AtomicPointer(swap.getPtr(), type, word), ", ",
                         expressions_.Unsigned(swap.getCmp()), ", ",
                         expressions_.Unsigned(swap.getVal()), ");"));
  expressions_.Define(swap.getRes(), {name, kPrimary, false});
}

namespace {

// CUDA C++ Programming Guide, "Warp Shuffle Functions"; nullptr for `up`, which no kernel has.
const char* ShuffleFunction(nvvm::ShflKind kind) {
  switch (kind) {
    case nvvm::ShflKind::down:
      return "__shfl_down_sync";
    case nvvm::ShflKind::bfly:
      return "__shfl_xor_sync";
    case nvvm::ShflKind::idx:
      return "__shfl_sync";
    default:
      return nullptr;
  }
}

}  // namespace

void CudaFunction::WriteShuffle(Operation& operation) {
  auto shuffle = mlir::cast<nvvm::ShflOp>(operation);
  const std::optional<int64_t> segments = ConstantInteger(shuffle.getMaskAndClamp());
  const char* const function = ShuffleFunction(shuffle.getKind());
  if (function == nullptr || !segments.has_value()) {
    return Fail("an exchange among lanes has no code");
  }
  // How the segments of lanes are told apart: PTX ISA, "shfl.sync".
  const int64_t width = 32 - (*segments >> 8);
  const Value value = shuffle.getVal();
  const bool is_integer = value.getType().isInteger();
  std::string text = is_integer ? expressions_.Unsigned(value) : expressions_.Text(value);
  if (value.getType().isInteger(64)) text = absl::StrCat("(unsigned long long)(", text, ")");
  const std::string call =
      absl::StrCat(function, "(0xffffffffu, ", text, ", ", expressions_.Text(shuffle.getOffset()),
                   width == 32 ? "" : absl::StrCat(", ", width), ")");
  DefineValue(operation.getResult(0), "other", {call, kPrimary, false});
}

// `unsigned matrix[4];`, and the instruction of layout/cute/ that fills it.
void CudaFunction::WriteMatrixLoad(nvvm::LdMatrixOp load) {
  const auto count = static_cast<int64_t>(load.getNum());
  const std::string name = NameFor(load.getRes(), "matrix");
  WriteLine(absl::StrCat("unsigned ", name, "[", count, "];"));
  // Transposed, registers are counted by the elements of a lane.
  const bool is_turned = load.getLayout() == nvvm::MMALayout::col;
  const std::string operation = is_turned ? absl::StrCat("SM75_U16x", 2 * count, "_LDSM_T")
                                          : absl::StrCat("SM75_U32x", count, "_LDSM_N");
  const Type byte = mlir::IntegerType::get(load.getContext(), 8);
  const Value row = load.getPtr();
  auto place = row.getDefiningOp<llvm_ops::GEPOp>();
  const std::string pointer = expressions_.Pointer(row, place ? CountedElement(place) : byte);
  WriteLine(absl::StrCat(operation, "::copy(*reinterpret_cast<const uint128_t*>(", pointer, "), ",
                         PartsOf(name, count), ");"));
  expressions_.Define(load.getRes(), {name, kPrimary, false});
}

// `float sums[4];`, and the instruction that multiplies and adds.
void CudaFunction::WriteMultiply(nvvm::MmaOp multiply) {
  const auto type = multiply.getMultiplicandAPtxType();
  const char* const operation = [&]() -> const char* {
    switch (type.value_or(nvvm::MMATypes::f64)) {
      case nvvm::MMATypes::f16:
        return "SM80_16x8x16_F32F16F16F32_TN";
      case nvvm::MMATypes::bf16:
        return "SM80_16x8x16_F32BF16BF16F32_TN";
      case nvvm::MMATypes::s8:
        return "SM80_16x8x32_S32S8S8S32_TN";
      case nvvm::MMATypes::u8:
        return "SM80_16x8x32_S32U8U8S32_TN";
      default:
        return nullptr;
    }
  }();
  if (operation == nullptr) return Fail("a product of matrices has no code");
  const ValueRange sums = multiply.getOperandC();
  const bool is_integer = sums[0].getType().isInteger();
  const std::string name = NameFor(multiply.getRes(), "sums");
  const auto count = static_cast<int64_t>(sums.size());
  WriteLine(absl::StrCat(is_integer ? "unsigned " : "float ", name, "[", count, "];"));
  std::string text = absl::StrCat(operation, "::fma(", PartsOf(name, count));
  for (const ValueRange operands :
       {ValueRange(multiply.getOperandA()), ValueRange(multiply.getOperandB()), sums}) {
    for (Value operand : operands) {
      // Pairs of halves are words here.
      if (auto cast = operand.getDefiningOp<llvm_ops::BitcastOp>()) operand = cast.getArg();
      const bool is_word = operand.getType().isInteger();
      absl::StrAppend(&text, ", ",
                      is_word ? expressions_.Unsigned(operand) : expressions_.Text(operand));
    }
  }
  WriteLine(text + ");");
  expressions_.Define(multiply.getRes(), {name, kPrimary, false});
}

void CudaFunction::WriteReturn(llvm_ops::ReturnOp operation) {
  if (operation.getNumOperands() == 0) return;
  Value value = operation.getOperand(0);
  if (!value.getDefiningOp<llvm_ops::InsertValueOp>()) {
    return WriteLine(absl::StrCat("return ", expressions_.Text(value), ";"));
  }
  std::string parts;
  while (auto insert = value.getDefiningOp<llvm_ops::InsertValueOp>()) {
    parts = absl::StrCat(expressions_.Text(insert.getValue()), parts.empty() ? "" : ", ", parts);
    value = insert.getContainer();
  }
  WriteLine(absl::StrCat("return {", parts, "};"));
}

// Whether the text of a value mentions one of these variables.
bool CudaFunction::ReadsAnyOf(Value value, ValueRange held) {
  llvm::SmallVector<Value, 8> values = {value};
  while (!values.empty()) {
    const Value read = values.pop_back_val();
    if (llvm::is_contained(held, read)) return true;
    Operation* const operation = read.getDefiningOp();
    if (operation != nullptr && folding_.IsFolded(*operation)) {
      llvm::append_range(values, operation->getOperands());
    }
  }
  return false;
}

void CudaFunction::Assign(llvm::ArrayRef<std::string> variables, ValueRange values,
                          ValueRange held) {
  // What reads a variable that has been assigned before needs its own.
  llvm::SmallVector<std::string, 8> texts;
  for (size_t i = 0; i < variables.size(); ++i) {
    if (mlir::isa<mlir::VectorType>(values[i].getType())) {
      AssignElements(variables[i], values[i]);
      texts.push_back(variables[i]);
      continue;
    }
    std::string text = expressions_.Text(values[i]);
    if (i > 0 && text != variables[i] && ReadsAnyOf(values[i], held.take_front(i))) {
      const std::string next = names_.Take("next_" + variables[i]);
      const std::string type = CudaType(values[i].getType(), expressions_.HasSign(values[i]));
      WriteLine(absl::StrCat("const ", type, " ", next, " = ", text, ";"));
      text = next;
    }
    texts.push_back(std::move(text));
  }
  for (size_t i = 0; i < variables.size(); ++i) {
    if (texts[i] != variables[i]) WriteLine(absl::StrCat(variables[i], " = ", texts[i], ";"));
  }
}

void CudaFunction::WriteFor(scf::ForOp loop) {
  llvm::SmallVector<std::string, 8> variables;
  const ValueRange held = loop.getRegionIterArgs();
  for (size_t i = 0; i < held.size(); ++i) {
    variables.push_back(DeclareVariable(held[i], "sum", loop.getInitArgs()[i]));
    expressions_.Define(loop.getResult(static_cast<unsigned>(i)), expressions_.Of(held[i]));
  }
  constexpr const char* kIndices[] = {"i", "j", "k", "l"};
  const Value index = loop.getInductionVar();
  names_.Open();
  const std::string name = NameFor(index, kIndices[std::min(loops_, 3)]);
  const std::string begin = expressions_.Signed(loop.getLowerBound());
  const std::string end = expressions_.Signed(loop.getUpperBound(), kShift);
  WriteLine(absl::StrCat("for (", CudaType(index.getType(), true), " ", name, " = ", begin, "; ",
                         name, " < ", end, "; ++", name, ") {"));
  expressions_.Define(index, {name, kPrimary, true});
  ++depth_;
  ++loops_;
  WriteBlock(*loop.getBody());
  Assign(variables, loop.getBody()->getTerminator()->getOperands(), held);
  --loops_;
  --depth_;
  names_.Close();
  WriteLine("}");
}

// do ... while, whose condition is computed inside.
void CudaFunction::WriteWhile(scf::WhileOp loop) {
  llvm::SmallVector<std::string, 8> variables;
  const ValueRange held = loop.getBeforeArguments();
  for (size_t i = 0; i < held.size(); ++i) {
    variables.push_back(DeclareVariable(held[i], "state", loop.getInits()[i]));
    expressions_.Define(loop.getResult(static_cast<unsigned>(i)), expressions_.Of(held[i]));
  }
  const std::string again = names_.Take("again");
  WriteLine(absl::StrCat("bool ", again, ";"));
  WriteLine("do {");
  names_.Open();
  ++depth_;
  WriteBlock(*loop.getBeforeBody());
  scf::ConditionOp condition = loop.getConditionOp();
  WriteLine(absl::StrCat(again, " = ", expressions_.Text(condition.getCondition()), ";"));
  Assign(variables, condition.getArgs(), held);
  --depth_;
  names_.Close();
  WriteLine(absl::StrCat("} while (", again, ");"));
}

// `c ? a : b`, where both sides are short expressions.
bool CudaFunction::WriteAsConditional(scf::IfOp branch) {
  if (branch.getNumResults() != 1) return false;
  if (mlir::isa<mlir::VectorType>(branch.getResult(0).getType())) return false;
  for (mlir::Region& region : branch->getRegions()) {
    for (Operation& operation : region.front().without_terminator()) {
      if (!folding_.IsFolded(operation)) return false;
    }
  }
  const Value then = branch.thenYield().getOperand(0);
  const Value otherwise = branch.elseYield().getOperand(0);
  const std::string condition = expressions_.Text(branch.getCondition(), kConditional + 1);
  CudaExpression expression = {
      absl::StrCat(condition, " ? ", expressions_.Text(then, kConditional + 1), " : ",
                   expressions_.Text(otherwise)),
      kConditional, IsSigned(branch.getResult(0))};
  constexpr size_t kMaxLength = 90;
  if (expression.text.size() > kMaxLength) return false;
  WritePosition(*branch);
  DefineValue(branch.getResult(0), FallbackOf(*branch), expression);
  return true;
}

void CudaFunction::WriteIf(scf::IfOp branch) {
  if (WriteAsConditional(branch)) return;
  llvm::SmallVector<std::string, 8> variables;
  for (const Value result : branch.getResults()) {
    variables.push_back(DeclareVariable(result, FallbackOf(*branch), Value()));
  }
  WriteLine(absl::StrCat("if (", expressions_.Text(branch.getCondition()), ") {"));
  const auto write = [&](mlir::Region& region) {
    names_.Open();
    ++depth_;
    WriteBlock(region.front());
    Assign(variables, region.front().getTerminator()->getOperands(), {});
    --depth_;
    names_.Close();
  };
  write(branch.getThenRegion());
  if (!branch.getElseRegion().empty() && branch.getNumResults() > 0) {
    WriteLine("} else {");
    write(branch.getElseRegion());
  }
  WriteLine("}");
}

}  // namespace hlo_indexing::emit
