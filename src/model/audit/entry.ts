// An entry of an audit trail: who did what to what, in one canonical text that the chain of hashes covers. Pure; it
// decides what of an act is kept, so that no secret and no endless text gets in.
import { visibleText } from '../plain-text.ts';
import { type Actor, SECRET_NAME, shownParams } from '../task.ts';
import type { AuditAction } from './actions.data.ts';

export type AuditActor = Pick<Actor, 'type' | 'id' | 'name'>;

/** What is recorded. `workspaceId` absent = it is about the service or the agent as a whole. */
export type AuditAct<Action extends AuditAction = AuditAction> = {
  readonly action: Action;
  readonly actor: AuditActor;
  readonly workspaceId?: string | undefined;
  /** Ids of what it is about, by kind. */
  readonly subject?: Readonly<Record<string, string>>;
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly atMs: number;
};

/** As it is stored; `subject` and `detail` are JSON texts. */
export type AuditFields = {
  readonly at: number;
  readonly action: string;
  readonly actor_type: string;
  readonly actor_id: string;
  readonly actor_name: string;
  readonly workspace_id: string | null;
  readonly subject: string;
  readonly detail: string;
};

const MAX_DETAIL = 4_000;
const MAX_TEXT = 200;
const MAX_ITEMS = 50;

export const SYSTEM: AuditActor = { type: 'system', id: 'service', name: 'service' };
export const agentActor = (id: string, name = ''): AuditActor => ({ type: 'agent', id, name });

/** `user` of the operating system. */
export const commandLine = (user: string): AuditActor => ({
  ...{ type: 'system', id: 'command-line', name: `command line of ${user}` },
});

export function toFields({ action, actor, workspaceId, subject = {}, detail = {}, atMs }: AuditAct): AuditFields {
  return {
    at: atMs,
    action,
    actor_type: actor.type,
    actor_id: short(actor.id),
    actor_name: short(actor.name),
    workspace_id: workspaceId ?? null,
    subject: JSON.stringify(kept(subject)),
    detail: JSON.stringify(kept(detail)),
  };
}

/** The text that is hashed: every field, in one order, so that none can be changed alone. */
export function canonicalText(fields: AuditFields): string {
  const { at, action, actor_type, actor_id, actor_name, workspace_id, subject, detail } = fields;
  return JSON.stringify([at, action, actor_type, actor_id, actor_name, workspace_id, subject, detail]);
}

/** Without what is secret; long texts and lists are shortened, and what is beyond the bound is left out and counted. */
function kept(detail: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  let left = MAX_DETAIL;
  let omitted = 0;
  for (const [name, value] of Object.entries(shownParams(detail))) {
    if (value === undefined) continue;
    const shown = SECRET_NAME.test(name) ? '***' : shortened(value, 0);
    const size = JSON.stringify([name, shown]).length;
    if (size > left) omitted++;
    else {
      found[name] = shown;
      left -= size;
    }
  }
  return omitted === 0 ? found : { ...found, omitted };
}

const MAX_DEPTH = 4;

function shortened(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return short(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => shortened(item, depth + 1));
    return value.length > MAX_ITEMS ? [...items, `… ${value.length - MAX_ITEMS} more`] : items;
  }
  const entries = Object.entries(value).slice(0, MAX_ITEMS);
  return Object.fromEntries(entries.map(([name, item]) => [short(name), shortened(item, depth + 1)]));
}

const short = (text: string) => {
  const plain = visibleText(text);
  return plain.length > MAX_TEXT ? `${plain.slice(0, MAX_TEXT)}…` : plain;
};
