// Text that fits the screen: lines end between words where they can. It knows no stream.
import { wrapAnsi } from 'fast-wrap-ansi';

/** `width` undefined = it is no screen, and the text stays as it is. */
export const wrapped = (text: string, width: number | undefined): string =>
  width === undefined ? text : wrapAnsi(text, width, { hard: true });
