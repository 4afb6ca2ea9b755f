// The computation of a kernel as a graph. The layout is made when the graph is first shown.
import {graphlib, layout} from '@dagrejs/dagre';
import type {GraphNode, KernelDetails} from './data';
import {html, svg} from './dom';
import {counted} from './format';
import type {Selection} from './selection';

const MOST_LABEL = 44;
const LETTER = 6.7;

const shortened = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

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
  const first = resultsOf(details.map(maps[0])?.text ?? '');
  const more = maps.length > 1 ? ` and ${maps.length - 1} more` : '';
  return `${exactness === 'superset' ? '⊇ ' : ''}${shortened(first, MOST_LABEL)}${more}`;
}

/** A smooth line near the points, from the first to the last one. */
function curve(points: readonly {x: number; y: number}[]): string {
  const at = ({x, y}: {x: number; y: number}) => `${x.toFixed(1)},${y.toFixed(1)}`;
  let path = `M${at(points[0]!)}`;
  for (let i = 1; i + 1 < points.length; i++) {
    const [point, next] = [points[i]!, points[i + 1]!];
    const isLast = i + 2 === points.length;
    path += ` Q${at(point)} ${at(isLast ? next : {x: (point.x + next.x) / 2, y: (point.y + next.y) / 2})}`;
  }
  return points.length === 2 ? `${path} L${at(points[1]!)}` : path;
}

/** The full texts of all maps of a node. */
export function mapsOfNode(node: GraphNode, details: KernelDetails): HTMLElement {
  const list = html('ul', {class: 'maps'});
  if (node.given || node.reads === undefined) {
    list.append(html('li', {}, node.given ? 'comes from outside of the kernel' : 'collects arrays'));
    return list;
  }
  if (node.reads.unknown !== undefined) list.append(html('li', {}, `unknown: ${node.reads.unknown}`));
  for (const {operand, exactness, reason, maps} of node.reads.operands) {
    const name = node.operands?.[operand] ?? String(operand);
    if (maps.length === 0) list.append(html('li', {}, `%${name}: unknown: ${reason ?? ''}`));
    for (const number of maps) {
      const note = exactness === 'exact' ? '' : ` (${exactness}: ${reason ?? ''})`;
      const values = details.runtimeOf(number).filter((value) => value !== '');
      const runtime = values.length === 0 ? '' : `; known at run time: ${values.map((value) => `%${value}`).join(', ')}`;
      list.append(html('li', {}, html('b', {}, `%${name}: `), html('code', {}, details.map(number)?.text ?? 'UNKNOWN'), note, runtime));
    }
  }
  if (node.reads.operands.length === 0 && node.reads.unknown === undefined) list.append(html('li', {}, 'reads nothing'));
  return list;
}

export function graphView(details: KernelDetails, selection: Selection): HTMLElement {
  const graph = new graphlib.Graph({multigraph: true});
  graph.setGraph({rankdir: 'TB', nodesep: 24, ranksep: 34, edgesep: 12, marginx: 8, marginy: 8});
  const nodes = new Map(details.nodes.map((node) => [node.name, node]));
  for (const node of details.nodes) {
    const longest = Math.max(node.name.length + 1, Math.min(node.opcode.length, 28), Math.min(node.shape.length, 28));
    graph.setNode(node.name, {width: Math.max(90, Math.min(30, longest) * LETTER + 18), height: 52});
  }
  for (const node of details.nodes) {
    node.operands?.forEach((operand, i) => {
      if (!nodes.has(operand)) return;
      const text = edgeLabel(node, i, details);
      graph.setEdge({v: operand, w: node.name, name: String(i)},
        {text, width: text.length * 5.6 + 6, height: text ? 14 : 0, labelpos: 'c'});
    });
  }
  layout(graph);
  const {width = 0, height = 0} = graph.graph() as {width?: number; height?: number};
  const picture = svg('svg', {viewBox: `0 0 ${width} ${height}`, class: 'graph', role: 'group', 'aria-label': 'Graph of the computation'},
    svg('defs', {}, svg('marker', {id: 'arrow', viewBox: '0 0 10 10', refX: 9, refY: 5, markerWidth: 7, markerHeight: 7, orient: 'auto'},
      svg('path', {d: 'M0,0 L10,5 L0,10 z', class: 'arrow'}))));
  const labels: Element[] = [];
  for (const edge of graph.edges()) {
    const {points, text, x, y} = graph.edge(edge) as {points: {x: number; y: number}[]; text: string; x?: number; y?: number};
    const path = curve(points);
    picture.append(svg('path', {d: path, class: 'edge', 'marker-end': 'url(#arrow)'}));
    if (text && x !== undefined && y !== undefined) {
      labels.push(svg('text', {x, y: y + 4, class: 'edge-label', 'text-anchor': 'middle'}, text));
    }
  }
  picture.append(...labels);
  const shapes = new Map<string, Element>();
  for (const node of details.nodes) {
    const {x, y, width: w, height: h} = graph.node(node.name) as {x: number; y: number; width: number; height: number};
    const text = (content: string, line: number, kind: string) =>
      svg('text', {x: w / 2, y: 16 + 14 * line, class: kind, 'text-anchor': 'middle'}, shortened(content, Math.floor((w - 8) / LETTER)));
    const select = () => selection.set(node.name);
    const shape = svg(
      'g',
      {
        transform: `translate(${(x - w / 2).toFixed(1)},${(y - h / 2).toFixed(1)})`,
        class: `node${node.given ? ' given' : ''}${node.root ? ' root' : ''}`,
        tabindex: 0,
        role: 'button',
        onclick: select,
        onkeydown: (event: KeyboardEvent) => {
          if (event.key !== 'Enter' && event.key !== ' ') return;
          event.preventDefault();
          select();
        },
      },
      svg('title', {}, `%${node.name} ${node.opcode} ${node.shape}`),
      svg('rect', {width: w, height: h, rx: 6}),
      text(`%${node.name}`, 0, 'name'),
      text(node.opcode, 1, ''),
      text(node.shape, 2, 'shape'),
    );
    shapes.set(node.name, shape);
    picture.append(shape);
  }
  const chosen = html('div', {class: 'chosen', 'aria-live': 'polite'});
  selection.listen((name) => {
    for (const [other, shape] of shapes) {
      shape.classList.toggle('selected', other === name);
      shape.setAttribute('aria-pressed', String(other === name));
    }
    const node = name === null ? undefined : nodes.get(name);
    chosen.replaceChildren();
    if (node === undefined) return;
    chosen.append(html('h4', {}, `%${node.name} reads`), mapsOfNode(node, details));
  });
  let zoom = 1;
  const fit = 760;
  const resize = () => {
    picture.style.width = `${Math.min(width, fit) * zoom}px`;
    picture.style.maxWidth = 'none';
  };
  resize();
  const button = (label: string, change: () => void) =>
    html('button', {type: 'button', onclick: () => {
      change();
      resize();
    }}, label);
  return html(
    'div',
    {},
    html('p', {class: 'muted'}, 'Edges bear the maps from an element of the user to what it reads of the operand. Choose an instruction to see them whole.'),
    details.nodes_left_out > 0 && html('p', {class: 'note'}, `The graph has only what is next to the root: ${counted(details.nodes_left_out, 'instruction')} before that are left out.`),
    html('div', {class: 'controls'}, button('Larger', () => (zoom *= 1.25)), button('Smaller', () => (zoom /= 1.25)),
      button('Fit', () => (zoom = 1)), button('Full size', () => (zoom = width / Math.min(width, fit)))),
    html('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Graph, scrolls'}, picture),
    chosen,
  );
}
