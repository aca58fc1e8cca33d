// Starts lone-agent-child.ts and reads what it has reported, miner by miner.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { DatabaseSync } from 'node:sqlite';
import { zstdDecompressSync } from 'node:zlib';
import { z } from 'zod';
import { HEAP_FLAGS } from '../../src/base/platform/heap-flags.ts';
import { type MinerRecord, sliceBodySchema } from '../../src/wire/records.ts';
import { until } from '../e2e/until.ts';
import { type VouchedFarm, vouchFor } from '../e2e/vouch.ts';

const tellingSchema = z.object({
  miners: z.number(),
  rssMb: z.number(),
  delayMs: z.number(),
  /** Delays of the event loop since `beginAnew`, or since its start. */
  longMs: z.object({ p99: z.number(), most: z.number() }),
  /** Of the processor, since its start. */
  cpuMs: z.number(),
  heapB: z.number(),
  timers: z.number(),
  handles: z.number(),
});
export type Telling = z.output<typeof tellingSchema> & { readonly atMs: number };

export type LoneAgent = {
  /** Newest last; `atMs` by the wall clock of this process. */
  readonly tellings: readonly Telling[];
  untilKnown(miners: number): Promise<void>;
  /** Sets its wall clock by this much. */
  stepWall(ms: number): void;
  /** From now on `longMs` counts anew. */
  beginAnew(): void;
  signal(name: NodeJS.Signals): void;
  readonly hasEnded: boolean;
  /** Ends it and gives what it reported of miners, in the order of their slices. */
  end(): Promise<MinerRecord[]>;
  remove(): void;
};

type LoneOptions = {
  /** It frees what is free before it tells what it takes. */
  readonly tidies?: boolean;
  /** A person has said what its devices are: those that give no proof are read too. */
  readonly farm?: VouchedFarm;
};

export function startLoneAgent(config: object, { tidies = false, farm }: LoneOptions = {}): LoneAgent {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-fault-'));
  if (farm !== undefined) vouchFor(folder, farm);
  writeFileSync(
    join(folder, 'pithead.yaml'),
    JSON.stringify({ stateDir: '.', scan: { maxPerSecond: 50_000 }, ...config }),
    { mode: 0o600 },
  );
  const child: ChildProcess = spawn(
    process.execPath,
    [...HEAP_FLAGS, ...(tidies ? ['--expose-gc'] : []), join(import.meta.dirname, 'lone-agent-child.ts'), folder],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'close');
  const tellings: Telling[] = [];
  if (child.stdout !== null) {
    createInterface({ input: child.stdout }).on('line', (line) => {
      tellings.push({ ...tellingSchema.parse(JSON.parse(line)), atMs: Date.now() });
    });
  }
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null;
  return {
    tellings,
    async untilKnown(miners) {
      await until(
        () => (hasEnded() ? -1 : (tellings.at(-1)?.miners ?? 0)),
        (known) => known >= miners || known < 0,
        240_000,
      );
    },
    stepWall: (ms) => void child.stdin?.write(`${ms}\n`),
    beginAnew: () => void child.stdin?.write('anew\n'),
    signal: (name) => void child.kill(name),
    get hasEnded() {
      return hasEnded();
    },
    async end() {
      child.kill('SIGTERM');
      await ended;
      const db = new DatabaseSync(join(folder, 'outbox.sqlite'), { readOnly: true });
      const bodies = z
        .array(z.object({ body: z.instanceof(Uint8Array) }))
        .parse(db.prepare('SELECT body FROM outbox_slices ORDER BY id').all());
      db.close();
      return bodies
        .flatMap(({ body }) => sliceBodySchema.parse(JSON.parse(zstdDecompressSync(body).toString('utf8'))).records)
        .flatMap((record) => (record.kind === 'miner' ? [record] : []));
    },
    remove() {
      child.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
