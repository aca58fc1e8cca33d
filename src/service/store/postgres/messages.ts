// Messages between copies over LISTEN and NOTIFY, on a connection of its own that is opened again when it is lost. The
// same connection asks the database all the time whether it is there, and has the schema that this copy knows. Texts
// are short and carry no state: PostgreSQL does not keep them for a copy that is not listening.
import { sql } from 'kysely';
import pg from 'pg';
import { systemClock, yieldToEventLoop } from '../../../base/clock.ts';
import { doublingMs } from '../../../base/time/backoff.ts';
import type { ReportedAvailability } from '../availability.ts';
import type { MessageListener, Messages } from '../databases.ts';
import type { Db } from '../schema.ts';
import { isAnswer } from './faults.ts';
import type { SchemaFence, SchemaRow } from './schema-fence.ts';

const CHANNEL = 'pithead';
const RECONNECT = { baseMs: 100, capMs: 1_000 };
const BEAT_MS = 500;
/** A database that takes longer to answer to the simplest question is away. */
const ANSWER_MS = 2_000;

type Watch = { readonly availability: ReportedAvailability; readonly fence: SchemaFence };
type Watched = MessageListener & Watch;

/** Real time, because the network is real whatever clock the service is given. */
export function createPostgresMessages(write: Db, watch: Watch, options: pg.ClientConfig): Messages {
  return {
    hasCopies: true,
    async send(text) {
      await sql`select pg_notify(${CHANNEL}, ${text})`.execute(write);
    },
    listen(listener) {
      const stopping = new AbortController();
      const running = keepListening(options, { ...listener, ...watch }, stopping.signal);
      return {
        async stop() {
          stopping.abort();
          await running;
        },
      };
    },
  };
}

async function keepListening(options: pg.ClientConfig, watched: Watched, stopping: AbortSignal): Promise<void> {
  let failures = 0;
  const onConnected = () => {
    failures = 0;
    watched.availability.back();
    watched.onConnected();
  };
  while (!stopping.aborted) {
    try {
      await listenOnce(options, { ...watched, onConnected }, stopping);
    } catch (error) {
      if (stopping.aborted) return;
      // A server that refuses this one connection may serve the others.
      if (!isAnswer(error)) watched.availability.away(error);
      watched.onError(error);
    }
    await systemClock.sleep(doublingMs(failures++, RECONNECT), stopping).catch(() => {});
  }
}

/**
 * Settles when the connection is lost or is to stop; throws when it cannot be opened, or when the database does not
 * answer on it.
 */
async function listenOnce(options: pg.ClientConfig, listener: Watched, stopping: AbortSignal): Promise<void> {
  const client = new pg.Client({ ...options, connectionTimeoutMillis: ANSWER_MS });
  const lost = new AbortController();
  const over = AbortSignal.any([stopping, lost.signal]);
  client.on('error', (error) => lost.abort(error));
  client.on('end', () => lost.abort());
  client.on('notification', ({ payload }) => {
    if (payload !== undefined) listener.onMessage(payload);
  });
  try {
    await client.connect();
    await answered(client.query(`LISTEN ${CHANNEL}`), over);
    listener.onConnected();
    const beat = `${listener.fence.readSchema.sql} /* beat */`;
    for (;;) {
      await systemClock.sleep(BEAT_MS, over).catch(() => {});
      if (over.aborted) return;
      const heard = await answered(client.query<SchemaRow>(beat), over);
      if (heard !== undefined) listener.fence.look(heard.rows);
    }
  } catch (error) {
    // What was lost may be this connection alone: the next one shows it.
    if (!over.aborted) throw error;
  } finally {
    // A goodbye to a lost peer is never answered.
    if (stopping.aborted) client.end().catch(() => {});
    else client.connection.stream.destroy();
  }
}

/**
 * Undefined when it is over first. Throws when the answer has not come in time. One that has come while this process
 * was busy counts.
 */
async function answered<T>(answer: Promise<T>, over: AbortSignal): Promise<T | undefined> {
  let isHere = false;
  const coming = answer.then((value) => {
    isHere = true;
    return value;
  });
  const late = new AbortController();
  const deadline = systemClock.sleep(ANSWER_MS, AbortSignal.any([over, late.signal])).then(
    async (): Promise<undefined> => {
      for (let turns = 0; turns < 3 && !isHere; turns++) await yieldToEventLoop();
      if (!isHere) throw new Error(`the database does not answer within ${ANSWER_MS} ms`);
    },
    () => undefined,
  );
  try {
    return await Promise.race([coming, deadline]);
  } finally {
    late.abort();
    coming.catch(() => {});
  }
}
