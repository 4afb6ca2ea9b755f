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

export function counted(number: number, noun: string, plural = `${noun}s`): string {
  return `${withCommas(number)} ${number === 1 ? noun : plural}`;
}
