// Makes the body of a kernel in MLIR: an `llvm.func` of the dialects arith, scf, llvm and nvvm.
//
// Example: y[i] = -x[i] for 256 threads,
//
//   KernelBuilder builder(backend.context(), {.name = "negate",
//                                             .arguments = {{.is_read_only = true}, {}},
//                                             .threads = {256, 1, 1}});
//   const mlir::Value i = builder.ThreadIndex(0);
//   const mlir::Value x = builder.Load(builder.Argument(0), i, builder.float_type(32), 1, 4);
//   builder.Store(builder.Negate(x), builder.Argument(1), i, 4);
//   mlir::OwningOpRef<mlir::ModuleOp> kernel = std::move(builder).Take();
//
// What a region computes is given by callbacks, which make code where they are called.
#ifndef HLO_INDEXING_CODEGEN_EMIT_KERNEL_BUILDER_H_
#define HLO_INDEXING_CODEGEN_EMIT_KERNEL_BUILDER_H_

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "codegen/emit/kernel.h"
#include "hlo/element_type.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/IR/Value.h"

namespace hlo_indexing::emit {

using Values = llvm::SmallVector<mlir::Value, 8>;

/// A buffer in global memory.
struct BufferArgument {
  /// Nobody writes it while the kernel runs.
  bool is_read_only = false;
  /// No other argument is in the same memory.
  bool is_alone = true;
};

/// What a kernel is besides its body.
struct KernelSignature {
  std::string name;
  std::vector<BufferArgument> arguments;
  std::array<int64_t, 3> threads = {1, 1, 1};
  std::array<int64_t, 3> blocks = {1, 1, 1};
  /// The file that positions of the code are in; no positions if it is empty.
  std::string file;
  /// The kernel becomes source code that people read: functions of numbers are functions there,
  /// and values have names.
  bool is_source = false;
};

/// The text of lines of HLO, by their numbers.
using SourceLines = std::map<int64_t, std::string>;

class KernelBuilder {
 public:
  KernelBuilder(mlir::MLIRContext* context, const KernelSignature& signature);

  /// The kernel as a module of its own.
  mlir::OwningOpRef<mlir::ModuleOp> Take() &&;

  /// The code that is made from now on comes from this line and column of the file.
  void SetPosition(int64_t line, int64_t column);
  /// What a line says, which source code repeats beside the code that comes from it.
  void SetLine(int64_t line, llvm::StringRef text);
  const SourceLines& lines() const { return lines_; }
  bool has_positions() const { return file_ != nullptr; }

  /// What a value is called in source code, unless it has a name.
  void SetName(mlir::Value value, llvm::StringRef name);

  /// What `body` makes of the operands: in source code a call of a function of that name, which is
  /// made once for operands of these types; elsewhere the code itself.
  using FunctionBody = llvm::function_ref<Values(mlir::ValueRange operands)>;
  Values Function(llvm::StringRef name, mlir::ValueRange operands, FunctionBody body);

  /// Where all code is made.
  mlir::ImplicitLocOpBuilder& ops() { return ops_; }
  mlir::Value Argument(size_t i) const { return arguments_[i]; }
  /// Whether that is an argument that nobody writes while the kernel runs.
  bool IsReadOnly(mlir::Value argument) const;
  /// Makes code where the kernel begins, before all that has been made.
  void AtEntry(llvm::function_ref<void()> body);
  /// Makes code before the outermost of the loops around what is made now.
  void BeforeLoops(llvm::function_ref<void()> body);
  /// Makes code that is a loop though its turns are written out, one behind the other.
  void AsLoop(llvm::function_ref<void()> turns);

  mlir::Type integer_type(unsigned bits) { return ops_.getIntegerType(bits); }
  /// 32 or 64 bits.
  mlir::Type float_type(unsigned bits);
  mlir::Value Integer(mlir::Type type, int64_t value);
  mlir::Value Integer(unsigned bits, int64_t value) { return Integer(integer_type(bits), value); }
  mlir::Value Float(mlir::Type type, double value);

  /// Threads (x, y, z), then blocks, as 32 bits; 0 where there is only one.
  mlir::Value ThreadIndex(size_t dimension) const { return indices_[dimension]; }
  /// From here on the code is that of another thread or block.
  void SetThreadIndex(size_t dimension, mlir::Value index) { indices_[dimension] = index; }

  /// Converts an integer to another width; with its sign, if it becomes wider.
  mlir::Value Resize(mlir::Value integer, unsigned bits);
  /// Conjunction; null stands for true.
  mlir::Value And(mlir::Value a, mlir::Value b);

  /// Where an element is: at `first` times `scale` plus `offset`.
  struct Position {
    // NOLINTNEXTLINE(google-explicit-constructor): a number is a position
    Position(mlir::Value number) : first(number) {}
    Position(mlir::Value number, int64_t scale_of, int64_t offset_of)
        : first(number), scale(scale_of), offset(offset_of) {}

    mlir::Value first;
    int64_t scale = 1;
    int64_t offset = 0;
  };
  /// The elements at base[position], a vector if there are more than one; `alignment` in bytes.
  mlir::Value Load(mlir::Value base, Position position, mlir::Type element, int64_t count,
                   int64_t alignment);
  void Store(mlir::Value value, mlir::Value base, Position position, int64_t alignment);
  /// The address of base[position].
  mlir::Value PointerTo(mlir::Value base, Position position, mlir::Type element);
  /// So many bytes behind a place.
  mlir::Value Offset(mlir::Value base, int64_t bytes);
  mlir::Value Extract(mlir::Value vector, int64_t i);
  /// A vector of these.
  mlir::Value Vector(llvm::ArrayRef<mlir::Value> elements);

  /// An array in shared memory. Position 0 is at a multiple of 16 bytes.
  mlir::Value SharedArray(mlir::Type element, int64_t count);
  /// A constant array of these bytes in global memory; the same one for the same values.
  mlir::Value ConstantArray(mlir::Type element, llvm::ArrayRef<char> bytes);
  /// All threads of the block wait for each other.
  void Barrier();
  /// What the thread has done, or knows to be done, comes before what it does, for the whole
  /// device.
  void Fence();
  /// The value of the lane `distance` further, of any type, among neighbouring lanes of that
  /// number, a power of two; its own at their end. All lanes of the warp must take part.
  mlir::Value ShuffleDown(mlir::Value value, int64_t distance, int64_t neighbours);
  /// The value of the first of so many neighbouring lanes. All lanes must take part.
  mlir::Value ShuffleFromFirst(mlir::Value value, int64_t neighbours);
  /// The value of the lane whose number differs in these bits. All lanes must take part.
  mlir::Value ShuffleXor(mlir::Value value, int64_t bits);

  /// A warp loads 2 or 4 matrices of 8 rows of 16 bytes in shared memory: lane i has the address of
  /// a row, of matrix i / 8, and gets 4 bytes of row i / 4 of each matrix (PTX ISA, "ldmatrix").
  /// Transposed: rows and columns of 16 bits change places.
  Values LoadMatrices(mlir::Value row, int64_t count, bool is_transposed);
  /// sums + rows * columns, which a warp has in its lanes: 16 x 32 bytes, 32 bytes x 8, 16 x 8 of
  /// f32 or s32 (PTX ISA, "mma.sync.aligned.m16n8k16" for f16 and bf16, "m16n8k32" for s8 and u8).
  Values MultiplyMatrices(hlo::ElementType type, mlir::ValueRange rows, mlir::ValueRange columns,
                          mlir::ValueRange sums);

  /// old = base[position], base[position] = old op value in one step, for an integer of 32 or 64
  /// bits, or an f32 or f64 that is added: gives old.
  mlir::Value AtomicUpdate(mlir::LLVM::AtomicBinOp operation, mlir::Value base,
                           mlir::Value position, mlir::Value value);
  /// old = base[position], which becomes `desired` if it is `expected`, in one step: gives old.
  mlir::Value CompareAndSwap(mlir::Value base, mlir::Value position, mlir::Value expected,
                             mlir::Value desired);

  using Body = llvm::function_ref<Values()>;
  /// What `then` makes where the condition holds, else what `otherwise` makes, which must have as
  /// many values of the same types. Null stands for a condition that holds.
  Values If(mlir::Value condition, Body then, Body otherwise);
  void If(mlir::Value condition, llvm::function_ref<void()> then);

  using LoopBody = llvm::function_ref<Values(mlir::Value index, mlir::ValueRange carried)>;
  /// for (index = lower; index <= upper; ++index) carried = body(index, carried): the values in the
  /// end. The index has 32 bits where that is enough.
  Values For(int64_t lower, int64_t upper, mlir::ValueRange carried, LoopBody body);

  /// The same with index = 0, 1, ... below a number of 32 bits.
  Values ForBelow(mlir::Value count, mlir::ValueRange carried, LoopBody body);

  /// do carried = body(carried) while what it says holds: the values in the end.
  using RepeatBody = llvm::function_ref<Values(mlir::ValueRange carried, mlir::Value& goes_on)>;
  Values Repeat(mlir::ValueRange carried, RepeatBody body);

 private:
  mlir::LLVM::LLVMFuncOp MakeFunction(llvm::StringRef symbol, mlir::ValueRange operands,
                                      FunctionBody body);
  mlir::scf::ForOp EmitFor(mlir::Value begin, mlir::Value end, mlir::ValueRange carried,
                           LoopBody body);

  mlir::Operation* OutermostOf(mlir::Operation* loop) const {
    return outermost_loop_ != nullptr ? outermost_loop_ : loop;
  }

  mlir::Value Shuffle(mlir::NVVM::ShflKind kind, mlir::Value value, int64_t lane, int64_t segments);

  mlir::OwningOpRef<mlir::ModuleOp> module_;
  mlir::ImplicitLocOpBuilder ops_;
  Values arguments_;
  Values indices_;
  int64_t num_globals_ = 0;
  // Their names.
  llvm::DenseMap<mlir::Attribute, std::string> constants_;
  bool is_source_ = false;
  SourceLines lines_;
  // The outermost of the loops whose code is made; null outside of loops.
  mlir::Operation* outermost_loop_ = nullptr;
  // That whose code is made, from the kernel on.
  llvm::SmallVector<mlir::LLVM::LLVMFuncOp, 2> functions_;
  // Null without positions.
  mlir::StringAttr file_;
};

}  // namespace hlo_indexing::emit

#endif  // HLO_INDEXING_CODEGEN_EMIT_KERNEL_BUILDER_H_
