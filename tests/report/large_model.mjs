// Models of many instructions, as a compiler leaves them after fusion: layers of fusions of different sizes, and one fusion of all.

/** HLO text of about so many instructions. */
export function largeModel(instructions) {
  const lines = ['HloModule large', 'sum { a = f32[] parameter(0)  b = f32[] parameter(1)  ROOT c = f32[] add(a, b) }'];
  const entry = ['  x0 = f32[256,512] parameter(0)', '  w = f32[512] parameter(1)'];
  let count = 5;
  let layer = 0;
  for (; count < instructions; layer++) {
    // Slices differ, so that not all layers are one.
    const shift = layer % 97;
    lines.push(
      `transposes${layer} { p = f32[256,512] parameter(0)  t = f32[512,256] transpose(p), dimensions={1,0}  e = f32[512,256] exponential(t)  u = f32[256,512] transpose(e), dimensions={1,0}  ROOT n = f32[256,512] negate(u) }`,
      `sums${layer} { p = f32[256,512] parameter(0)  z = f32[] constant(0)  q = f32[256,512] multiply(p, p)  ROOT r = f32[512] reduce(q, z), dimensions={0}, to_apply=sum }`,
      `pads${layer} { p = f32[256,512] parameter(0)  w = f32[512] parameter(1)  z = f32[] constant(0)  s = f32[256,${512 - shift}] slice(p), slice={[0:256], [${shift}:512]}  f = f32[256,512] pad(s, z), padding=0_0x0_${shift}  b = f32[256,512] broadcast(w), dimensions={1}  m = f32[256,512] multiply(f, b)  h = f32[256,512] tanh(m)  ROOT a = f32[256,512] add(h, p) }`,
      `turns${layer} { p = f32[256,512] parameter(0)  r = f32[131072] reshape(p)  s = f32[512,256] reshape(r)  t = f32[256,512] transpose(s), dimensions={1,0}  ROOT l = f32[256,512] logistic(t) }`,
    );
    entry.push(
      `  t${layer} = f32[256,512] fusion(x${layer}), kind=kLoop, calls=transposes${layer}, metadata={op_name="jit(step)/layer_${layer}/exp" source_file="model.py" source_line=${10 + (layer % 50)}}`,
      `  s${layer} = f32[512] fusion(t${layer}), kind=kInput, calls=sums${layer}, metadata={op_name="jit(step)/layer_${layer}/norm" source_file="model.py" source_line=${60 + (layer % 50)}}`,
      `  p${layer} = f32[256,512] fusion(t${layer}, s${layer}), kind=kLoop, calls=pads${layer}, metadata={op_name="jit(step)/layer_${layer}/mlp" source_file="model.py" source_line=${110 + (layer % 50)}}`,
      `  x${layer + 1} = f32[256,512] fusion(p${layer}), kind=kLoop, calls=turns${layer}, metadata={op_name="jit(step)/layer_${layer}/turn" source_file="model.py" source_line=${160 + (layer % 50)}}`,
    );
    count += 27;
  }
  entry.push(`  ROOT result = (f32[256,512]) tuple(x${layer})`);
  return `${lines.join('\n')}\nENTRY main {\n${entry.join('\n')}\n}\n`;
}

/** One fusion of so many instructions, with operands that are near and some that are far. */
export function largeKernel(instructions) {
  const type = 'f32[64,128]';
  const lines = [`  i0 = ${type} parameter(0)`, `  i1 = ${type} parameter(1)`];
  for (let i = 2; i < instructions; i++) {
    // Each is read by the next one, so that none is left out.
    const other = i % 41 === 0 ? i % 7 : Math.max(0, i - 1 - ((i * 7) % 9));
    lines.push(`  ${i === instructions - 1 ? 'ROOT ' : ''}i${i} = ${type} add(i${i - 1}, i${other})`);
  }
  return `HloModule large_kernel\nf {\n${lines.join('\n')}\n}\nENTRY e { x = ${type} parameter(0)  y = ${type} parameter(1)  ROOT k = ${type} fusion(x, y), kind=kLoop, calls=f }\n`;
}
