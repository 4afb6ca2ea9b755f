// Colours whose lightness rises or falls steadily, so that people who see fewer hues, or none, tell
// them apart, and that follow the light or dark scheme of the page. tests/report simulates that.

/** From a share of nothing, light and warm, to all, dark and cold. */
export const QUALITY = ['#ffc266', '#f0a04b', '#c98b5e', '#8b7f86', '#54709c', '#1d4f86'];

/** Of a share that should be large: 1 is good. */
export function qualityColour(share: number): string {
  return QUALITY[Math.min(QUALITY.length - 1, Math.max(0, Math.floor(share * QUALITY.length)))]!;
}

/** A text colour for that background. */
export function textOn(colour: string): string {
  const [red, green, blue] = [1, 3, 5].map((i) => {
    const value = parseInt(colour.slice(i, i + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const luminance = 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
  return luminance > 0.179 ? '#000000' : '#ffffff';
}

export const SCALE = ['#30123b', '#3b3f95', '#2f73b3', '#2b9bad', '#43bd94', '#8fd46a', '#d4e157', '#fde725'];

/** A step of a scale from dark to light; of `count` steps. */
export function stepColour(step: number, count: number): string {
  const at = count <= 1 ? 0 : (step / (count - 1)) * (SCALE.length - 1);
  const low = SCALE[Math.floor(at)]!;
  const high = SCALE[Math.min(SCALE.length - 1, Math.floor(at) + 1)]!;
  const share = at - Math.floor(at);
  const mixed = [1, 3, 5].map((i) => {
    const a = parseInt(low.slice(i, i + 2), 16);
    const b = parseInt(high.slice(i, i + 2), 16);
    return Math.round(a + (b - a) * share).toString(16).padStart(2, '0');
  });
  return `#${mixed.join('')}`;
}

/** A colour of the page's style, as it is now. */
export function styleColour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
