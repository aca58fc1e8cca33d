// `pithead driver check <path>`: what a driver owes, tried on its recorded devices. It reads files and talks to sockets
// of this host only.
import { dirname, join } from 'node:path';
import { inspect } from 'node:util';
import { type Command, Option } from 'commander';
import { drivers } from '../../../drivers/index.ts';
import { ConfigError, renderError } from '../../base/errors.ts';
import { caseFoldersIn, readCase } from '../../case/folder.ts';
import { isReplayable } from '../../case/format.ts';
import { readCase as readDriverCase, sampleOf } from '../../driver/check/cases/case-file.ts';
import { checkDriver } from '../../driver/check/check.ts';
import type { Finding, Subject } from '../../driver/check/finding.ts';
import type { Driver } from '../../driver/contract.ts';
import { Families } from '../../driver/family.ts';
import { restrictImports } from '../../driver/load/child/imports.ts';
import { placeIn } from '../../driver/load/place.ts';
import type { Reading } from '../../model/reading.ts';
import { CommandFailed } from '../output/exit.ts';
import { type CliContext, painter } from '../output/terminal.ts';
import { refusedHere, runAsAgent } from './as-agent.ts';
import { entryAt, loadHere } from './load-here.ts';
import { type Ended, reportStep, runInOwnProcess } from './own-process.ts';
import { oneCaseIn } from './replay.ts';
import { type Tried, tryOut } from './try-out.ts';

type Flags = { case?: string; json?: boolean; inside?: string };

const HELP = `
It loads the driver, replays each of its cases on this host, and looks whether the driver is recognised there among
all others, whether its asks are answered, and what it reads. Then the driver runs like in an agent, in a process of
its own, and is held to the contract of all drivers. Nothing is sent to another host. It exits 1 when something is
wrong, and says what to do about it. <path> is a folder with an index, or a file.

Examples:
  $ pithead driver check ./my-miner
  $ pithead driver check ./my-miner --case ./acme-one-1.0
  $ pithead driver check ./my-miner --json`;

export function addCheck(driver: Command, context: CliContext): void {
  driver
    .command('check')
    .description('check a driver: is it recognised, what does it read, does it keep the contract')
    .argument('<path>', 'its folder or file')
    .option('--case <folder>', 'this case instead of those in its folder')
    .option('--json', 'one JSON object about what was found')
    .addOption(
      new Option(
        '--inside <refusal>',
        'this process was started for the check: why an agent would not load the driver',
      ).hideHelp(),
    )
    .addHelpText('after', HELP)
    .action((path: string, flags: Flags) => run(path, flags, context));
}

type CheckedCase = { readonly id: string; readonly tried: Tried };

type Outcome = {
  readonly driver: { readonly id: string };
  readonly folder: string;
  readonly checked: readonly CheckedCase[];
  /**
   * Cases that hold answers alone: the contract reads them, but they cannot be replayed. Undefined = none was tried.
   */
  readonly answersAlone: number | undefined;
  readonly findings: readonly Finding[];
  /** Why an agent that runs as this user would refuse it. */
  readonly refusal: string | undefined;
};

async function run(path: string, flags: Flags, context: CliContext): Promise<void> {
  const entry = entryAt(path);
  const cases = flags.case === undefined ? caseFoldersIn(entry.folder) : [oneCaseIn(flags.case)];
  // A driver of the program needs no guard. With `--inside` this process is the guarded one.
  if (entry.isOwn || flags.inside !== undefined) return checkHere(path, cases, flags, context);
  const broken = await runAsAgent(entry, cases);
  const refusal = await refusedHere(entry);
  const words = ['driver', 'check', path, '--inside', refusal ?? '', ...(flags.json ? ['--json'] : [])];
  const ended =
    broken.length > 0
      ? undefined
      : await runInOwnProcess(
          [...words, ...(flags.case === undefined ? [] : ['--case', flags.case])],
          [entry.folder, ...cases],
          context,
        );
  if (ended?.kind === 'ended') {
    if (ended.code !== 0) throw new CommandFailed('', ended.code);
    return;
  }
  const findings = ended === undefined ? broken : [stuckIn(ended)];
  show(
    { driver: entry, folder: entry.folder, checked: [], answersAlone: undefined, findings, refusal },
    flags,
    context,
  );
}

const stuckIn = ({ step, afterS }: Extract<Ended, { kind: 'stuck' }>): Finding => ({
  ...{ check: 'ends', seen: `${step} did not end within ${afterS} s` },
  next: 'look for a loop in `read` and `identify` that does not end with some answers',
});

async function checkHere(path: string, cases: readonly string[], flags: Flags, context: CliContext): Promise<void> {
  if (flags.inside !== undefined) restrictImports(() => [dirname(entryAt(path).file)]);
  const loaded = loadHere(path);
  const { driver, folder } = loaded;
  const [devices, others] = [true, false].map((wanted) =>
    cases.map(readCase).filter(({ about }) => isReplayable(about) === wanted),
  );
  const checked: CheckedCase[] = [];
  for (const each of devices ?? []) {
    reportStep(`the case ${each.about.id}`);
    checked.push({ id: each.about.id, tried: await tryOut(driver, each, context.signal).catch(brokenIn(folder)) });
  }
  const subject = subjectOf(driver, folder, cases);
  const findings = [
    ...checked.flatMap((each) => findingsOf(driver, each, folder)),
    ...(await checkDriver(subject, undefined, reportStep)),
  ];
  // This process may not read the parent folders, so the parent process has looked at their owners.
  const refusal = flags.inside === '' ? undefined : flags.inside;
  show({ driver, folder, checked, answersAlone: others?.length ?? 0, findings, refusal }, flags, context);
}

function show(outcome: Outcome, flags: Flags, context: CliContext): void {
  context.stdout.write(flags.json ? `${JSON.stringify(toJson(outcome))}\n` : describe(outcome, context));
  if (outcome.findings.length > 0) throw new CommandFailed('');
}

function subjectOf(driver: Driver, folder: string, cases: readonly string[]): Subject {
  return {
    driver,
    folder,
    families: new Families([...drivers.filter(({ id }) => id !== driver.id), driver]),
    samples: cases.map((each) => sampleOf(driver, readDriverCase(each))),
    exceptions: {},
  };
}

function brokenIn(folder: string): (error: unknown) => never {
  return (error) => {
    const place = placeIn(error, folder);
    if (place === undefined) throw error;
    throw new ConfigError('run the driver', [{ path: place, message: `it breaks there: ${renderError(error)}` }]);
  };
}

function findingsOf({ id, asks }: Driver, { id: name, tried }: CheckedCase, folder: string): Finding[] {
  const { recognisedAs, failed, unparsable, notRecorded } = tried;
  const findings: Finding[] = [];
  const note = (check: string, seen: string, next: string) => findings.push({ check, seen: `${name}: ${seen}`, next });
  if (recognisedAs?.driver !== id)
    note(
      'recognised',
      recognisedAs === undefined ? 'no driver recognises it' : `driver ${recognisedAs.driver} is surer of it`,
      `say in \`families\` in ${folder} by which words, page or realm it shows itself and proves what it is`,
    );
  for (const [ask, why] of failed)
    note(
      'answered',
      `${ask} was recorded with an answer, and is not answered: ${why}`,
      `ask it as the case has it: \`asks.${ask}\``,
    );
  for (const ask of unparsable)
    note('read', `the answer to ${ask} is not what the driver needs`, `correct \`needs\` or \`as\` of \`asks.${ask}\``);
  if (notRecorded.length === Object.keys(asks).length)
    note(
      'answered',
      'the case answers no ask of the driver',
      `capture it again: pithead capture <ip> --driver ${folder} --login`,
    );
  return findings;
}

function toJson({ driver, checked, answersAlone, findings, refusal }: Outcome) {
  return {
    driver: driver.id,
    ok: findings.length === 0,
    cases: checked.map(({ id: name, tried }) => ({
      case: name,
      recognised_as: tried.recognisedAs?.driver ?? null,
      confidence: tried.recognisedAs?.confidence ?? null,
      not_recorded: tried.notRecorded,
      changes_nothing: tried.changesNothing,
      reading: tried.reading,
    })),
    cases_not_replayed: answersAlone ?? null,
    refused_here: refusal ?? null,
    findings,
  };
}

function describe(
  { driver: { id }, folder, checked, answersAlone, findings, refusal }: Outcome,
  { stdout }: CliContext,
): string {
  const paint = painter(stdout);
  const { length: count } = findings;
  return [
    ...checked.flatMap((each) => caseLines(id, each)),
    ...(answersAlone !== undefined && answersAlone > 0
      ? [`${answersAlone} more ${answersAlone === 1 ? 'case holds' : 'cases hold'} answers alone`]
      : []),
    ...(answersAlone !== undefined && checked.length + answersAlone === 0
      ? [
          'It has no case, so nothing shows that it reads a device. Record one:',
          `  pithead capture <ip> --output ${join(folder, 'cases')}`,
        ]
      : []),
    ...(refusal === undefined ? [] : [`An agent that runs as this user would refuse the driver: ${refusal}`]),
    ...findings.flatMap(({ check, seen, next }) => [paint('red', `${check}: ${seen}`), `  ${next}`]),
    count === 0
      ? paint('green', `${id} is in order`)
      : paint('red', `${count} thing${count === 1 ? ' is' : 's are'} not in order`),
    '',
  ].join('\n');
}

function caseLines(id: string, { id: name, tried }: CheckedCase): string[] {
  const { recognisedAs, reading, notRecorded, changesNothing } = tried;
  const isHint = recognisedAs?.driver === id && recognisedAs.confidence === 'likely';
  return [
    name,
    `  recognised as ${recognisedAs === undefined ? 'nothing' : `${recognisedAs.driver} (${recognisedAs.confidence})`}`,
    ...(isHint
      ? [
          '  likely = by a hint only: an agent does not read it until a person says what it is (pithead trust accept),',
          '  unless `families` names a proof: a name in its answer to version, or a page that needs no login',
        ]
      : []),
    ...(notRecorded.length > 0 ? [`  not in the case: ${notRecorded.join(', ')}`] : []),
    ...(changesNothing.length > 0
      ? [`  asked, but the reading is the same without the answer: ${changesNothing.join(', ')}`]
      : []),
    ...valueLines(reading),
    '',
  ];
}

const valueLines = (reading: Reading): string[] =>
  Object.entries(reading).flatMap(([field, value]) =>
    Array.isArray(value) && value.some((entry) => typeof entry === 'object')
      ? value.map((entry, place) => `  ${`${field}[${place}]`.padEnd(FIELD_WIDTH)}${shown(entry)}`)
      : [`  ${field.padEnd(FIELD_WIDTH)}${shown(value)}`],
  );

const FIELD_WIDTH = 22;
/** A pool with a long address. */
const MOST_SHOWN = 400;

/** As a driver writes it: without quotes around names. */
function shown(value: unknown): string {
  const text = typeof value === 'string' ? value : inspect(value, { breakLength: Number.POSITIVE_INFINITY, depth: 4 });
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}
