// The kinds of changes of a summary, and which event is of which kind. Flags and tasks are put together from several
// events: see summarise.ts.
import type { ACTOR_TYPES } from '../task.ts';

/** As the feed of a farm has it. */
export type PastEvent = {
  readonly type: string;
  readonly minerId: string | null;
  readonly agentId: string | null;
  readonly atMs: number;
  readonly detail: Readonly<Record<string, unknown>>;
};

/** In the order in which they are shown. */
// biome-ignore format: a table
export const CHANGE_KINDS = {
  open:          'a flag was raised and is still set at the end',
  still_open:    'a flag was raised before and is set now',
  healed:        'a flag was raised and cleared',
  ended:         'a flag was cleared that had been raised before',
  missing:       'a miner has not answered for an hour',
  still_missing: 'a miner was missing before and is so now',
  back:          'a miner that was missing answers again',
  appeared:      'a miner was found that was not known',
  moved:         'a known miner has another address',
  replaced:      'another unit stands where the miner was',
  location:      'a person changed where the miner stands',
  ops_status:    'a person changed the ops status of the miner',
  note:          'a person wrote a note about the miner',
  task:          'tasks of one batch, with how many ended how',
  agent:         'an agent went offline or came back, or many miners suffered from one cause',
  other:         'any other event of the farm',
} as const satisfies Readonly<Record<string, string>>;

export type ChangeKind = keyof typeof CHANGE_KINDS;

const isChangeKind = (name: string): name is ChangeKind => Object.hasOwn(CHANGE_KINDS, name);
export const CHANGE_KIND_NAMES: readonly ChangeKind[] = Object.keys(CHANGE_KINDS).filter(isChangeKind);

export type Change = {
  readonly kind: ChangeKind;
  /** When it began, and when it was over; null = it is not, or it has no length. */
  readonly atMs: number;
  readonly endMs: number | null;
  /** Null = it is about several miners, or about none. */
  readonly minerId: string | null;
  readonly agentId: string | null;
  /** For people. */
  readonly text: string;
  /** What the events say of it. */
  readonly evidence: Readonly<Record<string, unknown>>;
  /** Who did it; null = no person and no key. `via` marks a name that is not checked. */
  readonly by: {
    readonly type: (typeof ACTOR_TYPES)[number];
    readonly id: string;
    readonly name: string;
    readonly via?: string;
  } | null;
  /** Tasks that did not succeed. */
  readonly unsuccessful: readonly {
    readonly minerId: string | null;
    readonly status: string;
    readonly message: string | null;
  }[];
  /** How many events of the span it stands for. */
  readonly events: number;
};

const KINDS: Readonly<Record<string, ChangeKind>> = {
  ...{ miner_missing: 'missing', miner_back: 'back', appeared: 'appeared', moved: 'moved', replaced: 'replaced' },
  ...{ chassis_kept: 'replaced' },
  ...{ note_added: 'note', agent_offline: 'agent', agent_online: 'agent' },
  ...{ finding_raised: 'agent', finding_cleared: 'agent' },
};

const EVENT_TASKS: Readonly<Record<string, ChangeKind>> = {
  'miner.rack_location.update': 'location',
  'miner.asset.update': 'ops_status',
};

/** Of an event that is a change by itself. */
export function kindOfEvent({ type, detail }: Pick<PastEvent, 'type' | 'detail'>): ChangeKind {
  if (type === 'task_ended' && typeof detail.name === 'string') return EVENT_TASKS[detail.name] ?? 'other';
  return KINDS[type] ?? 'other';
}
