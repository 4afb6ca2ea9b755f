// Compares screenshots with the pictures that are kept. The browser decodes both: a tolerance is left for the
// edges of letters, which differ from one version of a font or a browser to the next.
import {readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {repository} from './tools.mjs';

/** A colour channel may differ by so much. */
const LEAST_DIFFERENCE = 64;

/** The share of pixels that differ; 1 for pictures of different sizes. */
export async function difference(page, a, b) {
  return page.evaluate(async ({images, least}) => {
    const [x, y] = await Promise.all(images.map(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
      const bitmap = await createImageBitmap(new Blob([bytes], {type: 'image/png'}));
      const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
      const context = canvas.getContext('2d');
      context.drawImage(bitmap, 0, 0);
      return context.getImageData(0, 0, bitmap.width, bitmap.height);
    }));
    if (x.width !== y.width || x.height !== y.height) return 1;
    let different = 0;
    for (let i = 0; i < x.data.length; i += 4) {
      if ([0, 1, 2].some((k) => Math.abs(x.data[i + k] - y.data[i + k]) > least)) different++;
    }
    return different / (x.width * x.height);
  }, {images: [a, b].map((buffer) => buffer.toString('base64')), least: LEAST_DIFFERENCE});
}

/** The one that the documentation shows is among them. */
const pathOf = (name) => join(repository, name === 'figure' ? 'docs/figures/report.png' : `tests/report/pictures/${name}.png`);

export function kept(name) {
  return readFileSync(pathOf(name));
}

/** With UPDATE=1 in the environment the pictures are made anew, to be looked at and committed. */
export function keepIfAsked(name, picture) {
  if (process.env.UPDATE !== '1') return;
  writeFileSync(pathOf(name), picture);
}
