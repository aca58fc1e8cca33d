// What the pages of a VolcMiner tell, by our names or by those of Bitmain's `stats`, and under which names they write
// it: of newer builds the last.
import type { Names } from '../../src/driver/kit/index.ts';

export const SYSTEM: Names = {
  macaddr: ['macaddr'],
  hostname: ['hostname'],
  minertype: ['minertype'],
  system_kernel_version: ['system_kernel_version'],
  system_filesystem_version: ['system_filesystem_version'],
};

export const WHOLE: Names = {
  Elapsed: ['elapsed'],
  rate_5s: ['ghs5s'],
  rate_avg: ['ghsav'],
  fan1: ['fan1'],
  fan2: ['fan2'],
  fan3: ['fan3'],
  fan4: ['fan4'],
};

export const CHAIN: Names = {
  asic_num: ['chain_acn'],
  asic: ['chain_acs'],
  freq_avg: ['freq'],
  temp_pcb: ['temp'],
  temp_chip: ['temp2'],
  hw: ['hw'],
  rate_real: ['rate', 'chain_rate'],
};
