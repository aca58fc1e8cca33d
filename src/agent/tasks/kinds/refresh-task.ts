// `miner.refresh.get`: reads a miner now, everything asked anew, and reports it as a poll would. It changes nothing.
import type { Clock } from '../../../base/clock.ts';
import { PeerError, RefusedError, renderError } from '../../../base/errors.ts';
import { withDeadline } from '../../../base/time/deadline.ts';
import type { VisitOutcome } from '../../../driver/visit/visit.ts';
import type { Flag } from '../../../model/flags/flags.ts';
import type { MinerDocument } from '../../../model/miner.ts';
import type { Fleet } from '../../fleet/fleet.ts';
import type { MinerState } from '../../fleet/miner-state.ts';
import type { Poller } from '../../poll/poller.ts';
import { type AgentTask, cancelled, failed, succeeded } from '../contract.ts';

const CONCURRENCY = 32;

/** What a report leaves of a miner. */
type Known = Pick<MinerState, 'reading'> & {
  readonly reported: { readonly document: Pick<MinerDocument, 'last_check_succeed'> } | undefined;
  readonly judgement: { readonly flags: readonly Pick<Flag, 'type'>[] } | undefined;
};

export function createRefreshTask(parts: {
  readonly clock: Clock;
  readonly fleet: Pick<Fleet, 'polled'> & { get(key: string): Known | undefined };
  readonly poller: Pick<Poller, 'pollNow'>;
  /** In the miner's turn. Throws PeerError when it does not answer. */
  readonly read: (minerKey: string, signal: AbortSignal) => Promise<VisitOutcome>;
  readonly agentStops: AbortSignal;
  /** For one look at the miner, ms. */
  readonly observeMs: () => number;
}): AgentTask {
  const { clock, fleet, poller, read, agentStops } = parts;
  return {
    concurrency: CONCURRENCY,
    async run({ minerKey }, signal, { find, mayReach }) {
      const target = find(minerKey);
      if (target === undefined) return failed('this agent does not know the miner');
      if (!mayReach(target.ip)) return failed(`refused: ${target.ip} is outside the networks configured here`);
      try {
        const onDeadline = () => new PeerError('peer.timeout', `read the miner at ${target.ip}`, 'soon');
        const bounds = { deadlineMs: parts.observeMs(), signal, onDeadline };
        const outcome = await withDeadline(clock, bounds, (within) => read(minerKey, within));
        const wasSilent = fleet.get(minerKey)?.reported?.document.last_check_succeed === false;
        await fleet.polled(minerKey, outcome, agentStops);
        const state = fleet.get(minerKey);
        if (state?.reading !== outcome.reading) return failed('another unit answers at its address');
        // It is polled rarely while it is silent.
        if (wasSilent) poller.pollNow(minerKey);
        const { hashrateHs = null, powerW = null, tempC = null } = outcome.reading;
        const flags = state.judgement?.flags.map(({ type }) => type) ?? [];
        const note = outcome.isLoginRefused ? 'read without a login: the miner refuses it' : null;
        return succeeded(note, { hashrateHs, powerW, tempC, flags });
      } catch (error) {
        if (signal.aborted) return cancelled('cancelled before it was read');
        if (error instanceof RefusedError) return failed(`refused: ${error.message}`);
        if (!(error instanceof PeerError)) throw error;
        // So that it is known as silent soon, too.
        poller.pollNow(minerKey);
        return failed(`the miner does not answer (${renderError(error)})`);
      }
    },
  };
}
