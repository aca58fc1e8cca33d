// A Whatsminer is recognised by each of its servers alone, and told which API it speaks.
import { expect, test } from 'vitest';
import { families } from '../index.ts';
import { generationOf } from './identify.ts';
import { whatsminer } from './index.ts';

const identifyBy = (parts: Parameters<typeof families.evidenceOf>[0]) =>
  whatsminer.identify(families.evidenceOf(parts));

test('by its web page alone, and then every server is asked', () => {
  const identity = identifyBy({ web: { status: 307, location: 'https://10.0.0.9/', body: '' } });
  expect(identity).toEqual({ make: 'Whatsminer', confidence: 'likely' });
  expect(identifyBy({ web: { status: 200, body: '<meta url="/cgi-bin/luci">' } })?.confidence).toBe('likely');
});

test('by a version that is refused but names it', () => {
  const version = '{"STATUS":"E","When":1,"Code":14,"Msg":"invalid cmd","Description":"whatsminer v1.4.0"}';
  // Builds of API 2 call themselves 1.4.0 as well: which of the two it is only get_version tells.
  expect(identifyBy({ version })).toEqual({ generation: 'api2', make: 'Whatsminer', confidence: 'sure' });
});

test('by devdetails, with its model in the spelling of the table', () => {
  const devdetails =
    '{"STATUS":[{"STATUS":"S"}],"DEVDETAILS":[{"DEVDETAILS":0,"Driver":"bitmicro","Model":"M30S+_VE45"}],"id":1}';
  expect(
    identifyBy({ version: '{"STATUS":[{"STATUS":"S"}],"VERSION":[{"CGMiner":"4.9.2","API":"3.7"}]}', devdetails }),
  ).toEqual({
    generation: 'api2',
    make: 'Whatsminer',
    model: 'M30S+ VE40',
    confidence: 'sure',
  });
});

test('a model that is not in the table keeps its name', () => {
  const devdetails = '{"STATUS":[{"STATUS":"S"}],"DEVDETAILS":[{"Driver":"bitmicro","Model":"M99X_ZZ45"}]}';
  expect(identifyBy({ version: '{}', devdetails })?.model).toBe('M99X_ZZ45');
});

test('by API 3 alone, with everything that it tells', () => {
  const whatsminer3 = {
    code: 0,
    msg: {
      miner: { type: 'M60S_VK40', 'miner-sn': 'SN1' },
      network: { mac: 'CE:02:01:00:8C:36' },
      system: { fwversion: '20251209.16.Rel2' },
    },
  };
  expect(identifyBy({ whatsminer3 })).toEqual({
    generation: 'api3',
    make: 'Whatsminer',
    model: 'M60S VK40',
    firmwareVersion: '20251209.16.Rel2',
    mac: 'CE:02:01:00:8C:36',
    serialNumber: 'SN1',
    confidence: 'sure',
  });
});

test('API 3 counts even when its mining process is down', () => {
  expect(identifyBy({ whatsminer3: { code: 0, msg: 'btminer process is down err' } })?.generation).toBe('api3');
});

test('another family is left to its own driver', () => {
  expect(
    identifyBy({ version: '{"STATUS":[{"STATUS":"S"}],"VERSION":[{"API":"3.7","Type":"Antminer S19"}]}' }),
  ).toBeUndefined();
  expect(identifyBy({})).toBeUndefined();
});

test('the firmware date decides the API, the API version only where there is no date', () => {
  const of = (msg: object) => generationOf(JSON.stringify({ STATUS: 'S', Msg: msg }));
  expect(of({ api_ver: 'whatsminer v1.4.0', fw_ver: '20210322.22.REL' })).toBe('api1');
  expect(of({ api_ver: 'whatsminer v1.4.0', fw_ver: '20220919.15.REL' })).toBe('api2');
  expect(of({ api_ver: '2.0.5', fw_ver: "'20241031.1.REL'" })).toBe('api2');
  expect(of({ fw_ver: '20241101.1.REL' })).toBe('api3');
  expect(of({ api_ver: '2.0.5' })).toBe('api2');
  expect(of({ api_ver: 'whatsminer v1.3.8' })).toBe('api1');
  expect(of({ CGMiner: '4.9.2', API: '3.7' })).toBeUndefined();
});
