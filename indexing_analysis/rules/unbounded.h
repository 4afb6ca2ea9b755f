// Which instructions read what a rule says although the sizes of some dimensions are not known.
// Private to the folder.
//
// An index along a dimension without bound lies in [0, inf]; which of those elements there are, is
// known at run time only. A rule that hands such an index on, or leaves it, is right whatever the
// size is. One that needs the size is not: where a reversed dimension starts, how far a reduction
// goes.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_RULES_UNBOUNDED_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_RULES_UNBOUNDED_H_

#include "hlo/module.h"

namespace hlo_indexing::indexing_analysis::allows_unbounded {

/// The rule looks at no size.
bool Anywhere(const hlo::Instruction& instruction);
/// Example: f32[?,4] bitcast-convert to s8[?,4,4], but not s8[4,?] to f32[4]
bool BitcastConvert(const hlo::Instruction& instruction);
/// Along the last operand, too. Example: f32[3] and f32[?], but not f32[?] and f32[3]
bool Concatenate(const hlo::Instruction& instruction);
/// The batch. Example: f32[?,28,28,1] in b01f_01io->b01f
bool Convolution(const hlo::Instruction& instruction);
/// All but contracted dimensions.
bool Dot(const hlo::Instruction& instruction);
/// What an index is clamped to is known. Example: rows of f32[100,4] at s32[?,1]
bool Gather(const hlo::Instruction& instruction);
/// Dimensions that are not padded.
bool Pad(const hlo::Instruction& instruction);
/// Dimensions that stay.
bool Reduce(const hlo::Instruction& instruction);
/// Dimensions over which no window moves.
bool ReduceWindow(const hlo::Instruction& instruction);
/// One dimension, with as many elements before and behind it in both shapes: it stays.
/// Example: f32[6,?,4] to f32[2,3,?,2,2]
bool Reshape(const hlo::Instruction& instruction);
/// Dimensions that are not reversed.
bool Reverse(const hlo::Instruction& instruction);
/// Dimensions that are not sorted.
bool Sort(const hlo::Instruction& instruction);

}  // namespace hlo_indexing::indexing_analysis::allows_unbounded

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_RULES_UNBOUNDED_H_
