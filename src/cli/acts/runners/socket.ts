// Acts by way of the agent that runs on this host: its queue, its limits, its proof. It works while the service is
// away.
import type { Preview, RunningAgent, RunRequest, Step } from '../../../agent/control/control-client.ts';
import type { Selection } from '../../connection/selection.ts';
import { CommandFailed, EXIT } from '../../output/exit.ts';
import { candidatesFor, isAddress, shownMiner } from '../candidates.ts';
import type { Params } from '../verbs/params.ts';
import type { ActTask } from '../verbs/verbs.ts';
import { type ActLimits, type ActMiner, type ActPreview, type ActRunner, guessNotes, type LeftOut } from './runner.ts';

/** As many as the agent takes in one request. */
const MAX_MINERS = 10_000;

export type SocketAct = {
  readonly task: ActTask;
  readonly params: Params;
  readonly limits: ActLimits;
  readonly selection: Pick<Selection, 'miners' | 'unmatched'>;
};

/** `agent` is closed by its owner. */
export function socketRunner(
  agent: Pick<RunningAgent, 'preview' | 'run'>,
  { task, params, limits, selection }: SocketAct,
): ActRunner {
  const { miners: rows, leftOut } = candidatesFor(task, selection.miners);
  const byIp = new Map(rows.map((row) => [row.ip, shownMiner(row)]));
  // An address without a known miner is looked at: one may have been put up since the last scan.
  const strangers = selection.unmatched.filter(({ text }) => isAddress(text));
  const unknown = selection.unmatched.filter(({ text }) => !isAddress(text));
  const names = [...rows.flatMap(({ key }) => key ?? []), ...strangers.map(({ text }) => text)];
  const common = { name: task, params, ...locationsOf(task, byIp), ...pace(limits) };
  let going: readonly string[] = [];
  return {
    async preview(signal): Promise<ActPreview> {
      if (names.length > MAX_MINERS)
        throw new CommandFailed(
          `these are ${names.length} miners, at most ${MAX_MINERS} are taken at a time`,
          EXIT.usage,
        );
      const none = { atOnce: null, kw: null, etaS: null, workers: [] };
      const before = [...leftOut, ...unknown.map(({ text, reason }) => ({ who: text, reason }))];
      if (names.length === 0) return { ...none, miners: [], leftOut: before };
      const preview = await agent.preview({ ...common, miners: names }, signal);
      if (preview.pools_refusal !== undefined) throw new CommandFailed(`nothing was sent: ${preview.pools_refusal}`);
      going = preview.miners.map(({ key }) => key);
      return {
        miners: preview.miners.map(({ ip, model }) => byIp.get(ip) ?? stranger(ip, model)),
        leftOut: [...before, ...leftOutOf(preview)],
        atOnce: preview.at_once,
        kw: preview.kw,
        etaS: preview.eta_s,
        notes: guessNotes(preview.eta_s, preview.eta_is_guess),
        workers: preview.pools_preview ?? [],
      };
    },
    async run(onStep, { isDetached, signal }) {
      const request: RunRequest = { ...common, miners: going, ...(isDetached && { detach: true }) };
      const { batch_id: batchId } = await agent.run(request, (step) => onStep(shownStep(step)), signal);
      return { batchIds: batchId === null ? [] : [batchId], leftOut: [] };
    },
    close: async () => {},
  };
}

const shownStep = ({ ip, status, message, evidence }: Step) => ({ ip, status, message, evidence });

const stranger = (ip: string, model: string | null): ActMiner => ({
  ...{ ip, model, mac: null, container: null, rack: null, position: null },
});

const leftOutOf = ({ unknown, left_out: leftOut }: Preview): LeftOut[] => [
  ...unknown.map(({ name, reason }) => ({ who: name, reason })),
  ...leftOut.map(({ ip, reason }) => ({ who: ip, reason })),
];

function pace({ canary, stopAfter, concurrency }: ActLimits) {
  const rollout = { canary: canary ?? 0, ...(stopAfter !== undefined && { stop_after: stopAfter }) };
  return {
    ...(concurrency !== undefined && { concurrency }),
    ...((canary !== undefined || stopAfter !== undefined) && { rollout }),
  };
}

/** Workers of pools may name where a miner stands, which the agent does not know. */
function locationsOf(task: ActTask, byIp: ReadonlyMap<string, ActMiner>) {
  if (task !== 'miner.pool.update') return {};
  const standing = [...byIp].filter(([, { rack }]) => rack !== null);
  return { locations: Object.fromEntries(standing.map(([ip, { rack, position }]) => [ip, { rack, position }])) };
}
