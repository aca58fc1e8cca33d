// Texts that are the worst for what looks for private data in them.

/** Runs, near misses of each pattern, and values under private keys. */
export const HOSTILE = [
  ...['a', '1', ' ', '"', "'", '\\', ':', '=', '[', '@', '/', '.', '-', '\n', '\t'],
  ...['a.', '1.', 'a b ', 'a=', 'a[', 'a:', 'a@', 'a+', '@a', 'aa:', '0x0', 'bc1', 'http://', 'http:\\/\\/'],
  ...['"a":"', '"a" : ', '\\"a\\":\\"', '"pass":"', '"pass":1', 'pass=', 'pass: "', 'pass[', ' -p ', '10.0.0.1 '],
  'L'.repeat(35).concat(' '),
  '"password":"@@@",',
];

/** The unit again and again; `@@@` in it is another secret each time. */
export const filled = (unit: string, length: number) => {
  const times = Math.ceil(length / unit.length);
  return Array.from({ length: times }, (_, index) => unit.replace('@@@', `secret${index}`))
    .join('')
    .slice(0, length);
};
