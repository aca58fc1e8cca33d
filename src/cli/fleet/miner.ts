// `pithead miner`: all about one miner. What is wrong with it and since when, where it stands, who wrote what about it,
// then what it says now. A device that no agent knows is asked from here.
import type { Command } from 'commander';
import type { Found } from '../../agent/capture/found.ts';
import { lookOnce } from '../../agent/standalone/scan.ts';
import { systemClock } from '../../base/clock.ts';
import { RefusedError } from '../../base/errors.ts';
import { parseIpv4 } from '../../base/net/ipv4.ts';
import type { BoardMiner } from '../../model/board/board-miner.ts';
import { type Selector, selectorText } from '../../model/selector/selector.ts';
import {
  addServerOptions,
  CONNECTION_HELP,
  type Connection,
  type ConnectionFlags,
  namesServer,
  withConnection,
} from '../connection/connection.ts';
import { addSelector, readSelector, SELECTOR_HELP, type SelectorFlags } from '../connection/selection.ts';
import { type AccessFlags, addAccessOptions } from '../miners/access-options.ts';
import { throughRunning } from '../miners/running-agent.ts';
import { CommandFailed } from '../output/exit.ts';
import { screenWidth } from '../output/table.ts';
import { type CliContext, painter } from '../output/terminal.ts';
import { describeFound, describeReading, foundJson, invite } from './miner/device-text.ts';
import { askKnown, type Known, knownJson } from './miner/known.ts';
import { describeKnown } from './miner/known-text.ts';
import { readingOf } from './miner/reported.ts';
import { theOne, theOneOrNone } from './the-one.ts';

type Flags = AccessFlags & ConnectionFlags & SelectorFlags & { json?: boolean };

export function addMiner(program: Command, context: CliContext): void {
  const command = addSelector(program.command('miner'), '<selector...>')
    .description('show everything about one miner: its flags first, then what it says')
    .option('--json', 'one JSON object: H/s, W, degrees Celsius, MHz, seconds, times in UTC');
  addServerOptions(addAccessOptions(command))
    .addHelpText('after', HELP)
    .action((words: string[], flags: Flags) => run(words, flags, context));
}

const HELP = `${SELECTOR_HELP}
${CONNECTION_HELP}
An address that no agent knows is asked from here.

Exit codes: 0 shown, 1 the device gave no reading, 2 wrong usage or several miners match, 5 no miner matches.

Examples:
  $ pithead miner 10.31.0.17
  $ pithead miner C4:11:04:01:02:03
  $ pithead miner farm.rig44 --json`;

async function run(words: readonly string[], flags: Flags, context: CliContext): Promise<void> {
  const selector = await readSelector(words, flags);
  const ip = addressOf(selector);
  const isElsewhere = namesServer(flags, context);
  const state = { isConnected: false };
  try {
    const isShown = await withConnection(flags, context, async (connection) => {
      state.isConnected = true;
      const select = selectorText(selector);
      const mayBeUnknown = ip !== undefined && !isElsewhere;
      const one = await (mayBeUnknown ? theOneOrNone : theOne)(connection, select, context);
      if (one === undefined) return false;
      await showKnown(connection, one, flags, context);
      return true;
    });
    if (isShown) return;
  } catch (error) {
    // Neither an agent nor a service answers: the device itself is asked.
    if (state.isConnected || isElsewhere || ip === undefined || !(error instanceof CommandFailed)) throw error;
  }
  await showUnknown(ip ?? '', flags, context);
}

/** Of a selector that is one address. */
function addressOf({ words }: Selector): string | undefined {
  const [word, ...others] = words;
  if (word === undefined || others.length > 0 || word.kind !== 'who' || word.isNot) return undefined;
  const [value, ...more] = word.values;
  return value !== undefined && more.length === 0 && parseIpv4(value) !== undefined ? value : undefined;
}

async function showKnown(
  connection: Connection,
  miner: BoardMiner,
  { json }: Flags,
  context: CliContext,
): Promise<void> {
  const { stdout, signal } = context;
  const { agent, service } = connection;
  const [known, found]: [Known, Found | undefined] = await Promise.all([
    askKnown(service, miner, systemClock.nowMs()),
    agent === undefined ? undefined : agent.look(miner.ip, signal).catch(ifOutside),
  ]);
  if (json) {
    const device = found === undefined ? {} : foundJson(found);
    stdout.write(`${JSON.stringify({ ...device, ...knownJson(known) }, null, 2)}\n`);
    return;
  }
  const [paint, width] = [painter(stdout), screenWidth(stdout)];
  stdout.write(describeKnown(known, { paint, width, nowMs: systemClock.nowMs() }));
  if (found !== undefined) stdout.write(`\n${describeFound(found, paint, width)}${invite(found)}`);
  else if (known.detail !== undefined)
    stdout.write(`\nas it was last reported:\n\n${describeReading(readingOf(known.detail), paint, width)}\n`);
  if (found !== undefined) mustBeRead(found);
}

/** The agent of this host is not the one that serves it. */
function ifOutside(error: unknown): undefined {
  if (error instanceof RefusedError && error.code === 'look.outside') return undefined;
  throw error;
}

async function showUnknown(ip: string, flags: Flags, context: CliContext): Promise<void> {
  const { stdout, signal } = context;
  const found = await throughRunning(flags, context, {
    ask: (agent): Promise<Found> => agent.look(ip, signal),
    alone: (config) => lookOnce({ config, ip }, signal),
  });
  if (flags.json) stdout.write(`${JSON.stringify(foundJson(found), null, 2)}\n`);
  else stdout.write(`${describeFound(found, painter(stdout), screenWidth(stdout))}${invite(found)}`);
  mustBeRead(found);
}

function mustBeRead({ status }: Found): void {
  if (status !== 'identified' && status !== 'login_refused') throw new CommandFailed('');
}
