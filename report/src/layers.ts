// Lays out a graph in layers, from the top to the bottom: what Sugiyama, Tagawa and Toda call for
// ("Methods for visual understanding of hierarchical system structures", 1981), each step in time
// that grows little more than linearly. docs/report.md says why no library does it.

export interface BoxSize {
  width: number;
  height: number;
}

/** From a node to one after it. The label, if any, gets room of its own above the target. */
export interface GraphEdge {
  from: number;
  to: number;
  labelWidth: number;
}

export interface Point {
  x: number;
  y: number;
}

export interface PlacedBox extends Point, BoxSize {
  /** The box drawn is around this centre. */
  layer: number;
}

export interface PlacedEdge {
  edge: number;
  /** From the bottom of the source to the top of the target. */
  points: Point[];
  label?: Point;
  /** The edge is too long to be followed: it begins at a reference beside the target. */
  reference?: PlacedBox;
}

export interface LayeredLayout {
  nodes: PlacedBox[];
  edges: PlacedEdge[];
  /** The numbers of the nodes of each layer, from left to right. */
  layers: number[][];
  width: number;
  height: number;
}

/** Edges over more layers begin at a reference to their source instead. */
const MOST_LAYERS = 6;
const NODE_GAP = 22;
const LAYER_GAP = 16;
/** Of a layer whose nodes have more in them than a name. */
const HIGH = 80;
const LABEL_HEIGHT = 14;
const REFERENCE_HEIGHT = 20;
const MARGIN = 10;
/** Orders and places are improved so often; of large graphs less often, for time's sake. */
const SWEEPS = 8;
const SWEEPS_OF_LARGE = 2;
const LARGE = 4000;

/** What has a place in a layer: a node, a reference, a label, or where an edge passes. */
interface Item extends Point, BoxSize {
  kind: 'node' | 'reference' | 'label' | 'bend';
  layer: number;
  /** Its place from the left, among those of its layer. */
  order: number;
  above: Item[];
  below: Item[];
}

/** How much an edge between two items wants to be upright: long edges more than short ones. */
function weight(a: Item, b: Item): number {
  const isPassing = (item: Item) => item.kind === 'bend' || item.kind === 'label';
  return isPassing(a) && isPassing(b) ? 6 : isPassing(a) || isPassing(b) ? 2 : 1;
}

/**
 * The layer of each node: below all that lead to it. Nodes that have room move towards what they
 * lead to, unless more edges would become longer than shorter.
 */
function layersOf(count: number, edges: readonly GraphEdge[]): number[] {
  const into = Array.from({length: count}, (): number[] => []);
  const out = Array.from({length: count}, (): number[] => []);
  for (const {from, to} of edges) {
    into[to]!.push(from);
    out[from]!.push(to);
  }
  const layer = new Array<number>(count).fill(0);
  for (let node = 0; node < count; node++) {
    for (const from of into[node]!) layer[node] = Math.max(layer[node]!, layer[from]! + 1);
  }
  for (let node = count - 1; node >= 0; node--) {
    if (out[node]!.length === 0 || into[node]!.length > out[node]!.length) continue;
    layer[node] = Math.max(layer[node]!, out[node]!.reduce((least, to) => Math.min(least, layer[to]! - 1), Infinity));
  }
  return layer;
}

/** Sorts each layer by the means of their neighbours in the layer above or below. */
function sweepOrder(layers: Item[][], isDown: boolean): void {
  const begin = isDown ? 1 : layers.length - 2;
  const step = isDown ? 1 : -1;
  for (let i = begin; i >= 0 && i < layers.length; i += step) {
    const layer = layers[i]!;
    if (layer.length < 2) continue;
    const wanted = new Map<Item, number>();
    for (const item of layer) {
      const neighbours = isDown ? item.above : item.below;
      const sum = neighbours.reduce((total, {order}) => total + order, 0);
      wanted.set(item, neighbours.length === 0 ? item.order : sum / neighbours.length);
    }
    layer.sort((a, b) => wanted.get(a)! - wanted.get(b)! || a.order - b.order);
    layer.forEach((item, order) => (item.order = order));
  }
}

/** How many pairs of edges cross between a layer and the next one: pairs in the wrong order. */
function crossingsBelow(layer: readonly Item[], size: number): number {
  const tree = new Int32Array(size + 1);
  let seen = 0;
  let crossings = 0;
  for (const {below} of layer) {
    const orders = below.map(({order}) => order);
    for (const order of orders) {
      let notAfter = 0;
      for (let i = order + 1; i > 0; i -= i & -i) notAfter += tree[i]!;
      crossings += seen - notAfter;
    }
    for (const order of orders) for (let i = order + 1; i <= size; i += i & -i) tree[i]!++;
    seen += orders.length;
  }
  return crossings;
}

async function orderLayers(layers: Item[][], sweeps: number, pause: () => Promise<void>): Promise<void> {
  const crossings = () => layers.reduce((n, layer, i) => n + (i + 1 < layers.length ? crossingsBelow(layer, layers[i + 1]!.length) : 0), 0);
  let fewest = crossings();
  let best = layers.map((layer) => [...layer]);
  for (let sweep = 0; sweep < sweeps && fewest > 0; sweep++) {
    await pause();
    sweepOrder(layers, sweep % 2 === 0);
    const now = crossings();
    if (now >= fewest) continue;
    fewest = now;
    best = layers.map((layer) => [...layer]);
  }
  best.forEach((layer, i) => {
    layers[i] = layer;
    layer.forEach((item, order) => (item.order = order));
  });
}

/**
 * Moves the items of a layer as near as their gaps allow to where they want to be, by least
 * squares: neighbours that want to pass each other become a block with one common wish.
 */
function settle(layer: readonly Item[], wishes: readonly number[], weights: readonly number[]): void {
  const offsets: number[] = [];
  layer.forEach((item, i) => {
    const before = layer[i - 1];
    const gap = before === undefined ? 0 : (before.width + item.width) / 2 + (before.kind === 'bend' && item.kind === 'bend' ? NODE_GAP / 2 : NODE_GAP);
    offsets.push((offsets[i - 1] ?? 0) + gap);
  });
  const blocks: {sum: number; weight: number; count: number}[] = [];
  layer.forEach((_, i) => {
    let block = {sum: weights[i]! * (wishes[i]! - offsets[i]!), weight: weights[i]!, count: 1};
    for (let last = blocks[blocks.length - 1]; last !== undefined && last.sum / last.weight >= block.sum / block.weight; last = blocks[blocks.length - 1]) {
      block = {sum: last.sum + block.sum, weight: last.weight + block.weight, count: last.count + block.count};
      blocks.pop();
    }
    blocks.push(block);
  });
  let i = 0;
  for (const {sum, weight: all, count} of blocks) {
    for (let k = 0; k < count; k++, i++) layer[i]!.x = sum / all + offsets[i]!;
  }
}

function sweepPlaces(layers: readonly Item[][], isDown: boolean, isBoth: boolean): void {
  const order = isDown ? layers : [...layers].reverse();
  for (const layer of order) {
    const wishes: number[] = [];
    const weights: number[] = [];
    for (const item of layer) {
      const neighbours = isBoth ? [...item.above, ...item.below] : isDown ? item.above : item.below;
      let sum = 0;
      let total = 0;
      for (const other of neighbours) {
        const each = weight(item, other);
        sum += each * other.x;
        total += each;
      }
      wishes.push(total === 0 ? item.x : sum / total);
      weights.push(total === 0 ? 0.01 : total);
    }
    settle(layer, wishes, weights);
  }
}

/** Spreads the ends of edges along a side of a node, in the order of where they come from. */
function ports(node: Item, neighbours: readonly Item[]): Map<Item, number> {
  const sorted = [...neighbours].sort((a, b) => a.x - b.x);
  const width = Math.min(node.width * 0.7, (sorted.length - 1) * 26);
  return new Map(sorted.map((item, i) => [item, node.x + (sorted.length === 1 ? 0 : (i / (sorted.length - 1) - 0.5) * width)]));
}

/**
 * Nodes come before those that edges lead to. References have the widths given for edges. `pause`
 * is awaited between steps.
 */
export async function layOut(
  sizes: readonly BoxSize[],
  edges: readonly GraphEdge[],
  referenceWidth: (edge: number) => number,
  pause: () => Promise<void>,
): Promise<LayeredLayout> {
  const make = (kind: Item['kind'], layer: number, {width, height}: BoxSize): Item =>
    ({kind, layer, width, height, x: 0, y: 0, order: 0, above: [], below: []});
  const layer = layersOf(sizes.length, edges);
  await pause();
  // Labels are in layers of their own between those of the nodes.
  const nodes = sizes.map((size, i) => make('node', 2 * layer[i]!, size));
  const items = [...nodes];
  const join = (a: Item, b: Item) => {
    a.below.push(b);
    b.above.push(a);
  };
  const chains = edges.map(({from, to, labelWidth}) => {
    const [source, target] = [nodes[from]!, nodes[to]!];
    const isReference = target.layer - source.layer > 2 * MOST_LAYERS;
    const chain: Item[] = [];
    if (isReference) {
      chain.push(make('reference', target.layer - 2, {width: 0, height: REFERENCE_HEIGHT}));
    } else {
      for (let at = source.layer + 1; at < target.layer - 1; at++) chain.push(make('bend', at, {width: 4, height: 0}));
    }
    chain.push(make(labelWidth > 0 ? 'label' : 'bend', target.layer - 1, {width: Math.max(4, labelWidth), height: labelWidth > 0 ? LABEL_HEIGHT : 0}));
    [...(isReference ? [] : [source]), ...chain, target].reduce((a, b) => {
      join(a, b);
      return b;
    });
    items.push(...chain);
    return chain;
  });
  await pause();
  chains.forEach((chain, edge) => {
    if (chain[0]!.kind === 'reference') chain[0]!.width = referenceWidth(edge);
  });
  const layers: Item[][] = [];
  for (const item of items) (layers[item.layer] ??= []).push(item);
  for (let i = 0; i < layers.length; i++) {
    (layers[i] ??= []).forEach((item, order) => (item.order = order));
  }
  const sweeps = items.length > LARGE ? SWEEPS_OF_LARGE : SWEEPS;
  await pause();
  await orderLayers(layers, sweeps, pause);
  for (const row of layers) settle(row, row.map(() => 0), row.map(() => 1));
  for (let sweep = 0; sweep < sweeps; sweep++) {
    await pause();
    sweepPlaces(layers, sweep % 2 === 0, sweep + 2 >= sweeps);
  }
  await pause();
  const left = items.reduce((least, {x, width}) => Math.min(least, x - width / 2), Infinity);
  let y = MARGIN;
  const bounds: {top: number; bottom: number}[] = [];
  for (const row of layers) {
    const height = row.reduce((most, item) => Math.max(most, item.height), 0);
    for (const item of row) {
      item.x += MARGIN - left;
      item.y = y + (item.kind === 'node' ? item.height : height) / 2;
    }
    bounds.push({top: y, bottom: y + height});
    y += height + (height > HIGH ? 2 : 1) * LAYER_GAP;
  }
  const isHigh = (at: number) => bounds[at]!.bottom - bounds[at]!.top > HIGH;
  // Straight through a layer with high nodes, so as not to touch them.
  const through = ({x, layer: at}: Item): Point[] => {
    const {top, bottom} = bounds[at]!;
    return isHigh(at) ? [{x, y: top}, {x, y: bottom}] : [{x, y: (top + bottom) / 2}];
  };
  const place = ({x, y: middle, width, height, layer: at}: Item): PlacedBox => ({x, y: middle, width, height, layer: at / 2});
  const into = nodes.map((node) => ports(node, node.above));
  const out = nodes.map((node) => ports(node, node.below));
  const nodesOfLayers: number[][] = [];
  const numbers = new Map(nodes.map((node, i) => [node, i]));
  for (const row of layers) {
    const found = row.flatMap((item) => numbers.get(item) ?? []);
    if (found.length > 0) nodesOfLayers.push(found);
  }
  return {
    nodes: nodes.map(place),
    edges: edges.map(({from, to, labelWidth}, edge) => {
      const [source, target] = [nodes[from]!, nodes[to]!];
      const chain = chains[edge]!;
      const last = chain[chain.length - 1]!;
      const isReference = chain[0]!.kind === 'reference';
      const {x} = isReference ? chain[0]! : {x: out[from]!.get(chain[0]!)!};
      const start = isReference ? chain[0]! : source;
      const begin = [{x, y: start.y + start.height / 2}, ...(isHigh(start.layer) ? [{x, y: bounds[start.layer]!.bottom}] : [])];
      return {
        edge,
        points: [...begin, ...chain.slice(isReference ? 1 : 0).flatMap(through),
          {x: into[to]!.get(last)!, y: target.y - target.height / 2}],
        ...(labelWidth > 0 && {label: {x: last.x, y: last.y}}),
        ...(isReference && {reference: place(chain[0]!)}),
      };
    }),
    layers: nodesOfLayers,
    width: items.reduce((most, {x, width}) => Math.max(most, x + width / 2), 0) + MARGIN,
    height: bounds[bounds.length - 1]!.bottom + MARGIN,
  };
}
