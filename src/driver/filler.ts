// How devices write that they have nothing to say: words that stand for a name, a number or a fault that is not there.

/** Longest of the words below. */
const MOST = 16;
const FILLER =
  /^[(<]?(n[./]a\.?|null|nil|undefined|nan|unknown?|not (available|set|found|known))[)>]?$|^([-?]+|<>|\(\))$/i;

/** Whatever field it stands in, it says that the device does not know. */
export const isFiller = (text: string): boolean => text.length <= MOST && FILLER.test(text);

/** As the name of a thing (a model, a version, a host) it names none. */
export const isFillerName = (text: string): boolean =>
  isFiller(text) || /^([(<]?(none|na)[)>]?|(0x)?0+|\.+)$/i.test(text);

/** Of a part or a fault: zeros in any spelling (`0`, `0x00000000`, ` 0X0 `), a blank, and the words that mean that nothing is wrong. */
export const isNoFault = (word: string): boolean =>
  /^\s*((0x)?0*|none|no|false|ok|okay|fine|good|normal|no[ _-]?(error|fault)s?)\s*$/i.test(word) ||
  isFiller(word.trim());
