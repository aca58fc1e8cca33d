// Whatsminer (MicroBT): API 1 and 2 on TCP 4028, API 3 on TCP 4433. One driver, because the API goes by firmware and
// not by model.
import { defineDriver } from '../../src/driver/contract.ts';
import { abilities } from './abilities.ts';
import { toReading } from './facts.ts';
import { FAMILIES, IP_REPORT } from './family.data.ts';
import { identify } from './identify.ts';
import { factsFromApi3 } from './read-api3.ts';
import { factsFromTcp } from './read-tcp.ts';
import { replies } from './replies.ts';

const tcp = { via: 'cgminer', generations: ['api1', 'api2'] } as const;
const api3 = { via: 'whatsminer3', generations: ['api3'] } as const;

export const whatsminer = defineDriver({
  id: 'whatsminer',
  make: 'Whatsminer',
  families: FAMILIES,
  ipReport: IP_REPORT,
  covers: [
    { models: 'M20S', firmware: 'API 1: before 2022-07-29', evidence: 'recording' },
    { models: 'M20 to M50 series', firmware: 'API 2: 2022-07-29 to 2024-10-31', evidence: 'simulated' },
    { models: 'M60S', firmware: 'API 3: from 2024-11-01', evidence: 'recording' },
    { models: 'M3', firmware: 'before API 1', evidence: 'claimed' },
    { models: 'M30 to M79 series, air, hydro and immersion', firmware: 'any of the three APIs', evidence: 'claimed' },
  ],
  asks: {
    summary: { ...tcp, command: 'summary', every: 'poll' },
    edevs: { ...tcp, command: 'edevs', every: 'poll' },
    devs: { ...tcp, command: 'devs', every: 'poll', insteadOf: 'edevs' },
    pools: { ...tcp, command: 'pools', every: 'slow' },
    status: { ...tcp, command: 'status', every: 'slow' },
    errorCode: { ...tcp, command: 'get_error_code', every: 'slow' },
    minerInfo: { ...tcp, command: 'get_miner_info', every: 'slow' },
    getVersion: { ...tcp, command: 'get_version', every: 'static' },
    psu: { ...tcp, command: 'get_psu', every: 'static' },
    devdetails: { ...tcp, command: 'devdetails', every: 'static' },
    info3: { ...api3, cmd: 'get.device.info', every: 'slow' },
    summary3: { ...api3, cmd: 'get.miner.status', param: 'summary', every: 'poll' },
    edevs3: { ...api3, cmd: 'get.miner.status', param: 'edevs', every: 'poll' },
    pools3: { ...api3, cmd: 'get.miner.status', param: 'pools', every: 'slow' },
  },
  replies,
  abilities,
  login: {
    kind: 'token',
    factoryDefault: { user: 'super', password: 'super' },
    factoryDefaultOf: { api1: { user: 'admin', password: 'admin' }, api2: { user: 'admin', password: 'admin' } },
  },
  quirks: { gapMs: 50, warmUpS: 900 },
  identify,
  read(answers, known) {
    const facts = factsFromApi3(answers) ?? factsFromTcp(answers) ?? { reading: {} };
    return toReading(facts, known.model);
  },
});
