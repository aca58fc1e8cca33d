// Whether the service has another build of this page by now than the one that is open: it was updated meanwhile.
import { signal } from '@preact/signals';
import { after } from '../time.ts';

/** Names of scripts and styles change with what is in them. */
const FILE = /\/page\/[\w.-]+\.(?:js|css)/g;
const TIMEOUT_MS = 10_000;
/** Of a service that did not answer. */
const AGAIN_MS = 30_000;

export const filesOf = (html: string): readonly string[] => html.match(FILE) ?? [];

/** Undefined = not known: what came is no page of ours. */
export function isOther(own: readonly string[], served: readonly string[]): boolean | undefined {
  return served.length === 0 ? undefined : own.some((file) => !served.includes(file));
}

export type Build = ReturnType<typeof createBuild>;

/** `own` = the files that the open page was made of. */
export function createBuild(own: readonly string[]) {
  const isReplaced = signal(false);
  let isAsking = false;
  const check = async (): Promise<void> => {
    if (isAsking || isReplaced.value) return;
    isAsking = true;
    const answer = await readServed();
    isAsking = false;
    const found = answer === undefined ? undefined : isOther(own, filesOf(answer));
    if (found === undefined) after(AGAIN_MS, () => void check());
    else isReplaced.value = found;
  };
  return { isReplaced, check };
}

async function readServed(): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const response = await fetch('/', { cache: 'no-store', credentials: 'omit', signal });
    return response.ok ? await response.text() : undefined;
  } catch {
    return undefined;
  }
}
