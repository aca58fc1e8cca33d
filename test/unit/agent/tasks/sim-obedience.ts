// Miners on a virtual clock whose settings follow orders late, never, or at once, and which may go away for it. They
// count every order.
import { z } from 'zod';
import type { TaskDeps } from '../../../../src/agent/tasks/contract.ts';
import type { Clock } from '../../../../src/base/clock.ts';
import { PeerError } from '../../../../src/base/errors.ts';
import type { Ability, AbilityName, FirmwareImage } from '../../../../src/driver/contract.ts';
import type { Reading } from '../../../../src/model/reading.ts';

export type Obedience = {
  /** Seconds until it shows what was ordered; undefined = never. */
  obeysAfterS: number | undefined;
  /** Seconds away, from `downAfterS` on; undefined = for good. */
  awayS: number | undefined;
  downAfterS: number;
  answer: 'accepted' | 'lost-reply';
  /** Which of its facts a reading tells. */
  tells: boolean;
  tellsUptime: boolean;
  firmwareAfter: string;
  /** Restarts when it comes back. */
  restarts: boolean;
};

export type RuleOptions = Partial<
  Pick<Ability, 'effect' | 'offlineS' | 'shownWithinS' | 'fetchesItself' | 'params'>
> & { canShow?: boolean };

/** Replaces what the simulated farm does for everything but reboots. */
export function createObedient(clock: Clock, ways: Partial<Obedience> = {}, rule: RuleOptions = {}) {
  const way: Obedience = {
    obeysAfterS: 1,
    awayS: 0,
    downAfterS: 2,
    answer: 'accepted',
    tells: true,
    tellsUptime: true,
    firmwareAfter: '2.0',
    restarts: true,
    ...ways,
  };
  const bootedMs = clock.elapsedMs() - 86_400_000;
  const state = {
    orders: 0,
    params: [] as unknown[],
    looks: [] as number[],
    fresh: 0,
    orderedMs: undefined as number | undefined,
    images: [] as FirmwareImage[],
  };
  const sinceS = () => (state.orderedMs === undefined ? -1 : (clock.elapsedMs() - state.orderedMs) / 1_000);
  const isAway = () => {
    const s = sinceS();
    return way.awayS !== 0 && s >= way.downAfterS && (way.awayS === undefined || s < way.downAfterS + way.awayS);
  };
  const isObeyed = () => way.obeysAfterS !== undefined && sinceS() >= way.obeysAfterS;
  const { canShow = true, ...more } = rule;
  const ability: Ability = {
    effect: 'repeatable',
    offlineS: [0, 0],
    params: z.looseObject({}),
    act: () => Promise.reject(new Error('the task queue goes through deps.act')),
    ...(canShow ? { shows: ({ isLightOn }: Reading) => isLightOn } : {}),
    ...more,
  };
  const firmware: Ability = {
    effect: 'once',
    offlineS: [60, 600],
    params: z.strictObject({ sha256: z.string(), version: z.string().optional() }),
    act: () => Promise.reject(new Error('the task queue goes through deps.act')),
    ...more,
  };
  const abilities: Partial<Record<AbilityName, Ability>> = { light: ability, log: ability, pools: ability, firmware };

  const deps: Pick<TaskDeps, 'find' | 'act' | 'observe'> = {
    find: () => ({ ip: '10.0.0.9', driverId: 'sim', abilities }),
    async act(_key, _name, params, signal, image) {
      state.orders++;
      state.params.push(params);
      state.orderedMs = clock.elapsedMs();
      if (image !== undefined) state.images.push(image);
      await clock.sleep(200, signal);
      return way.answer === 'accepted' ? { kind: 'accepted', log: 'line\n' } : { kind: 'lost-reply' };
    },
    async observe(_key, signal, isFresh) {
      state.looks.push(Math.round(sinceS()));
      if (isFresh) state.fresh++;
      await clock.sleep(50, signal);
      if (isAway()) throw new PeerError('peer.unreachable', 'connect', 'soon');
      const hasRestarted =
        way.restarts && way.awayS !== 0 && way.awayS !== undefined && sinceS() >= way.downAfterS + way.awayS;
      const uptimeMs =
        hasRestarted && state.orderedMs !== undefined
          ? clock.elapsedMs() - state.orderedMs - (way.downAfterS + (way.awayS ?? 0)) * 1_000 + 5_000
          : clock.elapsedMs() - bootedMs;
      return {
        ...(way.tells ? { isLightOn: isObeyed(), firmwareVersion: isObeyed() ? way.firmwareAfter : '1.0' } : {}),
        ...(way.tellsUptime ? { uptimeS: Math.floor(uptimeMs / 1_000) } : {}),
      };
    },
  };
  return { deps, state, way };
}
