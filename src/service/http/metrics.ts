// GET /metrics for Prometheus: requests, agents, ingest, tasks, the process. Labels are routes, kinds and states: never
// an id, an address or a key.
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { z } from 'zod';
import type { Clock } from '../../base/clock.ts';
import { createProcessFigures, FIGURES_TYPE, type Figures, renderFigures } from '../../base/metrics/figures.ts';
import { TASK_STATUSES } from '../../model/task.ts';
import type { IngestStore, TaskStore } from '../store/store.ts';
import { answers } from './openapi.ts';
import type { App } from './server.ts';

const DURATIONS_S = [0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30];
const LAGS_S = [1, 3, 10, 30, 60, 300, 900, 3_600, 6 * 3_600, 86_400, 7 * 86_400];
/** Tasks are counted at most this often. */
const COUNT_TASKS_MS = 5_000;

type MetricsParts = {
  readonly tasks: Pick<TaskStore, 'countByStatus'>;
  readonly connectedAgents: () => number;
  /** Undefined where the database sees to itself. */
  readonly backups: () => { readonly newestAtMs: number | undefined; readonly failure: string | undefined } | undefined;
  readonly clock: Clock;
  readonly version: string;
};

export function createMetrics(parts: MetricsParts) {
  const { clock } = parts;
  const registry = new Registry();
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, ...labelNames: L[]) =>
    new Counter({ name, help, labelNames, registers });
  const histogram = <L extends string>(name: string, help: string, buckets: number[], ...labelNames: L[]) =>
    new Histogram({ name, help, buckets, labelNames, registers });

  const requests = counter('pithead_http_requests_total', 'Requests answered', 'method', 'route', 'status');
  const durations = histogram(
    'pithead_http_request_duration_seconds',
    'Time from the request to its answer',
    DURATIONS_S,
    'method',
    'route',
  );
  const slices = counter('pithead_ingest_slices_total', 'Slices of reports by what became of them', 'outcome');
  const records = counter(
    'pithead_ingest_records_total',
    'Records stored, by kind; rejected = those that fit no schema',
    'kind',
  );
  const outdated = counter(
    'pithead_ingest_outdated_total',
    'Records of miners that count in history only: a newer state of the miner was stored',
  );
  const storing = histogram('pithead_ingest_duration_seconds', 'Time to store a slice', DURATIONS_S);
  const lag = histogram('pithead_ingest_lag_seconds', 'Age of a slice when it is stored', LAGS_S);
  const steps = counter('pithead_clock_steps_total', 'How often the clock of this host was set', 'direction');
  for (const direction of ['back', 'forward']) steps.inc({ direction }, 0);
  const difference = new Gauge({
    name: 'pithead_database_clock_difference_seconds',
    help: 'How far the clock of this host is ahead of that of a PostgreSQL database',
    registers,
  });
  addGauges(registers, parts);
  /** Of the process and of the service. */
  const figures: readonly Figures[] = [createProcessFigures(parts.version), { registry }];

  return {
    figures,
    /** The same store, measured. */
    measureIngest: (ingest: IngestStore): IngestStore => ({
      ...ingest,
      async storeSlice(slice) {
        const startMs = clock.monotonicMs();
        const outcome = await ingest.storeSlice(slice);
        slices.inc({ outcome: outcome.kind });
        if (outcome.kind !== 'stored') return outcome;
        storing.observe((clock.monotonicMs() - startMs) / 1_000);
        lag.observe(Math.max(0, slice.nowMs - slice.producedAtMs) / 1_000);
        for (const { kind } of slice.records) records.inc({ kind });
        outdated.inc(outcome.outdated);
        if (slice.rejected > 0) records.inc({ kind: 'rejected' }, slice.rejected);
        return outcome;
      },
    }),
    /** The clock of this host was set; `stepMs` < 0 = back. */
    noteClockStep: (stepMs: number) => steps.inc({ direction: stepMs < 0 ? 'back' : 'forward' }),
    noteClockDifference: (aheadMs: number) => difference.set(aheadMs / 1_000),
    /** Counts every request of the app and serves the figures. */
    register(app: App): void {
      app.addHook('onResponse', async (request, reply) => {
        const labels = { method: request.method, route: request.routeOptions.url ?? '(none)' };
        requests.inc({ ...labels, status: reply.statusCode });
        durations.observe(labels, reply.elapsedTime / 1_000);
      });
      app.route({
        method: 'GET',
        url: '/metrics',
        schema: {
          tags: ['service'],
          operationId: 'getMetrics',
          summary: 'Figures of this process for Prometheus',
          response: { ...answers(z.string()), 200: { content: { 'text/plain': { schema: z.string() } } } },
        },
        handler: async (_request, reply) => reply.type(FIGURES_TYPE).send(await renderFigures(figures)),
      });
    },
  };
}

function addGauges(registers: Registry[], { tasks, connectedAgents, backups, clock }: MetricsParts): void {
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  gauge('pithead_agents_connected', 'Agents connected to this process', connectedAgents);
  addBackups(registers, backups);
  let countedAtMs = Number.NEGATIVE_INFINITY;
  new Gauge({
    name: 'pithead_tasks',
    help: 'Tasks by status',
    labelNames: ['status'],
    registers,
    async collect() {
      const nowMs = clock.monotonicMs();
      if (nowMs - countedAtMs < COUNT_TASKS_MS) return;
      countedAtMs = nowMs;
      // While the database is away the number is unknown; the other figures are still served.
      const counts = await tasks.countByStatus().catch(() => undefined);
      if (counts === undefined) this.reset();
      else for (const status of TASK_STATUSES) this.set({ status }, counts.get(status) ?? 0);
    },
  });
}

function addBackups(registers: Registry[], read: MetricsParts['backups']): void {
  const gauge = (name: string, help: string, of: (state: NonNullable<ReturnType<typeof read>>) => number | undefined) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        const state = read();
        const value = state && of(state);
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  gauge(
    'pithead_backup_newest_timestamp_seconds',
    'When the newest backup of the embedded database was made',
    (state) => (state.newestAtMs === undefined ? undefined : state.newestAtMs / 1_000),
  );
  gauge('pithead_backup_failed', '1 = the newest try made no backup', ({ failure }) => (failure === undefined ? 0 : 1));
}
