// `agent.scan.create`: a manual scan that the service asks for, of all configured networks or a part of them and never
// of anything else. It reports how far it is and what it found every two seconds, and ends with the account of every
// address.
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { CancelledError, RefusedError } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import type { ScanRanges } from '../../../base/net/ranges.ts';
import { narrowRanges } from '../../../base/net/restrict-ranges.ts';
import { classesOf, type ScanAccount } from '../../../model/contact.ts';
import { PARAMS_FIELDS } from '../../../model/tasks/task-params.ts';
import type { Scanned, ScanRecord } from '../../../wire/records.ts';
import type { ManualScans } from '../../scan/manual-scans.ts';
import type { Contact, Identification, ScanPlan, ScanProgress } from '../../scan/plan.ts';
import { type AgentTask, cancelled, failed, succeeded, type TaskOutcome } from '../contract.ts';
import { createFindings } from './scan-findings.ts';

const TELL_EVERY_MS = 2_000;
const paramsSchema = z.object(PARAMS_FIELDS['agent.scan.create']);

export function createScanTask<F extends Identification>(parts: {
  readonly clock: Clock;
  readonly log: Log;
  /** As configured now. */
  readonly configured: () => ScanRanges;
  /** The plan of a scan of these ranges. */
  readonly planFor: (ranges: ScanPlan['ranges']) => ScanPlan;
  readonly scans: Pick<ManualScans<F>, 'run'>;
  readonly describe: (contact: Contact<F>) => Scanned;
  /** Resolves when the record is on disk. */
  readonly report: (record: ScanRecord) => Promise<void>;
}): AgentTask {
  const { clock } = parts;

  /** What is to be scanned, or why not. */
  const reachOf = (params: Readonly<Record<string, unknown>>): ScanPlan['ranges'] | string => {
    const wanted = paramsSchema.safeParse(params);
    if (!wanted.success) return `the params do not fit agent.scan.create (${wanted.error.issues[0]?.path.join('.')})`;
    const ranges = parts.configured();
    if (ranges.toProbe === 0) return 'no networks are configured here';
    return wanted.data.ranges === undefined ? ranges : narrowRanges(ranges, wanted.data.ranges);
  };

  return {
    concurrency: 1,
    async run({ taskId, params }, signal, { onProgress }) {
      const reach = reachOf(params);
      if (typeof reach === 'string') return failed(`refused: ${reach}`);
      const found = createFindings(taskId, parts);
      let toldMs = clock.monotonicMs();
      const tell = (progress: ScanProgress) => {
        const nowMs = clock.monotonicMs();
        if (nowMs - toldMs < TELL_EVERY_MS) return;
        toldMs = nowMs;
        found.report();
        onProgress({ progress: shown(progress) });
      };
      try {
        const id = `task-${taskId}`;
        const onContact = (contact: Contact<F>) => found.add(parts.describe(contact));
        const options = { signal, onProgress: tell, onContact };
        const account = await parts.scans.run(id, parts.planFor(reach), options);
        await found.end();
        return outcomeOf(account);
      } catch (error) {
        if (error instanceof RefusedError) return failed(`refused: ${error.message}`);
        if (error instanceof CancelledError) return failed('the scan broke; the log of the agent says why');
        throw error;
      }
    },
  };
}

function shown({ phase, probed, toProbe, identified, answering, elapsedMs, remainingMs }: ScanProgress) {
  return {
    phase,
    probed,
    total: toProbe,
    found: identified,
    answering,
    elapsedMs: Math.round(elapsedMs),
    remainingMs: remainingMs ?? null,
  };
}

/** `addresses` = sum of `counts` + `excluded` + `notReached`. */
function outcomeOf({ notes = [], ...account }: ScanAccount): TaskOutcome {
  const evidence = { account: { ...account, elapsedMs: Math.round(account.elapsedMs), notes } };
  const classes = classesOf(account);
  const settled = classes.reduce((sum, { count }) => sum + count, 0);
  const seen = classes
    .filter(({ count }) => count > 0)
    .map(({ status, count }) => `${count} ${status.replaceAll('_', ' ')}`)
    .join(', ');
  const words = `${settled} of ${account.addresses - account.excluded} addresses${seen === '' ? '' : `: ${seen}`}`;
  return account.isCancelled
    ? cancelled(`cancelled after ${words}; what was found is kept`, evidence)
    : succeeded(words, evidence);
}
