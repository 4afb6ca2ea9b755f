// How the maps of instructions are written: as text for people, as JSON for programs. The format of
// the latter is documented in docs/command_line.md.
#ifndef HLO_INDEXING_TOOLS_MAPS_RENDERER_H_
#define HLO_INDEXING_TOOLS_MAPS_RENDERER_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/analysis.h"
#include "indexing_analysis/maps/output_indexing.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"
#include "tools/record_limit.h"

namespace hlo_indexing::tools {

/// Writes the maps of one instruction after the other.
class MapsRenderer {
 public:
  virtual ~MapsRenderer() = default;
  virtual void BeginFile(llvm::StringRef file) = 0;
  virtual void BeginModule(const hlo::Module& module) = 0;
  virtual void BeginComputation(const hlo::Computation& computation) = 0;
  /// `operands` are the arrays of its operands.
  virtual void BeginInstruction(const hlo::Instruction& instruction,
                                const indexing_analysis::OperandArrays& operands) = 0;
  /// How the maps of an output array are made.
  virtual void Trace(int64_t output, llvm::ArrayRef<indexing_analysis::TraceStep> steps) = 0;
  virtual void Output(int64_t output, indexing_analysis::MapDirection direction,
                      const indexing_analysis::OutputIndexing& indexing) = 0;
  /// Behind the last instruction of a file.
  virtual void EndFile() {}
};

/// Outputs that read the same are written once, and so are operand arrays of one instruction that
/// are read alike.
std::unique_ptr<MapsRenderer> MakeTextRenderer(Pairs pairs, llvm::raw_ostream& out);

/// One object for each instruction, output array and operand array.
std::unique_ptr<MapsRenderer> MakeJsonRenderer(Pairs pairs, llvm::raw_ostream& out);

}  // namespace hlo_indexing::tools

#endif  // HLO_INDEXING_TOOLS_MAPS_RENDERER_H_
