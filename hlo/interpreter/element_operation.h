// Elementwise instructions on single elements.
#ifndef HLO_INDEXING_HLO_INTERPRETER_ELEMENT_OPERATION_H_
#define HLO_INDEXING_HLO_INTERPRETER_ELEMENT_OPERATION_H_

#include <cstdint>
#include <optional>
#include <string>

#include "hlo/interpreter/element_value.h"
#include "hlo/module.h"
#include "llvm/ADT/ArrayRef.h"

namespace hlo_indexing::hlo {

/// What an elementwise function knows beside its operands.
struct ElementParameters {
  ElementType operand_types[3] = {};
  ElementType result_type = ElementType::kPred;
  /// compare: whether the comparison holds if the first operand is less, equal, greater, or
  /// where the two have no order.
  bool if_less = false;
  bool if_equal = false;
  bool if_greater = false;
  bool if_unordered = false;
  /// compare: -nan < -inf < ... < -0 < 0 < ... < inf < nan.
  bool is_total_order = false;
  /// reduce-precision.
  int64_t exponent_bits = 0;
  int64_t mantissa_bits = 0;
};

/// Computes `result`, which is zero before, but for its sources.
using ElementFunction = void (*)(const ElementParameters& parameters, const Element* operands,
                                 Element& result);

/// One elementwise instruction, ready to run.
class ElementOperation {
 public:
  /// Nullopt if the opcode is not elementwise, or, with `error` set, if it is not defined for
  /// the element types.
  static std::optional<ElementOperation> Make(const Instruction& instruction, std::string& error);
  /// Whether the opcode is an elementwise one.
  static bool IsElementwise(Opcode opcode);

  /// The result, which reads what the operands read. `sources` may be null: then nothing is traced.
  Element Apply(llvm::ArrayRef<Element> operands, SourceSets* sources) const {
    Element result;
    function_(parameters_, operands.data(), result);
    if (sources != nullptr) {
      for (const Element& operand : operands) {
        result.sources = sources->Union(result.sources, operand.sources);
      }
    }
    return result;
  }

 private:
  ElementOperation(ElementFunction function, const ElementParameters& parameters)
      : function_(function), parameters_(parameters) {}

  ElementFunction function_;
  ElementParameters parameters_;
};

}  // namespace hlo_indexing::hlo

#endif  // HLO_INDEXING_HLO_INTERPRETER_ELEMENT_OPERATION_H_
