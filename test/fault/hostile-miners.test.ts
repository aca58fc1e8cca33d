// Devices that lie, flood and break every protocol: nothing but declared errors comes of it, nothing grows, nothing
// blocks.
import { expect, onTestFinished, test } from 'vitest';
import { drivers, families } from '../../drivers/index.ts';
import { systemClock } from '../../src/base/clock.ts';
import { PeerError } from '../../src/base/errors.ts';
import { silentLog } from '../../src/base/log.ts';
import { Secret } from '../../src/base/secrets.ts';
import type { Driver } from '../../src/driver/contract.ts';
import { gatherEvidence } from '../../src/driver/identify.ts';
import { processorMs } from '../../src/driver/visit/costly.ts';
import { VisitMemory } from '../../src/driver/visit/memory.ts';
import { visit } from '../../src/driver/visit/visit.ts';
import { decodeReply, repairJson } from '../../src/transport/cgminer/json-fixer.ts';
import type { MinerRequest } from '../../src/transport/request.ts';
import { createTransport } from '../../src/transport/transport.ts';
import { samplesOf } from '../contract/samples.ts';
import { loopback } from '../support/loopback.ts';
import { startHostileDevice } from './hostile-process.ts';
import { BODIES, FULL, TEXTS } from './hostile-replies.ts';
import { isFull, isWithin, report } from './table.ts';

const REPLIES = isFull ? 11_000 : 500;
const AT_ONCE = 40;
const SEED = 20_261_121;
const CANARY = 'canary-of-the-login';
/** One for each that asks: what it is answered does not depend on what the others ask meanwhile. */
const { ip: ipOf } = loopback();
const ADDRESSES = Array.from({ length: AT_ONCE }, (_, i) => ipOf(i + 1));
/** For what has a deadline on top of it: the machine may be busy. What matters is that nothing goes on for ever. */
const SLACK_MS = 30_000;

const WRITES: readonly MinerRequest[] = [
  { via: 'whatsminer2-write', cmd: 'reboot', params: {} },
  { via: 'whatsminer3-write', cmd: 'set.system.reboot' },
  { via: 'http', method: 'GET', path: '/x', auth: 'digest', as: 'json' },
  { via: 'http', method: 'POST', path: '/y', auth: 'none', json: { a: 1 }, as: 'text' },
];

test(`${isFull ? '10,000' : 'some hundred'} malformed replies over every transport and driver end in a value or a declared error`, async () => {
  const device = await startHostileDevice(SEED, ADDRESSES);
  onTestFinished(() => device.stop());
  let largest = 0;
  let [crashes, undeclared, leaks, tooLate] = [0, 0, 0, 0];
  const stories: string[] = [];
  const transport = createTransport({
    clock: systemClock,
    log: silentLog,
    portMap: device.portMap,
    // What came over HTTP; the other protocols are measured by what they hand over, for their last bytes are heard
    // before they are refused.
    recorder: ({ bytes, status }) => {
      if (status !== undefined) largest = Math.max(largest, bytes.length);
    },
  });
  onTestFinished(() => transport.close());
  const onCrash = () => crashes++;
  process.on('uncaughtExceptionMonitor', onCrash);
  onTestFinished(() => void process.off('uncaughtExceptionMonitor', onCrash));

  const DEADLINE_MS = 1_000;
  const login = { user: 'root', password: new Secret(CANARY) };
  const outcomes = new Map<string, number>();
  const note = (outcome: string) => void outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  const attempt = async (what: string, limitMs: number, run: () => Promise<unknown>) => {
    const startMs = performance.now();
    try {
      await run();
      note('value');
    } catch (error) {
      note(error instanceof PeerError ? error.code : String(error));
      if (!(error instanceof PeerError)) {
        undeclared++;
        stories.push(`${what}: ${error instanceof Error ? `${error.message} <- ${error.cause}` : error}`);
      }
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
      if (error instanceof Error && (error.message.includes(CANARY) || /[\u0000-\u001f]/.test(error.message))) {
        leaks++;
        stories.push(`${what} says ${JSON.stringify(error.message)}`);
      }
    }
    if (performance.now() - startMs > limitMs + SLACK_MS) tooLate++;
  };
  const generations = (driver: Driver) => [
    ...new Set([undefined, ...Object.values(driver.asks).flatMap(({ generations = [] }) => generations)]),
  ];
  const kinds = drivers.flatMap((driver) => generations(driver).map((generation) => ({ driver, generation })));
  const kindAt = (i: number) => {
    const kind = kinds[i % kinds.length];
    if (kind === undefined) throw new Error('no driver');
    return kind;
  };
  const askOnce = async (ip: string) => {
    for (const request of WRITES)
      await attempt(request.via, DEADLINE_MS * 3, () =>
        transport.link(ip, login).send(request, { deadlineMs: DEADLINE_MS }),
      );
    const identify = () =>
      gatherEvidence(transport.link(ip), new Set([80, 4028, 4433]), { families, clock: systemClock });
    await attempt('identify', 10_000, identify);
    return WRITES.length + 4;
  };
  const worker = async (ip: string, index: number) => {
    // These ask over every protocol: each kind of answer has been sent when all have done it.
    let asked = await askOnce(ip);
    for (let i = index; asked < REPLIES / AT_ONCE; i += AT_ONCE) {
      const { driver, generation } = kindAt(i);
      const base = transport.link(ip, login);
      const link = {
        ip,
        send: async (request: MinerRequest, limits = {}) => {
          asked++;
          const answer = await base.send(request, { ...limits, deadlineMs: DEADLINE_MS });
          largest = Math.max(largest, sizeOf(answer));
          return answer;
        },
      };
      await attempt(`visit as ${driver.id}`, 6_000, () =>
        visit({
          driver,
          link,
          known: generation === undefined ? {} : { generation },
          memory: new VisitMemory(),
          rhythms: { slowMs: 1, staticMs: 1 },
          clock: systemClock,
          deadlineMs: 5_000,
        }),
      );
      if (i % kinds.length >= kinds.length - AT_ONCE) asked += await askOnce(ip);
    }
  };
  await Promise.all(ADDRESSES.map(worker));
  const seen = await device.end();
  expect(stories.slice(0, 10)).toEqual([]);
  // A run that is told little, or that ends in one way, would prove nothing.
  expect(seen.missing).toEqual([]);
  expect(seen.requests).toBeGreaterThanOrEqual(isFull ? 10_000 : 400);
  expect([...outcomes.keys()]).toContain('peer.timeout');
  expect(outcomes.size).toBeGreaterThan(1);
  report({
    id: 'S1',
    value: `${seen.requests} replies of ${seen.kinds} kinds: ${crashes} crashes, ${undeclared} undeclared errors, ${leaks} leaks, ${tooLate} without end, ${Math.ceil(largest / 1024)} KiB kept at most`,
    bar: '0 crashes, 0 undeclared, <= 256 KiB kept',
    isMet: crashes + undeclared + leaks + tooLate === 0 && largest <= FULL + 4,
  });
}, 240_000);

/** As it came, about: `nan` has become null, which is a letter longer. */
const sizeOf = (answer: unknown) =>
  typeof answer === 'string' ? answer.length : JSON.stringify(answer, (_, value) => value ?? 0).length;

/** Of the processor, the least of three: what the machine does meanwhile does not count. */
function leastMs(run: () => void): number {
  let least = Infinity;
  for (let i = 0; i < 3; i++) {
    const startMs = processorMs();
    run();
    least = Math.min(least, processorMs() - startMs);
  }
  return least;
}

/** Every copy of the answers with one value replaced. */
function* withValue(value: unknown, put: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const [i, item] of value.entries()) for (const other of withValue(item, put)) yield value.with(i, other);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value))
      for (const other of withValue(item, put)) yield { ...value, [key]: other };
  } else yield put;
}

test('the worst replies hold up the loop for no longer than promised', () => {
  let worst = { ms: 0, what: '' };
  const note = (what: string, run: () => void) => {
    const startMs = performance.now();
    run();
    // Measured again only when it may matter.
    const ms = performance.now() - startMs < worst.ms ? 0 : leastMs(run);
    if (ms > worst.ms) worst = { ms, what };
  };
  const read = (driver: Driver, raw: Readonly<Record<string, unknown>>, known: object) => void driver.read(raw, known);
  for (const [name, bytes] of Object.entries(BODIES)) {
    const body = bytes.subarray(0, FULL);
    note(`parse ${name}`, () => void repairJson(body));
    const value = repairJson(body)?.value;
    const text = decodeReply(body).text;
    for (const driver of drivers) {
      for (const answer of [value, text]) {
        const raw = Object.fromEntries(Object.keys(driver.asks).map((ask) => [ask, answer]));
        note(`${driver.id} reads ${name}`, () => read(driver, raw, {}));
      }
      const evidence = { family: undefined, version: text, devdetails: text, whatsminer3: value };
      note(`${driver.id} identifies ${name}`, () => void driver.identify(evidence));
    }
  }
  for (const unit of TEXTS) {
    const text = unit.repeat(FULL / unit.length);
    const web = { status: 200, location: text, authenticate: text, body: text };
    const evidence = { family: undefined, version: text, devdetails: text, web, api4028: web };
    note(`tell the family by ${JSON.stringify(unit)}`, () => void families.familyOf(evidence));
    for (const driver of drivers) {
      const raw = Object.fromEntries(Object.keys(driver.asks).map((ask) => [ask, text]));
      note(`${driver.id} reads ${JSON.stringify(unit)}`, () => read(driver, raw, {}));
      note(`${driver.id} identifies ${JSON.stringify(unit)}`, () => void driver.identify(evidence));
    }
  }
  // Every single value, each long enough to show a pattern that grows faster than its input.
  for (const driver of drivers) {
    for (const sample of samplesOf(driver).slice(0, isFull ? 3 : 1)) {
      for (const unit of isFull ? TEXTS : [' ', 'a']) {
        const text = unit.repeat((isFull ? 32_000 : 16_000) / unit.length);
        for (const raw of withValue(sample.raw, text)) {
          if (typeof raw !== 'object' || raw === null) continue;
          note(`${driver.id} reads ${JSON.stringify(unit)} in one place`, () => read(driver, { ...raw }, sample.known));
        }
      }
    }
  }
  report({
    id: 'S1',
    value: `longest block ${worst.ms.toFixed(1)} ms (${worst.what})`,
    bar: '<= 100 ms',
    isMet: isWithin(worst.ms, 100),
  });
});
