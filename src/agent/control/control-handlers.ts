// What the running agent does for callers at its control socket: through its own task queue, scanner and device mutexes, so that its limits hold for
// people of this host too. It opens no socket.
import pLimit from 'p-limit';
import { RefusedError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { countAddresses, formatSpan, mergeSpans } from '../../base/net/intervals.ts';
import { parseIpv4, parseIpv4Range } from '../../base/net/ipv4.ts';
import { readRanges, type ScanRanges } from '../../base/net/ranges.ts';
import { rangesWithin, spansOutside } from '../../base/net/restrict-ranges.ts';
import { type ClockLook, lookAtClocks, wallTimeAt } from '../../base/time/clock-steps.ts';
import { SCAN_PORTS } from '../../driver/identify.ts';
import type { Captures } from '../capture/captures.ts';
import type { Found, ShownFound } from '../capture/found.ts';
import { createKnownMiners, muteNote } from '../capture/known-miners.ts';
import { lookWith, type ScanFeedback } from '../capture/look.ts';
import type { DeviceClient } from '../device/device-client.ts';
import { noMiner } from '../device/recognised.ts';
import type { MinerRegistry } from '../fleet/identity/miner-registry.ts';
import { namedMiners } from '../fleet/miner-selectors.ts';
import { createSettlement } from '../fleet/settlement.ts';
import type { ScanPlan } from '../scan/plan.ts';
import { logWith } from '../tasks/execution/log-evidence.ts';
import type { TaskView } from '../tasks/queue/admission.ts';
import { type AllowSettings, mustBeAllowed } from '../tasks/settings.ts';
import { createIdentities } from './identities.ts';
import { createLocalRuns } from './local-runs.ts';
import type { Preview, PreviewRequest, RunRequest, ScanRequest, ShownCapture, ShownTask, Step } from './messages.ts';
import { agentStatus, isoOf, type StateParts } from './status.ts';

/** What came of reading the configuration anew: sections that are different now, and settings that take a restart. */
export type Reloaded = { readonly changed: readonly string[]; readonly needsRestart: readonly string[] };

const RECOGNISED_AT_ONCE = 32;

/** Each refuses with RefusedError; its code and its message are for whoever asked. */
export type ControlHandlers = ReturnType<typeof createControlHandlers>;

export function createControlHandlers(
  parts: StateParts & {
    readonly log: Log;
    readonly config: { readonly tasks: AllowSettings & { readonly reboot: { readonly concurrency: number } } };
    readonly client: DeviceClient;
    readonly registry: Pick<MinerRegistry, 'get' | 'byIp' | 'disputes' | 'undecided' | 'settle'>;
    readonly neighbours: Parameters<typeof createSettlement>[0]['neighbours'];
    readonly emit: Parameters<typeof createSettlement>[0]['emit'];
    readonly pollNow: (key: string) => void;
    readonly captures: Captures;
    readonly mayReach: (ip: string) => boolean;
    readonly newId: () => string;
    readonly reload: (() => Reloaded) | undefined;
  },
) {
  const { clock, config, client, fleet, registry, scanning, tasks, mayReach } = parts;

  const known = () =>
    [...fleet.all()].map(({ key, target: { ip } }) => {
      const { mac = null, serialNumber = null } = registry.get(key) ?? {};
      return { key, ip, mac, serialNumber };
    });

  /** Miners that were put up since the last scan are known afterwards. Returns why the others are none. */
  const meet = async (ips: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, string>> => {
    const recognising = pLimit(RECOGNISED_AT_ONCE);
    const reasons = new Map<string, string>();
    const meetOne = (ip: string) =>
      recognising(async () => {
        const found = await client.recognise(ip, new Set(SCAN_PORTS), signal);
        if (found.status === 'likely') reasons.set(ip, noMiner(ip, found));
        await scanning.takeIn(ip, found);
      });
    await Promise.all(ips.map(meetOne));
    return reasons;
  };

  const name = async (names: readonly string[], signal: AbortSignal) => {
    const named = namedMiners(names, known());
    const strangers = named.unknown
      .map(({ name }) => name)
      .filter((text) => parseIpv4(text) !== undefined && mayReach(text));
    if (strangers.length === 0) return named;
    const reasons = await meet(strangers, signal);
    const { miners, unknown } = namedMiners(names, known());
    return {
      miners,
      unknown: unknown.map(({ name, reason }) => ({ name, reason: reasons.get(name.trim()) ?? reason })),
    };
  };

  /** Those of the names that lie outside the networks of this agent. Throws where all of them do. */
  const mustHaveInside = ({ name: task, miners }: PreviewRequest): ReadonlySet<string> => {
    const beyond = new Set(miners.filter((each) => isBeyond(config.ranges, each)));
    if (beyond.size === miners.length)
      throw new RefusedError('run.outside', `${task}: all outside the networks of the running agent`);
    return beyond;
  };

  const runs = createLocalRuns(tasks);
  const knownMiners = createKnownMiners({ clock, client, fleet, registry, tasks });

  const looking = pLimit(RECOGNISED_AT_ONCE);
  const settlement = createSettlement({
    ...{ clock, log: parts.log, registry, fleet, mayReach, meet },
    ...{ neighbours: parts.neighbours, emit: parts.emit, pollNow: parts.pollNow },
    isAnswering: (ip, signal) =>
      looking(async () => {
        const { status } = await lookWith(client, scanning.planFor(readRanges([ip], [])), ip, signal);
        return status !== 'silent' && status !== 'missing' && status !== 'closed';
      }),
  });

  return {
    ...createIdentities({ clock, registry, settlement, name: (names) => namedMiners(names, known()) }),
    state: () => agentStatus(parts),
    /** Newest first. */
    tasks(limit: number, onlyOpen: boolean) {
      const now = lookAtClocks(clock);
      const open = onlyOpen ? tasks.open().toSorted((a, b) => b.acceptedMs - a.acceptedMs) : undefined;
      const views = open?.slice(0, limit) ?? tasks.list(limit);
      return {
        tasks: views.map((view) => shownTask(view, fleet.get(view.minerKey)?.target.ip, now)),
        left_out: open === undefined ? null : open.length - views.length,
      };
    },
    /** Which miners a run with these names would be about. Throws RefusedError as `run` does. */
    async preview(request: PreviewRequest, signal: AbortSignal): Promise<Preview> {
      mustHaveInside(request);
      const { miners, unknown } = await name(request.miners, signal);
      const modelOf = (key: string) => {
        const reported = fleet.get(key)?.reported;
        return reported ? [reported.extras.make, reported.document.model].filter(Boolean).join(' ') || null : null;
      };
      return {
        miners: miners.map(({ key, ip }) => ({ key, ip, model: modelOf(key) })),
        unknown: [...unknown],
        at_once: request.name === 'miner.system.reboot' ? config.tasks.reboot.concurrency : null,
      };
    },
    /** Ends when every task has its outcome. What has not been started when `signal` aborts is given up. */
    async run(request: RunRequest, onStep: (step: Step) => void, signal: AbortSignal) {
      const beyond = mustHaveInside(request);
      const { miners, unknown } = await name(request.miners, signal);
      for (const { name, reason } of unknown) {
        const message = beyond.has(name) ? 'outside the networks of the running agent: name it by itself' : reason;
        onStep({ ip: name, task_id: null, status: 'failed', message, evidence: {} });
      }
      const succeeded = await runs.run(request, miners, onStep, signal);
      return { total: miners.length + unknown.length, succeeded };
    },
    /** Gives up those that have not been started, and says how many there were. */
    cancel: (taskIds: readonly string[]) => tasks.cancelAll(taskIds),
    /** The same for all tasks, whoever asked for them. */
    abortAll: runs.abortAll,
    /** What it found is kept when `signal` ends it early. */
    async scan({ ranges, exclude }: ScanRequest, hearer: ScanFeedback, signal: AbortSignal) {
      const wanted = readRanges(ranges, exclude, { path: 'ranges', excludePath: '--exclude' });
      const [problem] = wanted.problems;
      if (problem !== undefined) throw new RefusedError('scan.ranges', `${problem.path}: ${problem.message}`);
      const part = within(config.ranges, wanted);
      mustBeAllowed('agent.scan.create', 'scan', config.tasks);
      for (const line of wanted.echo) hearer.onUnderstood(line);
      const left = wanted.toProbe - part.toProbe;
      if (left > 0) {
        const all = part.excluded === left ? '' : `; ${part.excluded} are excluded in all`;
        hearer.onUnderstood(`${left} of these are excluded by the configuration of the agent${all}`);
      }
      const { running, waiting } = scanning.scanner.current();
      const before = waiting.length + running.filter(({ kind }) => kind === 'manual').length;
      if (before > 0) hearer.onUnderstood(`scans that somebody asked for before and that go first: ${before}`);
      const mute: string[] = [];
      const plan = { ...scanning.planFor(part), mute: knownMiners.silentIps() };
      const account = await scanning.manual.run(`local-${parts.newId()}`, plan, {
        signal,
        onContact(contact) {
          const found = knownMiners.shown(contact);
          if (found?.isMute && found.known !== undefined) mute.push(found.ip);
          if (found !== undefined) hearer.onFound(shownFound(found));
        },
        onProgress: ({ probed, toProbe, identified }) => hearer.onProgress(probed, toProbe, identified),
      });
      const note = muteNote(mute);
      return note === undefined ? account : { ...account, notes: [...(account.notes ?? []), note] };
    },
    /** Everything that one address says now. */
    async look(ip: string, signal: AbortSignal) {
      if (!mayReach(ip)) throw new RefusedError('look.outside', `look at ${ip}: outside the networks configured here`);
      return shownFound(await knownMiners.look(scanning.planFor(readRanges([ip], [])), ip, signal));
    },
    /** Everything that one device answers, nothing private in it; undefined when nothing answers there. */
    capture(
      ip: string,
      onAsked: Parameters<Captures['capture']>[1],
      signal: AbortSignal,
    ): Promise<ShownCapture | undefined> {
      if (!mayReach(ip)) throw new RefusedError('look.outside', `capture ${ip}: outside the networks configured here`);
      return parts.captures.capture(ip, onAsked, signal);
    },
    /** Throws ConfigError too, and then nothing has changed. */
    reload() {
      if (parts.reload === undefined) throw new RefusedError('reload.unable');
      const { changed, needsRestart } = parts.reload();
      return { changed, needs_restart: needsRestart };
    },
    /** The log that the miner there keeps, without passwords. Throws PeerError too. */
    async log(ip: string, signal: AbortSignal) {
      if (!mayReach(ip)) throw new RefusedError('look.outside', `ask ${ip}: outside the networks configured here`);
      mustBeAllowed('miner.log.get', `read the log of ${ip}`, config.tasks);
      return logWith(client, ip, signal);
    },
  };
}

/** What of the wanted ranges the agent may scan. Throws RefusedError when some of it lies outside its networks: `scan.outside` = all of it. */
function within(configured: ScanRanges, wanted: ScanRanges): ScanPlan['ranges'] {
  const spans = mergeSpans(wanted.ranges.flatMap((range) => range.spans));
  const outside = spansOutside(configured, spans);
  if (outside.length > 0) {
    const isAll = countAddresses(outside) === countAddresses(spans);
    const where = outside.slice(0, 3).map(formatSpan).join(', ');
    const all = `${where}${outside.length > 3 ? ' and more' : ''}`;
    throw isAll
      ? new RefusedError('scan.outside', `scan ${all}: outside the networks of the running agent`)
      : new RefusedError('scan.straddles', `scan ${all}: outside the networks of the running agent, name it by itself`);
  }
  return rangesWithin(configured, spans, wanted.addresses);
}

/** An address or range of which the agent may not reach anything. */
function isBeyond(configured: ScanRanges, name: string): boolean {
  const range = parseIpv4Range(name);
  if (typeof range === 'string') return false;
  return countAddresses(spansOutside(configured, [range])) === range.last - range.first + 1;
}

/** What the ports of a device said in full stays here. */
const shownFound = ({ evidence: _, ...found }: Found): ShownFound => found;

function shownTask(view: TaskView, ip: string | undefined, now: ClockLook): ShownTask {
  const isoAt = (elapsedMs: number | null) => isoOf(elapsedMs === null ? null : wallTimeAt(elapsedMs, now));
  return {
    task_id: view.taskId,
    batch_id: view.batchId,
    name: view.name,
    miner_key: view.minerKey,
    ip: ip ?? null,
    source: view.source,
    state: view.state,
    status: view.status,
    message: view.message,
    accepted_at: new Date(wallTimeAt(view.acceptedMs, now)).toISOString(),
    started_at: isoAt(view.startedMs),
    finished_at: isoAt(view.finishedMs),
  };
}
