// MAC and serial number as identity facts: normal form, whether a value can identify a miner, and the `unstable_reason`
// that follows. It keeps no registry: the caller knows which values are duplicates.
import { z } from 'zod';
import { isVisible } from './plain-text.ts';

/** `duplicate` = the same valid value on another live miner of the farm. */
export const factStateSchema = z.enum(['ok', 'empty', 'invalid', 'duplicate']);
export type FactState = z.infer<typeof factStateSchema>;

export const UNSTABLE_REASONS = [
  'mac_invalid',
  'mac_duplicate',
  'sn_invalid',
  'sn_duplicate',
  'mac_empty',
  'sn_empty',
  'all_invalid',
  'ip_only',
] as const;
export const unstableReasonSchema = z.enum(UNSTABLE_REASONS);
export type UnstableReason = z.infer<typeof unstableReasonSchema>;

const NORMAL_MAC = /^(?:[0-9A-F]{2}:){5}[0-9A-F]{2}$/;

/**
 * Upper case with colons (`AA:BB:CC:DD:EE:FF`); undefined unless it is 12 hex digits with or without `:`, `-`, `.`
 * between.
 */
export function normaliseMac(text: string): string | undefined {
  if (NORMAL_MAC.test(text)) return text;
  const digits = text.trim().replaceAll(/[:\-.]/g, '');
  // Before it is upper-cased: some other letters become one or two of these.
  if (!/^[0-9A-Fa-f]{12}$/.test(digits)) return undefined;
  return digits.toUpperCase().match(/../g)?.join(':');
}

/**
 * State of a MAC as a device reported it, without duplicates. Zeros, all ones and multicast cannot identify; locally
 * administered can.
 */
export function macState(text: string | undefined): Exclude<FactState, 'duplicate'> {
  if (text === undefined || text.trim() === '') return 'empty';
  const mac = normaliseMac(text);
  if (mac === undefined || mac === '00:00:00:00:00:00') return 'invalid';
  const firstOctet = Number.parseInt(mac.slice(0, 2), 16);
  return (firstOctet & 1) === 1 ? 'invalid' : 'ok';
}

const FILLER_SERIAL =
  /^((0x)?0+|f+|x+|-+|\.+|\?+|[(<]?(n[./]?a\.?|null|none|nil|nan|unknown?|undefined)[)>]?|not (available|set|found|known)|default|string|serial ?number|<deleted>|1234567890*|to be filled.*)$/i;

const ASCII = /^[ -~]*$/;

/**
 * Trimmed, a to z as capitals. Serial numbers are opaque: other letters stay, because two of them may share a capital
 * (`ß` and `ss`).
 */
export function normaliseSerial(text: string): string {
  const trimmed = text.trim();
  if (ASCII.test(trimmed)) return trimmed.toUpperCase();
  return trimmed.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase());
}

/** State of a serial number as a device gave it, duplicates aside. */
export function serialState(text: string | undefined): Exclude<FactState, 'duplicate'> {
  if (text === undefined || text.trim() === '') return 'empty';
  const serial = text.trim();
  if (!isVisible(serial) || FILLER_SERIAL.test(serial) || serial.length > 128) return 'invalid';
  return 'ok';
}

/** Null when MAC and serial are both valid and unique. */
export function unstableReason(mac: FactState, serial: FactState): UnstableReason | null {
  if (mac === 'ok' && serial === 'ok') return null;
  if (mac === 'empty' && serial === 'empty') return 'ip_only';
  if (mac !== 'ok' && serial !== 'ok') return 'all_invalid';
  if (mac !== 'ok') return `mac_${mac}`;
  return serial === 'ok' ? null : `sn_${serial}`;
}
