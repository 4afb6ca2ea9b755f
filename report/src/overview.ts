// The first view: what the module moves, and which kernels waste most of it.
import {hierarchy, treemap, treemapSquarify} from 'd3-hierarchy';
import type {EarlierKernel, KernelEntry, ModuleData, Summary} from './data';
import {choice, html, svg} from './dom';
import {bytes, counted, efficiency, microseconds, percent, withCommas} from './format';
import {qualityColour, textOn} from './palette';

type Measure = 'wasted' | 'moved' | 'time';
const MEASURES: readonly {value: Measure; text: string}[] = [
  {value: 'wasted', text: 'wasted bytes'},
  {value: 'moved', text: 'moved bytes'},
  {value: 'time', text: 'estimated time'},
];

function measureOf({record}: KernelEntry, measure: Measure): number {
  if (measure === 'wasted') return record.wasted_bytes;
  return measure === 'moved' ? record.moved_bytes : record.estimated_us;
}

function measureText(value: number, measure: Measure): string {
  return measure === 'time' ? microseconds(value) : bytes(value);
}

export function kernelAddress(kernel: KernelEntry): string {
  return `#${encodeURIComponent(kernel.link)}`;
}

/** The columns of the table. */
interface Column {
  name: string;
  title: string;
  isNumber?: boolean;
  key(kernel: KernelEntry): number | string;
  cell(kernel: KernelEntry): Node | string;
}

const numberColumn = (
  name: string,
  title: string,
  key: (kernel: KernelEntry) => number,
  text: (value: number) => string,
): Column => ({
  name,
  title,
  isNumber: true,
  key,
  cell: (kernel) => {
    const value = key(kernel);
    return html('data', {value, title: withCommas(value)}, text(value));
  },
});

function columns(hasBefore: boolean): Column[] {
  const list: Column[] = [
    {
      name: 'kernel',
      title: 'Kernel',
      key: ({link}) => link,
      cell: (kernel) => html('a', {href: kernelAddress(kernel)}, `%${kernel.record.instruction}`),
    },
    {name: 'opcode', title: 'Opcode', key: ({opcode}) => opcode, cell: ({opcode}) => opcode},
    {name: 'emitter', title: 'Emitter', key: ({record}) => record.emitter, cell: ({record}) => record.emitter},
    numberColumn('wasted', 'Wasted', ({record}) => record.wasted_bytes, bytes),
    numberColumn('moved', 'Moved', ({record}) => record.moved_bytes, bytes),
    numberColumn('needed', 'Needed', ({record}) => record.needed_bytes, bytes),
    {
      name: 'efficiency',
      title: 'Efficiency',
      isNumber: true,
      key: ({record}) => efficiency(record.efficiency),
      cell: ({record}) => {
        const share = efficiency(record.efficiency);
        return html(
          'span',
          {class: 'bar', title: `${record.efficiency} sectors`},
          html('span', {class: 'fill', style: `width:${100 * share}%;background:${qualityColour(share)}`}),
          html('span', {class: 'bar-text'}, percent(share)),
        );
      },
    },
    numberColumn('time', 'Estimate', ({record}) => record.estimated_us, microseconds),
    {name: 'bound', title: 'Bound by', key: ({record}) => record.bound, cell: ({record}) => record.bound},
  ];
  if (hasBefore) {
    const change = (kernel: KernelEntry) =>
      kernel.record.before === undefined ? 0 : kernel.record.moved_bytes - kernel.record.before.moved_bytes;
    list.push({
      name: 'change',
      title: 'Change of moved',
      isNumber: true,
      key: change,
      cell: (kernel) => (kernel.record.before === undefined ? 'new' : changeText(change(kernel), bytes)),
    });
  }
  list.push({
    name: 'origin',
    title: 'From',
    key: ({op_name, source}) => op_name ?? source ?? '',
    cell: ({op_name, source}) =>
      html('span', {class: 'origin', title: source ?? ''}, op_name ?? source ?? ''),
  });
  return list;
}

function changeText(change: number, text: (value: number) => string): string {
  if (change === 0) return 'same';
  return change > 0 ? `+${text(change)}` : text(change);
}

function card(title: string, value: string, note: string, exact: number): HTMLElement {
  return html(
    'div',
    {class: 'card'},
    html('dt', {}, title),
    html('dd', {}, html('data', {value: exact, title: String(exact)}, value), note && html('small', {}, note)),
  );
}

function cards(module: ModuleData): HTMLElement {
  const {record, earlier} = module;
  const sum = (get: (kernel: EarlierKernel) => number) => earlier!.reduce((total, kernel) => total + get(kernel), 0);
  const was = (text: (value: number) => string, get: (kernel: EarlierKernel) => number) =>
    earlier === undefined ? '' : `before: ${text(sum(get))}`;
  const share = record.moved_bytes === 0 ? 1 : record.needed_bytes / record.moved_bytes;
  const unknown = module.kernels.reduce((n, kernel) => n + kernel.record.unknown_accesses, 0);
  const upTo = unknown > 0
    ? `without ${counted(unknown, 'access', 'accesses')} that nobody knows`
    : record.exact ? '' : 'at most: values known at run time decide';
  return html(
    'dl',
    {class: 'cards'},
    card('Kernels', withCommas(record.kernels), '', record.kernels),
    card('Moved', bytes(record.moved_bytes), was(bytes, (kernel) => kernel.moved_bytes) || upTo, record.moved_bytes),
    card('Needed', bytes(record.needed_bytes), `${percent(share)} of what is moved`, record.needed_bytes),
    card('Wasted', bytes(record.wasted_bytes), was(bytes, (kernel) => kernel.wasted_bytes), record.wasted_bytes),
    card(
      'Estimate',
      microseconds(record.estimated_us),
      was(microseconds, (kernel) => kernel.estimated_us) || `on ${record.device}`,
      record.estimated_us,
    ),
  );
}

/** The estimated time by what bounds the kernels, as one bar. */
function bounds(kernels: readonly KernelEntry[]): HTMLElement | null {
  const times = new Map<string, number>();
  for (const {record} of kernels) times.set(record.bound, (times.get(record.bound) ?? 0) + record.estimated_us);
  const total = [...times.values()].reduce((a, b) => a + b, 0);
  if (total === 0) return null;
  const sorted = [...times].sort((a, b) => b[1] - a[1]);
  const list = html('ul', {class: 'bounds', 'aria-label': 'Estimated time by what bounds it'});
  sorted.forEach(([bound, us], i) => {
    list.append(
      html(
        'li',
        {class: `bound-${i % 5}`, style: `flex-grow:${Math.max(us / total, 0.02)}`, title: `${bound}: ${us} us`},
        html('b', {}, bound),
        ` ${microseconds(us)}, ${percent(us / total)}`,
      ),
    );
  });
  return list;
}

/** More tiles would be too small to see. */
const MOST_TILES = 60;

function treemapOf(kernels: readonly KernelEntry[], measure: Measure): Element {
  const width = 1160;
  const height = 300;
  const sorted = kernels
    .filter((kernel) => measureOf(kernel, measure) > 0)
    .sort((a, b) => measureOf(b, measure) - measureOf(a, measure));
  if (sorted.length === 0) return html('p', {class: 'muted'}, `No ${measure === 'wasted' ? 'bytes are wasted' : 'kernel counts'}.`);
  const shown = sorted.slice(0, MOST_TILES);
  const others = sorted.slice(MOST_TILES);
  interface Datum {
    kernel?: KernelEntry;
    value: number;
    children?: Datum[];
  }
  const children: Datum[] = shown.map((kernel) => ({kernel, value: measureOf(kernel, measure)}));
  if (others.length > 0) children.push({value: others.reduce((n, kernel) => n + measureOf(kernel, measure), 0)});
  const root = hierarchy<Datum>({value: 0, children}).sum((datum) => (datum.children ? 0 : datum.value));
  const laidOut = treemap<Datum>().size([width, height]).tile(treemapSquarify).paddingInner(2).round(true)(root);
  const picture = svg('svg', {
    viewBox: `0 0 ${width} ${height}`,
    class: 'treemap',
    role: 'group',
    'aria-label': `Kernels by ${MEASURES.find(({value}) => value === measure)!.text}`,
  });
  for (const leaf of laidOut.leaves()) {
    const {kernel, value} = leaf.data;
    const tileWidth = leaf.x1 - leaf.x0;
    const tileHeight = leaf.y1 - leaf.y0;
    const share = kernel === undefined ? 1 : efficiency(kernel.record.efficiency);
    const colour = kernel === undefined ? '#8a8f98' : qualityColour(share);
    const name = kernel === undefined ? counted(others.length, 'other kernel') : `%${kernel.record.instruction}`;
    const needed = kernel === undefined ? '' : `, ${percent(share)} of what it moves is needed`;
    const title = svg('title', {}, `${name}: ${measureText(value, measure)}${needed}`);
    const tile = svg(
      'g',
      {transform: `translate(${leaf.x0},${leaf.y0})`},
      svg('rect', {width: tileWidth, height: tileHeight, fill: colour}),
    );
    const fits = Math.floor((tileWidth - 10) / 7.2);
    if (fits >= 4 && tileHeight >= 20) {
      const text = (content: string, y: number) =>
        svg('text', {x: 6, y, fill: textOn(colour)}, content.length > fits ? `${content.slice(0, fits - 1)}…` : content);
      tile.append(text(name, 16));
      if (tileHeight >= 36) tile.append(text(measureText(value, measure), 32));
    }
    picture.append(
      kernel === undefined ? svg('g', {}, title, tile) : svg('a', {href: kernelAddress(kernel)}, title, tile),
    );
  }
  return picture;
}

const ROWS_AT_A_TIME = 100;

class KernelTable {
  readonly element = html('div', {class: 'table'});
  private sortedBy = 'wasted';
  private isDescending = true;
  private rows = ROWS_AT_A_TIME;
  private search = '';
  private filters: Record<'opcode' | 'emitter' | 'bound', string> = {opcode: '', emitter: '', bound: ''};
  private readonly body = html('tbody');
  private readonly head = html('tr');
  private readonly status = html('p', {role: 'status', class: 'muted'});
  private readonly columns: Column[];

  constructor(
    private readonly kernels: readonly KernelEntry[],
    hasBefore: boolean,
  ) {
    this.columns = columns(hasBefore);
    const search = html('input', {type: 'search', placeholder: 'name, op_name, source', oninput: () => {
      this.search = search.value.toLowerCase();
      this.update();
    }});
    const filter = (name: keyof typeof this.filters, title: string, get: (kernel: KernelEntry) => string) => {
      const values = [...new Set(kernels.map(get))].sort();
      const options = [{value: '', text: 'all'}, ...values.map((value) => ({value, text: value}))];
      return choice(title, options, '', (value) => {
        this.filters[name] = value;
        this.update();
      });
    };
    this.element.append(
      html(
        'div',
        {class: 'controls', role: 'search'},
        html('label', {class: 'field'}, html('span', {}, 'Search'), search),
        filter('opcode', 'Opcode', ({opcode}) => opcode),
        filter('emitter', 'Emitter', ({record}) => record.emitter),
        filter('bound', 'Bound by', ({record}) => record.bound),
      ),
      this.status,
      html('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Kernels'},
        html('table', {}, html('thead', {}, this.head), this.body)),
    );
    this.update();
  }

  private matches(kernel: KernelEntry): boolean {
    const {opcode, record, op_name, source} = kernel;
    if (this.filters.opcode && opcode !== this.filters.opcode) return false;
    if (this.filters.emitter && record.emitter !== this.filters.emitter) return false;
    if (this.filters.bound && record.bound !== this.filters.bound) return false;
    if (!this.search) return true;
    return [record.instruction, record.computation, op_name ?? '', source ?? ''].some((text) =>
      text.toLowerCase().includes(this.search),
    );
  }

  private update(): void {
    const column = this.columns.find(({name}) => name === this.sortedBy)!;
    const sign = this.isDescending ? -1 : 1;
    const found = this.kernels.filter((kernel) => this.matches(kernel));
    found.sort((a, b) => {
      const [x, y] = [column.key(a), column.key(b)];
      return sign * (x < y ? -1 : x > y ? 1 : 0);
    });
    this.head.replaceChildren(
      ...this.columns.map((each) => {
        const order = each === column ? (this.isDescending ? 'descending' : 'ascending') : undefined;
        const mark = order === undefined ? '' : this.isDescending ? ' ▼' : ' ▲';
        return html(
          'th',
          {scope: 'col', 'aria-sort': order, class: each.isNumber && 'number'},
          html('button', {type: 'button', onclick: () => this.sort(each)}, each.title,
            html('span', {'aria-hidden': 'true'}, mark)),
        );
      }),
    );
    const shown = found.slice(0, this.rows);
    this.body.replaceChildren(
      ...shown.map((kernel) =>
        html('tr', {}, ...this.columns.map((each) => html('td', {class: each.isNumber && 'number'}, each.cell(kernel)))),
      ),
    );
    this.status.replaceChildren(
      found.length === this.kernels.length
        ? counted(found.length, 'kernel')
        : `${withCommas(found.length)} of ${counted(this.kernels.length, 'kernel')}`,
    );
    if (shown.length < found.length) {
      this.status.append(
        `, the first ${withCommas(shown.length)} shown `,
        html('button', {type: 'button', onclick: () => {
          this.rows += 10 * ROWS_AT_A_TIME;
          this.update();
        }}, 'Show more'),
      );
    }
  }

  private sort(column: Column): void {
    this.isDescending = this.sortedBy === column.name ? !this.isDescending : column.isNumber === true;
    this.sortedBy = column.name;
    this.update();
    const index = this.columns.indexOf(column);
    this.head.children[index]!.querySelector('button')!.focus();
  }
}

/** What has no kernel whose plan is known, by reason. */
function notShown(module: ModuleData): HTMLElement | null {
  const {not_shown: list, kernels_not_tried: notTried} = module.record;
  if (list.length === 0 && notTried === 0) return null;
  const reasons = new Map<string, string[]>();
  for (const {instruction, opcode, reason} of list) {
    reasons.set(reason, [...(reasons.get(reason) ?? []), `%${instruction} (${opcode})`]);
  }
  return html(
    'details',
    {},
    html('summary', {}, `Not shown: ${counted(list.length, 'instruction')} that run otherwise`),
    notTried > 0 && html('p', {}, `Changes of ${counted(notTried, 'kernel')}, those that waste least, were not tried.`),
    html(
      'ul',
      {},
      ...[...reasons].map(([reason, names]) =>
        html('li', {}, html('b', {}, `${reason}: `),
          names.slice(0, 200).join(', ') + (names.length > 200 ? ` and ${withCommas(names.length - 200)} more` : '')),
      ),
    ),
  );
}

/** Kernels that the earlier version had and this one has not. */
function gone(module: ModuleData): HTMLElement | null {
  if (module.earlier === undefined) return null;
  const now = new Set(module.kernels.map(({record}) => `${record.computation}\n${record.instruction}`));
  const list = module.earlier.filter(({computation, instruction}) => !now.has(`${computation}\n${instruction}`));
  if (list.length === 0) return null;
  list.sort((a, b) => b.moved_bytes - a.moved_bytes);
  return html(
    'details',
    {open: true},
    html('summary', {}, `Gone: ${counted(list.length, 'kernel')} of the earlier version`),
    html(
      'ul',
      {},
      ...list.slice(0, 200).map((kernel) =>
        html('li', {}, `%${kernel.instruction}: moved ${bytes(kernel.moved_bytes)}, wasted ${bytes(kernel.wasted_bytes)}, ${microseconds(kernel.estimated_us)}`),
      ),
      list.length > 200 && html('li', {}, `and ${withCommas(list.length - 200)} more`),
    ),
  );
}

export function overview(summary: Summary): HTMLElement {
  const view = html('div', {class: 'overview'});
  if (summary.modules.length === 0) {
    view.append(html('p', {}, 'There is no module.'));
    return view;
  }
  for (const module of summary.modules) {
    const picture = html('div');
    let measure: Measure = module.record.wasted_bytes > 0 ? 'wasted' : 'time';
    const draw = () => picture.replaceChildren(treemapOf(module.kernels, measure));
    draw();
    const legend = html('p', {class: 'legend', 'aria-hidden': 'true'}, 'needed of what is moved: 0%',
      ...[0.05, 0.2, 0.4, 0.6, 0.8, 1].map((share) => html('span', {class: 'swatch', style: `background:${qualityColour(share)}`})),
      '100%');
    view.append(
      html(
        'section',
        {},
        html('h2', {}, module.record.module),
        html('p', {class: 'muted'}, `${module.record.file}, ${module.record.plan === 'ours' ? 'our plans' : module.record.plan === 'given' ? 'a given plan' : "XLA's plans"} on ${module.record.device}`,
          summary.before === undefined ? '' : `, compared with ${summary.before}`),
        cards(module),
        bounds(module.kernels),
        html('div', {class: 'controls'}, choice('Area of a kernel', MEASURES, measure, (value) => {
          measure = value as Measure;
          draw();
        }), legend),
        picture,
        new KernelTable(module.kernels, module.earlier !== undefined).element,
        gone(module),
        notShown(module),
      ),
    );
  }
  return view;
}
