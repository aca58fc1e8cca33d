// Changes that wait for the network on this device: notes and places of miners, never orders to a device. Each is sent
// once, in the order in which they were written. Pure: what is kept is read as carefully as what a stranger sends.

/** So many wait at most; a device that is full says so. */
export const MOST_WAITING = 100;

export type Waiting = {
  /** By which the service knows that it was sent before. */
  readonly key: string;
  readonly atMs: number;
  /** Who wrote it: it is sent in no other name. */
  readonly person: { readonly id: string; readonly name: string };
  readonly minerId: string;
  readonly ip: string;
  readonly what:
    | { readonly kind: 'note'; readonly text: string }
    | { readonly kind: 'place'; readonly rack: string; readonly position: number; readonly label: string };
  /** Why the service did not take it; null = it was not asked yet. */
  readonly problem: string | null;
};
export type WaitingList = readonly Waiting[];

/** Undefined = no more can wait. What has been refused counts too: a person has to look at it. */
export const withWaiting = (list: WaitingList, added: Waiting): WaitingList | undefined =>
  list.length >= MOST_WAITING ? undefined : [...list, added];

export const withoutWaiting = (list: WaitingList, key: string): WaitingList => list.filter((each) => each.key !== key);

export const withProblem = (list: WaitingList, key: string, problem: string): WaitingList =>
  list.map((each) => (each.key === key ? { ...each, problem } : each));

/** The next one of this person to be sent. */
export const nextWaiting = (list: WaitingList, personId: string): Waiting | undefined =>
  list.find(({ person, problem }) => problem === null && person.id === personId);

/** The request by which it is done, below the address of the farm. */
export function requestOf({ what, minerId }: Waiting): { readonly path: string; readonly body: object } {
  return what.kind === 'note'
    ? { path: `miners/${encodeURIComponent(minerId)}/notes`, body: { text: what.text } }
    : {
        path: 'location-changes',
        body: { miners: [{ miner: minerId, rack: what.rack, position: what.position }], swap: false },
      };
}

export const writeWaiting = (list: WaitingList): string | undefined =>
  list.length === 0 ? undefined : JSON.stringify(list);

/** What is no list of this kind is forgotten, entry by entry. */
export function readWaiting(text: string | undefined): WaitingList {
  try {
    const read: unknown = JSON.parse(text ?? '[]');
    return Array.isArray(read) ? read.filter(isWaiting).slice(0, MOST_WAITING) : [];
  } catch {
    return [];
  }
}

function isWaiting(value: unknown): value is Waiting {
  const { key, atMs, person, minerId, ip, what, problem } = fields(value);
  const names = [key, minerId, ip, fields(person).id, fields(person).name];
  return (
    names.every((each) => typeof each === 'string') &&
    Number.isFinite(atMs) &&
    (problem === null || typeof problem === 'string') &&
    isWhat(fields(what))
  );
}

const isWhat = ({ kind, text, rack, position, label }: Readonly<Record<string, unknown>>): boolean =>
  kind === 'note'
    ? typeof text === 'string'
    : kind === 'place' && typeof rack === 'string' && Number.isInteger(position) && typeof label === 'string';

const fields = (value: unknown): Readonly<Record<string, unknown>> => Object(value);
