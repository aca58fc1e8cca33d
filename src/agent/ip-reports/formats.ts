// What miners broadcast when their IP-report button is pressed: one port and one form per make. It reads what a
// datagram claims and trusts none of it: any device in the network can send one.
import { inflateSync } from 'node:zlib';
import type { z } from 'zod';
import { parseIpv4 } from '../../base/net/ipv4.ts';
import type { LoadedDriver, RemoteReportForm } from '../../driver/load/loaded-driver.ts';
import type { IpReportForm } from '../../driver/recognition.ts';
import { macState, normaliseMac } from '../../model/identity-facts.ts';
import type { Awaitable } from '../../transport/request.ts';
import { parseJson } from '../../wire/frames.ts';

/** `ip` is absent where the form has none: then it is the sender's. */
export type Claim = { readonly ip?: string; readonly mac?: string };

export type ReportFormat = {
  readonly port: number;
  /** The makes known to send there. */
  readonly makes: string;
  /** Undefined = no report. */
  read(bytes: Buffer): Awaitable<Claim | undefined>;
};

type Reader = (bytes: Buffer) => Claim | undefined;

/** Longer datagrams are not looked at; the longest known report has about 1 KB. */
export const MAX_REPORT_BYTES = 4_096;
const MAX_INFLATED_BYTES = 64 * 1024;

const MAC = /\b[0-9A-Fa-f]{2}(?:[:-][0-9A-Fa-f]{2}){5}\b/;

/** Makes of which no driver reads the devices. */
const WITHOUT_DRIVER: readonly Sender[] = [
  { make: 'iPollo', ipReport: { port: 54_321, words: /IP Addr:\[([\d.]+)\].*MAC Addr:\[([0-9A-Fa-f:]+)\]/s } },
  { make: 'HiveOS', ipReport: { port: 42_069, words: /^HiveOS ([\d.]+)$/ } },
];

/** One per port: several makes may send there. */
export function reportFormats(drivers: readonly Sender[]): ReportFormat[] {
  const byPort = Map.groupBy(
    [...drivers, ...WITHOUT_DRIVER].flatMap(({ make, ipReport }) => (ipReport === undefined ? [] : { make, ipReport })),
    ({ ipReport }) => ipReport.port,
  );
  return [...byPort].map(([port, senders]) => {
    const readers = senders.flatMap(({ ipReport }) => ('claim' in ipReport ? [] : readerOf(ipReport)));
    const remote = senders.flatMap(({ ipReport }) => ('claim' in ipReport ? ipReport : []));
    return {
      port,
      makes: senders.map(({ make }) => make).join(', '),
      read(bytes) {
        for (const read of readers) {
          const claim = read(bytes);
          if (claim !== undefined) return claim;
        }
        return remote.length === 0 ? undefined : askedOf(remote, bytes);
      },
    };
  });
}

/** Of drivers that run elsewhere, one after the other. */
async function askedOf(forms: readonly RemoteReportForm[], bytes: Buffer): Promise<Claim | undefined> {
  for (const form of forms) {
    const claim = await form.claim(textOf(bytes));
    if (claim !== undefined) return claimOf(claim.ip, claim.mac);
  }
  return undefined;
}

type Sender = Pick<LoadedDriver, 'make' | 'ipReport'>;

function readerOf(form: IpReportForm): Reader {
  if ('words' in form) return byWords(form.words);
  return 'fields' in form ? byFields(form.fields) : packed;
}

/** The first group is the address, the second the MAC. */
function byWords(form: RegExp): Reader {
  return (bytes) => {
    const found = form.exec(textOf(bytes));
    return found === null ? undefined : claimOf(found[1], found[2]);
  };
}

function byFields(schema: z.ZodType<{ ip: string; mac: string }>): Reader {
  return (bytes) => {
    const { data } = schema.safeParse(parseJson(textOf(bytes)));
    return data && claimOf(data.ip, data.mac);
  };
}

/** The most that some builds put before the packed part, and more than any is known to. */
const MAX_BEFORE_PACKED = 64;

/** Several objects in a row; the first MAC is the miner's. Some builds write a few bytes before the packed part. */
function packed(bytes: Buffer): Claim | undefined {
  for (
    let start = bytes.indexOf(0x78);
    start >= 0 && start <= MAX_BEFORE_PACKED;
    start = bytes.indexOf(0x78, start + 1)
  ) {
    const text = inflated(bytes.subarray(start));
    if (text?.includes('{')) return claimOf(undefined, MAC.exec(text)?.[0]);
  }
  return undefined;
}

/** Undefined where no zlib data begins. */
function inflated(bytes: Buffer): string | undefined {
  // The first two bytes of zlib data are a multiple of 31.
  if (bytes.length < 2 || bytes.readUInt16BE(0) % 31 !== 0) return undefined;
  try {
    return inflateSync(bytes, { maxOutputLength: MAX_INFLATED_BYTES }).toString('latin1');
  } catch {
    return undefined;
  }
}

/** Undefined when the address is none; a MAC that cannot be one is left out. */
function claimOf(ip: string | undefined, mac: string | undefined): Claim | undefined {
  if (ip !== undefined && parseIpv4(ip) === undefined) return undefined;
  const normal = mac !== undefined && macState(mac) === 'ok' ? normaliseMac(mac) : undefined;
  return { ...(ip !== undefined && { ip }), ...(normal !== undefined && { mac: normal }) };
}

const textOf = (bytes: Buffer): string => bytes.toString('latin1').replace(/\0.*$/s, '').trim();
