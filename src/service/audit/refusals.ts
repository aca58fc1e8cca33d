// Refused requests on their way into the audit trail. What is alike within a minute is one entry with a count, and a
// minute has so many entries at most: a flood cannot fill the trail. A request does not wait for its entry.
import type { Clock } from '../../base/clock.ts';
import { renderError } from '../../base/errors.ts';
import { createRound, type Part } from '../../base/lifecycle.ts';
import type { Log } from '../../base/log.ts';
import type { AuditActor } from '../../model/audit/entry.ts';
import type { Caller } from '../auth/authorise.ts';
import { RULES } from '../auth/rules.data.ts';
import type { ServiceAct } from '../store/store.ts';

export type Refusal = {
  readonly status: number;
  /** Error code of the refusal, and its text where that repeats nothing of the request. */
  readonly code: string | undefined;
  readonly message: string | undefined;
  /** Method and path of the route, without what the client put into it. */
  readonly route: string;
  /** Address of the client. */
  readonly address: string;
  /** Undefined = unknown: no good key was shown. */
  readonly caller: Caller | undefined;
  /** The caller may use the route, and what it asked for there was refused. */
  readonly isAdmitted: boolean;
};

export type RefusalRecorder = Part & { note(refusal: Refusal): void };

const MINUTE_MS = 60_000;
/** Kinds of refusals in a minute that have an entry of their own; the others share one. */
const MOST_KINDS = 200;

type Kind = { readonly act: Omit<ServiceAct, 'atMs'>; count: number };

export function createRefusalRecorder(parts: {
  readonly record: (acts: readonly ServiceAct[]) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}): RefusalRecorder {
  const { record, clock, log } = parts;
  let kinds = new Map<string, Kind>();
  let first: Promise<void> = Promise.resolve();

  const write = async (acts: readonly ServiceAct[]) => {
    await record(acts).catch((error: unknown) =>
      log.error({ entries: acts.length, error: renderError(error) }, 'write refused requests into the audit trail'),
    );
  };
  const flush = async () => {
    const done = kinds;
    kinds = new Map();
    const atMs = clock.nowMs();
    const acts = [...done.values()]
      .filter(({ count }) => count > 0)
      .map(({ act, count }): ServiceAct => ({ ...act, detail: { ...act.detail, count }, atMs }));
    await first;
    if (acts.length > 0) await write(acts);
  };
  const round = createRound('writing refused requests into the audit trail', MINUTE_MS, flush, clock, log);
  return {
    ...round,
    note(refusal) {
      const act = actOf(refusal);
      if (act === undefined) return;
      const key = kinds.size < MOST_KINDS ? JSON.stringify(act) : '';
      const known = kinds.get(key);
      if (known !== undefined) known.count++;
      else if (key === '') kinds.set(key, { act: OTHERS, count: 1 });
      else if (act.action === 'login.refused') kinds.set(key, { act, count: 1 });
      else {
        // The first is there at once, with who and what; those that repeat it are counted.
        kinds.set(key, { act, count: 0 });
        first = Promise.all([first, write([{ ...act, atMs: clock.nowMs() }])]).then(() => {});
      }
    },
    async stop() {
      await round.stop();
      await flush();
    },
  };
}

const STRANGER: AuditActor = { type: 'system', id: '', name: 'unknown' };
const OTHERS: Omit<ServiceAct, 'atMs'> = { action: 'request.refused', actor: STRANGER, detail: { others: true } };

/** Undefined where it is none of the trail's: a wrong question is answered, and changes nothing. */
function actOf({ status, code, message, route, address, caller, isAdmitted }: Refusal) {
  const actor: AuditActor = caller === undefined ? STRANGER : caller.actor;
  const workspaceId = caller?.workspaceId;
  // What a page hears before anyone has logged in.
  if (code === 'auth.session') return undefined;
  if (status === 401 || status === 429)
    return { action: 'login.refused', actor, workspaceId, detail: { status, code, address } } as const;
  const isWanted = isAdmitted ? status < 500 && changesSomething(route) : caller !== undefined && status < 500;
  if (!isWanted) return undefined;
  return { action: 'request.refused', actor, workspaceId, detail: { status, code, message, route, address } } as const;
}

/** By the permission that the route needs. */
function changesSomething(route: string): boolean {
  const rule = RULES[route];
  return rule?.access === 'key' && rule.permission !== 'any' && !rule.permission.endsWith('.read');
}
