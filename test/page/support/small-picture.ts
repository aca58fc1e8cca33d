// A picture in fewer bytes than a browser takes for it: without its least bits of colour, which no person sees, and
// packed as tightly as it goes.
import { crc32, deflateSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { z } from 'zod';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const pixelsSchema = z.tuple([z.int(), z.int(), z.string()]);

const READ = `async (base64) => {
  const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  const image = await createImageBitmap(new Blob([bytes], { type: 'image/png' }));
  const paint = new OffscreenCanvas(image.width, image.height).getContext('2d');
  paint.drawImage(image, 0, 0);
  const { data } = paint.getImageData(0, 0, image.width, image.height);
  let text = '';
  for (let at = 0; at < data.length; at += 4)
    for (let channel = 0; channel < 3; channel += 1)
      text += String.fromCharCode(Math.min(255, Math.round(data[at + channel] / 8) * 8));
  return [image.width, image.height, btoa(text)];
}`;

export async function smallPicture(page: Page, picture: Buffer): Promise<Buffer> {
  const [width, height, base64] = pixelsSchema.parse(
    await page.evaluate(`(${READ})(${JSON.stringify(picture.toString('base64'))})`),
  );
  const pixels = Buffer.from(base64, 'base64');
  const lines = Array.from({ length: height }, (_, y) =>
    // 0 = what follows is no difference to other pixels.
    Buffer.concat([Buffer.of(0), pixels.subarray(y * width * 3, (y + 1) * width * 3)]),
  );
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  // 8 bits of each of red, green and blue.
  head.set([8, 2, 0, 0, 0], 8);
  const data = deflateSync(Buffer.concat(lines), { level: 9 });
  return Buffer.concat([SIGNATURE, part('IHDR', head), part('IDAT', data), part('IEND', Buffer.alloc(0))]);
}

function part(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), content]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(content.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}
