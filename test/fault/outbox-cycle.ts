// An outbox that is opened, stores numbered records slice by slice and is closed. It says what was produced and what
// was promised.
import { randomUUID } from 'node:crypto';
import { openOutbox } from '../../src/agent/outbox/open.ts';
import type { Outbox } from '../../src/agent/outbox/outbox.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { acknowledgeOldest, outcome, readOldest, sample } from '../unit/agent/outbox/farm-records.ts';

const SETTINGS = { flushMs: 5, sliceRecords: 500 };
/** While the disk refuses, a record waits no longer here. */
const LIMIT_MS = 8_000;

type Cycle = {
  readonly folder: string;
  readonly slices: number;
  readonly perSlice: number;
  /** The service follows. */
  readonly acknowledges?: boolean;
  /** `produced <records>`, `committed <records> <outcome>`, `bad <what>`, `not opened`, `closed <bytes>`. */
  say(line: string): void;
};

/** False when the outbox could not be opened: it is to be tried again. */
export async function runOutboxCycle({ folder, slices, perSlice, acknowledges = false, say }: Cycle): Promise<boolean> {
  const outbox = opened(folder);
  if (outbox === undefined) {
    say('not opened');
    return false;
  }
  await outbox.setUplinks(['farm']);
  let number = 0;
  for (let slice = 1; slice <= slices; slice++) {
    for (let index = 0; index < perSlice; index++) offer(outbox, ++number);
    say(`produced ${number}`);
    if (await isKept(outbox, slice)) say(`committed ${number} ${slice}`);
    else if (outbox.state().fault === undefined) say(`bad ${slice}: not kept, and nothing shows why`);
    const last = (await readOldest(outbox, 'farm', { maxSlices: 2, maxBytes: 1e9 })).at(-1)?.header.seq;
    if (slice % 3 === 0 && last !== undefined && acknowledges) await acknowledgeOldest(outbox, 'farm', last);
  }
  await outbox.flush();
  const { bytes } = outbox.state();
  await outbox.close();
  say(`closed ${bytes}`);
  return true;
}

function opened(folder: string): Outbox | undefined {
  try {
    return openOutbox(folder, { clock: systemClock, log: silentLog, newEpoch: randomUUID, settings: SETTINGS });
  } catch {
    return undefined;
  }
}

function offer(outbox: Outbox, number: number): void {
  const record = sample(number, Date.now());
  // Figures that differ, as those of real miners do.
  const figures = { hashrate: number, power: 3_000 + (number % 977), temp: 40 + (number % 31) };
  outbox.offer({ ...record, key: randomUUID(), document: { ...record.document, ...figures } });
}

function isKept(outbox: Outbox, number: number): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = systemClock.after(LIMIT_MS, () => resolve(false));
    const settle = (isDone: boolean) => {
      cancel();
      resolve(isDone);
    };
    outbox.append([outcome(number, Date.now())]).then(
      () => settle(true),
      () => settle(false),
    );
  });
}
