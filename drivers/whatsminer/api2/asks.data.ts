// What is asked over API 1 and 2, on TCP 4028 (atlas 4.1).
const ask = { via: 'cgminer', generations: ['api1', 'api2'] } as const;

export const ASKS = {
  summary: { ...ask, command: 'summary', every: 'poll' },
  edevs: { ...ask, command: 'edevs', every: 'poll', needs: 'DEVS' },
  devs: { ...ask, command: 'devs', every: 'poll', insteadOf: 'edevs', needs: 'DEVS' },
  pools: { ...ask, command: 'pools', every: 'slow', needs: 'POOLS' },
  status: { ...ask, command: 'status', every: 'slow', needs: 'Msg' },
  errorCode: { ...ask, command: 'get_error_code', every: 'slow', needs: 'Msg' },
  minerInfo: { ...ask, command: 'get_miner_info', every: 'slow', needs: 'Msg' },
  getVersion: { ...ask, command: 'get_version', every: 'static', needs: 'Msg' },
  psu: { ...ask, command: 'get_psu', every: 'static', needs: 'Msg' },
  devdetails: { ...ask, command: 'devdetails', every: 'static' },
} as const;
