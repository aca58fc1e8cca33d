// Options shared by the commands that talk to miners directly, and the small configuration that follows from them.
import type { Command } from 'commander';
import { type AgentConfig, loadConfig, parseConfig } from '../../agent/config/config.ts';
import { driverIds } from '../../agent/standalone/folder-drivers.ts';
import { wrongOption } from '../options.ts';
import type { CliContext } from '../output/terminal.ts';
import { stateDirOrDefault } from '../setup/config-file.ts';

export type AccessFlags = { config?: string; portMap?: string[]; factoryDefaults?: boolean; timeout?: string };

export const addAccessOptions = (command: Command): Command =>
  addReachOptions(command.option('-c, --config <file>', 'take port map, logins and limits from this configuration'));

/** How miners are reached where the configuration does not say it. */
export function addReachOptions(command: Command): Command {
  return command
    .option('--port-map <from=to...>', 'port FROM of a miner is reached at port TO (port forwarding)')
    .option('--timeout <duration>', 'how long an address may stay silent, e.g. 800ms (default 1200ms)')
    .option(
      '--no-factory-defaults',
      "do not try the vendor's factory login (tried at most once per miner and day; remembered in the state directory of the configuration, else of this user)",
    );
}

/** The configuration of the file, or the defaults, with the flags on top. Throws ConfigError. */
export function readAccessConfig(flags: AccessFlags, { environment }: Pick<CliContext, 'environment'>): AgentConfig {
  const { timeout } = flags;
  const parse = (settings: object, name: string) =>
    parseConfig(JSON.stringify(settings), { baseDir: '.', environment, name });
  const base =
    flags.config === undefined
      ? // Where this host's agent records its attempts, so that a command without a configuration shares them.
        parse({ stateDir: stateDirOrDefault(undefined, { environment }) }, '(defaults)')
      : loadConfig(flags.config, environment, driverIds);
  const given = parse(
    { portMap: readPortMap(flags.portMap ?? []), ...(timeout !== undefined && { scan: { timeout } }) },
    'command line',
  );
  const factoryDefaults = base.credentials.factoryDefaults && flags.factoryDefaults !== false;
  return {
    ...base,
    portMap: new Map([...base.portMap, ...given.portMap]),
    scan: timeout === undefined ? base.scan : { ...base.scan, timeout: given.scan.timeout },
    credentials: { ...base.credentials, factoryDefaults },
  };
}

/** `80=8080` pairs as an object; commas separate too. Throws ConfigError that names the pair. */
export function readPortMap(pairs: readonly string[]): Record<string, number> {
  const entries = pairs
    .flatMap((text) => text.split(','))
    .map((pair): [string, number] => {
      const [, from, to] = /^(\d{1,5})=(\d{1,5})$/.exec(pair.trim()) ?? [];
      if (from === undefined || to === undefined)
        throw wrongOption('--port-map', `'${pair}' is not FROM=TO, for example 80=8080`);
      return [from, Number(to)];
    });
  return Object.fromEntries(entries);
}
