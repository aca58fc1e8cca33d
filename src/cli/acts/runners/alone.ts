// Reboots by this command itself, where no agent runs on this host or it does not watch what is named. Its limits hold
// for these miners, and no other program sees them.
import type { AgentConfig } from '../../../agent/config/config.ts';
import type { Preview, Step } from '../../../agent/control/control-client.ts';
import { rebootOnce } from '../../../agent/standalone/reboot.ts';
import { CancelledError } from '../../../base/errors.ts';
import type { ActLimits, ActPreview, ActRunner, ActStep } from './runner.ts';

export type AloneReboot = {
  readonly config: AgentConfig;
  /** Addresses and ranges. */
  readonly ips: readonly string[];
  readonly force: boolean;
  readonly limits: Pick<ActLimits, 'concurrency'>;
};

/** Recognises for the preview, and holds what it found until the run. */
export function aloneRunner({ config, ips, force, limits: { concurrency } }: AloneReboot): ActRunner {
  const { tasks } = config;
  const reboot = { ...tasks.reboot, ...(concurrency !== undefined && { concurrency }) };
  const agreed = Promise.withResolvers<void>();
  agreed.promise.catch(() => {});
  let hear: (step: ActStep) => void = () => {};
  let whole: Promise<unknown> = Promise.resolve();
  return {
    async preview(signal): Promise<ActPreview> {
      const shown = Promise.withResolvers<Preview>();
      const options = {
        ...{ config: { ...config, tasks: { ...tasks, reboot } }, ips, force },
        agree(preview: Preview) {
          shown.resolve(preview);
          return agreed.promise;
        },
      };
      whole = rebootOnce(options, (step: Step) => hear(step), signal);
      whole.catch(shown.reject);
      const { miners, unknown, at_once: atOnce } = await shown.promise;
      const nowhere = { mac: null, container: null, rack: null, position: null };
      return {
        miners: miners.map(({ ip, model }) => ({ ip, model: model === '' ? null : model, ...nowhere })),
        leftOut: unknown.map(({ name, reason }) => ({ who: name, reason })),
        ...{ atOnce, kw: null, etaS: null, workers: [] },
      };
    },
    async run(onStep) {
      hear = onStep;
      agreed.resolve();
      await whole;
      return { batchIds: [], leftOut: [] };
    },
    async close() {
      agreed.reject(new CancelledError('reboot: it was not agreed to'));
      await whole.catch(() => {});
    },
  };
}
