#include "tests/property/random_opcode.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "tests/property/random_opcode_generators.h"

namespace hlo_indexing::testing {
namespace {

using hlo::Opcode;

// Operations on elements. `types` are those of the operands; `result` that of the result.
void Elementwise(RandomComputation& i, const std::string& name,
                 const std::vector<const char*>& types, const char* result,
                 const std::string& attributes = "") {
  const Sizes sizes = i.SomeSizes(0, 3);
  std::string operands;
  for (const char* type : types) {
    operands += (operands.empty() ? "" : ", ") + i.Operand(type, sizes);
  }
  i.Result(ShapeText(result, sizes), name + "(" + operands + ")" + attributes);
}

void Clamp(RandomComputation& i) {
  const Sizes sizes = i.SomeSizes(0, 3);
  const auto bound = [&] { return i.Operand(i.Maybe() ? sizes : Sizes()); };
  const std::string low = bound();
  const std::string value = i.Operand(sizes);
  i.Result(sizes, "clamp(" + low + ", " + value + ", " + bound() + ")");
}

void Select(RandomComputation& i) {
  const Sizes sizes = i.SomeSizes(0, 3);
  const std::string chosen = i.Operand("pred", i.Maybe() ? sizes : Sizes());
  const std::string on_true = i.Operand(sizes);
  i.Result(sizes, "select(" + chosen + ", " + on_true + ", " + i.Operand(sizes) + ")");
}

void Map(RandomComputation& i) {
  const Sizes sizes = i.SomeSizes(1, 3);
  Sizes all(sizes.size());
  std::iota(all.begin(), all.end(), 0);
  const std::string a = i.Operand(sizes);
  const std::string b = i.Operand(sizes);
  i.Result(sizes, "map(" + a + ", " + b + "), dimensions=" + Braces(all) +
                      ", to_apply=" + i.callees.Add("add", generate::kAdd));
}

bool IsOneOf(Opcode opcode, std::initializer_list<Opcode> opcodes) {
  return std::find(opcodes.begin(), opcodes.end(), opcode) != opcodes.end();
}

// Opcodes that make an element of one element of each operand, by their types.
bool ElementwiseInstance(RandomComputation& i, Opcode opcode) {
  const std::string name = hlo::OpcodeName(opcode).str();
  const hlo::OpcodeInfo& info = hlo::InfoOf(opcode);
  if (IsOneOf(opcode,
              {Opcode::kAnd, Opcode::kOr, Opcode::kXor, Opcode::kShiftLeft,
               Opcode::kShiftRightArithmetic, Opcode::kShiftRightLogical, Opcode::kMulhi})) {
    Elementwise(i, name, {"s32", "s32"}, "s32");
  } else if (IsOneOf(opcode,
                     {Opcode::kNot, Opcode::kPopulationCount, Opcode::kCountLeadingZeros})) {
    Elementwise(i, name, {"s32"}, "s32");
  } else if (opcode == Opcode::kCompare) {
    Elementwise(i, name, {"f32", "f32"}, "pred", ", direction=LT");
  } else if (opcode == Opcode::kComplex) {
    Elementwise(i, name, {"f32", "f32"}, "c64");
  } else if (IsOneOf(opcode, {Opcode::kReal, Opcode::kImag})) {
    Elementwise(i, name, {"c64"}, "f32");
  } else if (opcode == Opcode::kConvert) {
    Elementwise(i, name, {"f32"}, "s8");
  } else if (opcode == Opcode::kIsFinite) {
    Elementwise(i, name, {"f32"}, "pred");
  } else if (opcode == Opcode::kReducePrecision) {
    Elementwise(i, name, {"f32"}, "f32", ", exponent_bits=5, mantissa_bits=10");
  } else if (opcode == Opcode::kStochasticConvert) {
    Elementwise(i, name, {"f32", "u32"}, "s8");
  } else if (info.max_operands == 1 && info.required_attributes.empty()) {
    Elementwise(i, name, {"f32"}, "f32");
  } else if (info.min_operands == 2 && info.max_operands == 2 && info.required_attributes.empty()) {
    Elementwise(i, name, {"f32", "f32"}, "f32");
  } else {
    return false;
  }
  return true;
}

// Opcodes that read nothing.
bool SourceInstance(RandomComputation& i, Opcode opcode) {
  const Sizes sizes = i.SomeSizes(1, 2);
  switch (opcode) {
    case Opcode::kAfterAll:
      i.Result("token[]", "after-all(" + i.Line("token[]", "after-all()") + ")");
      return true;
    case Opcode::kConstant:
      i.Result("f32[]", "constant(1.5)");
      return true;
    case Opcode::kIota:
      i.Result(sizes, "iota(), iota_dimension=0");
      return true;
    case Opcode::kParameter:
      i.Result(sizes, "parameter(0)");
      return true;
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
      i.Result("u32[]", hlo::OpcodeName(opcode).str() + "()");
      return true;
    case Opcode::kRngGetAndUpdateState:
      i.Result("u64[2]", "rng-get-and-update-state(), delta=3");
      return true;
    case Opcode::kInfeed:
      i.Result("(" + ShapeText("f32", sizes) + ", token[])",
               "infeed(" + i.Line("token[]", "after-all()") + ")");
      return true;
    case Opcode::kOutfeed: {
      const std::string shape = ShapeText("f32", sizes);
      const std::string value = i.AddParameter(shape);
      const std::string token = i.Line("token[]", "after-all()");
      i.Result("token[]", "outfeed(" + value + ", " + token + "), outfeed_shape=" + shape);
      return true;
    }
    case Opcode::kRecv:
      i.Result("(" + ShapeText("f32", sizes) + ", u32[], token[])",
               "recv(" + i.Line("token[]", "after-all()") + "), channel_id=1");
      return true;
    case Opcode::kSendDone:
      i.Result("token[]",
               "send-done(" + i.AddParameter("(f32[3], u32[], token[])") + "), channel_id=1");
      return true;
    case Opcode::kGetDimensionSize:
      i.Result("s32[]", "get-dimension-size(" + i.Operand(sizes) + "), dimensions={0}");
      return true;
    default:
      return false;
  }
}

using Generator = void (*)(RandomComputation&);

const std::map<Opcode, Generator>& Generators() {
  using namespace generate;  // NOLINT(google-build-using-namespace)
  static const auto* const kGenerators = new std::map<Opcode, Generator>{
      {Opcode::kAddDependency, AddDependency},
      {Opcode::kAllGather, AllGather},
      {Opcode::kAllGatherDone, [](RandomComputation& i) { Done(i, Opcode::kAllGatherDone); }},
      {Opcode::kAllGatherStart, AllGatherStart},
      {Opcode::kAllReduce, [](RandomComputation& i) { AllReduce(i, Opcode::kAllReduce); }},
      {Opcode::kAllReduceDone, [](RandomComputation& i) { Done(i, Opcode::kAllReduceDone); }},
      {Opcode::kAllReduceStart,
       [](RandomComputation& i) { AllReduce(i, Opcode::kAllReduceStart); }},
      {Opcode::kAllToAll, AllToAll},
      {Opcode::kAsyncDone, AsyncDone},
      {Opcode::kAsyncStart, AsyncStart},
      {Opcode::kAsyncUpdate, AsyncUpdate},
      {Opcode::kBatchNormGrad, [](RandomComputation& i) { BatchNorm(i, Opcode::kBatchNormGrad); }},
      {Opcode::kBatchNormInference,
       [](RandomComputation& i) { BatchNorm(i, Opcode::kBatchNormInference); }},
      {Opcode::kBatchNormTraining,
       [](RandomComputation& i) { BatchNorm(i, Opcode::kBatchNormTraining); }},
      {Opcode::kBitcast, Bitcast},
      {Opcode::kBitcastConvert, BitcastConvert},
      {Opcode::kBroadcast, Broadcast},
      {Opcode::kCall, [](RandomComputation& i) { Called(i, Opcode::kCall); }},
      {Opcode::kCholesky, Cholesky},
      {Opcode::kClamp, Clamp},
      {Opcode::kCollectiveBroadcast, CollectiveBroadcast},
      {Opcode::kCollectivePermute,
       [](RandomComputation& i) { CollectivePermute(i, Opcode::kCollectivePermute); }},
      {Opcode::kCollectivePermuteDone,
       [](RandomComputation& i) { Done(i, Opcode::kCollectivePermuteDone); }},
      {Opcode::kCollectivePermuteStart,
       [](RandomComputation& i) { CollectivePermute(i, Opcode::kCollectivePermuteStart); }},
      {Opcode::kConcatenate, Concatenate},
      {Opcode::kConditional, Conditional},
      {Opcode::kConvolution, Convolution},
      {Opcode::kCopy, [](RandomComputation& i) { PassOn(i, "copy"); }},
      {Opcode::kCopyDone, [](RandomComputation& i) { Done(i, Opcode::kCopyDone); }},
      {Opcode::kCopyStart, CopyStart},
      {Opcode::kDomain,
       [](RandomComputation& i) {
         PassOn(i, "domain", ", domain={kind=\"sharding\", entry={replicated}, exit={replicated}}");
       }},
      {Opcode::kDot, Dot},
      {Opcode::kDynamicReshape, DynamicReshape},
      {Opcode::kDynamicSlice, DynamicSlice},
      {Opcode::kDynamicUpdateSlice, DynamicUpdateSlice},
      {Opcode::kFft, Fft},
      {Opcode::kFusion, [](RandomComputation& i) { Called(i, Opcode::kFusion); }},
      {Opcode::kGather, Gather},
      {Opcode::kGetTupleElement, GetTupleElement},
      {Opcode::kMap, Map},
      {Opcode::kOptimizationBarrier, [](RandomComputation& i) { PassOn(i, "opt-barrier"); }},
      {Opcode::kPad, Pad},
      {Opcode::kRaggedAllToAll, RaggedAllToAll},
      {Opcode::kRaggedDot, RaggedDot},
      {Opcode::kRecvDone, [](RandomComputation& i) { Done(i, Opcode::kRecvDone); }},
      {Opcode::kReduce, Reduce},
      {Opcode::kReduceScatter, ReduceScatter},
      {Opcode::kReduceWindow, ReduceWindow},
      {Opcode::kReshape, Reshape},
      {Opcode::kReverse, Reverse},
      {Opcode::kRng, Rng},
      {Opcode::kRngBitGenerator, RngBitGenerator},
      {Opcode::kScaledDot, ScaledDot},
      {Opcode::kScan, Scan},
      {Opcode::kScatter, Scatter},
      {Opcode::kSelect, Select},
      {Opcode::kSelectAndScatter, SelectAndScatter},
      {Opcode::kSend, Send},
      {Opcode::kSetDimensionSize, SetDimensionSize},
      {Opcode::kSlice, Slice},
      {Opcode::kSort, Sort},
      {Opcode::kTopK, TopK},
      {Opcode::kTranspose, Transpose},
      {Opcode::kTriangularSolve, TriangularSolve},
      {Opcode::kTuple, Tuple},
      {Opcode::kWhile, While},
  };
  return *kGenerators;
}

// Writes an instance; false for opcodes without a generator.
bool WriteInstance(RandomComputation& i, Opcode opcode) {
  const auto found = Generators().find(opcode);
  if (found == Generators().end()) {
    return SourceInstance(i, opcode) || ElementwiseInstance(i, opcode);
  }
  found->second(i);
  return true;
}

std::string ModuleText(const Callees& callees, const std::string& entry) {
  return "HloModule random, replica_count=" + std::to_string(kNumDevices) + "\n" + callees.Text() +
         "ENTRY main {\n" + entry + "}\n";
}

// Opcodes whose results others compute with, and that a computation may hold beside any others.
bool IsUsable(Opcode opcode) {
  switch (opcode) {
    // They have no value, or none that others could take.
    case Opcode::kAfterAll:
    case Opcode::kAsyncStart:
    case Opcode::kAsyncUpdate:
    case Opcode::kCustomCall:
    case Opcode::kGetTupleElement:
    case Opcode::kInfeed:
    case Opcode::kOutfeed:
    case Opcode::kParameter:
    case Opcode::kRecv:
    case Opcode::kRecvDone:
    case Opcode::kRng:
    case Opcode::kRngGetAndUpdateState:
    case Opcode::kSend:
    case Opcode::kSendDone:
    case Opcode::kTuple:
    // Few others take an array that is not filled.
    case Opcode::kSetDimensionSize:
      return false;
    default:
      return true;
  }
}

// Writes computations that call each other.
class FusionWriter {
 public:
  FusionWriter(Random& random, const std::vector<Opcode>& opcodes)
      : random_(random), opcodes_(opcodes) {}

  std::string Module() {
    const Callee top = Write(random_.Between(0, 2));
    RandomComputation entry(random_, RandomComputation::Operands::kParameters, callees_);
    std::string operands;
    for (const auto& parameter : top.parameters) {
      operands += (operands.empty() ? "" : ", ") + entry.AddParameter(parameter.shape);
    }
    entry.Result(top.result, CallOf(top, operands));
    return ModuleText(callees_, entry.body());
  }

 private:
  struct Callee {
    std::string name;
    std::vector<RandomComputation::Parameter> parameters;
    std::string result;
  };

  // A computation, and those that it calls.
  Callee Write(int64_t depth) {
    RandomComputation i(random_, RandomComputation::Operands::kValues, callees_);
    const int64_t arrays = random_.Between(1, 2);
    for (int64_t k = 0; k < arrays; ++k) i.AddArrayParameter();
    const int64_t operations = random_.Between(1, 4);
    for (int64_t k = 0; k < operations; ++k) {
      if (depth > 0 && (k == 0 || random_.OneIn(5))) {
        AddCall(i, depth - 1);
      } else {
        WriteInstance(i, random_.Pick(opcodes_));
      }
    }
    Callee callee;
    callee.result = i.AddRoot();
    callee.parameters = i.parameters();
    callee.name = callees_.Add("fused", "{\n" + i.body() + "}");
    written_.push_back(callee);
    return callee;
  }

  void AddCall(RandomComputation& i, int64_t depth) {
    const bool is_known = !written_.empty() && random_.OneIn(3);
    const Callee callee = is_known ? random_.Pick(written_) : Write(depth);
    std::string operands;
    for (const auto& parameter : callee.parameters) {
      using Kind = RandomComputation::Parameter::Kind;
      const std::string operand = parameter.kind == Kind::kArray ? i.Operand(parameter.sizes)
                                  : parameter.kind == Kind::kIndex
                                      ? i.Index()
                                      : i.AddParameter(parameter.shape);
      operands += (operands.empty() ? "" : ", ") + operand;
    }
    i.Result(callee.result, CallOf(callee, operands));
  }

  std::string CallOf(const Callee& callee, const std::string& operands) {
    return random_.OneIn(2) ? "call(" + operands + "), to_apply=" + callee.name
                            : "fusion(" + operands + "), kind=kLoop, calls=" + callee.name;
  }

  Random& random_;
  const std::vector<Opcode>& opcodes_;
  Callees callees_;
  std::vector<Callee> written_;
};

}  // namespace

std::string RandomInstance(Random& random, Opcode opcode) {
  Callees callees;
  RandomComputation computation(random, RandomComputation::Operands::kParameters, callees);
  if (!WriteInstance(computation, opcode)) return "";
  return ModuleText(callees, computation.body());
}

std::string RandomFusion(Random& random, const std::vector<Opcode>& opcodes) {
  return FusionWriter(random, opcodes).Module();
}

int64_t DevicesOf(const hlo::Module& module) {
  for (const hlo::Computation* computation : module.computations()) {
    for (const hlo::Instruction* instruction : computation->instructions()) {
      if (IsOneOf(
              instruction->opcode(),
              {Opcode::kAllGather, Opcode::kAllGatherStart, Opcode::kAllReduce,
               Opcode::kAllReduceStart, Opcode::kAllToAll, Opcode::kCollectiveBroadcast,
               Opcode::kCollectivePermute, Opcode::kCollectivePermuteStart, Opcode::kPartitionId,
               Opcode::kRaggedAllToAll, Opcode::kReduceScatter, Opcode::kReplicaId})) {
        return kNumDevices;
      }
    }
  }
  return 1;
}

std::vector<Opcode> FusibleOpcodes() {
  std::vector<Opcode> opcodes;
  for (int i = 0; i < hlo::kNumOpcodes; ++i) {
    if (IsUsable(static_cast<Opcode>(i))) opcodes.push_back(static_cast<Opcode>(i));
  }
  return opcodes;
}

}  // namespace hlo_indexing::testing
