// The five families of errors. A family says what caused the error, and so what happens next. Callers test `family` and
// `code`, never text. A message says what was attempted, on what, in the present tense. The cause stays in `cause` and
// is rendered once, where it is logged.
import { DATABASE_ERRORS, type DatabaseCode, type PeerCode, REFUSALS, type RefusalCode } from './error-codes.data.ts';

export type { DatabaseCode, PeerCode, RefusalCode };

/** When it makes sense to try the same peer again. */
export type Retry = 'soon' | 'later' | 'never';

abstract class PitheadError extends Error {
  abstract readonly family: 'config' | 'peer' | 'refused' | 'cancelled' | 'bug';
  readonly code: string;
  constructor(code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = new.target.name;
    this.code = code;
  }
}

/** One problem of the operator's input. `path` names the field (`scan.ranges[2]`), `message` says what is accepted. */
export type Problem = { readonly path: string; readonly message: string };

/** Operator input is wrong. At start: print all problems and exit 78. At reload: keep the last good config. */
export class ConfigError extends PitheadError {
  readonly family = 'config';
  readonly problems: readonly Problem[];
  constructor(message: string, problems: readonly Problem[], cause?: unknown) {
    super('config.invalid', message, cause);
    this.problems = problems;
  }
}

/** A peer was silent, slow, or said nonsense. Becomes a state, a counter or a flag; never ends the process. */
export class PeerError extends PitheadError {
  readonly family = 'peer';
  override readonly code: PeerCode;
  readonly retry: Retry;
  /**
   * Whether the whole request reached the network before the failure. True: the peer may have acted on it. False: it
   * cannot have. Undefined where it makes no difference (the peer understood and refused).
   */
  readonly wasSent?: boolean;
  constructor(
    code: PeerCode,
    message: string,
    retry: Retry,
    cause?: unknown,
    details: { readonly wasSent?: boolean | undefined } = {},
  ) {
    super(code, message, cause);
    this.code = code;
    this.retry = retry;
    if (details.wasSent !== undefined) this.wasSent = details.wasSent;
  }
}

/**
 * The database of the service can take no work now: a peer that is away. Nothing was changed, or it is not known
 * whether (a commit without an answer). Becomes a 503; tried again later.
 */
export class DatabaseError extends PitheadError {
  readonly family = 'peer';
  override readonly code: DatabaseCode;
  constructor(code: DatabaseCode, message: string = DATABASE_ERRORS[code].text, cause?: unknown) {
    super(code, message, cause);
    this.code = code;
  }
}

/**
 * Policy forbids it: outside the allowed networks, bad signature, over quota, queue full. Never retried, always
 * audited.
 */
export class RefusedError extends PitheadError {
  readonly family = 'refused';
  override readonly code: RefusalCode;
  constructor(code: RefusalCode, message: string = REFUSALS[code].text, cause?: unknown) {
    super(code, message, cause);
    this.code = code;
  }
}

/** We were asked to stop, or the caller's deadline passed. */
export class CancelledError extends PitheadError {
  readonly family = 'cancelled';
  constructor(message: string, cause?: unknown) {
    super('cancelled', message, cause);
  }
}

/** An invariant of ours broke. Logged once with its context; the process goes on; tests fail on any. */
export class BugError extends PitheadError {
  readonly family = 'bug';
  constructor(message: string, cause?: unknown) {
    super('bug', message, cause);
  }
}

/** The message and its chain of causes on one line, for the logging edge only. */
export function renderError(error: unknown): string {
  const parts: string[] = [];
  let current: unknown = error;
  for (let depth = 0; depth < 6 && current !== undefined && current !== null; depth++) {
    parts.push(current instanceof Error ? current.message : String(current));
    current = current instanceof Error ? current.cause : undefined;
  }
  return parts.join(': ');
}

/**
 * For the default branch of an exhaustive switch: a type error for a missing case, a BugError if the types were wrong.
 */
export function unreachable(value: never): never {
  throw new BugError(`reach a case that the types exclude: ${JSON.stringify(value)}`);
}
