// What a correct driver must report of a simulated device now, in the units and names of the service interface: H/s, W,
// degrees Celsius, MHz, seconds. `null` = the device does not tell it by any server that is open.

type BoardTruth = {
  readonly serial_number: string | null;
  readonly hashrate: number | null;
  readonly chips: number | null;
  readonly chip_frequency: number | null;
};

export type PoolTruth = {
  readonly url: string;
  readonly worker_id: string;
  readonly difficulty_accepted: number | null;
  readonly difficulty_rejected: number | null;
  readonly difficulty_stale: number | null;
};

export type Truth = {
  readonly ip: string;
  readonly driver: string;
  /** The simulated device: family and variant, e.g. `antminer-b`. Not something that a driver reports. */
  readonly family: string;
  readonly make: string | null;
  readonly model: string | null;
  /** Upper case with colons; `""` when the device does not tell it. */
  readonly mac: string;
  readonly serial_number: string | null;
  readonly firmware_version: string | null;
  readonly hostname: string | null;
  readonly is_mining: boolean;
  readonly mining_mode: string | null;
  readonly hashrate: number | null;
  readonly expected_hashrate: number | null;
  readonly power: number | null;
  /** The hottest chip. */
  readonly temp: number | null;
  readonly uptime: number | null;
  readonly hashboards: readonly BoardTruth[];
  /** `rpm` is null where the device tells only the duty. */
  readonly fans: readonly { readonly index: number; readonly rpm: number | null }[];
  readonly pools: readonly PoolTruth[];
  readonly psus: readonly { readonly serial_number: string | null; readonly temperature: number | null }[];
  /** Codes that the firmware itself reports, e.g. `110` or `temp:1`. */
  readonly errors: readonly { readonly code: string }[];
  readonly light_on: boolean | null;
};
