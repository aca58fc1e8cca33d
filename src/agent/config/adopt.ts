// Takes over what of a new configuration can change while the agent runs, and says what only a restart can. Sections
// are changed in place, so that readers see the new values with their next use. It reads no file and restarts nothing.
import { isDeepStrictEqual } from 'node:util';
import type { Reloaded } from '../control/control-handlers.ts';
import type { AgentConfig } from './config.ts';

/** A configuration of the caller's own, whose sections `adopt` may change. */
export function ownConfig(config: AgentConfig): AgentConfig {
  const { ranges, poll, credentials, flags, tasks, drivers, log } = config;
  return {
    ...config,
    ranges: { ...ranges },
    poll: { ...poll },
    credentials: { ...credentials },
    flags: { ...flags },
    tasks: { ...tasks },
    drivers: { ...drivers },
    log: { ...log },
  };
}

/** Whole sections that only a start reads. */
const NEED_RESTART = [
  'stateDir',
  'driversDir',
  'name',
  'portMap',
  'scan',
  'firmware',
  'update',
  'service',
  'listen',
  'page',
  'backup',
  'metrics',
] as const;

/** Takes over what can change while the agent runs. `own` is one of `ownConfig`. */
export function adopt(own: AgentConfig, next: AgentConfig): Reloaded {
  const needsRestart: string[] = [];
  const keep = (setting: string, now: unknown, wanted: unknown) => {
    if (!isDeepStrictEqual(now, wanted)) needsRestart.push(setting);
  };
  for (const setting of NEED_RESTART) keep(setting, own[setting], next[setting]);
  keep('poll.maxInFlight', own.poll.maxInFlight, next.poll.maxInFlight);
  keep('credentials.keyFile', own.credentials.keyFile, next.credentials.keyFile);

  const poll = { ...next.poll, maxInFlight: own.poll.maxInFlight };
  const changed = [
    ...(isDeepStrictEqual(own.ranges, next.ranges) ? [] : ['networks']),
    ...(isDeepStrictEqual(own.poll, poll) ? [] : ['poll']),
    ...(isDeepStrictEqual(shownOf(own.credentials), shownOf(next.credentials)) ? [] : ['credentials']),
    ...(isDeepStrictEqual(own.flags, next.flags) ? [] : ['flags']),
    ...(isDeepStrictEqual(own.tasks, next.tasks) ? [] : ['tasks']),
    ...(isDeepStrictEqual(own.drivers, next.drivers) ? [] : ['drivers']),
    ...(isDeepStrictEqual(own.log, next.log) ? [] : ['log']),
  ];
  replace(own.ranges, next.ranges);
  replace(own.poll, poll);
  replace(own.credentials, { ...next.credentials, keyFile: own.credentials.keyFile });
  replace(own.flags, next.flags);
  replace(own.tasks, next.tasks);
  replace(own.drivers, next.drivers);
  replace(own.log, next.log);
  return { changed, needsRestart };
}

/** Secrets hide their text from comparisons, too: it is revealed here. */
const shownOf = ({ factoryDefaults, trust, logins }: AgentConfig['credentials']) => ({
  ...{ factoryDefaults, trust },
  logins: logins.map(({ login, ...rule }) => ({ ...rule, user: login.user, password: login.password.reveal() })),
});

function replace<T extends object>(section: T, next: T): void {
  for (const key of Object.keys(section)) if (!(key in next)) Reflect.deleteProperty(section, key);
  Object.assign(section, next);
}
