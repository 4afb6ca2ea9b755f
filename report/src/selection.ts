import {html} from './dom';

type Listener = (key: string | null) => void;

/**
 * Which instruction is chosen: in the graph, in the text, by a link of an access. Its key is its
 * name, and `COMPUTATION/NAME` where the kernel's computation calls another one.
 */
export class Selection {
  private key: string | null = null;
  private readonly listeners = new Map<Listener, Element>();

  /** Tells what is chosen now, and each change as long as the element is on the page. */
  listen(listener: Listener, element: Element): void {
    this.listeners.set(listener, element);
    listener(this.key);
  }

  set(key: string | null): void {
    this.key = key;
    for (const [listener, element] of this.listeners) {
      if (element.isConnected) listener(key);
      else this.listeners.delete(listener);
    }
  }
}

/** A button that chooses an instruction. */
export function instructionButton(key: string, selection: Selection): HTMLButtonElement {
  return html('button', {type: 'button', class: 'link', onclick: () => selection.set(key)}, `%${key.slice(key.lastIndexOf('/') + 1)}`);
}
