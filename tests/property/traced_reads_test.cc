// What the interpreter's trace says agrees with what values show. An element that changes with an
// element of an operand must read it; where nothing hides a change, every element that is read must
// show. So the trace is checked without a rule of any opcode, and may stand as the oracle of the
// maps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>

#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "tests/property/num_cases.h"
#include "tests/property/random_opcode.h"
#include "tests/property/traced_run.h"

namespace hlo_indexing::testing {
namespace {

using hlo::Arguments;
using hlo::ArrayValue;
using hlo::Element;
using hlo::ElementClass;
using hlo::Instruction;
using hlo::Opcode;
using hlo::Source;
using hlo::Value;

// Whether a number is changed to one far away, or in any way.
enum class Far : uint8_t { kAlways, kPerhaps };

// Another value of the element.
Element Changed(const ArrayValue& array, int64_t position, Far far, Random& random) {
  const Element old = array.Get(position);
  if (array.type() == hlo::ElementType::kPred) return hlo::IntegerElement(1 - old.integer);
  if (hlo::IsIntegral(array.type())) return hlo::IntegerElement(old.integer + random.Between(1, 3));
  switch (far == Far::kAlways ? 0 : random.Between(0, 3)) {
    case 1:
      return {.real = -old.real, .imag = -old.imag};
    case 2:
      return {.real = old.real / 4, .imag = old.imag / 4};
    case 3:
      return hlo::FloatElement(std::numeric_limits<double>::infinity());
    default:
      return {.real = old.real + 1024, .imag = old.imag + 512};
  }
}

// The value with one element of one of its arrays changed.
Value WithChange(const Value& value, int64_t& leaf, int64_t position, Far far, Random& random) {
  if (value.IsArray()) {
    if (leaf-- != 0) return value;
    auto array = std::make_shared<ArrayValue>(&value.shape());
    for (int64_t i = 0; i < array->size(); ++i) array->CopyFrom(i, value.array(), i);
    array->Set(position, Changed(value.array(), position, far, random));
    array->CopyDimensionSizes(value.array());
    return Value(std::move(array));
  }
  if (value.elements().empty()) return value;
  std::vector<Value> elements;
  for (const Value& element : value.elements()) {
    elements.push_back(WithChange(element, leaf, position, far, random));
  }
  return Value::Tuple(&value.shape(), std::move(elements));
}

std::vector<Source> SourcesOf(const std::vector<Arguments>& operands) {
  std::vector<Source> sources;
  for (size_t device = 0; device < operands.size(); ++device) {
    for (size_t i = 0; i < operands[device].size(); ++i) {
      const auto leaves = operands[device][i].ArrayLeaves();
      for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
        for (int64_t k = 0; k < leaves[leaf]->size(); ++k) {
          sources.push_back({static_cast<int32_t>(device), static_cast<int32_t>(i),
                             static_cast<int64_t>(leaf), k});
        }
      }
    }
  }
  return sources;
}

bool IsEqualElement(const ArrayValue& a, const ArrayValue& b, int64_t position) {
  const size_t width = a.bytes().size() / static_cast<size_t>(a.size());
  const size_t at = static_cast<size_t>(position) * width;
  return std::memcmp(a.bytes().data() + at, b.bytes().data() + at, width) == 0;
}

// Whether a change of a number that an element reads always shows. Not where it may be one of
// several that count, be multiplied by what may be 0, or be rounded away.
bool ShowsWhatIsRead(const Instruction& instruction) {
  switch (instruction.opcode()) {
    case Opcode::kAdd:
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kAllToAll:
    case Opcode::kAsyncDone:
    case Opcode::kAsyncStart:
    case Opcode::kBroadcast:
    case Opcode::kCall:
    case Opcode::kCollectiveBroadcast:
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kConcatenate:
    case Opcode::kConvolution:
    case Opcode::kCopy:
    case Opcode::kCopyStart:
    case Opcode::kDot:
    case Opcode::kDynamicReshape:
    case Opcode::kDynamicSlice:
    case Opcode::kDynamicUpdateSlice:
    case Opcode::kFusion:
    case Opcode::kGather:
    case Opcode::kGetTupleElement:
    case Opcode::kMap:
    case Opcode::kNegate:
    case Opcode::kPad:
    case Opcode::kRaggedAllToAll:
    case Opcode::kRaggedDot:
    case Opcode::kReduceScatter:
    case Opcode::kReshape:
    case Opcode::kReverse:
    case Opcode::kScaledDot:
    case Opcode::kScan:
    case Opcode::kSlice:
    case Opcode::kSubtract:
    case Opcode::kTranspose:
    case Opcode::kTuple:
      return true;
    // Of pairs, each result counts as read from both; products may vanish.
    case Opcode::kReduce:
    case Opcode::kReduceWindow:
    case Opcode::kScatter:
      return !instruction.shape().IsTuple();
    default:
      return false;
  }
}

bool IsNumber(const Value& operand, const Source& source) {
  const ArrayValue& array = *operand.ArrayLeaves()[static_cast<size_t>(source.leaf)];
  return hlo::ClassOf(array.type()) == ElementClass::kFloat;
}

std::string TextOf(const Source& source) {
  return "operand " + std::to_string(source.argument) + ", array " + std::to_string(source.leaf) +
         ", element " + std::to_string(source.element) + " on device " +
         std::to_string(source.device);
}

// How many changes showed.
int64_t CheckInstance(const Instruction& root, RunValues& values, Random& random) {
  const auto operands = values.OperandsOf(root, {});
  const auto before = hlo::TraceReads(root, *operands, values.options());
  EXPECT_TRUE(before.ok()) << before.status().message();
  if (!before.ok()) return 0;
  constexpr size_t kChanges = 40;
  std::vector<Source> sources = SourcesOf(*operands);
  while (sources.size() > kChanges) {
    sources.erase(sources.begin() + random.Between(0, static_cast<int64_t>(sources.size()) - 1));
  }
  int64_t shown = 0;
  for (const Source& source : sources) {
    std::vector<Arguments> changed = *operands;
    Value& operand =
        changed[static_cast<size_t>(source.device)][static_cast<size_t>(source.argument)];
    const bool must_show = ShowsWhatIsRead(root) && IsNumber(operand, source);
    int64_t leaf = source.leaf;
    operand =
        WithChange(operand, leaf, source.element, must_show ? Far::kAlways : Far::kPerhaps, random);
    const auto after = hlo::TraceReads(root, changed, values.options());
    // Another size may not fit.
    if (!after.ok()) continue;
    for (int64_t device = 0; device < values.num_devices(); ++device) {
      const auto old_leaves = before->result(device).ArrayLeaves();
      const auto new_leaves = after->result(device).ArrayLeaves();
      for (size_t k = 0; k < old_leaves.size(); ++k) {
        for (int64_t i = 0; i < old_leaves[k]->size(); ++i) {
          const bool shows = !IsEqualElement(*old_leaves[k], *new_leaves[k], i);
          const std::vector<Source> reads = before->Reads(static_cast<int64_t>(k), i, device);
          const bool is_read = std::binary_search(reads.begin(), reads.end(), source);
          shown += shows ? 1 : 0;
          EXPECT_TRUE(is_read || !shows) << "not said to be read: " << TextOf(source);
          EXPECT_TRUE(shows || !is_read || !must_show) << "does not show: " << TextOf(source);
          if (::testing::Test::HasFailure()) return shown;
        }
      }
    }
  }
  return shown;
}

// What has no value, or reads nothing.
bool IsLeftOut(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAfterAll:
    case Opcode::kConstant:
    case Opcode::kCustomCall:
    case Opcode::kGetDimensionSize:
    case Opcode::kIota:
    case Opcode::kPartitionId:
    case Opcode::kReplicaId:
      return true;
    default:
      return HasNoValue(opcode);
  }
}

TEST(TracedReads, AreWhatValuesShow) {
  // As many everywhere: with fewer, no change shows in some opcodes.
  const auto instances =
      static_cast<uint64_t>(NumCases("HLO_INDEXING_RANDOM_TRACES", 12 * kShareOfCases));
  for (int number = 0; number < hlo::kNumOpcodes && !HasFailure(); ++number) {
    const auto opcode = static_cast<Opcode>(number);
    if (IsLeftOut(opcode)) continue;
    int64_t shown = 0;
    for (uint64_t seed = 0; seed < instances && !HasFailure(); ++seed) {
      Random random(seed * hlo::kNumOpcodes + static_cast<uint64_t>(number));
      const std::string text = RandomInstance(random, opcode);
      SCOPED_TRACE(text);
      const auto module = hlo::ParseModule(text);
      ASSERT_TRUE(module.ok()) << module.status().message();
      const absl::Status verified = hlo::Verify(**module);
      ASSERT_TRUE(verified.ok()) << verified.message();
      RunValues values(**module, random, DevicesOf(**module));
      shown += CheckInstance((*module)->entry().root(), values, random);
    }
    EXPECT_GT(shown, 0) << "no change has shown in " << hlo::OpcodeName(opcode).str();
  }
}

}  // namespace
}  // namespace hlo_indexing::testing
