// A list that stays on the screen: asked for each second, drawn when it has changed, on a second screen of the
// terminal, so that the first one is afterwards as it was. It ends with q or Ctrl-C.
import { type Clock, systemClock } from '../../../base/clock.ts';
import { CancelledError, PeerError, renderError } from '../../../base/errors.ts';
import { formatTime } from '../../output/format.ts';
import type { CliContext } from '../../output/terminal.ts';

export type Frame = { readonly head: string; readonly body: string };

export type Watched = {
  /** Throws PeerError while nothing answers: then the last frame stays, with the reason. */
  read(): Promise<void>;
  /** At most `rows` lines are shown of its body. */
  draw(size: { readonly width: number; readonly rows: number }): Frame;
};

/** What standard input can do. */
export type Keyboard = {
  readonly isTTY: boolean;
  setRawMode(isRaw: boolean): unknown;
  resume(): unknown;
  pause(): unknown;
  on(event: 'data', listener: (bytes: Buffer) => void): unknown;
  off(event: 'data', listener: (bytes: Buffer) => void): unknown;
};

const EVERY_MS = 1_000;
const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';
const HOME = '\u001b[H';
const TO_LINE_END = '\u001b[K';
const TO_SCREEN_END = '\u001b[J';
const [CTRL_C, QUIT] = ['\u0003', 'q'] as const;

/** Resolves when the person has ended it. */
export async function watch(
  watched: Watched,
  { stdout, signal: stopped }: Pick<CliContext, 'stdout' | 'signal'>,
  keyboard: Keyboard = process.stdin,
  clock: Pick<Clock, 'sleep' | 'nowMs'> = systemClock,
): Promise<void> {
  const ended = new AbortController();
  const signal = AbortSignal.any([stopped, ended.signal]);
  const onKey = (bytes: Buffer) => {
    const text = bytes.toString();
    if (text.includes(CTRL_C) || text.toLowerCase().includes(QUIT)) ended.abort('the person has ended it');
  };
  // Before the screen is changed: where nothing answers at all, the error stands on the screen that stays.
  await watched.read();
  stdout.write(ENTER);
  if (keyboard.isTTY) {
    keyboard.setRawMode(true);
    keyboard.on('data', onKey);
    keyboard.resume();
  }
  try {
    await redraw(watched, stdout, signal, clock);
  } finally {
    if (keyboard.isTTY) {
      keyboard.off('data', onKey);
      keyboard.setRawMode(false);
      keyboard.pause();
    }
    stdout.write(LEAVE);
  }
}

async function redraw(
  watched: Watched,
  stdout: NodeJS.WriteStream,
  signal: AbortSignal,
  clock: Pick<Clock, 'sleep' | 'nowMs'>,
): Promise<void> {
  let drawn = '';
  let trouble = '';
  while (!signal.aborted) {
    const { columns: width = 80, rows = 24 } = stdout;
    const { head, body } = watched.draw({ width, rows: Math.max(1, rows - 2) });
    const lines = [trouble === '' ? head : `${head}  ${trouble}`, ...body.split('\n')].slice(0, rows);
    const text = `${HOME}${lines.map((line) => `${line}${TO_LINE_END}`).join('\n')}${TO_SCREEN_END}`;
    if (text !== drawn) stdout.write(text);
    drawn = text;
    try {
      await clock.sleep(EVERY_MS, signal);
      await watched.read();
      trouble = '';
    } catch (error) {
      if (signal.aborted || error instanceof CancelledError) return;
      if (!(error instanceof PeerError)) throw error;
      trouble ||= `NOT LIVE since ${formatTime(clock.nowMs()).slice(11)}: ${renderError(error)}`;
    }
  }
}
