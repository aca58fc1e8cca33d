// Listens for IP reports and passes on those of the configured ranges: a technician stands in front of that miner. It
// drops repeats, floods and garbage, and sends nothing.
import { LruMap } from 'toad-cache';
import type { Clock } from '../../base/clock.ts';
import { renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { createRateLimit } from '../../base/time/rate-limit.ts';
import type { DriverSet } from '../../driver/load/driver-set.ts';
import { type Claim, MAX_REPORT_BYTES, type ReportFormat, reportFormats } from './formats.ts';
import { createUdpPorts } from './udp-ports.ts';

/** `claimedMac` = the MAC in the datagram, which proves nothing. `makes` = the makes known to send to that port. */
export type IpReport = {
  readonly ip: string;
  readonly makes: string;
  readonly claimedMac?: string;
};

type Options = {
  readonly clock: Clock;
  readonly log: Log;
  /** They know what their devices send. */
  readonly drivers: Pick<DriverSet, 'all'>;
  /** Where a standard port is bound; 0 = anywhere. */
  readonly portOf: (standard: number) => number;
  /** Whether the address is in the configured ranges. */
  readonly isOurs: (ip: string) => boolean;
  /** Must neither throw nor reject. */
  readonly onReport: (report: IpReport) => Promise<void> | void;
};

/** Miners send their report several times over. */
const REPEAT_MS = 10_000;
const WINDOW_MS = 10_000;
/** Datagrams read per sender and window. */
const MOST_PER_SENDER = 5;
/** Reports handed on per window. */
const MOST_IN_ALL = 20;
const MAX_KNOWN = 1_024;
const WARN_EVERY_MS = 60_000;

export function createIpReports({ clock, log, drivers, portOf, isOurs, onReport }: Options) {
  /** By standard port. Empty while nothing is to be heard. */
  let formats: ReadonlyMap<number, ReportFormat> = new Map();
  const senders = new LruMap<() => boolean>(MAX_KNOWN);
  const reportedMs = new LruMap<number>(MAX_KNOWN);
  const handedOn = new Set<Promise<void>>();
  const mayHandOn = createRateLimit(clock, MOST_IN_ALL, WINDOW_MS);
  const mayWarn = createRateLimit(clock, 1, WARN_EVERY_MS);

  const isWithinRate = (sender: string): boolean => {
    const mayPass = senders.get(sender) ?? createRateLimit(clock, MOST_PER_SENDER, WINDOW_MS);
    senders.set(sender, mayPass);
    return mayPass();
  };

  const take = (standard: number, bytes: Buffer, sender: string) => {
    const format = formats.get(standard);
    if (format === undefined || bytes.length > MAX_REPORT_BYTES || !isOurs(sender) || !isWithinRate(sender)) return;
    const claim = format.read(bytes);
    if (claim instanceof Promise) void claim.then((found) => handOn(format, found, sender));
    else handOn(format, claim, sender);
  };

  const handOn = (format: ReportFormat, claim: Claim | undefined, sender: string) => {
    if (claim === undefined) return;
    const ip = claim.ip ?? sender;
    const nowMs = clock.monotonicMs();
    if (!isOurs(ip) || nowMs - (reportedMs.get(ip) ?? -Infinity) < REPEAT_MS) return;
    if (!mayHandOn()) {
      if (mayWarn()) log.warn({ sender }, 'more IP reports than technicians can press buttons: some are ignored');
      return;
    }
    reportedMs.set(ip, nowMs);
    const done = onReport({ ip, makes: format.makes, ...(claim.mac !== undefined && { claimedMac: claim.mac }) });
    if (done === undefined) return;
    handedOn.add(done);
    void done.finally(() => handedOn.delete(done));
  };

  const ports = createUdpPorts({
    ...{ clock, portOf, onMessage: take },
    onRefused: (standard, error) =>
      log.warn(
        { port: portOf(standard), cause: renderError(error) },
        `IP reports of ${formats.get(standard)?.makes} cannot be heard for now: is another program on this port? \`scan.ipReports: false\` ends the tries`,
      ),
  });
  const hear = (wanted: readonly ReportFormat[]): Promise<void> => {
    formats = new Map(wanted.map((format) => [format.port, format]));
    return ports.hear(new Set(formats.keys()));
  };

  let isStarted = false;

  return {
    /** Resolves when every port is bound or was refused; refused ones are tried again. */
    async start(): Promise<void> {
      isStarted = true;
      await hear(reportFormats(drivers.all));
    },
    /** The drivers have changed: others may send elsewhere, or something else. Nothing before the start. */
    async refresh(): Promise<void> {
      if (isStarted) await hear(reportFormats(drivers.all));
    },
    /** Resolves when all sockets are closed and all reports handled. */
    async stop(): Promise<void> {
      isStarted = false;
      await hear([]);
      await Promise.all(handedOn);
    },
    /** The bound port of each format, by its standard port. */
    ports: ports.bound,
  };
}
