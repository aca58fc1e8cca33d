// How a person and the updater reach each other on Windows: the bundle lies there before the request, what becomes of
// it is told, what nobody takes up is taken back; and what the service host says is understood or refused.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { updateByHand } from '../../../../src/cli/update/by-hand.ts';
import { bundlePath, currentLink, linkTo, requestPath, windowsPlaces } from '../../../../src/update/install/layout.ts';
import { type Outcome, openNotes } from '../../../../src/update/install/notes.ts';
import { peMachine } from '../../../../src/update/install/try-program.ts';
import { createWindowsHost, readUnit } from '../../../../src/update/windows/host.ts';
import { tempFolder } from '../../update/release.ts';

const PATIENCE = { readyMs: 45_000, stableMs: 20_000 };

function createInstallation() {
  const folder = tempFolder();
  const places = windowsPlaces({ ProgramData: join(folder, 'data'), ProgramFiles: join(folder, 'programs') });
  mkdirSync(join(places.programs, 'versions', '1.0.0'), { recursive: true });
  linkTo(places, currentLink(places), '1.0.0');
  const bundle = join(folder, 'a.bundle');
  writeFileSync(bundle, 'bundle');
  let timeMs = 0;
  const steps: string[] = [];
  const begin = (onSleep: () => void, signal = new AbortController().signal) => {
    const clock = {
      ...systemClock,
      monotonicMs: () => timeMs,
      sleep: async (delayMs: number) => {
        signal.throwIfAborted();
        timeMs += delayMs;
        onSleep();
      },
    };
    const order = {
      bundle,
      again: true,
      withoutDrivers: true,
      patience: PATIENCE,
      onStep: (step: string) => void steps.push(step),
    };
    return updateByHand(places, order, { clock, signal });
  };
  return { folder, places, bundle, steps, begin };
}

const outcomeFor = (task_id: string): Outcome => ({
  ...{ result: 'updated', message: '', from: '1.0.0', to: '1.1.0', sha256: null, task_id },
  ...{ started_at: '', finished_at: '', without_proof_ms: 7 },
});

test('what is handed over is complete, and its steps and its end are told', async () => {
  const { places, steps, begin } = createInstallation();
  const notes = openNotes(places.notes);
  notes.setOutcome(outcomeFor('another'));
  const journal = { from: '1.0.0', to: '1.1.0', sha256: null, started_ms: 0, switched_ms: null, reason: null };
  let looks = 0;
  const outcome = await begin(() => {
    const request = JSON.parse(readFileSync(requestPath(places.requests), 'utf8'));
    expect(request.by_hand).toEqual({ again: true, without_drivers: true, ready_ms: 45_000, stable_ms: 20_000 });
    expect(readFileSync(bundlePath(places.requests), 'utf8')).toBe('bundle');
    looks += 1;
    if (looks === 1) notes.setJournal({ ...journal, step: 'trying', task_id: request.task_id });
    if (looks === 3) notes.setJournal({ ...journal, step: 'watching', task_id: request.task_id });
    if (looks === 4) notes.setOutcome(outcomeFor(request.task_id));
  });
  expect(outcome).toMatchObject({ result: 'updated', without_proof_ms: 7 });
  expect(steps).toEqual(['trying', 'watching']);
});

test('what nobody takes up is taken back, and the person hears what to look at', async () => {
  const { places, begin } = createInstallation();
  await expect(begin(() => {})).rejects.toThrow('sc.exe start pithead');
  expect([requestPath(places.requests), bundlePath(places.requests)].map((path) => existsSync(path))).toEqual([
    false,
    false,
  ]);
});

test('after Ctrl-C nothing is begun, and what was begun goes on', async () => {
  const { places, begin } = createInstallation();
  const first = new AbortController();
  await expect(begin(() => first.abort(), first.signal)).rejects.toThrow('nothing was begun');
  expect(existsSync(requestPath(places.requests))).toBe(false);
  const second = new AbortController();
  const takeUp = () => {
    rmSync(requestPath(places.requests));
    second.abort();
  };
  await expect(begin(takeUp, second.signal)).rejects.toThrow('goes on');
});

test('one at a time, and only where it is installed', async () => {
  const { places, begin } = createInstallation();
  mkdirSync(places.requests, { recursive: true });
  writeFileSync(requestPath(places.requests), '{}');
  await expect(begin(() => {})).rejects.toThrow('another update waits');
  writeFileSync(currentLink(places), '');
  await expect(begin(() => {})).rejects.toThrow('not installed');
});

test('the words of the service host', async () => {
  expect(readUnit('active running 2 4711')).toEqual({ active: 'active', sub: 'running', restarts: 2, pid: 4711 });
  expect(readUnit('activating auto-restart 1 0').sub).toBe('auto-restart');
  for (const line of ['', 'ok', 'what', 'active running 2', 'active running x 1'])
    expect(() => readUnit(line)).toThrow('service host');
  const asked: string[] = [];
  const { places } = createInstallation();
  const ask = async (order: string) => {
    asked.push(order);
    return order === 'stop' ? 'what' : 'ok';
  };
  let version = '0.9.0';
  let serving: boolean | undefined;
  const host = createWindowsHost(places, ask, {
    isServing: async () => serving,
    runningVersion: async () => version,
    saveDatabases: async () => {},
    restoreDatabases: async () => {},
  });
  await host.start();
  await expect(host.stop()).rejects.toThrow('stop the service');
  expect(asked).toEqual(['start', 'stop']);
  // The version before may still answer; where the agent runs alone, that the new one answers is enough.
  expect(await host.isServing()).toBe(false);
  version = '1.0.0';
  expect(await host.isServing()).toBe(true);
  serving = false;
  expect(await host.isServing()).toBe(false);
});

test('a program for Windows is known by its head, and its processor too', () => {
  const head = Buffer.alloc(4_096);
  head.write('MZ');
  head.writeUInt32LE(0x80, 0x3c);
  head.write('PE\0\0', 0x80, 'latin1');
  head.writeUInt16LE(0x8664, 0x84);
  expect(peMachine(head)).toBe(0x8664);
  head.writeUInt32LE(4_094, 0x3c);
  expect(peMachine(head)).toBeUndefined();
  expect(peMachine(Buffer.from('\x7fELF'.padEnd(4_096)))).toBeUndefined();
});
