// What elements of the result read of every operand, and where elements of an operand go.
import type {Bounds} from './affine';
import type {ArrayInfo, KernelDetails, OperandReads, Reads, UtilizationRecord} from './data';
import {choice, html} from './dom';
import {counted, shortenedName, withCommas} from './format';
import {type Budget, type IndexSet, MOST_POINTS, imageOf, partOf, setOfBox} from './image';
import {type Cells, type Matrix, cellsOf, countCells, matrixOf, setText} from './marks';
import {MatrixView} from './matrix_view';
import type {Selection} from './selection';

type Extent = 'element' | 'row' | 'tile';
const EXTENTS: readonly {value: Extent; text: string}[] = [
  {value: 'element', text: 'an element'},
  {value: 'row', text: 'a row (the last dimension)'},
  {value: 'tile', text: 'a tile'},
];

/** The box around an index. A tile is of the last dimensions. */
export function boxAround(index: readonly number[], sizes: readonly number[], extent: Extent, tile: readonly number[]): Bounds[] {
  return index.map((value, i) => {
    if (extent === 'row' && i === sizes.length - 1) return {lower: 0, upper: sizes[i]! - 1};
    const size = extent === 'tile' ? (tile[i - sizes.length + tile.length] ?? 1) : 1;
    const begin = value - (value % size);
    return {lower: begin, upper: Math.min(sizes[i]! - 1, begin + size - 1)};
  });
}

const boxText = (box: readonly Bounds[]) =>
  `[${box.map(({lower, upper}) => (lower === upper ? lower : `${lower}:${upper + 1}`)).join(', ')}]`;

/** Which dimensions the sides of the picture are. Example: "down: d0 (4); across: d1, d2 (384)" */
function sidesText({sizes, split, rows, columns}: Matrix): string {
  const names = sizes.map((_, i) => `d${i}`);
  const side = (title: string, dimensions: readonly string[], size: number) =>
    dimensions.length === 0 ? [] : [`${title}: ${dimensions.join(', ')} (${withCommas(size)})`];
  return [...side('down', names.slice(0, split), rows), ...side('across', names.slice(split), columns)].join('; ');
}

/** The tile that a layout of XLA has. Example: {1,0:T(8,128)} -> [8, 128] */
function tileOfLayout(layout: string | undefined): number[] | null {
  const tile = /:T\(([\d,]+)\)/.exec(layout ?? '')?.[1];
  return tile === undefined ? null : tile.split(',').map(Number);
}

/** Longer names of arrays are cut. */
const MOST_NAME = 80;

/** An array with its picture. */
class ArrayPanel {
  private static count = 0;
  readonly element: HTMLElement;
  readonly matrix: Matrix | null;
  private readonly view: MatrixView | null = null;
  private readonly told: HTMLElement;
  private readonly unread: Cells[] = [];

  constructor(
    readonly info: ArrayInfo,
    readonly title: string,
    utilization: UtilizationRecord | undefined,
    pick: (index: number[]) => void,
  ) {
    const {sizes} = info;
    this.matrix = sizes === undefined || sizes.some((size) => size === 0) ? null : matrixOf(sizes);
    const id = `array-${++ArrayPanel.count}`;
    this.told = html('p', {class: 'told', id});
    if (this.matrix !== null) this.view = new MatrixView(this.matrix, `${title} ${info.shape}`, id, pick);
    this.element = html('figure', {class: 'array'},
      html('figcaption', {}, html('b', {title}, shortenedName(title, MOST_NAME)), ' ', html('code', {}, info.shape),
        this.matrix !== null && html('small', {}, sidesText(this.matrix))),
      this.view?.element ?? html('p', {class: 'muted'}, sizes === undefined ? 'not an array of known size' : 'has no elements'),
      this.told, utilization && utilizationText(utilization));
    if (this.matrix !== null && utilization?.unread) this.addUnread(this.matrix, utilization.unread);
    this.show([], '');
  }

  private addUnread(matrix: Matrix, boxes: NonNullable<UtilizationRecord['unread']>): void {
    for (const {offset, size, stride} of boxes) {
      const parts = offset.map((first, i) => partOf(i, {first, step: Math.max(1, stride[i]!), count: size[i]!}));
      const cells = cellsOf(matrix, {parts, dependsOnRuntime: false, isBox: false});
      if (cells !== null) this.unread.push(cells);
    }
  }

  get text(): string {
    return this.told.textContent ?? '';
  }

  show(cells: readonly Cells[], text: string): void {
    this.told.textContent = text;
    this.view?.draw([
      {colour: 'unread', cells: this.unread, isHatched: true},
      {colour: 'mark', cells},
    ]);
  }
}

function utilizationText(record: UtilizationRecord): HTMLElement {
  const {elements, elements_read: read, lower, upper} = record;
  const of = elements === undefined ? '' : ` of ${withCommas(elements)}`;
  const count = read !== undefined ? withCommas(read) : `${withCommas(lower ?? 0)} to ${upper === undefined ? '?' : withCommas(upper)}`;
  const unread = record.unread !== null && record.unread.length > 0 && read !== elements ? '; hatched: never read' : '';
  return html('p', {class: 'muted'}, `The whole kernel reads ${count}${of} ${elements === 1 ? 'element' : 'elements'}${unread}${record.reason ? `; ${record.reason}` : ''}`);
}

/** What is read of an array, by all maps together. */
function relate(panel: ArrayPanel, reads: readonly OperandReads[], box: Bounds[], details: KernelDetails, verb: string, budget: Budget): void {
  const {matrix, info} = panel;
  if (matrix === null || info.sizes === undefined) return;
  const sets: IndexSet[] = [];
  const notes = new Set<string>();
  for (const {exactness, reason, maps, of_other_devices: others} of reads) {
    if (exactness !== 'exact') notes.add(`${exactness}: ${reason ?? ''}`);
    if (others) notes.add('of the array of another device, too');
    for (const number of maps) {
      const map = details.map(number);
      if (map === null) continue;
      const set = imageOf(map, box, budget);
      if (set === null) continue;
      sets.push(set);
      if (set.isBox) notes.add('superset: too many to try, so bounds are shown');
      if (set.dependsOnRuntime) {
        const names = [...new Set(details.runtimeOf(number))].filter((name) => name !== '');
        notes.add(`superset: for every value that ${names.map((name) => `%${name}`).join(', ') || 'runtime variables'} may have`);
      }
    }
  }
  if (sets.length === 0) {
    const isUnknown = reads.some(({exactness}) => exactness === 'unknown');
    panel.show([], isUnknown ? `unknown: ${[...notes].join('; ')}` : `${verb} nothing`);
    return;
  }
  const lists: Cells[] = [];
  for (const set of sets) {
    const cells = cellsOf(matrix, set);
    if (cells === null) notes.add('too many elements for the picture');
    else lists.push(cells);
  }
  const count = countCells(matrix, lists);
  const all = info.sizes.reduce((a, b) => a * b, 1);
  const number = count === null || [...notes].some((note) => note.startsWith('too many')) ? 'many' : withCommas(count);
  const texts = sets.slice(0, 4).map((set) => setText(set, info.sizes!.length));
  if (sets.length > 4) texts.push(`${sets.length - 4} more`);
  const note = notes.size === 0 ? '' : `; ${[...notes].join('; ')}`;
  panel.show(lists, `${verb} ${number} of ${counted(all, 'element')}: ${texts.join(' and ')}${note}`);
}

const readsOf = (reads: Reads, info: ArrayInfo): OperandReads[] => {
  if (reads.unknown !== undefined) {
    return [{operand: info.operand!, array: info.array, exactness: 'unknown', reason: reads.unknown, maps: []}];
  }
  return reads.operands.filter(({operand, array}) => operand === info.operand && array === info.array);
};

/** The instruction that stands for an array in the text: the root for outputs, else a parameter or an operand. */
function instructionOf(info: ArrayInfo, details: KernelDetails, opcode: string): string | undefined {
  if (info.operand === undefined) return details.nodes.find(({root}) => root)?.name;
  const given = details.nodes.filter((node) => node.given);
  const parameter = `parameter(${info.operand})`;
  return given.find(({name, text}) => (opcode === 'fusion' ? text.includes(parameter) : name === info.name))?.name;
}

export function elementsView(details: KernelDetails, opcode: string, selection: Selection): HTMLElement {
  let extent: Extent = 'element';
  let tile = tileOfLayout(details.outputs[0]?.layout) ?? [8, 8];
  const status = html('p', {role: 'status', class: 'only-heard'});
  // What was pointed at last.
  let chosen: {panel: ArrayPanel; index: number[]} | null = null;
  const outputs: ArrayPanel[] = [];
  const inputs: ArrayPanel[] = [];
  const position = html('input', {type: 'text', 'aria-label': 'Index that is chosen', onchange: () => {
    const index = (position.value.match(/\d+/g) ?? []).map(Number);
    const panel = chosen?.panel ?? outputs[0];
    const sizes = panel?.info.sizes;
    if (panel === undefined || sizes === undefined || index.length !== sizes.length) return show();
    pick(panel, index.map((value, i) => Math.min(value, sizes[i]! - 1)));
  }});
  const tileField = html('input', {type: 'text', value: tile.join(', '), onchange: () => {
    const numbers = (tileField.value.match(/\d+/g) ?? []).map(Number).filter((size) => size > 0);
    if (numbers.length > 0) tile = numbers;
    tileField.value = tile.join(', ');
    show();
  }});
  const tileLabel = html('label', {class: 'field', hidden: true}, html('span', {}, 'Tile, of the last dimensions'), tileField);
  const error = html('p', {role: 'alert'});

  const choose = (panel: ArrayPanel, index: number[]) => {
    chosen = {panel, index};
    show();
  };
  // What is pointed at is marked in the text, too.
  const pick = (panel: ArrayPanel, index: number[]) => {
    choose(panel, index);
    selection.set(instructionOf(panel.info, details, opcode) ?? null);
  };
  const show = () => {
    error.textContent = '';
    if (chosen === null) return;
    const {panel, index} = chosen;
    const box = boxAround(index, panel.info.sizes!, extent, tile);
    position.value = index.join(', ');
    try {
      for (const other of [...outputs, ...inputs]) other.show([], '');
      const budget = {points: MOST_POINTS};
      const isOutput = outputs.includes(panel);
      const own = cellsOf(panel.matrix!, setOfBox(box));
      panel.show(own === null ? [] : [own], `chosen: ${boxText(box)}`);
      if (isOutput) {
        const output = details.outputs[outputs.indexOf(panel)]!;
        for (const input of inputs) relate(input, readsOf(output.reads, input.info), box, details, 'reads', budget);
      } else {
        outputs.forEach((output, i) => relate(output, readsOf(details.outputs[i]!.goes_to, panel.info), box, details, 'goes to', budget));
      }
      const named = (each: ArrayPanel) => `${each.title}: ${each.text}`;
      status.textContent = [panel, ...(isOutput ? inputs : outputs)].map(named).join('. ');
    } catch (problem) {
      error.textContent = String(problem);
    }
  };
  details.outputs.forEach((info, i) => {
    const name = details.outputs.length > 1 ? `output ${i} of %${info.name}` : `%${info.name}`;
    const panel: ArrayPanel = new ArrayPanel(info, name, undefined, (index) => pick(panel, index));
    outputs.push(panel);
  });
  // `utilization` numbers the arrays of all operands in order.
  details.inputs.forEach((info, i) => {
    const name = info.array > 0 ? `%${info.name} array ${info.array}` : `%${info.name}`;
    const utilization = details.utilization?.find(({operand}) => operand === i);
    const panel: ArrayPanel = new ArrayPanel(info, name, utilization, (index) => pick(panel, index));
    inputs.push(panel);
  });
  const first = outputs.find(({matrix}) => matrix !== null);
  if (first !== undefined) choose(first, first.info.sizes!.map(() => 0));
  for (const panel of [...outputs, ...inputs]) {
    const instruction = instructionOf(panel.info, details, opcode);
    selection.listen((key) => panel.element.classList.toggle('selected', key !== null && key === instruction), panel.element);
  }
  return html(
    'div',
    {},
    html('p', {class: 'muted hint'}, 'Point at an element of the result to see what it reads, composed through the whole kernel, or at one of an operand to see where it goes.'),
    html('div', {class: 'controls'}, choice('Choose', EXTENTS, extent, (value) => {
      extent = value as Extent;
      tileLabel.hidden = extent !== 'tile';
      show();
    }), tileLabel, html('label', {class: 'field'}, html('span', {'aria-hidden': 'true'}, 'Index'), position)),
    html('p', {class: 'legend', 'aria-hidden': 'true'}, html('span', {class: 'swatch mark'}), 'chosen, and what belongs to it', html('span', {class: 'swatch hatched'}), 'never read'),
    error, status,
    html('h3', {}, details.outputs.length === 1 ? 'Result' : 'Results'),
    html('div', {class: 'arrays'}, ...outputs.map(({element}) => element)),
    html('h3', {}, details.inputs.length === 1 ? 'Operand' : 'Operands'),
    details.inputs.length === 0
      ? html('p', {class: 'muted'}, 'none')
      : html('div', {class: 'arrays'}, ...inputs.map(({element}) => element)),
  );
}
