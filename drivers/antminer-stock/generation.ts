// Which of the three stock firmware generations a build belongs to (atlas 3). Decided by the build date and, where the
// web of 2020 never came to a machine, by its name; no question asked.
import { is17Series } from '../_dialects/bitmain-modes.ts';

type Generation = 'a' | 'b' | 'c';

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

const NEVER_NEW = /^antminer (S[3-9]|S1[15]|T9|T15|L3|D3|A3|X3|B[37]|E3|R4|V9|Z9|Z11|DR[35])(?!\d)/i;

/**
 * From a compile time such as `Tue Dec 6 16:12:30 CST 2022`. Undefined when it is no date: then the device is asked
 * everything.
 */
export function generationOf(compileTime: string | undefined, type?: string): Generation | undefined {
  if (type !== undefined && NEVER_NEW.test(type)) return 'a';
  const [, monthName = '', year = ''] = compileTime?.match(/([a-z]{3})\s+\d{1,2}\s[\d:]+\s+(?:\S+\s+)?(\d{4})/i) ?? [];
  const month = MONTHS.indexOf(monthName.toLowerCase()) + 1;
  if (month === 0) return undefined;
  const built = Number(year) * 100 + month;
  // Builds of the same month have either web.
  if (built >= 202_001 && is17Series(type)) return undefined;
  if (built >= 202_307) return 'c';
  return built >= 202_001 ? 'b' : 'a';
}
