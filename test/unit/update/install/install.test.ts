// Whatever the new version does and whenever the updater is killed: in the end there is a version that works, and a
// broken one is tried once.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { publicHalf } from '../../../../packaging/release/sign.ts';
import type { UnitState, UpdateHost } from '../../../../src/update/install/healthy.ts';
import { install, recover, type UpdateParts } from '../../../../src/update/install/install.ts';
import { linkedVersion, linkTo, type Places, programOf } from '../../../../src/update/install/layout.ts';
import { openNotes, STEPS, type Step } from '../../../../src/update/install/notes.ts';
import { bundleIn, NOW, root, tempFolder } from '../release.ts';

/** What a version does once it is started. */
type Behaviour = 'works' | 'crashes' | 'never-ready' | 'crashes-later' | 'deaf' | 'alien' | 'migrates-and-crashes';

/** A host with 1.0.0 installed and running; `behaviour` is that of any other version. */
function createHost(behaviour: Behaviour, system: Places['system'] = 'linux') {
  const folder = tempFolder();
  const places = {
    system,
    programs: join(folder, 'lib'),
    notes: join(folder, 'notes'),
    requests: join(folder, 'requests'),
  };
  mkdirSync(join(places.programs, 'versions', '1.0.0'), { recursive: true });
  writeFileSync(programOf(places, '1.0.0'), 'old');
  for (const link of ['current', 'proven']) linkTo(places, join(places.programs, link), '1.0.0');
  let timeMs = 0;
  const clock = {
    nowMs: () => NOW + timeMs,
    monotonicMs: () => timeMs,
    elapsedMs: () => timeMs,
    after: () => () => {},
    sleep: async (delayMs: number) => {
      timeMs += delayMs;
    },
  };
  const world = { running: '1.0.0' as string | undefined, startedMs: 0, data: 1, copy: 0, calls: [] as string[] };
  const now = () => linkedVersion(join(places.programs, 'current'));
  const state = (): UnitState => {
    const { running } = world;
    if (running === undefined) return { active: 'inactive', sub: 'dead', restarts: 0, pid: 0 };
    const up = { active: 'active', sub: 'running', restarts: 0, pid: 7 };
    const restarting = { active: 'activating', sub: 'auto-restart', restarts: 1, pid: 0 };
    if (running === '1.0.0') return world.data === 1 ? up : restarting;
    switch (behaviour) {
      case 'crashes':
      case 'migrates-and-crashes':
        return restarting;
      case 'never-ready':
        return { active: 'activating', sub: 'start', restarts: 0, pid: 7 };
      case 'crashes-later':
        return timeMs - world.startedMs > 10_000 ? { ...up, restarts: 1, pid: 8 } : up;
      default:
        return up;
    }
  };
  const host: UpdateHost = {
    async start() {
      world.calls.push('start');
      world.running = now();
      world.startedMs = timeMs;
      if (world.running !== '1.0.0' && behaviour === 'migrates-and-crashes') world.data = 2;
    },
    async stop() {
      world.calls.push('stop');
      world.running = undefined;
    },
    unit: async () => state(),
    isServing: async () => (world.running === '1.0.0' ? true : behaviour !== 'deaf'),
    async tryProgram(path) {
      world.calls.push(`try ${readFileSync(path).length}`);
      if (behaviour === 'alien') throw new Error('exec format error');
    },
    async saveDatabases() {
      expect(world.running).toBeUndefined();
      world.copy = world.data;
    },
    async restoreDatabases() {
      expect(world.running).toBeUndefined();
      if (world.copy !== 0) world.data = world.copy;
    },
  };
  const steps: Step[] = [];
  let hang: Step | undefined;
  const parts = (): UpdateParts => ({
    places,
    notes: openNotes(places.notes),
    host,
    clock,
    patience: { readyMs: 45_000, stableMs: 20_000 },
    pins: { roots: [publicHalf(root)], minSequence: 0 },
    target: 'linux-x64',
    onStep(step) {
      steps.push(step);
      return step === hang ? new Promise(() => {}) : undefined;
    },
  });
  return {
    ...{ folder, places, world, host, steps, parts, clock },
    killAt: (step: Step | undefined) => {
      hang = step;
    },
    links: () => ['current', 'proven'].map((link) => linkedVersion(join(places.programs, link))),
    versions: () => readdirSync(join(places.programs, 'versions')).toSorted(),
    isWorking: () => state().active === 'active' && world.running === now(),
  };
}
const order = (bundle: string) => ({ bundle, taskId: 't-1' });

test('a version that works becomes the current and the proven one; the one before stays beside it', async () => {
  const host = createHost('works');
  const outcome = await install(host.parts(), order(await bundleIn(host.folder)));
  expect(outcome).toMatchObject({ result: 'updated', from: '1.0.0', to: '1.1.0', task_id: 't-1' });
  expect(host.links()).toEqual(['1.1.0', '1.1.0']);
  expect(host.isWorking()).toBe(true);
  expect(host.steps).toEqual(STEPS.filter((step) => step !== 'returning'));
  // The next one takes away the oldest.
  await install(host.parts(), order(await bundleIn(host.folder, { version: '1.2.0' })));
  expect(host.versions()).toEqual(['1.1.0', '1.2.0']);
  expect(host.parts().notes.journal()).toBeUndefined();
});

test('a version that refuses drivers of this host is not installed, unless a person gives them up', async () => {
  const host = createHost('works');
  const refusing = { origin: '/etc/pithead/drivers/toy.mjs', reason: 'is written for version 1 of the kit' };
  const broken = { origin: '/etc/pithead/drivers/old.mjs', reason: 'spins' };
  host.host.refusedDrivers = async (path) => (path === programOf(host.places, '1.0.0') ? [broken] : [broken, refusing]);
  const bundle = await bundleIn(host.folder);
  expect(await install(host.parts(), order(bundle))).toMatchObject({
    result: 'refused',
    message: expect.stringContaining('/etc/pithead/drivers/toy.mjs (is written for version 1 of the kit)'),
  });
  expect(host.versions()).toEqual(['1.0.0']);
  expect(host.world.calls.filter((call) => call === 'stop')).toEqual([]);
  expect(host.parts().notes.broken()).toEqual([]);
  expect(await install(host.parts(), { ...order(bundle), withoutDrivers: true })).toMatchObject({ result: 'updated' });
});

test('a version that takes the drivers which the one before takes is installed', async () => {
  const host = createHost('works');
  host.host.refusedDrivers = async () => [{ origin: '/etc/pithead/drivers/old.mjs', reason: 'spins' }];
  expect(await install(host.parts(), order(await bundleIn(host.folder)))).toMatchObject({ result: 'updated' });
});

test('who is killed while the service is started again after a failed copy leaves that to be done', async () => {
  const host = createHost('works');
  const { start } = host.host;
  host.host.saveDatabases = () => Promise.reject(new Error('no space'));
  const { promise: isStarting, resolve } = Promise.withResolvers<void>();
  host.host.start = () => {
    resolve();
    return new Promise(() => {});
  };
  void install(host.parts(), order(await bundleIn(host.folder)));
  await isStarting;
  expect(host.isWorking()).toBe(false);
  host.host.start = start;
  expect(await recover(host.parts())).toMatchObject({ result: 'interrupted', to: '1.1.0' });
  expect(host.isWorking()).toBe(true);
  expect(host.versions()).toEqual(['1.0.0']);
});

describe('a version that', () => {
  test.each<[Behaviour, string, Places['system']]>([
    ['crashes', 'rolled-back', 'linux'],
    ['never-ready', 'rolled-back', 'linux'],
    ['crashes-later', 'rolled-back', 'linux'],
    ['deaf', 'rolled-back', 'linux'],
    ['migrates-and-crashes', 'rolled-back', 'linux'],
    ['alien', 'failed', 'linux'],
    ['deaf', 'rolled-back', 'windows'],
    ['migrates-and-crashes', 'rolled-back', 'windows'],
  ])('%s is taken back within 120 s, and never tried again (%s, %s)', async (behaviour, result, system) => {
    const host = createHost(behaviour, system);
    const bundle = await bundleIn(host.folder);
    const outcome = await install(host.parts(), order(bundle));
    expect(outcome).toMatchObject({ result, from: '1.0.0', to: '1.1.0' });
    expect(outcome.without_proof_ms ?? 0).toBeLessThanOrEqual(100_000);
    expect(host.links()).toEqual(['1.0.0', '1.0.0']);
    expect(host.versions()).toEqual(['1.0.0']);
    expect(host.isWorking()).toBe(true);
    host.world.calls.length = 0;
    // Signed again, it is still the same program.
    const again = await install(host.parts(), order(await bundleIn(host.folder, { version: '1.1.1' })));
    expect(again).toMatchObject({ result: 'refused', message: expect.stringContaining('did not work') });
    expect(host.world.calls).toEqual([]);
    expect((await install(host.parts(), { ...order(bundle), again: true })).result).toBe(result);
  });
});

test.each(['migrates-and-crashes', 'crashes'] as const)(
  'as long as the databases or the version before (%s) cannot be put back, that is still to be done',
  async (behaviour) => {
    const host = createHost(behaviour);
    const { restoreDatabases } = host.host;
    let failures = 2;
    host.host.restoreDatabases = async () => {
      if (failures-- > 0) throw new Error('no space left');
      return restoreDatabases();
    };
    const outcome = await install(host.parts(), order(await bundleIn(host.folder)));
    expect(outcome).toMatchObject({ result: 'rolled-back', message: expect.stringContaining('no space left') });
    expect(host.parts().notes.journal()).toMatchObject({ step: 'returning', to: '1.1.0' });
    expect(await recover(host.parts())).toMatchObject({ message: expect.stringContaining('update --recover') });
    expect(host.parts().notes.journal()?.step).toBe('returning');
    const last = await recover(host.parts());
    expect(last).toMatchObject({ result: 'rolled-back', message: expect.not.stringContaining('no space left') });
    expect(host.isWorking()).toBe(true);
    expect(host.world.data).toBe(1);
    expect(host.parts().notes.journal()).toBeUndefined();
  },
);

test('where there are no links, small files name the versions', async () => {
  const host = createHost('works', 'windows');
  const { programs } = host.places;
  expect((await install(host.parts(), order(await bundleIn(host.folder)))).result).toBe('updated');
  expect(['current', 'proven'].map((name) => readFileSync(join(programs, name), 'utf8'))).toEqual([
    '1.1.0\n',
    '1.1.0\n',
  ]);
  expect(existsSync(join(programs, 'versions', '1.1.0', 'pithead.exe'))).toBe(true);
  for (const text of ['', '..\\..\\elsewhere', '1.0', `1.0.0${'-x'.repeat(64)}`]) {
    writeFileSync(join(programs, 'current'), text);
    expect(linkedVersion(join(programs, 'current'))).toBeUndefined();
  }
});

test('what is refused changes nothing and disturbs nobody', async () => {
  const host = createHost('works');
  const outcome = await install(host.parts(), order(await bundleIn(host.folder, { version: '0.9.0' })));
  expect(outcome).toMatchObject({ result: 'refused', to: null, message: expect.stringContaining('only newer') });
  expect(host.world.calls).toEqual([]);
  expect(host.versions()).toEqual(['1.0.0']);
});

test('without room for the copy of the databases the old version goes on', async () => {
  const host = createHost('works');
  host.host.saveDatabases = () => Promise.reject(new Error('disk full'));
  const bundle = await bundleIn(host.folder);
  expect(await install(host.parts(), order(bundle))).toMatchObject({
    result: 'failed',
    message: expect.stringContaining('disk full'),
  });
  expect(host.isWorking()).toBe(true);
  expect(host.links()).toEqual(['1.0.0', '1.0.0']);
  // The disk was at fault: with room it is installed.
  host.host.saveDatabases = async () => {};
  expect((await install(host.parts(), order(bundle))).result).toBe('updated');
});

describe('killed at', () => {
  const cases = STEPS.flatMap((step) =>
    (['works', 'migrates-and-crashes'] as const).map((behaviour) => [step, behaviour, 'linux'] as const),
  );
  const onWindows = (['switching', 'watching', 'returning'] as const).map(
    (step) => [step, 'migrates-and-crashes', 'windows'] as const,
  );
  test.each([...cases, ...onWindows])('%s, with a version that %s: recovered (%s)', async (step, behaviour, system) => {
    const host = createHost(behaviour, system);
    const bundle = await bundleIn(host.folder);
    host.killAt(step);
    const killed = install(host.parts(), order(bundle));
    const ended = await Promise.race([killed, reached(host.steps, step)]);
    if (step === 'returning' && behaviour === 'works') {
      expect(ended).toMatchObject({ result: 'updated' });
      return;
    }
    host.killAt(undefined);
    const outcome = await recover(host.parts());
    expect(outcome).toMatchObject({ result: step === 'returning' ? 'rolled-back' : 'interrupted', task_id: 't-1' });
    expect(host.links()).toEqual(['1.0.0', '1.0.0']);
    expect(host.versions()).toEqual(['1.0.0']);
    expect(host.isWorking()).toBe(true);
    expect(existsSync(join(host.places.notes, 'journal.json'))).toBe(false);
    expect(await recover(host.parts())).toBeUndefined();
    // Cut short is not broken: it gets its chance, unless it had shown what it is.
    const next = (await install(host.parts(), order(bundle))).result;
    expect(next).toBe(behaviour === 'works' ? 'updated' : step === 'returning' ? 'refused' : 'rolled-back');
  });

  test('the very end, after it had proven itself: the update stands', async () => {
    const host = createHost('works');
    const parts = host.parts();
    const setOutcome = parts.notes.setOutcome;
    const killed = {
      ...parts,
      notes: {
        ...parts.notes,
        setOutcome: () => {
          throw new Error('killed');
        },
      },
    };
    await expect(install(killed, order(await bundleIn(host.folder)))).rejects.toThrow('killed');
    parts.notes.setOutcome = setOutcome;
    expect(await recover(parts)).toMatchObject({ result: 'updated' });
    expect(host.links()).toEqual(['1.1.0', '1.1.0']);
  });

  test('the recovery itself, again and again', async () => {
    const host = createHost('migrates-and-crashes');
    host.killAt('watching');
    void install(host.parts(), order(await bundleIn(host.folder)));
    await reached(host.steps, 'watching');
    host.killAt('returning');
    for (let kills = 1; kills <= 3; kills++) {
      void recover(host.parts());
      await reached(host.steps, 'returning', kills);
    }
    host.killAt(undefined);
    await recover(host.parts());
    expect(host.links()).toEqual(['1.0.0', '1.0.0']);
    expect(host.isWorking()).toBe(true);
  });
});

/** Resolves when the step has begun so many times. */
async function reached(steps: readonly Step[], step: Step, times = 1): Promise<undefined> {
  while (steps.filter((seen) => seen === step).length < times) await new Promise((resolve) => setImmediate(resolve));
  return undefined;
}
