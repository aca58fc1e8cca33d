// Lets through only orders and notices of the service whose key this agent has pinned. The key is learnt once, with the identity or from the first welcome;
// until then orders are taken as a service of the first version sends them. It carries nothing out and knows no task.
import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import type { Clock } from '../../base/clock.ts';
import { renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { readPublicKey } from '../../base/secrets.ts';
import type { TaskOrder, WelcomeFrame } from '../../wire/frames.ts';
import type { KeyPin, OrderEvent, OrderGuard, OrderSession } from './contract.ts';
import { createRefusals } from './refusals.ts';
import { openSequences } from './sequences.ts';
import { leadsTo, verifyNotice, verifyOrder } from './verify.ts';

export function createOrderGuard(
  db: DatabaseSync,
  parts: {
    /** Names the service. */
    readonly uplink: string;
    /** Our name there. */
    readonly agentId: string;
    readonly pin: KeyPin;
    readonly clock: Clock;
    readonly log: Log;
    audit(event: OrderEvent): void;
  },
): OrderGuard {
  const { uplink, agentId, pin, clock, log, audit } = parts;
  const sequences = openSequences(db, uplink, agentId);
  const refusals = createRefusals({ uplink, agentId, file: pin.file, clock, log, audit });
  let lastSeq = sequences.read();
  let refusedKey: string | undefined;

  const keep = (key: string, type: 'task_key_pinned' | 'task_key_changed') => {
    try {
      pin.keep(key);
    } catch (error) {
      log.error({ uplink, cause: renderError(error) }, 'keep the key of the service: it holds until the next start');
    }
    log.info({ uplink, key }, type === 'task_key_pinned' ? PINNED : CHANGED);
    audit({ type, key: agentId, detail: { uplink, key } });
  };

  const expectSigned = () => {
    if (pin.signsNotices()) return;
    try {
      pin.keepSignsNotices();
    } catch (error) {
      log.error({ uplink, cause: renderError(error) }, 'keep that the service signs: it holds until the next start');
    }
  };

  const learn = ({ task_key: shown, task_key_changes: changes = [] }: WelcomeFrame) => {
    if (shown === undefined || readPublicKey(shown) === undefined) return;
    const pinned = pin.read();
    if (pinned === undefined) keep(shown, 'task_key_pinned');
    else if (pinned === shown) refusedKey = undefined;
    else if (leadsTo(pinned, shown, changes)) keep(shown, 'task_key_changed');
    else if (refusedKey !== shown) {
      refusedKey = shown;
      log.error({ uplink, key: shown, pinned, file: pin.file }, REFUSED);
      audit({ type: 'task_key_refused', key: agentId, detail: { uplink, key: shown, pinned } });
    }
  };

  return {
    begin(): OrderSession {
      const nonce = randomBytes(16).toString('base64url');
      let welcome: { readonly at: string; readonly heardMs: number; readonly signs: readonly string[] } | undefined;

      /** What is left of its life counts from now, whatever our clock says; a suspend in between has used it up. The gate makes a deadline of it in this same turn. */
      const inOurTime = (order: TaskOrder, since: { readonly at: string; readonly heardMs: number }): TaskOrder => {
        const theirsMs = Date.parse(since.at) + clock.elapsedMs() - since.heardMs;
        const leftMs = Date.parse(order.expires_at) - theirsMs;
        return { ...order, expires_at: new Date(clock.nowMs() + leftMs).toISOString() };
      };

      return {
        nonce,
        taskSeq: lastSeq,
        onWelcome(frame) {
          welcome = { at: frame.at, heardMs: clock.elapsedMs(), signs: frame.signs ?? [] };
          learn(frame);
        },
        admit(frames) {
          const pinned = pin.read();
          const key = pinned === undefined ? undefined : readPublicKey(pinned);
          const admitted: TaskOrder[] = [];
          let seq = lastSeq;
          for (const frame of frames) {
            if (frame.type === 'task') {
              if (pinned === undefined) admitted.push(frame);
              else refusals.add('unsigned', frame);
            } else if (key === undefined || welcome === undefined) refusals.add('no key is known', frame);
            else {
              const expected = { key, agentId, nonce, welcomedAt: welcome.at, lastSeq: seq };
              const verdict = verifyOrder(frame, expected);
              if (verdict.refused !== undefined) refusals.add(verdict.refused, frame);
              else {
                admitted.push(inOurTime(verdict.order, welcome));
                seq = verdict.seq;
              }
            }
          }
          // Before the orders are journaled: one that is lost in between comes again with a number of its own.
          if (seq > lastSeq) sequences.write(seq);
          lastSeq = seq;
          return admitted;
        },
        hear(frame) {
          const pinned = pin.read();
          if (frame.type !== 'signed-notice') {
            const isExpected = pin.signsNotices() || welcome?.signs.includes(frame.type) === true;
            if (pinned === undefined || !isExpected) return frame;
            refusals.add('unsigned', frame);
            return undefined;
          }
          const key = pinned === undefined ? undefined : readPublicKey(pinned);
          if (key === undefined || welcome === undefined) {
            refusals.add('no key is known', frame);
            return undefined;
          }
          const verdict = verifyNotice(frame, { key, agentId, nonce, welcomedAt: welcome.at, lastSeq });
          if (verdict.refused !== undefined) {
            refusals.add(verdict.refused, frame);
            return undefined;
          }
          // Not on disk: it is worth nothing on another connection, whatever its number.
          lastSeq = verdict.seq;
          expectSigned();
          return verdict.notice;
        },
      };
    },
    stop: () => refusals.stop(),
  };
}

const PINNED = 'the key of the service was learnt: from now on only orders signed with it are taken';
const CHANGED = 'the service has a new key, signed with the one before: orders signed with it are taken';
const REFUSED =
  'the service shows another key than the one that this agent has learnt: its orders are refused, reports go on. If the key was lost there, remove the file that keeps the old one and start the agent again; if not, look at who answers in its place';
