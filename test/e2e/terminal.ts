// The program on a real pseudo-terminal (`script` of util-linux), and what a person then sees: its output as a terminal
// draws it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import xterm, { type Terminal } from '@xterm/headless';
import { ENVIRONMENT_OF_TESTS, MAIN } from './process.ts';
import { until } from './until.ts';

const ROWS = 50;
/** Lines that the terminal keeps above its screen. */
const SCROLLBACK = 5_000;
const LIMIT_MS = 120_000;

export type OnTerminal = {
  readonly columns: number;
  readonly environment?: Readonly<Record<string, string>>;
  /** What is typed, or done elsewhere with what is shown then, once the text before it is on the screen. */
  readonly answers?: readonly (readonly [
    shown: string,
    typed: string | ((screen: readonly string[]) => Promise<unknown>),
  ])[];
};

export type Screen = { readonly code: number | null; readonly lines: readonly string[]; readonly raw: string };

const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Lines are without trailing blanks; one that the terminal had to wrap is two. */
export async function runOnTerminal(args: readonly string[], options: OnTerminal): Promise<Screen> {
  const { columns, environment, answers = [] } = options;
  const program = [process.execPath, MAIN, ...args].map(quoted).join(' ');
  const command = `stty cols ${columns} rows ${ROWS}; exec ${program}`;
  const { NO_COLOR: _, FORCE_COLOR: __, CI: ___, ...inherited } = process.env;
  const child = spawn('script', ['--quiet', '--return', '--flush', '--command', command, '/dev/null'], {
    env: { ...inherited, ...ENVIRONMENT_OF_TESTS, TERM: 'xterm-256color', SHELL: '/bin/sh', ...environment },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const terminal = new xterm.Terminal({ cols: columns, rows: ROWS, scrollback: SCROLLBACK, allowProposedApi: true });
  let raw = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    raw += text;
    terminal.write(text);
  });
  const late = setTimeout(() => child.kill('SIGKILL'), LIMIT_MS);
  const closed = once(child, 'close');
  for (const [shown, typed] of answers) {
    await until(
      () => linesOf(terminal).join('\n'),
      (screen) => screen.includes(shown),
    );
    if (typeof typed === 'string') child.stdin.write(typed);
    else await typed(linesOf(terminal));
  }
  await closed;
  clearTimeout(late);
  await new Promise<void>((resolve) => terminal.write('', resolve));
  return { code: child.exitCode, lines: linesOf(terminal), raw };
}

function linesOf({ buffer }: Terminal): string[] {
  const { active } = buffer;
  const lines = Array.from({ length: active.length }, (_, line) => active.getLine(line)?.translateToString(true) ?? '');
  return lines.slice(0, lines.findLastIndex((line) => line !== '') + 1);
}
