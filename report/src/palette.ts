// Colours whose lightness rises or falls steadily, so that people who see fewer hues, or none, tell
// them apart, and that follow the light or dark scheme of the page. tests/report simulates that.

/** From a share of nothing, light and warm, to all, dark and cold. */
export const QUALITY = ['#ffc266', '#f0a04b', '#c98b5e', '#8b7f86', '#54709c', '#1d4f86'];

/** Of a share that should be large: 1 is good. */
export function qualityColour(share: number): string {
  return QUALITY[Math.min(QUALITY.length - 1, Math.max(0, Math.floor(share * QUALITY.length)))]!;
}

function luminanceOf(colour: string): number {
  const [red, green, blue] = [1, 3, 5].map((i) => {
    const value = parseInt(colour.slice(i, i + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

/** A text colour for that background. */
export function textOn(colour: string): string {
  return luminanceOf(colour) > 0.179 ? '#000000' : '#ffffff';
}

/** A share of the way from one colour to another. */
function mixed(from: string, to: string, share: number): string {
  const parts = [1, 3, 5].map((i) => {
    const a = parseInt(from.slice(i, i + 2), 16);
    const b = parseInt(to.slice(i, i + 2), 16);
    return Math.round(a + (b - a) * share).toString(16).padStart(2, '0');
  });
  return `#${parts.join('')}`;
}

/** What thin lines need against what is behind them (WCAG 2.1, 1.4.11). */
const LEAST_CONTRAST = 3;

/** The colour, as much nearer to that of the text as a line on the page needs to be seen. */
export function lineColour(colour: string): string {
  const [background, text] = [styleColour('background'), styleColour('text')];
  // Colours that the system forces have names.
  if (!background.startsWith('#') || !text.startsWith('#')) return colour;
  const behind = luminanceOf(background);
  const contrast = (each: string) => {
    const [light, dark] = [luminanceOf(each), behind].sort((a, b) => b - a) as [number, number];
    return (light + 0.05) / (dark + 0.05);
  };
  for (let share = 0; share < 1; share += 0.05) {
    const nearer = mixed(colour, text, share);
    if (contrast(nearer) >= LEAST_CONTRAST) return nearer;
  }
  return text;
}

export const SCALE = ['#30123b', '#3b3f95', '#2f73b3', '#2b9bad', '#43bd94', '#8fd46a', '#d4e157', '#fde725'];

/** A step of a scale from dark to light; of `count` steps. */
export function stepColour(step: number, count: number): string {
  const at = count <= 1 ? 0 : (step / (count - 1)) * (SCALE.length - 1);
  const low = SCALE[Math.floor(at)]!;
  const high = SCALE[Math.min(SCALE.length - 1, Math.floor(at) + 1)]!;
  return mixed(low, high, at - Math.floor(at));
}

/** A colour of the page's style, as it is now. */
export function styleColour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

const pictures = new WeakMap<Element, () => void>();

/** How a picture is drawn again with the colours of another scheme, as long as it is on the page. */
export function drawnAgain(picture: Element, draw: () => void): void {
  picture.classList.add('drawn');
  pictures.set(picture, draw);
}

/** The page's style has other colours than when the pictures were drawn. */
export function drawAgain(): void {
  for (const picture of document.querySelectorAll('.drawn')) pictures.get(picture)?.();
}
