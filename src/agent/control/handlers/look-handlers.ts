// Scans and looks at single devices at the control socket. They change nothing on a device.
import { RefusedError } from '../../../base/errors.ts';
import { countAddresses, formatSpan, mergeSpans } from '../../../base/net/intervals.ts';
import { readRanges, type ScanRanges } from '../../../base/net/ranges.ts';
import { rangesWithin, spansOutside } from '../../../base/net/restrict-ranges.ts';
import type { Captures } from '../../capture/captures.ts';
import type { Found, ShownFound } from '../../capture/found.ts';
import { createKnownMiners, muteNote } from '../../capture/known-miners.ts';
import type { ScanFeedback } from '../../capture/look.ts';
import type { CaptureRequest } from '../../capture/recording/record.ts';
import type { ScanPlan } from '../../scan/plan.ts';
import type { Scanning } from '../../scan/scanning.ts';
import { logWith } from '../../tasks/execution/log-evidence.ts';
import { type AllowSettings, mustBeAllowed } from '../../tasks/settings.ts';
import type { ScanRequest, ShownCapture } from '../messages.ts';

type Parts = Parameters<typeof createKnownMiners>[0] & {
  readonly config: { readonly ranges: ScanRanges; readonly tasks: AllowSettings };
  readonly scanning: Scanning;
  readonly captures: Captures;
  readonly mayReach: (ip: string) => boolean;
  readonly newId: () => string;
};

export function createLookHandlers(parts: Parts) {
  const { config, client, scanning, mayReach } = parts;
  const knownMiners = createKnownMiners(parts);
  return {
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
      if (before > 0) hearer.onUnderstood(`scans that were asked for before and that go first: ${before}`);
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
      request: CaptureRequest,
      onAsked: Parameters<Captures['capture']>[1],
      signal: AbortSignal,
    ): Promise<ShownCapture | undefined> {
      const { ip } = request;
      if (!mayReach(ip)) throw new RefusedError('look.outside', `capture ${ip}: outside the networks configured here`);
      return parts.captures.capture(request, onAsked, signal);
    },
    /** The log that the miner there keeps, without passwords. Throws PeerError too. */
    async log(ip: string, signal: AbortSignal) {
      if (!mayReach(ip)) throw new RefusedError('look.outside', `ask ${ip}: outside the networks configured here`);
      mustBeAllowed('miner.log.get', `read the log of ${ip}`, config.tasks);
      return logWith(client, ip, signal);
    },
  };
}

/**
 * What of the wanted ranges the agent may scan. Throws RefusedError when some of it lies outside its networks:
 * `scan.outside` = all of it.
 */
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

/** What the ports of a device said in full stays here. */
const shownFound = ({ evidence: _, ...found }: Found): ShownFound => found;
