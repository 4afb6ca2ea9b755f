// A PTX module as text says it: declarations, functions, instructions with their operands. Names
// are resolved (a register, variable, function or label is an index); what an opcode means is not
// known here. Numbers in comments with § are of NVIDIA's "PTX ISA" document.
//
// Example: `@!%p1 ld.global.nc.v2.f32 {%f1, _}, [%rd4+8];` is an Instruction with the guard
// {register of %p1, negated}, opcode "ld", modifiers "global", "nc", "v2", "f32", and two operands:
// a vector of a register and a sink, and an address with a register and the offset 8.
#ifndef HLO_INDEXING_CODEGEN_PTX_SYNTAX_MODULE_H_
#define HLO_INDEXING_CODEGEN_PTX_SYNTAX_MODULE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hlo_indexing::ptx {

/// A byte of the module's text.
struct Place {
  uint32_t offset = 0;
};

/// State spaces (§5.1) that hold variables or are named by an access.
enum class Space : uint8_t { kGeneric, kConst, kGlobal, kLocal, kParam, kShared };

/// The fundamental types of PTX (§5.2), the packed and the alternate floating-point ones.
enum class Type : uint8_t {
  kPred,
  kB8,
  kB16,
  kB32,
  kB64,
  kB128,
  kU8,
  kU16,
  kU32,
  kU64,
  kS8,
  kS16,
  kS32,
  kS64,
  kU16x2,
  kS16x2,
  kF16,
  kBf16,
  kTf32,
  kF32,
  kF64,
  kF16x2,
  kBf16x2,
  kF32x2,
  kE4m3,
  kE5m2,
  kE4m3x2,
  kE5m2x2,
  kS4,
  kU4,
  kB1,
};

/// The type that a modifier or directive names, without the leading dot. Example: "f16x2" -> kF16x2
std::optional<Type> TypeNamed(std::string_view name);
std::string_view NameOf(Type type);
/// Bits of one value; a predicate has 1.
int BitWidth(Type type);
bool IsFloat(Type type);
bool IsSigned(Type type);

std::string_view NameOf(Space space);

namespace syntax {

/// A register of a function. Scopes are gone: registers of equal names are different entries.
struct Register {
  std::string_view name;
  Type type = Type::kB32;
  Place place;
  /// Of a range `.reg .b32 %r<4>`, whose registers have the name "%r", 0 to 3; else -1.
  int32_t number = -1;
  /// Of a vector `.reg .v2 .b32 %v`, 0 to 3 for `.x` to `.w`; else -1.
  int8_t component = -1;

  /// As an instruction names it. Example: "%r3", "%v.x"
  std::string FullName() const;
};

/// An initial value of an element of a variable: a number (its bits in the element's type), or the
/// address of a symbol, in the generic window or in its own space.
struct Initializer {
  /// Of a symbol: what is added to its address.
  uint64_t bits = 0;
  /// Index of a module variable or a function plus one; 0 where there is none.
  uint32_t variable = 0;
  uint32_t function = 0;
  bool is_generic = false;
  /// Of a symbol's address, the byte that is wanted (`0xFF00(symbol)`, §5.4.4); -1: all of it.
  int8_t byte_of_address = -1;
};

struct Variable {
  std::string_view name;
  Space space = Space::kGlobal;
  Type type = Type::kB8;
  Place place;
  /// Bytes; `type`'s size where no alignment is written.
  uint32_t alignment = 1;
  /// Elements of `type` (of vectors: scalars). 0: `.extern .shared x[]`, whose size the launch
  /// gives.
  uint64_t elements = 1;
  bool is_extern = false;
  /// Of a function's prototype: `.reg`, not `.param` (its space).
  bool is_register = false;
  /// For parameters of kernels: `.ptr` with the space and alignment of what it points to.
  bool is_pointer = false;
  Space pointer_space = Space::kGeneric;
  uint32_t pointer_alignment = 1;
  /// Of the first elements, rows of several dimensions one after the other; the others are zero.
  std::vector<Initializer> initializers;

  uint64_t SizeInBytes() const {
    return elements * static_cast<uint64_t>((BitWidth(type) + 7) / 8);
  }
};

/// What an operand is.
enum class OperandKind : uint8_t {
  kRegister,         // index; name: the part that a video instruction takes, "b0" of `%r1.b0`
  kSpecialRegister,  // name: "%tid.x", "%laneid", "WARP_SZ" is kInteger 32
  kInteger,          // bits: two's complement of 64 bits
  kFloat,            // bits: of f32 where is_single, else of f64
  kVariable,         // index (of the module or, where is_local, of the function), offset: `sym+4`;
                     // `sym[1]` too, with the offset in bytes
  kFunction,         // index
  kLabel,            // index
  kLabelList,        // index, of `.branchtargets` or `.calltargets`
  kPrototype,        // index, of `.callprototype`
  kAddress,          // elements[0]: register, variable or integer; offset. Of a tensor or texture,
                     // `[t, {x, y}]`, what follows the comma too: elements[1] is a vector
  kVector,           // elements
  kTuple,            // elements, of the parenthesised lists of a call
  kPredicatePair,    // elements: `p|q`
  kSink,             // `_`
};

struct Operand {
  OperandKind kind = OperandKind::kSink;
  Place place;
  /// `!%p`.
  bool is_negated = false;
  bool is_single = false;
  bool is_local = false;
  uint32_t index = 0;  // register, variable, function, label, label list or prototype by `kind`
  uint64_t bits = 0;
  int64_t offset = 0;
  std::string_view name;
  std::vector<Operand> elements;
};

struct Modifier {
  std::string_view name;
  Place place;
};

struct Guard {
  uint32_t register_index = 0;
  bool is_negated = false;
};

struct Instruction {
  std::string_view opcode;
  std::vector<Modifier> modifiers;
  std::optional<Guard> guard;
  std::vector<Operand> operands;
  Place place;
  /// Of the last `.loc` before it: index in Module::files (0: none), line.
  uint32_t source_file = 0;
  uint32_t source_line = 0;
};

struct Label {
  std::string_view name;
  Place place;
  /// Index in Function::instructions of what follows it (its size at the end of the body).
  uint32_t instruction = 0;
};

/// `.branchtargets` or, of functions, `.calltargets`; one of the two lists is empty.
struct LabelList {
  std::string_view name;
  Place place;
  std::vector<uint32_t> labels;
  std::vector<uint32_t> functions;
};

struct Prototype {
  std::string_view name;
  Place place;
  std::vector<Variable> results;
  std::vector<Variable> parameters;
};

/// An entry or function. Variables are its parameters, results, locals and those of `.param` space
/// in its scopes; registers of `.reg .b32 %r<4>` are four entries.
struct Function {
  std::string_view name;
  Place place;
  bool is_entry = false;
  /// False: declared here and defined in another module. A declaration and the definition in one
  /// module are one entry; what names an `.alias` names the function that it stands for.
  bool has_body = false;
  std::vector<uint32_t> results;     // indices in variables, or in registers where is_register_abi
  std::vector<uint32_t> parameters;  // likewise
  /// Parameters and results are `.reg` variables (§7.1).
  std::vector<bool> result_is_register;
  std::vector<bool> parameter_is_register;
  std::vector<Register> registers;
  std::vector<Variable> variables;
  std::vector<Label> labels;
  std::vector<LabelList> label_lists;
  std::vector<Prototype> prototypes;
  std::vector<Instruction> instructions;
  /// `.reqntid`, `.maxntid`; 0 where not given. `.minnctapersm`, `.maxnreg`.
  std::array<uint32_t, 3> required_block = {0, 0, 0};
  std::array<uint32_t, 3> max_block = {0, 0, 0};
  uint32_t min_blocks_per_multiprocessor = 0;
  uint32_t max_registers = 0;
  std::array<uint32_t, 3> required_cluster = {0, 0, 0};
  /// `.explicitcluster`, `.maxclusterrank`.
  bool is_explicit_cluster = false;
  uint32_t max_cluster_rank = 0;
};

struct Module {
  /// `.version`: 9.0 is 90. `.target sm_90a`: 90, "sm_90a".
  int version = 0;
  int target = 0;
  std::string_view target_name;
  int address_size = 64;
  /// In the order of their first mention, after an empty one that stands for none.
  std::vector<std::string> files;
  std::vector<Variable> variables;
  std::vector<Function> functions;
};

/// Calls `visit` with each operand of the function's instructions, and with the elements of each.
template <typename Visit>
void ForEachOperand(const Function& function, Visit visit) {
  std::vector<const Operand*> operands;
  for (const Instruction& instruction : function.instructions) {
    for (const Operand& operand : instruction.operands) operands.push_back(&operand);
    while (!operands.empty()) {
      const Operand& operand = *operands.back();
      operands.pop_back();
      visit(operand);
      for (const Operand& element : operand.elements) operands.push_back(&element);
    }
  }
}

}  // namespace syntax
}  // namespace hlo_indexing::ptx

#endif  // HLO_INDEXING_CODEGEN_PTX_SYNTAX_MODULE_H_
