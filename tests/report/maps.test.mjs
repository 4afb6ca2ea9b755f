// What the page computes by itself, against the program: maps, their images, requests of warps.
import assert from 'node:assert/strict';
import {test} from 'node:test';
import {inflateSync} from 'node:zlib';
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {records, report, repository, run, source, temporaryFile} from './tools.mjs';

const {parseMap, evaluate} = await source('affine.ts');
const {imageOf, isRun, partOf, setOfBox, sizeOf} = await source('image.ts');
const {SECTOR_BITS, positionsOf, sectorsOf, sideBySide, swizzled, wavefrontsOf} = await source('request.ts');
const {matrixOf, cellsOf, cellNumbers, cellOf, countCells, indexAt, setText} = await source('marks.ts');
const {layoutText, threadValues} = await source('thread_values.ts');
const {layOut} = await source('layers.ts');
const {bytes, microseconds, shortened, shortenedName, shortenedShape} = await source('format.ts');
const {fitted} = await source('layouts.ts');

let seed = 19;
const random = (count) => {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return Math.floor((seed / 2147483648) * count);
};

function randomExpression(names, depth) {
  if (depth === 0 || random(4) === 0) return random(5) === 0 ? String(random(7)) : names[random(names.length)];
  const inner = randomExpression(names, depth - 1);
  switch (random(6)) {
    case 0: return `(${inner}) * ${random(5) - 2}`;
    case 1: return `(${inner}) floordiv ${1 + random(4)}`;
    case 2: return `(${inner}) mod ${1 + random(5)}`;
    case 3: return `(${inner}) ceildiv ${1 + random(4)}`;
    case 4: return `(${inner}) - (${randomExpression(names, depth - 1)})`;
    default: return `${inner} + ${randomExpression(names, depth - 1)}`;
  }
}

function randomMap() {
  const dims = 1 + random(2);
  const ranges = random(3);
  const names = [...Array.from({length: dims}, (_, i) => `d${i}`), ...Array.from({length: ranges}, (_, i) => `s${i}`)];
  const results = Array.from({length: 1 + random(2)}, () => randomExpression(names, 3));
  const bounds = names.map((name) => `${name} in [${random(3)}, ${3 + random(5)}]`);
  const constraints = random(3) === 0 ? [`${randomExpression(names, 2)} in [${random(4) - 2}, ${2 + random(6)}]`] : [];
  const symbols = ranges > 0 ? `[${names.slice(dims).join(', ')}]` : '';
  return `(${names.slice(0, dims).join(', ')})${symbols} -> (${results.join(', ')}), domain: ${[...bounds, ...constraints].join(', ')}`;
}

const product = (numbers) => numbers.reduce((a, b) => a * b, 1);

/** All points of the product of bounds. */
function* points(variables, at = []) {
  if (at.length === variables.length) return yield at;
  const {lower, upper} = variables[at.length];
  for (let value = lower; value <= upper; value++) yield* points(variables, [...at, value]);
}

/** The indices of a set, written out. */
function indicesOf(set, rank) {
  let indices = [new Array(rank).fill(0)];
  for (const {results, values, size} of set.parts) {
    const at = (k, i) => {
      const column = results.length === 1 ? values : values[k];
      return isRun(column) ? column.first + i * column.step : column[i];
    };
    indices = indices.flatMap((index) => Array.from({length: size}, (_, i) => {
      const next = [...index];
      results.forEach((result, k) => { next[result] = at(k, i); });
      return next;
    }));
  }
  return indices;
}

test('images of random maps are those of the program and of enumeration', () => {
  const texts = Array.from({length: 300}, randomMap);
  const found = records('image', ...texts).filter(({kind}) => kind === 'image');
  assert.equal(found.length, texts.length);
  let compared = 0;
  texts.forEach((text, i) => {
    const map = parseMap(text);
    const reached = new Set();
    for (const point of points(map.variables)) {
      const result = evaluate(map, point);
      if (result !== null) reached.add(result.join());
    }
    const all = map.variables.slice(0, map.numDimensions);
    const set = imageOf(map, all);
    assert.equal(set === null ? 0 : sizeOf(set), reached.size, text);
    if (set !== null) {
      assert.equal(set.isBox, false);
      const indices = indicesOf(set, map.results.length).map((index) => index.join());
      assert.deepEqual(indices.sort(), [...reached].sort(), text);
    }
    if (!found[i].exact) return;
    compared++;
    assert.equal(String(reached.size), found[i].size, text);
  });
  assert.ok(compared > 200, `${compared} images of the program were exact`);
});

test('bounds may have no end', () => {
  const map = parseMap('(d0)[s0] -> (d0 + s0), domain: d0 in [0, inf], s0 in [-inf, 3], d0 - s0 in [2, inf]');
  assert.deepEqual(map.variables.map(({lower, upper}) => [lower, upper]), [[0, Infinity], [-Infinity, 3]]);
  assert.deepEqual(evaluate(map, [1000, 3]), [1003]);
  assert.deepEqual(evaluate(map, [1, -1000]), [-999]);
  assert.equal(evaluate(map, [4, 3]), null);
});

test('the bytes that lanes want, side by side, are those without gaps', () => {
  for (let i = 0; i < 300; i++) {
    const [bits, vector, spread] = [[4, 8, 16, 32, 64][random(5)], 1 << random(3), 1 + random(60)];
    const positions = Array.from({length: 32}, () => (random(6) === 0 ? null : random(spread)));
    // Each bit, of the lane that comes first to it.
    const lanes = new Map();
    const inOrder = positions.map((position, lane) => ({position, lane})).filter(({position}) => position !== null).sort((a, b) => a.position - b.position);
    for (const {position, lane} of inOrder) {
      for (let bit = position * bits; bit < (position + vector) * bits; bit++) if (!lanes.has(bit)) lanes.set(bit, lane);
    }
    const wanted = [...lanes].sort((a, b) => a[0] - b[0]).map(([, lane]) => lane);
    const parts = sideBySide(positions, bits, vector);
    const found = parts.flatMap(({lane, begin, end}) => new Array(end - begin).fill(lane));
    assert.deepEqual(found, wanted);
    let at = 0;
    for (const {sector, begin, end} of parts) {
      assert.deepEqual([sector, begin], [Math.floor(at / SECTOR_BITS), at % SECTOR_BITS]);
      at += end - begin;
    }
    assert.equal(Math.ceil(at / SECTOR_BITS), sectorsOf(positions, bits, vector).ideal);
  }
});

test('a bounding box has all elements', () => {
  for (let i = 0; i < 200; i++) {
    const map = parseMap(randomMap());
    for (const result of map.results) {
      const {lower, upper} = result.range(map.variables);
      for (const point of points(map.variables)) {
        const value = result.evaluate(point);
        assert.ok(value >= lower && value <= upper, `${map.text}: ${value} at ${point}`);
      }
    }
  }
});

test('sums are evenly spaced, however many points they have, or are tried', () => {
  for (let i = 0; i < 300; i++) {
    const sizes = [1 + random(5), 1 + random(5), 1 + random(4)];
    const factors = [random(9) - 4, random(25) - 12, random(41) - 20];
    const map = parseMap(`(d0)[s0, s1] -> (d0 * ${factors[0]} + s0 * ${factors[1]} + s1 * ${factors[2]} + 7), domain: d0 in [0, ${sizes[0] - 1}], s0 in [0, ${sizes[1] - 1}], s1 in [2, ${sizes[2] + 1}]`);
    const wanted = new Set([...points(map.variables)].map((point) => evaluate(map, point)[0]));
    const set = imageOf(map, map.variables.slice(0, 1));
    assert.deepEqual(indicesOf(set, 1).flat(), [...wanted].sort((a, b) => a - b), map.text);
  }
  const large = imageOf(parseMap('(d0){rt0} -> (rt0, d0 * 3), domain: d0 in [0, 9], rt0 in [0, 16777215]'), [{lower: 2, upper: 3}]);
  assert.deepEqual([large.isBox, sizeOf(large), setText(large, 2)], [false, 2 ** 25, '[0:16777216, 6:10:3]']);
});

test('too many points give a box, and say so', () => {
  const map = parseMap('(d0)[s0, s1] -> (d0 * 2 + (s0 mod 997) + s1), domain: d0 in [0, 3], s0 in [0, 999], s1 in [0, 999]');
  const set = imageOf(map, [{lower: 1, upper: 1}]);
  assert.equal(set.isBox, true);
  assert.equal(sizeOf(set), 1996);
});

test('maps that are empty, constant or of no dimension', () => {
  assert.equal(imageOf(parseMap('(d0) -> (d0), domain: KNOWN EMPTY'), [{lower: 0, upper: 3}]), null);
  assert.deepEqual(imageOf(parseMap('() -> (7)'), []).parts, [partOf(0, {first: 7, step: 1, count: 1})]);
  assert.equal(sizeOf(imageOf(parseMap('() -> ()'), [])), 1);
  const runtime = imageOf(parseMap('(d0){rt0} -> (d0 + rt0), domain: d0 in [0, 3], rt0 in [0, 5]'), [{lower: 0, upper: 0}]);
  assert.equal(runtime.dependsOnRuntime, true);
  assert.throws(() => parseMap('(d0) -> (d1)'), /no variable/);
  assert.throws(() => parseMap('(d0) -> (d0'), SyntaxError);
});

test('cells of a matrix are the elements of a set', () => {
  const sizes = [3, 3, 4];
  for (const text of [
    '(d0)[s0] -> (d0, s0 floordiv 2, s0 mod 2 + d0), domain: d0 in [0, 2], s0 in [0, 5]',
    '(d0)[s0] -> (s0 mod 3, d0, s0 floordiv 3), domain: d0 in [0, 2], s0 in [0, 7]',
    '(d0)[s0, s1] -> (d0, s0, s1), domain: d0 in [0, 2], s0 in [0, 1], s1 in [1, 3]',
  ]) {
    const map = parseMap(text);
    const matrix = matrixOf(sizes);
    const cells = cellsOf(matrix, imageOf(map, [{lower: 1, upper: 2}]));
    const drawn = [...cellNumbers(matrix, cells)].map((number) => indexAt(matrix, Math.floor(number / matrix.columns), number % matrix.columns).join());
    const wanted = new Set();
    for (const point of points(map.variables)) if (point[0] >= 1) wanted.add(evaluate(map, point).join());
    assert.deepEqual(drawn.sort(), [...wanted].sort(), text);
    assert.equal(countCells(matrix, [cells]), wanted.size);
    assert.equal(countCells(matrix, [cells, cellsOf(matrix, setOfBox([{lower: 0, upper: 2}, {lower: 0, upper: 2}, {lower: 0, upper: 3}]))]), 36);
  }
  const matrix = matrixOf(sizes);
  const {row, column} = cellOf(matrix, [2, 1, 3]);
  assert.deepEqual(indexAt(matrix, row, column), [2, 1, 3]);
});

/** Example: "((_2,_4),_3):((_1,_8),_2)" -> the offsets of all pairs, the values of a thread together */
function offsetsOf(layout) {
  const [shape, stride] = layout.replaceAll('_', '').replaceAll('(', '[').replaceAll(')', ']').split(':').map((text) => JSON.parse(text));
  const part = (sizes, strides) => {
    let offsets = [0];
    [sizes].flat().forEach((size, i) => {
      const each = [strides].flat()[i];
      offsets = Array.from({length: size}, (_, k) => offsets.map((offset) => offset + k * each)).flat();
    });
    return offsets;
  };
  const [threads, values] = [part(shape[0], stride[0]), part(shape[1], stride[1])];
  return threads.flatMap((thread) => values.map((value) => thread + value));
}

test('threads and values as layouts of CuTe', () => {
  // Random layouts are found again, as functions.
  for (let i = 0; i < 300; i++) {
    const modes = () => Array.from({length: 1 + random(3)}, () => [2 + random(4), random(50) - 10]);
    const text = (list, k) => `(${list.map((mode) => mode[k]).join()})`;
    const [a, b] = [modes(), modes()];
    const offsets = offsetsOf(`(${text(a, 0)},${text(b, 0)}):(${text(a, 1)},${text(b, 1)})`);
    const threads = product(a.map(([size]) => size));
    const found = layoutText(Float64Array.from(offsets), threads, offsets.length / threads);
    assert.deepEqual(offsetsOf(found), offsets, `${text(a, 0)} ${text(a, 1)} ${text(b, 0)} ${text(b, 1)}: ${found}`);
  }
  assert.equal(layoutText(Float64Array.from([0, 1, 2, 4]), 2, 2), null);
  // Those of the plans: every thread and value of every block, against the map.
  let layouts = 0;
  for (const [file, ...options] of [['examples/transformer_block.hlo'], ['examples/transformer_block.hlo', '--plan=ours'], ['examples/slow_kernels.hlo']]) {
    for (const kernel of detailsOf(report(file, ...options))) {
      for (const pass of kernel.passes) {
        if (pass.map === null) continue;
        const map = parseMap(kernel.maps[pass.map].text);
        const output = kernel.outputs[pass.output ?? -1];
        const position = output?.position === undefined ? null : parseMap(kernel.maps[output.position].text);
        const block = product(kernel.record.blocks) > 1 ? 1 : 0;
        const found = threadValues(map, position, kernel.record, block);
        if (typeof found === 'string') continue;
        const {values, first, sizes, owners} = found;
        const [tx, ty] = kernel.record.threads;
        const [bx, by] = kernel.record.blocks;
        const loops = [...points(map.variables.slice(map.numDimensions))];
        const memory = found.memoryLayout === null || found.memoryLayout === undefined ? null : offsetsOf(found.memoryLayout);
        const bases = new Set();
        let elements = 0;
        owners.forEach((owner, place) => {
          if (owner < 0) return;
          elements++;
          const [thread, value] = [Math.floor(owner / values), owner % values];
          const index = evaluate(map, [thread % tx, Math.floor(thread / tx) % ty, Math.floor(thread / (tx * ty)),
            block % bx, Math.floor(block / bx) % by, Math.floor(block / (bx * by)), ...loops[value]]);
          let rest = place;
          const wanted = sizes.map(() => 0);
          for (let i = sizes.length - 1; i >= 0; i--) {
            wanted[i] = first[i] + (rest % sizes[i]);
            rest = Math.floor(rest / sizes[i]);
          }
          assert.deepEqual(index, wanted);
          if (memory !== null) bases.add(evaluate(position, index)[0] - memory[owner]);
        });
        assert.ok(elements > 0);
        if (memory === null) continue;
        layouts++;
        assert.equal(bases.size, 1, `${kernel.record.instruction}: ${found.memoryLayout}`);
        // The calculator of the program reads the notation, and says the same.
        if (layouts > 3) continue;
        const last = memory.length - 1;
        assert.ok(run('cute', `size(${found.memoryLayout})`).includes(String(last + 1)));
      }
    }
  }
  assert.ok(layouts > 5, `${layouts} layouts`);
});

test('graphs are laid out without overlaps, downwards', async () => {
  for (const count of [1, 2, 30, 400, 3000]) {
    const edges = [];
    for (let to = 1; to < count; to++) {
      for (let k = random(3); k >= 0; k--) edges.push({from: random(20) === 0 ? random(to) : Math.max(0, to - 1 - random(8)), to, labelWidth: random(3) * 40});
    }
    const sizes = Array.from({length: count}, () => ({width: 40 + random(100), height: random(20) === 0 ? 200 : 50}));
    let pauses = 0;
    const {nodes, edges: drawn, layers, width, height} = await layOut(sizes, edges, () => 60, async () => { pauses++; });
    assert.ok(pauses > 0);
    assert.deepEqual(layers.flat().sort((a, b) => a - b), [...nodes.keys()]);
    for (const layer of layers) {
      layer.forEach((node, i) => {
        const {x, y, width: own, height: high} = nodes[node];
        assert.ok(x - own / 2 >= 0 && x + own / 2 <= width && y - high / 2 >= 0 && y + high / 2 <= height);
        if (i > 0) assert.ok(x - own / 2 > nodes[layer[i - 1]].x + nodes[layer[i - 1]].width / 2, `${count}: nodes overlap`);
      });
    }
    drawn.forEach(({edge, points: line, reference}) => {
      const [from, to] = [nodes[edges[edge].from], nodes[edges[edge].to]];
      assert.ok(from.layer < to.layer);
      assert.equal(reference !== undefined, to.layer - from.layer > 6);
      line.forEach(({y}, i) => assert.ok(i === 0 || y >= line[i - 1].y));
      assert.equal(line[line.length - 1].y, to.y - to.height / 2);
      if (reference === undefined) assert.equal(line[0].y, from.y + from.height / 2);
    });
  }
});

/** The details that a page holds. */
function detailsOf(file) {
  const text = readFileSync(file, 'utf8');
  const unpack = (base64) => JSON.parse(inflateSync(Buffer.from(base64, 'base64')).toString());
  const chunks = [...text.matchAll(/id="chunk-\d+">([^<]*)</g)].map((match) => unpack(match[1]));
  const summary = unpack(/id="summary">([^<]*)</.exec(text)[1]);
  return summary.modules.flatMap(({kernels}) =>
    kernels.map(({record, chunk, place}) => ({record, maps: chunks[chunk].maps, ...chunks[chunk].kernels[place]})));
}

/** Every request of an access: all blocks, warps and loops. */
function* requests(map, kernel, vector) {
  const [x, y, z] = kernel.blocks;
  const symbols = map.variables.slice(map.numDimensions);
  const used = symbols.map((_, i) =>
    map.results[0].variables.has(map.numDimensions + i) || map.constraints.some(({term}) => term.variables.has(map.numDimensions + i)));
  const loops = symbols.map(({lower, upper}, i) => (used[i] ? {lower, upper} : {lower, upper: lower}));
  for (let block = 0; block < x * y * z; block++) {
    for (let warp = 0; warp < Math.ceil(product(kernel.threads) / 32); warp++) {
      for (const values of points(loops)) {
        if (vector > 1 && values[map.numRanges - 1] % vector !== 0) continue;
        yield positionsOf(map, kernel.threads, {warp, block: [block % x, Math.floor(block / x) % y, Math.floor(block / (x * y))], symbols: values});
      }
    }
  }
}

test('the requests of all warps are those that explain counts', () => {
  let accesses = 0;
  let shared = 0;
  const small = temporaryFile('transposes.hlo', `HloModule m
a { p = f32[96,80] parameter(0)  ROOT t = f32[80,96] transpose(p), dimensions={1,0} }
b { p = bf16[70,66] parameter(0)  ROOT t = bf16[66,70] transpose(p), dimensions={1,0} }
sum { x = f32[] parameter(0)  y = f32[] parameter(1)  ROOT z = f32[] add(x, y) }
c { p = f32[60,300]{0,1} parameter(0)  z = f32[] constant(0)  ROOT r = f32[60] reduce(p, z), dimensions={1}, to_apply=sum }
ENTRY e { x = f32[96,80] parameter(0)  y = bf16[70,66] parameter(1)  v = f32[60,300]{0,1} parameter(2)
  f = f32[80,96] fusion(x), kind=kInput, calls=a
  g = bf16[66,70] fusion(y), kind=kInput, calls=b
  h = f32[60] fusion(v), kind=kInput, calls=c
  ROOT r = (f32[80,96], bf16[66,70], f32[60]) tuple(f, g, h) }
`);
  for (const [file, ...options] of [['examples/transformer_block.hlo'], [small], [small, '--plan=ours']]) {
    for (const kernel of detailsOf(report(file, ...options))) {
      for (const access of kernel.accesses) {
        // Each request is looked at by itself here.
        if (access.position === null || !access.record.exact || access.record.requests > 2000) continue;
        const map = parseMap(kernel.maps[access.position].text);
        const counts = {requests: 0, sectors: 0, ideal_sectors: 0};
        for (const positions of requests(map, kernel.record, access.vector)) {
          const {sectors, ideal} = sectorsOf(positions, access.bits, access.vector);
          if (sectors.length === 0) continue;
          counts.requests++;
          counts.sectors += sectors.length;
          counts.ideal_sectors += ideal;
        }
        const {requests: all, sectors, ideal_sectors} = access.record;
        assert.deepEqual(counts, {requests: all, sectors, ideal_sectors}, `${file} ${kernel.record.instruction} ${access.record.array_name}`);
        accesses++;
      }
      kernel.tiles.forEach((tile, number) => {
        const known = kernel.shared_accesses.filter((record) => record.tile === number);
        assert.equal(known.length, tile.accesses.length);
        tile.accesses.forEach((access, i) => {
          const map = parseMap(kernel.maps[access.position].text);
          const vector = Math.max(1, Math.floor((known[i].vector_bytes * 8) / tile.bits));
          const counts = {requests: 0, wavefronts: 0};
          for (const positions of requests(map, kernel.record, vector)) {
            const moved = positions.map((position) => (position === null ? null : swizzled(position, tile.swizzle)));
            const {wavefronts} = wavefrontsOf(moved, tile.bits, vector);
            if (wavefronts === 0) continue;
            counts.requests++;
            counts.wavefronts += wavefronts;
          }
          assert.deepEqual(counts, {requests: known[i].requests, wavefronts: known[i].wavefronts}, `${file} ${kernel.record.instruction} tile ${number}`);
          shared++;
        });
      });
    }
  }
  assert.ok(accesses > 30 && shared > 6, `${accesses} accesses, ${shared} of shared memory`);
});

test('the maps of a page are those of the program', () => {
  for (const kernel of detailsOf(report('examples/transformer_block.hlo'))) {
    const {instruction} = kernel.record;
    const text = run('maps', `--instruction=${instruction}`, 'examples/transformer_block.hlo');
    for (const {operands} of kernel.outputs.map(({reads}) => reads)) {
      for (const number of operands.flatMap(({maps}) => maps)) assert.ok(text.includes(kernel.maps[number].text), kernel.maps[number].text);
    }
  }
});

test('the reports of the documentation are what the program writes', () => {
  // The same data may be compressed otherwise.
  const unpacked = (text) => text.replaceAll(/(text\/plain" id="[^"]*">)([^<]*)</g, (_, head, base64) => `${head}${inflateSync(Buffer.from(base64, 'base64'))}<`);
  for (const [name, module] of [['transformer_block', 'examples/transformer_block.hlo'], ['jax_training_step', 'tests/corpus/jax/transformer_training_step.hlo']]) {
    const page = readFileSync(report(module), 'utf8');
    const file = join(repository, `docs/reports/${name}.html`);
    if (process.env.UPDATE === '1') writeFileSync(file, page);
    assert.ok(unpacked(page) === unpacked(readFileSync(file, 'utf8')), `docs/reports/${name}.html: UPDATE=1 tools/test_report.sh makes it anew`);
  }
});

test('numbers look as those of explain', () => {
  assert.deepEqual([0, 9999, 10000, 999499, 134217728, 1.5e12].map(bytes), ['0 B', '9,999 B', '10.0 kB', '999 kB', '134 MB', '1.50 TB']);
  assert.deepEqual([0, 0.0202, 16.54, 1234.5, 2e6].map(microseconds), ['0.00 ns', '20.2 ns', '16.5 us', '1.23 ms', '2.00 s']);
});

test('what is cut says what it can', () => {
  assert.equal(shortened('a long text', 7), 'a long…');
  assert.equal(shortenedName('%broadcast_multiply_fusion.27', 12), '%broadca….27');
  assert.equal(shortenedName('%scatter.130', 6), '%s…130');
  assert.equal(shortenedName('%scatter.1234', 6), '%scat…');
  assert.equal(shortenedName('%scatter.130', 12), '%scatter.130');
  assert.equal(shortenedShape('f32[8,4]{1,0}', 10), 'f32[8,4]');
  assert.equal(shortenedShape('(f32[8,4]{1,0}, s32[])', 16), '(f32[8,4], s32[…');
  for (let round = 0; round < 300; round++) {
    const name = '%'.padEnd(2 + random(40), 'x') + (random(2) === 0 ? '' : `.${random(10 ** (1 + random(8)))}`);
    const most = 4 + random(40);
    const cut = shortenedName(name, most);
    assert.ok(cut.length <= most && (cut === name || cut.includes('…')), `${name} in ${most}: ${cut}`);
    // A number is whole or not there.
    const number = /\d+$/.exec(cut)?.[0];
    assert.ok(number === undefined || number === /\d+$/.exec(name)[0], `${name} in ${most}: ${cut}`);
  }
});

test('an index in a cell is whole, and in it', () => {
  for (let round = 0; round < 300; round++) {
    const index = Array.from({length: 1 + random(12)}, () => random(10 ** random(4)));
    const size = [22, 34, 48][random(3)];
    const {lines, font} = fitted(index.join(), size);
    assert.equal(lines.join(''), index.join());
    assert.ok(lines.length * font * 1.15 <= size, `${index} in ${size}`);
    assert.ok(Math.max(...lines.map((line) => line.length)) * 0.62 * font <= size - 4 + 1e-9, `${index} in ${size}`);
    const inOne = Math.min(0.42 * size, (size - 4) / (0.62 * index.join().length));
    assert.ok(font >= inOne);
  }
  // A text that has lines keeps them.
  assert.deepEqual(fitted('T5\nV2', 34).lines, ['T5', 'V2']);
});
