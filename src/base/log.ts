// The logger that parts are handed: a narrow slice of pino, so that a part cannot configure logging and a test can record it.

export type LogFields = Readonly<Record<string, unknown>>;

export type Log = {
  debug(fields: LogFields, message: string): void;
  info(fields: LogFields, message: string): void;
  warn(fields: LogFields, message: string): void;
  error(fields: LogFields, message: string): void;
};

const nothing = () => {};
export const silentLog: Log = { debug: nothing, info: nothing, warn: nothing, error: nothing };
