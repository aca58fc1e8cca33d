// One act on many miners, the same for each verb: shows who it is about, asks, sends it, follows it to the end, counts.
// How it is sent is the runner's.
import { systemClock } from '../../base/clock.ts';
import { CommandFailed, EXIT } from '../output/exit.ts';
import { screenWidth } from '../output/table.ts';
import { type CliContext, withProgress } from '../output/terminal.ts';
import { wrapped } from '../output/wrap.ts';
import type { ActLimits, ActMiner, ActPreview, ActRunner, ActStep } from './runners/runner.ts';
import { countOf, leftOutLines, outlookLines } from './show/outlook.ts';
import { jsonPrinter, linePrinter } from './show/progress.ts';
import { mustAgree, questionFor } from './show/question.ts';
import { exitCodeOf, resultJson, resultLines, Tally } from './show/result.ts';
import type { Sentences } from './verbs/verbs.ts';

export type ActTerms = {
  readonly json: boolean;
  readonly isAgreed: boolean;
  readonly isDryRun: boolean;
  readonly isDetached: boolean;
  readonly limits: ActLimits;
};

/** Each step of each miner, for what comes of it beside the act. */
type Hearer = (step: ActStep, miner: ActMiner | undefined) => void;

/** Throws CommandFailed with the exit code where not all that it was sent to are proven, or nothing is sent. */
export async function carryOut(
  runner: ActRunner,
  sentences: Sentences,
  terms: ActTerms,
  context: CliContext,
  onStep: Hearer = () => {},
): Promise<void> {
  const preview = await runner.preview(context.signal);
  const { length: count } = preview.miners;
  write(context.stderr, count > 0 ? outlookLines(preview, terms.limits) : leftOutLines(preview.leftOut));
  if (terms.isDryRun) showDryRun(preview, terms, context);
  if (count === 0) throw new CommandFailed('nothing was sent: no miner is left', EXIT.nothing);
  if (terms.isDryRun) throw new CommandFailed('nothing was sent (--dry-run)', EXIT.ok);
  const isTerminal = process.stdin.isTTY === true && context.stderr.isTTY === true;
  const asked = { count, isAgreed: terms.isAgreed, isReading: sentences.isReading, isTerminal };
  await mustAgree(questionFor(asked), { act: sentences.act(countOf(count)), count }, context);
  await follow(runner, preview, sentences, terms, context, onStep);
}

async function follow(
  runner: ActRunner,
  { miners, leftOut, etaS }: ActPreview,
  { doing, done }: Sentences,
  { json, isDetached }: ActTerms,
  context: CliContext,
  onStep: Hearer,
): Promise<void> {
  const { stdout, signal } = context;
  const tally = new Tally();
  const byIp = new Map(miners.map((miner) => [miner.ip, miner]));
  const { batchIds, leftOut: alsoLeftOut } = await withProgress(context, doing, (bar) => {
    const parts = { clock: systemClock, tally, bar, total: miners.length, etaS, done };
    const print = isDetached ? () => {} : json ? jsonPrinter(context) : linePrinter(context, parts);
    const take = (step: ActStep) => {
      tally.take(step);
      onStep(step, byIp.get(step.ip));
      print(step);
    };
    return runner.run(take, { isDetached, signal });
  });
  const ended = { tally, leftOut: [...leftOut, ...alsoLeftOut], batchIds, isInterrupted: signal.aborted };
  if (isDetached) {
    const line = `${countOf(miners.length)} handed over as ${batchIds.join(', ')}: pithead tasks shows what becomes of them`;
    stdout.write(json ? `${JSON.stringify({ handed_over: miners.length, batch_ids: batchIds })}\n` : `${line}\n`);
    return;
  }
  if (json) stdout.write(`${JSON.stringify(resultJson(ended))}\n`);
  else write(stdout, resultLines(ended, done));
  const exitCode = exitCodeOf(ended);
  if (exitCode !== EXIT.ok) throw new CommandFailed('', exitCode);
}

/** Those that it would be sent to on stdout, a line each. */
function showDryRun(
  { miners, leftOut, atOnce, kw, etaS, notes = [] }: ActPreview,
  { json }: ActTerms,
  context: CliContext,
): void {
  const { stdout } = context;
  if (!json) {
    for (const { ip, model, rack, position } of miners)
      stdout.write(`${[ip.padEnd(15), ...[model, rack, position].filter((text) => text !== null)].join('  ')}\n`);
    return;
  }
  for (const miner of miners) stdout.write(`${JSON.stringify(miner)}\n`);
  const summary = { count: miners.length, left_out: leftOut, at_once: atOnce, kw, eta_s: etaS, notes };
  stdout.write(`${JSON.stringify(summary)}\n`);
}

function write(stream: NodeJS.WriteStream, lines: readonly string[]): void {
  const width = screenWidth(stream);
  stream.write(lines.map((line) => `${wrapped(line, width)}\n`).join(''));
}
