// Elements of the page. Texts from the module become text nodes, never markup.
import {withCommas} from './format';

type Child = Node | string | number | null | undefined | false;
export type Attributes = Record<string, string | number | boolean | null | undefined | ((event: never) => void)>;

function fill(element: Element, attributes: Attributes, children: readonly Child[]): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') {
      element.addEventListener(name.replace(/^on/, ''), value as unknown as EventListener);
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(typeof child === 'number' ? String(child) : child);
  }
}

export function html<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, attributes, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  fill(element, attributes, children);
  return element;
}

/** A drop-down list with its label. */
export function choice(
  label: string,
  options: readonly {value: string; text: string}[],
  value: string,
  change: (value: string) => void,
): HTMLLabelElement {
  const select = html(
    'select',
    {onchange: () => change(select.value)},
    ...options.map((option) => html('option', {value: option.value, selected: option.value === value}, option.text)),
  );
  return html('label', {class: 'field'}, html('span', {}, label), select);
}

/** A slider and the same as a number field, from 0 to `most`; nothing if that leaves no choice. */
export function slider(
  label: string,
  most: number,
  value: number,
  change: (value: number) => void,
  step = 1,
): HTMLElement | null {
  if (most <= 0) return null;
  const attributes = {min: 0, max: most, step, value};
  const range = html('input', {type: 'range', 'aria-label': label, ...attributes});
  const field = html('input', {type: 'number', 'aria-label': `${label}, number`, ...attributes});
  const set = (text: string) => {
    const number = Math.min(most, Math.max(0, Math.floor(Number(text) / step) * step));
    range.value = field.value = String(number);
    change(number);
  };
  range.addEventListener('input', () => set(range.value));
  field.addEventListener('change', () => set(field.value));
  return html('div', {class: 'slider'}, html('span', {'aria-hidden': 'true'}, label), range, field,
    html('span', {class: 'muted'}, `of ${withCommas(most + 1)}`));
}

export function section(title: string, ...children: Child[]): HTMLElement {
  return html('section', {}, html('h3', {}, title), ...children);
}
