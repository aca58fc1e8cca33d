// The word with which a device says how a part of it is: fine, or something that is wrong.

/** Zeros in any spelling (`0`, `0x00000000`, ` 0X0 `), a blank, and the words that mean that nothing is wrong. */
export const isFine = (word: string): boolean =>
  /^\s*((0x)?0*|none|null|nil|n\/a|ok|okay|fine|normal|no[ _-]?(error|fault)s?)\s*$/i.test(word);
