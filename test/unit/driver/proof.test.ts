// A proof of a family is what only it says, where it says it; everything else is a hint, whoever shows it.
import { describe, expect, test } from 'vitest';
import { drivers } from '../../../drivers/index.ts';
import type { Evidence } from '../../../src/driver/contract.ts';
import { WEB_RULES } from '../../../src/driver/families.data.ts';
import { chooseDriver, evidenceOf } from '../../../src/driver/identify.ts';
import { speaksCgminer } from '../../../src/driver/proof.ts';
import { parseBareText } from '../../../src/transport/cgminer/bare-text.ts';

/** As the transport gives it to the driver. */
const asJson = (text: string) => JSON.stringify(parseBareText(text));

const confidenceOf = (parts: Omit<Evidence, 'family' | 'isProven'>) =>
  chooseDriver(drivers, evidenceOf(parts))?.identity.confidence;
const LIGHTTPD = { server: 'lighttpd/1.4.32' };

test.each(WEB_RULES.map((rule) => [JSON.stringify(rule), rule] as const))('%s is a hint', (_, rule) => {
  const web = {
    status: rule.status ?? 200,
    body: rule.body ?? '',
    ...(rule.realm !== undefined && { authenticate: `Digest realm="${rule.realm}", nonce="n", qop="auth"` }),
    ...(rule.location !== undefined && { location: rule.location }),
  };
  expect(['likely', undefined]).toContain(confidenceOf({ web }));
});

describe('TCP', () => {
  test.each([
    ['{"STATUS":[{"STATUS":"S"}],"VERSION":[{"BOSer":"boser 0.1"}]}', 'sure'],
    ['{"STATUS":[{"STATUS":"S"}],"VERSION":[{"Type":"Antminer S19"}]}', 'sure'],
    [
      asJson(
        'STATUS=S,When=1,Code=22,Msg=CGMiner versions,Description=x|VERSION,CGMiner=4.9,Type=Antminer S9,API=3.7|',
      ),
      'sure',
    ],
    ['{"STATUS":"E","When":1,"Code":14,"Msg":"invalid cmd","Description":"whatsminer v1.4.0"}', 'sure'],
    // The words are there, in no place where a device names itself.
    ['{"echo":"LUXMINER BOSER VNISH"}', 'likely'],
    ['HTTP is not spoken here, Whatsminer', 'likely'],
    ['{"STATUS":[{"STATUS":"S"}],"x":[{"Type":"Hiveon"}]}', 'likely'],
  ])('%s: %s', (version, confidence) => expect(confidenceOf({ version })).toBe(confidence));

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
  test.each([
    ['a realm', { web: challenge }, 'likely'],
    ['a realm and its server', { web: { ...challenge, ...LIGHTTPD } }, 'sure'],
    ['a realm and another server', { web: { ...challenge, server: 'nginx' } }, 'likely'],
    [
      'the page of VNish',
      { web: page('AnthillOS'), familyPage: page('{"fw_name":"Vnish","fw_version":"1","system":{}}') },
      'sure',
    ],
    ['another page', { web: page('AnthillOS'), familyPage: page('{"hello":1}') }, 'likely'],
    [
      'its words in a list',
      { web: page('AnthillOS'), familyPage: page('["fw_name","fw_version","system"]') },
      'likely',
    ],
    [
      'the page that is not there',
      { web: page('AnthillOS'), familyPage: page('{"fw_name":"Vnish","fw_version":"1","system":{}}', 404) },
      'likely',
    ],
    ['a page of an ePIC', { api4028: page('{"Model":"S19","Coins":[]}') }, 'sure'],
    ['a page of a Bitaxe', { systemInfo: page('{"ASICModel":"BM1366"}') }, 'sure'],
    ['API 3', { whatsminer3: { code: 0, msg: {} } }, 'sure'],
  ] as const)('%s', (_, parts, confidence) => expect(confidenceOf(parts)).toBe(confidence));
});
