// Whether the text after a model's name belongs to the firmware (`(Vnish 1.2.6)`, ` V1.3.58`, ` Blissz v2.06 beta`) or
// may name another variant of the machine (` Pro`, `+`, ` (Hyd.)`, `-88`). In doubt it is a variant: that has other
// boards, chips and rates.

/** Words of makers for variants. */
const VARIANT =
  /^(pro|xp|se|ex|hyd\w*|imm\w*|plus|ultra|turbo|extreme|single|double|dual|duo|liquid|water|cool\w*|no-?pic|edition|series|mini|lite|light|max|gen\d*|[a-z]\d?|\d{1,3})(?![\w.])/i;
const FIRMWARE =
  /^(vnish|anthill\w*|hive\w*|braiins|bos\w*|luxos|lux\w+|marafw|kaonsu|epic|umc|msk\w*|rwglr|blissz|awesome|asicboost|asic\.to|custom|firmware|fw|stock|release|build|beta|mod)\b/i;
const VERSION = /\bv?\d+(\.\d+)+|\bv\d+\b|\b20\d\d\b/i;

/** VNish writes the control board between the model and its own name: `S19JPRO AML (Vnish 1.2.6)`. */
const CONTROL_BOARD = /^\s+(bb|aml)(?=\s*\(vnish\b)/i;

export function isFirmwareText(text: string): boolean {
  const isBracketed = /^[\s_-]*[([]/.test(text);
  const rest = text.replace(CONTROL_BOARD, '').replace(/^[\s([\-_,;/]+/, '');
  if (rest === '') return true;
  // No maker numbers its variants with a 0 in front: `(024)`.
  if (FIRMWARE.test(rest) || /^v?\d+(\.\d+)+|^v\d+\b|^0\d+\b/i.test(rest)) return true;
  if (VARIANT.test(rest) || !/^[a-z\d]/i.test(rest)) return false;
  // Third-party firmware adds its own name in brackets; without them a short word is more likely one of a maker.
  const [word = ''] = rest.split(/[\s)\]\-_,;/]/, 1);
  return isBracketed || (word.length >= 5 && VERSION.test(rest));
}
