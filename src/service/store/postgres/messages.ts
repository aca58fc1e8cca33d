// Messages between copies over LISTEN and NOTIFY, on a connection of its own that is checked and opened again when it
// is lost. Texts are short and carry no state: PostgreSQL does not keep them for a copy that is not listening.
import { sql } from 'kysely';
import pg from 'pg';
import { systemClock } from '../../../base/clock.ts';
import { doublingMs } from '../../../base/time/backoff.ts';
import type { MessageListener, Messages } from '../databases.ts';
import type { Db } from '../schema.ts';

const CHANNEL = 'pithead';
const RECONNECT = { baseMs: 250, capMs: 5_000 };
/** A connection that does not answer this often is as good as lost. */
const HEARTBEAT_MS = 10_000;
const ANSWER_MS = 5_000;

/** Real time, because the network is real whatever clock the service is given. */
export function createPostgresMessages(write: Db, options: pg.ClientConfig): Messages {
  return {
    async send(text) {
      await sql`select pg_notify(${CHANNEL}, ${text})`.execute(write);
    },
    listen(listener) {
      const stopping = new AbortController();
      const running = keepListening(options, listener, stopping.signal);
      return {
        async stop() {
          stopping.abort();
          await running;
        },
      };
    },
  };
}

async function keepListening(options: pg.ClientConfig, listener: MessageListener, stopping: AbortSignal) {
  let failures = 0;
  while (!stopping.aborted) {
    try {
      await listenOnce(
        options,
        {
          ...listener,
          onConnected() {
            failures = 0;
            listener.onConnected();
          },
        },
        stopping,
      );
    } catch (error) {
      if (!stopping.aborted) listener.onError(error);
    }
    await systemClock.sleep(doublingMs(failures++, RECONNECT), stopping).catch(() => {});
  }
}

/** Settles when the connection is lost or is to stop. */
async function listenOnce(options: pg.ClientConfig, listener: MessageListener, stopping: AbortSignal): Promise<void> {
  const client = new pg.Client({ ...options, connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS });
  const lost = new AbortController();
  const over = AbortSignal.any([stopping, lost.signal]);
  client.on('error', (error) => lost.abort(error));
  client.on('end', () => lost.abort());
  client.on('notification', ({ payload }) => {
    if (payload !== undefined) listener.onMessage(payload);
  });
  try {
    await client.connect();
    await client.query(`LISTEN ${CHANNEL}`);
    listener.onConnected();
    while (!over.aborted) {
      await systemClock.sleep(HEARTBEAT_MS, over).catch(() => {});
      if (!over.aborted) await client.query('SELECT 1');
    }
    if (lost.signal.reason instanceof Error && !stopping.aborted) throw lost.signal.reason;
  } finally {
    // Not waited for: a lost peer never answers.
    client.end().catch(() => {});
  }
}
