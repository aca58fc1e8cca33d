// Sends one command to a miner and tells a refusal from an answer that was lost. It proves nothing.
import { z } from 'zod';
import { type PeerCode, PeerError, RefusedError, renderError } from '../../../base/errors.ts';
import { withDeadline } from '../../../base/time/deadline.ts';
import type { ActResult, FirmwareImage } from '../../../driver/contract.ts';
import { withoutSecret } from '../../../transport/peer-errors.ts';
import { failed, type TaskOutcome, type TaskParts } from '../contract.ts';
import type { StoredTask } from '../stored-task.ts';
import { MIN_SECRET_CHARS } from './log-evidence.ts';
import type { Plan } from './plan.ts';
import { movedBefore } from './proof/look.ts';

const BUSY_TRIES = 3;
const BUSY_PAUSE_MS = 5_000;

/**
 * A reply that may mean that it was done counts as lost; a clear refusal is the outcome. What the device says shows no
 * password of the command.
 */
export async function sendCommand(
  { clock, log, settings, deps }: TaskParts,
  { ability, rule, params, ip, image }: Plan & { readonly image: FirmwareImage | undefined },
  { minerKey, taskId }: StoredTask,
  /** False = it did not answer just before either. */
  hasAnswered: boolean,
  stop: AbortSignal,
): Promise<ActResult | TaskOutcome> {
  const deadlineS = ability === 'firmware' ? settings.firmware.uploadS : settings.actS;
  const onDeadline = () => new PeerError('peer.timeout', `${ability} on ${ip}`, 'soon');
  const bounds = { deadlineMs: deadlineS * 1_000, signal: stop, onDeadline };
  const hide = (words: string) => passwordsIn(params).reduce(withoutSecret, words);
  for (let attempt = 1; ; attempt++) {
    const moved = movedBefore(deps, minerKey, ip);
    if (moved !== undefined) return moved;
    try {
      const result = await withDeadline(clock, bounds, (within) => deps.act(minerKey, ability, params, within, image));
      return result.kind === 'accepted' && result.note !== undefined ? { ...result, note: hide(result.note) } : result;
    } catch (error) {
      if (stop.aborted) throw error;
      if (error instanceof RefusedError) return failed(`refused: ${error.message}`);
      if (!(error instanceof PeerError)) {
        log.error({ taskId, minerKey, error: renderError(error) }, 'a command to a miner failed on our side');
        return { kind: 'lost-reply' };
      }
      const refusal = refusalOf(error, hasAnswered);
      if (refusal === undefined) {
        if (rule.effect === 'read-only' && attempt >= 2)
          return failed(`the miner gave nothing usable (${hide(renderError(error))})`);
        if (rule.effect === 'once' || attempt >= 2) return { kind: 'lost-reply' };
      } else if (error.code !== 'peer.busy' || attempt >= BUSY_TRIES) return failed(hide(refusal));
      await clock.sleep(BUSY_PAUSE_MS, stop);
    }
  }
}

const withPools = z.object({ pools: z.array(z.object({ password: z.string().optional() })) });
const withPassword = z.object({ password: z.string() });

/** Devices quote what they do not like. */
function passwordsIn(params: unknown): string[] {
  const own = withPassword.safeParse(params).data?.password;
  // Whatever its length: it opens the miner itself.
  if (own !== undefined) return [own];
  const { pools = [] } = withPools.safeParse(params).data ?? {};
  return pools.flatMap(({ password = '' }) => (password.length < MIN_SECRET_CHARS ? [] : password));
}

const SILENT = 'the miner does not answer';
/** Undefined = it may have done it. */
const REFUSALS = {
  'peer.permission': 'refused by the miner: not allowed',
  'peer.tls-key': 'not sent to the miner: its TLS key is not the expected one',
  'peer.auth': 'refused by the miner: login not accepted',
  'peer.unsupported': 'unsupported by the miner',
  'peer.rejected': 'refused by the miner',
  'peer.busy': 'the miner is busy',
  'peer.refused': SILENT,
  'peer.unreachable': SILENT,
  'peer.timeout': SILENT,
  'peer.reset': SILENT,
  'peer.too-large': undefined,
  'peer.unparsable': undefined,
  'peer.costly': undefined,
} as const satisfies Readonly<Record<PeerCode, string | undefined>>;

/** Why the miner did not do it, in words; undefined when it may have done it. */
function refusalOf(error: PeerError, hasAnswered: boolean): string | undefined {
  const isCutOff = error.code === 'peer.timeout' || error.code === 'peer.reset';
  if (isCutOff && (error.wasSent ?? hasAnswered)) return undefined;
  const refusal = REFUSALS[error.code];
  return refusal && `${refusal} (${renderError(error)})`;
}
