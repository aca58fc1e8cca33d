// Runs commands of the program against a real service, within this process.
import { toExitCode } from '../../../src/cli/output/exit.ts';
import { buildProgram } from '../../../src/cli/program.ts';
import type { Rig } from '../service-http/rig.ts';
import { collector } from './command-line.ts';

export async function runOn({ url, key }: Pick<Rig, 'url' | 'key'>, ...args: readonly string[]) {
  const [stdout, stderr] = [collector(), collector()];
  const context = {
    ...{ stdout: stdout.stream, stderr: stderr.stream, environment: { PITHEAD_URL: url, PITHEAD_KEY: key } },
    signal: new AbortController().signal,
  };
  const program = await buildProgram(context, args[0]);
  const code = await program.parseAsync(['node', 'pithead', ...args]).then(
    () => 0,
    (error: unknown) => toExitCode(error, stderr.stream),
  );
  return { code, stdout: stdout.text(), stderr: stderr.text() };
}
