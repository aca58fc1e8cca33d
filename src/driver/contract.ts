// The driver contract: a miner family as data and two pure functions. All I/O, deadlines, size caps, retries, JSON
// repair, authentication, merging and caching of asks belong to the core.
import { z } from 'zod';
import type { Reading } from '../model/reading.ts';
import type { AbilityName, Effect } from '../model/tasks/task-kinds.data.ts';
import type { Awaitable, MinerLink, ReadRequest, WebEvidence } from '../transport/request.ts';
import type { Family, IpReportForm } from './recognition.ts';

export type { MinerLink, MinerRequest, WebSession } from '../transport/request.ts';

/** What the shared probe questions answered (identify.ts). Absent = that port is closed or gave nothing. */
export type Evidence = {
  /** Raw text of `version` on TCP 4028, else on 8359; of `devdetails` when `version` did not decide. */
  readonly version?: string;
  readonly devdetails?: string;
  /** `GET /` on port 80, not logged in, redirects not followed; on port 443 where that one sends there. */
  readonly web?: WebEvidence;
  /** Reply object of Whatsminer `get.device.info` on TCP 4433. */
  readonly whatsminer3?: unknown;
  /** `GET /capabilities` on port 4028 where a web server answers there. */
  readonly api4028?: WebEvidence;
  /** `GET /api/system/info`, where the start page names no family. */
  readonly systemInfo?: WebEvidence;
  /** The page that only the family has which the others hint at (`page` of a Family). */
  readonly familyPage?: WebEvidence;
  /** A page that asks for a login on that family, where the one before proves too little. */
  readonly guardedPage?: WebEvidence;
  /** What the families of all drivers say of the above; third-party firmware wins over stock. */
  readonly family: string | undefined;
  /** Something of the above proves the family (proof.ts); the rest are hints. */
  readonly isProven?: boolean;
};

/** Which device it is, by the evidence. `generation` is the driver's name for an API variant (`api3`, `c`). */
export const identitySchema = z.object({
  generation: z.string().exactOptional(),
  make: z.string().exactOptional(),
  model: z.string().exactOptional(),
  firmwareVersion: z.string().exactOptional(),
  mac: z.string().exactOptional(),
  serialNumber: z.string().exactOptional(),
  /**
   * `sure` = the device gave, without a login, a proof that only this family gives; `generic` = it proved that it is a
   * mining program of any kind; `likely` = a hint, such as a word on a page: it is no miner of the farm and is asked
   * nothing more until a person says what it is. A surer driver wins.
   */
  confidence: z.enum(['sure', 'likely', 'generic']),
});
export type Identity = Readonly<z.output<typeof identitySchema>>;

/** For families that look like another one: one question behind the login, which only they answer like this. */
export type AfterLogin = {
  /** Whether what the open ports say leaves room for it. Pure. */
  mayBe(evidence: Evidence): boolean;
  readonly ask: ReadRequest;
  /** Pure: undefined = not ours. Not called when the ask fails. */
  identify(answer: unknown): Identity | undefined;
};

/** What earlier visits learned and a pure `read` may use. */
export type Known = { readonly generation?: string; readonly make?: string; readonly model?: string };

/** `poll` = each poll; `slow` = every few polls; `static` = first, after a restart, every 10 min to 1 h. */
export type Rhythm = 'poll' | 'slow' | 'static';

export type Ask = ReadRequest & {
  readonly every: Rhythm;
  /** Only for these generations; default all. */
  readonly generations?: readonly string[];
  /** Sent only if the named ask failed or was refused in the same visit. */
  readonly insteadOf?: string;
  /** With `insteadOf`: sent too if the named ask was answered, and this is true of its answer. */
  readonly isLacking?: (answer: unknown) => Awaitable<boolean>;
  /** Not sent while the device refuses the named ask as unknown or not allowed: that API is not there. */
  readonly goesWith?: string;
};

export type ActResult =
  /** The device took it. `note` is the device's answer, if any; `log` what a log ability fetched. */
  | { readonly kind: 'accepted'; readonly note?: string; readonly log?: string }
  /** Sent, but the answer was lost: not a failure, to be settled by observation. */
  | { readonly kind: 'lost-reply' };

/** A firmware file from the agent's own folder, read from disk as it is looked at or sent. */
export type FirmwareImage = {
  readonly name: string;
  /** Hex, checked against the task before the driver sees it. */
  readonly sha256: string;
  readonly bytes: Blob;
};

/** What the family can do. Refusals are `peer.rejected`, `peer.permission`, `peer.auth`, `peer.unsupported`. */
export type Ability = {
  readonly effect: Effect;
  /** Seconds that the device is normally off the network afterwards: [shortest, longest]; [0, 0] = it stays. */
  readonly offlineS: readonly [number, number];
  /** Accepted params, as zod schema. */
  readonly params: z.ZodType;
  /**
   * `image` is there for `firmware` only. An upload has 30 min unless `limits.deadlineMs` says otherwise. Firmware is
   * proven by the restart and, when the params name a `version`, by that (or by `shows`); uploads that were cut before
   * the end are failures, not lost replies.
   */
  act(link: MinerLink, params: unknown, known: Known, image?: FirmwareImage): Promise<ActResult>;
  /**
   * Whether a reading taken afterwards shows that the miner obeyed: true, false (not yet, or not at all), undefined
   * when this reading cannot tell. Absent = the device's answer is all there is to know. Reboots are proven by the
   * core.
   */
  shows?(reading: Reading, params: unknown): boolean | undefined;
  /** Seconds within which it shows; then it is a failure. Default 60; never less than `offlineS` and half a minute. */
  readonly shownWithinS?: number;
  /**
   * Firmware that the device gets without us: from `params.url`, which reaches the driver only if its host is allowed
   * here, or from a source of its own. No image is looked for.
   */
  readonly fetchesItself?: 'from-url' | 'from-own-source';
  /**
   * For `password` only: a request that changes nothing and that the device answers only to those whom it let in.
   * Absent = some ask of the driver needs the login, so that a visit shows whether it is accepted.
   */
  provesLogin?(link: MinerLink, known: Known): Promise<unknown>;
};

export { ABILITY_NAMES, type AbilityName } from '../model/tasks/task-kinds.data.ts';

/** Proved by an answer of a real device, by our simulated device, or written from documents only. */
export type EvidenceLevel = 'recording' | 'simulated' | 'claimed';

/**
 * One row of what a driver covers. `models` are patterns in words for people; `firmware` names the range of versions.
 */
export type Cover = { readonly models: string; readonly firmware: string; readonly evidence: EvidenceLevel };

type FactoryLogin = { readonly user: string; readonly password: string };

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
  /** Seconds after a restart until its figures mean something; default 600, unless the operator sets `flags.warmUp`. */
  readonly warmUpS?: number;
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
   * `raw` holds one value per answered ask (JSON value or text). Never throws; a field that makes no sense is absent.
   */
  read(raw: Readonly<Record<string, unknown>>, known: Known): ReadResult;
};
