// From modules to HLO text.
#ifndef HLO_INDEXING_HLO_PRINTER_H_
#define HLO_INDEXING_HLO_PRINTER_H_

#include <string>

#include "hlo/module.h"
#include "llvm/Support/raw_ostream.h"

namespace hlo_indexing::hlo {

enum class PrintMetadata : uint8_t { kYes, kNo };
enum class PrintOperandShapes : uint8_t { kNo, kYes };

struct PrintOptions {
  /// Whether `metadata={...}` and the tables of source locations are printed.
  PrintMetadata metadata = PrintMetadata::kYes;
  /// Whether operands are printed with their shapes.
  PrintOperandShapes operand_shapes = PrintOperandShapes::kNo;
};

/// Prints the module in one canonical form that XLA's parser and ours accept: names with `%`,
/// shapes and signatures everywhere, attributes in the order in which they came. Parsing the result
/// gives the same module, and printing that the same bytes.
void Print(const Module& module, llvm::raw_ostream& out, const PrintOptions& options = {});

/// One instruction as it stands in a computation, without indentation.
/// Example: "%b = f32[2] negate(%a)"
void Print(const Instruction& instruction, llvm::raw_ostream& out,
           const PrintOptions& options = {});

/// The instruction without its attributes.
/// Example: "%b = f32[3,2] transpose(%a)"
void PrintHead(const Instruction& instruction, llvm::raw_ostream& out,
               const PrintOptions& options = {});

/// The attributes of an instruction, each behind a comma.
/// Example: ", dimensions={1,0}"
void PrintAttributes(const Instruction& instruction, llvm::raw_ostream& out,
                     const PrintOptions& options = {});

std::string ToString(const Module& module, const PrintOptions& options = {});
std::string ToString(const Instruction& instruction, const PrintOptions& options = {});

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_PRINTER_H_
