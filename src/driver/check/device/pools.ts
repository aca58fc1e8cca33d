// Check of lists of pools of every length on simulated devices: what is accepted stands in the device, whole and in
// order; what it has no place for is refused before anything is sent.
import { PeerError } from '../../../base/errors.ts';
import type { PoolTruth } from '../../../model/simulated/truth.ts';
import type { Ability } from '../../contract.ts';
import { type Check, type Problem, problem } from '../finding.ts';
import { type DeviceSubject, type Kind, until, watched } from './bench.ts';
import { poolOf } from './command.ts';
import { mayChange } from './may-change.ts';

/** The most that a task may name. */
const MOST = 8;

const wantedOf = (count: number) => Array.from({ length: count }, (_, nth) => poolOf(`pool-${nth + 1}`));

/** Devices with a list of fixed length repeat the last one. */
const namesOf = (pools: readonly Pick<PoolTruth, 'url'>[]): string =>
  [...new Set(pools.map(({ url }) => url))].join(' ');

async function problemOf(
  subject: DeviceSubject,
  kind: Kind,
  { act, params }: Ability,
  count: number,
): Promise<Problem[]> {
  const { bench, driver, folder } = subject;
  const wanted = wantedOf(count);
  const checked = params.safeParse({ pools: wanted });
  // The core asks the schema before anything else.
  if (!checked.success) return [];
  const device = bench.take(kind);
  const before = JSON.stringify(device.truth());
  const link = watched(bench.link(device));
  const place = `${kind.family} ${kind.model}, ${count} pools`;
  const many = `refuse more pools than the device has places with peer.unsupported before anything is sent (\`pools\` in ${folder})`;
  let outcome: string;
  try {
    outcome = (await act(link, checked.data, await bench.known(kind))).kind;
  } catch (error) {
    if (!(error instanceof PeerError)) throw error;
    outcome = error.code;
  }
  if (outcome === 'accepted' || outcome === 'lost-reply') {
    const isThere = await until(bench.patienceMs, () => namesOf(device.truth().pools) === namesOf(wanted));
    return isThere ? [] : [problem(`${place}: ${outcome}, and the device has ${namesOf(device.truth().pools)}`, many)];
  }
  const sent = link.sent.filter((request) => mayChange(driver, request));
  const isChanged = JSON.stringify(device.truth()) !== before || sent.length > 0;
  if (isChanged) return [problem(`${place}: ${outcome} after something was sent`, many)];
  bench.giveBack(kind, device);
  return outcome === 'peer.unsupported' ? [] : [problem(`${place}: refused with ${outcome}`, many)];
}

export const poolPlaces: Check<DeviceSubject> = {
  name: 'device-pools',
  owes: `any number of pools from 1 to ${MOST}: all of them set, or refused unsent`,
  async run(subject) {
    const { bench, driver, exceptions } = subject;
    const { pools } = driver.abilities;
    if (pools === undefined) return [];
    const found: Problem[] = [];
    const able = bench.kinds.filter(({ family }) => exceptions.families?.[family]?.lacks?.pools === undefined);
    for (const kind of able.filter((each, nth) => able.findIndex(({ family }) => family === each.family) === nth))
      for (let count = 1; count <= MOST; count++) found.push(...(await problemOf(subject, kind, pools, count)));
    return found;
  },
};
