// What a platform's system services can do for us. Types only.

/** A platform's services. Its functions throw CommandFailed with what to do. */
export type ServiceHost = {
  /** How people call the installed program. */
  readonly called: string;
  /** Throws when it cannot be done here and now. */
  check(): void;
  /** Puts the program in place and starts it. */
  install(): Promise<void>;
  remove(isPurge: boolean): Promise<void>;
};
