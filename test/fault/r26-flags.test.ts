// A day with known faults, with the agent killed, stopped and away at any second of it: what it remembers of the miner
// goes through its real database each time, and what was not written by then is forgotten. PITHEAD_SEED replays a run.
import { test } from 'vitest';
import { judge } from '../../src/agent/fleet/anomaly/judge.ts';
import { type MinerJudgement, standingOf } from '../../src/agent/fleet/anomaly/state.ts';
import { caughtUp, storedStateSchema } from '../../src/agent/fleet/stored-state.ts';
import { createMinerStateStore, minerStateMigrations } from '../../src/agent/state/miner-state-store.ts';
import { openSqlite } from '../../src/base/storage/sqlite.ts';
import { toBitmask } from '../../src/model/flags/anomaly-types.ts';
import { createVirtualClock } from '../support/virtual-clock.ts';
import { DEFAULTS, START_MS } from '../unit/agent/fleet/anomaly/fixture.ts';
import { DAY, sampleAt } from '../unit/agent/fleet/anomaly/golden-day.ts';
import { makeDir, sample } from '../unit/agent/outbox/farm-records.ts';
import { seeded } from './seeded.ts';
import { isFull, report } from './table.ts';

const DAYS = isFull ? 60 : 4;
const SEED = Number(process.env.PITHEAD_SEED ?? 20_261_121);
/** Most polls that a flag needs to come or to go: a gap delays that, and hides what was in it. */
const HOLD = 6;
const MINUTE_MS = 60_000;
/**
 * How often the agent writes what is urgent, and its samples: one that came later than that before a kill is in the
 * declared gap.
 */
const WRITE_S = 1;

const { key, document, extras } = sample(1, START_MS);

/**
 * After the sample of this minute the agent ends, killed so many seconds after it or in order, and is away for as many
 * minutes.
 */
type Break = { readonly minute: number; readonly awayMin: number; readonly killS?: number };

const losesSample = ({ killS = WRITE_S }: Break) => killS < WRITE_S;

/** Bitmask per minute; undefined where the agent did not run. */
async function runDay(path: string, breaks: readonly Break[]): Promise<(number | undefined)[]> {
  const clock = createVirtualClock(START_MS);
  const begin = () => {
    const db = openSqlite(path, [minerStateMigrations]);
    // Of processes that die, not of power: what is written is there.
    db.exec('PRAGMA synchronous = OFF');
    return { db, states: createMinerStateStore(db, clock, storedStateSchema) };
  };
  let { db, states } = begin();
  const masks: (number | undefined)[] = [];
  let judgement: MinerJudgement | undefined;
  let backAt = 0;
  for (let minute = 0; minute < DAY; minute++) {
    if (minute < backAt) masks.push(undefined);
    else {
      const before = judgement;
      judgement = judge(before, sampleAt(minute), DEFAULTS, clock.nowMs()).judgement;
      const hasMoved = before === undefined || standingOf(before) !== standingOf(judgement);
      states.note(key, { judgement, document, extras }, hasMoved);
      const ending = breaks.find((each) => each.minute === minute);
      const isLost = ending !== undefined && losesSample(ending);
      if (!isLost) await states.writeDue();
      masks.push(isLost ? undefined : toBitmask(judgement.flags.map(({ type }) => type)));
      if (ending !== undefined) {
        if (ending.killS === undefined) await states.writeAll();
        db.close();
        ({ db, states } = begin());
        const stored = (await states.load()).get(key);
        judgement = stored && caughtUp(stored, clock.nowMs() + (ending.killS ?? 0) * 1_000).judgement;
        backAt = minute + 1 + ending.awayMin;
      }
    }
    await clock.advance(MINUTE_MS);
  }
  db.close();
  return masks;
}

/** Minutes in which the flags differ: at once after a gap, and at any other time. */
function compare(breaks: readonly Break[], broken: readonly (number | undefined)[], whole: typeof broken) {
  const sum = { compared: 0, afterGap: 0, elsewhere: 0, surplus: 0 };
  for (const [minute, mask] of broken.entries()) {
    if (mask === undefined) continue;
    sum.compared++;
    if (mask === whole[minute]) continue;
    const isAfterGap = breaks.some(
      (each) =>
        (each.awayMin > 0 || losesSample(each)) && minute > each.minute && minute <= each.minute + each.awayMin + HOLD,
    );
    sum[isAfterGap ? 'afterGap' : 'elsewhere']++;
    if (!isAfterGap && (mask & ~(whole[minute] ?? 0)) !== 0) sum.surplus++;
  }
  return sum;
}

async function judgeDays(breaksOf: (random: () => number) => Break[]) {
  const dir = makeDir({ isQuick: true });
  try {
    const whole = await runDay(dir.path('whole.sqlite'), []);
    const random = seeded(SEED);
    const total = { compared: 0, afterGap: 0, elsewhere: 0, surplus: 0, breaks: 0 };
    for (let day = 0; day < DAYS; day++) {
      const breaks = breaksOf(random);
      const one = compare(breaks, await runDay(dir.path(`${day}.sqlite`), breaks), whole);
      total.breaks += breaks.length;
      for (const name of ['compared', 'afterGap', 'elsewhere', 'surplus'] as const) total[name] += one[name];
    }
    return total;
  } finally {
    dir.remove();
  }
}

const minuteOf = (random: () => number) => 5 + Math.floor(random() * (DAY - 40));

test('an agent that is killed at any second says the same flags as one that is not', async () => {
  const { compared, afterGap, elsewhere, surplus, breaks } = await judgeDays((random) =>
    Array.from({ length: 8 }, () => ({ minute: minuteOf(random), awayMin: 0, killS: random() * 60 })),
  );
  report({
    id: 'R26',
    value: `${DAYS} days, ${breaks} kills, seed ${SEED}: ${elsewhere} of ${compared} minutes with other flags, ${surplus} with flags that a restart caused; ${afterGap} where the kill took a sample with it`,
    bar: 'same flags as an unbroken run; 0 caused by restart',
    isMet: elsewhere + surplus === 0,
  });
});

test('after a gap the flags are the same again as soon as they can be', async () => {
  const { compared, afterGap, elsewhere, surplus, breaks } = await judgeDays((random) =>
    Array.from({ length: 6 }, () => {
      const isKill = random() < 0.5;
      const ending = { minute: minuteOf(random), awayMin: 1 + Math.floor(random() * 9) };
      return isKill ? { ...ending, killS: random() * 60 } : ending;
    }),
  );
  report({
    id: 'R26',
    value: `${DAYS} days, ${breaks} gaps of 1 to 9 min, half after kills, seed ${SEED}: ${elsewhere} of ${compared} minutes with other flags, ${surplus} with flags that a restart caused; ${afterGap} within the ${HOLD} polls of hold after a gap`,
    bar: 'same flags outside declared gaps; 0 caused by restart',
    isMet: elsewhere + surplus === 0,
  });
});
