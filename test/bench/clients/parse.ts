// The lines that the two reader programs print, as rows of fields. A line that does not have the expected shape is an
// error, not an empty device.
import { z } from 'zod';
import { type Facts, factsOf } from './facts.ts';

/** `facts` is undefined when the client knows no such device; `error` says what its library threw. */
export type ClientReading = { readonly ip: string; readonly facts?: Facts; readonly error?: string };

const number = z.number().nullish();
const text = z.string().nullish();
const truth = z.boolean().nullish();

const pyasicLine = z.object({
  ip: z.string(),
  error: z.string().optional(),
  data: z
    .object({
      make: text,
      model: text,
      firmware: text,
      mac: text,
      serial: text,
      rate: number,
      expectedRate: number,
      boards: z.array(z.object({ rate: number, chips: number, chipTemp: number, missing: z.boolean() })),
      fans: z.array(number),
      power: number,
      pools: z.array(z.object({ url: text, user: text })),
      uptime: number,
      isMining: truth,
      errors: z.array(z.string()),
      light: truth,
    })
    .nullable(),
});

export function parsePyasic(line: string): ClientReading {
  const { ip, error, data } = pyasicLine.parse(JSON.parse(line));
  if (data === null) return unread(ip, error);
  // One entry per slot that its table of models expects; `missing` = the device's answer had none for it.
  const boards = data.boards.filter(({ missing }) => !missing);
  const { rate, expectedRate, ...same } = data;
  // A place without a pool is no pool.
  const pools = data.pools.filter(({ url }) => typeof url === 'string');
  const chipTemp = hottest(boards.map((board) => board.chipTemp));
  return { ip, facts: factsOf({ ...same, hashrate: rate, expectedHashrate: expectedRate, boards, pools, chipTemp }) };
}

const UNITS = {
  Hash: 1,
  KiloHash: 1e3,
  MegaHash: 1e6,
  GigaHash: 1e9,
  TeraHash: 1e12,
  PetaHash: 1e15,
  ExaHash: 1e18,
  ZettaHash: 1e21,
  YottaHash: 1e24,
} as const;
const UNIT_NAMES = [
  'Hash',
  'KiloHash',
  'MegaHash',
  'GigaHash',
  'TeraHash',
  'PetaHash',
  'ExaHash',
  'ZettaHash',
  'YottaHash',
] as const satisfies readonly (keyof typeof UNITS)[];
const rate = z.object({ value: z.number(), unit: z.enum(UNIT_NAMES) }).nullish();
type Rate = z.infer<typeof rate>;

const asicRsBoard = z.object({
  hashrate: rate,
  working_chips: number,
  outlet_chip_temperature: number,
  chips: z.array(z.object({ temperature: number })),
});
const asicRsLine = z.object({
  ip: z.string(),
  error: z.string().optional(),
  data: z
    .object({
      device_info: z.object({ make: z.string(), model: z.string() }),
      firmware_version: text,
      mac: text,
      serial_number: text,
      hashrate: rate,
      expected_hashrate: rate,
      hashboards: z.array(asicRsBoard),
      fans: z.array(z.object({ rpm: number })),
      wattage: number,
      pools: z.array(
        z.object({
          pools: z.array(
            z.object({
              url: z.object({ scheme: z.string(), host: z.string(), port: z.number() }).nullish(),
              user: text,
            }),
          ),
        }),
      ),
      uptime: z.object({ secs: z.number() }).nullish(),
      is_mining: z.boolean(),
      messages: z.array(z.object({ code: z.union([z.number(), z.string()]) })),
      light_flashing: truth,
    })
    .nullable(),
});

export function parseAsicRs(line: string): ClientReading {
  const { ip, error, data } = asicRsLine.parse(JSON.parse(line));
  if (data === null) return unread(ip, error);
  const facts = factsOf({
    make: data.device_info.make,
    model: data.device_info.model,
    firmware: data.firmware_version,
    mac: data.mac,
    serial: data.serial_number,
    hashrate: inHs(data.hashrate),
    expectedHashrate: inHs(data.expected_hashrate),
    boards: data.hashboards.map((board) => ({ rate: inHs(board.hashrate), chips: board.working_chips })),
    chipTemp: hottest(
      data.hashboards.flatMap((board) => [
        board.outlet_chip_temperature,
        ...board.chips.map(({ temperature }) => temperature),
      ]),
    ),
    fans: data.fans.map(({ rpm }) => rpm),
    power: data.wattage,
    pools: data.pools.flatMap(({ pools }) =>
      pools.flatMap(({ url, user }) => (url?.host ? [{ user, url: `${url.host}:${url.port}` }] : [])),
    ),
    uptime: data.uptime?.secs,
    isMining: data.is_mining,
    errors: data.messages.map(({ code }) => String(code)),
    light: data.light_flashing,
  });
  return { ip, facts };
}

const inHs = (given: Rate) => given && given.value * UNITS[given.unit];

function hottest(temps: readonly (number | null | undefined)[]): number | null {
  const told = temps.filter((temp) => temp !== null && temp !== undefined);
  return told.length === 0 ? null : Math.max(...told);
}

const unread = (ip: string, error: string | undefined): ClientReading => ({
  ip,
  ...(error === undefined ? {} : { error }),
});
