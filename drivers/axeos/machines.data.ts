// The machines that run AxeOS and its kin: what the web page of each is called, who makes it, and the boards of Bitaxes.

/** What the web page says it is; `deviceModel` and `minerModel` know better. */
export const GENERATIONS: Readonly<Record<string, keyof typeof MAKES>> = {
  axeos: 'bitaxe',
  'axeos-nerd': 'nerd',
  luckyminer: 'lucky',
};
export const MAKES = { bitaxe: 'Bitaxe', nerd: 'NerdAxe', lucky: 'LuckyMiner' } as const;

/**
 * The boards of each Bitaxe, by the begin of their version. Copies of them use the same versions for machines of their
 * own, so that it must fit chip and number of chips, too.
 */
export const BOARDS: Readonly<Record<string, RegExp>> = {
  Max: /^(1\d\d|2\.)/,
  Ultra: /^(2\d\d|0\.)/,
  Hex: /^3\d\d/,
  Supra: /^4\d\d/,
  Gamma: /^6[0-4]\d/,
  GammaDuo: /^65\d/,
  SupraHex: /^7\d\d/,
  GammaTurbo: /^8\d\d/,
};
