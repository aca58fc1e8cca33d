// The trials of logins, driven directly on a real record in memory: what a refusal holds back, for whom, for how long,
// and what takes it back.
import { beforeEach, expect, test } from 'vitest';
import { drivers } from '../../../../drivers/index.ts';
import { LoginTrials } from '../../../../src/agent/device/login-trials.ts';
import { openTrustRecord, type TrustRecord } from '../../../../src/agent/device/trust/trust-record.ts';
import { Secret } from '../../../../src/base/secrets.ts';
import type { Driver } from '../../../../src/driver/contract.ts';
import { createVirtualClock, type VirtualClock } from '../../../support/virtual-clock.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const MAC = 'mac:02:00:00:00:00:01';
const login = (password: string) => ({ user: 'root', password: new Secret(password) });

let clock: VirtualClock;
let record: TrustRecord;
let names: Map<string, string[]>;
const driver: Pick<Driver, 'id'> = { id: 'vnish' };
const device = { ip: '10.0.0.5', driver };
beforeEach(() => {
  clock = createVirtualClock();
  record = openTrustRecord(':memory:', clock, { hostUptimeMs: () => clock.elapsedMs() });
  names = new Map();
});
/** Each as another process of this host has it: only the record is shared. */
const trials = (attempts = record.attempts) =>
  new LoginTrials(clock, { attempts, namesOf: (ip) => [`ip:${ip}`, ...(names.get(ip) ?? [])] });

/** As the link does it: it went out, and the device refused it. */
function refuse(trial: ReturnType<LoginTrials['ofFactory']>): void {
  trial.sentMs = clock.monotonicMs();
  trial.verdict = 'refused';
  trial.onVerdict?.('refused');
}

test('a configured login has a new trial per visit, until the device refuses it: then none for a day', async () => {
  const agent = trials();
  const first = agent.ofConfigured(device, login('a'), false);
  expect(agent.ofConfigured(device, login('a'), false)).not.toBe(first);
  refuse(first);
  for (const program of [agent, trials()]) {
    expect(program.ofConfigured(device, login('a'), false).verdict).toBe('refused');
    expect(program.ofConfigured(device, login('a'), true).verdict, 'for commands too').toBe('refused');
    expect(program.ofConfigured(device, login('another'), false).verdict, 'another login').toBe('unproven');
  }
  await clock.advance(23 * HOUR_MS);
  expect(agent.ofConfigured(device, login('a'), false).verdict).toBe('refused');
  await clock.advance(2 * HOUR_MS);
  expect(agent.ofConfigured(device, login('a'), false).verdict).toBe('unproven');
});

test('what was never sent was not refused', () => {
  const agent = trials();
  const trial = agent.ofConfigured(device, login('a'), false);
  trial.verdict = 'refused';
  trial.onVerdict?.('refused');
  expect(trials().ofConfigured(device, login('a'), false).verdict).toBe('unproven');
});

test('a refusal follows the MAC to another address, and not the address to another MAC', () => {
  names.set('10.0.0.5', [MAC]).set('10.0.0.6', [MAC]).set('10.0.0.7', ['mac:02:00:00:00:00:02']);
  const agent = trials();
  refuse(agent.ofConfigured(device, login('a'), false));
  expect(agent.ofConfigured({ ip: '10.0.0.6', driver }, login('a'), false).verdict).toBe('refused');
  names.set('10.0.0.5', ['mac:02:00:00:00:00:02']);
  expect(agent.ofConfigured(device, login('a'), true).verdict).toBe('unproven');
});

test('while the record cannot be written, visits wait ten minutes after a refusal and commands do not', async () => {
  const agent = trials({ ...record.attempts, last: () => undefined, begin: () => false });
  const first = agent.ofConfigured(device, login('a'), false);
  refuse(first);
  expect(agent.ofConfigured(device, login('a'), false)).toBe(first);
  expect(agent.ofConfigured(device, login('a'), true).verdict).toBe('unproven');
  refuse(agent.ofConfigured(device, login('a'), true));
  await clock.advance(10 * MINUTE_MS);
  expect(agent.ofConfigured(device, login('a'), false).verdict).toBe('unproven');
});

test('one trial of a factory login for all visits and programs', () => {
  const agent = trials();
  const trial = agent.ofFactory(device);
  expect(agent.ofFactory(device)).toBe(trial);
  expect(trial.begin?.()).toBe(true);
  expect(trials().ofFactory(device).verdict, 'another program, while this one tries').toBe('refused');
  trial.verdict = 'accepted';
  trial.onVerdict?.('accepted');
  expect(agent.ofFactory(device)).toBe(trial);
  expect(trials().ofFactory(device).verdict).toBe('accepted');
  expect(trials().ofFactory({ ip: device.ip, driver: { id: 'luxos' } }).verdict, 'another family').toBe('unproven');
});

test('a factory login is said to be accepted only where the device asked for it', () => {
  const agent = trials();
  expect(agent.isFactoryAccepted(device)).toBe(false);
  const trial = agent.ofFactory(device);
  trial.verdict = 'accepted';
  expect(agent.isFactoryAccepted(device)).toBe(false);
  trial.isTaken = true;
  expect(agent.isFactoryAccepted(device)).toBe(true);
});

test('a login that the device left without an answer waits ten seconds, a minute, then ten minutes', async () => {
  const trial = trials().ofConfigured(device, login('a'), false);
  expect(trial.isUnanswered?.(), 'it never went out').toBe(false);
  for (const pauseMs of [10_000, MINUTE_MS, 10 * MINUTE_MS, 10 * MINUTE_MS]) {
    trial.sentMs = clock.monotonicMs();
    trial.sends++;
    await clock.advance(pauseMs - 1);
    expect(trial.isUnanswered?.()).toBe(true);
    await clock.advance(1);
    expect(trial.isUnanswered?.()).toBe(false);
  }
});

test('another unit at the address: its configured logins are tried again, on disk and in memory', () => {
  const agent = trials();
  refuse(agent.ofConfigured(device, login('a'), false));
  agent.forgetRefusals('10.0.0.6', drivers);
  expect(agent.ofConfigured(device, login('a'), false).verdict).toBe('refused');
  agent.forgetRefusals(device.ip, drivers);
  expect(agent.ofConfigured(device, login('a'), false).verdict).toBe('unproven');

  const unwritable = trials({ ...record.attempts, last: () => undefined, begin: () => false });
  refuse(unwritable.ofConfigured(device, login('a'), false));
  unwritable.forgetRefusals(device.ip, drivers);
  expect(unwritable.ofConfigured(device, login('a'), false).verdict).toBe('unproven');
});

test('100,000 trials are kept, the ones that were used last', () => {
  const agent = trials({ ...record.attempts, last: () => 'none' });
  const at = (ip: string) => ({ ip, driver });
  const [kept, dropped] = [agent.ofFactory(at('kept')), agent.ofFactory(at('dropped'))];
  for (let i = 2; i < 100_000; i++) agent.ofFactory(at(`of ${i}`));
  expect(agent.ofFactory(at('kept'))).toBe(kept);
  agent.ofFactory(at('one more'));
  expect(agent.ofFactory(at('dropped'))).not.toBe(dropped);
  expect(agent.ofFactory(at('kept'))).toBe(kept);
});
