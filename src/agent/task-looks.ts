// What a task sees of its miner: what that miner says, never what another unit says that stands at its address by now. It sends nothing but looks.
import { RefusedError } from '../base/errors.ts';
import type { VisitOutcome } from '../driver/visit.ts';
import type { Access, MinerTarget } from './access.ts';
import type { IdentityBook } from './identity/book.ts';
import type { Sighting } from './identity/record.ts';
import { knownOf, type Roster } from './roster.ts';
import type { TaskDeps } from './tasks/contract.ts';

export function createTaskLooks(parts: {
  readonly access: Pick<Access, 'read' | 'readAfresh' | 'targetOf'>;
  readonly roster: Pick<Roster, 'recognised'>;
  readonly book: Pick<IdentityBook, 'whoIs'>;
  readonly neighbours: { at(ip: string): Sighting['neighbour'] };
  /** Throws CancelledError when the miner has left. */
  readonly targetOf: (key: string) => MinerTarget;
  /** Aborts when the agent stops. */
  readonly signal: AbortSignal;
  /** Who answered instead could not be taken in. */
  onError(error: unknown, ip: string): void;
}): TaskDeps['observe'] {
  const { access, roster, book, neighbours, targetOf, signal } = parts;

  /** So that the move is known now, and not with the next poll that happens to ask who it is. */
  const meet = (asked: MinerTarget, found: ReturnType<IdentityBook['whoIs']>, outcome: VisitOutcome) => {
    const { ip, driver } = asked;
    // Nothing of the unit that stood here: what it said and how it was met would be taken for this one's.
    const target = access.targetOf(ip, found?.driverId ?? driver.id, found === undefined ? {} : knownOf(found));
    if (target === undefined) return;
    const recognised = {
      ...{ status: 'identified' as const, target, outcome },
      ...{ identity: { confidence: 'sure' as const }, evidence: { family: undefined } },
    };
    roster.recognised(ip, recognised, signal).catch((error: unknown) => parts.onError(error, ip));
  };

  return async (key, lookSignal, isFresh = false) => {
    const target = targetOf(key);
    const { ip } = target;
    const outcome = await (isFresh
      ? access.readAfresh(target, lookSignal)
      : access.read(target, lookSignal, 'command'));
    const { mac, serialNumber } = outcome.reading;
    const found = book.whoIs({ ip, mac, serialNumber, neighbour: mac ? undefined : neighbours.at(ip) });
    if (found?.key === key) return outcome.reading;
    meet(target, found, outcome);
    throw new RefusedError('refused.other-unit', 'another unit stands at this address now');
  };
}
