// What people do to miners from the page: each act with the task that it is, and what it needs.
import type { Permission } from '../../../model/permissions/permissions.data.ts';
import type { Texts } from '../../text/texts.ts';

export const ACT_NAMES = [
  ...(['light', 'lightOff', 'refresh', 'reboot', 'sleep', 'wake', 'log'] as const),
  ...(['pools', 'firmware', 'password'] as const),
] as const;
export type ActName = (typeof ACT_NAMES)[number];

export type Act = {
  readonly name: ActName;
  readonly task: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly permission: Permission;
  /** It changes what the miner does: it is held, waits before it is sent, and of many it is tried on some first. */
  readonly isGrave: boolean;
  /** What its params are made of is asked first. */
  readonly asks?: 'pools' | 'firmware' | 'password';
};

export const ACTS: Readonly<Record<ActName, Act>> = {
  light: { name: 'light', task: 'miner.light.update', params: { on: true }, permission: 'tasks.light', isGrave: false },
  lightOff: {
    ...{ name: 'lightOff', task: 'miner.light.update', params: { on: false } },
    ...{ permission: 'tasks.light', isGrave: false },
  },
  refresh: { name: 'refresh', task: 'miner.refresh.get', permission: 'tasks.refresh', isGrave: false },
  log: { name: 'log', task: 'miner.log.get', permission: 'tasks.log', isGrave: false },
  reboot: { name: 'reboot', task: 'miner.system.reboot', permission: 'tasks.reboot', isGrave: true },
  sleep: {
    ...{ name: 'sleep', task: 'miner.power_mode.update', params: { mode: 'sleep' } },
    ...{ permission: 'tasks.power_mode', isGrave: true },
  },
  wake: {
    ...{ name: 'wake', task: 'miner.power_mode.update', params: { mode: 'normal' } },
    ...{ permission: 'tasks.power_mode', isGrave: true },
  },
  pools: {
    ...{ name: 'pools', task: 'miner.pool.update', asks: 'pools' },
    // Enough for a saved set; who may type pools has this one too.
    ...{ permission: 'tasks.pools_saved', isGrave: true },
  },
  firmware: {
    ...{ name: 'firmware', task: 'miner.firmware.update', asks: 'firmware' },
    ...{ permission: 'tasks.firmware', isGrave: true },
  },
  password: {
    ...{ name: 'password', task: 'miner.password.update', asks: 'password' },
    ...{ permission: 'tasks.password', isGrave: true },
  },
};

export const actText = (name: ActName, texts: Texts): string =>
  name === 'firmware' || name === 'password' ? texts.setAct[name] : texts.act[name];

/**
 * The act that was asked for with this task, to be asked for again; undefined where the page has none such. What the
 * service does not show, such as a password, has to be asked for once more.
 */
export function actOfTask(task: string, params: Readonly<Record<string, unknown>>): Act | undefined {
  const found = ACT_NAMES.map((name) => ACTS[name]).find(
    (act) => act.task === task && Object.entries(act.params ?? {}).every(([name, value]) => params[name] === value),
  );
  if (found?.asks === 'pools' && typeof params.pool_set === 'string')
    return { ...found, params: { pool_set: params.pool_set } };
  if (found?.asks === 'firmware' && typeof params.file === 'string') return { ...found, params };
  return found;
}

/** As the service is asked to create it. */
export const batchBody = (act: Act, minerIds: readonly string[], more: Readonly<Record<string, unknown>> = {}) => ({
  task_name: act.task,
  miner_ids: minerIds,
  ...(act.params !== undefined && { params: act.params }),
  ...more,
});
