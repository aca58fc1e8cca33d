// What the check of orders needs of others and what it tells them. Types only.
import type { Notice, SignedNoticeFrame, SignedTaskFrame, TaskOrder, WelcomeFrame } from '../../wire/frames.ts';

/** The key that a service signs with, as it was learnt from it; SPKI in DER as base64. */
export type KeyPin = {
  /** Where it is kept, for people. */
  readonly file?: string;
  /** Undefined = none was learnt yet. */
  read(): string | undefined;
  /** Throws when it cannot be kept; until the end of the process it holds all the same. */
  keep(key: string): void;
  /** Whether the service has shown that it signs its notices too. */
  signsNotices(): boolean;
  /** From now on; throws like keep. */
  keepSignsNotices(): void;
};

/** Why an order is not taken, or a notice. */
export type Refusal =
  | 'unsigned'
  | 'no key is known'
  | 'signature'
  | 'unreadable'
  | 'another agent'
  | 'another connection'
  | 'sequence';

/** For the record of what was refused and whom we trust. */
export type OrderEvent = {
  readonly type: 'orders_refused' | 'task_key_pinned' | 'task_key_changed' | 'task_key_refused';
  readonly key: string;
  readonly detail: Readonly<Record<string, unknown>>;
};

/** One connection's. */
export type OrderSession = {
  /** For the hello. */
  readonly nonce: string;
  readonly taskSeq: number;
  onWelcome(welcome: WelcomeFrame): void;
  /** Those that are ours to carry out, in order, with an expiry in our time. Throws when the sequence cannot be written: then none of them is admitted. */
  admit(frames: readonly (TaskOrder | SignedTaskFrame)[]): readonly TaskOrder[];
  /** What the service says; undefined when it is not the service that says it. Needs no disk. */
  hear(frame: Notice | SignedNoticeFrame): Notice | undefined;
};

export type OrderGuard = {
  begin(): OrderSession;
  /** Tells what has not been told. */
  stop(): void;
};
