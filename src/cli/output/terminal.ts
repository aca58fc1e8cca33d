// What commands write to: streams, environment and the stop signal, so that a command never touches the process itself.
import { styleText } from 'node:util';
import { MultiBar } from 'cli-progress';

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

type Progress = {
  update(done: number, total: number, note: string): void;
  /** Prints a line of results without tearing the bar. */
  line(text: string): void;
  stop(): void;
};

/** A bar on stderr while that is a terminal; without one, lines still go to stdout. */
export function progressBar({ stdout, stderr }: Pick<CliContext, 'stdout' | 'stderr'>, label: string): Progress {
  const plain: Progress = { update() {}, line: (text) => void stdout.write(`${text}\n`), stop() {} };
  if (!stderr.isTTY) return plain;
  const bars = new MultiBar({
    format: `${label} {bar} {percentage}% {value}/{total} {note}`,
    stream: stderr,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    hideCursor: true,
    clearOnComplete: true,
    fps: 10,
  });
  const bar = bars.create(1, 0, { note: '' });
  return {
    update(done, total, note) {
      bar.setTotal(total);
      bar.update(done, { note });
    },
    line: (text) => (stdout.isTTY ? bars.log(`${text}\n`) : plain.line(text)),
    stop: () => bars.stop(),
  };
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
