// An agent's client of devices on a small network of devices that a test plays: with a configured login, a record of
// trust, and what the network would say.
import { onTestFinished } from 'vitest';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { parseConfig } from '../../src/agent/config/config.ts';
import { systemClock } from '../../src/base/clock.ts';
import { SCAN_PORTS } from '../../src/driver/identify.ts';
import { freshClient } from '../support/fresh-client.ts';
import { freshTrust } from '../support/fresh-trust.ts';
import type { Loopback } from '../support/loopback.ts';
import { type Act, startActor } from './actor.ts';
import { sightingsOf } from './sightings.ts';

export const CANARY = { user: 'canary-user', password: 'canary-Pa55word', token: 'canary-token' };
/** For all devices of a network. */
export const ruleFor = ({ network }: Loopback) => ({
  logins: [{ range: network, user: CANARY.user, password: 'env:CANARY' }],
});

/** Names itself on TCP, and takes any login on its page for a token. */
export const innosilicon: Act = {
  tcp: (text) =>
    text.includes('version')
      ? JSON.stringify({ STATUS: [{ STATUS: 'S' }], VERSION: [{ API: '3.7', Miner: 'INNOMINER' }] })
      : JSON.stringify({ STATUS: [{ STATUS: 'E' }] }),
  web: ({ path }) => ({ body: path === '/api/auth' ? `{"jwt":"${CANARY.token}"}` : '{"success":true}' }),
};
/** Proves nothing, and says that each session is over. */
export const collector: Act = {
  web: ({ path }) => ({
    body: path === '/api/auth' ? '{"jwt":"x"}' : '{"success":false,"token":"expired"}',
  }),
};

export async function playedSite({ network, ip: ipOf }: Loopback, credentials: object) {
  const portMap = await suitablePortMap();
  const settings = { stateDir: '.', networks: [network], portMap, credentials };
  const environment = { CANARY: CANARY.password };
  const config = parseConfig(JSON.stringify(settings), { baseDir: '.', environment, name: 'played' });
  const macs = new Map<string, string>();
  const neighbourAt = (ip: string) => {
    const mac = macs.get(ip);
    return mac === undefined ? undefined : { mac, isShared: false };
  };
  const trust = { ...freshTrust(), neighbourAt };
  let laterMs = 0;
  const clock = { ...systemClock, monotonicMs: () => systemClock.monotonicMs() + laterMs };
  const client = freshClient({ clock, config, trust });
  onTestFinished(() => client.close());
  const signal = new AbortController().signal;
  return {
    ...{ client, trust, macs, signal },
    /** A minute later. */
    passMinute() {
      laterMs += 60_000;
    },
    async actor(last: number, act: Act) {
      const actor = await startActor(ipOf(last), portMap, act);
      onTestFinished(() => actor.stop());
      return actor;
    },
    async meet(ip: string) {
      const found = await client.recognise(ip, new Set<number>(SCAN_PORTS), signal);
      if (found.status === 'unknown') throw new Error(`nobody knows what ${ip} is`);
      return found.target;
    },
    /** However it ends. */
    poll: (target: Parameters<typeof client.read>[0]) => client.read(target, signal).catch(() => undefined),
  };
}

export const secretsIn = (text: string) => sightingsOf(CANARY, { heard: text });
