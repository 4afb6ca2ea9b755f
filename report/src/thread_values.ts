// Which thread of a block has which element, as CuTe writes it: a layout from (thread, value) to
// the place in the block's tile, the first dimension of the tile fastest, or to the place in memory.
import type {IndexingMap} from './affine';

/** A block of a pass over elements. Values are the iterations of all loops, the innermost fastest. */
export interface ThreadValues {
  threads: number;
  values: number;
  /** The smallest box with all elements of the block: where it begins, and its sizes. */
  first: number[];
  sizes: number[];
  /** By row-major position in the box: thread * values + value, or -1 if no thread has it. */
  owners: Int32Array;
  /** How many elements more than one thread, or value, has. */
  shared: number;
  /** To the place in the box; null if it is no layout. */
  tileLayout: string | null;
  /** To the place in memory, relative to the first; null if it is no layout; undefined without one. */
  memoryLayout: string | null | undefined;
}

/** So many pairs of a thread and a value are written out. */
const MOST_VALUES = 1 << 17;

interface Mode {
  size: number;
  stride: number;
}

/** The modes of the layout that has these offsets in order, neighbours joined; null if none has. */
export function modesOf(offsets: Float64Array): Mode[] | null {
  if (offsets.length <= 1) return [];
  const stride = offsets[1]! - offsets[0]!;
  let size = 1;
  while (size < offsets.length && offsets[size] === offsets[0]! + size * stride) size++;
  if (offsets.length % size !== 0) return null;
  const outer = new Float64Array(offsets.length / size);
  for (let i = 0; i < outer.length; i++) {
    outer[i] = offsets[i * size]!;
    for (let k = 1; k < size; k++) {
      if (offsets[i * size + k] !== outer[i]! + k * stride) return null;
    }
  }
  const rest = modesOf(outer);
  return rest === null ? null : [{size, stride}, ...rest];
}

/** Example: [{size: 4, stride: 1}, {size: 2, stride: 8}] -> "(_4,_2)" and "(_1,_8)" */
function modesText(modes: readonly Mode[], get: (mode: Mode) => number): string {
  const texts = modes.map((mode) => `_${get(mode)}`);
  return texts.length === 1 ? texts[0]! : `(${texts.join()})`;
}

/** The layout of offsets by thread and value, each thread's together; null if there is none. */
export function layoutText(offsets: Float64Array, threads: number, values: number): string | null {
  const base = offsets[0]!;
  const byThread = new Float64Array(threads).map((_, thread) => offsets[thread * values]! - base);
  const byValue = new Float64Array(values).map((_, value) => offsets[value]! - base);
  for (let i = 0; i < offsets.length; i++) {
    const thread = Math.floor(i / values);
    if (offsets[i]! - base !== byThread[thread]! + byValue[i - thread * values]!) return null;
  }
  const unit = [{size: 1, stride: 0}];
  const parts = [modesOf(byThread), modesOf(byValue)].map((modes) => (modes?.length === 0 ? unit : modes));
  const [first, second] = parts;
  if (!first || !second) return null;
  const text = (get: (mode: Mode) => number) => `(${modesText(first, get)},${modesText(second, get)})`;
  return `${text(({size}) => size)}:${text(({stride}) => stride)}`;
}

/** The place of each index in a box, the last dimension fastest or the first. */
function placesIn(indices: readonly Float64Array[], first: readonly number[], sizes: readonly number[], points: number, isFirstFastest: boolean): Float64Array {
  const places = new Float64Array(points);
  const order = indices.map((_, i) => i);
  if (isFirstFastest) order.reverse();
  for (const dimension of order) {
    const [size, begin, column] = [sizes[dimension]!, first[dimension]!, indices[dimension]!];
    for (let i = 0; i < places.length; i++) places[i] = places[i]! * size + column[i]! - begin;
  }
  return places;
}

/**
 * What a block does by a map from (th_x, th_y, th_z, bl_x, bl_y, bl_z)[loops] to elements, or why
 * there is no picture of it. `position` leads from elements to memory.
 */
export function threadValues(
  map: IndexingMap,
  position: IndexingMap | null,
  launch: {blocks: readonly number[]; threads: readonly number[]},
  block: number,
): ThreadValues | string {
  const [bx = 1, by = 1] = launch.blocks;
  const [tx = 1, ty = 1] = launch.threads;
  const threads = launch.threads.reduce((a, b) => a * b, 1);
  const loops = map.variables.slice(map.numDimensions, map.numDimensions + map.numRanges);
  const values = loops.reduce((n, {lower, upper}) => n * (upper - lower + 1), 1);
  if (map.isEmpty || values <= 0) return 'no thread has an element';
  if (map.variables.length > map.numDimensions + map.numRanges) return 'values known at run time decide';
  const points = threads * values;
  if (points > MOST_VALUES) return `a block has ${points.toLocaleString('en-US')} values, too many for a picture`;
  const columns = map.variables.map(() => new Float64Array(points));
  const blocks = [block % bx, Math.floor(block / bx) % by, Math.floor(block / (bx * by))];
  for (let i = 0; i < points; i++) {
    const thread = Math.floor(i / values);
    columns[0]![i] = thread % tx;
    columns[1]![i] = Math.floor(thread / tx) % ty;
    columns[2]![i] = Math.floor(thread / (tx * ty));
    let rest = i - thread * values;
    for (let k = loops.length - 1; k >= 0; k--) {
      const size = loops[k]!.upper - loops[k]!.lower + 1;
      columns[6 + k]![i] = loops[k]!.lower + (rest % size);
      rest = Math.floor(rest / size);
    }
  }
  blocks.forEach((at, i) => columns[3 + i]!.fill(at));
  const inDomain = new Uint8Array(points).fill(1);
  const within = (column: Float64Array, lower: number, upper: number) => {
    for (let i = 0; i < points; i++) if (column[i]! < lower || column[i]! > upper) inDomain[i] = 0;
  };
  map.variables.forEach(({lower, upper}, i) => within(columns[i]!, lower, upper));
  for (const {term, lower, upper} of map.constraints) within(term.column(columns, points), lower, upper);
  const indices = map.results.map((result) => result.column(columns, points));
  const boxOf = (counts: (i: number) => boolean) => indices.map((column) => {
    let [lower, upper] = [Infinity, -Infinity];
    for (let i = 0; i < points; i++) {
      if (!counts(i)) continue;
      lower = Math.min(lower, column[i]!);
      upper = Math.max(upper, column[i]!);
    }
    return {lower, upper};
  });
  if (!inDomain.includes(1)) return 'this block has no element';
  const box = boxOf((i) => inDomain[i] === 1);
  const first = box.map(({lower}) => lower);
  const sizes = box.map(({lower, upper}) => upper - lower + 1);
  const elements = sizes.reduce((a, b) => a * b, 1);
  if (elements > 1 << 24) return 'its elements are too far apart for a picture';
  const owners = new Int32Array(elements).fill(-1);
  let shared = 0;
  const places = placesIn(indices, first, sizes, points, false);
  for (let i = 0; i < points; i++) {
    if (inDomain[i] === 0) continue;
    if (owners[places[i]!] === -1) owners[places[i]!] = i;
    else shared++;
  }
  // Layouts are of whole blocks: what a guard cuts off at the end of an array has its place, too.
  const whole = boxOf(() => true);
  const tile = placesIn(indices, whole.map(({lower}) => lower), whole.map(({lower, upper}) => upper - lower + 1), points, true);
  const memory = position === null || position.variables.length !== indices.length
    ? null
    : position.results[0]!.column(indices, points);
  return {
    threads,
    values,
    first,
    sizes,
    owners,
    shared,
    tileLayout: layoutText(tile, threads, values),
    memoryLayout: memory === null ? undefined : layoutText(memory, threads, values),
  };
}
