// Reads the JSON of miners: strictly if possible, mended where the damage is known (atlas section 1.2), and never in more than linear time.
// The value is safe to keep: bounded depth, finite numbers, no `__proto__`. What it means is the driver's affair.
import { isUtf8 } from 'node:buffer';
import { MAX_DEPTH, type Mend, mendJsonText } from './json-mend.ts';

/** `latin1` = the bytes were no UTF-8; `nul-tail` = something stood behind the first NUL and was dropped. Then the mends of json-mend.ts. */
export type Repair = 'nul-tail' | 'bom' | 'latin1' | Mend;

export type RepairedJson = {
  readonly value: unknown;
  /** Empty when the answer was right as it came. */
  readonly repairs: readonly Repair[];
  /** The end was missing: what is absent is unknown, not zero. */
  readonly isPartial: boolean;
};

/** Text of an answer: cut at the first NUL, without BOM, trimmed; bytes that are not UTF-8 are read as Latin-1. */
export function decodeReply(bytes: Uint8Array): { text: string; repairs: Repair[] } {
  const repairs: Repair[] = [];
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const nulAt = all.indexOf(0);
  const kept = nulAt < 0 ? all : all.subarray(0, nulAt);
  if (nulAt >= 0 && all.subarray(nulAt).some((byte) => byte > 0x20)) repairs.push('nul-tail');
  let text: string;
  if (isUtf8(kept)) {
    text = kept.toString('utf8');
    if (text.charCodeAt(0) === 0xfeff) repairs.push('bom');
  } else {
    text = kept.toString('latin1');
    if (text.startsWith('\u00ef\u00bb\u00bf')) {
      repairs.push('bom');
      text = text.slice(3);
    }
    repairs.push('latin1');
  }
  // trim() takes the BOM of the UTF-8 case along.
  return { text: text.trim(), repairs };
}

/** Undefined when the bytes are not JSON, or not damaged in a known way, or nested too deep. */
export function repairJson(bytes: Uint8Array): RepairedJson | undefined {
  const { text, repairs } = decodeReply(bytes);
  return repairJsonText(text, repairs);
}

/** As `repairJson`, for text that decodeReply gave; `earlier` is put before the repairs that are made here. */
export function repairJsonText(text: string, earlier: readonly Repair[] = []): RepairedJson | undefined {
  const strict = parseStrict(text);
  if (strict)
    return makeSafe(strict.value) ? { ...readable(strict.value), repairs: earlier, isPartial: false } : undefined;
  const mended = mendJsonText(text);
  const parsed = mended && parseStrict(mended.text);
  if (!parsed || !makeSafe(parsed.value)) return undefined;
  const isPartial = mended.mends.includes('truncated-tail');
  return { ...readable(parsed.value), repairs: [...earlier, ...mended.mends], isPartial };
}

export const isJsonObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function parseStrict(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

const NON_FINITE_TEXT = /^[+-]?(nan|inf|infinity)$/i;

function isMeaningless(value: unknown): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'string' || value.length < 3 || value.length > 9) return false;
  // Digits are what most short texts end in: a look at the last letter spares them the pattern.
  return value.charCodeAt(value.length - 1) > 0x39 && NON_FINITE_TEXT.test(value);
}

const readable = (value: unknown) => ({ value: isMeaningless(value) ? null : value });

/** Walks the value in place: numbers that are not finite (`1e999`, `"nan"`) become null, `__proto__` goes. False = deeper than MAX_DEPTH. */
function makeSafe(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (depth >= MAX_DEPTH) return false;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item: unknown = value[i];
      if (isMeaningless(item)) value[i] = null;
      else if (!makeSafe(item, depth + 1)) return false;
    }
    return true;
  }
  if (!isJsonObject(value)) return true;
  // Not Object.entries: it would make an array per field of every answer of every poll.
  for (const key in value) {
    const item = value[key];
    if (key === '__proto__') Reflect.deleteProperty(value, key);
    else if (isMeaningless(item)) Reflect.set(value, key, null);
    else if (!makeSafe(item, depth + 1)) return false;
  }
  return true;
}
