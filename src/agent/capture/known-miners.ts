// Looks at addresses where the agent knows a miner. A miner that does not answer is reported by name with the time of
// its last answer, and fast: a person waits, and a device that hangs would take the long timeouts for unknown devices.
import type { Clock } from '../../base/clock.ts';
import { PeerError } from '../../base/errors.ts';
import { lookAtClocks, wallTimeOf } from '../../base/time/clock-steps.ts';
import { withDeadline } from '../../base/time/deadline.ts';
import type { DeviceClient, Recognised } from '../device/device-client.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { MinerRegistry } from '../fleet/identity/miner-registry.ts';
import type { MinerState } from '../fleet/miner-state.ts';
import type { Contact, ScanPlan } from '../scan/plan.ts';
import type { Found, KnownMiner } from './found.ts';
import { foundOf, lookWith } from './look.ts';

/** A miner that answered its newest poll gets this long to answer its own driver once before it counts as mute. */
const ANSWER_MS = 3_000;
/** A question to the device may end a little later. */
const GRACE_MS = 300;
const MAX_NAMED = 20;
const LOST: readonly Found['status'][] = ['unknown', 'closed', 'missing'];

export function createKnownMiners(parts: {
  readonly clock: Clock;
  readonly client: DeviceClient;
  readonly fleet: Pick<Fleet, 'get' | 'all' | 'isExpectedBack'>;
  readonly tasks: { isBusy(minerKey: string): boolean };
  readonly registry: Pick<MinerRegistry, 'byIp'>;
}) {
  const { clock, client, fleet, registry, tasks } = parts;
  const stateAt = (ip: string): MinerState | undefined => fleet.get(registry.byIp(ip)?.key ?? '');

  const lastAnswerOf = ({ readAt, judgement }: MinerState): string | null => {
    const now = lookAtClocks(clock);
    const atMs = readAt ? wallTimeOf(readAt, now) : judgement?.conditions['network.contact']?.badAtMs;
    return atMs === undefined ? null : new Date(Math.min(atMs, now.wallMs)).toISOString();
  };

  const known = (ip: string): KnownMiner | undefined => {
    const entry = registry.byIp(ip);
    const state = stateAt(ip);
    if (entry === undefined || state === undefined) return undefined;
    const { key, make, model } = entry;
    const isInWork = tasks.isBusy(key) || fleet.isExpectedBack(key);
    return { make, model, driver: state.target.driver.id, since: lastAnswerOf(state), isInWork };
  };

  /** With the known miner where nothing answered, or nothing that a driver knows. */
  const named = (found: Found): Found => {
    const miner = LOST.includes(found.status) ? known(found.ip) : undefined;
    if (miner === undefined) return found;
    const isGarbled = found.status === 'unknown' && found.isMute === undefined;
    return { ...found, known: { ...miner, ...(isGarbled && { isGarbled: true as const }) } };
  };

  /** Whether its own driver gets an answer now. */
  const isAnswering = async ({ target }: MinerState, signal: AbortSignal): Promise<boolean> => {
    const onDeadline = () => new PeerError('peer.timeout', `read ${target.ip}`, 'soon');
    const bounds = { deadlineMs: ANSWER_MS, graceMs: GRACE_MS, signal, onDeadline };
    try {
      await withDeadline(clock, bounds, (inner) => client.read(target, inner, 'command', ANSWER_MS));
      return true;
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      return error.code !== 'peer.timeout' && error.code !== 'peer.reset';
    }
  };

  return {
    /** Everything that one address reports now. `plan` is of this one address. */
    async look(plan: ScanPlan, ip: string, signal: AbortSignal): Promise<Found> {
      const state = stateAt(ip);
      const isMute = state !== undefined && (isSilent(state) || !(await isAnswering(state, signal)));
      return named(await lookWith(client, isMute ? { ...plan, mute: new Set([ip]) } : plan, ip, signal));
    },
    /** Where the newest poll was not answered. */
    silentIps: (): ReadonlySet<string> =>
      new Set([...fleet.all()].flatMap((state) => (isSilent(state) ? state.target.ip : []))),
    /** What a person sees of an address of a scan. */
    shown(contact: Contact<Recognised>): Found | undefined {
      const { ip, status, openPorts } = contact;
      const found = named(foundOf(contact) ?? { ip, status, openPorts });
      return found.known === undefined ? foundOf(contact) : found;
    },
  };
}

/** A note for the account of a scan, where these count as unknown; undefined without any. */
export function muteNote(mute: readonly string[]): string | undefined {
  if (mute.length === 0) return undefined;
  const some = mute.slice(0, MAX_NAMED).join(', ') + (mute.length > MAX_NAMED ? ' and more' : '');
  const which = mute.length === 1 ? '1 known miner accepts' : `${mute.length} known miners accept`;
  return `${which} connections and answer${mute.length === 1 ? 's' : ''} nothing, counted as unknown: ${some}`;
}

const isSilent = ({ reported }: MinerState): boolean => reported?.document.last_check_succeed === false;
