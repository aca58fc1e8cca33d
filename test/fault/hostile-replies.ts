// What a hostile or broken device may answer: the named list, and damage to ordinary answers. Bytes only; who sends
// them is hostile-device.ts.
import { gzipSync } from 'node:zlib';
import type { Random } from '../../src/driver/check/answers/mutate.ts';

const KIB = 1024;
/** As large as an answer may be. */
export const FULL = 256 * KIB;

const filled = (unit: string, bytes = FULL) => unit.repeat(Math.floor(bytes / unit.length));

const ORDINARY =
  '{"STATUS":[{"STATUS":"S","When":1773930539,"Code":70,"Msg":"CGMiner stats"}],"STATS":[{"CGMiner":"2.3.3"},{"GHS 5s":"13500.1","fan1":5610,"temp1":61,"chain_acs1":" oooo oooo"}],"id":1}';

/** Bodies by name: what stands in an answer, whatever carries it. */
export const BODIES: Readonly<Record<string, Buffer>> = {
  nothing: Buffer.alloc(0),
  'a NUL tail': Buffer.from(`${ORDINARY}\0${filled('x', 4 * KIB)}`),
  'joined objects': Buffer.from(`{"STATS":[${filled('{"a":1}', 128 * KIB)}]}`),
  'duplicate keys': Buffer.from(`{${filled('"STATS":[],', 64 * KIB)}"STATS":{"STATS":1}}`),
  'a million levels': Buffer.from(filled('[', 1_000_000)),
  'levels within the cap': Buffer.from(`{"a":${filled('[', 120 * KIB)}${filled(']', 120 * KIB)}}`),
  'levels of objects': Buffer.from(filled('{"a":', FULL - KIB)),
  'numbers without end': Buffer.from(`{"STATS":[{"GHS 5s":1e999,"temp":-1e999,"fan":${filled('9', 2 * KIB)}}]}`),
  'two million objects': Buffer.from(`[${filled('{},', 6_000_000)}{}]`),
  'objects within the cap': Buffer.from(`{"STATS":[${filled('{},', FULL - KIB)}{}]}`),
  'no UTF-8': Buffer.concat([Buffer.from('{"STATS":"'), Buffer.alloc(8 * KIB, 0xc3), Buffer.from('"}')]),
  prototypes: Buffer.from(
    '{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"x":1}},"STATS":[{"__proto__":[]}]}',
  ),
  'terminal codes': Buffer.from('{"STATUS":[{"STATUS":"E","Msg":"\\u001b]0;owned\\u0007\\u001b[2J\\u202e"}],"id":1}'),
  script: Buffer.from('{"STATS":[{"Type":"<script>alert(1)</script>","hostname":"\\"><img src=x onerror=alert(1)>"}]}'),
  'missing commas': Buffer.from(`{"a":${filled('""b":', FULL - KIB)}`),
  'stray commas': Buffer.from(`{"STATS":[${filled('1,,', FULL - KIB)}]}`),
  'nan without end': Buffer.from(`{"STATS":[${filled('nan,', FULL - KIB)}nan]}`),
  'control characters': Buffer.from(`{"a":"${filled('\u0001', FULL - KIB)}"}`),
  backslashes: Buffer.from(`{"a":"${filled('\\', FULL - KIB)}`),
  'escaped quotes': Buffer.from(`{"a":"${filled('\\"', FULL - KIB)}`),
  'quoted objects': Buffer.from(`{"a":[${filled('"{}",', FULL - KIB)}1]}`),
  'pairs in lists': Buffer.from(`{"a":[${filled('["1":"2"],', FULL - KIB)}1]}`),
  'a cut tail': Buffer.from(`{"STATS":[${filled('{"a":1},', FULL - KIB)}`),
  'a page': Buffer.from(`<html><title>${filled('<a href="', 64 * KIB)}`),
  'a refusal': Buffer.from('{"STATUS":"E","When":1,"Code":45,"Msg":"Access denied to \'summary\' command"}'),
  'no text': Buffer.from(Array.from({ length: 4 * KIB }, (_, i) => (i * 197) % 256)),
};

export const BOMB = gzipSync(Buffer.alloc(64 * KIB * KIB), { level: 9 });

/** Texts that are dear to a careless pattern. */
export const TEXTS: readonly string[] = [
  'a',
  ' ',
  '1',
  '-',
  '.',
  '1.',
  '[',
  'a[0] ',
  '0,',
  ':',
  '/',
  '\n',
  ' \n',
  '"',
  '1970-01-01 ',
  '<',
  '<td>',
];

/** An ordinary answer with some bytes changed, cut, doubled or put in from elsewhere. */
export function damaged(random: Random, bodies: readonly Buffer[] = [Buffer.from(ORDINARY)]): Buffer {
  let bytes = bodies[Math.floor(random() * bodies.length)] ?? Buffer.alloc(0);
  for (let times = Math.floor(random() * 6); times > 0; times--) {
    const at = Math.floor(random() * bytes.length);
    const put = PIECES[Math.floor(random() * PIECES.length)] ?? '';
    bytes = Buffer.concat([bytes.subarray(0, at), Buffer.from(put), bytes.subarray(at + Math.floor(random() * 12))]);
  }
  return bytes;
}

const PIECES = [
  '}{',
  ',',
  '"',
  '\\',
  'nan',
  '""a',
  '[',
  '{',
  '\0',
  '1e999',
  '__proto__',
  '\r\n',
  '\u00ff',
  '-',
  '99999999999999999999',
  '',
];
