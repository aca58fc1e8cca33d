// `pithead log`: the log of one miner on stdout, the logs of many as a zip with a file for each.
import type { Command } from 'commander';
import { logOnce } from '../../../agent/standalone/scan.ts';
import { parseIpv4 } from '../../../base/net/ipv4.ts';
import { type Connection, namesServer } from '../../connection/connection.ts';
import { readSelector, type Selection } from '../../connection/selection.ts';
import { throughRunning } from '../../miners/running-agent.ts';
import { CommandFailed, EXIT } from '../../output/exit.ts';
import type { CliContext } from '../../output/terminal.ts';
import { type ActTerms, carryOut } from '../act.ts';
import { logRunner } from '../runners/logs.ts';
import type { ActMiner, ActRunner } from '../runners/runner.ts';
import { serviceRunner } from '../runners/service.ts';
import { countOf } from '../show/outlook.ts';
import { termsOf } from '../terms.ts';
import type { VerbFlags } from '../verbs/params.ts';
import type { Sentences } from '../verbs/verbs.ts';
import { mustName, type WayFlags, withSelection } from '../ways.ts';
import { ZipFile } from './zip-file.ts';

type LogFlags = WayFlags & Pick<VerbFlags, 'zip'>;

export const addLog = (command: Command, sentences: Sentences, context: CliContext): void =>
  void command.action(async (words: string[], flags: LogFlags) => {
    const [ip] = words;
    const isPlain = flags.zip === undefined && flags.json !== true && flags.dryRun !== true && flags.file === undefined;
    const isOne = words.length === 1 && ip !== undefined && parseIpv4(ip) !== undefined;
    if (isOne && isPlain && !namesServer(flags, context)) return printOne(ip, flags, context);
    const selector = await readSelector(words, flags);
    mustName(selector);
    return withSelection(selector, flags, context, (connection, selection) =>
      logsOf(connection, selection, sentences, flags, context),
    );
  });

/** Also of a miner that no agent knows. */
async function printOne(ip: string, flags: LogFlags, context: CliContext): Promise<void> {
  const text = await throughRunning(flags, context, {
    ask: (agent) => agent.log(ip, context.signal),
    alone: (config) => logOnce({ config, ip }, context.signal),
  });
  print(text, context);
}

async function logsOf(
  { agent, service }: Connection,
  selection: Selection,
  sentences: Sentences,
  flags: LogFlags,
  context: CliContext,
): Promise<void> {
  const terms = termsOf(flags);
  const { limits } = terms;
  const runner =
    agent === undefined
      ? serviceRunner(service, { task: 'miner.log.get', params: {}, limits, selection })
      : logRunner(agent, selection);
  if (terms.isDryRun || terms.json) return carryOut(runner, sentences, terms, context);
  if (flags.zip !== undefined) return intoZip(flags.zip, runner, { sentences, terms }, context);
  const { length: count } = selection.miners;
  if (count > 1)
    throw new CommandFailed(
      `these are the logs of ${countOf(count)}: name a file for them, --zip logs.zip`,
      EXIT.usage,
    );
  await printSelected(runner, selection, context);
}

async function printSelected(runner: ActRunner, { unmatched }: Selection, context: CliContext): Promise<void> {
  const { miners, leftOut } = await runner.preview(context.signal);
  if (miners.length === 0) {
    const reasons = leftOut.map(({ who, reason }) => `${who}: ${reason}`).join('\n');
    throw new CommandFailed(reasons === '' ? 'no miner matches' : reasons, EXIT.nothing);
  }
  for (const { text, reason } of unmatched) context.stderr.write(`${text}: ${reason}\n`);
  let problem = 'there is no log';
  let log: string | undefined;
  await runner.run(
    ({ status, message, evidence }) => {
      if (status === 'succeeded') log = textIn(evidence);
      else problem = message ?? status;
    },
    { isDetached: false, signal: context.signal },
  );
  if (log === undefined) throw new CommandFailed(problem, context.signal.aborted ? EXIT.interrupted : EXIT.failed);
  print(log, context);
}

async function intoZip(
  path: string,
  runner: ActRunner,
  { sentences, terms }: { readonly sentences: Sentences; readonly terms: ActTerms },
  context: CliContext,
): Promise<void> {
  const zip = await ZipFile.open(path);
  let count = 0;
  try {
    await carryOut(runner, sentences, terms, context, ({ ip, status, evidence }, miner) => {
      const text = textIn(evidence);
      if (status !== 'succeeded' || text === undefined) return;
      zip.add(fileNameOf(ip, miner), text);
      count++;
    });
  } finally {
    if (count > 0) {
      await zip.close();
      context.stderr.write(`${count} log${count === 1 ? '' : 's'} in ${path}\n`);
    } else await zip.discard();
  }
}

const textIn = ({ text }: Readonly<Record<string, unknown>>) => (typeof text === 'string' ? text : undefined);

/** In a folder of its rack, where it has one. */
const fileNameOf = (ip: string, miner: ActMiner | undefined): string =>
  [...[miner?.container, miner?.rack].flatMap((name) => (name ? [plainName(name)] : [])), `${ip}.log`].join('/');

/** No name leads out of the folder that a zip is opened in. */
const plainName = (name: string) => name.replaceAll(/[^\p{L}\p{N}_-]+/gu, '_');

const print = (text: string, { stdout }: CliContext) => void stdout.write(text.endsWith('\n') ? text : `${text}\n`);
