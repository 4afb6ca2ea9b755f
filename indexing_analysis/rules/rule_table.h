// What the analysis knows of each opcode: its read rule and its traits, one row of one table.
//
// Nothing outside the table compares rules or lists the opcodes of a rule. Every trait has a
// default that is safe for any rule: a row without traits costs time and may turn `exact` into
// `superset`, but gives no wrong map. tests/property/rule_traits_test.cc holds the traits
// against what the rules do.
#ifndef HLO_INDEXING_INDEXING_ANALYSIS_RULES_RULE_TABLE_H_
#define HLO_INDEXING_INDEXING_ANALYSIS_RULES_RULE_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hlo/module.h"
#include "hlo/opcode.h"
#include "indexing_analysis/rules/index_operands.h"
#include "indexing_analysis/rules/read_rules.h"

namespace hlo_indexing::indexing_analysis {

/// What a rule may look at beside the number of the output array. Instructions with the same rule
/// that agree in all of it are equivalent: they have the same maps.
///
/// Example: `reshape` looks at dimensions alone, so all from f32[6] to f32[2,3] share one map, and
/// those from s8[6] too.
struct RuleInputs {
  enum class Callees : uint8_t {
    kNothing,
    /// Which of its parameters each result of `to_apply` depends on.
    kUsedParameters,
    /// Anything: only instructions that call the same computation are equivalent.
    kEverything,
  };

  /// Of the operands and of the output.
  bool dimensions = true;
  bool element_types_and_layouts = true;
  bool opcode = true;
  /// Attributes that are no computations.
  bool attributes = true;
  Callees callees = Callees::kEverything;
  /// The values of the operands that `index_operands` names: the rule asks for runtime values.
  bool index_values = true;
  /// The maps that the user has registered for custom calls.
  bool registered_maps = true;
  /// More than that: no two instructions are equivalent.
  bool anything_else = true;
};

/// How the arrays of the output are arrays of the operands, or nothing. The rule of such an opcode
/// does not look at the access.
enum class Forwarding : uint8_t {
  /// The rule says what is read.
  kNone,
  /// Nothing is read: the operands, if any, say when something happens, not what comes out.
  kNoOperand,
  /// The output is operand 0.
  kFirstOperand,
  /// Element i of the output is operand i.
  kTuple,
  /// The output is an element of operand 0.
  kGetTupleElement,
};

/// Instructions through whose computations accesses are propagated instead of applying a rule.
enum class ControlFlow : uint8_t { kNone, kCall, kFusion, kAsyncStart, kConditional, kWhile };

/// What is known of an opcode's rule. A trait that is not stated may hold all the same.
struct RuleTraits {
  RuleInputs inputs;
  /// Every element reads the elements at its own index; scalars are read by all. Elements of a
  /// tuple read the array of the same number.
  bool is_elementwise = false;
  /// The output has the values of operand 0.
  bool is_identity = false;
  /// An array that has elements reads every operand that has some; of operands that are tuples,
  /// their array of the same number.
  bool reads_every_operand = false;
  /// Whether the rule is right for this instruction although dimensions of its arrays have no
  /// bound: it does not look at their sizes (rules/unbounded.h). Null if it may look at all sizes.
  bool (*allows_unbounded)(const hlo::Instruction&) = nullptr;
  /// A collective: it may read what other devices hold, which depends on how many there are.
  bool reads_other_devices = true;
  Forwarding forwarding = Forwarding::kNone;
  /// The operands whose values say where the instruction reads; null if there are none, or if what
  /// is known of their values is not worth being compared.
  IndexOperands (*index_operands)(const hlo::Instruction&) = nullptr;
  ControlFlow control_flow = ControlFlow::kNone;
  /// For each array of an output the first one whose rule reads the same of the same operands; null
  /// if each reads by itself, or none is known to read like another one.
  std::vector<size_t> (*first_alike)(const hlo::Instruction&) = nullptr;
};

struct OpcodeRow {
  hlo::Opcode opcode;
  /// Null exactly for opcodes with control flow.
  ReadRule rule;
  RuleTraits traits;
};

/// A row for each opcode, in their order.
extern const OpcodeRow kOpcodeRows[];

inline ReadRule ReadRuleOf(hlo::Opcode opcode) {
  return kOpcodeRows[static_cast<size_t>(opcode)].rule;
}

inline const RuleTraits& TraitsOf(hlo::Opcode opcode) {
  return kOpcodeRows[static_cast<size_t>(opcode)].traits;
}

}  // namespace hlo_indexing::indexing_analysis

#endif  // HLO_INDEXING_INDEXING_ANALYSIS_RULES_RULE_TABLE_H_
