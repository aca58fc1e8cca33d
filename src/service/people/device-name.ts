// What a browser calls itself, shortened for people: `Chrome on Android`. A hint to recognise the own devices by, and
// never a proof: the text is the client's.
import { plainText } from '../../model/plain-text.ts';

/** The first that is found: browsers name those that they descend from too. */
const BROWSERS = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(Firefox|FxiOS)\//, 'Firefox'],
  [/\b(Chrome|CriOS|Chromium)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
] as const;
const SYSTEMS = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
] as const;
const MAX_LENGTH = 60;
/** More of it is not looked at. */
const MAX_READ = 512;

export function deviceName(userAgent: string | undefined): string {
  const text = userAgent?.slice(0, MAX_READ) ?? '';
  const find = (names: readonly (readonly [RegExp, string])[]) => names.find(([pattern]) => pattern.test(text))?.[1];
  const browser = find(BROWSERS);
  const system = find(SYSTEMS);
  if (browser !== undefined) return system === undefined ? browser : `${browser} on ${system}`;
  return plainText(text, MAX_LENGTH) ?? 'unknown';
}
