// The verbs of the command line, one row each: its words, its task, how its words become params, and what it is called
// in sentences. It sends nothing.
import { isDeepStrictEqual } from 'node:util';
import type { OpsStatus } from '../../../model/miner.ts';
import type { ExecutionTaskName } from '../../../model/tasks/task-kinds.data.ts';
import { firmwareParams, type Given, type Params, POOL_OPTIONS, poolParams, powerParams } from './params.ts';

/** A task about miners. */
export type ActTask = Extract<ExecutionTaskName, `miner.${string}`>;

/** `act` with its miners, `reboot 45 miners`; `doing` names the bar; `done` is said of those where it succeeded. */
export type Sentences = {
  act(miners: string): string;
  readonly doing: string;
  readonly done: string;
  /** It changes nothing, so it needs no yes. */
  readonly isReading: boolean;
};

type Option = readonly [flags: string, description: string];

type Common = {
  /** Of the command: `light on`. */
  readonly words: string;
  readonly description: string;
  readonly sentences: Sentences;
  /** What stands before the miners. */
  readonly argument?: readonly [name: string, description: string];
  readonly options?: readonly Option[];
  /** What follows `pithead <words>`. */
  readonly examples: readonly string[];
  readonly help?: string;
};

export type TaskVerb = Common & {
  readonly task: ActTask;
  params(given: Given): Params;
  /** It can be done without an agent, by this command alone. */
  readonly isPossibleAlone?: true;
};

/** What the service keeps of miners; no task of an agent. `from` = those that it is for, by their ops status. */
export type StatusVerb = Common & {
  readonly opsStatus: { readonly from: OpsStatus | null; readonly to: OpsStatus | null };
};

export type Verb = TaskVerb | StatusVerb;

const sentences = (act: string, doing: string, done = 'proven', isReading = false): Sentences => ({
  act: (miners) => act.replace('{}', miners),
  ...{ doing, done, isReading },
});

const ON = 'rack:C03 flag:hashboard';

export const VERBS = [
  {
    words: 'light on',
    task: 'miner.light.update',
    description: 'let miners blink, so that they can be found',
    sentences: sentences('switch the light of {} on', 'lighting'),
    examples: [ON, '10.31.0.17'],
    params: () => ({ on: true }),
  },
  {
    words: 'light off',
    task: 'miner.light.update',
    description: 'let miners stop blinking',
    sentences: sentences('switch the light of {} off', 'switching lights off'),
    examples: ['rack:C03', 'all --yes'],
    params: () => ({ on: false }),
  },
  {
    words: 'reboot',
    task: 'miner.system.reboot',
    description: 'restart miners, a few at a time, and prove that each came back',
    sentences: sentences('reboot {}', 'rebooting'),
    options: [
      ['--force', 'also miners that were rebooted in the last 10 minutes or that are being updated'],
      ['--concurrency <n>', 'how many may be away at once (default: as configured)'],
    ],
    examples: [
      '10.31.0.17',
      '10.31.0.0/24 --dry-run',
      'rack:C03 flag:fan --canary 3 --stop-after 2',
      '10.31.0.17 10.31.0.40-45 --concurrency 2 --yes --json',
      '02:55:F7:00:00:05',
    ],
    help: `
A reboot is proven when the uptime has gone back and the miner hashes again. Where no agent runs on this host, or it does not watch what is named,
this command reboots addresses and ranges itself, within its own limits.`,
    isPossibleAlone: true,
    params: ({ flags }) => ({ force: flags.force === true }),
  },
  {
    words: 'refresh',
    task: 'miner.refresh.get',
    description: 'read miners now, instead of at their next turn',
    sentences: sentences('read {}', 'reading', 'read', true),
    examples: ['10.31.0.17', 'rack:C03'],
    params: () => ({}),
  },
  {
    words: 'sleep',
    task: 'miner.power_mode.update',
    description: 'stop mining and draw little power, until woken',
    sentences: sentences('put {} to sleep', 'putting to sleep'),
    examples: ['container:1', 'rack:C03,C04 --yes'],
    params: () => ({ mode: 'sleep' }),
  },
  {
    words: 'wake',
    task: 'miner.power_mode.update',
    description: 'let miners that sleep mine again, within the power budget',
    sentences: sentences('wake {}', 'waking'),
    examples: ['container:1', 'state:asleep --canary 5'],
    params: () => ({ mode: 'normal' }),
  },
  {
    words: 'power',
    task: 'miner.power_mode.update',
    description: 'set a power mode, a preset or a target in watts',
    sentences: sentences('set the power mode of {}', 'setting power'),
    argument: ['mode', 'low, normal, high, sleep, a preset of the miner, or watts such as 3200W'],
    examples: ['low rack:C03', '3200W model:m50 --dry-run'],
    help: `
A preset is named in the words of the firmware. Watts are a preset of firmware that takes a power target or limit; other miners refuse them, each with
its reason, and do not change. A bare number is the name of a preset; firmware that has none takes it for watts.`,
    params: powerParams,
  },
  {
    words: 'pools set',
    task: 'miner.pool.update',
    description: 'give miners pools, with a worker of their own each',
    sentences: sentences('set the pools of {}', 'setting pools'),
    options: POOL_OPTIONS,
    examples: [
      "rack:C03 --url stratum+tcp://pool.example:3333 --worker 'farm.{rack}-{position}'",
      "model:s19 --url stratum+tcp://pool.example:3333 --worker '{worker}' --dry-run",
      'all --set summer --canary 3',
    ],
    help: `
The pools that are given are the whole list, best first. In a worker {worker} is what the miner has now, {ip} its address, {ip3} and {ip4} the last
two numbers of it, {mac}, {serial}, {rack}, {position} and {model} what is known of it. A miner that lacks one of them gets nothing, and neither do the
others. 'keep' stands for what the miner has. Three of the workers are shown before anything is sent.`,
    params: poolParams,
  },
  {
    words: 'pools lock',
    task: 'miner.pool.lock',
    description: 'keep the pools of miners: what others change is set back',
    sentences: sentences('lock the pools of {}', 'locking pools'),
    examples: ['rack:C03', 'all --yes'],
    params: () => ({ locked: true }),
  },
  {
    words: 'pools unlock',
    task: 'miner.pool.lock',
    description: 'let others change the pools of miners again',
    sentences: sentences('unlock the pools of {}', 'unlocking pools'),
    examples: ['rack:C03'],
    params: () => ({ locked: false }),
  },
  {
    words: 'firmware',
    task: 'miner.firmware.update',
    description: 'update the firmware of miners',
    sentences: sentences('update the firmware of {}', 'updating'),
    argument: ['file', 'name of an image in the folder of the agent (firmware.folder); left out with --url'],
    options: [
      ['--url <url>', 'where the agent fetches the image, from a host that its configuration allows'],
      ['--sha256 <digits>', 'of the image; needed with --url'],
      ['--to-version <version>', 'the version that the miners shall show afterwards'],
      ['--family <driver>', 'the driver whose miners the image is for; others are refused'],
    ],
    help: `
Where the name of the image says a family or a model, miners of others are refused, each with its reason. Begin with one miner: --canary 1.`,
    examples: [
      'S19-2026-08.tar.gz model:s19 --canary 1 --stop-after 1',
      '--url https://files.example/s19.tar.gz --sha256 9f86d08188… model:s19',
    ],
    params: firmwareParams,
  },
  {
    words: 'password',
    task: 'miner.password.update',
    description: 'change the password that miners are logged in to with',
    sentences: sentences('change the password of {}', 'changing passwords'),
    options: [['--password-file <file>', 'the new one is the first line of this file; - = of standard input']],
    help: `
The new password is typed twice, or read from a file; it is never on the command line. One miner goes first, whatever --canary says: the others only
when a login with the new password is proven there. The agent keeps the new one encrypted before it sends it, and both until that login. Miners that
no person has accepted are left out: pithead trust accept. Off until the agent allows it: tasks.allow.password.`,
    examples: ['10.31.0.17', 'rack:C03', 'all --password-file new-password.txt --yes'],
    params: ({ word }) => ({ password: word }),
  },
  {
    words: 'log',
    task: 'miner.log.get',
    description: 'print the log that a miner keeps, or save the logs of many; passwords are hidden',
    sentences: sentences('read the log of {}', 'reading logs', 'read', true),
    options: [['--zip <file>', 'write the logs of all into this file, one file for each miner']],
    examples: ['10.31.0.17', '10.31.0.17 | grep -i error', 'rack:C03 state:ill --zip logs.zip'],
    isPossibleAlone: true,
    params: () => ({}),
  },
  {
    words: 'maintenance on',
    opsStatus: { from: null, to: 'maintenance' },
    description: 'say that miners are being worked on: what they do is no fault until it is taken back',
    sentences: sentences('put {} into maintenance', 'into maintenance', 'set'),
    examples: ['10.31.0.17', 'rack:C03 --yes'],
    help: '\nThe service keeps this. Only miners without an ops status are put into maintenance.',
  },
  {
    words: 'maintenance off',
    opsStatus: { from: 'maintenance', to: null },
    description: 'say that miners are back from maintenance',
    sentences: sentences('take {} out of maintenance', 'out of maintenance', 'set'),
    examples: ['10.31.0.17', 'state:maintenance'],
    help: '\nThe service keeps this. Miners with another ops status keep it.',
  },
] as const satisfies readonly Verb[];

/** What a batch of this task is called in sentences. */
export function sentencesOf(task: string, params: Params): Sentences {
  const verbs: readonly Verb[] = VERBS;
  const ofTask = verbs.filter((verb): verb is TaskVerb => 'task' in verb && verb.task === task);
  // Where several verbs are of one task, each but the last takes no words: its params say which it is.
  const isMeant = (verb: TaskVerb) =>
    ofTask.length > 1 && verb.argument === undefined && isDeepStrictEqual(verb.params(NO_WORDS), params);
  return (ofTask.find(isMeant) ?? ofTask.at(-1))?.sentences ?? sentences(`do ${task} on {}`, task);
}

const NO_WORDS: Given = { word: '', flags: {} };
