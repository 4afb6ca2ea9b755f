#include "simplifier/domain/congruence.h"

#include <numeric>

namespace hlo_indexing::simplifier {
namespace {

using support::FloorMod;

// Products of two residues need more than 64 bits.
__extension__ typedef __int128 Wide;

// a * b mod modulus.
int64_t MultiplyMod(int64_t a, int64_t b, int64_t modulus) {
  return static_cast<int64_t>(static_cast<Wide>(a) * b % modulus);
}

// The x with value * x mod modulus = 1, for 0 < value < modulus with no common divisor, by Euclid's
// algorithm.
int64_t InverseMod(int64_t value, int64_t modulus) {
  int64_t remainder = modulus;
  int64_t next_remainder = value;
  int64_t factor = 0;
  int64_t next_factor = 1;
  while (next_remainder != 0) {
    const int64_t quotient = remainder / next_remainder;
    remainder -= quotient * next_remainder;
    std::swap(remainder, next_remainder);
    factor -= quotient * next_factor;
    std::swap(factor, next_factor);
  }
  return FloorMod(factor, modulus);
}

// (a - b) mod modulus, without overflow.
int64_t DifferenceMod(int64_t a, int64_t b, int64_t modulus) {
  const Wide difference = (static_cast<Wide>(a) - b) % modulus;
  return static_cast<int64_t>(difference < 0 ? difference + modulus : difference);
}

}  // namespace

bool AreDisjoint(const Congruence& a, const Congruence& b) {
  return DifferenceMod(a.residue, b.residue, std::gcd(a.modulus, b.modulus)) != 0;
}

std::optional<Congruence> Intersect(const Congruence& a, const Congruence& b) {
  const int64_t divisor = std::gcd(a.modulus, b.modulus);
  const int64_t step = b.modulus / divisor;
  const std::optional<int64_t> modulus = support::CheckedMul(a.modulus, step);
  if (!modulus) return std::nullopt;
  if (step == 1) return Congruence{*modulus, a.residue};
  // a.residue + a.modulus * k = b.residue, modulo b.modulus.
  const int64_t needed = DifferenceMod(b.residue, a.residue, b.modulus) / divisor;
  const int64_t factor = a.modulus / divisor % step;
  const int64_t k = MultiplyMod(needed % step, InverseMod(factor, step), step);
  return Congruence{*modulus, a.residue + a.modulus * k};
}

std::optional<Congruence> SolveCongruence(int64_t factor, int64_t offset, int64_t modulus,
                                          int64_t residue) {
  const int64_t reduced = DifferenceMod(factor, 0, modulus);
  const int64_t divisor = std::gcd(reduced, modulus);
  const int64_t needed = DifferenceMod(residue, offset, modulus);
  if (needed % divisor != 0) return std::nullopt;
  const int64_t step = modulus / divisor;
  if (step == 1) return Congruence{};
  return Congruence{step, MultiplyMod(needed / divisor, InverseMod(reduced / divisor, step), step)};
}

Interval RoundInward(Interval interval, const Congruence& congruence) {
  const int64_t modulus = congruence.modulus;
  Interval rounded = interval;
  if (interval.lower != Interval::kMinusInfinity) {
    rounded.lower = support::CheckedAdd(interval.lower,
                                        DifferenceMod(congruence.residue, interval.lower, modulus))
                        .value_or(Interval::kPlusInfinity);
  }
  if (interval.upper != Interval::kPlusInfinity) {
    rounded.upper = support::CheckedSub(interval.upper,
                                        DifferenceMod(interval.upper, congruence.residue, modulus))
                        .value_or(Interval::kMinusInfinity);
  }
  return rounded;
}

}  // namespace hlo_indexing::simplifier
