// The IP-report buttons that are pressed while a walk goes on: asks the service for such events, once a second. What
// was pressed before the walk began does not count.
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { listOf } from '../../../wire/api/envelope.ts';
import { eventSchema } from '../../../wire/api/tenants.ts';
import type { Asks } from '../location-service.ts';

const LOOK_MS = 1_000;
/** Where the service does not answer. */
const RETRY_MS = 5_000;
const PAGE = 100;
/** Of a farm that has no event yet each one is new. */
const BEGIN = '1970-01-01T00:00:00Z';

const events = listOf(eventSchema).extend({ pagination: z.unknown() });

/**
 * The newest event, after which buttons count; '' where there is none yet, undefined where the service does not say.
 */
export async function newestEvent({ ask }: Asks, onTrouble: (error: unknown) => void): Promise<string | undefined> {
  try {
    const { data } = await ask(events, { method: 'GET', path: '/events?page_size=1' });
    return data[0]?.id ?? '';
  } catch (error) {
    onTrouble(error);
    return undefined;
  }
}

type Listening = {
  /** As `newestEvent` gives it. */
  readonly after: string | undefined;
  readonly onPressed: (minerId: string) => void;
  /** Once for each time that it cannot look. */
  readonly onTrouble: (error: unknown) => void;
};

/** Calls `onPressed` with the id of each miner until the signal aborts. */
export async function followButtons(
  service: Asks,
  clock: Clock,
  signal: AbortSignal,
  { after: begin, onPressed, onTrouble }: Listening,
): Promise<void> {
  let after = begin;
  let isTold = after === undefined;
  while (!signal.aborted) {
    let waitMs = LOOK_MS;
    try {
      const path = after === undefined ? undefined : feedPath(after);
      if (path === undefined) after = await newestEvent(service, () => {});
      else
        for (const { id, miner_id: minerId } of (await service.ask(events, { method: 'GET', path })).data) {
          after = id;
          if (minerId !== null) onPressed(minerId);
        }
      isTold &&= after === undefined;
    } catch (error) {
      if (!isTold && !signal.aborted) onTrouble(error);
      isTold = true;
      waitMs = RETRY_MS;
    }
    await clock.sleep(waitMs, signal).catch(() => {});
  }
}

const feedPath = (after: string) =>
  `/events?type=ip_reported&page_size=${PAGE}&${after === '' ? `since=${BEGIN}` : `after=${encodeURIComponent(after)}`}`;
