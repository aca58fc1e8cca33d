// What only looks like a miner is asked nothing more, until a person says what it is; a miner that is known stays one
// while its proof is missing.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { triedIn } from '../../fixtures/farm/traps.ts';
import { parseConfig } from '../../src/agent/config/config.ts';
import { isMiner } from '../../src/agent/device/recognised.ts';
import { waitingDevices } from '../../src/agent/device/trust/waiting.ts';
import { systemClock } from '../../src/base/clock.ts';
import { SCAN_PORTS } from '../../src/driver/identify.ts';
import { type Overheard, overhear } from '../../test/fault/overheard.ts';
import { freshClient } from '../../test/support/fresh-client.ts';
import { freshTrust } from '../../test/support/fresh-trust.ts';
import { loopback } from '../../test/support/loopback.ts';

const { ip } = loopback();
const [IP, BEHIND] = [ip(2), ip(130)];
const signal = new AbortController().signal;
let farm: Farm;
let heard: Overheard;
let portMap: Awaited<ReturnType<typeof suitablePortMap>>;
beforeAll(async () => {
  portMap = await suitablePortMap();
  farm = await startFarm({ network: `${BEHIND}/32`, miners: 1, mix: { iceriver: 1 }, seed: 6, noise: 0, portMap });
  heard = await overhear(new Map([[IP, BEHIND]]), portMap);
});
beforeEach(() => {
  heard.forget();
  for (const device of farm.devices) device.setFault('guarded', true);
});
afterAll(async () => {
  await heard.stop();
  await farm.stop();
});

function clientWith(driverOnRecord?: string) {
  const trust = freshTrust();
  const settings = { networks: [IP], portMap, credentials: { trust: 'network' } };
  const config = parseConfig(JSON.stringify(settings), { baseDir: '.', environment: {}, name: 'likely' });
  const client = freshClient({ config, trust, driverOnRecord: () => driverOnRecord });
  return { client, trust };
}
const tried = () => triedIn(heard.texts()[IP] ?? '');
const open = new Set<number>(SCAN_PORTS);

test('it gets the questions of a scan and nothing else, and becomes a miner by the word of a person', async () => {
  const { client, trust } = clientWith();
  try {
    const found = await client.recognise(IP, open, signal);
    expect([found.status, tried()]).toEqual(['likely', { logins: 0, writes: 0 }]);
    const waiting = waitingDevices(trust.record, systemClock.nowMs());
    expect(waiting).toMatchObject([{ ip: IP, family: 'iceriver', why: 'no-proof' }]);
    expect(trust.record.accept(waiting, 'iceriver')).toBe(true);
    const accepted = await client.recognise(IP, open, signal);
    expect(isMiner(accepted) && accepted.outcome?.reading.mac?.replaceAll('-', ':')).toBe(farm.devices[0]?.truth().mac);
  } finally {
    await client.close();
  }
});

test('a miner that is known there is read on as what it was', async () => {
  const { client } = clientWith('iceriver');
  try {
    const found = await client.recognise(IP, open, signal);
    expect(isMiner(found) && [found.target.driver.id, found.identity.confidence]).toEqual(['iceriver', 'likely']);
    // Without a proof it gets no password, also now.
    expect(tried().logins).toBe(0);
  } finally {
    await client.close();
  }
});

test('one that gives its proof is a miner at once', async () => {
  for (const device of farm.devices) device.setFault('guarded', false);
  const { client } = clientWith();
  try {
    const found = await client.recognise(IP, open, signal);
    expect([found.status, isMiner(found) && found.identity.confidence]).toEqual(['identified', 'sure']);
  } finally {
    await client.close();
  }
});
