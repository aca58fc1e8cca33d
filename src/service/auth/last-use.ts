// Writes down when keys were used last: once a minute for each, beside the request that used it. What cannot be written is logged and fails nobody.
import { renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { ApiKey } from '../store/store.ts';

const MARK_USED_MS = 60_000;
/** More keys than that within a minute, and some are written down more often. */
const MAX_TRIED = 10_000;

export function createLastUse(write: (keyId: string, nowMs: number) => Promise<void>, log: Log) {
  /** Also those that could not be written: whoever asks often does not try often. */
  const tried = new Map<string, number>();
  return ({ id, lastUsedAtMs }: Pick<ApiKey, 'id' | 'lastUsedAtMs'>, nowMs: number): void => {
    const lastMs = Math.max(lastUsedAtMs ?? Number.NEGATIVE_INFINITY, tried.get(id) ?? Number.NEGATIVE_INFINITY);
    if (nowMs - lastMs < MARK_USED_MS) return;
    if (tried.size >= MAX_TRIED) tried.clear();
    tried.set(id, nowMs);
    write(id, nowMs).catch((error: unknown) =>
      log.warn({ keyId: id, error: renderError(error) }, 'write down when a key was used'),
    );
  };
}
