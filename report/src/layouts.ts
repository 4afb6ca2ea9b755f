// Where elements lie in memory, and which thread has which: grids that can be made larger.
import {type IndexingMap, evaluate} from './affine';
import type {ArrayInfo, KernelDetails, KernelRecord} from './data';
import {choice, html, slider} from './dom';
import {bytes, counted, withCommas} from './format';
import {type Matrix, indexAt, matrixOf} from './marks';
import {drawnAgain, stepColour, styleColour, textOn} from './palette';
import {LANES, SECTOR_BITS, swizzled} from './request';
import {type ThreadValues, threadValues} from './thread_values';

/** What is drawn in a cell, and written where it is large enough; null for a cell without anything. */
interface Cell {
  text: () => string;
  colour: string;
  /** Between cells of different groups is a line. */
  group?: number;
}

interface GridSource {
  rows: number;
  columns: number;
  cell(row: number, column: number): Cell | null;
  describe(row: number, column: number): string;
}

const VIEW_WIDTH = 820;
const VIEW_HEIGHT = 420;
/** Of blocks and their tiles: 32 rows whose texts can be read. */
const BLOCK_HEIGHT = 720;
/** What is lower has cells that can be read, though not all of them. */
const LEAST_HEIGHT = 20;
/** Cells from this size on have texts. */
const READABLE = 22;
const CELL_SIZES = [4, 8, 14, 22, 34, 48];

/** Smaller letters cannot be read. */
const LEAST_FONT = 6;
/** From one line to the next, of the letters' size. */
const LINE = 1.15;

/** The numbers of an index on so many lines, as even as can be. */
function inLines(numbers: readonly string[], count: number): string[] {
  const each = Math.ceil(numbers.length / count);
  const lines: string[] = [];
  for (let i = 0; i < numbers.length; i += each) lines.push(numbers.slice(i, i + each).join() + (i + each < numbers.length ? ',' : ''));
  return lines;
}

/** A text of a cell, with the largest letters that fit: an index may take several lines. */
export function fitted(text: string, size: number): {lines: string[]; font: number} {
  const given = text.split('\n');
  const numbers = given.length === 1 ? text.split(',') : [];
  const fontOf = (lines: readonly string[]) =>
    Math.min(size * (lines.length > 1 ? Math.min(0.34, 0.86 / LINE / lines.length) : 0.42), (size - 4) / (0.62 * Math.max(...lines.map((line) => line.length), 1)));
  let best = {lines: given, font: fontOf(given)};
  for (let count = 2; count <= numbers.length; count++) {
    const lines = inLines(numbers, count);
    const font = fontOf(lines);
    if (font > best.font) best = {lines, font};
  }
  return best;
}

/** A part of a grid, as large as the cells let it be. */
class ZoomableGrid {
  readonly element: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly told = html('p', {role: 'status', class: 'muted'});
  private size: number;
  private width = VIEW_WIDTH;
  private isZoomed = false;
  private top = 0;
  private left = 0;
  private cursor = {row: 0, column: 0};

  constructor(
    private readonly source: GridSource,
    private readonly label: string,
    sizeWhereItFitsNot = 34,
    private readonly height = VIEW_HEIGHT,
  ) {
    this.canvas = html('canvas', {tabindex: 0, role: 'application', class: 'grid',
      'aria-label': `${label}; arrow keys move, plus and minus zoom`});
    const fitting = CELL_SIZES.filter((size) => size * source.columns <= VIEW_WIDTH && size * source.rows <= height);
    const whole = fitting[fitting.length - 1] ?? 0;
    // A single row whose cells nobody can tell apart is no picture.
    this.size = whole * source.rows < LEAST_HEIGHT && whole < READABLE ? sizeWhereItFitsNot : whole;
    this.canvas.addEventListener('keydown', (event) => this.key(event));
    this.canvas.addEventListener('click', (event) => {
      this.cursor = {row: this.top + Math.floor(event.offsetY / this.size), column: this.left + Math.floor(event.offsetX / this.size)};
      this.moveTo(this.cursor.row, this.cursor.column);
    });
    const button = (text: string, action: () => void) => html('button', {type: 'button', onclick: action}, text);
    this.element = html('div', {class: 'zoomable'},
      html('div', {class: 'controls'}, button('Zoom in', () => this.zoom(1)), button('Zoom out', () => this.zoom(-1))),
      this.canvas, this.told);
    this.moveTo(0, 0);
    drawnAgain(this.canvas, () => this.draw());
    // As wide as there is room for.
    new ResizeObserver(() => {
      const width = Math.max(60, Math.min(VIEW_WIDTH, this.element.clientWidth - 6));
      if (width === this.width || !this.element.isConnected) return;
      this.width = width;
      // Whole rows, if they can be read.
      const whole = CELL_SIZES.filter((size) => size >= READABLE && size <= this.size && size * source.columns <= width);
      if (!this.isZoomed) this.size = whole[whole.length - 1] ?? this.size;
      this.moveTo(this.cursor.row, this.cursor.column);
    }).observe(this.element);
  }

  private get shownRows(): number {
    return Math.min(this.source.rows, Math.max(1, Math.floor(this.height / this.size)));
  }
  private get shownColumns(): number {
    return Math.min(this.source.columns, Math.max(1, Math.floor(this.width / this.size)));
  }

  private zoom(steps: number): void {
    this.isZoomed = true;
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
    const [empty, crossed, border] = [styleColour('cell'), styleColour('muted'), styleColour('text')];
    const above: (number | undefined)[] = [];
    const lines: [number, number, number, number][] = [];
    for (let row = 0; row < shownRows; row++) {
      let before: number | undefined;
      for (let column = 0; column < shownColumns; column++) {
        const cell = this.source.cell(this.top + row, this.left + column);
        const x = column * size;
        const y = row * size;
        const group = cell?.group;
        if (row > 0 && group !== undefined && above[column] !== undefined && above[column] !== group) lines.push([x, y, size, 0]);
        if (column > 0 && group !== undefined && before !== undefined && before !== group) lines.push([x, y, 0, size]);
        above[column] = before = group;
        if (cell === null) {
          context.fillStyle = empty;
          context.fillRect(x, y, size - gap, size - gap);
          context.strokeStyle = crossed;
          context.beginPath();
          context.moveTo(x + 1, y + size - gap - 1);
          context.lineTo(x + size - gap - 1, y + 1);
          context.stroke();
          continue;
        }
        context.fillStyle = cell.colour;
        context.fillRect(x, y, size - gap, size - gap);
        if (size < READABLE) continue;
        const {lines: texts, font} = fitted(cell.text(), size);
        if (font < LEAST_FONT) continue;
        context.font = `${font}px ui-monospace, monospace`;
        context.fillStyle = textOn(cell.colour);
        texts.forEach((line, i) => context.fillText(line, x + (size - gap) / 2, y + (size - gap) / 2 + (i - (texts.length - 1) / 2) * LINE * font));
      }
    }
    context.fillStyle = border;
    const thick = size > 8 ? 2 : 1;
    for (const [x, y, width, height] of lines) context.fillRect(x - (gap + thick) / 2, y - (gap + thick) / 2, Math.max(thick, width), Math.max(thick, height));
    const {row, column} = this.cursor;
    context.strokeStyle = styleColour('focus');
    context.lineWidth = 2;
    context.strokeRect((column - this.left) * size + 1, (row - this.top) * size + 1, Math.max(2, size - 2 - gap), Math.max(2, size - 2 - gap));
    this.canvas.setAttribute('aria-label', `${this.label}; arrow keys move, plus and minus zoom`);
  }
}

/** The number of the tile that has an element. */
type TileOf = (index: readonly number[]) => number;

/**
 * Of a layout of XLA. Example: {1,0:T(8,128)} -> by d0 floordiv 8 and d1 floordiv 128. Tiles are of
 * the last dimensions in the order of memory.
 */
function tilesOf(layout: string, sizes: readonly number[]): TileOf | null {
  const [, order, tile] = /^\{([\d,]*):T\(([\d,]+)\)/.exec(layout) ?? [];
  if (order === undefined || tile === undefined) return null;
  const major = order.split(',').filter((text) => text !== '').map(Number).reverse();
  const extents = tile.split(',').map(Number);
  const left = major.length - extents.length;
  if (left < 0) return null;
  const extent = new Map(major.map((dimension, i) => [dimension, i < left ? 1 : extents[i - left]!]));
  return (index) => major.reduce((number, dimension) => {
    const size = extent.get(dimension)!;
    return number * Math.ceil(sizes[dimension]! / size) + Math.floor(index[dimension]! / size);
  }, 0);
}

/** Elements of a sector have one colour; those of the sectors around have other ones. */
function sectorColour(position: number, bits: number): string {
  const sector = Math.floor((position * bits) / SECTOR_BITS);
  return stepColour((sector * 4) % 11, 11);
}

/** The array by its indices, each element with its position. */
function logicalGrid(matrix: Matrix, position: IndexingMap, bits: number, tileOf: TileOf): GridSource {
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
      return {text: () => String(value), colour: sectorColour(value, bits), group: tileOf(index)};
    },
    describe(row, column) {
      const {index, value} = at(row, column);
      return `element [${index.join(', ')}] lies at position ${value === undefined ? 'none' : withCommas(value)}`;
    },
  };
}

/** The memory in its order, each position with the element there. */
function memoryGrid(element: IndexingMap, positions: number, bits: number, columns: number, tileOf: TileOf): GridSource {
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
      return {text: () => index.join(), colour: sectorColour(offset, bits), group: tileOf(index)};
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
  const tiles = tilesOf(info.layout ?? '', sizes);
  const tileOf = tiles ?? (() => 0);
  const lines = tiles === null ? '' : '; lines: borders of tiles';
  return [
    html('p', {}, `${counted(sizes.reduce((a, b) => a * b, 1), 'element')} of ${bits} bits in layout `, html('code', {}, info.layout ?? ''),
      `: ${counted(positions, 'position')}, ${bytes((positions * bits) / 8)}, of which ${bytes(wasted)} are padding`),
    html('p', {}, 'Position of an element: ', html('code', {}, position.text)),
    html('h3', {}, 'By index, with positions; a sector of 32 bytes has one colour' + lines),
    new ZoomableGrid(logicalGrid(matrix, position, bits, tileOf), `Positions of the elements of %${info.name}`).element,
    html('h3', {}, `In memory, a sector of 32 bytes in each row${wasted > 0 ? '; crossed out: padding' : ''}${lines}`),
    new ZoomableGrid(memoryGrid(element, positions, bits, columns, tileOf), `Memory of %${info.name}`, 48).element,
  ];
}

/** The elements of a block by index, each with its thread and the number of its value there. */
function threadGrid({threads, values, first, sizes, owners}: ThreadValues): GridSource {
  const matrix = matrixOf(sizes);
  const ownerAt = (row: number, column: number) => {
    const owner = owners[row * matrix.columns + column]!;
    return owner < 0 ? null : {thread: Math.floor(owner / values), value: owner % values};
  };
  return {
    rows: matrix.rows,
    columns: matrix.columns,
    cell(row, column) {
      const owner = ownerAt(row, column);
      if (owner === null) return null;
      const {thread, value} = owner;
      return {text: () => `T${thread}\nV${value}`, colour: stepColour(thread, threads), group: Math.floor(thread / LANES)};
    },
    describe(row, column) {
      const index = indexAt(matrix, row, column).map((value, i) => value + first[i]!);
      const owner = ownerAt(row, column);
      return `element [${index.join(', ')}]: ${owner === null ? 'of no thread of this block' : `thread ${owner.thread} (warp ${Math.floor(owner.thread / LANES)}, lane ${owner.thread % LANES}), value ${owner.value}`}`;
    },
  };
}

/** A layout with what it leads to, and how the calculator draws it. */
function layoutLines({tileLayout, memoryLayout, sizes}: ThreadValues): Node[] {
  const lines: Node[] = [];
  const line = (title: string, text: string | null, otherwise: string) =>
    lines.push(html('p', {class: 'layout-text'}, html('b', {}, title), ' ', text === null ? html('span', {class: 'muted'}, otherwise) : html('code', {}, text)));
  const tile = `(${sizes.map((size) => `_${size}`).join()}${sizes.length === 1 ? ',' : ''})`;
  line(`(thread,value) to the place in a tile of ${tile}, its first dimension fastest:`, tileLayout, 'no layout of CuTe: the distances between threads or values are not always the same');
  if (memoryLayout !== undefined) line('(thread,value) to the place in memory:', memoryLayout, 'no layout of CuTe: the distances between threads or values are not always the same');
  return lines;
}

function threadLayout(map: IndexingMap | null, position: IndexingMap | null, kernel: KernelRecord): Node[] {
  if (map === null) return [html('p', {class: 'muted'}, 'Which thread has which element has no closed form.')];
  const grid = html('div');
  const show = (block: number) => {
    const found = threadValues(map, position, kernel, block);
    if (typeof found === 'string') {
      grid.replaceChildren(html('p', {class: 'muted'}, found));
      return;
    }
    grid.replaceChildren(...layoutLines(found),
      html('h3', {}, 'Elements of the block by index, with their threads (T) and values (V); lines: between warps'),
      ...(found.shared > 0 ? [html('p', {class: 'muted'}, `${withCommas(found.shared)} more threads or values have an element that another one has, too; the first is shown.`)] : []),
      new ZoomableGrid(threadGrid(found), `Threads and values of block ${block}`, 34, BLOCK_HEIGHT).element);
  };
  const blocks = slider('block', kernel.blocks.reduce((a, b) => a * b, 1) - 1, 0, show);
  show(0);
  return [
    html('p', {}, 'Thread map: ', html('code', {}, map.text)),
    ...(blocks === null ? [] : [html('div', {class: 'sliders'}, blocks)]),
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
      const {offset, bank} = at(row, column);
      return {text: () => `${offset}\nb${bank}`, colour: stepColour(bank, 32)};
    },
    describe(row, column) {
      const {index, offset, bank} = at(row, column);
      return `index (${index.join(', ')}) lies at offset ${offset}, bank ${bank}`;
    },
  };
  return [
    html('p', {}, `Shared memory of ${bytes(tile.bytes)}, in CuTe's notation `, html('code', {}, tile.layout)),
    html('h3', {}, 'Offsets and banks'),
    new ZoomableGrid(source, `Offsets and banks of the tile of %${tile.hero}`, 34, BLOCK_HEIGHT).element,
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
    choices.push({text: `threads and values of ${to}`, make: () => threadLayout(details.map(pass.map), details.map(details.outputs[pass.output ?? -1]?.position), kernel)});
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
