// What is compared of a device: one flat row of fields, the same for the device's truth, our driver and the foreign
// clients. Not told is null, also for an empty list and for a list in which nothing is told.
import type { Truth } from '../../../drivers/_farm/truth.ts';
import { normaliseMac } from '../../../src/model/identity-facts.ts';
import type { Reading } from '../../../src/model/reading.ts';

export const FIELDS = [
  'make',
  'model',
  'firmware',
  'mac',
  'serial',
  'hashrate',
  'expected hashrate',
  'boards',
  'board rates',
  'board chips',
  'chip temp',
  'fans',
  'power',
  'pool urls',
  'pool users',
  'uptime',
  'is mining',
  'errors',
  'light',
] as const;
export type Field = (typeof FIELDS)[number];

type Cell = string | number | null;
export type Value = Cell | boolean | readonly Cell[];
export type Facts = Readonly<Record<Field, Value>>;

/** Rates in H/s, temperatures in degrees Celsius, power in W, uptime in seconds, fans in rpm. */
export type Source = {
  readonly make?: string | null | undefined;
  readonly model?: string | null | undefined;
  readonly firmware?: string | null | undefined;
  readonly mac?: string | null | undefined;
  readonly serial?: string | null | undefined;
  readonly hashrate?: number | null | undefined;
  readonly expectedHashrate?: number | null | undefined;
  readonly boards: readonly { readonly rate?: number | null | undefined; readonly chips?: number | null | undefined }[];
  readonly chipTemp?: number | null | undefined;
  readonly fans: readonly (number | null | undefined)[];
  readonly power?: number | null | undefined;
  readonly pools: readonly { readonly url?: string | null | undefined; readonly user?: string | null | undefined }[];
  readonly uptime?: number | null | undefined;
  readonly isMining?: boolean | null | undefined;
  readonly errors: readonly string[];
  readonly light?: boolean | null | undefined;
};

export function factsOf(source: Source): Facts {
  const { boards, pools } = source;
  return {
    make: textOf(source.make),
    model: textOf(source.model),
    firmware: textOf(source.firmware),
    mac: textOf(source.mac && (normaliseMac(source.mac) ?? source.mac)),
    serial: textOf(source.serial),
    hashrate: source.hashrate ?? null,
    'expected hashrate': source.expectedHashrate ?? null,
    boards: boards.length === 0 ? null : boards.length,
    'board rates': listOf(boards.map(({ rate }) => rate)),
    'board chips': listOf(boards.map(({ chips }) => chips)),
    'chip temp': source.chipTemp ?? null,
    fans: listOf(source.fans),
    power: source.power ?? null,
    'pool urls': listOf(pools.map(({ url }) => url)),
    'pool users': listOf(pools.map(({ user }) => user)),
    uptime: source.uptime ?? null,
    'is mining': source.isMining ?? null,
    errors: listOf(source.errors),
    light: source.light ?? null,
  };
}

const textOf = (text: string | null | undefined) => (text?.trim() ? text : null);

function listOf(values: readonly (Cell | undefined)[]): Value {
  return values.every((value) => value === null || value === undefined) ? null : values.map((value) => value ?? null);
}

export const factsOfTruth = (truth: Truth): Facts =>
  factsOf({
    make: truth.make,
    model: truth.model,
    firmware: truth.firmware_version,
    mac: truth.mac,
    serial: truth.serial_number,
    hashrate: truth.hashrate,
    expectedHashrate: truth.expected_hashrate,
    boards: truth.hashboards.map(({ hashrate, chips }) => ({ rate: hashrate, chips })),
    chipTemp: truth.temp,
    fans: truth.fans.map(({ rpm }) => rpm),
    power: truth.power,
    pools: truth.pools.map(({ url, worker_id }) => ({ url, user: worker_id })),
    uptime: truth.uptime,
    isMining: truth.is_mining,
    errors: truth.errors.map(({ code }) => code),
    light: truth.light_on,
  });

export const factsOfReading = (reading: Reading): Facts =>
  factsOf({
    make: reading.make,
    model: reading.model,
    firmware: reading.firmwareVersion,
    mac: reading.mac,
    serial: reading.serialNumber,
    hashrate: reading.hashrateHs,
    expectedHashrate: reading.expected?.hashrateHs,
    boards: (reading.boards ?? []).map(({ hashrateHs, chips }) => ({ rate: hashrateHs, chips })),
    chipTemp: reading.tempC,
    fans: (reading.fans ?? []).map(({ rpm }) => rpm),
    power: reading.powerW,
    pools: reading.pools ?? [],
    uptime: reading.uptimeS ?? reading.systemUptimeS,
    isMining: reading.isMining,
    errors: (reading.errors ?? []).map(({ code }) => code),
    light: reading.isLightOn,
  });
