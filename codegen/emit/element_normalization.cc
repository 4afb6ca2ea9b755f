// Elements of batch-norm-inference: (operand, scale, offset, mean, variance), in f64 and rounded
// once.
#include <algorithm>

#include "codegen/emit/element_emitter.h"
#include "codegen/emit/wide_float.h"
#include "hlo/attribute.h"

namespace hlo_indexing::emit {

using hlo::AttributeName;
using hlo::ElementType;
using hlo::Instruction;

ElementEmitter::Step ElementEmitter::StepOfBatchNormInference(const Element& element) {
  const Instruction& norm = *element.instruction;
  const auto feature = static_cast<unsigned>(norm.Required<int64_t>(AttributeName::kFeatureIndex));
  const double epsilon = static_cast<float>(norm.Required<double>(AttributeName::kEpsilon));
  Step step;
  std::vector<ElementType> types;
  for (size_t i = 0; i < norm.operands().size(); ++i) {
    types.push_back(norm.operand(i).shape().element_type());
    step.operands.push_back(i == 0 ? Element{element.frame, &norm.operand(0), 0, element.index}
                                   : ElementAt(element, norm.operand(i), element.index,
                                               {element.index.affine_map().getResult(feature)}));
  }
  const ElementType type = ShapeOf(element).element_type();
  step.make = [=, this](llvm::ArrayRef<const Lanes*> operands) {
    WideArithmetic wide(builder_, /*is_complex=*/false);
    size_t count = 1;
    for (const Lanes* operand : operands) count = std::max(count, operand->size());
    Lanes lanes;
    for (size_t lane = 0; lane < count; ++lane) {
      std::vector<Number> x;
      for (size_t i = 0; i < operands.size(); ++i) {
        const Lanes& numbers = *operands[i];
        x.push_back(wide.From(numbers[numbers.size() == 1 ? 0 : lane], types[i]));
      }
      const Number deviation = wide.Sqrt(wide.Add(x[4], wide.Constant(epsilon)));
      const Number factor = wide.Divide(wide.Constant(1), deviation);
      const Number normalized = wide.Multiply(wide.Subtract(x[0], x[3]), factor);
      lanes.push_back(wide.To(wide.Add(wide.Multiply(normalized, x[1]), x[2]), type));
    }
    return lanes;
  };
  return step;
}

}  // namespace hlo_indexing::emit
