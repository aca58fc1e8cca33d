// Asks the service for a file and hands it to the browser to be kept.
import { after } from '../time.ts';
import { type Outcome, readRefusal } from './request.ts';

/** A workbook of a large farm takes the service some seconds. */
const TIMEOUT_MS = 120_000;
const KEPT_MS = 60_000;

/** Gives the name of the file that the service has chosen. */
export async function saveFile(path: string, body: unknown): Promise<Outcome<string>> {
  try {
    const response = await fetch(path, {
      method: 'POST',
      credentials: 'same-origin',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!response.ok) return await readRefusal(response);
    const name = /filename="([^"]+)"/.exec(response.headers.get('content-disposition') ?? '')?.[1] ?? 'miners';
    giveFile(name, await response.blob());
    return { kind: 'ok', answer: name };
  } catch {
    return { kind: 'unreachable' };
  }
}

/** To the browser, which asks where to or has a folder for it. */
export function giveFile(name: string, content: Blob): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  // The browser may still read it.
  after(KEPT_MS, () => URL.revokeObjectURL(link.href));
}
