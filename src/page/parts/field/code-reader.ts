// Reads bar codes where the browser cannot: a library of WebAssembly, which the service sends for the first photo.
import { prepareZXingModule, purgeZXingModule, readBarcodes } from 'zxing-wasm/reader';
import wasm from 'zxing-wasm/reader/zxing_reader.wasm';

const overrides = { locateFile: () => new URL(wasm, import.meta.url).href };
const MOST_CODES = 20;

/** Rejects where it cannot be loaded; the next call tries again. */
export async function loadCodeReader(): Promise<(photo: Blob) => Promise<readonly string[]>> {
  try {
    await prepareZXingModule({ overrides, fireImmediately: true });
  } catch (error) {
    purgeZXingModule();
    throw error;
  }
  return readCodes;
}

async function readCodes(photo: Blob): Promise<readonly string[]> {
  const found = await readBarcodes(photo, { maxNumberOfSymbols: MOST_CODES });
  return found.filter(({ isValid }) => isValid).map(({ text }) => text);
}
