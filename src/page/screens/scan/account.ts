// What the evidence of a scan says, as far as it says it: how far it is, and the account of every address. Pure.
import type { Texts } from '../../text/texts.ts';

export type ScanProgress = { readonly probed: number; readonly total: number; readonly found: number };
export type ScanClass = { readonly status: keyof Texts['scan']['status']; readonly count: number };
export type ScanAccount = {
  readonly addresses: number;
  /** They add up to the addresses. */
  readonly classes: readonly ScanClass[];
  readonly notes: readonly string[];
};

type Evidence = Readonly<Record<string, unknown>>;

const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
const numberOf = (value: unknown, name: string): number | undefined => {
  const field = fieldOf(value, name);
  return typeof field === 'number' ? field : undefined;
};

export function progressOf({ progress }: Evidence): ScanProgress | undefined {
  const [probed, total] = [numberOf(progress, 'probed'), numberOf(progress, 'total')];
  if (probed === undefined || total === undefined) return undefined;
  return { probed, total, found: numberOf(progress, 'found') ?? 0 };
}

const COUNTED = ['identified', 'unknown', 'login_refused', 'closed', 'silent', 'missing'] as const;

/** Those that look like miners are counted apart from what is unknown. */
export function accountOf({ account }: Evidence): ScanAccount | undefined {
  const addresses = numberOf(account, 'addresses');
  if (addresses === undefined) return undefined;
  const counts = fieldOf(account, 'counts');
  const likely = Object.values(Object(fieldOf(account, 'likely'))).reduce<number>(
    (sum, count) => sum + (typeof count === 'number' ? count : 0),
    0,
  );
  const counted = COUNTED.map((status) => {
    const count = numberOf(counts, status) ?? 0;
    return { status, count: status === 'unknown' ? count - likely : count };
  });
  const classes: readonly ScanClass[] = [
    ...counted,
    { status: 'likely', count: likely },
    { status: 'excluded', count: numberOf(account, 'excluded') ?? 0 },
    { status: 'not_reached', count: numberOf(account, 'notReached') ?? 0 },
  ];
  const notes = fieldOf(account, 'notes');
  return {
    addresses,
    classes: classes.filter(({ count }) => count > 0),
    notes: Array.isArray(notes) ? notes.filter((note) => typeof note === 'string') : [],
  };
}

export type LoginAt = {
  readonly ip: string;
  readonly shown: keyof Texts['setAct']['loginAt'];
  /** What a person can do there. */
  readonly advice: string | undefined;
};

const SHOWN = ['taken', 'refused', 'untried'] as const;

/** What became of a login that a person has entered, by address. */
export function loginsOf({ addresses }: Evidence): readonly LoginAt[] {
  if (!Array.isArray(addresses)) return [];
  return addresses.flatMap((one: unknown) => {
    const [ip, advice] = [fieldOf(one, 'ip'), fieldOf(one, 'advice')];
    const shown = SHOWN.find((word) => word === fieldOf(one, 'shown'));
    if (typeof ip !== 'string' || shown === undefined) return [];
    return [{ ip, shown, advice: typeof advice === 'string' ? advice : undefined }];
  });
}
