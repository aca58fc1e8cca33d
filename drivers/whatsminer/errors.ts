// Whatsminer faults: finds the codes in every shape that firmwares write them, and says what each code means. It raises
// no flag by itself.
import * as kit from '../../src/driver/kit/index.ts';
import * as tables from './errors.data.ts';

/** A code as the device gave it, with its own words if it has any, and since when. */
export type Fault = { readonly code: string } & Readonly<Partial<Record<'detail' | 'since', string | undefined>>>;

const MAX_FAULTS = 64;
const CODE = /^[0-9]{1,9}$/;
const TIME = /^\d{4}-\d\d-\d\d|^\d+$/;
/** With the time of day: a date alone does not say when. */
const MOMENT = /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d)?$/;

/**
 * The faults of an `error_code` or `error-code` value: a list of numbers, texts and objects whose all-digit key is the
 * code, or one such object. A moment as text belongs to the code before it. Each code once. Other text (`btminer
 * process is down err`) is no code; undefined when nothing was given.
 */
export function faultsOf(value: unknown): Fault[] | undefined {
  if (value === undefined || value === null) return undefined;
  const found = new Map<string, Fault>();
  const items: readonly unknown[] = Array.isArray(value) ? value.slice(0, 2 * MAX_FAULTS) : [value];
  for (const fault of items.flatMap((item, place) => faultsOfItem(item, items[place + 1]))) {
    const code = String(Number(fault.code));
    if (code !== '0') found.set(code, kit.present({ ...fault, ...found.get(code), code }));
  }
  return [...found.values()].slice(0, MAX_FAULTS);
}

function faultsOfItem(item: unknown, next: unknown): Fault[] {
  const fields = new kit.Answer(item);
  if (!fields.isThere) {
    const code = kit.toText(item);
    return code !== undefined && CODE.test(code) ? [{ code, since: momentIn(kit.toText(next)) }] : [];
  }
  const reason = kit.toText(fields.value('reason'));
  const codes = fields.keys().filter((key) => CODE.test(key));
  return codes.slice(0, MAX_FAULTS).map((code) => {
    const words = kit.toText(fields.value(code));
    const detail = reason ?? (words !== undefined && !TIME.test(words) ? words : undefined);
    return { code, detail, since: momentIn(words) };
  });
}

const momentIn = (words = '') => (MOMENT.test(words) ? words.slice(0, 19) : undefined);

/** What the device says and what the tables know of it. `model` decides whether farms see the code as harmless. */
export function errorReading({ code, detail, since }: Fault, model: string | undefined): kit.ErrorReading {
  const { category = 'unknown', text, index } = meaning(code) ?? {};
  const message = text !== undefined && detail !== undefined ? `${text} (${detail})` : (text ?? detail);
  return kit.present({ code, category, severity: severity(Number(code), model), message, index, since });
}

function severity(code: number, model = ''): 'info' | 'minor' | 'major' {
  if (tables.NOTICES.includes(code)) return 'info';
  const isHarmless = Object.entries(tables.HARMLESS).some(
    ([family, codes]) => model.toUpperCase().startsWith(family) && codes.includes(code),
  );
  return isHarmless || tables.WARNINGS.includes(code) ? 'minor' : 'major';
}

/** `index` is the fan, PSU or board that is meant. */
function meaning(code: string) {
  for (const [form, rows] of tables.FORMS) {
    const values = form.exec(code)?.groups;
    const [category, text, index = kit.toNumber(values?.slot)] = rows[Number(values?.key)] ?? [];
    // `007` is chip 7.
    const filled = text?.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(Number(values?.[name])));
    if (category !== undefined) return { category, text: filled, index };
  }
  return undefined;
}
