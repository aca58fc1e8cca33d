import { describe, expect, test } from 'vitest';
import { type Driver, defineDriver, get, tcp } from '../../../src/driver/kit/index.ts';
import { VisitMemory } from '../../../src/driver/visit/memory.ts';
import { type Visit, visit } from '../../../src/driver/visit/visit.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { fakeLink, peerError, takes } from './fake-link.ts';

const toy = defineDriver({
  id: 'toy',
  make: 'Toy',
  covers: [],
  asks: {
    fast: { every: 'poll', ...tcp('fast') },
    second: { every: 'poll', ...tcp('second'), insteadOf: 'fast' },
    slow: { every: 'slow', ...get('/slow', 'digest') },
    fixed: { every: 'static', ...get('/static', 'digest') },
    only2: { every: 'poll', ...tcp('only2'), generations: ['two'] },
  },
  login: { kind: 'digest' },
  identify: () => undefined,
  read: ({ fast, second, slow, fixed }) => ({
    make: undefined,
    isMining: undefined,
    hashrateHs: second.number('hashrate', { min: 0 }) ?? fast.number('hashrate', { min: 0 }),
    uptimeS: fast.number('uptime', { min: 0 }),
    hostname: slow.text('host'),
    firmwareVersion: fixed.text('fw'),
  }),
});

const good = { fast: { hashrate: 5, uptime: 1_000 }, '/slow': { host: 'a' }, '/static': { fw: '1' } };

function setUp(script: Record<string, unknown> = good, change: Partial<Visit> = {}) {
  const clock = createVirtualClock();
  const link = fakeLink(clock, { ...script });
  const memory = new VisitMemory();
  const plan: Visit = {
    driver: toy,
    link,
    known: { generation: 'one' },
    memory,
    rhythms: { slowMs: 300_000, staticMs: 3_600_000 },
    clock,
    deadlineMs: 10_000,
    ...change,
  };
  const go = async () => {
    link.asked.length = 0;
    return clock.finish(visit(plan));
  };
  return { clock, link, memory, plan, go };
}

describe('what is asked', () => {
  test('everything at first, then only what is due, and what is kept is still told', async () => {
    const { link, go, clock } = setUp();
    expect((await go()).answered).toEqual(['fast', 'slow', 'fixed']);
    await clock.advance(60_000);
    const next = await go();
    expect(link.asked).toEqual(['fast']);
    expect(next.reading).toEqual({ hashrateHs: 5, uptimeS: 1_000, hostname: 'a', firmwareVersion: '1' });
    await clock.advance(240_000);
    await go();
    expect(link.asked).toEqual(['fast', '/slow']);
  });

  test('asks of another generation are left out; a device of unknown generation is asked everything', async () => {
    const one = setUp();
    await one.go();
    expect(one.link.asked).not.toContain('only2');
    const all = setUp({ ...good, only2: {} }, { known: {} });
    await all.go();
    expect(all.link.asked).toContain('only2');
  });

  test('a substitute is asked only when the first was refused, and then in its place', async () => {
    const refused = { ...good, fast: peerError('peer.unsupported', 'never'), second: { hashrate: 7 } };
    const { link, go, clock } = setUp(refused);
    expect((await go()).reading.hashrateHs).toBe(7);
    await clock.advance(60_000);
    const next = await go();
    expect(link.asked).toEqual(['second']);
    expect(next.failed.map(({ ask }) => ask)).toEqual(['fast']);
    await clock.advance(400_000);
    await go();
    expect(link.asked).toEqual(expect.arrayContaining(['fast', 'second']));
  });

  test('a restart makes the settled facts be asked again', async () => {
    const { link, go, clock } = setUp();
    await go();
    link.script.fast = { hashrate: 1, uptime: 30 };
    await clock.advance(60_000);
    await go();
    await clock.advance(60_000);
    await go();
    expect(link.asked).toEqual(['fast', '/slow', '/static']);
  });

  test('hashing that stops or begins makes the slow facts be asked again, once: the mode is among them', async () => {
    const { link, go, clock } = setUp();
    const visits = async () => {
      const asked: string[][] = [];
      for (let minute = 0; minute < 3; minute++) {
        await clock.advance(60_000);
        await go();
        asked.push([...link.asked]);
      }
      return asked;
    };
    await go();
    link.script.fast = { hashrate: 0, uptime: 1_000 };
    expect(await visits()).toEqual([['fast'], ['fast', '/slow'], ['fast']]);
    link.script.fast = { hashrate: 5, uptime: 1_000 };
    expect(await visits()).toEqual([['fast'], ['fast', '/slow'], ['fast']]);
  });

  test('so they are where only the clock of the system is told', async () => {
    const read: Driver['read'] = (raw, known) => {
      const { reading, ...rest } = toy.read(raw, known);
      const { uptimeS, ...others } = reading;
      return { ...rest, reading: { ...others, ...(uptimeS !== undefined && { systemUptimeS: uptimeS }) } };
    };
    const { link, go, clock } = setUp(good, { driver: { ...toy, read } });
    await go();
    link.script.fast = { hashrate: 1, uptime: 30 };
    await clock.advance(60_000);
    await go();
    await clock.advance(60_000);
    await go();
    expect(link.asked).toEqual(['fast', '/slow', '/static']);
  });

  test('an offline spell makes the settled facts be asked again, also when a visit was cut short', async () => {
    const abort = new AbortController();
    const { link, go, clock, plan } = setUp();
    await go();
    link.script.fast = takes(99_000, {});
    const silent = visit({ ...plan, signal: abort.signal });
    await clock.advance(10);
    abort.abort();
    await expect(clock.finish(silent)).rejects.toMatchObject({ family: 'cancelled' });
    link.script = { ...good };
    await go();
    expect(link.asked).toEqual(['fast', '/slow', '/static']);
    await go();
    expect(link.asked).toEqual(['fast']);
  });

  test('miners that were first seen together do not ask for settled facts together again', async () => {
    const againAfterS = async (phase: number) => {
      const { link, go, clock } = setUp(good, { memory: new VisitMemory(phase) });
      await go();
      for (let minute = 1; minute <= 120; minute++) {
        await clock.advance(60_000);
        await go();
        if (link.asked.includes('/static')) return minute;
      }
      return undefined;
    };
    expect(await againAfterS(0)).toBe(54);
    expect(await againAfterS(0.5)).toBe(39);
    expect(await againAfterS(0.99)).toBe(25);
  });

  test('one question at a time', async () => {
    const slowly = Object.fromEntries(Object.entries(good).map(([name, answer]) => [name, takes(50, answer)]));
    const one = setUp(slowly);
    await one.go();
    expect(one.link.maxAtOnce).toBe(1);
  });

  test('the pause between two requests is kept', async () => {
    const { go } = setUp(good, { driver: { ...toy, quirks: { gapMs: 50 } } });
    expect((await go()).elapsedMs).toBe(3 + 2 * 50);
  });
});

describe('what goes wrong', () => {
  test('a refused login loses what it would have told and nothing else, and is not tried at each visit', async () => {
    const { link, go, clock } = setUp({ ...good, '/slow': peerError('peer.auth', 'never') });
    const outcome = await go();
    expect(outcome.isLoginRefused).toBe(true);
    expect(outcome.reading).toEqual({ hashrateHs: 5, uptimeS: 1_000, firmwareVersion: '1' });
    await clock.advance(60_000);
    const next = await go();
    expect(link.asked).toEqual(['fast']);
    expect(next.isLoginRefused).toBe(true);
  });

  test('a passing failure is tried again at the next visit and the kept answer stands for it', async () => {
    const { link, go, clock } = setUp();
    await go();
    link.script['/slow'] = peerError('peer.reset', 'soon');
    await clock.advance(300_000);
    expect((await go()).reading.hostname).toBe('a');
    await clock.advance(15_000);
    await go();
    expect(link.asked).toContain('/slow');
  });

  test('a kept answer is dropped when it is three rhythms old', async () => {
    const { link, go, clock } = setUp();
    await go();
    link.script['/slow'] = peerError('peer.reset', 'soon');
    await clock.advance(890_000);
    expect((await go()).reading.hostname).toBe('a');
    await clock.advance(20_000);
    expect((await go()).reading).not.toHaveProperty('hostname');
  });

  test('an answer without sense is told as such, and the last good one stands', async () => {
    const { link, go, clock } = setUp();
    await go();
    link.script['/slow'] = ['nonsense'];
    await clock.advance(300_000);
    const outcome = await go();
    expect(outcome.unparsable).toEqual(['slow']);
    expect(outcome.reading.hostname).toBe('a');
  });

  test('nothing answered: the most telling failure is thrown, and the next visit asks everything', async () => {
    const { link, go, clock } = setUp();
    await go();
    link.script = { fast: peerError('peer.unreachable'), '/slow': peerError('peer.timeout', 'soon') };
    await clock.advance(60_000);
    await expect(go()).rejects.toMatchObject({ code: 'peer.unreachable' });
    link.script = { fast: takes(99_000, {}), '/slow': peerError('peer.auth', 'never'), '/static': takes(99_000, {}) };
    await expect(go()).rejects.toMatchObject({ code: 'peer.auth' });
    link.script = { ...good };
    await go();
    expect(link.asked.toSorted()).toEqual(['/slow', '/static', 'fast']);
  });

  test('a device that lets nobody in is asked no more than usual, and everything once it does: it may be another one', async () => {
    const refused = peerError('peer.auth', 'never');
    const { link, go, clock } = setUp();
    await go();
    link.script = { fast: refused, second: refused, '/slow': refused, '/static': refused };
    for (let visit = 0; visit < 3; visit++) {
      await clock.advance(60_000);
      await expect(go()).rejects.toMatchObject({ code: 'peer.auth' });
      expect(link.asked).toEqual(['fast', 'second']);
    }
    link.script = { ...good, '/slow': { host: 'b' }, '/static': { fw: '2' } };
    await clock.advance(60_000);
    expect((await go()).reading).toEqual({ hashrateHs: 5, uptimeS: 1_000, hostname: 'b', firmwareVersion: '2' });
    expect(link.asked).toEqual(['fast', '/slow', '/static']);
    await clock.advance(60_000);
    await go();
    expect(link.asked).toEqual(['fast']);
  });

  test('only nonsense answered is a failure, not an empty reading', async () => {
    await expect(setUp({ fast: '<html>', '/slow': 1 }).go()).rejects.toMatchObject({ code: 'peer.unparsable' });
  });

  test('the deadline holds for the whole visit, and one hanging ask leaves time for the others', async () => {
    const hanging = takes(99_000, {});
    const { go } = setUp({ ...good, fast: hanging, second: hanging, only2: hanging });
    const outcome = await go();
    expect(outcome.answered).toEqual(['slow', 'fixed']);
    expect(outcome.elapsedMs).toBeLessThanOrEqual(10_002);
    expect(outcome.failed.map(({ error }) => error.code)).toEqual(['peer.timeout', 'peer.timeout']);
  });

  test('a closed server is asked at once', async () => {
    const { go, link } = setUp({ '/slow': good['/slow'], '/static': good['/static'] }, { known: {} });
    const { failed } = await go();
    expect(link.asked).toEqual(['fast', '/slow', '/static']);
    expect(failed.map(({ ask, error }) => [ask, error.code])).toEqual([
      ['fast', 'peer.refused'],
      ['only2', 'peer.refused'],
      ['second', 'peer.refused'],
    ]);
  });

  test('an abort ends it and sends nothing more', async () => {
    const abort = new AbortController();
    const { clock, plan, link } = setUp({ ...good, fast: takes(1_000, {}) }, { signal: abort.signal });
    const running = visit(plan);
    await clock.advance(10);
    abort.abort();
    await expect(clock.finish(running)).rejects.toMatchObject({ family: 'cancelled' });
    await clock.advance(5_000);
    expect(link.asked).toEqual(['fast']);
  });

  test('a driver that throws is a bug of ours, said as such', async () => {
    const broken: Driver = {
      ...toy,
      read() {
        throw new TypeError('x is not a function');
      },
    };
    await expect(setUp(good, { driver: broken }).go()).rejects.toMatchObject({ code: 'bug' });
  });

  test('a field outside its range is lost, not the reading', async () => {
    const wrong: Driver = { ...toy, read: () => ({ reading: { hashrateHs: -1, powerW: 3_000 }, unparsable: [] }) };
    const { reading, unparsable } = await setUp(good, { driver: wrong }).go();
    expect(reading).toEqual({ powerW: 3_000 });
    expect(unparsable).toEqual(['reading.hashrateHs']);
  });
});

test('an answer too large to keep is asked for each time', async () => {
  const { link, go, clock } = setUp({ ...good, '/slow': { host: 'a', padding: 'x'.repeat(70_000) } });
  await go();
  await clock.advance(30_000);
  await go();
  expect(link.asked).toContain('/slow');
});

test('a reading that takes too much of the processor counts as none, and nothing of it is kept', async () => {
  let spentMs = 0;
  const cost = { ms: 0 };
  const slow: Driver = {
    ...toy,
    read(raw, known) {
      spentMs += cost.ms;
      return toy.read(raw, known);
    },
  };
  const { go, memory } = setUp(good, { driver: slow, processorMs: () => spentMs });
  cost.ms = 1_001;
  await expect(go()).rejects.toMatchObject({ code: 'peer.costly', retry: 'never', tookMs: 1_001 });
  expect(memory.isStale).toBe(true);
  cost.ms = 1_000;
  expect((await go()).reading).toMatchObject({ hashrateHs: 5, hostname: 'a', firmwareVersion: '1' });
});
