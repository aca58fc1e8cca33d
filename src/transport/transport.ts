// Probes, links and one mutex per device over one engine and one HTTP client. Port map and reach rule are applied here
// only: every address passes `mayReach` before a packet leaves.
import { isIPv4 } from 'node:net';
import { LruMap } from 'toad-cache';
import type { Clock } from '../base/clock.ts';
import { CancelledError, RefusedError, unreachable } from '../base/errors.ts';
import type { Log } from '../base/log.ts';
import { openFileLimit, socketsWithin } from '../base/platform/fd-limit.ts';
import { Dialects } from './cgminer/dialects.ts';
import { askCgminer, askCgminerRaw, CGMINER_PORT, type CgminerWire } from './cgminer/protocol.ts';
import { askHttp, HTTP_PORT, lookAt, type Web } from './http/ask.ts';
import { HttpClient, type HttpClientLimits, type HttpEndpoint } from './http/client.ts';
import { createDeviceMutex, type DeviceMutex } from './limits/device-mutex.ts';
import type { ExchangeLimits, Login, MinerRequest, ProbeLink } from './request.ts';
import { Engine, type EngineLimits } from './tcp/engine.ts';
import { type Endpoint, type ProbeResult, probe } from './tcp/exchange.ts';
import type { Recorder } from './tcp/recorder.ts';
import { type WhatsminerToken, writeWhatsminer2 } from './whatsminer/api2-writes.ts';
import { askFramed, WHATSMINER3_PORT } from './whatsminer/api3-frames.ts';
import { writeWhatsminer3 } from './whatsminer/api3-writes.ts';
import { DOWNLOAD_DEADLINE_MS, downloadFramed } from './whatsminer/file-transfer.ts';

export type TransportLimits = {
  readonly engine: EngineLimits;
  readonly http: HttpClientLimits;
  /** Devices whose nonce, token or session is kept. */
  readonly devices: number;
};

export type Transport = {
  /** One TCP connect. Throws RefusedError (reach, queue full) or CancelledError only. */
  probe(ip: string, port: number, timeoutMs: number, signal?: AbortSignal): Promise<ProbeResult>;
  /**
   * A link to one miner; `login` is used by the requests that need one. With a `tlsKey`, the requests for port 80 go to
   * 443 over TLS, nothing goes to a device with another key, and the login goes no other way. It costs nothing until it
   * sends.
   */
  link(ip: string, login?: Login, tlsKey?: string): ProbeLink;
  readonly deviceMutex: DeviceMutex;
  stats(): { readonly connections: ReturnType<Engine['stats']>; readonly http: ReturnType<HttpClient['stats']> };
  /** Cancels what is under way; later calls are cancelled. */
  close(): Promise<void>;
};

type LinkTarget = { readonly ip: string; readonly login: Login | undefined; readonly tlsKey: string | undefined };

const TLS_PORT = 443;
const MAX_PORT = 65_535;
/** Where the system does not report it. */
const ASSUMED_OPEN_FILES = 10_240;

/** Sized for 25,000 miners and for what the system allows this process. */
export function defaultTransportLimits(openFiles: number = openFileLimit() ?? ASSUMED_OPEN_FILES): TransportLimits {
  const sockets = socketsWithin(openFiles);
  return {
    engine: {
      launchPerTick: 48,
      connectionPools: {
        exchange: { inFlight: Math.min(768, Math.ceil(sockets / 5)), waiting: 50_000 },
        probe: { inFlight: Math.min(4_000, Math.ceil((sockets * 3) / 5)), waiting: 16_384 },
      },
    },
    http: { inFlight: Math.min(256, Math.ceil(sockets / 5)), waiting: 4_096 },
    devices: 32_768,
  };
}

export function createTransport(options: {
  readonly clock: Clock;
  readonly log: Log;
  /** A device's port on the left is reached at the port on the right. */
  readonly portMap?: ReadonlyMap<number, number>;
  readonly mayReach?: (ip: string) => boolean;
  readonly limits?: Partial<TransportLimits>;
  readonly recorder?: Recorder;
}): Transport {
  const { clock, log, portMap, recorder, mayReach = () => true } = options;
  const limits: TransportLimits = { ...defaultTransportLimits(), ...options.limits };
  const engine = new Engine(clock, limits.engine, recorder);
  const client = new HttpClient(clock, limits.http, recorder);
  const wire: CgminerWire = { engine, log, dialects: new Dialects(clock, limits.devices) };
  const perDevice = <V>() => new LruMap<V>(limits.devices);
  const web: Web = {
    client,
    clock,
    nonces: perDevice(),
    sessions: { grants: perDevice(), cooldowns: perDevice(), opening: new Map() },
  };
  const tokens = perDevice<WhatsminerToken>();
  const deviceMutex = createDeviceMutex();
  let isClosed = false;

  const endpoint = (ip: string, port: number): Endpoint => {
    if (isClosed) throw new CancelledError(`reach ${ip}:${port}`);
    if (!isIPv4(ip) || !mayReach(ip))
      throw new RefusedError('reach.refused', `reach ${ip}: not in the allowed networks`);
    const mapped = portMap?.get(port) ?? port;
    if (!Number.isInteger(mapped) || mapped < 1 || mapped > MAX_PORT) {
      throw new RefusedError('reach.refused', `reach ${ip}: port ${mapped} does not exist`);
    }
    return { ip, port: mapped };
  };
  const webEndpoint = (ip: string, port: number, tlsKey?: string): HttpEndpoint => {
    const wanted = tlsKey !== undefined && port === HTTP_PORT ? TLS_PORT : port;
    return { ...endpoint(ip, wanted), isTls: wanted === TLS_PORT, tlsKey };
  };

  const send = async (
    { ip, login, tlsKey }: LinkTarget,
    request: MinerRequest,
    exchangeLimits: ExchangeLimits = {},
  ): Promise<unknown> => {
    const plainLogin = tlsKey === undefined ? login : undefined;
    switch (request.via) {
      case 'cgminer':
        return askCgminer(wire, endpoint(ip, request.port ?? CGMINER_PORT), request, exchangeLimits, plainLogin);
      case 'whatsminer3': {
        const { cmd, param, download } = request;
        const body = param === undefined ? { cmd } : { cmd, param };
        const to = endpoint(ip, WHATSMINER3_PORT);
        if (download === undefined) return askFramed(engine, to, body, exchangeLimits);
        const limits3 = { deadlineMs: DOWNLOAD_DEADLINE_MS, ...exchangeLimits };
        return downloadFramed(engine, to, body, `ask ${to.ip}:${to.port} for ${cmd}`, limits3);
      }
      case 'http':
        return askHttp(web, (port) => webEndpoint(ip, port, tlsKey), login, request, exchangeLimits);
      case 'whatsminer2-write':
        return writeWhatsminer2({ engine, tokens }, endpoint(ip, CGMINER_PORT), plainLogin, request, exchangeLimits);
      case 'whatsminer3-write':
        return writeWhatsminer3(engine, endpoint(ip, WHATSMINER3_PORT), plainLogin, request, exchangeLimits);
      default:
        return unreachable(request);
    }
  };

  return {
    deviceMutex,
    async probe(ip, port, timeoutMs, signal) {
      return probe(engine, endpoint(ip, port), timeoutMs, signal);
    },
    link(ip, login, tlsKey) {
      const target = { ip, login, tlsKey };
      return {
        ip,
        send: (request, exchangeLimits) => send(target, request, exchangeLimits),
        async sendRaw(request, exchangeLimits = {}) {
          return askCgminerRaw(wire, endpoint(ip, request.port ?? CGMINER_PORT), request, exchangeLimits);
        },
        async look(path, lookLimits = {}) {
          return lookAt(web, webEndpoint(ip, lookLimits.port ?? HTTP_PORT, tlsKey), path, lookLimits);
        },
      };
    },
    stats: () => ({ connections: engine.stats(), http: client.stats() }),
    async close() {
      isClosed = true;
      engine.close();
      await client.close();
    },
  };
}
