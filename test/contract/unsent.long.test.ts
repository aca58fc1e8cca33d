// What a device has not is refused as unsupported, for every model that can be simulated, and nothing has gone out that
// could change anything: modes, presets, pools that are none, firmware without a file.
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { PeerError } from '../../src/base/errors.ts';
import { MODES } from '../../src/driver/check/device/command.ts';
import { mayChange } from '../../src/driver/check/device/may-change.ts';
import type { AbilityName, FirmwareImage } from '../../src/driver/contract.ts';
import { loopback } from '../support/loopback.ts';
import { type AbilityFarm, abilityFarm, KINDS, type Kind } from './ability-farm.ts';

const PER_KIND = 8;
/** Until it holds. Devices may be away for a moment. */
const soon = (work: () => void | Promise<void>): Promise<void> => vi.waitFor(work, { timeout: 30_000, interval: 20 });

let site: AbilityFarm;
beforeAll(async () => {
  site = await abilityFarm({ network: loopback(20).network, perKind: PER_KIND });
});
afterAll(() => site.stop());

/** How the order ends. Refused means: by name, and unsent. */
async function verdict(
  kind: Kind,
  name: AbilityName,
  params: object,
  image?: FirmwareImage,
): Promise<'taken' | 'refused'> {
  const ability = kind.driver.abilities[name];
  const parsed = ability?.params.safeParse(params);
  // The core asks the schema before anything else.
  if (ability === undefined || parsed?.success !== true) return 'refused';
  const known = await site.known(kind);
  const device = site.take(kind);
  const [before, { requests }] = [device.truth(), device];
  const link = site.link(device);
  try {
    await ability.act(link, parsed.data, known, image);
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    expect(error).toMatchObject({ code: 'peer.unsupported' });
    expect(error.wasSent).not.toBe(true);
    expect(link.sent.filter((request) => mayChange(kind.driver, request))).toEqual([]);
    expect({ ...device.truth(), reboots: device.reboots }).toEqual({ ...before, reboots: 0 });
    if (link.sent.length === 0) expect(device.requests).toBe(requests);
    site.giveBack(kind, device);
    return 'refused';
  }
  const { shows } = ability;
  if (shows !== undefined) {
    await soon(async () => expect(shows(await site.look(kind, device), params)).toBe(true));
  }
  return 'taken';
}

const EMPTY: FirmwareImage = { name: 'empty.bin', sha256: '0'.repeat(64), bytes: new Blob([]) };
/** They fetch their firmware by themselves. */
const FETCHING: ReadonlySet<string> = new Set(['auradine', 'luxos']);
const rows = KINDS.map((kind) => ({ ...kind, kind, id: kind.driver.id }));
const having = (name: AbilityName) => rows.filter(({ driver }) => driver.abilities[name] !== undefined);

describe.concurrent('nothing is sent', { timeout: 60_000 }, () => {
  test.each(having('powerMode'))('to $family $model for a preset that there is not', async ({ kind }) => {
    for (const params of [{ preset: 'no such preset' }, { mode: 'warp' }, {}])
      expect(await verdict(kind, 'powerMode', params)).toBe('refused');
  });

  test.each(having('powerMode'))('to $family $model for a mode that it has not; others show', async ({ kind }) => {
    for (const mode of MODES) await verdict(kind, 'powerMode', { mode });
  });

  test.each(having('firmware').filter(({ family }) => !FETCHING.has(family)))(
    'to $family $model for firmware without a file',
    async ({ kind }) => {
      for (const image of [undefined, EMPTY])
        expect(await verdict(kind, 'firmware', { version: '9.9.9' }, image)).toBe('refused');
    },
  );

  test.each(having('pools'))('to $family $model for pools that are none', async ({ kind }) => {
    const pool = { url: 'stratum+tcp://a.example:3333', user: 'a.b' };
    for (const pools of [[], [{ ...pool, url: 'no address' }], [pool, { ...pool, user: 'a\nb' }], Array(9).fill(pool)])
      expect(await verdict(kind, 'pools', { pools })).toBe('refused');
  });
});
