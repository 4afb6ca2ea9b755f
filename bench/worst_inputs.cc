#include "bench/worst_inputs.h"

#include <algorithm>
#include <random>
#include <vector>

namespace hlo_indexing::bench {
namespace {

using Sizes = std::vector<int64_t>;

constexpr uint64_t kSeed = 24;

class Choices {
 public:
  int64_t Between(int64_t low, int64_t high) {
    return low + static_cast<int64_t>(engine_() % static_cast<uint64_t>(high - low + 1));
  }

 private:
  std::mt19937_64 engine_{kSeed};
};

// Up to 5 sizes, with the prime factors of `total` dealt out among them.
Sizes RandomSizes(Choices& choices, int64_t total) {
  Sizes sizes(static_cast<size_t>(choices.Between(1, 5)), 1);
  for (int64_t prime = 2; total > 1; ++prime) {
    for (; total % prime == 0; total /= prime) {
      sizes[static_cast<size_t>(choices.Between(0, static_cast<int64_t>(sizes.size()) - 1))] *=
          prime;
    }
  }
  return sizes;
}

std::string Shape(const Sizes& sizes) {
  std::string text;
  for (const int64_t size : sizes) text += (text.empty() ? "" : ",") + std::to_string(size);
  return "f32[" + text + "]";
}

// "x0", from the parts "x" and 0.
std::string Name(const char* name, int64_t number) { return name + std::to_string(number); }

// "a, a, a"
std::string Repeat(const std::string& text, int64_t count) {
  std::string all;
  for (int64_t i = 0; i < count; ++i) all += (i == 0 ? "" : ", ") + text;
  return all;
}

// "x0, x1, x2"
std::string Names(const char* name, int64_t count) {
  std::string all;
  for (int64_t i = 0; i < count; ++i) all += (i == 0 ? "" : ", ") + Name(name, i);
  return all;
}

// Writes instructions one by one.
class Body {
 public:
  // "  x0 = f32[8] negate(p)"; the name.
  std::string Line(const std::string& name, const std::string& shape,
                   const std::string& operation) {
    text_ += "  " + name + " = " + shape + " " + operation + "\n";
    return name;
  }
  std::string Root(const std::string& shape, const std::string& operation) {
    return Line("ROOT r", shape, operation);
  }
  std::string Computation(const std::string& name) const { return name + " {\n" + text_ + "}\n"; }
  std::string Entry() const { return Computation("ENTRY e"); }

 private:
  std::string text_;
};

// A computation of random unaligned reshapes and transposes.
struct Chain {
  std::string first_shape;
  std::string last_shape;
  std::string body;
  // The last instruction.
  std::string last;
};

Chain RandomChain(int64_t length, int64_t total, ChainSteps steps) {
  Choices choices;
  Sizes sizes = RandomSizes(choices, total);
  Chain chain;
  chain.first_shape = Shape(sizes);
  chain.body = "  v0 = " + chain.first_shape + " parameter(0)\n";
  int64_t count = 0;
  const auto line = [&](const std::string& opcode, const std::string& attributes) {
    const std::string operand = Name("v", count++);
    chain.body += "  " + Name("v", count) + " = " + Shape(sizes) + " " + opcode + "(" + operand +
                  ")" + attributes + "\n";
  };
  for (int64_t i = 0; i < length; ++i) {
    sizes = RandomSizes(choices, total);
    line("reshape", "");
    if (steps == ChainSteps::kReshapes) continue;
    std::reverse(sizes.begin(), sizes.end());
    std::string order;
    for (size_t d = sizes.size(); d-- > 0;) order += (order.empty() ? "" : ",") + std::to_string(d);
    line("transpose", ", dimensions={" + order + "}");
  }
  chain.last_shape = Shape(sizes);
  chain.last = Name("v", count);
  return chain;
}

Chain UnalignedChain(int64_t length) {
  return RandomChain(length, kUnalignedTotal, ChainSteps::kReshapesAndTransposes);
}

std::string UnalignedReshapesAndTransposes(int64_t length) {
  return ReshapeChain(length, kUnalignedTotal, ChainSteps::kReshapesAndTransposes);
}

// Equal transposes, side by side.
std::string Repeated(int64_t count) {
  Body entry;
  entry.Line("p", "f32[8,6]", "parameter(0)");
  for (int64_t i = 0; i < count; ++i) {
    entry.Line(Name("t", i), "f32[6,8]", "transpose(p), dimensions={1,0}");
  }
  entry.Root("f32[6,8]", "negate(t0)");
  return entry.Entry();
}

// Equal fusions, side by side, each of unaligned reshapes and transposes.
std::string RepeatedFusions(int64_t count) {
  const Chain chain = UnalignedChain(60);
  Body entry;
  entry.Line("p", chain.first_shape, "parameter(0)");
  for (int64_t i = 0; i < count; ++i) {
    entry.Line(Name("f", i), chain.last_shape, "fusion(p), kind=kLoop, calls=chain");
  }
  entry.Root(chain.last_shape, "negate(f0)");
  return "chain {\n" + chain.body + "}\n" + entry.Entry();
}

// Fusions of computations of their own that read the same.
std::string FusionsWithSameMaps(int64_t count) {
  const Chain chain = UnalignedChain(3);
  std::string callees;
  Body entry;
  entry.Line("p", chain.first_shape, "parameter(0)");
  for (int64_t i = 0; i < count; ++i) {
    callees += Name("f", i) + " {\n" + chain.body + "  ROOT r = " + chain.last_shape + " negate(" +
               chain.last + ")\n}\n";
    entry.Line(Name("x", i), chain.last_shape, "fusion(p), kind=kLoop, calls=" + Name("f", i));
  }
  entry.Root(chain.last_shape, "negate(x0)");
  return callees + entry.Entry();
}

// A fusion with equal dynamic slices of many arrays, by one start.
std::string SlicesOfManyArrays(int64_t count) {
  Body fused;
  Body entry;
  const auto parameters = [&](Body& body) {
    body.Line("i", "s32[]", "parameter(0)");
    for (int64_t k = 0; k < count; ++k) {
      body.Line(Name("p", k), "f32[60,77]", "parameter(" + std::to_string(k + 1) + ")");
    }
  };
  parameters(fused);
  parameters(entry);
  for (int64_t k = 0; k < count; ++k) {
    fused.Line(Name("s", k), "f32[20,30]",
               "dynamic-slice(" + Name("p", k) + ", i, i), dynamic_slice_sizes={20,30}");
  }
  fused.Line("a0", "f32[20,30]", "negate(s0)");
  for (int64_t k = 1; k < count; ++k) {
    fused.Line(Name("a", k), "f32[20,30]", "add(" + Name("a", k - 1) + ", " + Name("s", k) + ")");
  }
  fused.Root("f32[24,25]", "reshape(" + Name("a", count - 1) + ")");
  entry.Root("f32[24,25]", "fusion(i, " + Names("p", count) + "), kind=kLoop, calls=fused");
  return fused.Computation("fused") + entry.Entry();
}

// Many arrays in a tuple, taken out one by one, each time of the next tuple.
std::string WideTuples(int64_t width) {
  constexpr int64_t kTuples = 20;
  Body entry;
  for (int64_t i = 0; i < width; ++i) {
    entry.Line("x0_" + std::to_string(i), "f32[8,16,32]", "parameter(" + std::to_string(i) + ")");
  }
  const std::string shape = "(" + Repeat("f32[8,16,32]", width) + ")";
  for (int64_t k = 0; k < kTuples; ++k) {
    const std::string from = Name("x", k) + "_";
    const std::string to = Name("x", k + 1) + "_";
    entry.Line(Name("t", k), shape, "tuple(" + Names(from.c_str(), width) + ")");
    for (int64_t i = 0; i < width; ++i) {
      entry.Line(to + std::to_string(i), "f32[8,16,32]",
                 "get-tuple-element(" + Name("t", k) + "), index=" + std::to_string(i));
    }
  }
  entry.Root("f32[8,16,32]", "negate(x1_0)");
  return entry.Entry();
}

// A fusion with many outputs of the same sizes, each of one more unaligned reshape.
std::string ManyOutputs(int64_t count) {
  Body fused;
  fused.Line("p", "f32[60,77]", "parameter(0)");
  fused.Line("a0", "f32[4620]", "reshape(p)");
  for (int64_t i = 0; i < count; ++i) {
    fused.Line(Name("b", i), "f32[44,105]", "reshape(" + Name("a", i) + ")");
    fused.Line(Name("c", i), "f32[105,44]", "transpose(" + Name("b", i) + "), dimensions={1,0}");
    fused.Line(Name("d", i), "f32[44,105]", "transpose(" + Name("c", i) + "), dimensions={1,0}");
    fused.Line(Name("a", i + 1), "f32[4620]", "reshape(" + Name("d", i) + ")");
  }
  const std::string shape = "(" + Repeat("f32[4620]", count) + ")";
  fused.Root(shape, "tuple(" + Names("a", count) + ")");
  Body entry;
  entry.Line("p", "f32[60,77]", "parameter(0)");
  entry.Root(shape, "fusion(p), kind=kLoop, calls=fused");
  return fused.Computation("fused") + entry.Entry();
}

// A fusion with many outputs, all of which read the same of many operands.
std::string EqualOutputs(int64_t count) {
  Body fused;
  Body entry;
  for (Body* body : {&fused, &entry}) {
    for (int64_t k = 0; k < count; ++k) {
      body->Line(Name("p", k), "f32[8]", "parameter(" + std::to_string(k) + ")");
    }
  }
  fused.Line("a0", "f32[8]", "negate(p0)");
  for (int64_t k = 1; k < count; ++k) {
    fused.Line(Name("a", k), "f32[8]", "add(" + Name("a", k - 1) + ", " + Name("p", k) + ")");
  }
  for (int64_t i = 0; i < count; ++i) {
    fused.Line(Name("o", i), "f32[8]", "negate(" + Name("a", count - 1) + ")");
  }
  const std::string shape = "(" + Repeat("f32[8]", count) + ")";
  fused.Root(shape, "tuple(" + Names("o", count) + ")");
  entry.Root(shape, "fusion(" + Names("p", count) + "), kind=kLoop, calls=fused");
  return fused.Computation("fused") + entry.Entry();
}

// A call of equal reshapes, one after the other.
std::string ChainOfEqualRules(int64_t length) {
  Body body;
  body.Line("v0", "f32[3,5,7,11]", "parameter(0)");
  for (int64_t i = 0; i < length; ++i) {
    body.Line(Name("l", i), "f32[1155]", "reshape(" + Name("v", i) + ")");
    body.Line(Name("v", i + 1), "f32[3,5,7,11]", "reshape(" + Name("l", i) + ")");
  }
  Body entry;
  entry.Line("p", "f32[3,5,7,11]", "parameter(0)");
  entry.Root("f32[3,5,7,11]", "call(p), to_apply=chain");
  return body.Computation("chain") + entry.Entry();
}

// A computation that reads by the value of a parameter, so that each call is propagated through
// again, and whose scatters combine by a long computation.
std::string CallsByValue(int64_t length) {
  constexpr int64_t kCalls = 20;
  Body combine;
  combine.Line("x", "f32[]", "parameter(0)");
  combine.Line("y", "f32[]", "parameter(1)");
  combine.Line("c0", "f32[]", "add(x, y)");
  for (int64_t i = 1; i <= 100 * length; ++i) {
    combine.Line(Name("c", i), "f32[]", "add(" + Name("c", i - 1) + ", y)");
  }
  Body callee;
  callee.Line("p", "f32[64,8]", "parameter(0)");
  callee.Line("i", "s32[]", "parameter(1)");
  callee.Line("zero", "s32[]", "constant(0)");
  callee.Line("u", "f32[2,8]", "slice(p), slice={[0:2], [0:8]}");
  callee.Line("k", "s32[2,1]", "constant({{3},{5}})");
  callee.Line("v0", "f32[64,8]", "negate(p)");
  for (int64_t k = 0; k < length; ++k) {
    callee.Line(Name("v", k + 1), "f32[64,8]",
                "scatter(" + Name("v", k) +
                    ", k, u), update_window_dims={1}, inserted_window_dims={0}, "
                    "scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=combine");
  }
  callee.Root("f32[4,8]",
              "dynamic-slice(" + Name("v", length) + ", i, zero), dynamic_slice_sizes={4,8}");
  Body outer;
  outer.Line("p", "f32[64,8]", "parameter(0)");
  for (int64_t k = 0; k < kCalls; ++k) {
    outer.Line(Name("i", k), "s32[]", "parameter(" + std::to_string(k + 1) + ")");
    outer.Line(Name("c", k), "f32[4,8]", "call(p, " + Name("i", k) + "), to_apply=callee");
  }
  const std::string shape = "(" + Repeat("f32[4,8]", kCalls) + ")";
  outer.Root(shape, "tuple(" + Names("c", kCalls) + ")");
  Body entry;
  entry.Line("p", "f32[64,8]", "parameter(0)");
  for (int64_t k = 0; k < kCalls; ++k) {
    entry.Line(Name("i", k), "s32[]", "parameter(" + std::to_string(k + 1) + ")");
  }
  entry.Root(shape, "fusion(p, " + Names("i", kCalls) + "), kind=kLoop, calls=outer");
  return combine.Computation("combine") + callee.Computation("callee") +
         outer.Computation("outer") + entry.Entry();
}

// Computations each of which calls the next one twice: 2^depth paths.
std::string CallsTwice(int64_t depth) {
  Body innermost;
  innermost.Line("p", "f32[8,8]", "parameter(0)");
  innermost.Root("f32[8,8]", "transpose(p), dimensions={1,0}");
  std::string text = innermost.Computation(Name("f", depth));
  for (int64_t k = depth - 1; k >= 0; --k) {
    Body body;
    body.Line("p", "f32[8,8]", "parameter(0)");
    for (const char* const call : {"a", "b"}) {
      body.Line(call, "f32[8,8]", "call(p), to_apply=" + Name("f", k + 1));
    }
    body.Line("t", "f32[8,8]", "negate(a)");
    body.Root("f32[8,8]", "add(t, b)");
    text += body.Computation(Name("f", k));
  }
  Body entry;
  entry.Line("p", "f32[8,8]", "parameter(0)");
  entry.Root("f32[8,8]", "call(p), to_apply=f0");
  return text + entry.Entry();
}

// The same, reached by an access with so many quotient variables that what a call reads holds for
// one query only.
std::string CallsTwiceOfUnalignedReshapes(int64_t depth) {
  const Chain chain = UnalignedChain(60);
  Body innermost;
  innermost.Line("p", chain.first_shape, "parameter(0)");
  innermost.Line("f", "f32[16216200]", "reshape(p)");
  innermost.Root(chain.first_shape, "reshape(f)");
  std::string text = "chain {\n" + chain.body + "}\n" + innermost.Computation(Name("f", depth));
  for (int64_t k = depth - 1; k >= 0; --k) {
    Body body;
    body.Line("p", chain.first_shape, "parameter(0)");
    for (const char* const call : {"a", "b"}) {
      body.Line(call, chain.first_shape, "call(p), to_apply=" + Name("f", k + 1));
    }
    body.Line("t", chain.first_shape, "negate(a)");
    body.Root(chain.first_shape, "add(t, b)");
    text += body.Computation(Name("f", k));
  }
  Body outer;
  outer.Line("p", chain.first_shape, "parameter(0)");
  outer.Line("c", chain.first_shape, "call(p), to_apply=f0");
  outer.Root(chain.last_shape, "call(c), to_apply=chain");
  Body entry;
  entry.Line("p", chain.first_shape, "parameter(0)");
  entry.Root(chain.last_shape, "call(p), to_apply=outer");
  return text + outer.Computation("outer") + entry.Entry();
}

// Conditionals one after the other, on what unaligned reshapes and transposes read.
std::string Conditionals(int64_t length) {
  const Chain chain = UnalignedChain(60);
  const std::string& shape = chain.first_shape;
  std::string text = "chain {\n" + chain.body + "}\n";
  Body forwards;
  forwards.Root(shape, "parameter(0)");
  text += forwards.Computation("forwards");
  Body negates;
  negates.Line("p", shape, "parameter(0)");
  negates.Root(shape, "negate(p)");
  text += negates.Computation("negates");
  Body outer;
  Body entry;
  for (Body* body : {&outer, &entry}) {
    body->Line("c0", shape, "parameter(0)");
    body->Line("q", "pred[]", "parameter(1)");
  }
  for (int64_t i = 0; i < length; ++i) {
    const std::string operand = Name("c", i);
    outer.Line(Name("c", i + 1), shape,
               "conditional(q, " + operand + ", " + operand +
                   "), true_computation=forwards, false_computation=negates");
  }
  outer.Root(chain.last_shape, "call(" + Name("c", length) + "), to_apply=chain");
  entry.Root(chain.last_shape, "call(c0, q), to_apply=outer");
  return text + outer.Computation("outer") + entry.Entry();
}

// Conditionals in the branches of conditionals, both branches of which hold the next one.
std::string NestedConditionals(int64_t depth) {
  std::string text;
  Body innermost;
  innermost.Line("p", "(f32[8,8], pred[])", "parameter(0)");
  innermost.Line("x", "f32[8,8]", "get-tuple-element(p), index=0");
  innermost.Root("f32[8,8]", "transpose(x), dimensions={1,0}");
  text += innermost.Computation(Name("f", depth));
  for (int64_t k = depth - 1; k >= 0; --k) {
    Body body;
    const std::string next = Name("f", k + 1);
    body.Line("p", "(f32[8,8], pred[])", "parameter(0)");
    body.Line("q", "pred[]", "get-tuple-element(p), index=1");
    body.Root("f32[8,8]",
              "conditional(q, p, p), true_computation=" + next + ", false_computation=" + next);
    text += body.Computation(Name("f", k));
  }
  Body entry;
  entry.Line("p", "(f32[8,8], pred[])", "parameter(0)");
  entry.Root("f32[8,8]", "call(p), to_apply=f0");
  return text + entry.Entry();
}

// Loops in the bodies of loops.
std::string NestedLoops(int64_t depth) {
  const std::string state = "(s32[], f32[8], f32[8])";
  Body condition;
  condition.Line("p", state, "parameter(0)");
  condition.Line("i", "s32[]", "get-tuple-element(p), index=0");
  condition.Line("n", "s32[]", "constant(5)");
  condition.Root("pred[]", "compare(i, n), direction=LT");
  std::string text = condition.Computation("condition");
  for (int64_t k = depth; k >= 0; --k) {
    Body body;
    body.Line("p", state, "parameter(0)");
    std::string inner = "p";
    if (k < depth) {
      inner = body.Line("w", state, "while(p), condition=condition, body=" + Name("f", k + 1));
    }
    body.Line("i", "s32[]", "get-tuple-element(p), index=0");
    body.Line("one", "s32[]", "constant(1)");
    body.Line("next", "s32[]", "add(i, one)");
    body.Line("x", "f32[8]", "get-tuple-element(" + inner + "), index=1");
    body.Line("y", "f32[8]", "get-tuple-element(" + inner + "), index=2");
    body.Line("z", "f32[8]", "add(x, y)");
    body.Root(state, "tuple(next, z, x)");
    text += body.Computation(Name("f", k));
  }
  Body entry;
  entry.Line("p", state, "parameter(0)");
  entry.Root(state, "while(p), condition=condition, body=f0");
  return text + entry.Entry();
}

// A chain that is reached by two accesses, so that each step looks whether one of them is of the
// whole array.
std::string TwoAccesses(int64_t length) {
  const std::string shape = "f32[2,3,4,5,6,7]";
  Body body;
  body.Line("a0", shape, "parameter(0)");
  for (int64_t i = 0; i < length; ++i) {
    body.Line(Name("a", i + 1), shape, "negate(" + Name("a", i) + ")");
  }
  const std::string last = Name("a", length);
  body.Line("b", shape, "reverse(" + last + "), dimensions={0,1,2,3,4,5}");
  body.Root(shape, "add(b, " + last + ")");
  Body entry;
  entry.Line("p", shape, "parameter(0)");
  entry.Root(shape, "fusion(p), kind=kLoop, calls=fused");
  return body.Computation("fused") + entry.Entry();
}

// Attention by hand, again and again: products, sums over lines, slices at a position that is known
// at run time.
std::string ReadsOfWholeArrays(int64_t length) {
  Body combine;
  combine.Line("x", "f32[]", "parameter(0)");
  combine.Line("y", "f32[]", "parameter(1)");
  combine.Root("f32[]", "add(x, y)");
  Body body;
  Body entry;
  for (Body* of : {&body, &entry}) {
    of->Line("v0", "f32[16,16]", "parameter(0)");
    of->Line("i", "s32[]", "parameter(1)");
  }
  body.Line("zero", "f32[]", "constant(0)");
  body.Line("none", "s32[]", "constant(0)");
  for (int64_t k = 0; k < length; ++k) {
    const auto name = [&](const char* part) { return Name(part, k); };
    body.Line(name("d"), "f32[16,16]",
              "dot(" + name("v") + ", " + name("v") +
                  "), lhs_contracting_dims={1}, rhs_contracting_dims={1}");
    body.Line(name("m"), "f32[16]",
              "reduce(" + name("d") + ", zero), dimensions={1}, to_apply=combine");
    body.Line(name("w"), "f32[16,16]", "broadcast(" + name("m") + "), dimensions={0}");
    body.Line(name("q"), "f32[16,16]", "divide(" + name("d") + ", " + name("w") + ")");
    body.Line(name("s"), "f32[4,16]",
              "dynamic-slice(" + name("q") + ", i, none), dynamic_slice_sizes={4,16}");
    body.Line(Name("v", k + 1), "f32[16,16]",
              "dynamic-update-slice(" + name("q") + ", " + name("s") + ", none, none)");
  }
  body.Root("f32[16,16]", "negate(" + Name("v", length) + ")");
  entry.Root("f32[16,16]", "fusion(v0, i), kind=kLoop, calls=fused");
  return combine.Computation("combine") + body.Computation("fused") + entry.Entry();
}

}  // namespace

std::string ReshapeChain(int64_t length, int64_t total, ChainSteps steps) {
  const Chain chain = RandomChain(length, total, steps);
  return "chain {\n" + chain.body + "}\nENTRY e {\n  p = " + chain.first_shape +
         " parameter(0)\n  ROOT f = " + chain.last_shape + " call(p), to_apply=chain\n}\n";
}

llvm::ArrayRef<WorstInput> WorstInputs() {
  static constexpr WorstInput kInputs[] = {
      {"Repeated", Repeated, 10000, 5},
      {"RepeatedFusions", RepeatedFusions, 100, 2, true},
      {"FusionsWithSameMaps", FusionsWithSameMaps, 500, 5},
      {"SlicesOfManyArrays", SlicesOfManyArrays, 200, 3},
      {"WideTuples", WideTuples, 500, 5},
      {"ManyOutputs", ManyOutputs, 60, 4},
      {"EqualOutputs", EqualOutputs, 100, 4},
      {"ChainOfEqualRules", ChainOfEqualRules, 2000, 5},
      {"CallsByValue", CallsByValue, 40, 3},
      {"CallsTwice", CallsTwice, 12, 4, false, true},
      {"CallsTwiceOfUnalignedReshapes", CallsTwiceOfUnalignedReshapes, 10, 3, true, true},
      {"Conditionals", Conditionals, 1000, 4, true},
      {"NestedConditionals", NestedConditionals, 12, 4, false, true},
      {"NestedLoops", NestedLoops, 8, 3, false, true},
      {"TwoAccesses", TwoAccesses, 1000, 4},
      {"ReadsOfWholeArrays", ReadsOfWholeArrays, 200, 3},
      {"UnalignedReshapesAndTransposes", UnalignedReshapesAndTransposes, 1000, 40, true},
  };
  return kInputs;
}

}  // namespace hlo_indexing::bench
