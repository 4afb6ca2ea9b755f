// One function per opcode, or family, that writes a random instance of it with all its attributes.
// Private to the generator.
#ifndef HLO_INDEXING_TESTS_PROPERTY_RANDOM_OPCODE_GENERATORS_H_
#define HLO_INDEXING_TESTS_PROPERTY_RANDOM_OPCODE_GENERATORS_H_

#include <string>

#include "hlo/opcode.h"
#include "tests/property/random_computation.h"

namespace hlo_indexing::testing::generate {

/// Computations that others call.
inline constexpr char kAdd[] =
    "{\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  ROOT c = f32[] add(a, b)\n}";
inline constexpr char kTake[] = "{\n  a = f32[] parameter(0)\n  ROOT b = f32[] parameter(1)\n}";
inline constexpr char kGreater[] =
    "{\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n"
    "  ROOT c = pred[] compare(a, b), direction=GT\n}";
inline constexpr char kAddPairs[] =
    "{\n  a = f32[] parameter(0)\n  b = f32[] parameter(1)\n  c = f32[] parameter(2)\n"
    "  d = f32[] parameter(3)\n  e = f32[] add(a, c)\n  f = f32[] multiply(b, d)\n"
    "  ROOT g = (f32[], f32[]) tuple(e, f)\n}";

/// Makes the result `OPCODE(operands, initial values), attributes, to_apply=...` of these sizes: of
/// one array, or of two together.
void ReduceArrays(RandomComputation& i, const std::string& opcode, const Sizes& operand,
                  const Sizes& result, const std::string& attributes);

// random_opcode_movement.cc
void Broadcast(RandomComputation& i);
void Transpose(RandomComputation& i);
void Reverse(RandomComputation& i);
void Reshape(RandomComputation& i);
void DynamicReshape(RandomComputation& i);
void Bitcast(RandomComputation& i);
void BitcastConvert(RandomComputation& i);
void Slice(RandomComputation& i);
void Pad(RandomComputation& i);
void Concatenate(RandomComputation& i);
void SetDimensionSize(RandomComputation& i);

// random_opcode_indexed.cc
void DynamicSlice(RandomComputation& i);
void DynamicUpdateSlice(RandomComputation& i);
void Gather(RandomComputation& i);
void Scatter(RandomComputation& i);

// random_opcode_windows.cc
void ReduceWindow(RandomComputation& i);
void SelectAndScatter(RandomComputation& i);
void Convolution(RandomComputation& i);

// random_opcode_contraction.cc, with ReduceArrays
void Reduce(RandomComputation& i);
void Dot(RandomComputation& i);
void ScaledDot(RandomComputation& i);
void RaggedDot(RandomComputation& i);

// random_opcode_lines.cc
void Sort(RandomComputation& i);
void TopK(RandomComputation& i);
void Fft(RandomComputation& i);
void Scan(RandomComputation& i);
void BatchNorm(RandomComputation& i, hlo::Opcode opcode);
void Cholesky(RandomComputation& i);
void TriangularSolve(RandomComputation& i);

// random_opcode_collectives.cc
void AllReduce(RandomComputation& i, hlo::Opcode opcode);
void AllGather(RandomComputation& i);
void AllGatherStart(RandomComputation& i);
void ReduceScatter(RandomComputation& i);
void AllToAll(RandomComputation& i);
void CollectiveBroadcast(RandomComputation& i);
void CollectivePermute(RandomComputation& i, hlo::Opcode opcode);
void RaggedAllToAll(RandomComputation& i);

// random_opcode_control.cc
void Tuple(RandomComputation& i);
void GetTupleElement(RandomComputation& i);
void PassOn(RandomComputation& i, const std::string& name, const std::string& attributes = "");
void AddDependency(RandomComputation& i);
void Done(RandomComputation& i, hlo::Opcode opcode);
void CopyStart(RandomComputation& i);
void Send(RandomComputation& i);
void AsyncStart(RandomComputation& i);
void AsyncUpdate(RandomComputation& i);
void AsyncDone(RandomComputation& i);
void Conditional(RandomComputation& i);
void While(RandomComputation& i);
void Called(RandomComputation& i, hlo::Opcode opcode);
void Rng(RandomComputation& i);
void RngBitGenerator(RandomComputation& i);

}  // namespace hlo_indexing::testing::generate

#endif  // HLO_INDEXING_TESTS_PROPERTY_RANDOM_OPCODE_GENERATORS_H_
