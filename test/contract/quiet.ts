/** What an agent knows beside the reading of a miner that nothing is done to, and whose identity is its own. */
export const QUIET = {
  macState: 'ok',
  serialState: 'ok',
  isRebooting: false,
  opsMaintenance: false,
  ipChanged: false,
} as const;
