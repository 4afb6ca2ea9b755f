// The view of one kernel.
import {accessesView} from './accesses';
import {type KernelDetails, type KernelEntry, loadDetails} from './data';
import {html} from './dom';
import {elementsView} from './elements';
import {bytes, efficiency, microseconds, percent} from './format';
import {graphView} from './graph';
import {layoutsView} from './layouts';
import {kernelAddress} from './overview';
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
  const grid = (sizes: readonly number[]) => {
    const used = sizes.slice(0, 1 + sizes.findLastIndex((size) => size !== 1));
    return used.length === 0 ? '1' : used.join(' × ');
  };
  return html(
    'header',
    {},
    html('p', {}, html('a', {href: '#'}, '← All kernels')),
    html('h2', {tabindex: -1}, `%${record.instruction}`),
    html('p', {class: 'muted'},
      `${record.emitter}${record.variant && record.variant !== record.emitter ? ` (${record.variant})` : ''}, ${grid(record.blocks)} blocks of ${grid(record.threads)} threads; in ${record.computation}, line ${record.line}`,
      op_name === undefined ? '' : `; ${op_name}`, source === undefined ? '' : `; ${source}`),
    record.refused !== undefined && html('p', {class: 'note'}, `Refused: ${record.refused}`),
    !record.exact && html('p', {class: 'note'}, record.unknown_accesses > 0
      ? `Not counted: ${record.unknown_accesses} ${record.unknown_accesses === 1 ? 'access' : 'accesses'} that nobody knows.`
      : 'At most: values known at run time decide.'),
    html('dl', {class: 'cards'},
      fact('Moved', bytes(record.moved_bytes), record.moved_bytes),
      fact('Needed', `${bytes(record.needed_bytes)} (${percent(share)})`, record.needed_bytes),
      fact('Wasted', bytes(record.wasted_bytes), record.wasted_bytes),
      fact('From and to DRAM', bytes(record.dram_bytes), record.dram_bytes),
      fact('Estimate', `${microseconds(record.estimated_us)}, ${record.bound}`, record.estimated_us),
      record.before !== undefined &&
        fact('Before', `${bytes(record.before.moved_bytes)}, ${microseconds(record.before.estimated_us)}`, record.before.moved_bytes)),
  );
}

/** The HLO of the kernel, a line for each instruction. */
function hloText(details: KernelDetails, selection: Selection): HTMLElement {
  const list = html('ol', {class: 'hlo', 'aria-label': 'HLO of the kernel'});
  const lines = new Map<string, HTMLButtonElement>();
  for (const node of details.nodes) {
    const line = html('button', {type: 'button', class: node.root ? 'root' : '', onclick: () => selection.set(node.name)},
      html('span', {class: 'line-number'}, String(node.line)), html('code', {}, node.text));
    lines.set(node.name, line);
    list.append(html('li', {}, line));
  }
  selection.listen((name) => {
    for (const [other, line] of lines) {
      line.classList.toggle('selected', other === name);
      line.setAttribute('aria-pressed', String(other === name));
    }
    if (name !== null) lines.get(name)?.scrollIntoView({block: 'nearest'});
  });
  return list;
}

export async function kernelView(kernel: KernelEntry, view: ViewName): Promise<HTMLElement> {
  const details = await loadDetails(kernel);
  const selection = new Selection();
  const panel = html('div', {role: 'tabpanel', id: 'panel', class: 'panel', 'aria-labelledby': `tab-${view}`});
  const make = (name: ViewName): HTMLElement => {
    switch (name) {
      case 'accesses':
        return accessesView(kernel.record, details, selection);
      case 'graph':
        return graphView(details, selection);
      case 'elements':
        return elementsView(details);
      case 'warps':
        return warpView(details, kernel.record);
      case 'layouts':
        return layoutsView(details, kernel.record);
    }
  };
  const tabs = html('div', {role: 'tablist', class: 'tabs', 'aria-label': 'Views of the kernel'});
  const show = (name: ViewName) => {
    for (const tab of tabs.children) {
      const isChosen = tab.id === `tab-${name}`;
      tab.setAttribute('aria-selected', String(isChosen));
      tab.setAttribute('tabindex', isChosen ? '0' : '-1');
    }
    panel.setAttribute('aria-labelledby', `tab-${name}`);
    panel.replaceChildren(make(name));
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
      html('aside', {'aria-label': 'HLO'}, html('h3', {}, 'HLO'), hloText(details, selection))));
}
