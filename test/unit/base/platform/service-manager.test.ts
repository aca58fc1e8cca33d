// What systemd hears of us, on a virtual clock; the real messenger against a real socket is part of the packaging
// tests.
import { expect, test } from 'vitest';
import { silentLog } from '../../../../src/base/log.ts';
import { createServiceManager } from '../../../../src/base/platform/service-manager.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

function manager(environment: Record<string, string>) {
  const clock = createVirtualClock();
  const heard: { atMs: number; state: string }[] = [];
  const notify = async (state: string) => void heard.push({ atMs: clock.monotonicMs(), state });
  return { clock, heard, manager: createServiceManager({ environment, clock, log: silentLog, notify }) };
}

const UNDER_SYSTEMD = { NOTIFY_SOCKET: '/run/systemd/notify', WATCHDOG_USEC: '90000000' };

test('without systemd nobody is told anything', async () => {
  const { manager: none, heard } = manager({});
  await none.ready();
  await none.feed(() => undefined, new AbortController().signal);
  await none.stopping();
  expect(heard).toEqual([]);
});

test('the watchdog is fed three times within its limit, and asked for a restart while something stands still', async () => {
  const { manager: systemd, heard, clock } = manager(UNDER_SYSTEMD);
  const stop = new AbortController();
  let reason: string | undefined;
  await systemd.ready();
  const fed = systemd.feed(() => reason, stop.signal);
  await clock.advance(90_000);
  const before = heard.length;
  expect(heard.filter(({ state }) => state === 'WATCHDOG=1').length).toBeGreaterThanOrEqual(3);
  reason = 'the next poll is 80 s late';
  await clock.advance(60_000);
  const asked = heard.slice(before).map(({ state }) => state);
  expect(asked).toEqual(['WATCHDOG=trigger', 'WATCHDOG=trigger']);
  reason = undefined;
  await clock.advance(30_000);
  expect(heard.slice(before + asked.length)).toMatchObject([{ state: 'WATCHDOG=1' }]);
  stop.abort();
  await clock.advance(60_000);
  await fed;
  await systemd.stopping();
  expect(heard.map(({ state }) => state).filter((state) => !state.startsWith('WATCHDOG'))).toEqual([
    'READY=1',
    'STOPPING=1',
  ]);
});

test('a messenger that fails costs a line in the log, not the agent', async () => {
  const clock = createVirtualClock();
  const systemd = createServiceManager({
    environment: UNDER_SYSTEMD,
    clock,
    log: silentLog,
    notify: () => Promise.reject(new Error('no such program')),
  });
  await expect(systemd.ready()).resolves.toBeUndefined();
});
