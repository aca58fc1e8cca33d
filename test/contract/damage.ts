// Answers as devices and networks damage them, against one driver: a reading or a declared failure, no 0 that nobody
// said, in bounded time and size.
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { PeerError } from '../../src/base/errors.ts';
import type { Driver, ReadResult } from '../../src/driver/contract.ts';
import { VisitMemory } from '../../src/driver/visit/memory.ts';
import { visit } from '../../src/driver/visit/visit.ts';
import { readingSchema } from '../../src/model/reading.ts';
import type { MinerLink } from '../../src/transport/request.ts';
import { cpuMsOf } from '../support/cpu-time.ts';
import { asLinkWould } from './answers.ts';
import { mutate, numbersOf, type Random, seeded } from './mutate.ts';
import { type Sample, samplesOf } from './samples.ts';

/** `read` must not throw and its reading must be a Reading. */
export function readStrictly(driver: Driver, raw: Readonly<Record<string, unknown>>, known = {}): ReadResult {
  const result = driver.read(raw, known);
  const checked = readingSchema.safeParse(result.reading);
  if (!checked.success)
    throw new Error(`${JSON.stringify(checked.error.issues.slice(0, 3))} from ${JSON.stringify(raw).slice(0, 2_000)}`);
  return result;
}

/** Declares the tests; the same answers come first whatever the count. */
export function standsDamage(driver: Driver, mutations: number): void {
  test(`stands ${mutations} damaged answers`, () => {
    const samples = samplesOf(driver);
    const random = seeded(20_260_102);
    let slowestMs = 0;
    let largest = 0;
    for (let round = 0; round < mutations; round++) {
      const sample = samples[round % samples.length];
      if (sample === undefined) throw new Error('no sample');
      const raw = mutate(sample.raw, random);
      const costMs = cpuMsOf(() => {
        const { reading } = readStrictly(driver, raw, sample.known);
        largest = Math.max(largest, JSON.stringify(reading).length);
      });
      slowestMs = Math.max(slowestMs, costMs);
    }
    // Generous: it is there to catch what grows faster than its input.
    expect(slowestMs).toBeLessThan(1_000);
    // What a reading may keep of a hostile answer.
    expect(largest).toBeLessThan(256 * 1024);
  });

  test(`stands ${mutations} damaged bytes of answers: a reading or a declared failure, never anything else`, async () => {
    const samples = samplesOf(driver);
    const random = seeded(20_260_103);
    const outcomes = new Map<string, number>();
    for (let round = 0; round < mutations; round++) {
      const sample = samples[round % samples.length];
      if (sample === undefined) throw new Error('no sample');
      const outcome = await visitDamaged(driver, sample, random);
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
    const declared: readonly string[] = ['reading', ...LOST, 'peer.unparsable'];
    expect([...outcomes.keys()].filter((outcome) => !declared.includes(outcome))).toEqual([]);
    expect(outcomes.get('reading')).toBeGreaterThan(0);
  });

  test('makes no zero out of what is gone', () => {
    const samples = samplesOf(driver);
    const random = seeded(42);
    for (let round = 0; round < mutations / 2; round++) {
      const sample = samples[round % samples.length];
      if (sample === undefined) throw new Error('no sample');
      const before = zeros(readStrictly(driver, sample.raw, sample.known).reading);
      const damaged = structuredClone({ ...sample.raw });
      const removed = removeLeaves(damaged, random);
      const after = zeros(readStrictly(driver, damaged, sample.known).reading);
      for (const [pattern, count] of after) {
        expect(count, `${pattern} of ${driver.id} ${sample.name} without ${removed}`).toBeLessThanOrEqual(
          before.get(pattern) ?? 0,
        );
      }
    }
  });
}
/** What connections say when an answer is lost. */
const LOST = ['peer.reset', 'peer.timeout', 'peer.refused', 'peer.auth', 'peer.busy', 'peer.too-large'] as const;

/** One visit whose answers arrive whole, with damaged bytes, or not at all; says how it ends. */
async function visitDamaged(driver: Driver, { raw, known }: Sample, random: Random): Promise<string> {
  const names = new Map(Object.entries(driver.asks).map(([name, ask]) => [ask, name]));
  const link: MinerLink = {
    ip: '127.0.0.1',
    async send(request) {
      const ask = [...names.keys()].find((one) => one === request);
      const answer = ask && raw[names.get(ask) ?? ''];
      const lost = LOST[Math.floor(random() * LOST.length * 4)];
      if (ask === undefined || answer === undefined || lost !== undefined) {
        throw new PeerError(lost ?? 'peer.reset', 'ask as the test says', 'later');
      }
      const bytes = damageBytes(Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer)), random);
      const given = asLinkWould(ask, bytes);
      if (given === undefined) throw new PeerError('peer.unparsable', 'ask as the test says', 'later');
      return given;
    },
  };
  const memory = new VisitMemory();
  const rhythms = { slowMs: 300_000, staticMs: 3_600_000 };
  // No pauses: they are the devices' need, not the test's.
  const quick = { ...driver, quirks: {} };
  try {
    const { reading } = await visit({
      driver: quick,
      link,
      known,
      memory,
      rhythms,
      clock: systemClock,
      deadlineMs: 5_000,
    });
    return readingSchema.safeParse(reading).success ? 'reading' : 'an odd reading';
  } catch (error) {
    return error instanceof PeerError ? error.code : String(error);
  }
}

/** Most answers stay whole, so that the damaged ones meet others beside them. */
function damageBytes(bytes: Buffer, random: Random): Buffer {
  const at = Math.floor(random() * bytes.length);
  switch (Math.floor(random() * 10)) {
    case 0:
      return bytes.subarray(0, at);
    case 1:
      return Buffer.concat([bytes.subarray(0, at), Buffer.from([Math.floor(random() * 256)]), bytes.subarray(at + 1)]);
    case 2:
      return Buffer.concat([bytes.subarray(0, at), bytes]);
    case 3:
      return Buffer.from('<html><body>502 Bad Gateway</body></html>');
    case 4:
      return Buffer.from(bytes.toString('latin1').replaceAll('},{', '}{').replaceAll(':0,', ':nan,'), 'latin1');
    case 5:
      return Buffer.alloc(0);
    default:
      return bytes;
  }
}

/** How many zeros a reading has, by path without positions. Places in a list may be 0. */
function zeros(reading: unknown): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [path, value] of numbersOf(reading)) {
    const pattern = path.replaceAll(/\.\d+/g, '[]');
    if (value === 0 && !/\.(slot|index)$/.test(pattern)) counts.set(pattern, (counts.get(pattern) ?? 0) + 1);
  }
  return counts;
}

/** Deletes one to three values of objects, at random depth; list lengths stay. Says which. */
function removeLeaves(root: Record<string, unknown>, random: () => number): string {
  const removed: string[] = [];
  for (let times = 1 + Math.floor(random() * 3); times > 0; times--) {
    let at: object = root;
    for (let depth = 0; depth < 8; depth++) {
      const keys = Object.keys(at);
      const key = keys[Math.floor(random() * keys.length)];
      if (key === undefined) break;
      const child: unknown = Reflect.get(at, key);
      if (typeof child === 'object' && child !== null && Object.keys(child).length > 0 && random() < 0.9) {
        at = child;
      } else {
        if (!Array.isArray(at)) Reflect.deleteProperty(at, key);
        removed.push(key);
        break;
      }
    }
  }
  return removed.join(', ');
}
