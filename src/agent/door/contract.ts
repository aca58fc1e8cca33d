// What the door needs of the agent: what it shows and does for whoever may open it. Types only.
import type { ScanAccount } from '../../model/contact.ts';
import type { DoorState, RunRequest, ScanRequest, ShownCapture, ShownFound, ShownTask, Step } from './messages.ts';

export type ScanHearer = {
  onUnderstood(text: string): void;
  onFound(found: ShownFound): void;
  onProgress(done: number, total: number, identified: number): void;
};

/** Each refuses with RefusedError; its code and its message are for whoever asked. */
export type DoorOffers = {
  state(): DoorState;
  /** Newest first. */
  tasks(limit: number): ShownTask[];
  /** Ends when every task has its outcome. What has not been started when `signal` aborts is given up. */
  run(
    request: RunRequest,
    onStep: (step: Step) => void,
    signal: AbortSignal,
  ): Promise<{ total: number; succeeded: number }>;
  /** Gives up those that have not been started, and says how many there were. */
  cancel(taskIds: readonly string[]): number;
  /** The same for all tasks, whoever asked for them. */
  abortAll(reason: string): number;
  /** What it found is kept when `signal` ends it early. */
  scan(request: ScanRequest, hearer: ScanHearer, signal: AbortSignal): Promise<ScanAccount>;
  /** Everything that one address says now. */
  look(ip: string, signal: AbortSignal): Promise<ShownFound>;
  /** Everything that one device answers, nothing private in it; undefined when nothing answers there. */
  capture(
    ip: string,
    onAsked: (done: number, total: number, note: string) => void,
    signal: AbortSignal,
  ): Promise<ShownCapture | undefined>;
  /** Throws ConfigError too, and then nothing has changed. */
  reload(): { readonly changed: readonly string[]; readonly needs_restart: readonly string[] };
  /** The log that the miner there keeps, without passwords. Throws PeerError too. */
  log(ip: string, signal: AbortSignal): Promise<string>;
};
