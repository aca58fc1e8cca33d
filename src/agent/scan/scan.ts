// One scan: probes the ports of every address, identifies what answers, gives a second chance where one is worth it, and accounts for every
// address. Results stream. It does not remember anything between scans and reaches miners only through what it is handed.
import type { Clock } from '../../base/clock.ts';
import { PeerError } from '../../base/errors.ts';
import { parseIpv4 } from '../../base/net/ipv4.ts';
import { withDeadline } from '../../base/time/deadline.ts';
import { SCAN_PORTS, SIDE_PORTS } from '../../driver/identify.ts';
import { type ContactStatus, countedAs, noCounts, type ScanAccount } from '../../model/contact.ts';
import { Queue } from '../../transport/limits/queue.ts';
import { orderAddresses } from './address-order.ts';
import type { Identification, ScanDeps, ScanListener, ScanPlan, ScanProgress } from './plan.ts';
import { SCAN_LIMITS } from './plan.ts';
import { type AnswerTime, Door, knock, patienceMs } from './probe-ports.ts';
import { createLane, type Lane } from './worker-pool.ts';

const PROGRESS_EVERY_MS = 250;
/** What is in flight when a scan is cancelled has this long to end. */
const CANCEL_GRACE_MS = 2_000;
/** An identification that is told to stop may still hand over its answer. */
const IDENTIFY_GRACE_MS = 250;
/** The second pass is gentler: what was missed was often missed because too much was asked at once. */
const SECOND_PASS_SHARE = 4;
/** For a miner that does not answer its polls either. */
const MUTE_DEADLINE_MS = 5_000;

/**
 * Scans until every address has its class, or until `signal` aborts: then it keeps what it found and counts the rest as not reached. Resolves
 * with the account in both cases; rejects only with what a listener threw.
 */
export async function runScan<F extends Identification>(
  plan: ScanPlan,
  deps: ScanDeps<F>,
  listener: ScanListener<F>,
  signal: AbortSignal,
): Promise<ScanAccount> {
  const { clock } = deps;
  const limits = { ...SCAN_LIMITS, ...plan.limits };
  const ports = plan.ports?.length ? plan.ports : SCAN_PORTS;
  const sidePorts = plan.ports?.length ? [] : SIDE_PORTS;
  const known = new Set([...(plan.known ?? [])].flatMap((ip) => parseIpv4(ip) ?? []));
  const stops = orderAddresses(plan.ranges.ranges, known, deps.random);
  const startMs = clock.monotonicMs();
  const connectMs =
    limits.maxPerSecond === undefined ? 0 : msPerConnect(limits.maxPerSecond, ports.length + sidePorts.length);

  const counts = noCounts();
  const likely = new Map<string, number>();
  const answerTime: AnswerTime = { meanMs: 0, spreadMs: 0, count: 0 };
  const secondChance = new Set<Door<F>>();
  const lanes = new Set<Lane>();
  let phase: ScanProgress['phase'] = 'first pass';
  let probed = 0;
  let answering = 0;
  let identifying = 0;
  let unasked = 0;
  let isOver = false;
  let broken: { readonly error: unknown } | undefined;

  /** A miner that was missed is asked again with more patience. */
  const probeTimeoutMs = (door: Door<F>) =>
    (phase === 'second pass' && !isAnswering(door) ? 2 : 1) * patienceMs(answerTime, limits.probeTimeoutMs);
  const isMute = ({ ip }: Door<F>) => plan.mute?.has(ip) === true;
  const knockAt = (door: Door<F>, asked: readonly number[]) =>
    knock(door, { clock, probe: deps.probe, ports: asked, timeoutMs: probeTimeoutMs(door), signal, answerTime });

  const progress = (): ScanProgress => {
    const elapsedMs = clock.monotonicMs() - startMs;
    return {
      phase,
      toProbe: plan.ranges.toProbe,
      probed,
      identifying,
      identified: counts.identified,
      answering,
      elapsedMs,
      ...(probed > 0 && { remainingMs: Math.round((elapsedMs / probed) * (plan.ranges.toProbe - probed)) }),
    };
  };

  const settle = (door: Door<F>, status: ContactStatus) => {
    if (isOver) return;
    counts[countedAs(status)]++;
    if (status === 'silent') return;
    const { ip, range, open, found } = door;
    if (found?.status === 'likely') likely.set(found.target.driver.id, (likely.get(found.target.driver.id) ?? 0) + 1);
    try {
      listener.onContact?.({ ip, range, status, openPorts: [...open], ...(found !== undefined && { found }) });
    } catch (error) {
      isOver = true;
      throw error;
    }
  };

  const identify = async (door: Door<F>) => {
    const onDeadline = () => new PeerError('peer.timeout', `identify ${door.ip}`, 'soon');
    const deadlineMs = isMute(door) ? Math.min(MUTE_DEADLINE_MS, limits.identifyDeadlineMs) : limits.identifyDeadlineMs;
    const bounds = { deadlineMs, graceMs: IDENTIFY_GRACE_MS, signal, onDeadline };
    try {
      door.found = await withDeadline(clock, bounds, (inner) =>
        deps.identify(door.ip, door.open, inner, phase === 'second pass'),
      );
    } catch {
      if (signal.aborted) return;
    }
    door.isIdentified = true;
  };

  /** Sends doors through both stages; identification starts while probing goes on. `done` gets each door once. */
  const pass = async (next: () => Door<F> | undefined, maxIdentifying: number, done: (door: Door<F>) => void) => {
    const queue = new Queue<Door<F>>();
    const identifyLane = createLane({
      clock,
      limit: maxIdentifying,
      brake: deps.brake,
      next: () => queue.shift(),
      run: async (door) => {
        await identify(door);
        identifying--;
        if (!signal.aborted || door.isIdentified) done(door);
      },
    });
    const probeLane = createLane({
      clock,
      limit: Math.max(1, Math.floor(limits.maxSockets / ports.length)),
      paceMs: connectMs * ports.length,
      brake: deps.brake,
      next,
      run: async (door) => {
        const wasUp = isAnswering(door);
        await knockAt(door, ports);
        // A host that is up and shows none of the usual doors may still have a rare one; silent addresses cost nothing more.
        if (door.isUp && door.open.size === 0 && sidePorts.length > 0 && !signal.aborted) {
          const { hasSilentPort, isUnasked } = door;
          probeLane.charge(connectMs * sidePorts.length);
          await knockAt(door, sidePorts);
          door.hasSilentPort = hasSilentPort;
          door.isUnasked ||= isUnasked;
        }
        if (signal.aborted) return;
        if (phase === 'first pass') probed++;
        if (!wasUp && isAnswering(door)) answering++;
        if (door.isUnasked) probeLane.shrink();
        if (door.open.size === 0) return done(door);
        identifying++;
        queue.push(door);
        identifyLane.wake();
      },
    });
    lanes.clear();
    for (const lane of [probeLane, identifyLane]) {
      lanes.add(lane);
      if (signal.aborted) lane.stop();
      // Both are awaited in turn below: the second must not count as unhandled meanwhile.
      lane.drained.catch(() => probeLane.abandon());
    }
    probeLane.close();
    await probeLane.drained;
    identifyLane.close();
    await identifyLane.drained;
  };

  let cancelGrace = () => {};
  const onAbort = () => {
    for (const lane of lanes) lane.stop();
    cancelGrace = clock.after(CANCEL_GRACE_MS, () => {
      for (const lane of lanes) lane.abandon();
    });
  };
  signal.addEventListener('abort', onAbort, { once: true });
  const stopProgress = every(clock, PROGRESS_EVERY_MS, () => {
    try {
      listener.onProgress?.(progress());
    } catch (error) {
      broken = { error };
      for (const lane of lanes) lane.abandon();
    }
  });
  try {
    const nextAddress = (): Door<F> | undefined => {
      const stop = stops.next();
      return stop.done ? undefined : new Door(stop.value, known.has(stop.value.address));
    };
    await pass(nextAddress, limits.maxIdentifying, (door) => {
      if (deservesSecondChance(door) && !(isMute(door) && door.isIdentified)) secondChance.add(door);
      else conclude(door);
    });
    if (secondChance.size > 0 && !signal.aborted && broken === undefined) {
      phase = 'second pass';
      await clock.sleep(limits.secondPassAfterMs, signal).catch(() => {});
      const again = secondChance.values();
      const atOnce = Math.max(1, Math.floor(limits.maxIdentifying / SECOND_PASS_SHARE));
      await pass(
        () => again.next().value,
        atOnce,
        (door) => {
          secondChance.delete(door);
          conclude(door);
        },
      );
    }
    if (broken !== undefined) throw broken.error;
    for (const door of secondChance) conclude(door);
    phase = 'done';
    listener.onProgress?.(progress());
  } finally {
    isOver = true;
    for (const lane of lanes) lane.abandon();
    stopProgress();
    cancelGrace();
    signal.removeEventListener('abort', onAbort);
  }
  const settled = Object.values(counts).reduce((sum, count) => sum + count, 0);
  return {
    addresses: plan.ranges.addresses,
    excluded: plan.ranges.excluded,
    counts,
    ...(likely.size > 0 && { likely: Object.fromEntries([...likely].toSorted()) }),
    notReached: plan.ranges.toProbe - settled,
    elapsedMs: clock.monotonicMs() - startMs,
    isCancelled: signal.aborted,
    ...(unasked > 0 && {
      notes: [`${unasked} addresses could not be asked: this process ran out of sockets, or may not reach them`],
    }),
  };

  function conclude(door: Door<F>): void {
    const status = statusOf(door);
    if (status !== undefined) settle(door, status);
    else if (door.isUnasked) unasked++;
  }
}

/** Undefined for an address that was not asked, or answers but was not identified yet. */
function statusOf(door: Door<Identification>): ContactStatus | undefined {
  if (door.found !== undefined) return door.found.status;
  if (door.isIdentified) return 'unknown';
  if (door.open.size > 0) return undefined;
  if (door.isUp) return 'closed';
  if (door.isUnasked) return undefined;
  return door.isKnown ? 'missing' : 'silent';
}

/**
 * What gave no proof may have had no time for it. A refused login is not tried again: some firmwares lock out who asks twice. A closed port is not
 * either, unless a miner should be there.
 */
function deservesSecondChance(door: Door<Identification>): boolean {
  if (door.isUnasked) return true;
  if (door.isIdentified)
    return door.found === undefined || door.found.status === 'unknown' || door.found.status === 'likely';
  return door.isKnown || (door.isUp && door.hasSilentPort);
}

const isAnswering = (door: Door<Identification>): boolean => door.isUp || door.open.size > 0;

/** The ports of an address are asked in bursts: a second that begins and ends in the middle of one must not hold more than the rate allows either. */
const msPerConnect = (maxPerSecond: number, burst: number): number =>
  1_000 / Math.max(maxPerSecond * 0.75, maxPerSecond - 2 * burst);

function every(clock: Clock, intervalMs: number, run: () => void): () => void {
  let cancel = () => {};
  const again = () => {
    cancel = clock.after(intervalMs, () => {
      run();
      again();
    });
  };
  again();
  return () => cancel();
}
