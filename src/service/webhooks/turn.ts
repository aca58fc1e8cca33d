// A turn of one webhook: takes the lease, sends dead letters that a person asked for and the next events of the feed,
// and writes after each message how far it came. It ends with the first failure.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import {
  isWanted,
  type LeasedWebhook,
  type MinerEvent,
  type WebhookDeliveryStore,
  type WebhookFailure,
  type WebhookPage,
  type WebhookStanding,
} from '../store/store.ts';
import { eventMessage } from './message.ts';
import { afterFailure, type Decision, FRESH } from './schedule.ts';
import type { Sender, Sent } from './send.ts';

/** The most events of a turn, and after how long it begins no other message. */
const TURN = { events: 50, forMs: 10_000 } as const;

export type TurnParts = {
  readonly store: WebhookDeliveryStore;
  readonly sender: Sender;
  /** An event as GET …/events lists it. */
  readonly render: (event: MinerEvent, nowMs: number) => Readonly<Record<string, unknown>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly random: () => number;
  readonly copyId: string;
  readonly signal: AbortSignal;
};

type Turn = TurnParts & {
  readonly webhook: LeasedWebhook;
  /** As the last attempt left it. */
  standing: WebhookStanding;
  readonly isOver: () => boolean;
};

/** Says whether another turn should follow at once. */
export async function takeTurn(id: string, parts: TurnParts): Promise<boolean> {
  const { store, clock, copyId, signal } = parts;
  if (signal.aborted) return false;
  const webhook = await store.take(id, copyId, clock.nowMs());
  if (webhook === undefined) return false;
  const endsAtMs = clock.monotonicMs() + TURN.forMs;
  const { standing } = webhook;
  const turn: Turn = { ...parts, webhook, standing, isOver: () => signal.aborted || clock.monotonicMs() >= endsAtMs };
  const page = await store.nextPage(webhook, TURN.events);
  // While it fails the event that it fails with is the one that is tried.
  const letters =
    standing.failingSinceMs === null || page === undefined ? await store.askedFor(webhook, TURN.events) : [];
  if (page === undefined && letters.length === 0) return false;
  return (await sendLetters(turn, letters)) && (page === undefined || (await sendPage(turn, page)));
}

async function sendLetters(turn: Turn, letters: readonly MinerEvent[]): Promise<boolean> {
  const { store, webhook, clock } = turn;
  for (const letter of letters) {
    if (turn.isOver()) return true;
    const sent = await send(turn, letter);
    if (sent.error !== null) {
      await afterFailedLetter(turn, letter, sent);
      return false;
    }
    turn.standing = FRESH;
    if (!(await store.noteResent(webhook, letter, clock.nowMs()))) return true;
  }
  return true;
}

/** False = it waits for its next attempt. */
async function sendPage(turn: Turn, { farmId, after, head, events }: WebhookPage): Promise<boolean> {
  const { store, webhook, clock } = turn;
  const skip = (position: number, lost: number) => store.skip(webhook, { farmId, position }, lost, clock.nowMs());
  // `written` ≤ `at`: up to there nothing is for this webhook.
  let [at, written] = [after, after];
  for (const event of events) {
    if (turn.isOver()) break;
    const missing = event.position - 1 - at;
    if (missing > 0 && !(await skip(event.position - 1, noteLost(turn, farmId, missing)))) return true;
    at = event.position;
    if (!isWanted(webhook, event.type)) continue;
    const sent = await send(turn, event);
    if (sent.error !== null) {
      await afterFailedEvent(turn, event, sent);
      return false;
    }
    turn.standing = FRESH;
    if (!(await store.noteDelivered(webhook, event, clock.nowMs()))) return true;
    written = at;
  }
  const isWhole = !turn.isOver() && events.length < TURN.events;
  if (isWhole && head > at) await skip(head, noteLost(turn, farmId, head - at));
  else if (at > written) await skip(at, 0);
  return true;
}

function noteLost({ log, webhook }: Turn, farmId: string, count: number): number {
  const fields = { webhookId: webhook.id, farmId, count };
  log.warn(fields, 'events were removed because of their age before they could be sent to a webhook');
  return count;
}

function send({ sender, render, clock, signal, webhook }: Turn, event: MinerEvent): Promise<Sent> {
  const { id: webhookId, workspaceId, url, signWith } = webhook;
  const message = eventMessage({ webhookId, workspaceId }, event, render(event, clock.nowMs()));
  return sender.send({ url, secrets: signWith }, message, signal);
}

const failureOf = ({ status, error }: Sent, atMs: number): WebhookFailure => ({ atMs, status, error: error ?? '' });

async function afterFailedEvent(turn: Turn, event: MinerEvent, sent: Sent): Promise<void> {
  const { store, webhook, clock, random, signal } = turn;
  const nowMs = clock.nowMs();
  const failure = failureOf(sent, nowMs);
  const decision = afterFailure(turn.standing, sent, { nowMs, eventAtMs: event.atMs, random });
  const { standing } = decision;
  logFailure(turn, decision, failure);
  switch (decision.kind) {
    case 'retry':
      return void (await store.noteFailure(webhook, standing, failure));
    case 'give-up':
      return void (await store.giveUp(webhook, event, standing, failure));
    case 'give-up-all': {
      if (!(await store.giveUp(webhook, event, standing, failure))) return;
      const { untilMs } = decision;
      const { attempts } = standing;
      await store.giveUpUntil(webhook, { untilMs, failure, attempts, nowMs: () => clock.nowMs(), signal });
      return;
    }
    case 'disable':
      return void (await store.disable(webhook, { standing, reason: decision.reason, failure }));
  }
}

async function afterFailedLetter(turn: Turn, letter: MinerEvent, sent: Sent): Promise<void> {
  const { store, webhook, clock, random } = turn;
  const nowMs = clock.nowMs();
  const failure = failureOf(sent, nowMs);
  const decision = afterFailure(turn.standing, sent, { nowMs, eventAtMs: null, random });
  logFailure(turn, decision, failure);
  const { standing } = decision;
  if (!(await store.noteResendFailed(webhook, letter, standing, failure)) || decision.kind !== 'disable') return;
  await store.disable(webhook, { standing, reason: decision.reason, failure });
}

/** The first of a row, and what is decided for long. Never with the URL: it may hold a token. */
function logFailure({ log, webhook: { id, name } }: Turn, { kind, standing }: Decision, failure: WebhookFailure): void {
  const fields = { webhookId: id, name, status: failure.status, error: failure.error };
  if (kind === 'disable') log.warn(fields, 'a webhook is disabled');
  else if (kind !== 'retry') log.warn(fields, 'a webhook has failed for a day: events become dead letters');
  else if (standing.attempts === 1) log.info(fields, 'an event could not be sent to a webhook: it is tried again');
}
