// Whether a key opens anything now.
import type { KeyItem } from '../../../wire/api/keys.ts';

export const isUsable = (
  { revoked_at, expires_at }: Pick<KeyItem, 'revoked_at' | 'expires_at'>,
  nowMs: number,
): boolean => revoked_at === null && (expires_at === null || Date.parse(expires_at) > nowMs);
