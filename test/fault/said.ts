// What a process tells the ledger outside, line by line.

/** A promise, or a note of what a later promise is about. */
export type Said = { readonly kind: 'promise' | 'note'; readonly what: string };

/** `committed <promise>` and `noted <note>`. */
export function saidIn(line: string): Said[] {
  const [, how, what = ''] = /^(committed|noted) (.*)$/.exec(line) ?? [];
  return how === undefined ? [] : [{ kind: how === 'noted' ? 'note' : 'promise', what }];
}
