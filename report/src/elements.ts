// What elements of the result read of every operand, and where elements of an operand go.
import {type Bounds, type IndexSet, imageOf} from './affine';
import type {ArrayInfo, KernelDetails, OperandReads, Reads, UtilizationRecord} from './data';
import {choice, html} from './dom';
import {withCommas} from './format';
import {type Cells, type Matrix, cellsOf, countCells, matrixOf, setText} from './marks';
import {MatrixView} from './matrix_view';
import {styleColour} from './palette';

type Extent = 'element' | 'row' | 'tile';
const EXTENTS: readonly {value: Extent; text: string}[] = [
  {value: 'element', text: 'an element'},
  {value: 'row', text: 'a row (the last dimension)'},
  {value: 'tile', text: 'a tile of 8 by 8'},
];

/** The box around an index. */
export function boxAround(index: readonly number[], sizes: readonly number[], extent: Extent): Bounds[] {
  return index.map((value, i) => {
    const fromLast = sizes.length - 1 - i;
    if (extent === 'row' && fromLast === 0) return {lower: 0, upper: sizes[i]! - 1};
    if (extent === 'tile' && fromLast < 2) {
      const begin = value - (value % 8);
      return {lower: begin, upper: Math.min(sizes[i]! - 1, begin + 7)};
    }
    return {lower: value, upper: value};
  });
}

const boxText = (box: readonly Bounds[]) =>
  `[${box.map(({lower, upper}) => (lower === upper ? lower : `${lower}:${upper + 1}`)).join(', ')}]`;

/** An array with its picture. */
class ArrayPanel {
  readonly element: HTMLElement;
  readonly matrix: Matrix | null;
  private readonly view: MatrixView | null = null;
  private readonly told = html('p', {class: 'told', 'aria-live': 'polite'});
  private readonly unread: Cells[] = [];

  constructor(
    readonly info: ArrayInfo,
    title: string,
    utilization: UtilizationRecord | undefined,
    pick: (index: number[]) => void,
  ) {
    const {sizes} = info;
    this.matrix = sizes === undefined || sizes.some((size) => size === 0) ? null : matrixOf(sizes);
    if (this.matrix !== null) this.view = new MatrixView(this.matrix, title, pick);
    this.element = html('figure', {class: 'array'},
      html('figcaption', {}, html('b', {}, title), ' ', html('code', {}, info.shape)),
      this.view?.element ?? html('p', {class: 'muted'}, sizes === undefined ? 'not an array of known size' : 'has no elements'),
      this.told, utilization && utilizationText(utilization));
    if (this.matrix !== null && utilization?.unread) this.addUnread(this.matrix, utilization.unread);
    this.show([], '');
  }

  private addUnread(matrix: Matrix, boxes: NonNullable<UtilizationRecord['unread']>): void {
    for (const {offset, size, stride} of boxes) {
      const parts = offset.map((first, i) => ({
        results: [i],
        tuples: Array.from({length: Math.min(size[i]!, 1 << 20)}, (_, k) => [first + k * stride[i]!]),
      }));
      const cells = cellsOf(matrix, {parts, dependsOnRuntime: false, isBox: false});
      if (cells !== null) this.unread.push(...cells);
    }
  }

  show(cells: readonly Cells[], text: string): void {
    this.told.textContent = text;
    this.view?.draw([
      {colour: styleColour('unread'), cells: this.unread},
      {colour: styleColour('mark'), cells},
    ]);
  }
}

function utilizationText(record: UtilizationRecord): HTMLElement {
  const {elements, elements_read: read, lower, upper} = record;
  const of = elements === undefined ? '' : ` of ${withCommas(elements)}`;
  const count = read !== undefined ? withCommas(read) : `${withCommas(lower ?? 0)} to ${upper === undefined ? '?' : withCommas(upper)}`;
  const unread = record.unread !== null && record.unread.length > 0 && read !== elements ? '; grey: never read' : '';
  return html('p', {class: 'muted'}, `The whole kernel reads ${count}${of} elements${unread}${record.reason ? `; ${record.reason}` : ''}`);
}

/** What is read of an array, by all maps together. */
function relate(panel: ArrayPanel, reads: readonly OperandReads[], box: Bounds[], details: KernelDetails, verb: string): void {
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
      const set = imageOf(map, box);
      if (set === null) continue;
      sets.push(set);
      if (set.isBox) notes.add('superset: too many to try, so bounds are shown');
      if (set.dependsOnRuntime) {
        const names = details.runtimeOf(number).filter((name) => name !== '');
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
    else lists.push(...cells);
  }
  const count = countCells(matrix, lists);
  const all = info.sizes.reduce((a, b) => a * b, 1);
  const number = count === null || [...notes].some((note) => note.startsWith('too many')) ? 'many' : withCommas(count);
  const texts = sets.slice(0, 4).map((set) => setText(set, info.sizes!.length));
  if (sets.length > 4) texts.push(`${sets.length - 4} more`);
  const note = notes.size === 0 ? '' : `; ${[...notes].join('; ')}`;
  panel.show(lists, `${verb} ${number} of ${withCommas(all)} elements: ${texts.join(' and ')}${note}`);
}

const readsOf = (reads: Reads | undefined, info: ArrayInfo): OperandReads[] => {
  if (reads?.unknown !== undefined) {
    return [{operand: info.operand!, array: info.array, exactness: 'unknown', reason: reads.unknown, maps: []}];
  }
  return reads?.operands.filter(({operand, array}) => operand === info.operand && array === info.array) ?? [];
};

export function elementsView(details: KernelDetails): HTMLElement {
  let extent: Extent = 'element';
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
  const error = html('p', {role: 'alert'});

  const pick = (panel: ArrayPanel, index: number[]) => {
    chosen = {panel, index};
    show();
  };
  const show = () => {
    error.textContent = '';
    if (chosen === null) return;
    const {panel, index} = chosen;
    const box = boxAround(index, panel.info.sizes!, extent);
    position.value = index.join(', ');
    try {
      for (const other of [...outputs, ...inputs]) other.show([], '');
      const own: IndexSet = {
        parts: box.map(({lower, upper}, i) => ({results: [i], tuples: Array.from({length: upper - lower + 1}, (_, k) => [lower + k])})),
        dependsOnRuntime: false,
        isBox: false,
      };
      const isOutput = outputs.includes(panel);
      panel.show(cellsOf(panel.matrix!, own) ?? [], `chosen: ${boxText(box)}`);
      if (isOutput) {
        const output = details.outputs[outputs.indexOf(panel)]!;
        for (const input of inputs) relate(input, readsOf(output.reads, input.info), box, details, 'reads');
      } else {
        outputs.forEach((output, i) => {
          const goesTo = details.outputs[i]!.goes_to;
          if (goesTo === undefined) output.show([], 'a computation by itself is not asked this way');
          else relate(output, readsOf(goesTo, panel.info), box, details, 'goes to');
        });
      }
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
  if (first !== undefined) pick(first, first.info.sizes!.map(() => 0));
  return html(
    'div',
    {},
    html('p', {class: 'muted'}, 'Point at an element of the result to see what it reads, composed through the whole kernel, or at one of an operand to see where it goes.'),
    html('div', {class: 'controls'}, choice('Choose', EXTENTS, extent, (value) => {
      extent = value as Extent;
      show();
    }), html('label', {class: 'field'}, html('span', {'aria-hidden': 'true'}, 'Index'), position)),
    error,
    html('h4', {}, details.outputs.length === 1 ? 'Result' : 'Results'),
    html('div', {class: 'arrays'}, ...outputs.map(({element}) => element)),
    html('h4', {}, details.inputs.length === 1 ? 'Operand' : 'Operands'),
    details.inputs.length === 0
      ? html('p', {class: 'muted'}, 'none')
      : html('div', {class: 'arrays'}, ...inputs.map(({element}) => element)),
  );
}
