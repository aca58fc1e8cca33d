// Options shared by the commands that talk to miners directly, and the small configuration that follows from them.
import type { Command } from 'commander';
import { type AgentConfig, loadConfig, parseConfig } from '../agent/config.ts';
import { ConfigError } from '../base/errors.ts';

export type AccessFlags = { config?: string; portMap?: string[]; factoryDefaults?: boolean; timeout?: string };

export function addAccessOptions(command: Command): Command {
  return command
    .option('-c, --config <file>', 'take port map, logins and limits from this configuration')
    .option('--port-map <from=to...>', 'port FROM of a miner is reached at port TO (port forwarding)')
    .option('--timeout <duration>', 'how long an address may stay silent, e.g. 800ms (default 1200ms)')
    .option('--no-factory-defaults', "do not try the vendor's factory login (tried at most once per miner)");
}

/** The configuration of the file, or the defaults, with the flags on top. Throws ConfigError. */
export function readAccessConfig(
  flags: AccessFlags,
  environment: Readonly<Record<string, string | undefined>>,
): AgentConfig {
  const base =
    flags.config === undefined
      ? parseConfig('', { baseDir: '.', environment, name: '(defaults)' })
      : loadConfig(flags.config, environment);
  const overrides = parseConfig(
    JSON.stringify({
      portMap: readPortMap(flags.portMap ?? []),
      ...(flags.timeout === undefined ? {} : { scan: { timeout: flags.timeout } }),
    }),
    {
      baseDir: '.',
      environment,
      name: 'command line',
    },
  );
  return {
    ...base,
    portMap: new Map([...base.portMap, ...overrides.portMap]),
    scan: flags.timeout === undefined ? base.scan : { ...base.scan, timeout: overrides.scan.timeout },
    credentials: {
      ...base.credentials,
      factoryDefaults: base.credentials.factoryDefaults && flags.factoryDefaults !== false,
    },
  };
}

/** `80=8080` pairs as an object; commas separate too. Throws ConfigError that names the pair. */
export function readPortMap(pairs: readonly string[]): Record<string, number> {
  const entries = pairs
    .flatMap((text) => text.split(','))
    .map((pair): [string, number] => {
      const match = /^(\d{1,5})=(\d{1,5})$/.exec(pair.trim());
      if (match?.[1] === undefined || match[2] === undefined) {
        throw new ConfigError('read the command line', [
          { path: '--port-map', message: `'${pair}' is not FROM=TO, for example 80=8080` },
        ]);
      }
      return [match[1], Number(match[2])];
    });
  return Object.fromEntries(entries);
}
