// What the answers of every CGMiner dialect share, for the own answers of drivers.

export const status = (msg: string, code = 11) => [{ STATUS: 'S', When: 1_755_615_295, Code: code, Msg: msg }];

export const pools = {
  STATUS: status('2 Pool(s)', 7),
  POOLS: [
    {
      POOL: 0,
      URL: 'stratum+tcp://pool-a.example:3333',
      User: 'farm.w1',
      Status: 'Alive',
      'Stratum Active': true,
      Accepted: 4057,
      Rejected: 11,
      Stale: 1,
      Diff: '524K',
      'Difficulty Accepted': 2_127_036_416,
      'Difficulty Rejected': 5_767_168,
      'Difficulty Stale': 524_288,
    },
    { POOL: 1, URL: '', User: '', Status: 'Dead' },
  ],
};
