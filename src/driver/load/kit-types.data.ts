// The part of the editor's type file that is written by hand: what a driver says, and how it is called. A test holds it
// to the contract.

export const CONTRACT_TYPES = `/** What the argument of a driver file offers beside \`defineDriver\`. */
type Helper = (...given: never[]) => unknown;

export type Driver = {
  readonly id: string;
  readonly make: string;
  readonly families?: readonly Family[];
  readonly covers: readonly {
    readonly models: string;
    readonly firmware: string;
    readonly evidence: 'recording' | 'simulated' | 'claimed';
  }[];
  readonly asks: Readonly<Record<string, Ask>>;
  readonly abilities: Readonly<
    Partial<Record<'reboot' | 'light' | 'powerMode' | 'pools' | 'firmware' | 'log', Ability>>
  >;
  readonly login: {
    readonly kind: 'none' | 'digest' | 'token' | 'session';
    readonly factoryDefault?: { readonly user: string; readonly password: string };
  };
  readonly quirks: {
    /** Pause between two requests to the device, ms. */
    readonly gapMs?: number;
    /** Seconds after a restart until its figures mean something. */
    readonly warmUpS?: number;
  };
  identify(evidence: Evidence): Identity | undefined;
};

export type Family = {
  readonly id: string;
  readonly isThirdParty?: true;
  readonly livesOn?: true;
  readonly hasSidePort?: true;
  /** Words in the text of \`version\` or \`devdetails\`, in capitals. */
  readonly tcp?: readonly { readonly words: readonly string[]; readonly in?: 'version'; readonly isHint?: true }[];
  readonly startPages?: readonly {
    readonly status?: number;
    readonly realm?: string;
    readonly location?: string;
    readonly body?: string;
  }[];
};

/** \`poll\` = each poll; \`slow\` = every few polls; \`static\` = seldom. */
export type Ask = Request & {
  readonly every: 'poll' | 'slow' | 'static';
  readonly generations?: readonly string[];
  /** Sent only if the named ask failed in the same visit. */
  readonly insteadOf?: string;
  readonly goesWith?: string;
};

export type Request =
  | { readonly via: 'cgminer'; readonly command: string; readonly parameter?: string; readonly port?: number }
  | { readonly via: 'whatsminer3'; readonly cmd: string; readonly param?: unknown }
  | {
      readonly via: 'http';
      readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
      readonly path: string;
      readonly port?: number;
      readonly auth: 'none' | 'digest' | Session;
      readonly headers?: Readonly<Record<string, string>>;
      readonly json?: unknown;
      readonly form?: Readonly<Record<string, string>>;
      readonly as: 'json' | 'text';
    };

export type Session = {
  readonly name: string;
  open(login: { readonly user: string; readonly password: string }): {
    readonly via: 'http';
    readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
    readonly path: string;
    readonly json?: unknown;
    readonly form?: Readonly<Record<string, string>>;
  };
  /** Headers for further requests; undefined = refused. */
  grant(answer: {
    readonly status: number;
    readonly body: unknown;
    readonly cookie?: string;
  }): Readonly<Record<string, string>> | undefined;
  isRefused?(answer: unknown): boolean;
};

export type Evidence = {
  readonly version?: string;
  readonly devdetails?: string;
  readonly web?: Page;
  readonly systemInfo?: Page;
  readonly familyPage?: Page;
  /** The family that the answers name, and whether they prove it. */
  readonly family: string | undefined;
  readonly isProven?: boolean;
};
export type Page = { readonly status: number; readonly body: string; readonly location?: string };

export type Link = { readonly ip: string; send(request: Request): Promise<unknown> };

export type Ability = {
  readonly effect: 'read-only' | 'repeatable' | 'once';
  /** Seconds that the device is off the network afterwards: shortest, longest. */
  readonly offlineS: readonly [number, number];
  act(
    link: Link,
    params: never,
    known: { readonly generation?: string; readonly make?: string; readonly model?: string },
  ): Promise<{ readonly kind: 'accepted'; readonly note?: string; readonly log?: string } | { readonly kind: 'lost-reply' }>;
  shows?(reading: Reading, params: never): boolean | undefined;
  readonly shownWithinS?: number;
};
`;
