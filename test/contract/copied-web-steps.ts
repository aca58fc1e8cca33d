// What each make that copied Bitmain's web is put through, on a simulated device of its own family: a lost board and a
// lost fan, the light, a wrong password, other pools.
import { expect } from 'vitest';
import type { Device } from '../../fixtures/farm/farm.ts';
import type { Driver } from '../../src/driver/contract.ts';
import type { MinerLink } from '../../src/transport/request.ts';
import { refusalOf } from '../unit/drivers/fake-link.ts';
import type { acting } from './acting.ts';

type Miner = ReturnType<typeof acting>;

export const TWO_POOLS = [
  { url: 'stratum+tcp://new-a.example:3333', user: 'farm.x', password: 'y' },
  { url: 'stratum+tcp://new-b.example:443', user: 'farm.z', password: 'y' },
] as const;

/** A board that died is gone, the others keep their rates, and the fan that stopped is told as it is. */
export async function losesBoardAndFan({ look, withFault }: Miner, device: Device): Promise<void> {
  const before = device.truth().hashboards.length;
  await withFault(device, 'board-dead', () =>
    withFault(device, 'fan-stopped', async () => {
      const { boards, fans } = await look(device);
      expect(boards?.length ?? 0).toBe(before - 1);
      expect(boards?.map(({ hashrateHs }) => hashrateHs) ?? []).toEqual(
        device.truth().hashboards.map(({ hashrate }) => expect.closeTo(hashrate ?? 0, -6)),
      );
      expect(fans).toEqual(device.truth().fans);
    }),
  );
}

/** The light goes on and off, and is seen; a yes that does nothing is seen, and an order whose answer was lost. */
export async function switchesLight(miner: Miner, device: Device): Promise<void> {
  for (const on of [true, false]) {
    expect(await miner.act(device, 'light', { on })).toEqual({ kind: 'accepted', note: on ? 'B000' : 'B100' });
    expect(await miner.shown(device, 'light', { on })).toBe(true);
    expect(await miner.shown(device, 'light', { on: !on })).toBe(false);
  }
  await miner.withFault(device, 'ignores-writes', async () => {
    expect(await miner.act(device, 'light', { on: true })).toEqual({ kind: 'accepted', note: 'B000' });
    expect(await miner.shown(device, 'light', { on: true })).toBe(false);
  });
  expect(await miner.actUnheard(device, 'light', { on: true })).toEqual({ kind: 'lost-reply' });
  expect(await miner.shown(device, 'light', { on: true })).toBe(true);
  await miner.act(device, 'light', { on: false });
}

/** Every action tells a wrong password as such. `stranger`: a link that has one. */
export async function refusesStranger({ abilities }: Driver, stranger: MinerLink): Promise<void> {
  for (const [name, ability] of Object.entries(abilities)) {
    const pools = [{ url: 'stratum+tcp://a.example:1', user: 'w' }];
    const refused = ability.act(stranger, { on: true, mode: 'sleep', pools }, {});
    expect(await refusalOf(refused), name).toBe('peer.auth');
  }
}

/** Pools are replaced and seen, nothing else changes, and they are not written twice. */
export async function replacesPools({ ability, act, shown }: Miner, device: Device): Promise<void> {
  const order = { pools: TWO_POOLS };
  expect(await shown(device, 'pools', order)).toBe(false);
  const { light_on, mining_mode, hashboards } = device.truth();
  expect(await act(device, 'pools', order)).toMatchObject({ kind: 'accepted' });
  expect(device.truth().pools.map(({ url, worker_id }) => [url, worker_id])).toEqual(
    TWO_POOLS.map(({ url, user }) => [url, user]),
  );
  expect(device.truth()).toMatchObject({
    light_on,
    mining_mode,
    hashboards: hashboards.map(({ chip_frequency }) => ({ chip_frequency })),
  });
  expect(await shown(device, 'pools', order)).toBe(true);
  expect(await act(device, 'pools', order)).toEqual({ kind: 'accepted', note: 'they were so already' });
  expect(ability('pools').params.safeParse({ pools: [...TWO_POOLS, ...TWO_POOLS] }).success).toBe(false);
}

/** A yes that does nothing shows; a no is a matter of permission, and to a `stranger` one of the password. */
export async function refusesPools(miner: Miner, device: Device, stranger: MinerLink): Promise<void> {
  const order = { pools: TWO_POOLS };
  await miner.findsOut(device, 'pools', order);
  await miner.forbids(device, 'pools', order);
  expect(await refusalOf(miner.actOver(stranger, 'pools', order))).toBe('peer.auth');
}
