// The view of one kernel.
import {accessesView} from './accesses';
import {type AccessRecord, type GraphNode, type KernelDetails, type KernelEntry, loadDetails} from './data';
import {html} from './dom';
import {elementsView} from './elements';
import {MOST_IN_HEADING, bytes, counted, efficiency, microseconds, percent, shortenedName, withCommas} from './format';
import {graphView} from './graph';
import {layoutsView} from './layouts';
import {kernelAddress} from './kernel_table';
import {Selection} from './selection';
import {warpView} from './warp';

const VIEWS = [
  {name: 'accesses', title: 'Accesses'},
  {name: 'graph', title: 'Graph'},
  {name: 'elements', title: 'Elements'},
  {name: 'warps', title: 'Warps'},
  {name: 'layouts', title: 'Layouts'},
] as const;
export type ViewName = (typeof VIEWS)[number]['name'];

export function isViewName(name: string): name is ViewName {
  return VIEWS.some((view) => view.name === name);
}

function head({record, op_name, source}: KernelEntry): HTMLElement {
  const share = efficiency(record.efficiency);
  const fact = (title: string, value: string, exact: number | string) =>
    html('div', {class: 'card'}, html('dt', {}, title), html('dd', {}, html('data', {value: exact, title: String(exact)}, value)));
  const grid = (sizes: readonly number[], noun: string) => {
    const rank = sizes.reduce((last, size, i) => (size === 1 ? last : i + 1), 0);
    return rank === 0 ? `1 ${noun}` : `${sizes.slice(0, rank).map(withCommas).join(' × ')} ${noun}s`;
  };
  const name = (text: string) => html('span', {title: text}, shortenedName(text, MOST_IN_HEADING));
  return html(
    'header',
    {},
    html('p', {class: 'back'}, html('a', {href: '#'}, '← All kernels')),
    html('h2', {tabindex: -1, title: `%${record.instruction}`}, shortenedName(`%${record.instruction}`, MOST_IN_HEADING)),
    html('p', {class: 'muted'},
      `${record.emitter}${record.variant && record.variant !== record.emitter ? ` (${record.variant})` : ''}, ${grid(record.blocks, 'block')} of ${grid(record.threads, 'thread')}; in `, name(record.computation), `, line ${record.line}`,
      op_name !== undefined && '; ', op_name !== undefined && name(op_name), source !== undefined && '; ', source !== undefined && name(source)),
    record.refused !== undefined && html('p', {class: 'note'}, `Refused: ${record.refused}`),
    !record.exact && html('p', {class: 'note'}, record.unknown_accesses > 0
      ? `Not counted: ${record.unknown_accesses} ${record.unknown_accesses === 1 ? 'access' : 'accesses'} that nobody knows.`
      : 'At most: values known at run time decide.'),
    html('dl', {class: 'cards'},
      fact('Moved', bytes(record.moved_bytes), record.moved_bytes),
      fact('Needed', `${bytes(record.needed_bytes)} (${percent(share)})`, record.needed_bytes),
      fact('Wasted', bytes(record.wasted_bytes), record.wasted_bytes),
      fact('From and to DRAM', `${record.dram_exact ? '' : 'at most '}${bytes(record.dram_bytes)}`, record.dram_bytes),
      fact('Estimate', `${microseconds(record.estimated_us)}, ${record.bound}`, record.estimated_us),
      record.before !== undefined &&
        fact('Before', `${bytes(record.before.moved_bytes)}, ${microseconds(record.before.estimated_us)}`, record.before.moved_bytes)),
  );
}

/** So many lines of HLO are on the page at a time. */
const MOST_LINES = 150;

/** The HLO of the kernel, a line for each instruction, then what it calls. */
class HloText {
  readonly element = html('div');
  private readonly list = html('ol', {class: 'hlo', 'aria-label': 'HLO of the kernel'});
  private readonly lines: {key: string; node: GraphNode; computation: string | null}[];
  private readonly places: Map<string, number>;
  private readonly shown = new Map<string, HTMLButtonElement>();
  private selected: string | null = null;
  private first = 0;
  private last = 0;

  constructor(
    details: KernelDetails,
    private readonly selection: Selection,
  ) {
    this.lines = details.nodes.map((node) => ({key: node.name, node, computation: null}));
    for (const {name, nodes} of details.computations ?? []) {
      this.lines.push(...nodes.map((node) => ({key: `${name}/${node.name}`, node, computation: name})));
    }
    this.places = new Map(this.lines.map(({key}, i) => [key, i]));
    const button = (change: () => void) => html('button', {type: 'button', onclick: change});
    const earlier = button(() => this.show(Math.max(0, this.first - MOST_LINES), this.last));
    const later = button(() => this.show(this.first, this.last + MOST_LINES));
    this.element.append(earlier, this.list, later);
    this.showButtons = () => {
      earlier.hidden = this.first === 0;
      later.hidden = this.last >= this.lines.length;
      earlier.textContent = `${counted(this.first, 'earlier line')} …`;
      later.textContent = `${counted(this.lines.length - this.last, 'later line')} …`;
    };
    this.show(0, MOST_LINES);
    selection.listen((key) => this.mark(key), this.element);
  }

  private readonly showButtons: () => void;

  private show(first: number, last: number): void {
    this.first = first;
    this.last = Math.min(last, this.lines.length);
    this.shown.clear();
    const items: HTMLElement[] = [];
    for (let i = first; i < this.last; i++) {
      const {key, node, computation} = this.lines[i]!;
      if (computation !== null && (i === first || this.lines[i - 1]!.computation !== computation)) {
        items.push(html('li', {class: 'called'}, `called: %${computation}`));
      }
      const line = html('button', {type: 'button', class: `${node.root ? 'root' : ''}${computation === null ? '' : ' inner'}`, 'aria-pressed': 'false', onclick: () => this.selection.set(key)},
        html('span', {class: 'line-number'}, String(node.line)), html('code', {}, node.text));
      this.shown.set(key, line);
      items.push(html('li', {}, line));
    }
    this.list.replaceChildren(...items);
    const digits = Math.max(3, ...this.lines.slice(first, this.last).map(({node}) => String(node.line).length));
    this.list.style.setProperty('--digits', `${digits}ch`);
    this.showButtons();
    this.mark(this.selected);
  }

  /** Beside the view only: where the text stands below it, the page stays where it is. */
  private scrollTo(line: HTMLElement | undefined): void {
    const frame = this.element.closest('aside');
    if (line === undefined || frame === null || frame.scrollHeight <= frame.clientHeight) return;
    const [inner, outer] = [line.getBoundingClientRect(), frame.getBoundingClientRect()];
    if (inner.top < outer.top || inner.bottom > outer.bottom) frame.scrollTop += inner.top - outer.top - outer.height / 2;
  }

  private mark(key: string | null): void {
    const place = key === null ? undefined : this.places.get(key);
    const before = this.selected;
    this.selected = key;
    if (place !== undefined && (place < this.first || place >= this.last)) {
      this.show(Math.max(0, place - MOST_LINES / 2), place + MOST_LINES / 2);
    }
    for (const other of new Set([before, key])) {
      const line = other === null ? undefined : this.shown.get(other);
      line?.classList.toggle('selected', other === key);
      line?.setAttribute('aria-pressed', String(other === key));
    }
    if (key !== before && key !== null) this.scrollTo(this.shown.get(key));
  }
}

export function kernelView(kernel: KernelEntry, view: ViewName): HTMLElement {
  const details = loadDetails(kernel);
  const selection = new Selection();
  const panel = html('div', {role: 'tabpanel', id: 'panel', class: 'panel', 'aria-labelledby': `tab-${view}`});
  const make = (name: ViewName, access?: AccessRecord): HTMLElement => {
    switch (name) {
      case 'accesses':
        return accessesView(kernel.record, details, selection, (shown) => {
          show('warps', shown);
          document.getElementById('tab-warps')?.focus();
        });
      case 'graph':
        return graphView(details, selection);
      case 'elements':
        return elementsView(details, kernel.opcode, selection);
      case 'warps':
        return warpView(details, kernel.record, access);
      case 'layouts':
        return layoutsView(details, kernel.record);
    }
  };
  const tabs = html('div', {role: 'tablist', class: 'tabs', 'aria-label': 'Views of the kernel'});
  const show = (name: ViewName, access?: AccessRecord) => {
    for (const tab of tabs.children) {
      const isChosen = tab.id === `tab-${name}`;
      tab.setAttribute('aria-selected', String(isChosen));
      tab.setAttribute('tabindex', isChosen ? '0' : '-1');
    }
    panel.setAttribute('aria-labelledby', `tab-${name}`);
    panel.replaceChildren(make(name, access));
    history.replaceState(null, '', `${kernelAddress(kernel)}${name === 'accesses' ? '' : `/${name}`}`);
  };
  VIEWS.forEach(({name, title}, i) => {
    tabs.append(
      html('button', {
        type: 'button',
        role: 'tab',
        id: `tab-${name}`,
        'aria-controls': 'panel',
        onclick: () => show(name),
        onkeydown: (event: KeyboardEvent) => {
          const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
          if (step === 0) return;
          event.preventDefault();
          const next = VIEWS[(i + step + VIEWS.length) % VIEWS.length]!;
          show(next.name);
          document.getElementById(`tab-${next.name}`)?.focus();
        },
      }, title),
    );
  });
  show(view);
  return html('article', {class: 'kernel'}, head(kernel),
    html('div', {class: 'columns'},
      html('div', {class: 'views'}, tabs, panel),
      html('aside', {'aria-label': 'HLO'}, html('h3', {}, 'HLO'), new HloText(details, selection).element)));
}
