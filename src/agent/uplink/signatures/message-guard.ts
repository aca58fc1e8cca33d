// Lets through only tasks and notices of the service whose key is pinned. The key comes with the enrolment; where its
// file was removed, with the next welcome. It executes nothing.
import { randomBytes } from 'node:crypto';
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { renderError } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import { readPublicKey } from '../../../base/secrets.ts';
import type { Migrations } from '../../../base/storage/sqlite.ts';
import type { Notice, SignedNoticeFrame, SignedTaskFrame, TaskCommand, WelcomeFrame } from '../../../wire/frames.ts';
import type { KeyPin } from './key-pin.ts';
import { createRefusals, type GuardEvent } from './refusals.ts';
import { type Expected, leadsTo, type SignedAs, signedAs, verifyNotice, verifyTask } from './verify.ts';

export const messageGuardMigrations: Migrations = {
  owner: 'message-guard',
  steps: [
    `CREATE TABLE admitted_messages (uplink TEXT NOT NULL, agent_id TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (uplink, agent_id))
     STRICT, WITHOUT ROWID`,
  ],
};

const UNSIGNED: ReadonlyMap<string, 'order' | 'notice'> = new Map<
  TaskCommand['type'] | Notice['type'],
  'order' | 'notice'
>([
  ['task', 'order'],
  ['cancel', 'notice'],
  ['ops-status', 'notice'],
  ['outlook', 'notice'],
]);

/** What holds from the welcome on. `checked` = frames whose signature was looked at already. */
type Welcomed = {
  readonly welcomedMs: number;
  readonly expected: Omit<Expected, 'lastSeq'>;
  readonly checked: WeakMap<SignedTaskFrame, SignedAs>;
};

export type MessageGuard = ReturnType<typeof createMessageGuard>;

type GuardParts = {
  /** Names the service. */
  readonly uplink: string;
  /** Our name there. */
  readonly agentId: string;
  readonly pin: KeyPin;
  readonly clock: Clock;
  readonly log: Log;
  audit(event: GuardEvent): void;
};

export function createMessageGuard(db: DatabaseSync, parts: GuardParts) {
  const { uplink, agentId, pin, clock, log, audit } = parts;
  const sequences = openSequences(db, uplink, agentId);
  const refusals = createRefusals({ uplink, agentId, file: pin.file, clock, log, audit });
  const trusted = createTrust(parts);
  let lastSeq = sequences.read();

  return {
    /** For one connection, which admits nothing before its welcome. */
    begin() {
      const nonce = randomBytes(16).toString('base64url');
      let connection: Welcomed | undefined;

      return {
        /** For the hello. */
        nonce,
        taskSeq: lastSeq,
        onWelcome(frame: WelcomeFrame): void {
          const key = readPublicKey(trusted(frame));
          const expected = { key, agentId, nonce, welcomedAt: frame.at };
          connection = { welcomedMs: clock.elapsedMs(), expected, checked: new WeakMap() };
        },
        /** Checks signatures beside the event loop, for `admit`, which checks those that were not. Decides nothing. */
        async check(frames: readonly SignedTaskFrame[]): Promise<void> {
          if (connection === undefined) return;
          const { checked, expected } = connection;
          await Promise.all(frames.map(async (frame) => void checked.set(frame, await signedAs(frame, expected.key))));
        },
        /**
         * The tasks to carry out, in order, with an expiry in our time. Throws when the number cannot be written: then
         * none is admitted.
         */
        admit(frames: readonly SignedTaskFrame[]): readonly TaskCommand[] {
          if (connection === undefined) return [];
          const admitted: TaskCommand[] = [];
          let seq = lastSeq;
          for (const frame of frames) {
            const { refused, signed } = verifyTask(
              frame,
              { ...connection.expected, lastSeq: seq },
              connection.checked.get(frame),
            );
            if (refused !== undefined) {
              refusals.add(refused, 'order', frame.text);
              continue;
            }
            // The rest of its life counts from now, whatever our clock is set to; a suspend in between has used it up.
            // The queue makes a deadline of it in this same tick.
            const theirsMs = Date.parse(signed.welcomed_at) + clock.elapsedMs() - connection.welcomedMs;
            const expiresMs = clock.nowMs() + Date.parse(signed.task.expires_at) - theirsMs;
            admitted.push({ ...signed.task, expires_at: new Date(expiresMs).toISOString() });
            seq = signed.seq;
          }
          // Before the tasks are journaled: one that is lost in between comes again with a number of its own.
          if (seq > lastSeq) sequences.write(seq);
          lastSeq = seq;
          return admitted;
        },
        /** The notice; undefined when the service has not sent it. Needs no disk. */
        hear(frame: SignedNoticeFrame): Notice | undefined {
          if (connection === undefined) return undefined;
          const { refused, signed } = verifyNotice(frame, { ...connection.expected, lastSeq });
          if (refused !== undefined) {
            refusals.add(refused, 'notice', frame.text);
            return undefined;
          }
          // Not on disk: a notice is worth nothing on another connection.
          lastSeq = signed.seq;
          return signed.notice;
        },
        /** A message of an unknown type: refused if it should be signed, else it is that of a newer service. */
        leaveAside(type: string, text: string): void {
          const what = UNSIGNED.get(type);
          if (what !== undefined) refusals.add('unsigned', what, text);
        },
      };
    },
    /** Reports the refusals that are still waiting. */
    stop: () => refusals.stop(),
  };
}

/** Says which key to trust on a connection: the one in the welcome only if it is the pinned one, or follows from it. */
function createTrust({ uplink, agentId, pin, log, audit }: Omit<GuardParts, 'clock'>) {
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

  return ({ task_key: shown, task_key_changes: changes }: WelcomeFrame): string => {
    const pinned = pin.read();
    if (pinned === shown) refusedKey = undefined;
    else if (pinned === undefined) keep(shown, 'task_key_pinned');
    else if (leadsTo(pinned, shown, changes)) keep(shown, 'task_key_changed');
    else {
      if (refusedKey === shown) return pinned;
      refusedKey = shown;
      log.error({ uplink, key: shown, pinned, file: pin.file }, REFUSED);
      audit({ type: 'task_key_refused', key: agentId, detail: { uplink, key: shown, pinned } });
      return pinned;
    }
    return shown;
  };
}

const sequenceSchema = z.object({ seq: z.int() });

/** The number of the last task admitted from each service, on disk. */
function openSequences(db: DatabaseSync, uplink: string, agentId: string) {
  const select = db.prepare('SELECT seq FROM admitted_messages WHERE uplink = ? AND agent_id = ?');
  const upsert = db.prepare(
    'INSERT INTO admitted_messages VALUES (?, ?, ?) ON CONFLICT (uplink, agent_id) DO UPDATE SET seq = excluded.seq',
  );
  return {
    /** 0 = none. */
    read: () => sequenceSchema.safeParse(select.get(uplink, agentId)).data?.seq ?? 0,
    write: (seq: number) => void upsert.run(uplink, agentId, seq),
  };
}

const PINNED = 'the key of the service is pinned: only tasks signed with it are taken';
const CHANGED = 'the service has a new key, signed with the one before: tasks signed with it are taken';
const REFUSED =
  'the service shows another key than the pinned one: its tasks are refused, reports continue. If the service lost its key, remove the file that keeps the old one and start the agent again; if not, check which host answers in its place';
