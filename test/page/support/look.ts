// What a screen looks like, in two forms: its texts with their colours and sizes, which are the same with any font, and
// its pixels, which are the same where the fonts are.
import type { Page } from 'playwright-core';
import { z } from 'zod';

const lookSchema = z.strictObject({
  /** Tells fonts apart: widths of a text in those of the page. */
  font: z.string(),
  /** Each text that is seen, in the order of the page: its colour, what is behind it, its size. */
  texts: z.array(z.string()),
  /** Boxes that fill their place, whatever is in them: where they begin, and how wide they are. */
  boxes: z.array(z.string()),
});
export type Look = z.infer<typeof lookSchema>;
export const parseLook = (text: string): Look => lookSchema.parse(JSON.parse(text));

const READ = `(() => {
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true }) &&
    element.getClientRects().length > 0 && element.closest('.hidden') === null;
  const ground = (element) => {
    for (let at = element; at !== null; at = at.parentElement) {
      const color = getComputedStyle(at).backgroundColor;
      if (color !== 'rgba(0, 0, 0, 0)') return color;
    }
    return 'none';
  };
  const top = document.querySelector('dialog[open]') ?? document.body;
  const texts = [];
  const walker = document.createTreeWalker(top, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.data.replaceAll(/\\s+/g, ' ').trim();
    const parent = node.parentElement;
    if (text === '' || parent === null || !isSeen(parent)) continue;
    const { color, fontSize, fontWeight } = getComputedStyle(parent);
    texts.push([text, color, ground(parent), fontSize, fontWeight].join(' | '));
  }
  const boxes = [...top.querySelectorAll('header, main, nav, section, article, form, h2, .row-place, canvas, progress')]
    .filter(isSeen)
    .map((element) => {
      const { left, width } = element.getBoundingClientRect();
      return [element.localName, Math.round(left), Math.round(width)].join(' ');
    });
  const paint = document.createElement('canvas').getContext('2d');
  const { fontFamily } = getComputedStyle(document.body);
  const widths = ['400', '700'].map((weight) => {
    paint.font = weight + ' 40px ' + fontFamily;
    return paint.measureText('Miner 0123456789 °C ●✖☾⚒').width.toFixed(2);
  });
  return { font: widths.join(' '), texts, boxes };
})()`;

export const readLook = async (page: Page): Promise<Look> => lookSchema.parse(await page.evaluate(READ));

const DIFFER = `async ([one, other]) => {
  const read = async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
    const paint = new OffscreenCanvas(image.width, image.height).getContext('2d');
    paint.drawImage(image, 0, 0);
    return paint.getImageData(0, 0, image.width, image.height);
  };
  const [a, b] = await Promise.all([read(one), read(other)]);
  if (a.width !== b.width || a.height !== b.height) return 1;
  let differing = 0;
  for (let at = 0; at < a.data.length; at += 4) {
    const far = Math.max(...[0, 1, 2].map((channel) => Math.abs(a.data[at + channel] - b.data[at + channel])));
    if (far > 32) differing += 1;
  }
  return differing / (a.width * a.height);
}`;

/** The share of pixels that differ visibly, 0 to 1. */
export async function differingShare(page: Page, one: Buffer, other: Buffer): Promise<number> {
  const given = JSON.stringify([one.toString('base64'), other.toString('base64')]);
  return z.number().parse(await page.evaluate(`(${DIFFER})(${given})`));
}
