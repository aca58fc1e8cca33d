// What an update needs of the host: the service, its databases, and programs to try. Injected, so that every fault can be played.

/** As the service manager tells it. */
export type UnitState = {
  /** `active`, `activating`, `inactive`, `failed` … */
  readonly active: string;
  /** `running`, `auto-restart`, `dead` … */
  readonly sub: string;
  /** Since it was started by an order. */
  readonly restarts: number;
  /** 0 = none. */
  readonly pid: number;
};

export type UpdateHost = {
  /** Starts the service and forgets its earlier failures; does not wait until it is ready. */
  start(): Promise<void>;
  /** Resolves when its process is gone. */
  stop(): Promise<void>;
  unit(): Promise<UnitState>;
  /** Whether the service's own interface can take requests; undefined where it runs none. */
  isServing(): Promise<boolean | undefined>;
  /** Starts the program by itself: it must say this version, and that all its parts work here. Throws with what it does instead. */
  tryProgram(path: string, version: string): Promise<void>;
  /** Copies the databases of the stopped service. Throws when there is no whole copy. */
  saveDatabases(): Promise<void>;
  /** Puts the copies back if the databases were changed to what the version before cannot read. */
  restoreDatabases(): Promise<void>;
};
