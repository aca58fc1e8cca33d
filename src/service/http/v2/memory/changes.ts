// GET …/changes: what changed in a farm in a span of time, put together for who takes over. An extension of the
// interface.
import { z } from 'zod';
import { yieldToEventLoop } from '../../../../base/clock.ts';
import {
  CHANGE_KIND_NAMES,
  type Change,
  type ChangeKind,
  type PastEvent,
} from '../../../../model/changes/change-kinds.ts';
import { inheritedChanges } from '../../../../model/changes/inherited.ts';
import { beginSummary, type Summary } from '../../../../model/changes/summarise.ts';
import { EXTENSION } from '../../../../wire/api/components.ts';
import { answerOf } from '../../../../wire/api/envelope.ts';
import { changesSchema } from '../../../../wire/api/farm/memory.ts';
import { V2_FARM } from '../../../auth/rules.data.ts';
import type { NamedMiner } from '../../../store/store.ts';
import { farmOf, farmParams } from '../../guard.ts';
import { answers } from '../../openapi.ts';
import type { App, RouteParts } from '../../server.ts';
import { good, toIso } from '../../shared/envelope.ts';
import { invalidRequest } from '../../shared/errors.ts';
import { list, oneOf, parseUtcMs, single, wholeNumber } from '../../shared/parameters.ts';

/** Of one answer. */
const MOST_EVENTS = 50_000;
const MOST_UNSUCCESSFUL = 50;
/** Miners with a flag, and missing ones, that are looked at for what was there before. */
const MOST_TROUBLED = 20_000;

const time = (what: string) => single(`an ISO 8601 time in UTC: ${what}`, parseUtcMs, { format: 'date-time' });

export function registerChanges(app: App, { store, clock }: RouteParts): void {
  app.route({
    method: 'GET',
    url: `${V2_FARM}/changes`,
    schema: {
      ...EXTENSION,
      tags: ['miners'],
      operationId: 'listChangesV2',
      summary:
        'What changed in a span of time: flags, miners, locations, notes, and what was done by whom; what is still open',
      description:
        'For who takes over a shift. A flag that was raised and cleared is one change, and so are the tasks of a batch. At most 50,000 events are put together, the newest ones. `still_open` and `still_missing` are what was there before the time and is there now, when it is asked.',
      params: farmParams,
      querystring: z.object({
        since: time('changes that happened then or later; default: 12 hours before the end'),
        until: time('changes that happened before; default: now'),
        kind: list('kinds of changes', oneOf(CHANGE_KIND_NAMES), { enum: CHANGE_KIND_NAMES }),
        limit: wholeNumber({ min: 1, max: 2_000, fallback: 200, description: 'Changes of each kind' }),
      }),
      response: answers(answerOf(changesSchema)),
    },
    handler: async (request) => {
      const { id: farmId } = farmOf(request);
      const nowMs = clock.nowMs();
      const untilMs = Math.min(request.query.until ?? nowMs + 1, nowMs + 1);
      const sinceMs = request.query.since ?? untilMs - DEFAULT_SPAN_MS;
      if (sinceMs > untilMs) throw invalidRequest('query.since: received a time after until, accepted: an earlier one');
      const { events, leftOut } = await store.events.between({ farmId, sinceMs, untilMs, most: MOST_EVENTS });
      const summary = await inPortions(events);
      const troubled = await store.miners.troubled(farmId, MOST_TROUBLED);
      const inherited = inheritedChanges(troubled.miners, { sinceMs, untilMs, changes: summary.changes });
      const wanted = new Set(request.query.kind ?? CHANGE_KIND_NAMES);
      const { shown, kinds } = choose([...summary.changes, ...inherited], wanted, request.query.limit);
      const miners = await store.miners.name(farmId, idsOf(shown));
      return good({
        ...{ from: toIso(sinceMs), to: toIso(Math.min(untilMs, nowMs)) },
        ...{ flags_raised: summary.flagsRaised, flags_cleared: summary.flagsCleared },
        ...{ events: events.length, events_left_out: leftOut, miners_left_out: troubled.leftOut, kinds },
        changes: shown.map((change) => toItem(change, miners)),
      });
    },
  });
}

/** A portion takes some ms; between them others have their turn. */
const PORTION = 2_000;

async function inPortions(events: readonly PastEvent[]): Promise<Summary> {
  const summary = beginSummary();
  for (let from = 0; from < events.length; from += PORTION) {
    summary.add(events.slice(from, from + PORTION));
    await yieldToEventLoop();
  }
  return summary.finish();
}

const DEFAULT_SPAN_MS = 12 * 3_600_000;

/** The first of each kind; the counts are of all kinds. */
function choose(changes: readonly Change[], wanted: ReadonlySet<ChangeKind>, limit: number) {
  const shown: Change[] = [];
  const ofKind = Map.groupBy(changes, ({ kind }) => kind);
  const kinds = CHANGE_KIND_NAMES.map((kind) => {
    const all = ofKind.get(kind) ?? [];
    const some = wanted.has(kind) ? all.slice(0, limit) : [];
    shown.push(...some);
    return { kind, count: all.length, left_out: all.length - some.length };
  });
  return { shown, kinds };
}

const unsuccessfulOf = ({ unsuccessful }: Change) => unsuccessful.slice(0, MOST_UNSUCCESSFUL);

function idsOf(changes: readonly Change[]): string[] {
  const ids = changes.flatMap((change) => [change.minerId, ...unsuccessfulOf(change).map(({ minerId }) => minerId)]);
  return [...new Set(ids.filter((id) => id !== null))];
}

type ChangeItem = z.infer<typeof changesSchema>['changes'][number];

function toItem(change: Change, miners: ReadonlyMap<string, NamedMiner>): ChangeItem {
  const { kind, atMs, endMs, minerId, agentId, text, evidence, by } = change;
  const named = (id: string | null) => (id === null ? null : (miners.get(id) ?? unknownMiner(id)));
  return {
    ...{ kind, at: toIso(atMs), ended_at: endMs === null ? null : toIso(endMs), miner: named(minerId) },
    ...{ agent_id: agentId, text, evidence, by },
    unsuccessful: unsuccessfulOf(change).map(({ minerId: id, ...task }) => ({ miner: named(id), ...task })),
  };
}

/** It was there when it happened. */
const unknownMiner = (id: string) => ({ id, ip: null, mac: null, model: null, rack: null, position: null });
