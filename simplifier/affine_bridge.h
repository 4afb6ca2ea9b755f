// Between mlir::AffineExpr, the currency of the public API, and sums of digits.
//
// Convert at the border, once: MLIR's builders fold expressions by rules of their own that know no
// ranges, so a round trip in the middle of a computation loses information.
#ifndef HLO_INDEXING_SIMPLIFIER_AFFINE_BRIDGE_H_
#define HLO_INDEXING_SIMPLIFIER_AFFINE_BRIDGE_H_

#include <optional>

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "mlir/IR/AffineExpr.h"
#include "simplifier/digit_context.h"
#include "simplifier/linear_form.h"

namespace hlo_indexing::simplifier {

/// Reads affine expressions as sums, dimensions and symbols standing for given sums: reading the
/// results of a map with the results of another is their composition. Memoizes what it has read, so
/// that expressions sharing parts cost as much as their distinct parts.
class AffineReader {
 public:
  /// `dims` and `symbols` hold a sum for every dimension and symbol that is read.
  AffineReader(DigitContext& context, llvm::ArrayRef<Sum> dims, llvm::ArrayRef<Sum> symbols)
      : context_(context), dims_(dims), symbols_(symbols) {}

  Sum Read(mlir::AffineExpr expression);

 private:
  void ReadInside(mlir::AffineExpr expression);
  Sum ReadSum(mlir::AffineExpr expression);
  Sum ReadBinary(mlir::AffineBinaryOpExpr expression);

  DigitContext& context_;
  llvm::ArrayRef<Sum> dims_;
  llvm::ArrayRef<Sum> symbols_;
  llvm::SmallDenseMap<mlir::AffineExpr, Sum, 8> memo_;
  // How many calls of Read are under way, one inside of the other.
  int nesting_ = 0;
};

/// Writes sums as affine expressions in their shortest form.
class AffineWriter {
 public:
  /// The expression for a variable or function atom: a dimension or a symbol.
  using LeafExpression = llvm::function_ref<mlir::AffineExpr(const Atom&)>;

  AffineWriter(DigitContext& context, mlir::MLIRContext* mlir_context, LeafExpression leaf,
               Quotients quotients = Quotients::kReadBack)
      : context_(context), quotients_(quotients), mlir_context_(mlir_context), leaf_(leaf) {}

  /// An expression in two parts: what varies, null if nothing does, and a constant to be added.
  struct Parts {
    mlir::AffineExpr varying;
    int64_t constant = 0;
  };

  /// The expression; nullopt if MLIR would fold constants of it that overflow, or if it has more
  /// divisions and remainders than `max_operations`.
  std::optional<mlir::AffineExpr> Write(const Sum& sum, int max_operations = kManyOperations);
  /// The same in parts, to be joined.
  std::optional<Parts> WriteParts(const Sum& sum, int max_operations = kManyOperations);
  /// The parts as one expression; nullopt if MLIR would fold constants that overflow.
  std::optional<mlir::AffineExpr> Join(const Parts& parts) const;

  /// Whether a writer of Quotients::kShortest may write something shorter.
  bool CouldBeShorter() const { return shortest_form_ && shortest_form_->CouldBeShorter(); }
  /// As ShortestForm::HasReducibleRemainders.
  bool HasReducibleRemainders() const {
    return shortest_form_ && shortest_form_->HasReducibleRemainders();
  }

 private:
  std::optional<Parts> WriteLinear(const Sum& sum);
  std::optional<Parts> WriteParts(const LinearForm& form);
  std::optional<mlir::AffineExpr> Write(const LinearForm& form);
  std::optional<mlir::AffineExpr> WriteFactor(const Factor& factor);
  std::optional<mlir::AffineExpr> ComputeFactor(const Factor& factor);

  DigitContext& context_;
  Quotients quotients_;
  // Made when a sum with a division is met: most have none.
  std::optional<ShortestForm> shortest_form_;
  mlir::MLIRContext* mlir_context_;
  LeafExpression leaf_;
  llvm::SmallDenseMap<const Factor*, std::optional<mlir::AffineExpr>, 8> memo_;
};

}  // namespace hlo_indexing::simplifier

#endif  // HLO_INDEXING_SIMPLIFIER_AFFINE_BRIDGE_H_
