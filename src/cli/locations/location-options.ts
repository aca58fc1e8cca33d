// What the commands about locations share: their options, the service that they ask, and how they print.
import type { Command } from 'commander';
import { shownLocation } from '../../model/locations/location.ts';
import {
  addConnectionOptions,
  CONNECTION_HELP,
  type ConnectionFlags,
  mustHaveService,
  withConnection,
} from '../connection/connection.ts';
import { countOf } from '../output/format.ts';
import type { CliContext } from '../output/terminal.ts';
import { type LocationService, locationsOf, type Move } from './location-service.ts';

export type LocationFlags = ConnectionFlags & { json?: boolean };

/** A command below `parent`, with how to find the service, and its examples. */
export const onLocations = (
  parent: Command,
  name: string,
  description: string,
  examples: readonly string[],
  help = '',
): Command => addLocationOptions(parent.command(name).description(description), examples, help);

export const addLocationOptions = (command: Command, examples: readonly string[], help: string): Command =>
  addConnectionOptions(command.option('--json', 'print JSON')).addHelpText(
    'after',
    [help, CONNECTION_HELP, '\nExamples:', ...examples.map((line) => `  $ ${line}`)].join('\n'),
  );

export const withLocations = <T>(
  flags: LocationFlags,
  context: CliContext,
  work: (locations: LocationService) => Promise<T>,
): Promise<T> =>
  withConnection(flags, context, (connection) => work(locationsOf(mustHaveService(connection, 'where miners stand'))));

/** One JSON value on one line, or the lines for people. */
export const print = ({ json }: LocationFlags, { stdout }: CliContext, value: unknown, lines: readonly string[]) =>
  void stdout.write(`${json ? JSON.stringify(value) : lines.join('\n')}\n`);

/** `10.31.3.9  C03-12 -> C04-1`, and how many there are. */
export function moveLines(moves: readonly Move[], isDryRun: boolean): readonly string[] {
  const width = Math.max(0, ...moves.map(({ ip }) => ip.length));
  const lines = moves.map(
    ({ ip, before, after }) => `${ip.padEnd(width)}  ${shownLocation(before)} -> ${shownLocation(after)}`,
  );
  return [...lines, `${countOf(moves.length, 'miner')} ${isDryRun ? 'would move' : 'moved'}`];
}
