// Elementwise opcodes: hand-derived results.
#include "tests/hlo/interpreter_testing.h"

namespace hlo_indexing::testing {
namespace {

struct ElementwiseCase {
  const char* name;
  // The shape of the result, the opcode, the operands as shaped constants, and attributes.
  std::string shape;
  std::string opcode;
  std::vector<std::pair<std::string, std::string>> operands;
  std::string expected;
  const char* attributes = "";
};

std::vector<ElementwiseCase> Cases() {
  return {
      {"DivideS8",
       "s8[5]",
       "divide",
       {{"s8[5]", "{7,-7,5,-128,0}"}, {"s8[5]", "{2,2,0,-1,0}"}},
       "{3, -3, -1, -128, -1}"},
      {"DivideU8",
       "u8[3]",
       "divide",
       {{"u8[3]", "{7,255,9}"}, {"u8[3]", "{2,2,0}"}},
       "{3, 127, 255}"},
      {"DivideU64",
       "u64[1]",
       "divide",
       {{"u64[1]", "{18446744073709551615}"}, {"u64[1]", "{2}"}},
       "{9223372036854775807}"},
      {"RemainderS8",
       "s8[5]",
       "remainder",
       {{"s8[5]", "{7,-7,5,-128,0}"}, {"s8[5]", "{3,3,0,-1,0}"}},
       "{1, -1, 5, 0, 0}"},
      {"RemainderF32",
       "f32[4]",
       "remainder",
       {{"f32[4]", "{7.5,-7.5,7.5,1}"}, {"f32[4]", "{2,2,-2,0}"}},
       "{1.5, -1.5, 1.5, -nan}"},
      {"DivideF32ByZero",
       "f32[3]",
       "divide",
       {{"f32[3]", "{1,-1,inf}"}, {"f32[3]", "{0,0,2}"}},
       "{inf, -inf, inf}"},
      {"AddWrapsS8", "s8[2]", "add", {{"s8[2]", "{127,-128}"}, {"s8[2]", "{1,-1}"}}, "{-128, 127}"},
      {"AddWrapsU4", "u4[1]", "add", {{"u4[1]", "{15}"}, {"u4[1]", "{3}"}}, "{2}"},
      {"MultiplyWrapsS4", "s4[1]", "multiply", {{"s4[1]", "{5}"}, {"s4[1]", "{3}"}}, "{-1}"},
      {"SubtractWrapsU32",
       "u32[1]",
       "subtract",
       {{"u32[1]", "{0}"}, {"u32[1]", "{1}"}},
       "{4294967295}"},
      {"AddPredIsOr",
       "pred[2]",
       "add",
       {{"pred[2]", "{true,false}"}, {"pred[2]", "{true,false}"}},
       "{true, false}"},
      {"ShiftLeftTooFar",
       "s32[3]",
       "shift-left",
       {{"s32[3]", "{1,1,1}"}, {"s32[3]", "{31,32,-1}"}},
       "{-2147483648, 0, 0}"},
      {"ShiftRightLogical",
       "s8[4]",
       "shift-right-logical",
       {{"s8[4]", "{-1,-1,-1,-1}"}, {"s8[4]", "{0,1,7,8}"}},
       "{-1, 127, 1, 0}"},
      {"ShiftRightArithmetic",
       "s8[5]",
       "shift-right-arithmetic",
       {{"s8[5]", "{-128,-128,127,-1,127}"}, {"s8[5]", "{1,8,8,100,-1}"}},
       "{-64, -1, 0, -1, 0}"},
      {"MaximumNan",
       "f32[3]",
       "maximum",
       {{"f32[3]", "{nan,1,-0}"}, {"f32[3]", "{1,nan,0}"}},
       "{nan, nan, 0}"},
      {"MinimumNan",
       "f32[3]",
       "minimum",
       {{"f32[3]", "{nan,1,-0}"}, {"f32[3]", "{1,nan,0}"}},
       "{nan, nan, -0}"},
      {"MaximumU64",
       "u64[1]",
       "maximum",
       {{"u64[1]", "{9223372036854775808}"}, {"u64[1]", "{1}"}},
       "{9223372036854775808}"},
      {"MulhiS32",
       "s32[2]",
       "mulhi",
       {{"s32[2]", "{-2147483648,3}"}, {"s32[2]", "{-2147483648,-1}"}},
       "{1073741824, -1}"},
      {"MulhiU64",
       "u64[1]",
       "mulhi",
       {{"u64[1]", "{18446744073709551615}"}, {"u64[1]", "{18446744073709551615}"}},
       "{18446744073709551614}"},
      {"PowerS32",
       "s32[6]",
       "power",
       {{"s32[6]", "{2,0,2,-1,1,0}"}, {"s32[6]", "{10,0,-1,-3,-3,-1}"}},
       "{1024, 1, 0, -1, 1, 0}"},
      {"PowerF32",
       "f32[3]",
       "power",
       {{"f32[3]", "{2,0,-8}"}, {"f32[3]", "{-1,0,0.5}"}},
       "{0.5, 1, -nan}"},
      {"AbsOfSmallest", "s8[2]", "abs", {{"s8[2]", "{-128,-5}"}}, "{-128, 5}"},
      {"AbsOfComplex", "f32[1]", "abs", {{"c64[1]", "{(3,4)}"}}, "{5}"},
      {"NegateSmallest", "s32[1]", "negate", {{"s32[1]", "{-2147483648}"}}, "{-2147483648}"},
      {"SignOfFloats", "f32[4]", "sign", {{"f32[4]", "{-3,-0,nan,inf}"}}, "{-1, -0, nan, 1}"},
      {"SignOfIntegers", "s32[3]", "sign", {{"s32[3]", "{-3,0,9}"}}, "{-1, 0, 1}"},
      {"RoundAwayFromZero",
       "f32[4]",
       "round-nearest-afz",
       {{"f32[4]", "{0.5,1.5,2.5,-2.5}"}},
       "{1, 2, 3, -3}"},
      {"RoundToEven",
       "f32[4]",
       "round-nearest-even",
       {{"f32[4]", "{0.5,1.5,2.5,-2.5}"}},
       "{0, 2, 2, -2}"},
      {"Floor", "f32[2]", "floor", {{"f32[2]", "{-0.5,1.5}"}}, "{-1, 1}"},
      {"Ceil", "f32[2]", "ceil", {{"f32[2]", "{-0.5,1.5}"}}, "{-0, 2}"},
      {"NotOfPred", "pred[2]", "not", {{"pred[2]", "{true,false}"}}, "{false, true}"},
      {"NotOfU4", "u4[1]", "not", {{"u4[1]", "{5}"}}, "{10}"},
      {"And", "u8[1]", "and", {{"u8[1]", "{12}"}, {"u8[1]", "{10}"}}, "{8}"},
      {"Or", "u8[1]", "or", {{"u8[1]", "{12}"}, {"u8[1]", "{10}"}}, "{14}"},
      {"Xor", "s8[1]", "xor", {{"s8[1]", "{-1}"}, {"s8[1]", "{1}"}}, "{-2}"},
      {"PopulationCount", "s8[2]", "popcnt", {{"s8[2]", "{-1,6}"}}, "{8, 2}"},
      {"CountLeadingZeros",
       "s16[3]",
       "count-leading-zeros",
       {{"s16[3]", "{0,1,-1}"}},
       "{16, 15, 0}"},
      {"IsFinite", "pred[3]", "is-finite", {{"f32[3]", "{1,inf,nan}"}}, "{true, false, false}"},
      {"Clamp",
       "f32[3]",
       "clamp",
       {{"f32[]", "0"}, {"f32[3]", "{-1,0.5,nan}"}, {"f32[]", "1"}},
       "{0, 0.5, nan}"},
      {"SelectByScalar",
       "f32[2]",
       "select",
       {{"pred[]", "false"}, {"f32[2]", "{1,2}"}, {"f32[2]", "{3,4}"}},
       "{3, 4}"},
      {"CompareNan",
       "pred[3]",
       "compare",
       {{"f32[3]", "{nan,nan,1}"}, {"f32[3]", "{nan,1,1}"}},
       "{true, true, false}",
       ", direction=NE"},
      {"CompareTotalOrder",
       "pred[3]",
       "compare",
       {{"f32[3]", "{-0,nan,-nan}"}, {"f32[3]", "{0,inf,-inf}"}},
       "{true, false, true}",
       ", direction=LT, type=TOTALORDER"},
      {"CompareU64",
       "pred[1]",
       "compare",
       {{"u64[1]", "{18446744073709551615}"}, {"u64[1]", "{1}"}},
       "{true}",
       ", direction=GT"},
      {"ComplexMultiply",
       "c64[1]",
       "multiply",
       {{"c64[1]", "{(1,2)}"}, {"c64[1]", "{(3,4)}"}},
       "{(-5, 10)}"},
      {"MakeComplex", "c64[1]", "complex", {{"f32[1]", "{1}"}, {"f32[1]", "{-2}"}}, "{(1, -2)}"},
      {"Real", "f32[1]", "real", {{"c64[1]", "{(1,2)}"}}, "{1}"},
      {"Imag", "f32[1]", "imag", {{"c64[1]", "{(1,2)}"}}, "{2}"},
      {"SqrtOfComplex", "c64[1]", "sqrt", {{"c64[1]", "{(-4,0)}"}}, "{(0, 2)}"},
      {"Cbrt", "f32[2]", "cbrt", {{"f32[2]", "{27,-8}"}}, "{3, -2}"},
      {"Rsqrt", "f32[2]", "rsqrt", {{"f32[2]", "{4,0}"}}, "{0.5, inf}"},
      {"Exponential", "f32[2]", "exponential", {{"f32[2]", "{0,-inf}"}}, "{1, 0}"},
      {"Expm1", "f32[2]", "exponential-minus-one", {{"f32[2]", "{0,1e-10}"}}, "{0, 1e-10}"},
      {"Log", "f32[3]", "log", {{"f32[3]", "{1,0,inf}"}}, "{0, -inf, inf}"},
      {"Log1p", "f32[2]", "log-plus-one", {{"f32[2]", "{0,1e-10}"}}, "{0, 1e-10}"},
      {"Logistic", "f32[3]", "logistic", {{"f32[3]", "{0,-inf,inf}"}}, "{0.5, 0, 1}"},
      {"Tanh", "f32[2]", "tanh", {{"f32[2]", "{0,inf}"}}, "{0, 1}"},
      {"Erf", "f32[2]", "erf", {{"f32[2]", "{0,inf}"}}, "{0, 1}"},
      {"Trigonometry", "f32[1]", "sine", {{"f32[1]", "{0}"}}, "{0}"},
      {"Cosine", "f32[1]", "cosine", {{"f32[1]", "{0}"}}, "{1}"},
      {"Tan", "f32[1]", "tan", {{"f32[1]", "{0}"}}, "{0}"},
      {"Sinh", "f32[1]", "sinh", {{"f32[1]", "{0}"}}, "{0}"},
      {"Cosh", "f32[1]", "cosh", {{"f32[1]", "{0}"}}, "{1}"},
      {"Asin", "f32[1]", "asin", {{"f32[1]", "{0}"}}, "{0}"},
      {"Acos", "f32[1]", "acos", {{"f32[1]", "{1}"}}, "{0}"},
      {"Asinh", "f32[1]", "asinh", {{"f32[1]", "{0}"}}, "{0}"},
      {"Acosh", "f32[1]", "acosh", {{"f32[1]", "{1}"}}, "{0}"},
      {"Atanh", "f32[1]", "atanh", {{"f32[1]", "{0}"}}, "{0}"},
      {"Atan2", "f32[2]", "atan2", {{"f32[2]", "{0,1}"}, {"f32[2]", "{1,0}"}}, "{0, 1.5707964}"},
      // 1 + 2^-8 is half way between two bf16 and rounds to the even one.
      {"AddRoundsBf16",
       "bf16[2]",
       "add",
       {{"bf16[2]", "{1,1}"}, {"bf16[2]", "{0.00390625,0.01171875}"}},
       "{1, 1.015625}"},
      {"OverflowF8",
       "f8e4m3fn[2]",
       "add",
       {{"f8e4m3fn[2]", "{448,448}"}, {"f8e4m3fn[2]", "{16,64}"}},
       "{448, nan}"},
      {"OverflowF8E5M2",
       "f8e5m2[1]",
       "add",
       {{"f8e5m2[1]", "{57344}"}, {"f8e5m2[1]", "{57344}"}},
       "{inf}"},
      {"ConvertToF8",
       "f8e4m3fn[3]",
       "convert",
       {{"f32[3]", "{1.0625,0.001,1000}"}},
       "{1, 0.001953125, nan}"},
      {"ConvertClamps",
       "s8[4]",
       "convert",
       {{"f32[4]", "{200,-200,nan,-1.9}"}},
       "{127, -128, 0, -1}"},
      {"ReducePrecisionToBf16",
       "f32[3]",
       "reduce-precision",
       {{"f32[3]", "{1.00390625,1.01171875,3.4e38}"}},
       "{1, 1.015625, inf}",
       ", exponent_bits=8, mantissa_bits=7"},
      {"ReducePrecisionToF16",
       "f32[5]",
       "reduce-precision",
       {{"f32[5]", "{65504,65520,0.00006103515625,0.00003,-0.00003}"}},
       "{65504, inf, 6.1035156e-05, 0, -0}",
       ", exponent_bits=5, mantissa_bits=10"},
      {"ReducePrecisionKeepsNan",
       "f32[2]",
       "reduce-precision",
       {{"f32[2]", "{nan,-inf}"}},
       "{nan, -inf}",
       ", exponent_bits=2, mantissa_bits=0"},
      {"ReducePrecisionToPowersOfTwo",
       "f32[6]",
       "reduce-precision",
       {{"f32[6]", "{3,1.5,6,-3,3.0000002,1.75}"}},
       "{2, 2, 8, -2, 4, 2}",
       ", exponent_bits=8, mantissa_bits=0"},
      // A nan, signalling or not, to the power of 0, and 1 to its power.
      {"PowerOfNans",
       "f8e5m2[4]",
       "power",
       {{"f8e5m2[4]", "{nan(0x1),nan(0x2),1,1}"}, {"f8e5m2[4]", "{0,0,nan(0x1),nan(0x2)}"}},
       "{1, 1, 1, 1}"},
      // Eight bits of exponent and no sign: 2^63 is the largest of seven bits.
      {"ReducePrecisionOfExponents",
       "f8e8m0fnu[4]",
       "reduce-precision",
       {{"f8e8m0fnu[4]", "{1,9223372036854775808,18446744073709551616,0.25}"}},
       "{1, 9223372036854775808, nan, 0.25}",
       ", exponent_bits=7, mantissa_bits=0"},
      {"StochasticConvert",
       "s8[4]",
       "stochastic-convert",
       {{"f32[4]", "{1.25,1.25,-1.25,200}"}, {"u32[4]", "{0,2147483648,0,0}"}},
       "{2, 1, -2, 127}"},
      // Halfway, a quarter and three quarters of the way; beyond the greatest; from the least to 0.
      {"StochasticConvertToFloats",
       "bf16[5]",
       "stochastic-convert",
       {{"f32[5]", "{1.00390625,1.001953125,-1.005859375,3.4e38,-1e-45}"},
        {"u32[5]", "{2147483647,1073741824,3221225471,0,0}"}},
       "{1.0078125, 1, -1.0078125, inf, -9.183549615799121e-41}"},
      {"StochasticConvertWithoutNegativeZero",
       "f8e4m3fnuz[4]",
       "stochastic-convert",
       {{"f32[4]", "{-0.0001,-0.0009,-0.0009,240.5}"}, {"u32[4]", "{0,0,4294967295,0}"}},
       "{-0.0009765625, -0.0009765625, 0, 240}"},
      {"StochasticConvertWithoutZero",
       "f8e8m0fnu[4]",
       "stochastic-convert",
       {{"f32[4]", "{0,1e-45,3,-3}"}, {"u32[4]", "{0,4294967295,0,0}"}},
       "{5.877471754111438e-39, 5.877471754111438e-39, 4, nan}"},
      {"StochasticConvertWithoutInfinity",
       "f4e2m1fn[3]",
       "stochastic-convert",
       {{"f32[3]", "{7,-7,2.5}"}, {"u32[3]", "{0,0,2147483648}"}},
       "{6, -6, 2}"},
      {"Empty", "f32[0]", "negate", {{"f32[0]", "{}"}}, "{}"},
      {"UndefinedForIntegers",
       "s32[1]",
       "exponential",
       {{"s32[1]", "{1}"}},
       "exponential is not defined for s32"},
  };
}

TEST(InterpreterElementwiseTest, Table) {
  for (const ElementwiseCase& c : Cases()) {
    std::string body;
    std::string names;
    for (size_t i = 0; i < c.operands.size(); ++i) {
      const auto& [shape, literal] = c.operands[i];
      const std::string name = "o" + std::to_string(i);
      body += name + " = " + shape + " constant(" + literal + ")\n";
      names += (i == 0 ? "" : ", ") + name;
    }
    body += "ROOT r = " + c.shape + " " + c.opcode + "(" + names + ")" + c.attributes;
    EXPECT_THAT(Interpret(body), ::testing::HasSubstr(c.expected)) << c.name << "\n" << body;
  }
}

// What XLA computes on the bits of a float: half a unit of what stays, less one if its last bit is
// 0, is added, and a carry goes into the exponent.
uint64_t ReducedBits(uint64_t bits, int mantissa, int exponent, int kept_mantissa,
                     int kept_exponent) {
  const uint64_t magnitude = bits & ((uint64_t{1} << (mantissa + exponent)) - 1);
  const uint64_t sign = bits - magnitude;
  const uint64_t infinity = ((uint64_t{1} << exponent) - 1) << mantissa;
  if (magnitude >= infinity) return bits;
  uint64_t result = magnitude;
  if (kept_mantissa < mantissa) {
    const uint64_t unit = uint64_t{1} << (mantissa - kept_mantissa);
    const uint64_t last = (magnitude / unit) % 2;
    result = (magnitude + unit / 2 - 1 + last) / unit * unit;
  }
  if (kept_exponent < exponent) {
    const int64_t bias = (int64_t{1} << (exponent - 1)) - 1;
    const int64_t kept_bias = (int64_t{1} << (kept_exponent - 1)) - 1;
    const auto field = static_cast<int64_t>(result >> mantissa);
    if (field > bias + kept_bias) return sign | infinity;
    if (field <= bias - kept_bias) return sign;
  }
  return sign | result;
}

TEST(InterpreterElementwiseTest, ReducePrecisionIsWhatXlaComputesOnBits) {
  struct Format {
    const char* name;
    int exponent;
    int mantissa;
  };
  for (const Format& format : {Format{"f16", 5, 10}, Format{"bf16", 8, 7}}) {
    const std::string type = format.name;
    for (int exponent = 1; exponent <= format.exponent; ++exponent) {
      for (int mantissa = 0; mantissa <= format.mantissa; ++mantissa) {
        // Every 13th code: signs, exponents and ties of all kinds.
        const std::string body =
            "i = u16[5041] iota(), iota_dimension=0\nt = u16[] constant(13)\n"
            "ts = u16[5041] broadcast(t), dimensions={}\nc = u16[5041] multiply(i, ts)\n"
            "x = " +
            type +
            "[5041] bitcast-convert(c)\n"
            "y = " +
            type + "[5041] reduce-precision(x), exponent_bits=" + std::to_string(exponent) +
            ", mantissa_bits=" + std::to_string(mantissa) +
            "\nROOT r = u16[5041] bitcast-convert(y)";
        std::string expected = "u16[5041] {";
        for (uint64_t i = 0; i < 5041; ++i) {
          const uint64_t bits =
              ReducedBits(13 * i, format.mantissa, format.exponent, mantissa, exponent);
          expected += (i == 0 ? "" : ", ") + std::to_string(bits);
        }
        // Nans have codes of their own.
        const uint64_t nan = ((uint64_t{1} << format.exponent) - 1) << format.mantissa;
        const std::string actual = Interpret(body);
        size_t at_actual = actual.find('{') + 1;
        size_t at_expected = expected.find('{') + 1;
        for (uint64_t i = 0; i < 5041; ++i) {
          const auto a = std::stoull(actual.substr(at_actual, 8));
          const auto b = std::stoull(expected.substr(at_expected, 8));
          if ((13 * i) % 0x8000 <= nan) {
            ASSERT_EQ(a, b) << type << " " << 13 * i << " to " << exponent << ", " << mantissa;
          }
          at_actual = actual.find(", ", at_actual) + 2;
          at_expected = expected.find(", ", at_expected) + 2;
        }
      }
    }
  }
}

// The order of codes by sign and magnitude, for all pairs, or for all of some codes with nans of
// every kind among them.
TEST(InterpreterElementwiseTest, TotalOrderIsThatOfTheCodes) {
  struct Codes {
    const char* type;
    const char* integer;
    const char* largest;
    const char* step;
  };
  for (const Codes& codes :
       {Codes{"f8e5m2", "8", "127", "1"}, Codes{"f8e4m3", "8", "127", "1"},
        Codes{"f8e3m4", "8", "127", "1"}, Codes{"f16", "16", "32767", "251"},
        Codes{"bf16", "16", "32767", "251"}, Codes{"f32", "32", "2147483647", "16769023"},
        Codes{"f64", "64", "9223372036854775807", "72022409665839103"}}) {
    const std::string u = "u" + std::string(codes.integer);
    const std::string s = "s" + std::string(codes.integer);
    const std::string type = codes.type;
    std::string body = "i = " + u + "[256] iota(), iota_dimension=0\nt = " + u + "[] constant(" +
                       codes.step + ")\nts = " + u + "[256] broadcast(t), dimensions={}\n" +
                       "m = " + s + "[] constant(" + codes.largest + ")\nmask = " + s +
                       "[256,256] broadcast(m), dimensions={}\nz = " + s +
                       "[] constant(0)\nzero = " + s + "[256,256] broadcast(z), dimensions={}\n" +
                       "c = " + u + "[256] multiply(i, ts)\n";
    for (const std::string side : {"0", "1"}) {
      body += "c" + side + " = " + u + "[256,256] broadcast(c), dimensions={" + side + "}\n";
      body += "x" + side + " = " + type + "[256,256] bitcast-convert(c" + side + ")\n";
      body += "s" + side + " = " + s + "[256,256] bitcast-convert(c" + side + ")\n";
      body += "n" + side + " = pred[256,256] compare(s" + side + ", zero), direction=LT\n";
      body += "f" + side + " = " + s + "[256,256] xor(s" + side + ", mask)\n";
      body += "k" + side + " = " + s + "[256,256] select(n" + side + ", f" + side + ", s" + side +
              ")\n";
    }
    body +=
        "l = pred[256,256] compare(x0, x1), direction=LT, type=TOTALORDER\n"
        "e = pred[256,256] compare(k0, k1), direction=LT\n"
        "ROOT d = pred[256,256] xor(l, e)";
    EXPECT_EQ(Interpret(body).find("true"), std::string::npos) << type;
  }
}

}  // namespace
}  // namespace hlo_indexing::testing
