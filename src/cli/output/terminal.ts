// What commands write to: streams, environment and the stop signal, so that a command never touches the process itself.
import { styleText } from 'node:util';
import { MultiBar, type SingleBar } from 'cli-progress';

export type CliContext = {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
};

type Style = Parameters<typeof styleText>[0];
export type Paint = (style: Style, text: string) => string;

/** Colours for a terminal, plain text otherwise; NO_COLOR and FORCE_COLOR are obeyed. */
export function painter(stream: NodeJS.WriteStream): Paint {
  return (style, text) => styleText(style, text, { stream, validateStream: true });
}

export type Progress = {
  update(done: number, total: number, note: string): void;
  /** Prints a line of results on stdout without tearing the bar. */
  line(text: string): void;
  stop(): void;
};

/** A bar on stderr while that is a terminal; without one, lines go to stdout all the same. */
export function progressBar({ stdout, stderr }: Pick<CliContext, 'stdout' | 'stderr'>, label: string): Progress {
  const printLine = (text: string) => void stdout.write(`${text}\n`);
  if (!stderr.isTTY) return { update() {}, line: printLine, stop() {} };
  /** Nothing is drawn before the first update: a question may come before it. */
  let drawn: { readonly bars: MultiBar; readonly bar: SingleBar } | undefined;
  return {
    update(done, total, note) {
      drawn ??= drawBar(stderr, label);
      drawn.bar.setTotal(total);
      drawn.bar.update(done, { note });
    },
    line(text) {
      if (drawn?.bars.isActive && stdout.isTTY) drawn.bars.log(`${text}\n`);
      else printLine(text);
    },
    stop() {
      if (!drawn?.bars.isActive) return;
      // Lines wait for the next drawing, and there is none after the stop.
      drawn.bars.update();
      drawn.bars.stop();
    },
  };
}

function drawBar(stream: NodeJS.WriteStream, label: string): { readonly bars: MultiBar; readonly bar: SingleBar } {
  const bars = new MultiBar({
    format: `${label} {bar} {percentage}% {value}/{total} {note}`,
    stream,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 20,
    hideCursor: true,
    // The bar itself is cut to the screen; lines of results are wrapped by the terminal, and whole.
    linewrap: true,
    clearOnComplete: true,
    fps: 10,
  });
  return { bars, bar: bars.create(1, 0, { note: '' }) };
}

/** A bar for as long as `work` takes. */
export async function withProgress<T>(
  context: Pick<CliContext, 'stdout' | 'stderr'>,
  label: string,
  work: (bar: Progress) => Promise<T>,
): Promise<T> {
  const bar = progressBar(context, label);
  try {
    return await work(bar);
  } finally {
    bar.stop();
  }
}
