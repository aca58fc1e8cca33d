// Where `version` answers name a firmware, and which makers build the machines of a family or name them.
import type { Evidence } from '../../src/driver/contract.ts';

/** Keys of `VERSION[0]` that hold the maker's own version text, best first; others name a program. */
export const VERSIONS = ['LVERSION', 'CGVERSION', 'fw_version', 'VERSION', 'Miner'] as const;
export const PROGRAMS = [
  ...['LUXminer', 'BOSer', 'BOSminer+', 'BOSminer', 'BTMiner', 'BMMiner', 'BFGMiner', 'SGMiner', 'CGMiner'],
] as const;

/** Families whose hardware has one maker only. */
export const MAKES: Readonly<Partial<Record<NonNullable<Evidence['family']>, string>>> = {
  'antminer-stock': 'Antminer',
  'auradine-fluxos': 'Auradine',
  avalon: 'Avalon',
  elphapex: 'Elphapex',
  hammer: 'Hammer',
  innosilicon: 'Innosilicon',
  sealminer: 'Sealminer',
  volcminer: 'VolcMiner',
  whatsminer: 'Whatsminer',
};

/** Makes with which names of machines begin. */
export const IN_NAMES = ['Antminer', 'Whatsminer', 'Avalon', 'VolcMiner', 'Hammer'] as const;
