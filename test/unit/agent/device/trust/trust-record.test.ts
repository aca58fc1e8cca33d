// What this host remembers of trust: over restarts, between processes, bounded, and honest where it cannot remember.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type MetDevice, openTrustRecord, TRUST_FILE } from '../../../../../src/agent/device/trust/trust-record.ts';

const HOUR_MS = 3_600_000;
const WHO = ['ip:10.0.0.5', 'mac:02:00:00:00:00:01'];
let folder = '';
let nowMs = 0;
/** What the wall clock is ahead of the time that passes. */
let setMs = 0;
/** When the host was started. */
let bootedMs = 0;
/** What waits for its time. */
let timers: { readonly atMs: number; readonly run: () => void }[] = [];
const clock = {
  nowMs: () => nowMs + setMs,
  monotonicMs: () => nowMs,
  elapsedMs: () => nowMs,
  after(delayMs: number, run: () => void) {
    const timer = { atMs: nowMs + delayMs, run };
    timers.push(timer);
    return () => {
      timers = timers.filter((each) => each !== timer);
    };
  },
};
const pass = (ms: number) => {
  nowMs += ms;
  for (const timer of timers.filter(({ atMs }) => atMs <= nowMs)) timer.run();
};
const uptimeMs = () => nowMs - bootedMs;
const open = (hostUptimeMs = uptimeMs) => openTrustRecord(join(folder, TRUST_FILE), clock, { hostUptimeMs });

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-trust-'));
  nowMs = 1_000 * HOUR_MS;
  setMs = 0;
  timers = [];
  bootedMs = 900 * HOUR_MS;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const device = (ip: string, more: Partial<MetDevice> = {}): MetDevice => ({
  ...{ ip, family: 'antminer-stock', driver: 'antminer-stock', confidence: 'sure', model: 'S19', realm: 'r' },
  ...{
    networkMac: null,
    mac: null,
    serialNumber: null,
    tlsKey: null,
    why: 'new',
    isCovered: true,
    sinceMs: nowMs,
    seenAtMs: nowMs,
  },
  ...more,
});

test('a refusal holds for a day, for the MAC and for the address, over restarts and for every process', () => {
  const agent = open();
  expect(agent.attempts.begin(WHO, 'antminer-stock')).toBe(true);
  const command = open();
  expect(command.attempts.begin(WHO, 'antminer-stock'), 'while it is being tried').toBe(false);
  agent.attempts.settle(WHO, 'antminer-stock', 'refused');
  agent.close();
  const next = open();
  for (const who of WHO) expect(next.attempts.last([who], 'vnish')).toBe('refused');
  expect(next.attempts.begin(['ip:10.0.0.6', 'mac:02:00:00:00:00:01'], 'antminer-stock')).toBe(false);
  nowMs += 23 * HOUR_MS;
  expect(next.attempts.begin(WHO, 'antminer-stock')).toBe(false);
  nowMs += 2 * HOUR_MS;
  expect(next.attempts.last(WHO, 'antminer-stock')).toBe('none');
  expect(next.attempts.begin(WHO, 'antminer-stock')).toBe(true);
  next.close();
  command.close();
});

/** A refusal of now, by a process that ends. */
function refuse(hostUptimeMs = uptimeMs) {
  const record = open(hostUptimeMs);
  expect(record.attempts.begin(WHO, 'vnish')).toBe(true);
  record.attempts.settle(WHO, 'vnish', 'refused');
  record.close();
}
/** What a process that starts now knows of it. */
function lastSaid(hostUptimeMs = uptimeMs) {
  const record = open(hostUptimeMs);
  const last = record.attempts.last(WHO, 'vnish');
  if (last === 'refused') expect(record.attempts.begin(WHO, 'vnish')).toBe(false);
  record.close();
  return last;
}
/** A process that looks each minute. */
function runFor(hours: number, hostUptimeMs = uptimeMs) {
  const record = open(hostUptimeMs);
  for (let minute = 0; minute <= hours * 60; minute++) {
    record.attempts.last(WHO, 'vnish');
    if (minute < hours * 60) nowMs += HOUR_MS / 60;
  }
  record.close();
}

test.each([
  ['on', 25],
  ['on by years', 50_000],
  ['back', -25],
  ['back by years', -50_000],
])('a wall clock that is set %s makes a refusal neither shorter nor longer', (_, hours) => {
  refuse();
  const running = open();
  expect(running.attempts.last(WHO, 'vnish')).toBe('refused');
  setMs = hours * HOUR_MS;
  nowMs += 60_000;
  expect(running.attempts.last(WHO, 'vnish')).toBe('refused');
  expect(running.attempts.begin(WHO, 'vnish')).toBe(false);
  expect(lastSaid()).toBe('refused');
  nowMs += 23 * HOUR_MS;
  expect(lastSaid()).toBe('refused');
  nowMs += 2 * HOUR_MS;
  expect(lastSaid()).toBe('none');
  expect(running.attempts.last(WHO, 'vnish')).toBe('none');
  running.close();
});

test('a restart that one program ordered is known to the next, by the MAC at another address, too', () => {
  const command = open();
  expect(command.commandRestarts.of(WHO, 5_000_000)).toEqual([]);
  expect(command.commandRestarts.note(WHO)).toBe(true);
  command.close();
  pass(HOUR_MS);
  const agent = open();
  const startedMs = 5_000_000 - HOUR_MS;
  const last = [{ startedMs, finishedMs: startedMs }];
  expect(agent.commandRestarts.of(WHO, 5_000_000)).toEqual(last);
  expect(agent.commandRestarts.of(['ip:10.0.0.77', 'mac:02:00:00:00:00:01'], 5_000_000)).toEqual(last);
  expect(agent.commandRestarts.of(['ip:10.0.0.77'], 5_000_000)).toEqual([]);
  agent.close();
});

test('a restart of the host shortens no refusal, and what a process has seen of it counts', () => {
  runFor(1);
  refuse();
  runFor(10);
  // Off for two days, and the clock with it.
  nowMs += 48 * HOUR_MS;
  setMs = 7 * HOUR_MS;
  bootedMs = nowMs - 60_000;
  expect(lastSaid()).toBe('refused');
  runFor(13);
  expect(lastSaid()).toBe('refused');
  runFor(2);
  expect(lastSaid()).toBe('none');
});

test('one restart of the host a day holds no refusal for ever', () => {
  refuse();
  let days = 0;
  while (days < 10 && lastSaid() === 'refused') {
    nowMs += 12 * HOUR_MS;
    bootedMs = nowMs;
    runFor(8);
    days++;
  }
  expect([days, lastSaid()]).toEqual([4, 'none']);
});

test('where the uptime of the host stands still, the time of the processes counts', () => {
  const still = () => 42;
  refuse(still);
  runFor(23, still);
  expect(lastSaid(still)).toBe('refused');
  runFor(2, still);
  expect(lastSaid(still)).toBe('none');
});

test('a refusal that another process wrote holds no shorter', () => {
  const still = () => 42;
  const agent = open(still);
  agent.attempts.last(WHO, 'vnish');
  nowMs += 9 * 60_000;
  const command = open(still);
  expect(command.attempts.begin(WHO, 'vnish')).toBe(true);
  command.close();
  nowMs += 24 * HOUR_MS - 1;
  expect(agent.attempts.last(WHO, 'vnish')).toBe('refused');
  nowMs += HOUR_MS;
  expect(agent.attempts.last(WHO, 'vnish')).toBe('none');
  agent.close();
});

test('a success is kept for that family; a try that told nothing counts for nothing', () => {
  const record = open();
  record.attempts.begin(WHO, 'vnish');
  record.attempts.settle(WHO, 'vnish', 'accepted');
  expect(record.attempts.last(WHO, 'vnish')).toBe('accepted');
  expect(record.attempts.last(WHO, 'iceriver')).toBe('none');
  const other = ['ip:10.0.0.9'];
  record.attempts.begin(other, 'vnish');
  record.attempts.settle(other, 'vnish', undefined);
  expect(record.attempts.last(other, 'vnish')).toBe('none');
  record.close();
});

test('a process that dies while it tries has tried', () => {
  const record = open();
  record.attempts.begin(WHO, 'vnish');
  record.close();
  const next = open();
  expect(next.attempts.last(WHO, 'vnish')).toBe('refused');
  next.close();
});

test('what a person accepts in one process is known in the other within a second', () => {
  const agent = open();
  agent.met(device('10.0.0.5', { networkMac: '02:00:00:00:00:01' }));
  agent.flush();
  const name = 'mac:02:00:00:00:00:01';
  expect(agent.pinNamed(name)).toBeUndefined();
  const command = open();
  command.accept(command.devices());
  command.close();
  nowMs += 1_000;
  expect(agent.pinNamed(name)).toMatchObject({ ip: '10.0.0.5', family: 'antminer-stock', isVouchedFor: false });
  expect(agent.device('10.0.0.5')?.why).toBeNull();
  agent.forget(agent.allPins());
  expect(agent.pinNamed(name)).toBeUndefined();
  expect(agent.devices()).toEqual([]);
  agent.close();
});

const ipsIn = (record: ReturnType<typeof open>) => record.devices().map(({ ip }) => ip);
const addresses = (count: number) =>
  Array.from({ length: count }, (_, n) => `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`);

test('devices are written together, a second after the first of them was met', () => {
  const agent = open();
  const other = open();
  agent.met(device('10.0.0.5'));
  pass(900);
  agent.met(device('10.0.0.6'));
  expect(ipsIn(other)).toEqual([]);
  expect(agent.device('10.0.0.6')?.ip).toBe('10.0.0.6');
  pass(100);
  expect(ipsIn(other)).toEqual(['10.0.0.5', '10.0.0.6']);
  expect(timers).toEqual([]);
  agent.close();
  other.close();
});

test('500 of them do not wait, nor do they when somebody reads, when a login is tried, or at the end', () => {
  const agent = open();
  const other = open();
  for (const ip of addresses(500)) agent.met(device(ip));
  expect(ipsIn(other)).toHaveLength(500);
  agent.met(device('10.9.0.1'));
  expect(ipsIn(agent)).toHaveLength(501);
  expect(ipsIn(other)).toHaveLength(501);
  agent.met(device('10.9.0.2'));
  agent.attempts.begin(WHO, 'vnish');
  expect(ipsIn(other)).toHaveLength(502);
  agent.met(device('10.9.0.3'));
  agent.close();
  expect(ipsIn(other)).toHaveLength(503);
  other.close();
});

test('an attempt is on disk before its login is sent, and so is what came of it', () => {
  const agent = open();
  agent.attempts.begin(WHO, 'vnish');
  const other = open();
  for (const record of [other, agent]) expect(record.attempts.last(WHO, 'vnish')).toBe('refused');
  agent.attempts.settle(WHO, 'vnish', 'accepted');
  pass(1_000);
  expect(other.attempts.last(WHO, 'vnish')).toBe('accepted');
  expect(agent.attempts.last(WHO, 'vnish')).toBe('accepted');
  agent.close();
  other.close();
});

test('what a person says in another process of a device that waits to be written goes before it', () => {
  const agent = open();
  const [first, second] = [device('10.0.0.5'), device('10.0.0.6')];
  agent.met(first);
  agent.met(second);
  agent.flush();
  agent.met({ ...first, model: 'S21' }, first);
  agent.met({ ...second, model: 'S21' }, second);
  const command = open();
  command.accept([first]);
  command.forget([], [second]);
  pass(1_000);
  expect(command.devices().map(({ ip, why, model }) => [ip, why, model])).toEqual([['10.0.0.5', null, 'S19']]);
  agent.met({ ...first, why: null, model: 'S21' }, agent.device('10.0.0.5'));
  agent.close();
  expect(command.devices().map(({ ip, why, model }) => [ip, why, model])).toEqual([['10.0.0.5', null, 'S21']]);
  command.close();
});

test('a disk that refuses keeps none of them for ever: they are written when it takes them again', () => {
  const agent = openTrustRecord(join(folder, 'later', TRUST_FILE), clock);
  agent.met(device('10.0.0.5'));
  pass(1_000);
  expect(agent.fault()).toContain('does not exist');
  mkdirSync(join(folder, 'later'));
  pass(31_000);
  expect(ipsIn(agent)).toEqual(['10.0.0.5']);
  agent.close();
});

test('a disk that takes no more takes away nothing that is known, and adds nothing', () => {
  const record = open();
  record.accept([device('10.0.0.5', { networkMac: '02:00:00:00:00:01' })]);
  record.attempts.begin(WHO, 'vnish');
  record.attempts.settle(WHO, 'vnish', 'accepted');
  const other = new DatabaseSync(join(folder, TRUST_FILE));
  for (const table of ['attempt', 'device', 'pin'])
    other.exec(`CREATE TRIGGER refuse_${table} BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'no space'); END`);
  expect(record.accept([device('10.0.0.6')])).toBe(false);
  expect(record.fault()).toContain('no space');
  expect(record.pinNamed('mac:02:00:00:00:00:01')).toMatchObject({ ip: '10.0.0.5' });
  expect(record.attempts.last(WHO, 'vnish')).toBe('accepted');
  // One that was not tried before would have to be written first.
  expect(record.attempts.last(['ip:10.0.0.9'], 'vnish')).toBeUndefined();
  expect(record.attempts.begin(['ip:10.0.0.9'], 'vnish')).toBe(false);
  for (const table of ['attempt', 'device', 'pin']) other.exec(`DROP TRIGGER refuse_${table}`);
  other.close();
  pass(31_000);
  expect(record.fault()).toBeUndefined();
  expect(record.accept([device('10.0.0.6')])).toBe(true);
  expect(record.attempts.begin(['ip:10.0.0.9'], 'vnish')).toBe(true);
  record.close();
});

test('of more than twice the largest farm the oldest are forgotten', () => {
  const record = open();
  for (const [n, ip] of addresses(52_000).entries()) record.met(device(ip, { seenAtMs: n }));
  const found = record.devices().map(({ seenAtMs }) => seenAtMs);
  expect(found.length).toBeLessThanOrEqual(51_000);
  expect(Math.min(...found)).toBeGreaterThanOrEqual(1_000);
  expect(found).toContain(51_999);
  record.close();
});

test('who took over the address of another has its own pin, and the other keeps his', () => {
  const record = open();
  record.accept([device('10.0.0.5', { networkMac: '02:00:00:00:00:01' })]);
  record.accept([device('10.0.0.5', { networkMac: '02:00:00:00:00:02' })]);
  expect(record.allPins().map(({ name }) => name)).toEqual(['mac:02:00:00:00:00:01', 'mac:02:00:00:00:00:02']);
  record.accept([device('10.0.0.7')]);
  record.accept([device('10.0.0.7', { serialNumber: 's' })]);
  expect(record.allPins().map(({ name }) => name)).not.toContain('ip:10.0.0.7');
  record.close();
});

test('without a file that can be used there is no attempt, no pin, and a reason', () => {
  writeFileSync(
    join(folder, TRUST_FILE),
    'this is no database, and it is longer than a header of one would be '.repeat(9),
  );
  const record = open();
  expect(record.attempts.last(WHO, 'vnish')).toBeUndefined();
  expect(record.attempts.begin(WHO, 'vnish')).toBe(false);
  expect(record.pinAt('10.0.0.5')).toBeUndefined();
  expect(record.accept([device('10.0.0.5')])).toBe(false);
  expect(record.fault()).toContain(TRUST_FILE);
  rmSync(join(folder, TRUST_FILE));
  nowMs += 31_000;
  expect(record.fault()).toBeUndefined();
  expect(record.attempts.begin(WHO, 'vnish')).toBe(true);
  record.close();
  const nowhere = openTrustRecord(join(folder, 'no', 'such', TRUST_FILE), clock);
  expect(nowhere.attempts.begin(WHO, 'vnish')).toBe(false);
  expect(nowhere.fault()).toContain('does not exist');
});
