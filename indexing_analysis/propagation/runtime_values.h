// The values of one query that are known at run time only. Private to the folder.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_RUNTIME_VALUES_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_RUNTIME_VALUES_H_

#include <cstdint>
#include <map>
#include <vector>

#include "hlo/module.h"
#include "indexing_analysis/maps/access.h"
#include "indexing_analysis/propagation/access_set.h"
#include "indexing_analysis/propagation/call_frame.h"
#include "indexing_analysis/propagation/call_summary.h"

namespace hlo_indexing::indexing_analysis {

/// Numbers the runtime values of a query and says what is known of them. A value is an instruction
/// and the calls that lead to it, at some index: the same element is the same value wherever it is
/// read. Number kExecutingDevice is the device that executes the instruction of the query.
///
/// Example: the start %i of dynamic-slice(%x, %i) with sizes {4} of f32[16] is a value in [0, 12],
/// rt0 in the map; a start that is constant(3) is the number 3, and has no runtime value.
class RuntimeValues {
 public:
  explicit RuntimeValues(int64_t num_devices);

  /// A value as a sum, and the depth of the outermost call whose operands it was looked up in
  /// (Dependences).
  struct Value {
    Sum sum;
    size_t outermost_call_depth = Dependences::kNoCall;
  };

  /// The element at `index` of an operand of an instruction in `frame`, clamped to `bounds`: a sum
  /// if it follows from constants, else a runtime value, which is added to those of `access`. The
  /// rule was given `incoming`.
  Value ValueOf(DigitContext& digits, const hlo::Instruction& operand, llvm::ArrayRef<Sum> index,
                Interval bounds, const CallFrame* frame, const Access& incoming, Access& access);
  /// The number of the executing device, as a runtime value of `access`.
  Sum ExecutingDevice(DigitContext& digits, Access& access) const;
  /// Makes the results of a map the results of `access`. The device of the access stays what it is.
  void Compose(DigitContext& digits, const IndexingMap& map, Access& access);

  const RuntimeTable& table() const { return table_; }
  uint32_t NextNumber() const { return static_cast<uint32_t>(table_.size()); }

  /// The number of the value of the last instruction of `path`; the others are the calls that lead
  /// to it, as CallsTo says.
  uint32_t NumberOf(const std::vector<const hlo::Instruction*>& path);
  /// The path of a value, without the first `num_calls`.
  ValuePath PathOf(uint32_t number, size_t num_calls) const;

  /// Whether each runtime value of these accesses is one of `given` or can be found again by its
  /// path, which only those can that were numbered from `first_inside` on.
  bool AreFoundAgain(llvm::ArrayRef<AccessSets> arrays, llvm::ArrayRef<uint32_t> given,
                     uint32_t first_inside) const;

 private:
  RuntimeTable table_;
  std::map<std::vector<const hlo::Instruction*>, uint32_t> numbers_;
};

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_PROPAGATION_RUNTIME_VALUES_H_
