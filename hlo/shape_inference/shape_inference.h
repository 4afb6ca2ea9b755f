// What the operands and attributes of an instruction say about its shape.
#ifndef HLO_INDEXING_HLO_SHAPE_INFERENCE_SHAPE_INFERENCE_H_
#define HLO_INDEXING_HLO_SHAPE_INFERENCE_SHAPE_INFERENCE_H_

#include <optional>
#include <string>

#include "hlo/attribute.h"
#include "hlo/module.h"
#include "hlo/shape.h"

namespace hlo_indexing::hlo {

/// A mistake in an instruction.
struct ShapeError {
  std::string message;
  /// The attribute that is wrong; kOther if it is the operands or the shape.
  AttributeName attribute = AttributeName::kOther;
};

/// The shape of an instruction that was given none; null if it does not follow from operands and
/// attributes, with `error` set if these are wrong.
const Shape* InferShape(const Instruction& instruction, ShapePool& pool, std::string& error);

/// What is wrong with the instruction's operands, attributes or shape; nullopt if all fits.
std::optional<ShapeError> CheckShape(const Instruction& instruction, ShapePool& pool);

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_SHAPE_INFERENCE_SHAPE_INFERENCE_H_
