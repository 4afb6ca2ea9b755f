// Modules run within small limits: they end, with a value or an error, and a run that records what
// is read gives the same. The bytes are HLO text, or, behind one that begins no text, choices of
// the random generators.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "hlo/interpreter/interpreter.h"
#include "hlo/parser/parser.h"
#include "hlo/shape_inference/verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "tests/property/random_opcode.h"
#include "tests/property/traced_run.h"

namespace {

using hlo_indexing::hlo::Arguments;
using hlo_indexing::hlo::ArrayValue;
using hlo_indexing::hlo::InterpreterOptions;
using hlo_indexing::hlo::Opcode;
using hlo_indexing::hlo::Shape;
using hlo_indexing::hlo::Value;
using hlo_indexing::testing::Random;

// Bytes up to here choose; text does not begin with them.
constexpr uint8_t kLastOfChoices = 0x08;

std::string TextOf(const uint8_t* data, size_t size) {
  if (size < 2 || data[0] > kLastOfChoices) return {reinterpret_cast<const char*>(data), size};
  Random random(std::vector<uint8_t>(data + 2, data + size));
  const std::vector<Opcode> fusible = hlo_indexing::testing::FusibleOpcodes();
  if (data[0] % 2 == 0) return RandomFusion(random, fusible);
  return RandomInstance(random, static_cast<Opcode>(data[1] % hlo_indexing::hlo::kNumOpcodes));
}

bool IsSmall(const Shape& shape) {
  constexpr int64_t kMaxElements = 4096;
  for (int64_t leaf = 0; leaf < shape.num_array_leaves(); ++leaf) {
    const Shape& array = shape.ArrayLeaf(leaf);
    if (array.HasUnboundedDimension() || array.num_elements() > kMaxElements) return false;
  }
  return shape.num_array_leaves() <= 64;
}

void Require(bool condition, const char* what, const std::string& text) {
  if (condition) return;
  llvm::errs() << what << "\n" << text;
  std::abort();
}

bool IsEqualValue(const Value& a, const Value& b) {
  const std::vector<const ArrayValue*> of_a = a.ArrayLeaves();
  const std::vector<const ArrayValue*> of_b = b.ArrayLeaves();
  if (of_a.size() != of_b.size()) return false;
  for (size_t i = 0; i < of_a.size(); ++i) {
    if (of_a[i]->bytes() != of_b[i]->bytes()) return false;
  }
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text = TextOf(data, size);
  const auto module = hlo_indexing::hlo::ParseModule(text);
  if (!module.ok() || !hlo_indexing::hlo::Verify(**module).ok()) return 0;
  const auto& entry = (*module)->entry();
  InterpreterOptions options;
  options.max_steps = 300'000;
  options.max_bytes = 1 << 24;
  options.max_call_depth = 50;
  options.num_replicas = hlo_indexing::testing::DevicesOf(**module);
  Random random(size);
  std::vector<Arguments> arguments(static_cast<size_t>(options.num_replicas));
  for (Arguments& of_device : arguments) {
    for (const auto* parameter : entry.parameters()) {
      if (!IsSmall(parameter->shape())) return 0;
      of_device.push_back(hlo_indexing::testing::RandomValue(parameter->shape(), random));
    }
  }
  const auto results = EvaluateOnDevices(entry, arguments, options);
  const auto trace = TraceReads(entry, arguments, options);
  // A trace runs every branch and takes more memory.
  if (!results.ok() || !trace.ok()) return 0;
  for (size_t device = 0; device < arguments.size(); ++device) {
    const Value& traced = trace->result(static_cast<int64_t>(device));
    Require(IsEqualValue((*results)[device], traced), "another value when traced", text);
    if (!IsSmall(traced.shape())) continue;
    const std::vector<const ArrayValue*> leaves = traced.ArrayLeaves();
    for (size_t leaf = 0; leaf < leaves.size(); ++leaf) {
      if (leaves[leaf]->size() == 0) continue;
      (void)trace->Reads(static_cast<int64_t>(leaf), 0, static_cast<int64_t>(device));
    }
    (void)traced.ToString();
  }
  return 0;
}
