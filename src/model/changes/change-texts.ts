// A change in words, from what its event says. Each reads what may be missing, or of another version, as not known.
import { z } from 'zod';
import type { ChangeKind, PastEvent } from './change-kinds.ts';

type Detail = PastEvent['detail'];

const word = (value: unknown, instead = 'unknown'): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : instead;

export function textOf(kind: ChangeKind, { type, detail }: Pick<PastEvent, 'type' | 'detail'>): string {
  switch (kind) {
    case 'open':
    case 'still_open':
    case 'healed':
    case 'ended':
      return word(detail.message, word(detail.flag, 'flag'));
    case 'missing':
    case 'still_missing':
      return `has not answered since ${word(detail.since)}`;
    case 'back':
      return `answers again; it was missing since ${word(detail.since)}`;
    case 'appeared':
      return `was found at ${word(detail.ip)}`;
    case 'moved':
      return `moved from ${word(detail.from)} to ${word(detail.to)}`;
    case 'replaced':
      return `another unit stands at ${word(detail.ip)}`;
    case 'location':
      return `${placeOf(detail.before)} → ${placeOf(detail.after)}`;
    case 'ops_status':
      return `${opsStatusOf(detail.before)} → ${opsStatusOf(detail.after)}`;
    case 'note':
      return word(detail.text, 'a note');
    case 'agent':
      return agentText(type, detail);
    case 'task':
    case 'other':
      return word(detail.message, type.replaceAll('_', ' '));
  }
}

function agentText(type: string, detail: Detail): string {
  const name = word(detail.name, 'an agent');
  if (type === 'agent_offline') return `${name} is offline; last heard ${word(detail.last_seen_at, 'never')}`;
  if (type === 'agent_online') return `${name} is back; offline since ${word(detail.offline_since)}`;
  const miners = `${word(detail.miner_count)} miners`;
  const title = word(detail.title, word(detail.finding));
  return type === 'finding_cleared' ? `over: ${title} (${miners})` : `${title} (${miners})`;
}

const placeSchema = z.object({
  ...{ container: z.unknown(), rack: z.unknown(), position: z.unknown() },
});

/** Such as `1 / C03 / 12`. */
function placeOf(value: unknown): string {
  const { container, rack, position } = placeSchema.partial().safeParse(value).data ?? {};
  const parts = [container, rack, position].filter((part) => part !== undefined && part !== null);
  return parts.length === 0 ? 'no location' : parts.map((part) => word(part)).join(' / ');
}

const opsSchema = z.object({ ops_status: z.string().nullable() });

const opsStatusOf = (value: unknown): string => opsSchema.safeParse(value).data?.ops_status ?? 'in operation';
