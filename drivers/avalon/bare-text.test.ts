// Devices that know the oldest form of the CGMiner API only, as an Avalon simulator of another maker does: recognised,
// read and asked once in vain.
import { createServer } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { gatherEvidence, matchDriver } from '../../src/driver/identify.ts';
import { VisitMemory } from '../../src/driver/visit/memory.ts';
import { visit } from '../../src/driver/visit/visit.ts';
import { createTransport } from '../../src/transport/transport.ts';
import { loopback } from '../../test/support/loopback.ts';
import { drivers, families } from '../index.ts';

const IP = loopback().ip(1);
const STATUS = (code: number, msg: string) =>
  `STATUS=S,When=1753431749,Code=${code},Msg=${msg},Description=cgminer 4.11.1`;
const MM =
  'Ver[1346-116-23042501_6d4cd98_d3a493a] DNA[02010000aabbccdd] SYSTEMSTATU[Work: In Work, Hash Board: 3 ] Elapsed[500] ' +
  'Temp[31] TMax[79] TAvg[66] Fan1[5344] Fan2[5392] FanR[72%] PS[0 1214 1316 242 3189 1320 3504] GHSspd[118800.00] ' +
  'GHSmm[119000.00] GHSavg[117000.00] Freq[560.00] Led[0] MGHS[39000.00 39000.00 39000.00] MTmax[77 79 76] TA[360] ' +
  'SoftOFF[0] ECHU[0 0 0] ECMM[0] ATAOPTS0[--avalon10-freq 448:468:488:508 --hash-asic 120] WORKMODE[0]';
/**
 * As it words them: one pair of bars around each pool, a blank at the end, no NUL, and nothing at all to what it does
 * not know.
 */
const ANSWERS: Readonly<Record<string, string>> = {
  version: `${STATUS(22, 'CGMiner versions')}|VERSION,CGMiner=4.11.1,API=3.7,STM8=20.08.01,PROD=AvalonMiner 1346-116,MODEL=1346-116,HWTYPE=MM4v1_X3,SWTYPE=MM317,VERSION=23042501_6d4cd98_d3a493a,LOADER=d0d779de.00,DNA=02010000aabbccdd,MAC=b4a2eb3f2348,UPAPI=2| `,
  estats: `${STATUS(70, 'CGMiner stats')}|STATS=0,ID=AVA100,Elapsed=500,Calls=0,MM ID0=${MM},MM Count=1,Smart Speed=1,Nonce Mask=0| `,
  pools: `${STATUS(7, '2 Pool(s)')}|POOL=0,URL=stratum+tcp://a.example:3333,Status=Alive,Priority=0,User=farm.1,Stratum Active=true,Difficulty Accepted=1024.00000000||POOL=1,URL=stratum+tcp://b.example:3333,Status=Dead,Priority=1,User=farm.1|`,
};

const asked: string[] = [];
/** Does not even close the connection after what it does not know. */
let isMute = false;
const server = createServer((socket) => {
  socket.on('error', () => {});
  socket.on('data', (chunk) => {
    asked.push(chunk.toString());
    const answer = ANSWERS[chunk.toString()];
    if (answer !== undefined) socket.write(answer);
    if (answer !== undefined || !isMute) socket.end();
  });
});
let port = 0;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen({ port: 0, host: IP }, resolve));
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
});
afterAll(() => server.close());

test.each([
  ['closes', false],
  ['stays silent and open', true],
])('an Avalon that %s after JSON is recognised, read whole in bare text, and asked in JSON once', async (_, mute) => {
  isMute = mute;
  asked.length = 0;
  const transport = createTransport({ clock: systemClock, log: silentLog, portMap: new Map([[4028, port]]) });
  const link = transport.link(IP);
  const { evidence } = await gatherEvidence(link, new Set([4028]), { families, clock: systemClock });
  const choice = matchDriver(drivers, evidence);
  expect(choice).toMatchObject({
    driver: { id: 'avalon' },
    identity: { confidence: 'sure', generation: 'a', mac: 'b4a2eb3f2348', firmwareVersion: '23042501_6d4cd98_d3a493a' },
  });
  if (choice === undefined) throw new Error('not recognised');
  const { reading, unparsable } = await visit({
    ...{ driver: choice.driver, link, known: { generation: 'a' }, memory: new VisitMemory(), clock: systemClock },
    ...{ rhythms: { slowMs: 300_000, staticMs: 3_600_000 }, deadlineMs: 10_000 },
  });
  expect(unparsable).toEqual([]);
  expect(reading).toMatchObject({
    model: 'AvalonMiner 1346-116',
    serialNumber: '02010000aabbccdd',
    hashrateHs: 118.8e12,
    powerW: 3_504,
    tempC: 79,
    uptimeS: 500,
    isMining: true,
    miningMode: 'normal',
    deviceTimeS: 1_753_431_749,
  });
  expect(reading.boards?.map(({ chips, hashrateHs }) => [chips, hashrateHs])).toEqual([
    [120, 39e12],
    [120, 39e12],
    [120, 39e12],
  ]);
  expect(reading.pools).toMatchObject([
    {
      index: 0,
      url: 'stratum+tcp://a.example:3333',
      user: 'farm.1',
      isAlive: true,
      isActive: true,
      difficultyAccepted: 1_024,
    },
    { index: 1, isAlive: false },
  ]);
  expect(asked.filter((line) => line.startsWith('{'))).toEqual(['{"command":"version"}\n']);
  await transport.close();
});
