// The command line. Every command is one file in cli/; this file only puts them together and is the only one that ends
// the process.
import { systemClock } from './base/clock.ts';
import { whenLaunchersGo } from './base/platform/launcher.ts';
import { toExitCode } from './cli/output/exit.ts';
import { buildProgram } from './cli/program.ts';

// What it makes is never for others to write, however the shell that started it is set.
process.umask(process.umask() | 0o022);

const stop = new AbortController();
let signals = 0;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    signals++;
    stop.abort(signal);
    // A second signal means it: whatever is still being tidied up is left.
    if (signals > 1 && signal === 'SIGINT') process.exit(130);
  });
}

// npm hands no signal on when it is killed: what it started would watch the farm on, unseen.
if (process.env.npm_lifecycle_event !== undefined) whenLaunchersGo(systemClock, () => stop.abort('npm is gone'));

// A reader that has seen enough (`| head`) ends the command in order: the rest is not read, and that is no error.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => stop.abort('the output is not read'));

const context = { stdout: process.stdout, stderr: process.stderr, environment: process.env, signal: stop.signal };
const written = (stream: NodeJS.WriteStream) => new Promise<void>((resolve) => stream.write('', () => resolve()));

/** Ends the process once what was printed into a pipe has been taken. */
async function run(): Promise<void> {
  let code: number;
  try {
    const program = await buildProgram(context, process.argv[2]);
    await program.parseAsync(process.argv);
    code = Number(process.exitCode ?? 0);
  } catch (error) {
    code = toExitCode(error, process.stderr);
  }
  await Promise.all([process.stdout, process.stderr].map(written));
  process.exit(code);
}

void run();
