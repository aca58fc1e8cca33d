// Miners that live on a virtual clock: they go away when told to reboot, come back, warm up. They count every order
// that reached them.

import { z } from 'zod';
import type { TaskDeps } from '../../../../src/agent/tasks/contract.ts';
import type { Clock } from '../../../../src/base/clock.ts';
import { type PeerCode, PeerError } from '../../../../src/base/errors.ts';
import type { Ability } from '../../../../src/driver/contract.ts';
import type { Reading } from '../../../../src/model/reading.ts';
import type { EventRecord, TaskRecord } from '../../../../src/wire/records.ts';

export type SimMiner = {
  ip: string;
  bootedMs: number;
  /** Becomes `bootedMs` when it goes down. */
  nextBootedMs: number | undefined;
  awayFromMs: number;
  awayUntilMs: number;
  reboots: number;
  otherOrders: number;
  readonly ways: {
    /** What happens when it is told to reboot. */
    reboot: 'works' | 'ignored' | 'lost-reply' | 'lost-and-ignored' | 'dies' | 'drops-connection' | 'hangs' | PeerCode;
    /** Seconds until it goes down, and how long it stays away. */
    downAfterS: number;
    awayS: number;
    hashAfterS: number;
    hashesBefore: boolean;
    hashesAfter: boolean;
    /** `none` = it never tells its uptime. */
    clock: 'uptime' | 'system' | 'none';
    /** What it tells of its hashing after a restart, seconds after it is back. Undefined = its hashrate. */
    afterRestart: ((backForS: number) => Pick<Reading, 'hashrateHs' | 'isMining' | 'pools'>) | undefined;
  };
};

export function createSimFarm(clock: Clock, effects: { light?: Ability['effect']; firmware?: Ability['effect'] } = {}) {
  const miners = new Map<string, SimMiner>();
  const phases: string[] = [];
  const records: TaskRecord[] = [];
  const events: EventRecord[] = [];
  const orders: { readonly key: string; readonly atMs: number }[] = [];
  const world = { away: 0, mostAway: 0, reportFails: false, reach: (_ip: string) => true, abortable: true };
  const ability = (effect: Ability['effect']): Ability => ({
    effect,
    offlineS: [0, 0],
    params: z.object({ on: z.boolean().optional() }),
    act: () => Promise.reject(new Error('the task queue goes through deps.act')),
  });
  const abilities = {
    reboot: ability('once'),
    light: ability(effects.light ?? 'repeatable'),
    firmware: ability(effects.firmware ?? 'once'),
    powerMode: { ...ability('repeatable'), params: z.object({ mode: z.enum(['sleep', 'normal']) }) },
  };

  const isAway = (miner: SimMiner) => clock.elapsedMs() >= miner.awayFromMs && clock.elapsedMs() < miner.awayUntilMs;
  const countAway = () => {
    world.away = [...miners.values()].filter((miner) => clock.elapsedMs() < miner.awayUntilMs).length;
    world.mostAway = Math.max(world.mostAway, world.away);
  };

  const reboot = (miner: SimMiner) => {
    const { downAfterS, awayS } = miner.ways;
    miner.awayFromMs = clock.elapsedMs() + downAfterS * 1_000;
    miner.awayUntilMs = miner.awayFromMs + awayS * 1_000;
    miner.nextBootedMs = miner.awayUntilMs - 10_000;
    countAway();
  };

  const deps: TaskDeps = {
    find(key) {
      const miner = miners.get(key);
      return miner && { ip: miner.ip, driverId: 'sim', abilities };
    },
    mayReach: (ip) => world.reach(ip),
    async act(key, name, _params, signal) {
      const miner = miners.get(key);
      if (miner === undefined) throw new Error('no such miner');
      if (isAway(miner)) throw new PeerError('peer.unreachable', 'connect', 'soon', undefined, { wasSent: false });
      orders.push({ key, atMs: clock.elapsedMs() });
      if (name !== 'reboot') {
        miner.otherOrders++;
        return miner.ways.reboot === 'lost-reply' ? { kind: 'lost-reply' } : { kind: 'accepted', note: 'done' };
      }
      miner.reboots++;
      const { reboot: way } = miner.ways;
      if (way === 'works' || way === 'lost-reply' || way === 'drops-connection' || way === 'hangs' || way === 'dies') {
        reboot(miner);
      }
      if (way === 'dies') miner.awayUntilMs = Number.POSITIVE_INFINITY;
      // The reply takes a moment; the miner does not wait for whether we still listen.
      await clock.sleep(200, signal);
      switch (way) {
        case 'works':
        case 'ignored':
        case 'dies':
          return { kind: 'accepted' };
        case 'lost-reply':
        case 'lost-and-ignored':
          return { kind: 'lost-reply' };
        case 'drops-connection':
          throw new PeerError('peer.reset', 'read', 'soon', undefined, { wasSent: true });
        case 'hangs':
          return new Promise(() => {});
        default:
          throw new PeerError(way, 'reboot', 'never');
      }
    },
    async observe(key, signal) {
      const miner = miners.get(key);
      if (miner === undefined) throw new Error('no such miner');
      await clock.sleep(50, signal);
      if (isAway(miner)) throw new PeerError('peer.unreachable', 'connect', 'soon');
      if (miner.nextBootedMs !== undefined && clock.elapsedMs() >= miner.awayFromMs) {
        miner.bootedMs = miner.nextBootedMs;
        miner.nextBootedMs = undefined;
      }
      const uptimeS = Math.max(0, Math.floor((clock.elapsedMs() - miner.bootedMs) / 1_000));
      const { clock: kind, hashesBefore, hashesAfter, hashAfterS, afterRestart } = miner.ways;
      const hasRebooted = miner.awayUntilMs > 0 && miner.awayUntilMs <= clock.elapsedMs();
      const isHashing = hasRebooted
        ? hashesAfter && clock.elapsedMs() >= miner.awayUntilMs + hashAfterS * 1_000
        : hashesBefore;
      const told = hasRebooted ? afterRestart?.((clock.elapsedMs() - miner.awayUntilMs) / 1_000) : undefined;
      return {
        ...(told ?? { hashrateHs: isHashing ? 100e12 : 0 }),
        ...(kind === 'uptime' ? { uptimeS } : kind === 'system' ? { systemUptimeS: uptimeS } : {}),
      };
    },
    identifyTarget: () => 'itself',
    onPhase: (key, phase) => phases.push(`${key.slice(-2)} ${phase}`),
    async report(record) {
      if (world.reportFails) throw new Error('disk full');
      if (record.kind === 'event') events.push(record);
      else records.push(record);
    },
  };

  return {
    deps,
    miners,
    phases,
    records,
    events,
    orders,
    world,
    finals: () => records.filter(({ status }) => status !== 'running' && status !== 'pending'),
    add(key: string, ways: Partial<SimMiner['ways']> = {}): SimMiner {
      const miner: SimMiner = {
        ip: `10.0.0.${miners.size + 1}`,
        bootedMs: clock.elapsedMs() - 86_400_000,
        nextBootedMs: undefined,
        awayFromMs: 0,
        awayUntilMs: 0,
        reboots: 0,
        otherOrders: 0,
        ways: {
          reboot: 'works',
          downAfterS: 3,
          awayS: 90,
          hashAfterS: 200,
          hashesBefore: true,
          hashesAfter: true,
          clock: 'uptime',
          afterRestart: undefined,
          ...ways,
        },
      };
      miners.set(key, miner);
      return miner;
    },
  };
}
