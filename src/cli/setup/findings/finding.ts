// One thing that `doctor` has looked at. It looks at nothing itself.

export type Finding = {
  readonly about: string;
  readonly level: 'ok' | 'warning' | 'wrong';
  readonly text: string;
  /** What to do; absent when nothing is to be done. */
  readonly remedy?: string;
};

export const ok = (about: string, text: string): Finding => ({ about, level: 'ok', text });
export const warning = (about: string, text: string, remedy: string): Finding => ({
  ...{ about, level: 'warning', text, remedy },
});
export const wrong = (about: string, text: string, remedy: string): Finding => ({
  ...{ about, level: 'wrong', text, remedy },
});
