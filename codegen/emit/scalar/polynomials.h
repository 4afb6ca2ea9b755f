// Polynomials by which exp, log, sin and the others are computed, the constant coefficient first.
// Made by minimax.py, which says what they minimize: the largest relative error of the result.
#ifndef HLO_INDEXING_CODEGEN_EMIT_SCALAR_POLYNOMIALS_H_
#define HLO_INDEXING_CODEGEN_EMIT_SCALAR_POLYNOMIALS_H_

namespace hlo_indexing::emit::scalar::polynomials {

// Above these, erf x is computed from erfc x, and tanh x from e^(2 x).
inline constexpr double kErfSplit = 0x1.dp-1;
inline constexpr double kTanhSplit = 0x1.4p-1;
// e^r = 1 + r + r^2 P(r), |r| <= log(2) / 2
inline constexpr double kExpF32[] = {0x1.fffffep-2, 0x1.5554aap-3, 0x1.555676p-5, 0x1.122d52p-7,
                                     0x1.6bf76ap-10};
inline constexpr double kExpF64[] = {0x1p-1,
                                     0x1.5555555555559p-3,
                                     0x1.555555555553dp-5,
                                     0x1.111111110f493p-7,
                                     0x1.6c16c16c1f2d3p-10,
                                     0x1.a01a01b0d7a03p-13,
                                     0x1.a01a017c8bc3fp-16,
                                     0x1.71ddf5b114d1ep-19,
                                     0x1.27e53173e6b12p-22,
                                     0x1.af63ba9f107b6p-26,
                                     0x1.1ef4614caa9fcp-29};
// log(1 + f) = f - f^2 / 2 + f^3 P(f), sqrt(1/2) <= 1 + f <= sqrt(2)
inline constexpr double kLogF32[] = {0x1.555554p-2, -0x1.ffffd4p-3, 0x1.999a12p-3, -0x1.5563b2p-3,
                                     0x1.248f3p-3,  -0x1.fce73ap-4, 0x1.c40a5ep-4, -0x1.bb2b1cp-4,
                                     0x1.b37f9cp-4, -0x1.e9a728p-5};
// log((1 + s) / (1 - s)) = 2 s + s^3 P(s^2), bounds as above
inline constexpr double kLogF64[] = {
    0x1.5555555555597p-1, 0x1.999999997e2e7p-2, 0x1.2492494388462p-2, 0x1.c71c50a99f2bdp-3,
    0x1.74668b1904becp-3, 0x1.3999aac8d1dc2p-3, 0x1.2f5a483250042p-3};
// log((1 + s) / (1 - s)) = 2 s + 2/3 s^3 + s^5 P(s^2), bounds as above
inline constexpr double kLogTailF32[] = {0x1.999a02p-2, 0x1.245192p-2, 0x1.dfd2ap-3};
inline constexpr double kLogTailF64[] = {
    0x1.9999999999995p-2, 0x1.2492492493192p-2, 0x1.c71c71c557421p-3, 0x1.745d1845e7fd2p-3,
    0x1.3b135d87328eap-3, 0x1.11217bb59b84fp-3, 0x1.de143b029f9bap-4, 0x1.ec1367ec3c243p-4};
// sin r = r + r^3 P(r^2), |r| <= pi / 4
inline constexpr double kSinF32[] = {-0x1.555544p-3, 0x1.1106bcp-7, -0x1.99163ep-13};
inline constexpr double kSinF64[] = {-0x1.5555555555547p-3,  0x1.111111110f579p-7,
                                     -0x1.a01a019bade37p-13, 0x1.71de351e94fb2p-19,
                                     -0x1.ae5e1e9c31d27p-26, 0x1.5d7dc54762049p-33};
// cos r = 1 - r^2 / 2 + r^4 P(r^2), |r| <= pi / 4
inline constexpr double kCosF32[] = {0x1.55554ap-5, -0x1.6c0c1ap-10, 0x1.99e0dap-16};
inline constexpr double kCosF64[] = {0x1.555555555554ap-5,  -0x1.6c16c16c14dc4p-10,
                                     0x1.a01a019c515adp-16, -0x1.27e4f7c235e6bp-22,
                                     0x1.1ee9b9e2cedcp-29,  -0x1.8f941f7568fp-37};
// tan r = r + r^3 P(r^2), |r| <= pi / 4
inline constexpr double kTanF32[] = {0x1.555564p-2, 0x1.110c98p-3,   0x1.bb06b4p-5, 0x1.5afacep-6,
                                     0x1.6bd6dep-7, -0x1.0361bep-12, 0x1.29a204p-8};
inline constexpr double kTanF64[] = {
    0x1.5555555555562p-2,  0x1.11111111100ffp-3,   0x1.ba1ba1baffd07p-5,  0x1.664f484f8badbp-6,
    0x1.226e3c3270e2p-7,   0x1.d6d2a223fa2cap-9,   0x1.7db55c141270dp-10, 0x1.3496b800de79p-11,
    0x1.009e259b87777p-12, 0x1.54198cc894587p-14,  0x1.2c9e712a7121fp-14, -0x1.05bff8bb54baep-15,
    0x1.be9683c63313p-15,  -0x1.bd1cb1741a934p-16, 0x1.597e765a3864cp-17};
// atan t = t + t^3 P(t^2), |t| <= tan(pi / 8)
inline constexpr double kAtanF32[] = {-0x1.555548p-2, 0x1.9990fap-3, -0x1.23a8b8p-3, 0x1.b1291ap-4,
                                      -0x1.edde0ap-5};
inline constexpr double kAtanF64[] = {
    -0x1.5555555555554p-2, 0x1.9999999999583p-3, -0x1.249249246f49bp-3, 0x1.c71c71b44e743p-4,
    -0x1.745d144e7a484p-4, 0x1.3b1364c14b942p-4, -0x1.110be87d6f322p-4, 0x1.e1677d1a40081p-5,
    -0x1.ab3a63b6fb36dp-5, 0x1.6fdf9eb729bbep-5, -0x1.0fcf4f49b224ep-5, 0x1.e863a4d2fc90dp-7};
// asin s = s + s^3 P(s^2), |s| <= 1/2
inline constexpr double kAsinF32[] = {0x1.5555cap-3, 0x1.330162p-4, 0x1.748b78p-5, 0x1.8ba492p-6,
                                      0x1.59dd7p-5};
inline constexpr double kAsinF64[] = {
    0x1.5555555555384p-3, 0x1.333333336fe27p-4, 0x1.6db6db4198cefp-5,  0x1.f1c72c80a853cp-6,
    0x1.6e89eda243772p-6, 0x1.1c6c43f5e2b4ap-6, 0x1.c6f647e91501cp-7,  0x1.8ef35fa735f89p-7,
    0x1.aa3286c452935p-8, 0x1.410b7306e955ap-6, -0x1.0b8343e85f426p-6, 0x1.05ffce06f1f8p-5};
// sinh x = x + x^3 P(x^2), |x| <= 1
inline constexpr double kSinhF32[] = {0x1.555556p-3, 0x1.1110e2p-7, 0x1.a02156p-13, 0x1.75a73ep-19};
inline constexpr double kSinhF64[] = {
    0x1.5555555555555p-3,  0x1.1111111111199p-7,  0x1.a01a01a007b24p-13, 0x1.71de3a68223e1p-19,
    0x1.ae64420b4d61ap-26, 0x1.6130abe71c9fep-33, 0x1.a6d55c0d67c21p-41, 0x1.c33afce4f9745p-48};
// tanh x = x + x^3 P(x^2), |x| <= 0.625
inline constexpr double kTanhF32[] = {-0x1.555534p-2, 0x1.11075ep-3, -0x1.b842c4p-5, 0x1.524c4p-6,
                                      -0x1.767a04p-8};
inline constexpr double kTanhF64[] = {
    -0x1.5555555555552p-2,  0x1.1111111110c6p-3,   -0x1.ba1ba1b9d2a8cp-5,  0x1.664f487105be6p-6,
    -0x1.226e32d84464dp-7,  0x1.d6d35b95f5277p-9,  -0x1.7d9c44b86deb5p-10, 0x1.350c1d5207f7p-11,
    -0x1.f119ca0ac8fdfp-13, 0x1.80322b1dbcd31p-14, -0x1.fb1fd2aa5d077p-16, 0x1.96a247e573774p-18};
// erf x = x + x P(x^2), |x| <= 0.90625
inline constexpr double kErfF32[] = {0x1.06eba8p-3, -0x1.81274p-2,   0x1.ce2d6p-4,  -0x1.b8007ep-6,
                                     0x1.54423ep-8, -0x1.a5b7c6p-11, 0x1.4e384ap-14};
inline constexpr double kErfF64[] = {
    0x1.06eba8214db69p-3,  -0x1.812746b037a35p-2,  0x1.ce2f21a0472a3p-4,  -0x1.b82ce314199c9p-6,
    0x1.565bcd57c0bc4p-8,  -0x1.c02dc3d452892p-11, 0x1.f9a55148c1323p-14, -0x1.f50443ce9da7bp-17,
    0x1.bce5d479fd54dp-20, -0x1.7ddb51aa3980cp-23, 0x1.c1d4b28f72bf4p-26, -0x1.bc6f899dc83f6p-28,
    0x1.38dc673bbd66dp-30};
// erfc x = e^P(x), 0.90625 <= x <= 4
inline constexpr double kLogErfcF32[] = {0x1.667e26p-13, -0x1.2126b4p+0, -0x1.444ae2p-1,
                                         -0x1.bb58f8p-4, 0x1.9b1e98p-6,  -0x1.10afd6p-8,
                                         0x1.c55c16p-12, -0x1.5ee356p-16};
// erfc x = e^P(x), 0.90625 <= x <= 6
inline constexpr double kLogErfcF64[] = {
    0x1.9df4750080cc8p-26, -0x1.20dd7a3cb30c2p+0,  -0x1.45f2c721c456p-1,   -0x1.a4fc871704da2p-4,
    0x1.39b94a6ee22aap-6,  0x1.629fe7b9a6553p-13,  -0x1.ac03124a33975p-10, 0x1.0b5d9f078ac2ep-11,
    0x1.d6f661d3f4169p-15, -0x1.16fcdd3936654p-13, 0x1.4121bcf78c40dp-14,  -0x1.ed00bc654b59dp-16,
    0x1.1ff0023a7c368p-17, -0x1.09fc5362ae839p-19, 0x1.8800d516e1adap-22,  -0x1.c99e6f9296b9p-25,
    0x1.9edbae24a8aadp-28, -0x1.19f591086776cp-31, 0x1.0e7cbb4b4eeaep-35,  -0x1.46a0f0ff013fep-40,
    0x1.7572565ddbf2bp-46};

}  // namespace hlo_indexing::emit::scalar::polynomials

#endif  // HLO_INDEXING_CODEGEN_EMIT_SCALAR_POLYNOMIALS_H_
