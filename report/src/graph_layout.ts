// Where the instructions of a kernel, and of the computations that are opened in it, are drawn.
import type {GraphNode, KernelDetails} from './data';
import {shortened} from './format';
import {type GraphEdge, type Point, layOut} from './layers';

export interface Box {
  key: string;
  node: GraphNode;
  /** The left and upper corner. */
  x: number;
  y: number;
  width: number;
  height: number;
  /** What it calls is drawn in it. */
  isOpen: boolean;
}

export interface Arrow {
  from: string;
  to: string;
  points: Point[];
  text: string;
  label?: Point;
  /** Instead of a line from far away, the name of where it comes from. */
  reference?: {x: number; y: number; width: number; height: number};
}

export interface Arrangement {
  /** Row by row, what is in an open instruction after it. */
  boxes: Box[];
  arrows: Arrow[];
  width: number;
  height: number;
}

export const BOX_HEIGHT = 52;
const LETTER = 6.7;
const BOLD_LETTER = 8;
const LABEL_LETTER = 6.1;
const MOST_LABEL = 44;
const MOST_LETTERS = 30;
const PADDING = 12;

export const lettersIn = (width: number, isBold = false) => Math.floor((width - 8) / (isBold ? BOLD_LETTER : LETTER));

/** What the name, in the middle, leaves at both sides for the button that opens calls. */
export const buttonsOf = ({calls}: GraphNode) => (calls === undefined ? 0 : 36);

export const labelWidth = (text: string) => text.length * LABEL_LETTER + 4;

/** The results of a map without its domain. Example: "(d1, d0)" */
function resultsOf(text: string): string {
  const from = text.indexOf('->');
  return text.slice(from + 2).split(', domain:')[0]!.trim();
}

/** The maps of the operand of that number, shortened, or why there is none. */
function edgeLabel(node: GraphNode, operand: number, details: KernelDetails): string {
  const reads = node.reads?.operands.filter((each) => each.operand === operand) ?? [];
  if (reads.length === 0) return '';
  const {maps, exactness} = reads[0]!;
  if (maps.length === 0) return exactness;
  const first = resultsOf(details.mapText(maps[0]!));
  const more = maps.length > 1 ? ` and ${maps.length - 1} more` : '';
  return `${exactness === 'superset' ? '⊇ ' : ''}${shortened(first, MOST_LABEL)}${more}`;
}

/** The key of an instruction: its name, behind that of its computation where that is called. */
export function keyOf(node: GraphNode, computation: string | null): string {
  return computation === null ? node.name : `${computation}/${node.name}`;
}

/** Awaited between steps, so that the page can do something else where there are many. */
export type Pause = () => Promise<void>;

function sizeOf(node: GraphNode): {width: number; height: number} {
  const widthOf = (letters: number, each: number) => Math.min(MOST_LETTERS, letters) * each;
  const text = Math.max(widthOf(node.name.length + 1, BOLD_LETTER), widthOf(Math.max(node.opcode.length, node.shape.length, 10), LETTER));
  return {width: text + 18 + buttonsOf(node), height: BOX_HEIGHT};
}

/** The instructions of a computation, null for the kernel's own. */
export async function arrange(details: KernelDetails, computation: string | null, opened: ReadonlySet<string>, pause: Pause): Promise<Arrangement> {
  const nodes = computation === null ? details.nodes : details.computation(computation);
  const places = new Map(nodes.map(({name}, i) => [name, i]));
  const inside = new Map<number, Arrangement[]>();
  for (const [i, node] of nodes.entries()) {
    if (node.calls === undefined || !opened.has(keyOf(node, computation))) continue;
    const parts: Arrangement[] = [];
    for (const called of node.calls) parts.push(await arrange(details, called, opened, pause));
    inside.set(i, parts);
  }
  const sizes = nodes.map((node, i) => {
    const own = sizeOf(node);
    const parts = inside.get(i);
    if (parts === undefined) return own;
    return {
      width: Math.max(own.width, parts.reduce((sum, {width}) => sum + width + PADDING, PADDING)),
      height: BOX_HEIGHT + Math.max(...parts.map(({height}) => height)) + PADDING,
    };
  });
  const edges: GraphEdge[] = [];
  const texts: string[] = [];
  for (const [to, node] of nodes.entries()) {
    if (to % 1000 === 999) await pause();
    const known = new Set<string>();
    node.operands?.forEach((operand, i) => {
      const from = places.get(operand);
      if (from === undefined) return;
      const text = edgeLabel(node, i, details);
      const name = `${from} ${text}`;
      // The same operand twice, read alike.
      if (known.has(name)) return;
      known.add(name);
      edges.push({from, to, labelWidth: text === '' ? 0 : labelWidth(text) + 4});
      texts.push(text);
    });
  }
  const referenceWidth = (edge: number) => Math.min(MOST_LETTERS, nodes[edges[edge]!.from]!.name.length + 4) * LETTER + 10;
  const laidOut = await layOut(sizes, edges, referenceWidth, pause);
  const result: Arrangement = {boxes: [], arrows: [], width: laidOut.width, height: laidOut.height};
  const key = (i: number) => keyOf(nodes[i]!, computation);
  for (const i of laidOut.layers.flat()) {
    const {x, y, width, height} = laidOut.nodes[i]!;
    const parts = inside.get(i);
    const box: Box = {key: key(i), node: nodes[i]!, x: x - width / 2, y: y - height / 2, width, height, isOpen: parts !== undefined};
    result.boxes.push(box);
    let left = box.x + PADDING;
    for (const part of parts ?? []) {
      const top = box.y + BOX_HEIGHT;
      const moved = <T extends Point>(at: T): T => ({...at, x: at.x + left, y: at.y + top});
      result.boxes.push(...part.boxes.map(moved));
      for (const arrow of part.arrows) {
        result.arrows.push({
          ...arrow,
          points: arrow.points.map(moved),
          ...(arrow.label && {label: moved(arrow.label)}),
          ...(arrow.reference && {reference: moved(arrow.reference)}),
        });
      }
      left += part.width + PADDING;
    }
  }
  for (const {edge, points, label, reference} of laidOut.edges) {
    const {from, to} = edges[edge]!;
    result.arrows.push({
      from: key(from),
      to: key(to),
      points,
      text: texts[edge]!,
      ...(label && {label}),
      ...(reference && {reference: {x: reference.x - reference.width / 2, y: reference.y - reference.height / 2, width: reference.width, height: reference.height}}),
    });
  }
  return result;
}
