// Figures for Prometheus: groups of them that one page shows together, and those of the process. It listens nowhere.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Counter, Gauge, Registry } from 'prom-client';

/** A group of figures. Two groups on one page may not share a name. */
export type Figures = {
  readonly registry: Registry;
  /** Brings the figures up to date before they are shown, where they are not counted all the time. */
  readonly refresh?: () => void;
};

export const FIGURES_TYPE = Registry.PROMETHEUS_CONTENT_TYPE;

/** The page, in the text format of Prometheus. */
export function renderFigures(groups: readonly Figures[]): Promise<string> {
  for (const { refresh } of groups) refresh?.();
  return Registry.merge(groups.map(({ registry }) => registry)).metrics();
}

const NS_PER_S = 1e9;
const DELAY_EVERY_MS = 20;

/** Of this process: memory, processor, delays of its event loop, version. */
export function createProcessFigures(version: string): Figures {
  const registry = new Registry();
  const registers = [registry];
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
  const resident = gauge('process_resident_memory_bytes', 'Memory in use');
  const started = gauge('process_start_time_seconds', 'When the process started');
  const delays = new Gauge({
    name: 'pithead_event_loop_delay_seconds',
    help: 'How late the event loop was, since the figures were asked for the last time; quantile 1 = the worst',
    labelNames: ['quantile'],
    registers,
  });
  const cpu = new Counter({ name: 'process_cpu_seconds_total', help: 'CPU time used since the start', registers });
  new Gauge({ name: 'pithead_build_info', help: 'Always 1', labelNames: ['version'], registers }).set({ version }, 1);
  started.set(performance.timeOrigin / 1_000);
  const loopDelay = monitorEventLoopDelay({ resolution: DELAY_EVERY_MS });
  loopDelay.enable();
  return {
    registry,
    refresh() {
      resident.set(process.memoryUsage.rss());
      const { user, system } = process.cpuUsage();
      cpu.reset();
      cpu.inc((user + system) / 1e6);
      showDelays(delays, loopDelay);
    },
  };
}

/** Nothing is shown where nothing was measured since the last time. */
function showDelays(gauge: Gauge<'quantile'>, delay: ReturnType<typeof monitorEventLoopDelay>): void {
  gauge.reset();
  if (delay.count > 0) {
    for (const quantile of [0.5, 0.99]) gauge.set({ quantile }, lateS(delay.percentile(100 * quantile)));
    gauge.set({ quantile: 1 }, lateS(delay.max));
  }
  delay.reset();
}

/** The histogram counts from one look to the next: what is beyond the usual time between them was late. */
const lateS = (delayNs: number): number => Math.max(0, delayNs / NS_PER_S - DELAY_EVERY_MS / 1_000);
