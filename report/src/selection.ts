/** Which instruction is chosen: in the graph, in the text, by a link of an access. */
export class Selection {
  private name: string | null = null;
  private readonly listeners: ((name: string | null) => void)[] = [];

  listen(listener: (name: string | null) => void): void {
    this.listeners.push(listener);
    listener(this.name);
  }

  set(name: string | null): void {
    this.name = name;
    for (const listener of this.listeners) listener(name);
  }
}
