// An Avalon is recognised by TCP and by its web page, each alone, and finds its model wherever its build wrote it.
import { expect, test } from 'vitest';
import { families } from '../index.ts';
import { isHomeModel, modelOf, splitVer } from './identify.ts';
import { avalon } from './index.ts';

const identifyBy = (parts: Parameters<typeof families.evidenceOf>[0]) => avalon.identify(families.evidenceOf(parts));

test('a home model by its version', () => {
  const version =
    '{"STATUS":[{"STATUS":"S"}],"VERSION":[{"API":"3.7","CGVERSION":"25052801_14a19a2","DNA":"0123","HWTYPE":"Q_MM1v1_X1","LVERSION":"25052801_14a19a2","MAC":"AA:BB:CC:DD:EE:FF","MODEL":"Q","PROD":"Avalon Q"}]}';
  expect(identifyBy({ version })).toEqual({
    generation: 'home',
    make: 'Avalon',
    model: 'Avalon Q Home',
    firmwareVersion: '25052801_14a19a2',
    mac: 'AA:BB:CC:DD:EE:FF',
    serialNumber: '0123',
    confidence: 'sure',
  });
});

test('an A series machine whose version names nothing, by devdetails or by its control board', () => {
  const version =
    '{"STATUS":[{"STATUS":"S"}],"VERSION":[{"API":"3.7","DNA":"02010000cbd2fd6d","HWTYPE":"MM4v2_X3","VERSION":"24102401_25462b2"}]}';
  const devdetails = '{"STATUS":[{"STATUS":"S"}],"DEVDETAILS":[{"Driver":"avalon","Name":"AVALON","Model":""}]}';
  for (const parts of [{ version }, { version, devdetails }]) {
    expect(identifyBy(parts)).toEqual({
      generation: 'a',
      make: 'Avalon',
      firmwareVersion: '24102401_25462b2',
      serialNumber: '02010000cbd2fd6d',
      confidence: 'sure',
    });
  }
});

test('by its web page alone', () => {
  expect(identifyBy({ web: { status: 200, body: '<title>Avalon Device</title>' } })).toEqual({
    make: 'Avalon',
    confidence: 'likely',
  });
  expect(identifyBy({ web: { status: 200, body: '<h1>Avalon Q</h1>' } })).toMatchObject({
    generation: 'home',
    model: 'Avalon Q Home',
  });
});

test('nothing else is taken for one', () => {
  expect(
    identifyBy({ version: '{"STATUS":[{"STATUS":"S"}],"VERSION":[{"CGMiner":"4.11.1","API":"3.7"}]}' }),
  ).toBeUndefined();
  expect(
    identifyBy({ version: '{"STATUS":[{"STATUS":"S"}],"VERSION":[{"API":"3.7","Type":"Antminer S19"}]}' }),
  ).toBeUndefined();
});

test.each([
  [{ PROD: 'AvalonMiner 1246', MODEL: '1246-83' }, 'Avalon 1246', false],
  [{ MODEL: '1246-83' }, 'Avalon 1246', false],
  [{ Ver: '1126Pro-68-21072803_4ec6bb0_211fc46' }, 'Avalon 1126 Pro', false],
  // A variant is not its model: this one has two boards, not three.
  [{ Ver: '1126Pro-S-64-21072803_4ec6bb0_211fc46' }, '1126Pro-S-64', false],
  [{ PROD: 'AvalonMiner 1126Pro', MODEL: '1126Pro-S-64' }, '1126Pro-S-64', false],
  // The number after the dash is a rate, not a variant of a model 15.
  [{ PROD: 'AvalonMiner 15-194', MODEL: '15-194' }, 'Avalon 1566', false],
  [{ Ver: '15-194-24102401_25462b2_9ddf522' }, 'Avalon 1566', false],
  [{ PROD: 'Avalon Nano3s', MODEL: 'Nano3s' }, 'Avalon Nano 3s', true],
  [{ PROD: 'Avalon Mini3' }, 'Avalon Mini 3', true],
  [{ PROD: 'AvalonMiner 9999', MODEL: '9999-1' }, 'AvalonMiner 9999', false],
])('%j is %s', (names, name, isHome) => {
  expect(modelOf(names).name).toBe(name);
  expect(isHomeModel(names)).toBe(isHome);
});

test('Ver is model and rate class, then firmware', () => {
  expect(splitVer('1246-83-21072802_4ec6bb0_211fc46')).toEqual({
    model: '1246-83',
    firmware: '21072802_4ec6bb0_211fc46',
  });
  expect(splitVer('synthetic')).toEqual({ model: undefined, firmware: undefined });
  expect(splitVer(undefined)).toEqual({ model: undefined, firmware: undefined });
});

test.each(['avalon7', 'avalon8', 'avalon9'])(
  'the 7, 8 and 9 series are known by their driver in devdetails: %s',
  (driver) => {
    const version = '{"STATUS":[{"STATUS":"S","Code":22}],"VERSION":[{"CGMiner":"4.10.0","API":"3.7"}],"id":1}';
    const devdetails = `{"STATUS":[{"STATUS":"S","Code":69}],"DEVDETAILS":[{"DEVDETAILS":0,"Name":"AV7","ID":0,"Driver":"${driver}"}],"id":1}`;
    expect(identifyBy({ version, devdetails })).toMatchObject({ confidence: 'sure', generation: 'a', make: 'Avalon' });
  },
);
