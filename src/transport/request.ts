// The vocabulary of requests to a miner: what can be sent, and the link that sends it. Types only: drivers see this and
// nothing else of transport.
import type { Secret } from '../base/secrets.ts';

/** A driver in another process answers later. */
export type Awaitable<T> = T | Promise<T>;

/** CGMiner TCP API (atlas section 1.1). Answer: the repaired JSON value. `newApi` adds `"new_api": true`. */
export type CgminerRequest = {
  readonly via: 'cgminer';
  readonly command: string;
  readonly parameter?: string;
  /**
   * The parameter for commands that want the login in it. Without a login at hand nothing is sent (`peer.auth`). No
   * error repeats the device's answer to it.
   */
  carry?(login: PlainLogin): Awaitable<string>;
  readonly newApi?: boolean;
  /**
   * In bare text at once, for a device that stays silent to JSON. Where the device is known to answer JSON nothing is
   * sent, and this fails as `peer.timeout`.
   */
  readonly isBare?: true;
  /** Default 4028. */
  readonly port?: number;
};

/** Whatsminer API 3 (atlas section 4.3), JSON with its length on TCP 4433. Answer: the reply object. */
type Whatsminer3Request = {
  readonly via: 'whatsminer3';
  readonly cmd: string;
  readonly param?: unknown;
  readonly download?: Download;
};

/**
 * For commands whose answer is followed, on the same connection, by a packed archive of logs. Answer of the link: the
 * text in it, file by file, the one written last at the end; `maxBytes` bounds that text.
 */
type Download = 'archive';

/**
 * HTTP (atlas section 1.3). Redirects are never followed. Answer: parsed JSON, or text. A status of 400 or above is a
 * PeerError. At most one of `json`, `form`, `upload` and `octets`.
 */
export type HttpRequest = {
  readonly via: 'http';
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Default 80. */
  readonly port?: number;
  readonly auth: 'none' | 'digest' | WebSession | CarriedLogin;
  /**
   * What the body says of the login beside `auth`, as where a new password is set and the old one stands with it. It
   * wins over what the request itself says. Without a login at hand, or where `digest` is not asked for, nothing is
   * sent (`peer.auth`).
   */
  carry?: CarriedLogin['carry'];
  /**
   * It is about the password itself: what the device granted before does not count for it, and what it grants now is
   * not kept. Some grants outlive the password.
   */
  readonly freshLogin?: true;
  /** Fixed headers that the device wants to see; never a secret. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as `application/json`. */
  readonly json?: unknown;
  /** Sent as `application/x-www-form-urlencoded`. */
  readonly form?: Readonly<Record<string, string>>;
  /** Sent as `multipart/form-data`, the file read as it is sent. */
  readonly upload?: Upload;
  /** Sent as it is (`application/octet-stream`), read as it is sent. */
  readonly octets?: Blob;
  readonly as: 'json' | 'text';
};

export type Upload = {
  readonly fields: Readonly<Record<string, string>>;
  readonly file: { readonly field: string; readonly name: string; readonly bytes: Blob };
};

/**
 * A login that yields a cookie or a token. The grant is kept per device, port, name and login until the device refuses
 * it with 401 (or in the way that `isRefused` knows); then one new login is made and the request repeated. A refused
 * login is `peer.auth`. Without a login at hand the request is sent without a grant.
 */
export type WebSession = {
  /** Tells apart the sessions of one device. */
  readonly name: string;
  /** What to send to log in. */
  open(login: PlainLogin): Awaitable<SessionOpening>;
  /** Headers for further requests, from the answer to `open` of any status but 429; undefined = refused. */
  grant(answer: SessionAnswer): Awaitable<Readonly<Record<string, string>> | undefined>;
  /** For devices that answer 200 or 403 when the session has ended. `answer` is the JSON value, or text. */
  isRefused?(answer: unknown): Awaitable<boolean>;
  /** A grant proves the password: a request that is refused all the same is `peer.permission`, not `peer.auth`. */
  readonly provesLogin?: true;
};

/** A login in each request: a password in the body or a header. Without a login the request is sent as it is. */
export type CarriedLogin = {
  /**
   * What is added to the request; wins over what the request itself says. `fields` of an upload, `json` of an object.
   */
  carry(login: PlainLogin): Awaitable<{
    readonly headers?: Readonly<Record<string, string>>;
    readonly json?: Readonly<Record<string, unknown>>;
    readonly form?: Readonly<Record<string, string>>;
    readonly fields?: Readonly<Record<string, string>>;
  }>;
  /** For devices that refuse the login with status 200. `answer` as for `WebSession.isRefused`. */
  isRefused?(answer: unknown): Awaitable<boolean>;
};

export type PlainLogin = { readonly user: string; readonly password: string };
/** The port is that of the request unless it names its own. A path that holds the password is not sent. */
export type SessionOpening = Omit<HttpRequest, 'auth' | 'carry' | 'freshLogin' | 'upload' | 'octets' | 'as'>;
export type SessionAnswer = {
  readonly status: number;
  /** JSON value, or the text when it is not JSON. */
  readonly body: unknown;
  /** `name=value` of each cookie that was set, joined with `; `. */
  readonly cookie?: string;
};

/** Encrypted write of Whatsminer API 2 (atlas section 4.2), one retry on code 135. Answer: the decrypted envelope. */
export type Whatsminer2Write = {
  readonly via: 'whatsminer2-write';
  readonly cmd: string;
  /** Most are texts, even numbers (`percent: "80"`); the light takes numbers. */
  readonly params: Readonly<Record<string, string | number>>;
  /** Sent to find out whether the login is accepted: it goes out as a new one does (`Login.beforeSending`). */
  readonly triesLogin?: true;
  /** Params that hold the login; they win. The token is not kept afterwards. */
  carry?(login: PlainLogin): Awaitable<Readonly<Record<string, string | number>>>;
  /** Sent behind its length on the same connection when the device is ready. The answer is the verdict on it. */
  readonly upload?: Blob;
  readonly download?: Download;
};

/** Signed write of Whatsminer API 3 (atlas section 4.3); `isEncrypted` encrypts the param. Answer: the reply object. */
export type Whatsminer3Write = {
  readonly via: 'whatsminer3-write';
  readonly cmd: string;
  readonly param?: unknown;
  readonly isEncrypted?: boolean;
  /** Sent to find out whether the login is accepted: it goes out as a new one does (`Login.beforeSending`). */
  readonly triesLogin?: true;
  /** What of the param holds the login; `user` is the account that the write is signed for. */
  carry?(login: PlainLogin): Awaitable<Readonly<Record<string, unknown>>>;
  /** As for `Whatsminer2Write`. */
  readonly upload?: Blob;
  readonly download?: Download;
};

export type ReadRequest = CgminerRequest | Whatsminer3Request | HttpRequest;
export type MinerRequest = ReadRequest | Whatsminer2Write | Whatsminer3Write;

export type Login = {
  readonly user: string;
  readonly password: Secret;
  /**
   * The realm that the device's digest challenge had when it was asked who it is; one of another realm gets no answer.
   */
  readonly realm?: string;
  /** Called before it goes out again, in whatever form. When it throws, nothing is sent. */
  readonly beforeSending?: (signal: AbortSignal | undefined) => Promise<void>;
  /** Called each time that a device has accepted it; not when the device asks for no login. */
  readonly onTaken?: () => void;
};

/** Bounds of one exchange. `deadlineMs` is total: connect, send, wait, read, authentication included. */
export type ExchangeLimits = {
  readonly deadlineMs?: number;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
};

/**
 * A way to talk to one miner. Throws only PeerError (what went wrong, when to retry), RefusedError (address outside the
 * reach) or CancelledError (signal aborted). The caller holds the device mutex (limits/device-mutex.ts): a link does
 * not queue.
 */
export type MinerLink = {
  readonly ip: string;
  /** The answer as JSON value or text, see each request type. */
  send(request: MinerRequest, limits?: ExchangeLimits): Promise<unknown>;
};

/** Raw answers to the questions of identification, which want evidence rather than values. */
export type ProbeLink = MinerLink & {
  /** The text of a CGMiner answer before any repair, NUL cut off, bare text as JSON, plain text errors as they are. */
  sendRaw(request: CgminerRequest, limits?: ExchangeLimits): Promise<string>;
  /** Status, some headers and the first 64 KB of the decompressed body of `GET path`; no login is sent. */
  look(path: string, limits?: ExchangeLimits & { readonly port?: number }): Promise<WebEvidence>;
};

export type WebEvidence = {
  readonly status: number;
  readonly location?: string;
  readonly authenticate?: string;
  readonly server?: string;
  /** Over TLS only: SHA-256 of its public key (SPKI), hex. */
  readonly tlsKey?: string;
  readonly body: string;
};
