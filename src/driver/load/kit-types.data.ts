// The types of the kit as the compiler writes them, for editors. `npm run handbook` writes this file; a test holds it
// to the kit.

export const KIT_TYPES = `/**
 * A way to talk to one miner. Throws only PeerError (what went wrong, when to retry), RefusedError (address outside the
 * reach) or CancelledError (signal aborted). The caller holds the device mutex: a link does
 * not queue.
 */
export type MinerLink = {
  readonly ip: string;
  /** The answer as JSON value or text, see each request type. */
  send(request: MinerRequest, limits?: ExchangeLimits): Promise<unknown>;
};
export type MinerRequest = ReadRequest | Whatsminer2Write | Whatsminer3Write;
/**
 * A login that yields a cookie or a token. The grant is kept per device, port, name and login until the device refuses
 * it with 401 (or in the way that \`isRefused\` knows); then one new login is made and the request repeated. A refused
 * login is \`peer.auth\`. Without a login at hand the request is sent without a grant.
 */
export type WebSession = {
  /** Tells apart the sessions of one device. */
  readonly name: string;
  /** What to send to log in. */
  open(login: PlainLogin): Awaitable<SessionOpening>;
  /** Headers for further requests, from the answer to \`open\` of any status but 429; undefined = refused. */
  grant(answer: SessionAnswer): Awaitable<Readonly<Record<string, string>> | undefined>;
  /** For devices that answer 200 or 403 when the session has ended. \`answer\` is the JSON value, or text. */
  isRefused?(answer: unknown): Awaitable<boolean>;
  /** A grant proves the password: a request that is refused all the same is \`peer.permission\`, not \`peer.auth\`. */
  readonly provesLogin?: true;
};
/** Abilities of drivers. */
export declare const ABILITY_NAMES: readonly ['reboot', 'light', 'powerMode', 'pools', 'firmware', 'log', 'password'];
export type AbilityName = (typeof ABILITY_NAMES)[number];
/** What the shared probe questions answered. Absent = that port is closed or gave nothing. */
export type Evidence = {
  /** Raw text of \`version\` on TCP 4028, else on 8359; of \`devdetails\` when \`version\` did not decide. */
  readonly version?: string;
  readonly devdetails?: string;
  /** \`GET /\` on port 80, not logged in, redirects not followed; on port 443 where that one sends there. */
  readonly web?: WebEvidence;
  /** Reply object of Whatsminer \`get.device.info\` on TCP 4433. */
  readonly whatsminer3?: unknown;
  /** \`GET /capabilities\` on port 4028 where a web server answers there. */
  readonly api4028?: WebEvidence;
  /** \`GET /api/system/info\`, where the start page names no family. */
  readonly systemInfo?: WebEvidence;
  /** The page that only the family has which the others hint at (\`page\` of a Family). */
  readonly familyPage?: WebEvidence;
  /** A page that asks for a login on that family, where the one before proves too little. */
  readonly guardedPage?: WebEvidence;
  /** What the families of all drivers say of the above; third-party firmware wins over stock. */
  readonly family: string | undefined;
  /** Something of the above proves the family; the rest are hints. */
  readonly isProven?: boolean;
};
/** Which device it is, by the evidence. \`generation\` is the driver's name for an API variant (\`api3\`, \`c\`). */
export declare const identitySchema: z.ZodObject<{
  generation: z.ZodExactOptional<z.ZodString>;
  make: z.ZodExactOptional<z.ZodString>;
  model: z.ZodExactOptional<z.ZodString>;
  firmwareVersion: z.ZodExactOptional<z.ZodString>;
  mac: z.ZodExactOptional<z.ZodString>;
  serialNumber: z.ZodExactOptional<z.ZodString>;
  /**
   * \`sure\` = the device gave, without a login, a proof that only this family gives; \`generic\` = it proved that it is a
   * mining program of any kind; \`likely\` = a hint, such as a word on a page: it is no miner of the farm and is asked
   * nothing more until a person says what it is. A surer driver wins.
   */
  confidence: z.ZodEnum<{
    generic: "generic";
    likely: "likely";
    sure: "sure";
  }>;
}, z.core.$strip>;
export type Identity = Readonly<z.output<typeof identitySchema>>;
/** For families that look like another one: one question behind the login, which only they answer like this. */
export type AfterLogin = {
  /** Whether what the open ports say leaves room for it. Pure. */
  mayBe(evidence: Evidence): boolean;
  readonly ask: ReadRequest;
  /** Pure: undefined = not ours. Not called when the ask fails. */
  identify(answer: unknown): Identity | undefined;
};
/** What earlier visits learned and a pure \`read\` may use. */
export type Known = {
  readonly generation?: string;
  readonly make?: string;
  readonly model?: string;
};
/** \`poll\` = each poll; \`slow\` = every few polls; \`static\` = first, after a restart, every 10 min to 1 h. */
export type Rhythm = 'poll' | 'slow' | 'static';
export type Ask = ReadRequest & {
  readonly every: Rhythm;
  /** Only for these generations; default all. */
  readonly generations?: readonly string[];
  /** Sent only if the named ask failed or was refused in the same visit. */
  readonly insteadOf?: string;
  /** With \`insteadOf\`: sent too if the named ask was answered, and this is true of its answer. */
  readonly isLacking?: (answer: unknown) => Awaitable<boolean>;
  /** Not sent while the device refuses the named ask as unknown or not allowed: that API is not there. */
  readonly goesWith?: string;
};
export type ActResult = 
/** The device took it. \`note\` is the device's answer, if any; \`log\` what a log ability fetched. */
{
  readonly kind: 'accepted';
  readonly note?: string;
  readonly log?: string;
}
/** Sent, but the answer was lost: not a failure, to be settled by observation. */
 | {
  readonly kind: 'lost-reply';
};
/** A firmware file from the agent's own folder, read from disk as it is looked at or sent. */
export type FirmwareImage = {
  readonly name: string;
  /** Hex, checked against the task before the driver sees it. */
  readonly sha256: string;
  readonly bytes: Blob;
};
/** What the family can do. Refusals are \`peer.rejected\`, \`peer.permission\`, \`peer.auth\`, \`peer.unsupported\`. */
export type Ability = {
  readonly effect: Effect;
  /** Seconds that the device is normally off the network afterwards: [shortest, longest]; [0, 0] = it stays. */
  readonly offlineS: readonly [number, number];
  /** Accepted params, as zod schema. */
  readonly params: z.ZodType;
  /**
   * \`image\` is there for \`firmware\` only. An upload has 30 min unless \`limits.deadlineMs\` says otherwise. Firmware is
   * proven by the restart and, when the params name a \`version\`, by that (or by \`shows\`); uploads that were cut before
   * the end are failures, not lost replies.
   */
  act(link: MinerLink, params: unknown, known: Known, image?: FirmwareImage): Promise<ActResult>;
  /**
   * Whether a reading taken afterwards shows that the miner obeyed: true, false (not yet, or not at all), undefined
   * when this reading cannot tell. Absent = the device's answer is all there is to know. Reboots are proven by the
   * core.
   */
  shows?(reading: Reading, params: unknown): boolean | undefined;
  /** Seconds within which it shows; then it is a failure. Default 60; never less than \`offlineS\` and half a minute. */
  readonly shownWithinS?: number;
  /**
   * Firmware that the device gets without us: from \`params.url\`, which reaches the driver only if its host is allowed
   * here, or from a source of its own. No image is looked for.
   */
  readonly fetchesItself?: 'from-url' | 'from-own-source';
  /**
   * For \`password\` only: a request that changes nothing and that the device answers only to those whom it let in.
   * Absent = some ask of the driver needs the login, so that a visit shows whether it is accepted.
   */
  provesLogin?(link: MinerLink, known: Known): Promise<unknown>;
};
/** Proved by an answer of a real device, by our simulated device, or written from documents only. */
export type EvidenceLevel = 'recording' | 'simulated' | 'claimed';
/**
 * One row of what a driver covers. \`models\` are patterns in words for people; \`firmware\` names the range of versions.
 */
export type Cover = {
  readonly models: string;
  readonly firmware: string;
  readonly evidence: EvidenceLevel;
};
export type ReadResult = {
  readonly reading: Reading;
  /** Asks that were answered but whose answer made no sense. */
  readonly unparsable: readonly string[];
};
/** A driver as the core sees it. */
export type Driver = {
  readonly id: string;
  readonly make: string;
  /** How its devices show themselves and prove what they are; absent = it recognises what no family does. */
  readonly families?: readonly Family[];
  readonly ipReport?: IpReportForm;
  readonly covers: readonly Cover[];
  readonly asks: Readonly<Record<string, Ask>>;
  readonly abilities: Readonly<Partial<Record<AbilityName, Ability>>>;
  readonly login: LoginKind;
  readonly quirks: Quirks;
  identify(evidence: Evidence): Identity | undefined;
  readonly afterLogin?: AfterLogin;
  /**
   * \`raw\` holds one value per answered ask (JSON value or text). Never throws; a field that makes no sense is absent.
   */
  read(raw: Readonly<Record<string, unknown>>, known: Known): ReadResult;
};
/** Largest of the defined values, undefined when there is none. */
export declare function largest(values: readonly (number | undefined)[]): number | undefined;
/** Mean of the defined values, undefined when there is none. */
export declare function mean(values: readonly (number | undefined)[]): number | undefined;
/** Sum of the values; undefined when one is missing, as a part would look like a loss, or when there is none. */
export declare function sumOfAll(values: readonly (number | undefined)[]): number | undefined;
/** A finite number in the range, also from text (\`"37,603.30"\`, \`" 12 "\`); otherwise undefined. */
export declare function toNumber(value: unknown, { min, max }?: Range): number | undefined;
/** Celsius; absent on an empty sensor. \`zeroIsAbsent\` is the usual case: sensors that are not there report 0. */
export declare function toTempC(value: unknown, { zeroIsAbsent }?: {
  zeroIsAbsent?: boolean;
}): number | undefined;
/**
 * Trimmed text without anything that is not seen, at most 256 characters; undefined when blank. Numbers become text.
 */
export declare function toText(value: unknown, maxLength?: number): string | undefined;
/** Address of a pool: \`''\` where the device shows none, undefined where it cannot be read or is hidden (\`*\`). */
export declare function toPoolAddress(value: unknown): string | undefined;
/** Serial number of a part, to join rows of several answers; undefined where it names nothing (\`N/A\`, \`0x0\`). */
export declare function toPartSerial(value: unknown): string | undefined;
/** As \`toText\`; undefined too where the device does not know it (\`N/A\`, \`null\`, \`-\`). */
export declare function toKnownText(value: unknown, maxLength?: number): string | undefined;
/** true/false from booleans, 0/1, "true"/"false", "Y"/"N", "on"/"off". */
export declare function toBoolean(value: unknown): boolean | undefined;
/** First defined value. */
export declare function first<T>(...values: readonly (T | undefined)[]): T | undefined;
/** The first that can identify a miner; else the first that is reported, for checks of it. */
export declare const firstMac: (...texts: readonly (string | undefined)[]) => string | undefined;
export declare const firstSerial: (...texts: readonly (string | undefined)[]) => string | undefined;
/** \`value * factor\`, keeping absence. */
export declare function scale(value: number | undefined, factor: number): number | undefined;
/** Whatever field it stands in, it says that the device does not know. */
export declare const isFiller: (text: string) => boolean;
/** As the name of a thing (a model, a version, a host) it names none. */
export declare const isFillerName: (text: string) => boolean;
/** Of a part or a fault: zeros in any spelling (\`0\`, \` 0X0 \`), a blank, and words for "nothing is wrong". */
export declare const isNoFault: (word: string) => boolean;
/** Whether the word of a device names a fault. */
export declare const isFault: (word: string | undefined) => word is string;
/** Of a command that brings a file. */
export declare const UPLOAD: ExchangeLimits;
/**
 * What the answer to a command means. A result = done, with a note. A text = refused, in the device's words; undefined
 * = neither yes nor no, so that the device may have acted.
 */
export type Verdict = true | ActResult | string | undefined | {
  /** Default \`peer.rejected\`. */
  readonly code?: PeerError['code'];
  readonly why?: string;
  readonly retry?: Retry;
};
/** A no in the device's own words, which may be about permission. */
export declare const refused: (words?: string) => Verdict;
/** One command. \`what\` as in "restart"; without \`judge\` any answer below status 400 is a yes. */
export declare const command: (link: MinerLink, what: string, request: MinerRequest, judge?: (answer: Answer) => Verdict, limits?: ExchangeLimits) => Promise<ActResult>;
/** A command that brings a file. */
export declare const upload: (link: MinerLink, what: string, request: MinerRequest, judge?: (answer: Answer) => Verdict) => Promise<ActResult>;
/** Of an attempt such as "restart 10.0.0.1". Throws what is no yes. */
export declare function resultOf(attempt: string, verdict: Verdict): ActResult;
/**
 * One after another, until the answer to one is lost; the result of the last that was sent. Steps that are false are
 * not needed; where none is, it was so already.
 */
export declare function inTurn(...steps: readonly (false | (() => Promise<ActResult>))[]): Promise<ActResult>;
/**
 * Asks before anything is changed. \`what\` as in "change the pools of". An answer without what is needed is
 * \`peer.rejected\`: nothing has been sent that could change anything.
 */
export declare const askFirst: (link: MinerLink, what: string, request: MinerRequest, isEnough?: (answer: Answer) => boolean, limits?: ExchangeLimits) => Promise<Answer>;
/**
 * A log of more than 1 MiB is \`peer.rejected\`: to ask for it again would be no use. \`textOf\` finds the log in an answer
 * that holds more, or undefined; \`judge\` says whether the device gives one, where it answers a refusal with words.
 */
export declare function fetchLog(link: MinerLink, request: MinerRequest, textOf?: (answer: Answer) => string | undefined, judge?: (answer: Answer) => Verdict): Promise<string>;
/** The text of a log that the device writes as a piece of a page. */
export declare const textOfPage: (html: string) => string;
/**
 * The result of \`set\`, unless the device has something else afterwards: then it has refused. \`isKept\` looks; where it
 * fails or cannot tell (undefined), the result stands.
 */
export declare function orNotKept(link: MinerLink, what: string, set: () => Promise<ActResult>, isKept: () => Promise<boolean | undefined>): Promise<ActResult>;
/**
 * The result of \`act\`, or \`lost-reply\` when the request went out and no usable answer came. Other errors are thrown on.
 */
export declare function orLostReply(act: () => Promise<ActResult>): Promise<ActResult>;
/** What is asked before anything is changed: when it fails, the action cannot have happened. */
export declare function beforeAct<T>({ ip }: {
  readonly ip: string;
}, what: string, ask: () => Promise<T>): Promise<T>;
/**
 * What \`act\` gives; where it ends with one of these errors of the device (default: with any), what \`other\` gives.
 */
export declare function orElse<T, O>(act: () => Promise<T>, other: () => O, codes?: readonly PeerError['code'][]): Promise<T | Awaited<O>>;
/**
 * What comes of the first of several ways that the device knows. Each may end as \`peer.unsupported\` only if nothing was
 * done.
 */
export declare function firstKnown<W, T>(ways: readonly [W, ...W[]], go: (way: W) => Promise<T>): Promise<T>;
export declare const ACCEPTED: {
  readonly kind: 'accepted';
};
export declare const SO_ALREADY: {
  readonly kind: 'accepted';
  readonly note: 'it was so already';
};
/** Of pools. */
export declare const THEY_WERE_SO: {
  readonly kind: 'accepted';
  readonly note: 'they were so already';
};
/** Nothing has been sent that could change anything. \`what\` as in "set the mode of"; \`why\` for people. */
export declare const unsupported: ({ ip }: {
  readonly ip: string;
}, what: string, why?: string) => PeerError;
export type WantedPool = z.output<typeof pool>;
export declare const poolParams: z.ZodObject<{
  pools: z.ZodArray<z.ZodObject<{
    url: z.ZodString;
    user: z.ZodString;
    password: z.ZodDefault<z.ZodOptional<z.ZodPipe<z.ZodOptional<z.ZodNullable<z.ZodString>>, z.ZodTransform<string | undefined, string | null | undefined>>>>;
  }, z.core.$loose>>;
}, z.core.$loose>;
/** For commands whose parameters are parts between commas. */
export declare const haveNoComma: (wanted: readonly WantedPool[]) => boolean;
/** Fields of devices that number their places; those without a pool are there all the same, empty. */
export declare function placesAsFields(wanted: readonly WantedPool[], places: number, names: (no: number) => readonly [url: string, user: string, password: string]): Record<string, string>;
/** The same pools in the same order; no, where it is not known what is set. Hosts are written in any case. */
export declare const samePools: (set: readonly Named[] | undefined, wanted: readonly Named[]) => boolean;
/**
 * For devices with a list of fixed length without empty entries: the last wanted pool fills the rest, because any other
 * fallback would be mined one day without being wanted.
 */
export declare const filledUp: (wanted: readonly WantedPool[], length: number) => readonly WantedPool[];
/** As \`showsPools\`, for such devices; a shorter list that ends earlier will do. */
export declare function showsFilledUp({ pools, ...reading }: Reading, params: unknown): boolean | undefined;
/** \`shows\` of a pools ability: what the miner tells afterwards against the whole list that was wanted. */
export declare function showsPools({ pools }: Reading, params: unknown): boolean | undefined;
/** The target that a preset names; \`peer.unsupported\` for what is none, and for one of another \`unit\`. */
export declare function wantedTarget(link: Device, preset: string, unit?: Target['unit']): Target;
/** \`peer.unsupported\` for a target beyond what the device says that it takes. */
export declare function mustBeWithin(link: Device, target: Target, min?: number, max?: number): void;
/** \`shows\` of a preset that is a target. */
export declare const showsTarget: ({ miningMode, miningModePreset }: Reading, preset: string) => boolean | undefined;
/** Empty when the device does not say. */
export declare function tryToAsk(link: MinerLink, request: MinerRequest, limits?: ExchangeLimits): Promise<Answer>;
/** An ability whose two functions get their params checked. */
export declare function ability<const S extends z.ZodType>({ act, shows, ...rest }: Spec<S>): UsualAbility;
export declare const reboot: (offlineS: Ability['offlineS'], tell: (link: MinerLink, known: Known) => Promise<ActResult>) => UsualAbility;
/** \`set\` switches a light of which the device tells whether it is on. */
export declare const light: (set: (link: MinerLink, on: boolean, known: Known) => Promise<ActResult>) => UsualAbility;
/** A light that blinks for a while and of which the device tells nothing: there is nothing to read back. */
export declare const blink: (start: (link: MinerLink) => Promise<ActResult>) => UsualAbility;
/** For families that have modes and nothing finer. */
export declare const modes: (timing: Timing, set: (link: MinerLink, mode: PowerMode, known: Known) => Promise<ActResult>) => UsualAbility;
/** \`shows\` of a mode or a preset; of what was asked before anything is changed, whether it is so already. */
export declare function showsWanted({ miningMode, miningModePreset }: Pick<Draft, 'miningMode' | 'miningModePreset'>, { mode, preset }: Wanted): boolean | undefined;
/** \`shows\` of families whose presets are power limits, in watts. */
export declare function showsModeOrLimit({ miningMode, powerLimitW }: Reading, { mode, preset }: Wanted): boolean | undefined;
/** For families that take a preset instead of a mode; what a preset is they say themselves. */
export declare const modesAndPresets: (spec: Timing & {
  /** Of presets, beyond their length. */
  readonly pattern?: RegExp;
  set(link: MinerLink, wanted: Wanted, known: Known): Promise<ActResult>;
  /** Default: the mode or the preset that the reading tells; a target as the same one in other words, too. */
  shows?(reading: Reading, wanted: Wanted): boolean | undefined;
}) => UsualAbility;
/** The whole list of pools, best first. */
export declare const pools: (spec: Timing & {
  /** Places that the device has. */
  readonly atMost?: number;
  /** What else it takes of a list. */
  takes?(wanted: readonly WantedPool[]): boolean;
  set(link: MinerLink, wanted: readonly WantedPool[], known: Known): Promise<ActResult>;
  /** Default \`showsPools\`. */
  readonly shows?: NonNullable<Ability['shows']>;
}) => UsualAbility;
/** \`isVersion\` compares what the device tells with what the task names; default: the same text, in any case. */
export declare const firmware: (spec: Timing & {
  send(link: MinerLink, image: FirmwareImage, known: Known): Promise<ActResult>;
  isVersion?(told: string, wanted: string): boolean | undefined;
}) => UsualAbility;
/** For devices whose scripts may make something else of other characters, and then let in with neither. */
export declare const plainPassword: (longest: number) => RegExp;
/**
 * A new password for the user that the link logs in with; requests carry the one that counts until then (\`carry\`). The
 * core keeps both until a login with the new one is proven.
 */
export declare const password: (spec: Pick<Ability, 'offlineS' | 'shownWithinS' | 'provesLogin'> & {
  /** Of passwords, beyond what the task allows: its length or its characters. */
  readonly pattern?: RegExp;
  set(link: MinerLink, password: string, known: Known): Promise<ActResult>;
}) => UsualAbility;
/** \`read\` gets the log as text. */
export declare const log: (read: (link: MinerLink, known: Known) => Promise<string>) => UsualAbility;
/** A question on TCP 4028. */
export declare const tcp: (command: string, parameter?: string) => {
  readonly via: 'cgminer';
  readonly command: string;
  readonly parameter?: string;
};
/** Texts of a raw \`version\` answer, also when the answer is broken JSON; empty when it has none. Never throws. */
export declare function versionTexts(raw: string | undefined): Readonly<Record<string, string>>;
/** Device clock of an answer, seconds since the epoch: \`When\` of \`STATUS\` (a list or an object), or beside it. */
export declare function whenS(answer: Answer): number | undefined;
/** One window of a row with keys such as \`MHS 5s\` or \`GHS av\`, as H/s. */
export declare function windowHs(row: Answer, window: Window): number | undefined;
/**
 * The rates of a row of \`summary\` or \`devs\`: now = shortest window, settled = 15, 5 or 30 min. A window longer than the
 * program has run counts the time before as 0, so it is not settled.
 */
export declare function hashrates(row: Answer): Hashrates;
/** The pools that are set in an answer to \`pools\`, see \`setPools\`. */
export declare const cgminerPools: (answer: Answer) => PoolDraft[] | undefined;
/** The same of rows under names of their own; \`names\` are those of each field of CGMiner. */
export declare const poolsNamed: (names: Names, rows: readonly Answer[] | undefined) => PoolDraft[] | undefined;
/**
 * Fans that turn, and of those that stand the first \`usual\` ones (undefined = the model does not tell). \`index\` is the
 * place in the list. Undefined where no speed can be read.
 */
export declare function fansOf(speeds: readonly unknown[] | undefined, usual: number | undefined): FanReading[] | undefined;
/**
 * The same of a list of fans that have more than a speed: the first \`usual\` ones, or those that turn where the model
 * does not tell. \`keys\` = where a fan has its number (absent: its place in the list) and its speed.
 */
export declare const listedFans: (rows: readonly Answer[] | undefined, usual: number | undefined, keys: {
  readonly index: string;
  readonly rpm: string;
}, dutyPercent: (row: Answer) => number | undefined) => (FanDraft | undefined)[] | undefined;
export type RateUnit = keyof typeof UNIT_HS;
/** \`value\` in \`unit\` hashes per second (\`K\`, \`M\`, \`G\`, \`T\`, \`P\` or none) as H/s; numbers may be text. */
export declare function rateHs(value: unknown, unit: RateUnit): number | undefined;
/** Unit letter of texts such as \`GH\`, \`GH/s\`, \`MHS\`, \`KSol/s\`, \`G\`; undefined when it is not one of ours. */
export declare function rateUnit(written: string | undefined): RateUnit | undefined;
/** A rate that may name its unit: \`6226G\`, \`15.1 T\`, \`16.3 GH/s\`; else it is in \`unit\`, where that is known. */
export declare function rateTextHs(value: unknown, unit: RateUnit | undefined): number | undefined;
/** What all of them are; undefined where they differ, and of none. */
export declare function common<T>(values: readonly T[]): T | undefined;
/**
 * Pool difficulty from a number or from shortened text: \`524K\` is 524288, \`1.05M\` is 1048576, because pools hand out
 * powers of two and the device cuts or rounds them. Other text is taken as written.
 */
export declare function toDifficulty(value: unknown): number | undefined;
/** \`Alive\` or \`Dead\`; other words (\`Disabled\`, \`Rejecting\`) say neither. */
export declare function poolIsAlive(status: string | undefined): boolean | undefined;
/** \`Alive\`, or a word for what does not work; others (\`Initialising\`, \`NoStart\`) say neither. */
export declare function aliveByWord(status: string | undefined): boolean | undefined;
/** The value if it is above 0: for figures whose 0 means that they are not known. */
export declare function positive(value: number | undefined): number | undefined;
/** The object without its undefined fields: a Reading has absent fields, never undefined ones. */
export declare function present<T extends object>(fields: T): Present<T>;
/** An ideal that is not far below what is made now; else undefined. */
export declare const believableHs: (idealHs: number | undefined, hashrateHs: number | undefined) => number | undefined;
/** The ideal of the boards if all that belong there have one and it fits the nameplate; else the nameplate. */
export declare function idealOr({ hashrateHs: nameplateHs, boards: usual }: Expectation, boards: readonly (Pick<BoardDraft, 'expectedHashrateHs'> | undefined)[] | undefined, hashrateHs: number | undefined): number | undefined;
export type KnownModel = {
  /** Undefined for a machine that is not in the table. */
  readonly row: Model | undefined;
  /** The name to show: of the table, else the first that was reported. */
  readonly model: string | undefined;
  /** Empty for a machine that is not in the table. */
  readonly expected: Expectation;
};
/** \`names\` in the order of trust; those that are undefined do not count. */
export declare function knownModel(key: FirmwareKey, ...names: readonly (string | undefined)[]): KnownModel;
export type Model = {
  /** Maker's line as farms name it: \`Antminer\`, \`Whatsminer\`, \`Avalon\`, ... */
  readonly make: string;
  /** Our display name without the make: \`S19 Pro\`, \`M60S VK40\`. */
  readonly model: string;
  readonly algorithm: ModelRow[2];
  /** Nameplate values; absent where they are not known. */
  readonly expected: Expectation;
};
/**
 * The model that \`firmwareKey\` reports under this name (any case, blanks around it, text of a firmware after it), or
 * undefined.
 */
export declare function findModel(firmwareKey: FirmwareKey, reported: string | undefined): Model | undefined;
/** The model of this name, whatever firmware reports it; undefined for names that name no machine by themselves. */
export declare function findAnyModel(reported: string | undefined): Model | undefined;
/**
 * The Antminer of this name, with or without the make, from the names of all firmwares. For one that is not in the
 * table we know that it is hydro, if its name says so, and its algorithm, if it is a variant of one that is in the
 * table.
 */
export declare function findAntminer(reported: string | undefined): Model | undefined;
/** What the device says that it was built with; absent = it does not say. */
export type OwnBuild = Readonly<Partial<Record<BuildPart, number | undefined>>>;
/**
 * \`expected\` (of the model, or undefined) with the device's own counts in place of the table's. Where both are known
 * and differ, \`contradicted\` says so, and the core makes one event of it; it raises no flag.
 *
 * Hand in only what states the build (\`Hash Board: 2\`, \`fan_num\`, \`asic_count\` of the configuration), never a count of
 * what answers now: a lost board would make itself expected. A count of 0 boards or chips is no build and is ignored; 0
 * fans is one (immersion, liquid).
 */
export declare function withOwnBuild(expected: Expectation | undefined, own: OwnBuild): Expectation;
/**
 * The configured pools, in the device's order, each as \`read\` gives it. Empty only where the device says so: its list
 * has no rows, or each row has an empty address (\`''\`, see \`poolAddress\`). Undefined without a list, and where no
 * address can be read.
 */
export declare function setPools<R, P>(rows: readonly R[] | undefined, addressOf: (row: R) => string | undefined, read: (row: R, address: string, place: number) => P): P[] | undefined;
/**
 * The address with a scheme, as most devices leave that out; \`port\` where it stands in a field of its own, unless the
 * address has one.
 */
export declare function poolUrl(address: string, port?: number, scheme?: string): string;
export declare const basicLogin: CarriedLogin;
/** \`GET\` of a page that answers JSON. */
export declare const get: (path: string, auth?: Auth, more?: Body) => HttpRequest;
/** \`POST\` with a body or without, answered by JSON. */
export declare const post: (path: string, auth?: Auth, more?: Body) => HttpRequest;
export declare const put: (path: string, auth?: Auth, more?: Body) => HttpRequest;
/** The same request, its answer as text. */
export declare const asText: (request: HttpRequest) => HttpRequest;
/** A login that sets a cookie. */
export declare function cookieSession({ isGranted, ...session }: CookieSession): WebSession;
/** A login that answers with a token. */
export declare function tokenSession({ token, header, ...session }: TokenSession): WebSession;
/** A page where an answer was asked for is the page of the login. */
export declare const isPage: ({ body }: Answer) => boolean;
/** A fact, and the names under which it is written, the best first. */
export type Names = Readonly<Record<string, readonly string[]>>;
/**
 * The facts of these answers, each under one name. Of several names and answers the first that says something counts:
 * no filler, and no negative figure, which devices write where they do not know.
 */
export declare function factsOf(names: Names, ...answers: readonly Answer[]): Answer;
/** Undefined when the task names none or the device tells none. */
export declare function showsVersionIn(shown: string | undefined, wanted: string | undefined): boolean | undefined;
/** What it is set to holds for one that is awake: by its own word, and where that is missing because it hashes. */
export declare function modeNow(isAsleep: boolean | undefined, hashrateHs: number | undefined, set: Reading['miningMode'] | undefined): Reading['miningMode'] | undefined;
/** The fields that \`names\` lists and that can be read, each from the first name and answer under which it can. */
export declare function namedFields<const N extends NamesOf>(names: N, ...answers: readonly Answer[]): Read<N>;
/** What a text holds as JSON, as it stands or without such quotes; undefined where it holds none. No text stays. */
export declare function jsonInside(value: unknown): unknown;
export type Target = {
  readonly value: number;
  readonly unit: 'TH/s' | 'W';
};
/** Undefined for other words, and for targets that no machine has. */
export declare function parseTarget(preset: string): Target | undefined;
/** Of a preset that is a power, in whole watts, for families that take nothing else: there a bare number is one too. */
export declare function wattsOf(preset: string): number | undefined;
export declare const targetText: ({ value, unit }: Target) => string;
/** Whether both name the same target, however they are written. */
export declare function sameTarget(one: string | undefined, other: string | undefined): boolean;
/** What a reading tells of a machine that tunes to \`value\`; nothing where that is not known. */
export declare function tunedTo(value: number | undefined, unit: Target['unit'] | undefined): {
  readonly miningMode?: never;
  readonly miningModePreset?: never;
} | {
  readonly miningMode: "hashrate_tuning" | "power_tuning";
  readonly miningModePreset: string;
};
/** \`unknown\` when no word is known. */
export declare const categoryOfWords: (words: string) => ErrorCategory;
/** Days, hours, minutes and seconds: \`03:09:36:02\`. */
export declare function daysClockS(value: unknown): number | undefined;
/** The words of the program \`uptime\`: \` 10:22:33 up 1 day,  2:32,  load average: 0.10\`, \`up 12 min\`, \`up 3 days\`. */
export declare function uptimeWordsS(value: unknown): number | undefined;
/** A peer was silent, slow, or said nonsense. Becomes a state, a counter or a flag; never ends the process. */
export declare class PeerError extends PitheadError {
  readonly family = "peer";
  readonly code: PeerCode;
  readonly retry: Retry;
  /**
   * Whether the whole request reached the network before the failure. True: the peer may have acted on it. False: it
   * cannot have. Undefined where it makes no difference (the peer understood and refused).
   */
  readonly wasSent?: boolean;
  constructor(code: PeerCode, message: string, retry: Retry, cause?: unknown, details?: {
    readonly wasSent?: boolean | undefined;
  });
}
/**
 * State of a MAC as a device reported it, without duplicates. Zeros, all ones and multicast cannot identify; locally
 * administered can.
 */
export declare function macState(text: string | undefined): Exclude<FactState, 'duplicate'>;
export type BoardReading = z.infer<typeof boardReadingSchema>;
export type ErrorReading = z.infer<typeof errorReadingSchema>;
export type Expectation = z.infer<typeof expectationSchema>;
export type FanReading = z.infer<typeof fanReadingSchema>;
export type Reading = z.infer<typeof readingSchema>;
/** How sure a driver may be of a family that the tables name. */
export declare const confidenceOf: ({ isProven: proven }: Evidence) => 'sure' | 'likely';
/** A whole answer to \`version\`: a status letter, and a row with the versions of the API and a mining program. */
export declare function isWholeCgminer(answer: string | undefined): boolean;
/** Whether it is an answer of the CGMiner kind at all: it has the letter of a status where one stands. */
export declare function speaksCgminer(answer: string | undefined): boolean;
/**
 * One answer, or an object inside one. It is there for answers that did not come, too: then every field is undefined,
 * so that no driver needs to ask.
 */
export declare class Answer {
  #private;
  /** JSON value or text as the link gave it; undefined = not answered. */
  readonly raw: unknown;
  constructor(raw: unknown);
  /** Whether it is an object. */
  get isThere(): boolean;
  /** Of an answer that is text. */
  get body(): string | undefined;
  /** What its text holds as JSON, for answers that only some builds give as such; of nothing where it holds none. */
  parsed(): Answer;
  /** All fields as the device wrote them, for a configuration that goes back whole. */
  get fields(): Fields;
  /** The field as the device wrote it. */
  value(key: string): unknown;
  /** A text, number or boolean as a form takes it back; undefined for what is none. */
  written(key: string): string | undefined;
  /** Whether the device wrote anything but null under this key. */
  has(key: string): boolean;
  keys(): string[];
  /** The object under the key, or under keys inside one another. */
  at(...keys: readonly string[]): Answer;
  /**
   * The objects of the list under the key, without it of the answer itself. Undefined where there is no list, and where
   * none of its entries is an object: only a list that is empty itself says that there are none.
   */
  rows(key?: string, most?: number): Answer[] | undefined;
  /** The first object of the list under the key: answers of the CGMiner kind have one row. */
  row(key: string): Answer;
  /** The entries of a list, objects or not, as they are. */
  list(key: string, most?: number): readonly unknown[] | undefined;
  /** A finite number in the range, also from text (\`"37,603.30"\`). */
  number(key: string, range?: Range2): number | undefined;
  /** A number above 0, where 0 means that it is not known. */
  positive(key: string, max?: number): number | undefined;
  /** A number that is written in thousandths, such as mV, as the whole unit; the range is that of what is written. */
  milli(key: string, range?: Range2): number | undefined;
  /** A whole number, rounded from \`"156.0000"\`. */
  int(key: string, range?: Range2): number | undefined;
  /** Shares, errors and what else is counted from 0 up. */
  count(key: string, max?: number): number | undefined;
  seconds(key: string): number | undefined;
  rpm(key: string): number | undefined;
  percent(key: string): number | undefined;
  mhz(key: string): number | undefined;
  /** Wall power or that of a part, W, also as text with its unit (\`3411 W\`). A miner that answers does not draw 0. */
  watts(key: string): number | undefined;
  /** Celsius; 0 is a sensor that is not there. */
  tempC(key: string): number | undefined;
  /** \`unit\` hashes per second as H/s. */
  rateHs(key: string, unit: RateUnit): number | undefined;
  /** The same of a text that may name another unit: \`6226G\`, \`16.3 GH/s\`. */
  rateText(key: string, unit: RateUnit | undefined): number | undefined;
  /** Of a pool; also \`1.05M\`. */
  difficulty(key: string): number | undefined;
  /** Text that says something: without what is not seen, and not \`N/A\`. */
  text(key: string, maxLength?: number): string | undefined;
  /** Name of a thing (a model, a version, a host): \`none\`, zeros and what else names nothing are undefined. */
  name(key: string, maxLength?: number): string | undefined;
  /** Serial number or MAC of the miner: what is malformed is judged elsewhere and must arrive as written. */
  asWritten(key: string): string | undefined;
  /** Serial number of a part, to join rows of several answers. */
  partSerial(key: string): string | undefined;
  /** true and false from booleans, 0/1, \`"Y"\`, \`"off"\`. */
  bool(key: string): boolean | undefined;
  /** Address of a pool: \`''\` where the device shows none, undefined where it cannot be read or is hidden. */
  poolAddress(key: string): string | undefined;
  /** One of the words, in any case. */
  word<const W extends string>(key: string, words: readonly W[]): W | undefined;
}
/** In place of an answer that did not come. */
export declare const NOTHING: Answer;
export type Answers<A> = {
  readonly [K in keyof A]: Answer;
};
/** Completes a driver: it identifies by its families, and has no abilities, login and quirks, unless it says so. */
export declare function defineDriver<const A extends Readonly<Record<string, Question>>, D extends Draft>(spec: Omit<DriverSpec<A, D>, 'login' | 'quirks'> & Partial<Pick<Driver, 'login' | 'quirks'>>): Driver;
/** \`needs\` of an ask whose answer is of no use without the object under the key. */
export declare const hasPart: (key: string) => (answer: Answer) => boolean;
/** \`needs\` of an ask whose answer is of no use without a row under the key. */
export declare const hasRow: (key: string) => (answer: Answer) => boolean;
/** A question of a driver, and what an answer to it must hold to have been understood. */
export type Question = Ask & {
  /**
   * Keys of which one must hold a list of objects or an object, or what else must be true of the answer. Default: it is
   * an object, or for \`as: 'text'\` a text. What does not fit counts as unparsable, and \`read\` sees nothing of it.
   */
  readonly needs?: string | readonly string[] | ((answer: Answer) => boolean);
};
export type BoardDraft = Loose<Omit<BoardReading, 'slot' | 'boardTempsC'>> & {
  /** Counts from 0. A second board in a slot, and one outside 0 to 63, is left out. */
  readonly slot: number;
  /** Sensors that are not there are undefined. */
  readonly boardTempsC?: LooseList<number>;
  /** Of chips; the hottest and the mean of them are derived. */
  readonly chipTempsC?: LooseList<number>;
};
/**
 * A Reading with undefined for what is not known. Entries of lists that are undefined are left out, as an empty slot.
 * Derived unless written: \`isMining\` from the rate, and false in sleep; \`tempC\` from the hottest chip, else the hottest
 * board; the inlet and outlet of the machine as the mean of its boards. \`hashrateWindow\` counts beside a rate only.
 */
export type Draft = Loose<Omit<Reading, 'boards' | 'fans' | 'psus' | 'pools' | 'errors' | 'expected'>> & {
  readonly boards?: LooseList<BoardDraft>;
  readonly fans?: LooseList<FanDraft>;
  readonly psus?: LooseList<Loose<PsuReading>>;
  readonly pools?: LooseList<PoolDraft>;
  readonly errors?: LooseList<ErrorDraft>;
  readonly expected?: Loose<Expectation> | undefined;
};
export type ErrorDraft = Loose<Omit<ErrorReading, 'code' | 'category'>> & Pick<ErrorReading, 'code' | 'category'>;
/** Of a board whose sensors have no names: air or coolant comes in at the coolest and goes out at the hottest. */
export declare function edgesC(boardTempsC?: LooseList<number>): Pick<BoardDraft, 'inletTempC' | 'outletTempC'>;
export type FanDraft = Loose<Omit<FanReading, 'index'>> & {
  /** Counts from 0. A second fan in a place, and one outside 0 to 31, is left out. */
  readonly index: number;
};
/** The hottest chip; where no chip is measured, the hottest board. */
export declare function hottestC(boards: readonly Omit<BoardDraft, 'slot'>[]): number | undefined;
/**
 * Boards that several answers tell of, in the order of their slots: what a later entry knows counts. Entries outside
 * the slots 0 to 63 are left out; undefined where none is left.
 */
export declare function joinedBoards(drafts: readonly BoardDraft[]): BoardDraft[] | undefined;
export type PoolDraft = Loose<Omit<PoolReading, 'index' | 'url' | 'user'>> & Pick<PoolReading, 'index' | 'url' | 'user'>;
/** Bounds of one exchange. \`deadlineMs\` is total: connect, send, wait, read, authentication included. */
type ExchangeLimits = {
  readonly deadlineMs?: number;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
};
type ReadRequest = CgminerRequest | Whatsminer3Request | HttpRequest;
/** Encrypted write of Whatsminer API 2, one retry on code 135. Answer: the decrypted envelope. */
type Whatsminer2Write = {
  readonly via: 'whatsminer2-write';
  readonly cmd: string;
  /** Most are texts, even numbers (\`percent: "80"\`); the light takes numbers. */
  readonly params: Readonly<Record<string, string | number>>;
  /** Sent to find out whether the login is accepted: it goes out as a new one does (\`Login.beforeSending\`). */
  readonly triesLogin?: true;
  /** Params that hold the login; they win. The token is not kept afterwards. */
  carry?(login: PlainLogin): Awaitable<Readonly<Record<string, string | number>>>;
  /** Sent behind its length on the same connection when the device is ready. The answer is the verdict on it. */
  readonly upload?: Blob;
  readonly download?: Download;
};
/** Signed write of Whatsminer API 3; \`isEncrypted\` encrypts the param. Answer: the reply object. */
type Whatsminer3Write = {
  readonly via: 'whatsminer3-write';
  readonly cmd: string;
  readonly param?: unknown;
  readonly isEncrypted?: boolean;
  /** Sent to find out whether the login is accepted: it goes out as a new one does (\`Login.beforeSending\`). */
  readonly triesLogin?: true;
  /** What of the param holds the login; \`user\` is the account that the write is signed for. */
  carry?(login: PlainLogin): Awaitable<Readonly<Record<string, unknown>>>;
  /** As for \`Whatsminer2Write\`. */
  readonly upload?: Blob;
  readonly download?: Download;
};
type PlainLogin = {
  readonly user: string;
  readonly password: string;
};
/** A driver in another process answers later. */
type Awaitable<T> = T | Promise<T>;
/** The port is that of the request unless it names its own. A path that holds the password is not sent. */
type SessionOpening = Omit<HttpRequest, 'auth' | 'carry' | 'freshLogin' | 'upload' | 'octets' | 'as'>;
type SessionAnswer = {
  readonly status: number;
  /** JSON value, or the text when it is not JSON. */
  readonly body: unknown;
  /** \`name=value\` of each cookie that was set, joined with \`; \`. */
  readonly cookie?: string;
};
type WebEvidence = {
  readonly status: number;
  readonly location?: string;
  readonly authenticate?: string;
  readonly server?: string;
  /** Over TLS only: SHA-256 of its public key (SPKI), hex. */
  readonly tlsKey?: string;
  readonly body: string;
};
type Effect = (typeof EFFECTS)[number];
type Family = {
  readonly id: string;
  /** Firmware for machines of other makers: looked for before the makers' own, whose words may live on in it. */
  readonly isThirdParty?: true;
  /** Its words and its realm live on in other firmware: any other family beats it, and it is asked patiently. */
  readonly livesOn?: true;
  /** Its API may be on the side port, where its page does not tell whose it is. */
  readonly hasSidePort?: true;
  readonly tcp?: readonly TcpWords[];
  readonly startPages?: readonly StartPage[];
  readonly answers?: readonly OwnAnswer[];
  readonly page?: FamilyPage;
  readonly realms?: readonly ProvingRealm[];
};
/**
 * What a device broadcasts when a person presses its IP-report button, and to which port. \`words\`: the first group is
 * the address, the second the MAC; either may be missing. \`fields\`: of a JSON object. \`isPacked\`: zlib data in which
 * the first MAC is the miner's. It is a hint to look there, never who it is.
 */
type IpReportForm = {
  readonly port: number;
} & ({
  readonly words: RegExp;
} | {
  readonly fields: z.ZodType<{
    ip: string;
    mac: string;
  }>;
} | {
  readonly isPacked: true;
});
type LoginKind = {
  readonly kind: 'none' | 'digest' | 'token' | 'session';
  /** Factory default, tried at most once per miner and day and only if the configuration allows it. */
  readonly factoryDefault?: FactoryLogin;
  /** The same for generations that leave the factory with another one. */
  readonly factoryDefaultOf?: Readonly<Record<string, FactoryLogin>>;
};
type Quirks = {
  /** Pause between two requests to the device, ms; default 0. */
  readonly gapMs?: number;
  /** Seconds after a restart until its figures mean something; default 600, unless the operator sets \`flags.warmUp\`. */
  readonly warmUpS?: number;
};
type Range = {
  readonly min?: number;
  readonly max?: number;
};
/** When it makes sense to try the same peer again. */
type Retry = 'soon' | 'later' | 'never';
/** Nothing that cannot be seen: it would end up in a device's own text formats. */
declare const pool: z.ZodObject<{
  url: z.ZodString;
  user: z.ZodString;
  password: z.ZodDefault<z.ZodOptional<z.ZodPipe<z.ZodOptional<z.ZodNullable<z.ZodString>>, z.ZodTransform<string | undefined, string | null | undefined>>>>;
}, z.core.$loose>;
type Named = {
  readonly url: string;
  readonly user: string;
};
type Device = {
  readonly ip: string;
};
type Spec<S extends z.ZodType> = Pick<Ability, 'effect' | 'offlineS' | 'shownWithinS' | 'fetchesItself' | 'provesLogin'> & {
  readonly params: S;
  act(link: MinerLink, params: z.output<S>, known: Known, image?: FirmwareImage): Promise<ActResult>;
  shows?(reading: Reading, params: z.output<S>): boolean | undefined;
};
/** Params that are not needed may be left out. */
type UsualAbility = Omit<Ability, 'act'> & {
  act(link: MinerLink, params?: unknown, known?: Known, image?: FirmwareImage): Promise<ActResult>;
};
type Timing = Pick<Ability, 'offlineS' | 'shownWithinS'>;
type PowerMode = (typeof POWER_MODES)[number];
/** One of both, never none. */
type Wanted = Pick<z.output<typeof modeOrPreset>, 'mode' | 'preset'>;
type Window = '5s' | '1m' | '5m' | '15m' | '30m' | '24h' | 'av';
type Hashrates = {
  readonly [K in 'hashrateHs' | 'hashrateWindow' | 'hashrateSettledHs' | 'hashrateAverageHs' | 'hashrate24hHs']: Reading[K] | undefined;
};
declare const UNIT_HS: {
  readonly '': 1;
  readonly K: 1000;
  readonly M: 1000000;
  readonly G: 1000000000;
  readonly T: 1000000000000;
  readonly P: 1000000000000000;
};
type Present<T> = Omit<T, OptionalKeys<T>> & {
  [K in OptionalKeys<T>]?: Exclude<T[K], undefined>;
};
/** Who reports the name; \`avalon-stock:MODEL\` is the \`MODEL\` field of an Avalon up to its first \`-\`. */
type FirmwareKey = (typeof FIRMWARE_KEYS)[number];
/** Null = not known. \`nominalHs\`: H/s (solutions per second for equihash). \`fans\` 0 = liquid cooled; PSU fans do not count. */
type ModelRow = readonly [
  make: string,
  model: string,
  algorithm: Algorithm | null,
  boards: number | null,
  chipsPerBoard: number | null,
  fans: number | null,
  cooling: 'air' | 'liquid' | null,
  nominalHs: number | null,
  reportedAs: Readonly<Partial<Record<FirmwareKey, readonly string[]>>>,
  /** Its counts rest on one public table, and no recording of such a unit has confirmed them. */
  doubt?: 'one source'
];
type BuildPart = (typeof BUILD_PARTS)[number];
/** A login in each request: a password in the body or a header. Without a login the request is sent as it is. */
type CarriedLogin = {
  /**
   * What is added to the request; wins over what the request itself says. \`fields\` of an upload, \`json\` of an object.
   */
  carry(login: PlainLogin): Awaitable<{
    readonly headers?: Readonly<Record<string, string>>;
    readonly json?: Readonly<Record<string, unknown>>;
    readonly form?: Readonly<Record<string, string>>;
    readonly fields?: Readonly<Record<string, string>>;
  }>;
  /** For devices that refuse the login with status 200. \`answer\` as for \`WebSession.isRefused\`. */
  isRefused?(answer: unknown): Awaitable<boolean>;
};
type Auth = HttpRequest['auth'];
type Body = Pick<HttpRequest, 'json' | 'form' | 'upload' | 'octets' | 'headers' | 'port' | 'carry' | 'freshLogin'>;
/**
 * HTTP. Redirects are never followed. Answer: parsed JSON, or text. A status of 400 or above is a
 * PeerError. At most one of \`json\`, \`form\`, \`upload\` and \`octets\`.
 */
type HttpRequest = {
  readonly via: 'http';
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Default 80. */
  readonly port?: number;
  readonly auth: 'none' | 'digest' | WebSession | CarriedLogin;
  /**
   * What the body says of the login beside \`auth\`, as where a new password is set and the old one stands with it. It
   * wins over what the request itself says. Without a login at hand, or where \`digest\` is not asked for, nothing is
   * sent (\`peer.auth\`).
   */
  carry?: CarriedLogin['carry'];
  /**
   * It is about the password itself: what the device granted before does not count for it, and what it grants now is
   * not kept. Some grants outlive the password.
   */
  readonly freshLogin?: true;
  /** Fixed headers that the device wants to see; never a secret. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as \`application/json\`. */
  readonly json?: unknown;
  /** Sent as \`application/x-www-form-urlencoded\`. */
  readonly form?: Readonly<Record<string, string>>;
  /** Sent as \`multipart/form-data\`, the file read as it is sent. */
  readonly upload?: Upload;
  /** Sent as it is (\`application/octet-stream\`), read as it is sent. */
  readonly octets?: Blob;
  readonly as: 'json' | 'text';
};
type CookieSession = Common & {
  /** Default: a status below 400 and a cookie. */
  isGranted?(answer: Answer, cookie: string | undefined, status: number): boolean;
};
type TokenSession = Common & {
  /** Where the token stands in the answer to the login. */
  token(answer: Answer): string | undefined;
  /** The header that carries it; default \`Authorization: Bearer\`. */
  readonly header?: string;
};
type NamesOf = {
  readonly [F in Field]?: readonly string[];
};
type Read<N> = {
  readonly [F in keyof N & Field]?: Exclude<ReturnType<(typeof FIELDS)[F]>, undefined>;
};
type ErrorCategory = keyof typeof ERROR_CATEGORY_FLAG;
declare abstract class PitheadError extends Error {
  abstract readonly family: 'config' | 'peer' | 'refused' | 'cancelled' | 'bug';
  readonly code: string;
  constructor(code: string, message: string, cause?: unknown);
}
type PeerCode = keyof typeof PEER_ERRORS;
type FactState = z.infer<typeof factStateSchema>;
/** One populated hashboard. \`slot\` counts from 0 in the device's own order. A missing board is not in the list. */
declare const boardReadingSchema: z.ZodObject<{
  slot: z.ZodInt;
  serialNumber: z.ZodOptional<z.ZodString>;
  hashrateHs: z.ZodOptional<z.ZodNumber>;
  expectedHashrateHs: z.ZodOptional<z.ZodNumber>;
  /** Working chips. */
  chips: z.ZodOptional<z.ZodInt>;
  /** Chips that the device itself marks bad. */
  badChips: z.ZodOptional<z.ZodInt>;
  frequencyMhz: z.ZodOptional<z.ZodNumber>;
  /** What the board is fed with. */
  voltageV: z.ZodOptional<z.ZodNumber>;
  powerW: z.ZodOptional<z.ZodNumber>;
  /** Sensors on the board (PCB), in the device's order. */
  boardTempsC: z.ZodOptional<z.ZodArray<z.ZodNumber>>;
  chipTempMaxC: z.ZodOptional<z.ZodNumber>;
  chipTempAvgC: z.ZodOptional<z.ZodNumber>;
  inletTempC: z.ZodOptional<z.ZodNumber>;
  outletTempC: z.ZodOptional<z.ZodNumber>;
  /** Cumulative hardware errors since the mining process started. */
  hwErrors: z.ZodOptional<z.ZodInt>;
  /** The device says that this board is alive; false = it says that it is dead or disabled. */
  isAlive: z.ZodOptional<z.ZodBoolean>;
}, z.core.$strict>;
/**
 * A fault that the device reports. \`code\` is the raw vendor code; an unknown code keeps it, with category \`unknown\`.
 */
declare const errorReadingSchema: z.ZodObject<{
  code: z.ZodString;
  message: z.ZodOptional<z.ZodString>;
  category: z.ZodCustom<"chip" | "config" | "controlBoard" | "cooling" | "eeprom" | "environment" | "factory" | "fan" | "firmware" | "hashboard" | "hashrate" | "integrity" | "network" | "performance" | "pool" | "psu" | "security" | "software" | "state" | "temperature" | "tool" | "unknown", "chip" | "config" | "controlBoard" | "cooling" | "eeprom" | "environment" | "factory" | "fan" | "firmware" | "hashboard" | "hashrate" | "integrity" | "network" | "performance" | "pool" | "psu" | "security" | "software" | "state" | "temperature" | "tool" | "unknown">;
  severity: z.ZodOptional<z.ZodEnum<{
    critical: "critical";
    info: "info";
    major: "major";
    minor: "minor";
  }>>;
  /** Index of the board, fan or PSU that is meant. */
  index: z.ZodOptional<z.ZodInt>;
  /** When it began, \`2024-06-15 09:15:00\` as the device writes it: by its own clock, in its own time zone. */
  since: z.ZodOptional<z.ZodString>;
}, z.core.$strict>;
/** What model, mode and cooling lead us to expect. Absent where it is not known: then only zero is abnormal. */
declare const expectationSchema: z.ZodObject<{
  boards: z.ZodOptional<z.ZodInt>;
  chipsPerBoard: z.ZodOptional<z.ZodInt>;
  fans: z.ZodOptional<z.ZodInt>;
  cooling: z.ZodOptional<z.ZodEnum<{
    air: "air";
    liquid: "liquid";
  }>>;
  /** At the present mode: the device's own figure where it has one, else the model's nameplate. */
  hashrateHs: z.ZodOptional<z.ZodNumber>;
  /**
   * The counts come from a row of the model table with one public source and no recording: they raise no critical flag
   * alone.
   */
  unproven: z.ZodOptional<z.ZodLiteral<true>>;
  /** The counts above that the device itself told: these are proven, whatever the table says. */
  own: z.ZodOptional<z.ZodArray<z.ZodEnum<{
    boards: "boards";
    chipsPerBoard: "chipsPerBoard";
    fans: "fans";
  }>>>;
  /** Where the device's own count differs from the table's. Its own is the one that is expected. */
  contradicted: z.ZodOptional<z.ZodArray<z.ZodObject<{
    what: z.ZodEnum<{
      boards: "boards";
      chipsPerBoard: "chipsPerBoard";
      fans: "fans";
    }>;
    device: z.ZodInt;
    table: z.ZodInt;
  }, z.core.$strict>>>;
}, z.core.$strict>;
declare const fanReadingSchema: z.ZodObject<{
  index: z.ZodInt;
  rpm: z.ZodOptional<z.ZodNumber>;
  dutyPercent: z.ZodOptional<z.ZodNumber>;
}, z.core.$strict>;
declare const readingSchema: z.ZodObject<{
  /** As the device wrote it: whether it tells one miner from another is judged elsewhere. */
  mac: z.ZodOptional<z.ZodString>;
  serialNumber: z.ZodOptional<z.ZodString>;
  controllerSerialNumber: z.ZodOptional<z.ZodString>;
  hostname: z.ZodOptional<z.ZodString>;
  make: z.ZodOptional<z.ZodString>;
  model: z.ZodOptional<z.ZodString>;
  /** The vendor's own version string. */
  firmwareVersion: z.ZodOptional<z.ZodString>;
  apiVersion: z.ZodOptional<z.ZodString>;
  controlBoard: z.ZodOptional<z.ZodString>;
  hashrateHs: z.ZodOptional<z.ZodNumber>;
  /** The window behind \`hashrateHs\`. */
  hashrateWindow: z.ZodOptional<z.ZodEnum<{
    "15m": "15m";
    "1m": "1m";
    "30m": "30m";
    "5m": "5m";
    "5s": "5s";
    average: "average";
    realtime: "realtime";
  }>>;
  /** The 5 to 30 min average that alarms use. */
  hashrateSettledHs: z.ZodOptional<z.ZodNumber>;
  hashrateAverageHs: z.ZodOptional<z.ZodNumber>;
  hashrate24hHs: z.ZodOptional<z.ZodNumber>;
  /** Wall power. */
  powerW: z.ZodOptional<z.ZodNumber>;
  powerLimitW: z.ZodOptional<z.ZodNumber>;
  psuOutputPowerW: z.ZodOptional<z.ZodNumber>;
  /** Age of the mining process. */
  uptimeS: z.ZodOptional<z.ZodNumber>;
  /** Age of the operating system, where the device reports both. */
  systemUptimeS: z.ZodOptional<z.ZodNumber>;
  /** Device clock, seconds since the epoch. */
  deviceTimeS: z.ZodOptional<z.ZodNumber>;
  isMining: z.ZodOptional<z.ZodBoolean>;
  miningMode: z.ZodOptional<z.ZodEnum<{
    hashrate_tuning: "hashrate_tuning";
    high: "high";
    low: "low";
    normal: "normal";
    power_tuning: "power_tuning";
    sleep: "sleep";
  }>>;
  miningModePreset: z.ZodOptional<z.ZodString>;
  isLightOn: z.ZodOptional<z.ZodBoolean>;
  /** The one temperature of the interface: the hottest chip, else the hottest board sensor. */
  tempC: z.ZodOptional<z.ZodNumber>;
  inletTempC: z.ZodOptional<z.ZodNumber>;
  outletTempC: z.ZodOptional<z.ZodNumber>;
  boards: z.ZodOptional<z.ZodArray<z.ZodObject<{
    slot: z.ZodInt;
    serialNumber: z.ZodOptional<z.ZodString>;
    hashrateHs: z.ZodOptional<z.ZodNumber>;
    expectedHashrateHs: z.ZodOptional<z.ZodNumber>;
    chips: z.ZodOptional<z.ZodInt>;
    badChips: z.ZodOptional<z.ZodInt>;
    frequencyMhz: z.ZodOptional<z.ZodNumber>;
    voltageV: z.ZodOptional<z.ZodNumber>;
    powerW: z.ZodOptional<z.ZodNumber>;
    boardTempsC: z.ZodOptional<z.ZodArray<z.ZodNumber>>;
    chipTempMaxC: z.ZodOptional<z.ZodNumber>;
    chipTempAvgC: z.ZodOptional<z.ZodNumber>;
    inletTempC: z.ZodOptional<z.ZodNumber>;
    outletTempC: z.ZodOptional<z.ZodNumber>;
    hwErrors: z.ZodOptional<z.ZodInt>;
    isAlive: z.ZodOptional<z.ZodBoolean>;
  }, z.core.$strict>>>;
  /** All working chips, when the device only gives the sum. */
  totalChips: z.ZodOptional<z.ZodInt>;
  fans: z.ZodOptional<z.ZodArray<z.ZodObject<{
    index: z.ZodInt;
    rpm: z.ZodOptional<z.ZodNumber>;
    dutyPercent: z.ZodOptional<z.ZodNumber>;
  }, z.core.$strict>>>;
  psus: z.ZodOptional<z.ZodArray<z.ZodObject<{
    serialNumber: z.ZodOptional<z.ZodString>;
    model: z.ZodOptional<z.ZodString>;
    tempC: z.ZodOptional<z.ZodNumber>;
    fanRpm: z.ZodOptional<z.ZodNumber>;
    inputPowerW: z.ZodOptional<z.ZodNumber>;
    outputPowerW: z.ZodOptional<z.ZodNumber>;
    inputVoltageV: z.ZodOptional<z.ZodNumber>;
    outputVoltageV: z.ZodOptional<z.ZodNumber>;
    isOk: z.ZodOptional<z.ZodBoolean>;
  }, z.core.$strict>>>;
  pools: z.ZodOptional<z.ZodArray<z.ZodObject<{
    index: z.ZodInt;
    url: z.ZodString;
    user: z.ZodString;
    isAlive: z.ZodOptional<z.ZodBoolean>;
    isActive: z.ZodOptional<z.ZodBoolean>;
    accepted: z.ZodOptional<z.ZodInt>;
    rejected: z.ZodOptional<z.ZodInt>;
    stale: z.ZodOptional<z.ZodInt>;
    difficultyAccepted: z.ZodOptional<z.ZodNumber>;
    difficultyRejected: z.ZodOptional<z.ZodNumber>;
    difficultyStale: z.ZodOptional<z.ZodNumber>;
    difficulty: z.ZodOptional<z.ZodNumber>;
  }, z.core.$strict>>>;
  /** Present and empty = the device was asked and has none. */
  errors: z.ZodOptional<z.ZodArray<z.ZodObject<{
    code: z.ZodString;
    message: z.ZodOptional<z.ZodString>;
    category: z.ZodCustom<"chip" | "config" | "controlBoard" | "cooling" | "eeprom" | "environment" | "factory" | "fan" | "firmware" | "hashboard" | "hashrate" | "integrity" | "network" | "performance" | "pool" | "psu" | "security" | "software" | "state" | "temperature" | "tool" | "unknown", "chip" | "config" | "controlBoard" | "cooling" | "eeprom" | "environment" | "factory" | "fan" | "firmware" | "hashboard" | "hashrate" | "integrity" | "network" | "performance" | "pool" | "psu" | "security" | "software" | "state" | "temperature" | "tool" | "unknown">;
    severity: z.ZodOptional<z.ZodEnum<{
      critical: "critical";
      info: "info";
      major: "major";
      minor: "minor";
    }>>;
    index: z.ZodOptional<z.ZodInt>;
    since: z.ZodOptional<z.ZodString>;
  }, z.core.$strict>>>;
  expected: z.ZodOptional<z.ZodObject<{
    boards: z.ZodOptional<z.ZodInt>;
    chipsPerBoard: z.ZodOptional<z.ZodInt>;
    fans: z.ZodOptional<z.ZodInt>;
    cooling: z.ZodOptional<z.ZodEnum<{
      air: "air";
      liquid: "liquid";
    }>>;
    hashrateHs: z.ZodOptional<z.ZodNumber>;
    unproven: z.ZodOptional<z.ZodLiteral<true>>;
    own: z.ZodOptional<z.ZodArray<z.ZodEnum<{
      boards: "boards";
      chipsPerBoard: "chipsPerBoard";
      fans: "fans";
    }>>>;
    contradicted: z.ZodOptional<z.ZodArray<z.ZodObject<{
      what: z.ZodEnum<{
        boards: "boards";
        chipsPerBoard: "chipsPerBoard";
        fans: "fans";
      }>;
      device: z.ZodInt;
      table: z.ZodInt;
    }, z.core.$strict>>>;
  }, z.core.$strict>>;
}, z.core.$strict>;
type Fields = Readonly<Record<string, unknown>>;
type Range2 = {
  readonly min?: number;
  readonly max?: number;
};
/** A driver as its author writes it. */
type DriverSpec<A extends Readonly<Record<string, Question>>, D extends Draft = Draft> = Omit<Driver, 'asks' | 'read' | 'abilities' | 'identify'> & {
  readonly asks: A;
  readonly abilities?: Driver['abilities'];
  /** \`ours\` = what the families say: undefined for another family. A driver may add to it, or deny it. */
  identify?(evidence: Evidence, ours: Identity | undefined): Identity | undefined;
  /**
   * Pure, and never throws. One \`Answer\` for each ask, empty where nothing came; \`known\` is what earlier visits
   * learned.
   */
  read(answers: Answers<A>, known: Known): D & NoOthers<D, Draft>;
};
type Loose<T> = {
  readonly [K in keyof T]?: T[K] | undefined;
};
type LooseList<T> = readonly (T | undefined)[] | undefined;
type PsuReading = z.infer<typeof psuReadingSchema>;
type PoolReading = z.infer<typeof poolReadingSchema>;
/** CGMiner TCP API. Answer: the repaired JSON value. \`newApi\` adds \`"new_api": true\`. */
type CgminerRequest = {
  readonly via: 'cgminer';
  readonly command: string;
  readonly parameter?: string;
  /**
   * The parameter for commands that want the login in it. Without a login at hand nothing is sent (\`peer.auth\`). No
   * error repeats the device's answer to it.
   */
  carry?(login: PlainLogin): Awaitable<string>;
  readonly newApi?: boolean;
  /**
   * In bare text at once, for a device that stays silent to JSON. Where the device is known to answer JSON nothing is
   * sent, and this fails as \`peer.timeout\`.
   */
  readonly isBare?: true;
  /** Default 4028. */
  readonly port?: number;
};
/** Whatsminer API 3, JSON with its length on TCP 4433. Answer: the reply object. */
type Whatsminer3Request = {
  readonly via: 'whatsminer3';
  readonly cmd: string;
  readonly param?: unknown;
  readonly download?: Download;
};
/**
 * For commands whose answer is followed, on the same connection, by a packed archive of logs. Answer of the link: the
 * text in it, file by file, the one written last at the end; \`maxBytes\` bounds that text.
 */
type Download = 'archive';
/**
 * Effect of an action if it runs again: \`once\` is never repeated after a crash; its outcome is
 * settled by looking.
 */
declare const EFFECTS: readonly ['read-only', 'repeatable', 'once'];
/**
 * Words in the raw text of \`version\` or \`devdetails\`, compared without case. \`in: 'version'\` = ignore it in
 * \`devdetails\`. \`isHint\` = others say it too: it proves nothing.
 */
type TcpWords = {
  readonly words: readonly string[];
  readonly in?: 'version';
  readonly isHint?: true;
};
/**
 * Evidence of \`GET /\`: status, realm of the login challenge, redirect target, body text (compared with case, first 64
 * KB). A hint, for any device may show it.
 */
type StartPage = {
  readonly status?: number;
  readonly realm?: string;
  readonly location?: string;
  readonly body?: string;
};
/**
 * What it answers to one of the shared questions that few know: a page, or the object of \`whatsminer3\`. \`words\` = all
 * of them in the page are a hint at the family; absent = they are none. \`shape\` = what proves it.
 */
type OwnAnswer = {
  readonly to: 'whatsminer3' | 'api4028' | 'systemInfo';
  readonly words?: readonly string[];
  readonly shape: z.ZodType;
};
/**
 * A page that needs no login and that only this family has: asked where something hints at the family and nothing has
 * proved it. \`shape\` = what its JSON holds, keys and types together: an application that answers everything, or repeats
 * what it is asked, does not fit. \`guarded\` = another page, which asks for a login there; \`title\` = of the start page.
 */
type FamilyPage = {
  readonly path: string;
  /** Default: where the start page was found. */
  readonly port?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly shape: z.ZodType;
  readonly guarded?: string;
  readonly title?: string;
};
/** A login challenge and the server that asks it. The realm alone is on any page that was copied. */
type ProvingRealm = {
  readonly realm: string;
  readonly server: RegExp;
};
type FactoryLogin = {
  readonly user: string;
  readonly password: string;
};
declare const POWER_MODES: readonly ['sleep', 'low', 'normal', 'high'];
declare const modeOrPreset: z.ZodObject<{
  mode: z.ZodOptional<z.ZodPipe<z.ZodOptional<z.ZodNullable<z.ZodEnum<{
    high: "high";
    low: "low";
    normal: "normal";
    sleep: "sleep";
  }>>>, z.ZodTransform<NonNullable<"high" | "low" | "normal" | "sleep"> | undefined, "high" | "low" | "normal" | "sleep" | null | undefined>>>;
  preset: z.ZodOptional<z.ZodPipe<z.ZodOptional<z.ZodNullable<z.ZodString>>, z.ZodTransform<string | undefined, string | null | undefined>>>;
}, z.core.$loose>;
type OptionalKeys<T> = {
  [K in keyof T]-?: undefined extends T[K] ? K : never;
}[keyof T];
declare const FIRMWARE_KEYS: readonly ['antminer-stock', 'auradine-fluxos', 'avalon-stock', 'avalon-stock:MODEL', 'axeos', 'axeos-nerd', 'braiins-os', 'elphapex-stock', 'epic-umcos', 'futurebit', 'goldshell-stock', 'hammer-stock', 'hiveon', 'iceriver-stock', 'innosilicon-stock', 'luxos', 'marathon', 'mskminer', 'proto-os', 'sealminer-stock', 'vnish', 'volcminer-stock', 'whatsminer-stock'];
type Algorithm = 'blake256r14' | 'blake2b' | 'blake2s' | 'blake3' | 'cryptonight' | 'eaglesong' | 'equihash' | 'ethash' | 'handshake' | 'kheavyhash' | 'randomx' | 'scrypt' | 'sha256' | 'tensority' | 'x11';
/** The counts of a build that a device can tell of itself, and that our table of models tells too. */
declare const BUILD_PARTS: readonly ['boards', 'chipsPerBoard', 'fans'];
type Upload = {
  readonly fields: Readonly<Record<string, string>>;
  readonly file: {
    readonly field: string;
    readonly name: string;
    readonly bytes: Blob;
  };
};
type Common = Opening & {
  /** Tells apart the sessions of one device. */
  readonly name: string;
  /** Of an answer with status 200: whether it says that the session has ended. Text is in \`body\`. */
  isEnded?(answer: Answer): boolean;
  readonly provesLogin?: true;
};
type Field = keyof typeof FIELDS;
/** Of the machine, of a board, of a fan and of a power supply: no name means two things. */
declare const FIELDS: {
  readonly mac: (places: Places) => string | undefined;
  readonly serialNumber: typeof serial;
  readonly controllerSerialNumber: typeof serial;
  readonly hostname: (places: Places) => string | undefined;
  readonly model: (places: Places) => string | undefined;
  readonly firmwareVersion: (places: Places) => string | undefined;
  readonly apiVersion: (places: Places) => string | undefined;
  readonly controlBoard: (places: Places) => string | undefined;
  readonly powerW: (places: Places) => number | undefined;
  readonly powerLimitW: (places: Places) => number | undefined;
  readonly psuOutputPowerW: (places: Places) => number | undefined;
  readonly uptimeS: (places: Places) => number | undefined;
  readonly systemUptimeS: (places: Places) => number | undefined;
  readonly isLightOn: (places: Places) => boolean | undefined;
  readonly isAlive: (places: Places) => boolean | undefined;
  readonly chips: (places: Places) => number | undefined;
  readonly badChips: (places: Places) => number | undefined;
  readonly frequencyMhz: (places: Places) => number | undefined;
  readonly rpm: (places: Places) => number | undefined;
  readonly fanRpm: (places: Places) => number | undefined;
  readonly dutyPercent: (places: Places) => number | undefined;
  readonly tempC: (places: Places) => number | undefined;
  readonly inletTempC: (places: Places) => number | undefined;
  readonly outletTempC: (places: Places) => number | undefined;
  readonly inputPowerW: (places: Places) => number | undefined;
  readonly inputVoltageV: (places: Places) => number | undefined;
  readonly outputPowerW: (places: Places) => number | undefined;
  readonly outputVoltageV: (places: Places) => number | undefined;
};
/** Category of a vendor error code → flag; \`state\` is no fault. */
declare const ERROR_CATEGORY_FLAG: {
  readonly fan: 'fan';
  readonly psu: 'power';
  readonly temperature: 'temperature';
  readonly environment: 'temperature';
  readonly cooling: 'temperature';
  readonly hashboard: 'hashboard';
  readonly chip: 'hashboard';
  readonly eeprom: 'hashboard';
  readonly network: 'network';
  readonly firmware: 'firmware';
  readonly security: 'firmware';
  readonly controlBoard: 'control_board';
  readonly integrity: 'control_board';
  readonly software: 'control_board';
  readonly pool: 'pool';
  readonly hashrate: 'low_hashrate';
  readonly performance: 'low_hashrate';
  readonly config: 'unknown';
  readonly factory: 'unknown';
  readonly tool: 'unknown';
  readonly unknown: 'unknown';
  readonly state: undefined;
};
/** Codes of PeerError: what can go wrong with a peer, a miner or the service. */
declare const PEER_ERRORS: {
  'peer.refused': ErrorEntry;
  'peer.unreachable': ErrorEntry;
  'peer.timeout': ErrorEntry;
  'peer.reset': ErrorEntry;
  'peer.too-large': ErrorEntry;
  'peer.unparsable': ErrorEntry;
  'peer.costly': ErrorEntry;
  'peer.tls-key': ErrorEntry;
  'peer.auth': ErrorEntry;
  'peer.permission': ErrorEntry;
  'peer.unsupported': ErrorEntry;
  'peer.rejected': ErrorEntry;
  'peer.busy': ErrorEntry;
};
/** \`duplicate\` = the same valid value on another live miner of the farm. */
declare const factStateSchema: z.ZodEnum<{
  duplicate: "duplicate";
  empty: "empty";
  invalid: "invalid";
  ok: "ok";
}>;
/** The compiler lets a function return more fields than its type has: a misspelt one would be read by nothing. */
type NoOthers<D, T> = {
  readonly [K in keyof D]: K extends keyof T ? RowOf<T[K]> extends never ? unknown : readonly (NoOthers<RowOf<D[K]>, RowOf<T[K]>> | undefined)[] | undefined : NoSuchField;
};
declare const psuReadingSchema: z.ZodObject<{
  serialNumber: z.ZodOptional<z.ZodString>;
  model: z.ZodOptional<z.ZodString>;
  tempC: z.ZodOptional<z.ZodNumber>;
  fanRpm: z.ZodOptional<z.ZodNumber>;
  inputPowerW: z.ZodOptional<z.ZodNumber>;
  outputPowerW: z.ZodOptional<z.ZodNumber>;
  inputVoltageV: z.ZodOptional<z.ZodNumber>;
  outputVoltageV: z.ZodOptional<z.ZodNumber>;
  isOk: z.ZodOptional<z.ZodBoolean>;
}, z.core.$strict>;
/**
 * One configured pool. \`index\` is its position in the device's list. Share counts and difficulties are cumulative since
 * process start.
 */
declare const poolReadingSchema: z.ZodObject<{
  index: z.ZodInt;
  url: z.ZodString;
  user: z.ZodString;
  isAlive: z.ZodOptional<z.ZodBoolean>;
  isActive: z.ZodOptional<z.ZodBoolean>;
  accepted: z.ZodOptional<z.ZodInt>;
  rejected: z.ZodOptional<z.ZodInt>;
  stale: z.ZodOptional<z.ZodInt>;
  difficultyAccepted: z.ZodOptional<z.ZodNumber>;
  difficultyRejected: z.ZodOptional<z.ZodNumber>;
  difficultyStale: z.ZodOptional<z.ZodNumber>;
  /** Difficulty of the work in hand. */
  difficulty: z.ZodOptional<z.ZodNumber>;
}, z.core.$strict>;
type Opening = {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields of a form. */
  form?(login: PlainLogin): Readonly<Record<string, string>>;
  /** A body as JSON. */
  json?(login: PlainLogin): unknown;
};
/** Where a field may stand: by the names, the best first, and for each of them by the answers. */
type Places = readonly (readonly [answer: Answer, key: string])[];
declare const serial: (places: Places) => string | undefined;
/**
 * \`text\` is the message where the error has none of its own; \`status\` is the HTTP status, absent = no client of HTTP
 * sees it.
 */
type ErrorEntry = {
  readonly status?: number;
  readonly text: string;
  readonly advice: string;
};
type RowOf<L> = L extends readonly (infer R)[] ? Exclude<R, undefined> : never;
type NoSuchField = {
  readonly isNoFieldOfAReading: true;
};
/** Shapes of values, as of the answer that proves a family. It is zod 4: https://zod.dev has the rest. */
export declare namespace z {
  interface ZodType<O = unknown> {
    readonly _output: O;
    parse(value: unknown): O;
    safeParse(value: unknown): ZodSafeParseResult<O>;
    optional(): ZodOptional<this>;
    nullable(): ZodNullable<this>;
    default(value: O): ZodDefault<this>;
    refine(check: (value: O) => unknown): this;
    transform<T>(change: (value: O) => T): ZodType<T>;
    array(): ZodArray<this>;
    or<T extends ZodType>(other: T): ZodType<O | T['_output']>;
  }
  type ZodSafeParseResult<O> =
    | { readonly success: true; readonly data: O; readonly error?: undefined }
    | { readonly success: false; readonly data?: undefined; readonly error: Error };
  type output<S extends ZodType> = S['_output'];
  type infer<S extends ZodType> = S['_output'];

  interface ZodString extends ZodType<string> {
    min(length: number): this;
    max(length: number): this;
    length(length: number): this;
    regex(pattern: RegExp): this;
    startsWith(text: string): this;
    endsWith(text: string): this;
    includes(text: string): this;
  }
  interface ZodNumber extends ZodType<number> {
    min(least: number): this;
    max(most: number): this;
  }
  type ZodInt = ZodNumber;
  type ZodURL = ZodString;
  type ZodBoolean = ZodType<boolean>;
  type ZodLiteral<V> = ZodType<V>;
  type ZodEnum<E extends Readonly<Record<string, string>>> = ZodType<E[keyof E]>;
  interface ZodArray<S extends ZodType> extends ZodType<S['_output'][]> {
    min(length: number): this;
    max(length: number): this;
    length(length: number): this;
  }
  type ZodCustom<O, _I = O> = ZodType<O>;
  type ZodTransform<O, _I = unknown> = ZodType<O>;
  type ZodPipe<_A extends ZodType, B extends ZodType> = ZodType<B['_output']>;
  type ZodNullable<S extends ZodType> = ZodType<S['_output'] | null>;
  type ZodCatch<S extends ZodType> = ZodType<S['_output']>;
  type ZodDefault<S extends ZodType> = ZodType<Exclude<S['_output'], undefined>>;
  interface ZodOptional<S extends ZodType> extends ZodType<S['_output'] | undefined> {
    readonly mayBeAbsent: 'or undefined';
  }
  interface ZodExactOptional<S extends ZodType> extends ZodType<S['_output']> {
    readonly mayBeAbsent: 'exact';
  }

  type Shape = Readonly<Record<string, ZodType>>;
  type AbsentKeys<S> = { [K in keyof S]: S[K] extends { readonly mayBeAbsent: string } ? K : never }[keyof S];
  type Fields<S extends Shape> = { -readonly [K in Exclude<keyof S, AbsentKeys<S>>]: S[K]['_output'] } & {
    -readonly [K in keyof Pick<S, AbsentKeys<S>>]?: S[K]['_output'];
  };
  type ZodObject<S extends Shape, C = core.$strip> = ZodType<{
    [K in keyof (Fields<S> & C)]: (Fields<S> & C)[K];
  }>;
  namespace core {
    type $strict = unknown;
    type $strip = unknown;
    type $loose = { [key: string]: unknown };
  }

  function string(): ZodString;
  function number(): ZodNumber;
  function int(): ZodInt;
  function url(): ZodURL;
  function boolean(): ZodBoolean;
  function unknown(): ZodType<unknown>;
  function literal<const V extends string | number | boolean | null>(value: V | readonly V[]): ZodLiteral<V>;
  function array<S extends ZodType>(item: S): ZodArray<S>;
  function object<const S extends Shape>(fields: S): ZodObject<S>;
  function strictObject<const S extends Shape>(fields: S): ZodObject<S, core.$strict>;
  /** Other keys may be there, too. */
  function looseObject<const S extends Shape>(fields: S): ZodObject<S, core.$loose>;
  function record<K extends ZodType<string>, V extends ZodType>(
    key: K,
    value: V,
  ): ZodType<Record<K['_output'], V['_output']>>;
  function union<const S extends readonly ZodType[]>(options: S): ZodType<S[number]['_output']>;
  function tuple<const S extends readonly ZodType[]>(items: S): ZodType<{ -readonly [K in keyof S]: output<S[K]> }>;
  function optional<S extends ZodType>(schema: S): ZodOptional<S>;
}

export {};
`;
