import { expect, test } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { runUntilStopped } from '../../../src/cli/run/run-loop.ts';

test('what is broken is stopped, and ends with a code that has the service manager start it anew', async () => {
  const broken = new AbortController();
  let stops = 0;
  const ended = runUntilStopped(
    { environment: {}, signal: new AbortController().signal },
    { log: silentLog, broken: broken.signal, stop: async () => void stops++ },
  );
  broken.abort('the database of the service is damaged');
  await expect(ended).rejects.toMatchObject({
    exitCode: 1,
    message: 'ended, to begin anew: the database of the service is damaged',
  });
  expect(stops).toBe(1);
});

test('a signal to stop is no failure', async () => {
  const stop = new AbortController();
  const running = { log: silentLog, broken: new AbortController().signal, stop: async () => {} };
  const ended = runUntilStopped({ environment: {}, signal: stop.signal }, running);
  stop.abort();
  await expect(ended).resolves.toBeUndefined();
});
