// The computation of a kernel as a graph that can be moved, made larger, and opened where it calls
// others. Only what is in sight is drawn, so its size does not matter.
import type {GraphNode, KernelDetails} from './data';
import {html, svg} from './dom';
import {counted, shortened, shortenedName, shortenedShape} from './format';
import {type Arrangement, type Arrow, arrange, buttonsOf, labelWidth, lettersIn} from './graph_layout';
import type {Point} from './layers';
import {type Selection, instructionButton} from './selection';

/** More instructions are laid out after the page has shown that it does. */
const MOST_AT_ONCE = 500;
/** More instructions in sight are only drawn as boxes: their texts could not be read. */
const MOST_DETAILED = 250;
/** More lines in sight would be a grey surface. */
const MOST_LINES = 4000;
/** Pixels of the screen for one of the picture, below which texts cannot be read. */
const READABLE = 0.45;
const SCALES = {least: 0.04, most: 2.5};
const MOST_HEIGHT = 620;
/** Of a graph that could not be read if all of it were shown. */
const SCALE_AT_FIRST = 0.85;

/** A line through the points that leaves each of them upright. */
function curve(points: readonly Point[]): string {
  const at = (x: number, y: number) => `${x.toFixed(1)},${y.toFixed(1)}`;
  return points.map(({x, y}, i) => {
    if (i === 0) return `M${at(x, y)}`;
    const before = points[i - 1]!;
    const middle = (before.y + y) / 2;
    return Math.abs(before.x - x) < 0.5 ? `L${at(x, y)}` : `C${at(before.x, middle)} ${at(x, middle)} ${at(x, y)}`;
  }).join(' ');
}

const rectangle = ({x, y, width, height}: {x: number; y: number; width: number; height: number}) =>
  `M${x.toFixed(0)},${y.toFixed(0)}h${width.toFixed(0)}v${height.toFixed(0)}h${(-width).toFixed(0)}z`;

function arrowLine({points}: Arrow): SVGElement {
  const end = points[points.length - 1]!;
  return svg('g', {},
    svg('path', {class: 'edge', d: curve([...points.slice(0, -1), {x: end.x, y: end.y - 5}])}),
    svg('path', {class: 'arrow', d: `M${end.x.toFixed(1)},${end.y.toFixed(1)} l-4,-7 h8 z`}));
}

/** The full texts of all maps of a node. */
function mapsOfNode(node: GraphNode, details: KernelDetails): HTMLElement {
  const list = html('ul', {class: 'maps'});
  if (node.given || node.reads === undefined) {
    list.append(html('li', {}, node.given ? 'comes from outside of the computation' : 'collects arrays'));
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
      list.append(html('li', {}, html('b', {}, `%${name}: `), html('code', {}, details.mapText(number)), note, runtime));
    }
  }
  if (node.reads.operands.length === 0 && node.reads.unknown === undefined) list.append(html('li', {}, 'reads nothing'));
  return list;
}

/** What is in sight: the middle, in the measure of the picture, and pixels of the screen for one of it. */
interface Sight extends Point {
  scale: number;
}

class GraphPicture {
  readonly element: HTMLElement;
  private readonly picture = svg('svg', {class: 'graph', role: 'group'});
  private readonly small = svg('svg', {class: 'small-graph', 'aria-hidden': 'true'});
  private readonly status = html('p', {role: 'status', class: 'muted'});
  private readonly opened = new Set<string>();
  private arrangement: Arrangement = {boxes: [], arrows: [], width: 1, height: 1};
  /** Where an instruction is drawn: a computation may be opened at several places. */
  private places = new Map<string, number[]>();
  /** What is drawn now, by the numbers of the boxes. */
  private readonly shapes = new Map<number, SVGElement>();
  private sight: Sight = {x: 0, y: 0, scale: 1};
  private size = {width: 760, height: 300};
  /** The box that has the place in the order of Tab. */
  private current = 0;
  private selected: string | null = null;
  private asked = 0;

  constructor(
    private readonly details: KernelDetails,
    private readonly selection: Selection,
  ) {
    const button = (label: string, action: () => void) => html('button', {type: 'button', onclick: action}, label);
    const canOpen = details.nodes.some(({calls}) => calls !== undefined);
    this.element = html('div', {class: 'graph-view'},
      html('div', {class: 'controls'},
        button('Zoom in', () => this.zoom(1.3)),
        button('Zoom out', () => this.zoom(1 / 1.3)),
        button('Fit', () => this.fit()),
        button('To the root', () => this.goTo(this.root())),
        canOpen && button('Open all calls', () => this.openAll()),
        canOpen && button('Close all calls', () => {
          this.opened.clear();
          void this.rearrange();
        })),
      this.status,
      html('div', {class: 'graph-frame'}, this.picture, this.small));
    this.picture.addEventListener('keydown', (event) => this.key(event));
    this.picture.addEventListener('wheel', (event) => {
      // Without a key the wheel scrolls the page, as everywhere.
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      this.zoom(event.deltaY < 0 ? 1.2 : 1 / 1.2, this.pointOf(event));
    }, {passive: false});
    this.addDragging();
    this.small.addEventListener('click', (event) => {
      const {left, top, width, height} = this.small.getBoundingClientRect();
      this.look({...this.sight, x: ((event.clientX - left) / width) * this.arrangement.width, y: ((event.clientY - top) / height) * this.arrangement.height});
    });
    new ResizeObserver(() => {
      if (this.picture.isConnected && this.picture.clientWidth !== this.size.width) this.resize();
    }).observe(this.picture);
    selection.listen((key) => this.mark(key), this.element);
    void this.rearrange();
  }

  private root(): number {
    return Math.max(0, this.arrangement.boxes.findIndex(({node}) => node.root));
  }

  private async rearrange(): Promise<void> {
    const mine = ++this.asked;
    const {details} = this;
    this.picture.setAttribute('aria-busy', 'true');
    const shown = this.arrangement.boxes[this.current]?.key;
    // Small graphs are there at once; for large ones the page says what it does, and listens meanwhile.
    let begin = details.nodes.length > MOST_AT_ONCE ? -Infinity : performance.now();
    const pause = async () => {
      if (performance.now() - begin < 40) return;
      this.status.textContent = `Laying out ${counted(details.nodes.length, 'instruction')} …`;
      await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 0)));
      begin = performance.now();
    };
    await pause();
    const arrangement = await arrange(details, null, this.opened, pause);
    if (mine !== this.asked) return;
    this.arrangement = arrangement;
    this.places = new Map();
    arrangement.boxes.forEach(({key}, i) => this.places.set(key, [...(this.places.get(key) ?? []), i]));
    const calls = arrangement.boxes.some(({node}) => node.calls !== undefined) ? ', O opens and closes what it calls' : '';
    this.status.textContent = counted(arrangement.boxes.length, 'instruction');
    this.picture.setAttribute('aria-label', `Graph of ${counted(arrangement.boxes.length, 'instruction')}: arrow keys go to operands, users and neighbours, Enter chooses${calls}, plus and minus zoom`);
    this.drawSmall();
    const known = shown === undefined ? undefined : this.places.get(shown)?.[0];
    this.current = known ?? this.root();
    this.resize();
    if (known === undefined) this.begin();
    else this.goTo(known, this.sight.scale);
    this.picture.removeAttribute('aria-busy');
  }

  /** All of it where it can be read then; else its root. */
  private begin(): void {
    this.fit();
    if (this.sight.scale >= READABLE) return;
    this.goTo(this.root(), SCALE_AT_FIRST);
  }

  private resize(): void {
    const width = this.picture.clientWidth || this.size.width;
    const {width: all, height} = this.arrangement;
    const scale = Math.min(1, width / all);
    this.size = {width, height: Math.max(140, Math.min(MOST_HEIGHT, height * (scale < READABLE ? SCALE_AT_FIRST : scale)))};
    this.picture.style.height = `${this.size.height}px`;
    this.look(this.sight);
  }

  private fit(): void {
    // Of the longest graphs a part: of all of it nothing would be seen.
    const {width, height} = this.arrangement;
    const scale = Math.max(SCALES.least, Math.min(1, this.size.width / width, this.size.height / height));
    this.look({...this.sight, ...(scale > SCALES.least && {x: width / 2, y: height / 2}), scale});
  }

  private zoom(factor: number, around: Point = this.sight): void {
    const scale = Math.min(SCALES.most, Math.max(SCALES.least, this.sight.scale * factor));
    const kept = this.sight.scale / scale;
    this.look({x: around.x + (this.sight.x - around.x) * kept, y: around.y + (this.sight.y - around.y) * kept, scale});
  }

  /** Looks at a box. */
  private goTo(place: number, scale = Math.max(this.sight.scale, READABLE)): void {
    const box = this.arrangement.boxes[place];
    if (box === undefined) return;
    this.current = place;
    this.look({x: box.x + box.width / 2, y: box.y + Math.min(box.height, this.size.height / scale) / 2, scale});
  }

  private pointOf(event: MouseEvent): Point {
    const {left, top} = this.picture.getBoundingClientRect();
    return {
      x: this.sight.x + (event.clientX - left - this.size.width / 2) / this.sight.scale,
      y: this.sight.y + (event.clientY - top - this.size.height / 2) / this.sight.scale,
    };
  }

  private addDragging(): void {
    let from: {x: number; y: number; sight: Sight} | null = null;
    this.picture.addEventListener('pointerdown', (event) => {
      if (event.button === 0) from = {x: event.clientX, y: event.clientY, sight: this.sight};
    });
    this.picture.addEventListener('pointermove', (event) => {
      if (from === null || event.buttons === 0) return;
      const [x, y] = [event.clientX - from.x, event.clientY - from.y];
      // A click that trembles is still a click.
      if (Math.abs(x) + Math.abs(y) < 5) return;
      if (!this.picture.hasPointerCapture(event.pointerId)) this.picture.setPointerCapture(event.pointerId);
      this.look({...from.sight, x: from.sight.x - x / from.sight.scale, y: from.sight.y - y / from.sight.scale});
    });
    for (const end of ['pointerup', 'pointercancel'] as const) this.picture.addEventListener(end, () => (from = null));
  }

  /** Shows this part, or the nearest that has something. */
  private look(sight: Sight): void {
    const clamp = (at: number, shown: number, all: number) =>
      shown >= all ? all / 2 : Math.min(all - shown / 2, Math.max(shown / 2, at));
    const {width, height} = this.size;
    this.sight = {
      x: clamp(sight.x, width / sight.scale, this.arrangement.width),
      y: clamp(sight.y, height / sight.scale, this.arrangement.height),
      scale: sight.scale,
    };
    this.draw();
  }

  private draw(): void {
    const {sight: {x, y, scale}, size, arrangement} = this;
    if (arrangement.boxes.length === 0) return;
    const seen = {left: x - size.width / scale / 2, top: y - size.height / scale / 2, right: x + size.width / scale / 2, bottom: y + size.height / scale / 2};
    const isSeen = (left: number, top: number, width: number, height: number) =>
      left < seen.right && left + width > seen.left && top < seen.bottom && top + height > seen.top;
    const boxes = [...arrangement.boxes.keys()].filter((i) => {
      const {x: left, y: top, width, height} = arrangement.boxes[i]!;
      return isSeen(left, top, width, height);
    });
    const arrows = arrangement.arrows.filter(({points}) => {
      const [first, last] = [points[0]!, points[points.length - 1]!];
      const xs = points.map((point) => point.x);
      return isSeen(Math.min(...xs) - 100, first.y, Math.max(...xs) - Math.min(...xs) + 200, last.y - first.y);
    });
    const hadFocus = this.picture.contains(document.activeElement);
    this.shapes.clear();
    this.picture.setAttribute('viewBox', `${seen.left} ${seen.top} ${size.width / scale} ${size.height / scale}`);
    if (boxes.length > MOST_DETAILED || scale < READABLE / 2) {
      this.picture.replaceChildren(
        svg('path', {class: 'edge', 'stroke-width': 1 / scale, d: arrows.length > MOST_LINES ? '' : arrows.map(({points}) => curve(points)).join('')}),
        svg('path', {class: 'plain', d: boxes.map((i) => rectangle(arrangement.boxes[i]!)).join('')}),
        // Whoever tabs into the picture, or presses a key, is led to an instruction that can be read.
        this.boxShape(this.current));
    } else {
      // Wide boxes first, so that what they have in them is on top.
      this.picture.replaceChildren(
        ...boxes.filter((i) => arrangement.boxes[i]!.isOpen).map((i) => this.boxShape(i)),
        ...arrows.map(arrowLine),
        ...arrows.map((arrow) => this.arrowText(arrow)),
        ...boxes.filter((i) => !arrangement.boxes[i]!.isOpen).map((i) => this.boxShape(i)));
      // The one that Tab reaches is always there.
      if (!this.shapes.has(this.current)) this.picture.append(this.boxShape(this.current));
    }
    this.mark(this.selected);
    if (hadFocus) this.shapes.get(this.current)?.focus({preventScroll: true});
    const isWhole = size.width / scale >= arrangement.width && size.height / scale >= arrangement.height;
    this.small.style.display = isWhole ? 'none' : '';
    this.small.querySelector('.seen')?.setAttribute('d', rectangle({x: seen.left, y: seen.top, width: seen.right - seen.left, height: seen.bottom - seen.top}));
  }

  /** The whole graph in a corner, with a frame around what is in sight. */
  private drawSmall(): void {
    const {width, height, boxes} = this.arrangement;
    // Very long graphs are shown not quite as long as they are.
    this.small.setAttribute('viewBox', `0 0 ${width} ${height}`);
    this.small.setAttribute('preserveAspectRatio', 'none');
    const share = Math.min(150 / width, 220 / height);
    this.small.style.width = `${Math.max(36, width * share)}px`;
    this.small.style.height = `${Math.max(36, height * share)}px`;
    this.small.replaceChildren(
      svg('path', {class: 'plain', d: boxes.map(rectangle).join('')}),
      svg('path', {class: 'seen', 'vector-effect': 'non-scaling-stroke'}));
  }

  private boxShape(place: number): SVGElement {
    const {key, node, x, y, width, height, isOpen} = this.arrangement.boxes[place]!;
    const text = (content: string, line: number, kind: string) =>
      svg('text', {x: width / 2, y: 16 + 14 * line, class: kind, 'text-anchor': 'middle'}, content);
    const shape = svg(
      'g',
      {
        transform: `translate(${x.toFixed(1)},${y.toFixed(1)})`,
        class: `node${node.given ? ' given' : ''}${node.root ? ' root' : ''}${isOpen ? ' open' : ''}`,
        tabindex: place === this.current ? 0 : -1,
        role: 'button',
        'aria-pressed': 'false',
        'aria-expanded': node.calls === undefined ? undefined : String(isOpen),
        onclick: () => {
          this.current = place;
          this.selection.set(key);
        },
      },
      svg('title', {}, `%${node.name} ${node.opcode} ${node.shape}${node.root ? ', root' : ''}${node.given ? ', given' : ''}`),
      svg('rect', {width, height, rx: 6}),
      text(shortenedName(`%${node.name}`, lettersIn(width - buttonsOf(node), true)), 0, 'name'),
      text(shortened(node.opcode, lettersIn(width)), 1, ''),
      text(shortenedShape(node.shape, lettersIn(width)), 2, 'shape'),
    );
    if (node.calls !== undefined) {
      shape.append(svg('g', {class: 'toggle', transform: `translate(${width - 18},4)`, onclick: (event: MouseEvent) => {
        event.stopPropagation();
        this.toggle(key);
      }}, svg('title', {}, isOpen ? 'Close what it calls' : `Open what it calls: ${node.calls.map((name) => `%${name}`).join(', ')}`),
      svg('rect', {width: 14, height: 14, rx: 3}), svg('path', {d: isOpen ? 'M3,7h8' : 'M3,7h8M7,3v8'})));
    }
    this.shapes.set(place, shape);
    return shape;
  }

  /** Above all lines, so that none goes through it. */
  private arrowText({from, text, label, reference}: Arrow): SVGElement {
    const name = from.slice(from.lastIndexOf('/') + 1);
    return svg('g', {},
      // The line does not go through the letters.
      label && svg('rect', {class: 'edge-ground', x: label.x - labelWidth(text) / 2, y: label.y - 7, width: labelWidth(text), height: 14}),
      label && svg('text', {class: 'edge-label', x: label.x, y: label.y + 4, 'text-anchor': 'middle'}, text),
      reference && svg('g', {class: 'reference', transform: `translate(${reference.x.toFixed(1)},${reference.y.toFixed(1)})`, onclick: () => {
        this.selection.set(from);
        this.goTo(this.places.get(from)![0]!);
      }},
      svg('title', {}, `from %${name}, farther up: click to go there`),
      svg('rect', {width: reference.width, height: reference.height, rx: 10}),
      svg('text', {x: reference.width / 2, y: 14, 'text-anchor': 'middle'}, `↑ ${shortenedName(`%${name}`, lettersIn(reference.width) - 2)}`)));
  }

  private mark(key: string | null): void {
    const placesOf = (each: string | null) => (each === null ? [] : (this.places.get(each) ?? []));
    for (const place of [...placesOf(this.selected), ...placesOf(key)]) {
      const shape = this.shapes.get(place);
      const isSelected = this.arrangement.boxes[place]!.key === key;
      shape?.classList.toggle('selected', isSelected);
      shape?.setAttribute('aria-pressed', String(isSelected));
    }
    const isNew = key !== this.selected;
    this.selected = key;
    const [first] = placesOf(key);
    if (isNew && first !== undefined && !placesOf(key).some((place) => this.shapes.has(place))) this.goTo(first);
  }

  private toggle(key: string): void {
    if (!this.opened.delete(key)) this.opened.add(key);
    this.current = this.places.get(key)?.[0] ?? this.current;
    void this.rearrange();
  }

  private openAll(): void {
    const add = (nodes: readonly GraphNode[], computation: string | null) => {
      for (const {name, calls} of nodes) {
        if (calls !== undefined) this.opened.add(computation === null ? name : `${computation}/${name}`);
      }
    };
    add(this.details.nodes, null);
    for (const {name, nodes} of this.details.computations ?? []) add(nodes, name);
    void this.rearrange();
  }

  private key(event: KeyboardEvent): void {
    const {boxes, arrows} = this.arrangement;
    const box = boxes[this.current];
    if (box === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const other = (found: string | undefined) => (found === undefined ? undefined : this.places.get(found)?.[0]);
    let next: number | undefined;
    switch (event.key) {
      case 'ArrowUp': next = other(arrows.find(({to}) => to === box.key)?.from); break;
      case 'ArrowDown': next = other(arrows.find(({from}) => from === box.key)?.to); break;
      case 'ArrowLeft': next = this.current - 1; break;
      case 'ArrowRight': next = this.current + 1; break;
      case 'Home': next = 0; break;
      case 'End': next = boxes.length - 1; break;
      case '+': case '=': this.zoom(1.3); break;
      case '-': this.zoom(1 / 1.3); break;
      case '0': this.fit(); break;
      case 'o': case 'O': if (box.node.calls !== undefined) this.toggle(box.key); break;
      case 'Enter': case ' ': this.selection.set(box.key); break;
      default: return;
    }
    event.preventDefault();
    if (next === undefined || boxes[next] === undefined) return;
    this.goTo(next);
    this.shapes.get(next)?.focus({preventScroll: true});
  }
}

export function graphView(details: KernelDetails, selection: Selection): HTMLElement {
  const chosen = html('div', {class: 'chosen', 'aria-live': 'polite'});
  const nodes = new Map(details.nodes.map((node) => [node.name, {node, prefix: '', users: [] as string[]}]));
  for (const {name, nodes: inner} of details.computations ?? []) {
    for (const node of inner) nodes.set(`${name}/${node.name}`, {node, prefix: `${name}/`, users: []});
  }
  for (const [key, {node, prefix}] of nodes) {
    for (const operand of new Set(node.operands)) nodes.get(prefix + operand)?.users.push(key);
  }
  const picture = new GraphPicture(details, selection);
  selection.listen((key) => {
    const found = key === null ? undefined : nodes.get(key);
    chosen.replaceChildren();
    if (found === undefined) return;
    const {node, prefix, users} = found;
    const names = (keys: readonly string[]) => keys.slice(0, 40).flatMap((each, i) => [i > 0 ? ', ' : '', instructionButton(each, selection)]);
    chosen.append(html('h3', {}, `%${node.name} reads`), mapsOfNode(node, details));
    if (node.operands !== undefined && node.operands.length > 0) chosen.append(html('p', {}, 'Operands: ', ...names([...new Set(node.operands)].map((operand) => prefix + operand))));
    chosen.append(html('p', {}, users.length === 0 ? 'Nothing else reads it.' : 'Read by ', ...names(users), users.length > 40 ? ` and ${users.length - 40} more` : ''));
  }, chosen);
  return html('div', {},
    html('p', {class: 'muted'}, 'Edges bear the maps from an element of the user to what it reads of the operand.',
      html('span', {class: 'hint'}, ' Choose an instruction to see them whole; drag to move.')),
    picture.element, chosen);
}
