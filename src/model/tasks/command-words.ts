// Tasks in the words of the commands with which people ask for them: `sleep` says more than `miner.power_mode.update`.
import { TASK_KINDS } from './task-kinds.data.ts';

type Params = Readonly<Record<string, unknown>>;

const kinds = new Map<string, { readonly command: string | null }>(Object.entries(TASK_KINDS));

/** `sleep`, `light on`, `reboot`; undefined where no command is for it, or its params do not tell which one. */
export function commandWords(name: string, { mode, preset, on, locked }: Params): string | undefined {
  switch (name) {
    case 'miner.power_mode.update':
      return mode === undefined ? named('power', preset) : (MODES.get(mode) ?? named('power', mode));
    case 'miner.light.update':
      return either(on, 'light on', 'light off');
    case 'miner.pool.lock':
      return either(locked, 'pools lock', 'pools unlock');
    default:
      return kinds.get(name)?.command ?? undefined;
  }
}

/** Modes with a command of their own. */
const MODES: ReadonlyMap<unknown, string> = new Map([
  ['sleep', 'sleep'],
  ['normal', 'wake'],
]);

const named = (command: string, word: unknown) => (typeof word === 'string' ? `${command} ${word}` : undefined);

const either = (value: unknown, whenTrue: string, whenFalse: string) =>
  typeof value === 'boolean' ? (value ? whenTrue : whenFalse) : undefined;
