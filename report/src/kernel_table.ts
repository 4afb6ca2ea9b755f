// The table of kernels: sorted, searched, filtered.
import type {KernelEntry} from './data';
import {choice, html} from './dom';
import {bytes, counted, efficiency, microseconds, percent, withCommas} from './format';
import {qualityColour} from './palette';

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

/** Example: "/home/me/model.py:12" -> "model.py:12" */
const withoutFolder = (source: string) => source.slice(source.lastIndexOf('/') + 1);

/** Example: "model.py:12 jit(step)/mlp/dot_general" */
function originOf({op_name, source}: KernelEntry): string {
  return [source, op_name].filter((text) => text !== undefined).join(' ');
}

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
    key: originOf,
    cell: (kernel) => html('span', {class: 'origin', title: originOf(kernel)}, originOf({...kernel, ...(kernel.source && {source: withoutFolder(kernel.source)})})),
  });
  return list;
}

/** Example: -300 -> "−300 B" */
export function changeText(change: number, text: (value: number) => string): string {
  if (change === 0) return 'same';
  return change > 0 ? `+${text(change)}` : text(change).replace('-', '−');
}

const ROWS_AT_A_TIME = 50;
/** On paper nobody can ask for more. */
const ROWS_IN_PRINT = 500;
/** Line 9 of a file comes before line 10. */
const byNumbers = new Intl.Collator('en', {numeric: true});

export class KernelTable {
  readonly element = html('div', {class: 'table'});
  private sortedBy = 'wasted';
  private isDescending = true;
  private rows = ROWS_AT_A_TIME;
  private search = '';
  private filters: Record<'opcode' | 'emitter' | 'bound' | 'source', string> = {opcode: '', emitter: '', bound: '', source: ''};
  private readonly body = html('tbody');
  private readonly head = html('tr');
  private readonly status = html('p', {role: 'status', class: 'muted'});
  private readonly columns: Column[];

  constructor(
    private readonly kernels: readonly KernelEntry[],
    hasBefore: boolean,
    /** Told which kernels search and filters leave. */
    private readonly filtered: (kernels: readonly KernelEntry[]) => void,
  ) {
    this.columns = columns(hasBefore);
    this.head.append(...this.columns.map((each) =>
      html('th', {scope: 'col', class: each.isNumber && 'number'},
        html('button', {type: 'button', onclick: () => this.sort(each)}, each.title, html('span', {'aria-hidden': 'true'})))));
    const search = html('input', {type: 'search', placeholder: 'name, op_name, source', oninput: () => {
      this.search = search.value.toLowerCase();
      this.filter();
    }});
    const filter = (name: keyof typeof this.filters, title: string, get: (kernel: KernelEntry) => string) => {
      const values = [...new Set(kernels.map(get))].filter((value) => value !== '').sort(byNumbers.compare);
      if (values.length === 0) return null;
      const options = [{value: '', text: 'all'}, ...values.map((value) => ({value, text: value}))];
      return choice(title, options, '', (value) => {
        this.filters[name] = value;
        this.filter();
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
        filter('source', 'Source', ({source}) => source ?? ''),
      ),
      this.status,
      html('div', {class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'Kernels'},
        html('table', {}, html('thead', {}, this.head), this.body)),
    );
    addEventListener('beforeprint', () => {
      this.rows = Math.max(this.rows, ROWS_IN_PRINT);
      this.update();
    });
    this.update();
  }

  private matches(kernel: KernelEntry): boolean {
    const {opcode, record, op_name, source} = kernel;
    if (this.filters.opcode && opcode !== this.filters.opcode) return false;
    if (this.filters.emitter && record.emitter !== this.filters.emitter) return false;
    if (this.filters.bound && record.bound !== this.filters.bound) return false;
    if (this.filters.source && source !== this.filters.source) return false;
    if (!this.search) return true;
    return [record.instruction, record.computation, op_name ?? '', source ?? ''].some((text) =>
      text.toLowerCase().includes(this.search),
    );
  }

  private filter(): void {
    this.update();
    this.filtered(this.kernels.filter((kernel) => this.matches(kernel)));
  }

  private update(): void {
    const column = this.columns.find(({name}) => name === this.sortedBy)!;
    const sign = this.isDescending ? -1 : 1;
    const found = this.kernels.filter((kernel) => this.matches(kernel));
    found.sort((a, b) => {
      const [x, y] = [column.key(a), column.key(b)];
      return sign * (x < y ? -1 : x > y ? 1 : 0);
    });
    this.columns.forEach((each, i) => {
      const isSorted = each === column;
      const head = this.head.children[i]!;
      if (isSorted) head.setAttribute('aria-sort', this.isDescending ? 'descending' : 'ascending');
      else head.removeAttribute('aria-sort');
      head.querySelector('[aria-hidden]')!.textContent = isSorted ? (this.isDescending ? ' ▼' : ' ▲') : '';
    });
    const shown = found.slice(0, this.rows);
    this.body.replaceChildren(
      ...shown.map((kernel) =>
        html('tr', {}, ...this.columns.map((each) => html('td', {class: each.isNumber ? 'number' : each.name === 'origin' && 'from'}, each.cell(kernel)))),
      ),
    );
    this.status.replaceChildren(
      found.length === this.kernels.length
        ? counted(found.length, 'kernel')
        : `${withCommas(found.length)} of ${counted(this.kernels.length, 'kernel')}`,
      `, by ${column.title.toLowerCase()}, ${this.isDescending ? 'descending' : 'ascending'}`,
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
  }
}
