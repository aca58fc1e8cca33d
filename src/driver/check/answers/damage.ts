// Checks with answers as devices and networks damage them: a reading or a declared failure, no 0 that no answer said,
// in bounded time and size.
import { systemClock } from '../../../base/clock.ts';
import { PeerError } from '../../../base/errors.ts';
import { readingSchema } from '../../../model/reading.ts';
import type { MinerLink } from '../../../transport/request.ts';
import type { Driver } from '../../contract.ts';
import { VisitMemory } from '../../visit/memory.ts';
import { visit } from '../../visit/visit.ts';
import { asLinkWould } from '../cases/case-file.ts';
import { type Check, type Problem, problem, type Sample, type Subject, shown } from '../finding.ts';
import { readStrictly } from '../form.ts';
import { mutate, numbersOf, type Random, seeded } from './mutate.ts';

/** Generous: it is there to catch what grows faster than its input. */
const SLOWEST_MS = 1_000;
/** What a reading may keep of a hostile answer. */
const LARGEST = 256 * 1024;

const sampled: Check<Subject> = {
  name: 'sampled',
  owes: 'answers to be tested with',
  run: ({ samples, folder }) =>
    samples.length > 0
      ? []
      : [problem('there is no answer to read', `capture a case: pithead capture <ip> --output ${folder}/cases`)],
};

/** `count` damaged sets of answers; the same come first whatever the count. */
export const damageChecks = (count: number): readonly Check<Subject>[] => [
  sampled,
  {
    name: 'damaged-answers',
    owes: 'a reading of any damaged answer, in bounded time and size',
    run: (subject) => damagedAnswers(subject, count),
  },
  {
    name: 'damaged-bytes',
    owes: 'a reading or a declared failure whatever bytes arrive',
    run: (subject) => damagedBytes(subject, count),
  },
  { name: 'no-zeros', owes: 'no 0 in place of what is gone', run: (subject) => madeZeros(subject, count) },
];

const inTurn = (samples: readonly Sample[], round: number): readonly Sample[] =>
  samples.slice(round % samples.length).slice(0, 1);

function damagedAnswers({ driver, folder, samples }: Subject, count: number): Problem[] {
  const random = seeded(20_260_102);
  for (let round = 0; round < count; round++) {
    for (const sample of inTurn(samples, round)) {
      const raw = mutate(sample.raw, random);
      const before = process.threadCpuUsage();
      const size = JSON.stringify(readStrictly(driver, raw, sample.known).reading).length;
      const { user, system } = process.threadCpuUsage(before);
      const ms = (user + system) / 1_000;
      if (ms > SLOWEST_MS)
        return [problem(`reading ${shown(raw)} took ${Math.round(ms)} ms`, `look in ${folder} for loops in loops`)];
      if (size > LARGEST)
        return [
          problem(`the reading of ${shown(raw)} has ${size} characters`, `bound the lists and texts of ${folder}`),
        ];
    }
  }
  return [];
}

async function damagedBytes({ driver, folder, samples }: Subject, count: number): Promise<Problem[]> {
  const random = seeded(20_260_103);
  const outcomes = new Set<string>();
  for (let round = 0; round < count; round++)
    for (const sample of inTurn(samples, round)) outcomes.add(await visitDamaged(driver, sample, random));
  const declared: readonly string[] = ['reading', ...LOST, 'peer.unparsable'];
  const next = `let \`read\` in ${folder} leave out the field that makes no sense and keep the others`;
  return [
    ...[...outcomes]
      .filter((each) => !declared.includes(each))
      .map((each) => problem(`a visit ended with ${each}`, next)),
    ...(samples.length > 0 && !outcomes.has('reading')
      ? [problem('no visit with damage ended with a reading', next)]
      : []),
  ];
}

function madeZeros({ driver, folder, samples }: Subject, count: number): Problem[] {
  const random = seeded(42);
  const found: Problem[] = [];
  for (let round = 0; round < count / 2; round++) {
    for (const sample of inTurn(samples, round)) {
      const before = zeros(readStrictly(driver, sample.raw, sample.known).reading);
      const damaged = structuredClone({ ...sample.raw });
      const removed = removeLeaves(damaged, random);
      const after = zeros(readStrictly(driver, damaged, sample.known).reading);
      for (const [pattern, zeroes] of after) {
        if (zeroes <= (before.get(pattern) ?? 0)) continue;
        const seen = `${sample.name} without ${removed}: ${pattern} is 0`;
        found.push(problem(seen, `let \`read\` in ${folder} leave it undefined when its field is not there`));
      }
    }
  }
  return found;
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
        throw new PeerError(lost ?? 'peer.reset', 'ask as the check says', 'later');
      }
      const bytes = damageBytes(Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer)), random);
      const given = asLinkWould(ask, bytes);
      if (given === undefined) throw new PeerError('peer.unparsable', 'ask as the check says', 'later');
      return given;
    },
  };
  const memory = new VisitMemory();
  const rhythms = { slowMs: 300_000, staticMs: 3_600_000 };
  // No pauses: they are the devices' need, not the check's.
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
