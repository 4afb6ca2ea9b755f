// Numbers as `hlo-indexing explain` prints them.

export function withCommas(number: number): string {
  return number.toLocaleString('en-US', {maximumFractionDigits: 0});
}

function threeDigits(number: number): string {
  if (number < 9.995) return number.toFixed(2);
  return number.toFixed(number < 99.95 ? 1 : 0);
}

function scaled(number: number, units: readonly string[]): string {
  let step = 0;
  while (number >= 999.5 && step < units.length - 1) {
    number /= 1000;
    step++;
  }
  return `${threeDigits(number)} ${units[step]}`;
}

export function bytes(number: number): string {
  if (Math.abs(number) <= 9999) return `${withCommas(number)} B`;
  const text = scaled(Math.abs(number), ['B', 'kB', 'MB', 'GB', 'TB', 'PB', 'EB']);
  return number < 0 ? `-${text}` : text;
}

export function microseconds(number: number): string {
  const text = scaled(Math.abs(number) * 1000, ['ns', 'us', 'ms', 's']);
  return number < 0 ? `-${text}` : text;
}

export function percent(share: number): string {
  return `${Math.floor(share * 100)}%`;
}

/** Example: "4194304/131072" -> 32 */
export function ratio(fraction: string): number {
  const [numerator, denominator] = fraction.split('/').map(Number);
  return denominator === 0 ? 0 : numerator! / denominator!;
}

/** A share of needed and moved bytes; all of nothing is needed. */
export function efficiency(fraction: string): number {
  const [numerator, denominator] = fraction.split('/').map(Number);
  return denominator === 0 ? 1 : numerator! / denominator!;
}

/** Longer names are cut in headings and beside them. */
export const MOST_IN_HEADING = 160;

/** Example: ("a long text", 7) -> "a long…" */
export function shortened(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/**
 * A name without its middle, as those that XLA makes often differ only in their last numbers.
 * Example: ("%broadcast_multiply_fusion.27", 12) -> "%broadca….27"
 */
export function shortenedName(name: string, most: number): string {
  if (name.length <= most) return name;
  const [end, number] = /[._]?(\d+)$/.exec(name) ?? ['', ''];
  const kept = [end, number!].find((text) => text.length <= most - 3) ?? '';
  return `${name.slice(0, most - 1 - kept.length)}…${kept}`;
}

/** The shape as far as there is room: layouts go first. Example: ("f32[8,4]{1,0}", 10) -> "f32[8,4]" */
export function shortenedShape(shape: string, most: number): string {
  return shortened(shape.length > most ? shape.replace(/\{[^}]*\}/g, '') : shape, most);
}

export function counted(number: number, noun: string, plural = `${noun}s`): string {
  return `${withCommas(number)} ${number === 1 ? noun : plural}`;
}
