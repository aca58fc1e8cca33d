// The logger that parts get: a narrow slice of pino, so that a part cannot configure logging and a test can record it.

export type LogFields = Readonly<Record<string, unknown>>;

export type Log = {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
};

const nothing = () => {};
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };

const TELL_AGAIN_MS = 60_000;

/** Tells the same error at most once a minute: what fails each second would fill the log. */
export function oncePerMinute(
  clock: { monotonicMs(): number },
  tell: (error: unknown) => void,
): (error: unknown) => void {
  let last: { readonly text: string; readonly atMs: number } | undefined;
  return (error) => {
    const text = String(error);
    const atMs = clock.monotonicMs();
    if (last?.text === text && atMs - last.atMs < TELL_AGAIN_MS) return;
    last = { text, atMs };
    tell(error);
  };
}
