// Says in the audit trail that the service started and with which configuration, and writes the head of the trail to
// the log every hour: a copy of the log elsewhere shows when the end of the trail was cut or all of it written anew.
import { hash } from 'node:crypto';
import { hostname } from 'node:os';
import type { Clock } from '../../base/clock.ts';
import { ConfigError, renderError } from '../../base/errors.ts';
import { createRound, type Part } from '../../base/lifecycle.ts';
import type { Log } from '../../base/log.ts';
import { shownHead } from '../../base/storage/hash-chain.ts';
import type { AuditStore } from '../store/store.ts';

const HOUR_MS = 3_600_000;

type Parts = {
  readonly store: { readonly audit: AuditStore };
  readonly options: { readonly version: string; readonly settings?: Readonly<Record<string, string>> | undefined };
  readonly clock: Clock;
  readonly log: Log;
};

export function createTrailHead({ store: { audit }, options, clock, log }: Parts): Part {
  const { version, settings = {} } = options;
  let isRecorded = false;
  const recordStart = async () => {
    const configuration = hash('sha256', JSON.stringify(Object.entries(settings).toSorted()));
    await audit.recordStart({ copy: hostname(), version, configuration, settings, atMs: clock.nowMs() });
    isRecorded = true;
  };
  const write = async () => {
    if (!isRecorded) await recordStart();
    const head = await audit.head();
    log.info(
      { head: shownHead(head) },
      'head of the audit trail: `pithead audit verify --head` checks the trail with it',
    );
  };
  const round = createRound('noting the head of the audit trail', HOUR_MS, write, clock, log);
  return {
    ...round,
    async start() {
      await recordStart().catch((error: unknown) => {
        if (error instanceof ConfigError) throw error;
        // A full disk is no reason not to serve what is there.
        log.error({ error: renderError(error) }, 'the start of the service is not in the audit trail yet');
      });
      round.start();
    },
  };
}
