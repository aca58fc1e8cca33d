// A proof of a family is what only it says, where it says it; everything else is a hint, whoever shows it.
import { describe, expect, test } from 'vitest';
import { drivers, families } from '../../../drivers/index.ts';
import type { Evidence } from '../../../src/driver/contract.ts';
import { matchDriver } from '../../../src/driver/identify.ts';
import { speaksCgminer } from '../../../src/driver/proof.ts';
import { parseBareText } from '../../../src/transport/cgminer/bare-text.ts';

/** As the transport gives it to the driver. */
const asJson = (text: string) => JSON.stringify(parseBareText(text));

const confidenceOf = (parts: Omit<Evidence, 'family' | 'isProven'>) =>
  matchDriver(drivers, families.evidenceOf(parts))?.identity.confidence;
const LIGHTTPD = { server: 'lighttpd/1.4.32' };

test.each(
  families.all.flatMap(({ startPages = [] }) => startPages.map((page) => [JSON.stringify(page), page] as const)),
)('%s is a hint', (_, rule) => {
  const web = {
    status: rule.status ?? 200,
    body: rule.body ?? '',
    ...(rule.realm !== undefined && { authenticate: `Digest realm="${rule.realm}", nonce="n", qop="auth"` }),
    ...(rule.location !== undefined && { location: rule.location }),
  };
  expect(['likely', undefined]).toContain(confidenceOf({ web }));
});

describe('the rows of a device', () => {
  const details = (...models: readonly string[]) =>
    JSON.stringify({
      STATUS: [{ STATUS: 'S', Code: 69, Msg: 'Device Details', Description: 'cgminer 4.9.2' }],
      DEVDETAILS: models.map((Model, place) => ({ DEVDETAILS: place, Name: 'SM', Driver: 'bitmicro', Model })),
    });

  test.each([
    ['of three boards that are alike', details('M30S++', 'M30S++', 'M30S++'), 'sure'],
    ['of boards of which one has lost its name', details('M30S++', '', 'M30S++'), 'sure'],
    ['of several machines of one make', details('BITMICRO M30', 'BITMICRO M50'), 'likely'],
    ['of a machine beside one of no known make', details('BITMICRO M30', 'Nameless 3'), 'likely'],
  ])('%s', (_, devdetails, wanted) => {
    expect(confidenceOf({ version: '{"STATUS":[{"STATUS":"E"}]}', devdetails })).toBe(wanted);
  });
});

describe('TCP', () => {
  test.each([
    ['{"STATUS":[{"STATUS":"S"}],"VERSION":[{"API":"3.7","BOSer":"boser 0.1"}]}', 'sure'],
    ['{"STATUS":[{"STATUS":"S"}],"VERSION":[{"API":"3.1","Type":"Antminer S19"}]}', 'sure'],
    ['{"STATUS":[{"STATUS":"S","Description":"cgminer 4.9.0 rwglr"}],"VERSION":[{"API":"3.1","Type":"S19"}]}', 'sure'],
    [
      asJson(
        'STATUS=S,When=1,Code=22,Msg=CGMiner versions,Description=x|VERSION,CGMiner=4.9,Type=Antminer S9,API=3.7|',
      ),
      'sure',
    ],
    ['{"STATUS":"E","When":1,"Code":14,"Msg":"invalid cmd","Description":"whatsminer v1.4.0"}', 'sure'],
    ['{"STATUS":[{"STATUS":"S"}],"VERSION":[{"API":"3.1","BMMiner":"bOS_am1-s9-20181127-0_c3"}]}', 'sure'],
    // The words are there, in no place where a device names itself.
    ['{"STATUS":"ok","VERSION":[{"API":"3.7","Type":"Antminer S19"}]}', 'likely'],
    ['{"STATUS":[{"STATUS":"S","Description":"farmproxy 1.2 for Whatsminer"}]}', 'likely'],
    ['{"STATUS":[{"STATUS":"S"}],"VERSION":[{"API":"1","Note":"Antminer"}]}', 'likely'],
    [
      '{"STATUS":[{"STATUS":"S","Description":"cgminer 4.11.1"}],"VERSION":[{"API":"3","Name":"2.1 bridge to AvalonMiners"}]}',
      'likely',
    ],
    ['{"STATUS":[{"STATUS":"S","Description":"2.1 (proxy for WhatsMiner farms)"}]}', 'likely'],
    ['{"STATUS":[{"STATUS":"S","Description":"cgminer 4.11 proxy BTMiner"}]}', 'likely'],
    ['{"STATUS":[{"STATUS":"S"}],"VERSION":[{"API":"3.1","BMMiner":"4.9.0 rwglr"}]}', 'sure'],
    ['{"command":"version","VERSION":[{"BOSer":"1"}]}', 'likely'],
    ['{"echo":"LUXMINER BOSER VNISH"}', 'likely'],
    ['HTTP is not spoken here, Whatsminer', 'likely'],
    ['{"STATUS":[{"STATUS":"S"}],"x":[{"Type":"Hiveon"}]}', 'likely'],
  ])('%s: %s', (version, confidence) => expect(confidenceOf({ version })).toBe(confidence));

  test('a list of machines proves none of them, one device with boards of one name does', () => {
    const list = (...models: string[]) =>
      JSON.stringify({ STATUS: [{ STATUS: 'S' }], DEVDETAILS: models.map((Model, ID) => ({ ID, Model })) });
    const version = '{"STATUS":[{"STATUS":"E","Code":14}]}';
    expect(confidenceOf({ version, devdetails: list('WhatsMiner M30S', 'WhatsMiner M30S') })).toBe('sure');
    expect(confidenceOf({ version, devdetails: list('WhatsMiner M30S', 'WhatsMiner M50') })).toBe('likely');
    expect(confidenceOf({ version, devdetails: list('WhatsMiner M30S', 'AvalonMiner 1246') })).toBe('likely');
  });

  test.each([
    ['{"STATUS":"ok"}', false],
    ['{"STATUS":[{"STATUS":"ok"}]}', false],
    ['{"STATUS":[]}', false],
    ['{"STATUS":[{"STATUS":"E","Code":14}]}', true],
    ['{"STATUS":"S","Msg":{}}', true],
    [asJson('STATUS=S,When=1|VERSION,CGMiner=4.9|'), true],
    ['', false],
    [undefined, false],
  ])('%s is of the CGMiner kind: %s', (answer, is) => expect(speaksCgminer(answer)).toBe(is));
});

describe('web', () => {
  const challenge = { status: 401, body: '', authenticate: 'Digest realm="antMiner Configuration", nonce="n"' };
  const page = (body: string, status = 200) => ({ status, body });
  const VNISH =
    '{"fw_name":"Vnish","fw_version":"1","system":{"miner_name":"S19","network_status":{"mac":"02:00:00:00:00:01"}}}';
  const BRAIINS = page('<title>Braiins OS</title>');
  const TRIPLE = '{"major":1,"minor":0,"patch":0}';
  const PANEL = '{"error":0,"data":{"softver1":"1_ks3m_miner","rtpow":"5T","runtime":"00:01:02:03"},"message":""}';
  const TO_OVERVIEW = { status: 308, location: '/overview', body: '' };
  test.each([
    ['a realm', { web: challenge }, 'likely'],
    ['a realm and its server', { web: { ...challenge, ...LIGHTTPD } }, 'sure'],
    ['a realm and another server', { web: { ...challenge, server: 'nginx' } }, 'likely'],
    ['the page of VNish', { web: page('AnthillOS'), familyPage: page(VNISH) }, 'sure'],
    ['another page', { web: page('AnthillOS'), familyPage: page('{"hello":1}') }, 'likely'],
    [
      'its words in a list',
      { web: page('AnthillOS'), familyPage: page('["fw_name","fw_version","system"]') },
      'likely',
    ],
    ['the page that is not there', { web: page('AnthillOS'), familyPage: page(VNISH, 404) }, 'likely'],
    [
      'keys with other values',
      { web: page('AnthillOS'), familyPage: page('{"fw_name":1,"fw_version":1,"system":{}}') },
      'likely',
    ],
    ['a page of an ePIC', { api4028: page('{"Model":"S19","Model Subtype":"x","Coins":["BTC"]}') }, 'sure'],
    ['a page with its words', { api4028: page('{"Model":"S19","Coins":[]}') }, 'likely'],
    ['API 3', { whatsminer3: { code: 0, msg: { network: { mac: 'C0:00:00:00:00:01' } } } }, 'sure'],
    ['another answer on its port', { whatsminer3: { code: 0, msg: {} } }, 'likely'],
    ['the question sent back', { whatsminer3: { cmd: 'get.device.info' } }, 'likely'],
    ['the version of Braiins', { web: BRAIINS, familyPage: page(TRIPLE), guardedPage: page('', 401) }, 'sure'],
    ['a version of anything', { web: BRAIINS, familyPage: page(TRIPLE), guardedPage: page('{}') }, 'likely'],
    [
      'a version behind another title',
      { web: page('<title>Pools</title>Braiins OS'), familyPage: page(TRIPLE), guardedPage: page('', 401) },
      'likely',
    ],
    ['what Iceriver tells everybody', { web: page('用户界面'), familyPage: page(PANEL) }, 'sure'],
    [
      'Iceriver without its mining program',
      { web: page('用户界面'), familyPage: page('{"error":1,"data":{},"message":"Connect miner failed!"}') },
      'sure',
    ],
    [
      'an application that answers as one does',
      { web: page('用户界面'), familyPage: page('{"error":0,"data":{},"message":""}') },
      'likely',
    ],
    [
      'an Apollo that is set up',
      { web: TO_OVERVIEW, familyPage: page('{"data":{"Auth":{"status":{"result":{"status":"done"}}}}}') },
      'sure',
    ],
    [
      'another GraphQL server',
      { web: TO_OVERVIEW, familyPage: page('{"errors":[{"message":"Cannot query field Auth"}]}') },
      'likely',
    ],
  ] as const)('%s', (_, parts, confidence) => expect(confidenceOf(parts)).toBe(confidence));
});
