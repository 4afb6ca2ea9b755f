// Where elements lie in memory, and which thread has which: grids that can be made larger.
import {type IndexingMap, evaluate, isInDomain} from './affine';
import type {ArrayInfo, KernelDetails, KernelRecord} from './data';
import {choice, html, slider} from './dom';
import {bytes, counted, withCommas} from './format';
import {type Matrix, indexAt, matrixOf} from './marks';
import {stepColour, styleColour, textOn} from './palette';
import {SECTOR_BITS, swizzled} from './request';

/** What is written and drawn in a cell; null for a cell without anything. */
interface Cell {
  text: string;
  title: string;
  colour: string;
}

interface GridSource {
  rows: number;
  columns: number;
  cell(row: number, column: number): Cell | null;
  describe(row: number, column: number): string;
}

const VIEW_WIDTH = 820;
const VIEW_HEIGHT = 420;
const CELL_SIZES = [4, 8, 14, 22, 34, 48];

/** A part of a grid, as large as the cells let it be. */
class ZoomableGrid {
  readonly element: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly told = html('p', {role: 'status', class: 'muted'});
  private size: number;
  private top = 0;
  private left = 0;
  private cursor = {row: 0, column: 0};

  constructor(
    private readonly source: GridSource,
    private readonly label: string,
    sizeWhereItFitsNot = 34,
  ) {
    this.canvas = html('canvas', {tabindex: 0, role: 'application', class: 'grid',
      'aria-label': `${label}; arrow keys move, plus and minus zoom`});
    const fitting = CELL_SIZES.filter((size) => size * source.columns <= VIEW_WIDTH && size * source.rows <= VIEW_HEIGHT);
    this.size = fitting[fitting.length - 1] ?? sizeWhereItFitsNot;
    this.canvas.addEventListener('keydown', (event) => this.key(event));
    this.canvas.addEventListener('click', (event) => {
      this.cursor = {row: this.top + Math.floor(event.offsetY / this.size), column: this.left + Math.floor(event.offsetX / this.size)};
      this.moveTo(this.cursor.row, this.cursor.column);
    });
    const button = (text: string, action: () => void) => html('button', {type: 'button', onclick: action}, text);
    this.element = html('div', {class: 'zoomable'},
      html('div', {class: 'controls'}, button('Zoom in', () => this.zoom(1)), button('Zoom out', () => this.zoom(-1))),
      this.canvas, this.told);
    this.draw();
    this.moveTo(0, 0);
  }

  private get shownRows(): number {
    return Math.min(this.source.rows, Math.max(1, Math.floor(VIEW_HEIGHT / this.size)));
  }
  private get shownColumns(): number {
    return Math.min(this.source.columns, Math.max(1, Math.floor(VIEW_WIDTH / this.size)));
  }

  private zoom(steps: number): void {
    const at = CELL_SIZES.indexOf(this.size) + steps;
    this.size = CELL_SIZES[Math.min(CELL_SIZES.length - 1, Math.max(0, at))]!;
    this.moveTo(this.cursor.row, this.cursor.column);
  }

  private key(event: KeyboardEvent): void {
    if (event.key === '+' || event.key === '-') {
      event.preventDefault();
      return this.zoom(event.key === '+' ? 1 : -1);
    }
    const moves: Record<string, [number, number]> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      PageUp: [-this.shownRows, 0],
      PageDown: [this.shownRows, 0],
      Home: [0, -this.shownColumns],
      End: [0, this.shownColumns],
    };
    const move = moves[event.key];
    if (move === undefined) return;
    event.preventDefault();
    this.moveTo(this.cursor.row + move[0], this.cursor.column + move[1]);
  }

  private moveTo(row: number, column: number): void {
    const clamp = (value: number, size: number) => Math.min(size - 1, Math.max(0, value));
    this.cursor = {row: clamp(row, this.source.rows), column: clamp(column, this.source.columns)};
    const into = (at: number, first: number, shown: number, all: number) =>
      Math.max(0, Math.min(all - shown, at < first ? at : at >= first + shown ? at - shown + 1 : first));
    this.top = into(this.cursor.row, this.top, this.shownRows, this.source.rows);
    this.left = into(this.cursor.column, this.left, this.shownColumns, this.source.columns);
    this.draw();
    const rest = this.shownRows < this.source.rows || this.shownColumns < this.source.columns
      ? `; rows ${this.top} to ${this.top + this.shownRows - 1} of ${withCommas(this.source.rows)}, columns ${this.left} to ${this.left + this.shownColumns - 1} of ${withCommas(this.source.columns)} are shown`
      : '';
    this.told.textContent = this.source.describe(this.cursor.row, this.cursor.column) + rest;
  }

  private draw(): void {
    const {shownRows, shownColumns, size} = this;
    const ratio = 2;
    this.canvas.width = shownColumns * size * ratio;
    this.canvas.height = shownRows * size * ratio;
    this.canvas.style.width = `${shownColumns * size}px`;
    this.canvas.style.height = `${shownRows * size}px`;
    const context = this.canvas.getContext('2d')!;
    context.scale(ratio, ratio);
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    const gap = size > 8 ? 1 : 0;
    for (let row = 0; row < shownRows; row++) {
      for (let column = 0; column < shownColumns; column++) {
        const cell = this.source.cell(this.top + row, this.left + column);
        const x = column * size;
        const y = row * size;
        if (cell === null) {
          context.fillStyle = styleColour('cell');
          context.fillRect(x, y, size - gap, size - gap);
          context.strokeStyle = styleColour('muted');
          context.beginPath();
          context.moveTo(x + 1, y + size - gap - 1);
          context.lineTo(x + size - gap - 1, y + 1);
          context.stroke();
          continue;
        }
        context.fillStyle = cell.colour;
        context.fillRect(x, y, size - gap, size - gap);
        if (size < 22) continue;
        const lines = cell.text.split('\n');
        const font = Math.min(size * 0.42, (size - 3) / (0.6 * Math.max(...lines.map((line) => line.length), 1)));
        if (font < 6) continue;
        context.font = `${font}px ui-monospace, monospace`;
        context.fillStyle = textOn(cell.colour);
        lines.forEach((line, i) => context.fillText(line, x + (size - gap) / 2, y + (size - gap) * ((i + 1) / (lines.length + 1))));
      }
    }
    const {row, column} = this.cursor;
    context.strokeStyle = styleColour('focus');
    context.lineWidth = 2;
    context.strokeRect((column - this.left) * size + 1, (row - this.top) * size + 1, Math.max(2, size - 2 - gap), Math.max(2, size - 2 - gap));
    this.canvas.setAttribute('aria-label', `${this.label}; arrow keys move, plus and minus zoom`);
  }
}

/** Elements of a sector have one colour; those of the sectors around have other ones. */
function sectorColour(position: number, bits: number): string {
  const sector = Math.floor((position * bits) / SECTOR_BITS);
  return stepColour((sector * 4) % 11, 11);
}

/** The array by its indices, each element with its position. */
function logicalGrid(matrix: Matrix, position: IndexingMap, bits: number): GridSource {
  const at = (row: number, column: number) => {
    const index = indexAt(matrix, row, column);
    return {index, value: evaluate(position, index)?.[0]};
  };
  return {
    rows: matrix.rows,
    columns: matrix.columns,
    cell(row, column) {
      const {index, value} = at(row, column);
      if (value === undefined) return null;
      return {text: String(value), title: index.join(', '), colour: sectorColour(value, bits)};
    },
    describe(row, column) {
      const {index, value} = at(row, column);
      return `element [${index.join(', ')}] lies at position ${value === undefined ? 'none' : withCommas(value)}`;
    },
  };
}

/** The memory in its order, each position with the element there. */
function memoryGrid(element: IndexingMap, positions: number, bits: number, columns: number): GridSource {
  const at = (row: number, column: number) => {
    const offset = row * columns + column;
    return {offset, index: offset < positions ? evaluate(element, [offset]) : null};
  };
  return {
    rows: Math.ceil(positions / columns),
    columns: Math.min(columns, positions),
    cell(row, column) {
      const {offset, index} = at(row, column);
      if (index === null) return null;
      return {text: index.join(), title: String(offset), colour: sectorColour(offset, bits)};
    },
    describe(row, column) {
      const {offset, index} = at(row, column);
      const place = bits % 8 === 0 ? `byte ${withCommas((offset * bits) / 8)}` : `bit ${withCommas(offset * bits)}`;
      if (offset >= positions) return `behind the end of the array`;
      return `${place}, position ${withCommas(offset)}: ${index === null ? 'padding' : `element [${index.join(', ')}]`}`;
    },
  };
}

function arrayLayout(info: ArrayInfo, details: KernelDetails): Node[] {
  const position = details.map(info.position);
  const element = details.map(info.element);
  const {sizes, positions = 0, bits = 32, wasted_bytes: wasted = 0} = info;
  if (sizes === undefined || position === null || element === null || positions === 0 || sizes.includes(0)) {
    return [html('p', {class: 'muted'}, 'Where its elements lie is not known, or there are none.')];
  }
  const matrix = matrixOf(sizes);
  // A row of the memory is a sector, as far as elements fill one.
  const columns = Math.max(1, Math.min(32, Math.floor(256 / bits)));
  return [
    html('p', {}, `${counted(sizes.reduce((a, b) => a * b, 1), 'element')} of ${bits} bits in layout `, html('code', {}, info.layout ?? ''),
      `: ${counted(positions, 'position')}, ${bytes((positions * bits) / 8)}, of which ${bytes(wasted)} are padding`),
    html('p', {}, 'Position of an element: ', html('code', {}, position.text)),
    html('h4', {}, 'By index, with positions; a sector of 32 bytes has one colour'),
    new ZoomableGrid(logicalGrid(matrix, position, bits), `Positions of the elements of %${info.name}`).element,
    html('h4', {}, `In memory, a sector of 32 bytes in each row${wasted > 0 ? '; crossed out: padding' : ''}`),
    new ZoomableGrid(memoryGrid(element, positions, bits, columns), `Memory of %${info.name}`, 48).element,
  ];
}

/** So many values of a block are written out. */
const MOST_VALUES = 1 << 18;

/** Which thread of a block has which element, and as its how manieth. */
function threadGrid(map: IndexingMap, kernel: KernelRecord, block: number): GridSource | string {
  const [bx = 1, by = 1] = kernel.blocks;
  const [tx = 1, ty = 1] = kernel.threads;
  const threads = kernel.threads.reduce((a, b) => a * b, 1);
  const ranges = map.variables.slice(map.numDimensions, map.numDimensions + map.numRanges);
  const values = ranges.reduce((n, {lower, upper}) => n * (upper - lower + 1), 1);
  if (threads * values > MOST_VALUES) return `a block has ${withCommas(threads * values)} values, too many for a picture`;
  if (map.variables.length > map.numDimensions + map.numRanges) return 'values known at run time decide';
  const owners = new Map<string, {thread: number; value: number}>();
  const first: number[] = [];
  const last: number[] = [];
  for (let thread = 0; thread < threads; thread++) {
    for (let value = 0; value < values; value++) {
      const loops: number[] = [];
      let rest = value;
      for (const {lower, upper} of [...ranges].reverse()) {
        loops.unshift(lower + (rest % (upper - lower + 1)));
        rest = Math.floor(rest / (upper - lower + 1));
      }
      const point = [thread % tx, Math.floor(thread / tx) % ty, Math.floor(thread / (tx * ty)),
        block % bx, Math.floor(block / bx) % by, Math.floor(block / (bx * by)), ...loops];
      if (!isInDomain(map, point)) continue;
      const index = map.results.map((result) => result.evaluate(point));
      if (!owners.has(index.join())) owners.set(index.join(), {thread, value});
      index.forEach((each, i) => {
        first[i] = Math.min(first[i] ?? each, each);
        last[i] = Math.max(last[i] ?? each, each);
      });
    }
  }
  if (owners.size === 0) return 'this block has no element';
  const matrix = matrixOf(first.map((from, i) => last[i]! - from + 1));
  const at = (row: number, column: number) => {
    const index = indexAt(matrix, row, column).map((value, i) => value + first[i]!);
    return {index, owner: owners.get(index.join())};
  };
  return {
    rows: matrix.rows,
    columns: matrix.columns,
    cell(row, column) {
      const {index, owner} = at(row, column);
      if (owner === undefined) return null;
      return {text: `T${owner.thread}\nV${owner.value}`, title: index.join(', '), colour: stepColour(owner.thread, threads)};
    },
    describe(row, column) {
      const {index, owner} = at(row, column);
      return `element [${index.join(', ')}]: ${owner === undefined ? 'of no thread of this block' : `thread ${owner.thread} (warp ${Math.floor(owner.thread / 32)}, lane ${owner.thread % 32}), value ${owner.value}`}`;
    },
  };
}

function threadLayout(map: IndexingMap | null, kernel: KernelRecord): Node[] {
  if (map === null) return [html('p', {class: 'muted'}, 'Which thread has which element has no closed form.')];
  const grid = html('div');
  const show = (block: number) => {
    const source = threadGrid(map, kernel, block);
    grid.replaceChildren(typeof source === 'string'
      ? html('p', {class: 'muted'}, source)
      : new ZoomableGrid(source, `Threads and values of block ${block}`).element);
  };
  show(0);
  return [
    html('p', {}, 'Thread map: ', html('code', {}, map.text)),
    html('div', {class: 'sliders'}, slider('block', kernel.blocks.reduce((a, b) => a * b, 1) - 1, 0, show)),
    html('h4', {}, 'Elements of the block by index, with their threads (T) and values (V)'),
    grid,
  ];
}

function tileLayout(tile: KernelDetails['tiles'][number]): Node[] {
  const matrix = matrixOf(tile.sizes);
  const at = (row: number, column: number) => {
    const index = indexAt(matrix, row, column);
    const offset = swizzled(index.reduce((sum, value, i) => sum + value * tile.strides[i]!, 0), tile.swizzle);
    return {index, offset, bank: Math.floor((offset * tile.bits) / 32) % 32};
  };
  const source: GridSource = {
    rows: matrix.rows,
    columns: matrix.columns,
    cell(row, column) {
      const {index, offset, bank} = at(row, column);
      return {text: `${offset}\nb${bank}`, title: index.join(', '), colour: stepColour(bank, 32)};
    },
    describe(row, column) {
      const {index, offset, bank} = at(row, column);
      return `index (${index.join(', ')}) lies at offset ${offset}, bank ${bank}`;
    },
  };
  return [
    html('p', {}, `Shared memory of ${bytes(tile.bytes)}, in CuTe's notation `, html('code', {}, tile.layout)),
    html('h4', {}, 'Offsets and banks'),
    new ZoomableGrid(source, `Offsets and banks of the tile of %${tile.hero}`).element,
  ];
}

export function layoutsView(details: KernelDetails, kernel: KernelRecord): HTMLElement {
  const choices: {text: string; make: () => Node[]}[] = [];
  for (const info of details.outputs) {
    choices.push({text: `memory of output ${info.array}: ${info.shape}`, make: () => arrayLayout(info, details)});
  }
  for (const info of details.inputs) {
    choices.push({text: `memory of %${info.name}: ${info.shape}`, make: () => arrayLayout(info, details)});
  }
  for (const pass of details.passes) {
    const to = pass.output === undefined ? `%${pass.instruction}` : `output ${pass.output}`;
    choices.push({text: `threads and values of ${to}`, make: () => threadLayout(details.map(pass.map), kernel)});
  }
  details.tiles.forEach((tile) => {
    choices.push({text: `shared memory tile of %${tile.hero}`, make: () => tileLayout(tile)});
  });
  if (choices.length === 0) return html('p', {class: 'muted'}, 'The kernel has no arrays.');
  const content = html('div');
  const show = (i: number) => {
    try {
      content.replaceChildren(...choices[i]!.make());
    } catch (error) {
      content.replaceChildren(html('p', {role: 'alert'}, String(error)));
    }
  };
  show(0);
  return html('div', {},
    html('div', {class: 'controls'}, choice('Layout', choices.map(({text}, i) => ({value: String(i), text})), '0', (value) => show(Number(value)))),
    content);
}
