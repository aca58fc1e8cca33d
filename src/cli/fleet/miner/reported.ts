// The document that a service keeps of a miner, turned back into a reading, for who cannot ask the device. It has fewer
// facts than the device says.
import type { Reading } from '../../../model/reading.ts';
import type { Detail } from './known.ts';

export function readingOf(detail: Detail): Reading {
  const { expected_hashrate, expected_chips, hashboards, board_details, uptime } = detail;
  const chipsPerBoard = board_details.find(({ expected_chips: chips }) => chips !== null)?.expected_chips ?? null;
  return known({
    make: detail.make,
    model: detail.model,
    firmwareVersion: detail.firmware_version,
    mac: detail.mac === '' ? null : detail.mac,
    serialNumber: detail.serial_number,
    hostname: detail.hostname,
    isMining: detail.is_mining,
    hashrateHs: detail.hashrate,
    hashrateAverageHs: detail.hashrate_24h,
    powerW: detail.power,
    tempC: detail.temperature,
    inletTempC: detail.temperature_inlet_avg,
    outletTempC: detail.temperature_outlet_avg,
    uptimeS: uptime === 0 ? null : uptime,
    totalChips: detail.total_chips,
    expected:
      expected_hashrate === null && expected_chips === null
        ? null
        : known({ hashrateHs: expected_hashrate, chipsPerBoard }),
    boards: hashboards.map((board, index) => boardOf(board, board_details[index], index)),
    fans: detail.fans.map(({ index, rpm, duty_percent }) => known({ index, rpm, dutyPercent: duty_percent })),
    psus: detail.psus.map(({ serial_number, temperature }) =>
      known({ serialNumber: serial_number, tempC: temperature }),
    ),
    pools: detail.pools.map(({ url, worker_id }, index) => ({ index, url, user: worker_id })),
    errors: detail.errors.map(({ code, message }) => known({ code, message, category: 'unknown' as const })),
  });
}

const boardOf = (
  { serial_number, hashrate, chips, chip_frequency }: Detail['hashboards'][number],
  more: Detail['board_details'][number] | undefined,
  index: number,
) =>
  known({
    slot: more?.slot ?? index,
    serialNumber: serial_number,
    hashrateHs: hashrate,
    chips,
    frequencyMhz: chip_frequency,
    boardTempsC: more === undefined || more.temperatures.length === 0 ? null : more.temperatures,
    chipTempMaxC: more?.chip_temperature_max ?? null,
  });

type Known<T> = { [K in keyof T]: Exclude<T[K], null> | (null extends T[K] ? undefined : never) };

/** Null becomes absent. */
function known<T extends object>(facts: T): Known<T>;
function known(facts: object): object {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== null));
}
