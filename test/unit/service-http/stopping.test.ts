// A service that stops: it accepts no new connection, tells agents that are connecting what it tells the others, never
// an error of the service, and closes the connection of a client once that has its answer.
import { once } from 'node:events';
import { connect as connectTcp } from 'node:net';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { UPLINK_PATH } from '../../../src/wire/protocol.ts';
import { halfRequest } from './half-request.ts';
import { type SteppedClock, startOwnedRig, steppedClock } from './rig.ts';
import { connect, enrol, open } from './wire-agent.ts';

/** How long the service waits for agents to answer its goodbye, and for requests to be answered. */
const CLOSE_GRACE_MS = 2_000;
const ANSWER_MS = 4_000;

/** A clock on which a wait of that length ends when the test says so. */
function clockHeld(heldMs: number) {
  const clock = steppedClock();
  const over = Promise.withResolvers<void>();
  return {
    end: over.resolve,
    clock: {
      ...clock,
      after(delayMs, run, options) {
        if (delayMs !== heldMs) return clock.after(delayMs, run, options);
        void over.promise.then(run);
        return () => {};
      },
    } satisfies SteppedClock,
  };
}

test('while the service stops it accepts no connection, and answers no agent with an error', async () => {
  const { clock, end } = clockHeld(CLOSE_GRACE_MS);
  const { rig, stop } = await startOwnedRig({ clock });
  const { hostname, port } = new URL(rig.url);
  const identity = await enrol(rig);
  // It does not read the goodbye, so the service waits for it.
  const deaf = new WebSocket(rig.url.replace('http', 'ws') + UPLINK_PATH, {
    headers: { authorization: `Bearer ${identity.agentId}.${identity.token}` },
  });
  await once(deaf, 'open');
  deaf.pause();
  const agent = await connect(rig);
  const late = connectTcp(Number(port), hostname);
  late.write('GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n');
  expect(String(await once(late, 'data'))).toContain('200 OK');

  const stopped = rig.service.stop();
  expect(await agent.closed).toMatchObject({ code: 1012 });
  await expect(open(rig, identity)).rejects.toThrow('ECONNREFUSED');
  late.write(
    [
      `GET ${UPLINK_PATH} HTTP/1.1\r\nhost: x\r\nconnection: upgrade\r\nupgrade: websocket\r\nsec-websocket-version: 13\r\n`,
      `sec-websocket-key: ${Buffer.alloc(16).toString('base64')}\r\n`,
      `authorization: Bearer ${identity.agentId}.${identity.token}\r\n\r\n`,
    ].join(''),
  );
  let answer = Buffer.alloc(0);
  while (!answer.includes('the service stops')) answer = Buffer.concat([answer, (await once(late, 'data'))[0]]);
  expect(answer.toString('latin1')).toMatch(/^HTTP\/1\.1 101 /);
  expect(answer.readUInt16BE(answer.indexOf('the service stops') - 2)).toBe(1012);
  late.destroy();
  end();
  await stopped;
  deaf.terminate();
  await stop();
});

test('a client that keeps its connection after the answer holds nothing up', async () => {
  const { rig, stop } = await startOwnedRig({ clock: clockHeld(ANSWER_MS).clock });
  const half = await halfRequest(rig);
  const stopped = rig.service.stop();
  await expect(rig.get('/healthz')).rejects.toThrow();
  expect(await half.finish()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  await stopped;
  await stop();
});
