// A cause in the words of the reader.
import type { Cause } from '../../../model/board/work-line.ts';
import { isAnomaly } from '../../model/causes.ts';
import type { Texts } from '../../text/texts.ts';

export const causeText = (cause: Cause | 'new', texts: Texts): string =>
  isAnomaly(cause) ? texts.flag[cause] : texts.cause[cause];
