// What miners compute. A hashrate means something only together with its algorithm: hashrates of different ones are
// never added up.
export const ALGORITHMS = [
  'blake256r14',
  'blake2b',
  'blake2s',
  'blake3',
  'cryptonight',
  'eaglesong',
  'equihash',
  'ethash',
  'handshake',
  'kheavyhash',
  'randomx',
  'scrypt',
  'sha256',
  'tensority',
  'x11',
] as const;
export type Algorithm = (typeof ALGORITHMS)[number];
