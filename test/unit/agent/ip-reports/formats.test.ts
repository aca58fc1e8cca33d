// What is read out of the reports of each make, and that nothing else is taken for one.

import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { drivers } from '../../../../drivers/index.ts';
import { ipReportOf } from '../../../../fixtures/farm/ip-report.ts';
import { reportFormats } from '../../../../src/agent/ip-reports/formats.ts';

const FORMATS = reportFormats(drivers);
const IP = '10.31.0.17';
const MAC = 'CC:0C:13:00:00:17';
const read = (port: number, bytes: string | Buffer) =>
  FORMATS.find((format) => format.port === port)?.read(Buffer.from(bytes));

test.each([
  [14_235, `${IP},${MAC}`],
  [14_235, `[${IP}/255.255.252.0],${MAC}`],
  [14_235, `${IP},${MAC.toLowerCase()}\0`],
  [8_888, `IP:${IP}MAC:${MAC}`],
  [1_314, JSON.stringify({ version: '2.2', ip: IP, model: 'KD6', mac: MAC, cpbsn: ['a'] })],
  [12_345, JSON.stringify({ command: 'x', SerialNo: 'AT1', ip: IP, mac: MAC })],
  [54_321, `x IP Addr:[${IP}]\nNetmask:[..]\nMAC Addr:[${MAC}] y`],
])('port %i: %s', (port, text) => expect(read(port, text)).toEqual({ ip: IP, mac: MAC }));

test('forms without a MAC or without an address', () => {
  expect(read(11_503, `addr:${IP}`)).toEqual({ ip: IP });
  expect(read(42_069, `HiveOS ${IP}\n`)).toEqual({ ip: IP });
  expect(read(9_999, 'DG_IPREPORT_ONLY')).toEqual({});
  expect(read(18_650, deflateSync(`{"mac":"${MAC.toLowerCase()}"}\0{"type":"A2"}\0`))).toEqual({ mac: MAC });
});

test.each([
  [8_888, 'OK\0\0\0\0'],
  [14_235, `${IP}`],
  [14_235, `999.31.0.17,${MAC}`],
  [14_235, `010.31.0.17,${MAC}`],
  [1_314, '{"ip":"10.31.0.17"}'],
  [12_345, JSON.stringify({ ip: IP, mac: MAC, HashRate: '1.2', Temp: 40 })],
  [12_345, 'null'],
  [9_999, 'DG_SOMETHING'],
  [18_650, 'not packed'],
  [18_650, deflateSync(Buffer.alloc(10_000_000))],
  [11_503, ''],
])('port %i: no report: %s', (port, bytes) => expect(read(port, bytes)).toBeUndefined());

test('a MAC that can be none is left out, the address stays', () => {
  expect(read(8_888, `IP:${IP}MAC:00:00:00:00:00:00`)).toEqual({ ip: IP });
  expect(read(14_235, `${IP},::::`)).toEqual({ ip: IP });
});

test.each([0, 1, 8, 64])('a packed report is found behind %i bytes', (before) => {
  const text = `{"Type":3,"Status":0}, {"MAC":"${MAC.toLowerCase()}","Type":"A2"}, {"Interface":"eth0"}`;
  // Bytes that look like the beginning of packed data, and are none.
  const noise = Buffer.from(Array.from({ length: before }, (_, index) => [0x78, 0x9c, 0x01][index % 3] ?? 0));
  const bytes = Buffer.concat([noise, deflateSync(text)]);
  expect(FORMATS.find(({ port }) => port === 18_650)?.read(bytes)).toEqual({ mac: MAC });
});

test('property: any bytes are a claim or nothing', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 512 }), fc.constantFrom(...FORMATS), (bytes, format) => {
      const claim = format.read(Buffer.from(bytes));
      expect(claim === undefined || typeof claim === 'object').toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('what simulated devices send is read as what they are', () => {
  const facts = { ip: IP, mac: MAC, model: 'S19', serial_number: 'SN1', firmware_version: '1' };
  for (const driver of ['antminer-stock', 'volcminer', 'hammer', 'whatsminer', 'goldshell', 'auradine-fluxos']) {
    const report = ipReportOf({ ...facts, driver });
    expect(report && read(report.port, report.bytes), driver).toEqual({ ip: IP, mac: MAC });
  }
  const packed = ipReportOf({ ...facts, driver: 'sealminer' });
  expect(packed && read(packed.port, packed.bytes)).toEqual({ mac: MAC });
  expect(ipReportOf({ ...facts, driver: 'avalon' })).toBeUndefined();
});
