// A request in text gets text, as cgminer has answered since before it knew JSON: from every simulated device that
// speaks its API.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asText } from '../../../drivers/_farm/servers/cgminer-text.ts';
import type { Device, Farm } from '../../../fixtures/farm/farm.ts';
import { ask, askText, testFarm } from './clients.ts';

describe('text', () => {
  test('rows with a counter open with it, the others with the name of the section', () => {
    const status = [{ STATUS: 'S', When: 5, Code: 7, Msg: '2 Pool(s)', Description: 'cgminer 4.11.1' }];
    const head = 'STATUS=S,When=5,Code=7,Msg=2 Pool(s),Description=cgminer 4.11.1|';
    expect(
      asText({
        STATUS: status,
        POOLS: [
          { POOL: 0, URL: 'a' },
          { POOL: 1, URL: 'b' },
        ],
        id: 1,
      }),
    ).toBe(`${head}POOL=0,URL=a|POOL=1,URL=b|`);
    expect(asText({ STATUS: status, VERSION: [{ CGMiner: '4.11.1', API: '3.7' }], id: 1 })).toBe(
      `${head}VERSION,CGMiner=4.11.1,API=3.7|`,
    );
  });
  test('what separates is escaped within a value; an envelope without rows is one section', () => {
    expect(asText({ SUMMARY: [{ Name: 'a,b=c|d' }] })).toBe('SUMMARY,Name=a\\,b\\=c\\|d|');
    expect(asText({ STATUS: 'E', Code: 14, Msg: 'invalid command' })).toBe('STATUS=E,Code=14,Msg=invalid command|');
  });
});

describe('devices', () => {
  let farm: Farm;
  beforeAll(async () => {
    farm = await testFarm({
      miners: 5,
      mix: 'antminer-a,avalon-a,cgminer,luxos,whatsminer-2',
    });
  });
  afterAll(() => farm.stop());
  const of = (family: string): Device => {
    const found = farm.devices.find((device) => device.family === family);
    if (!found) throw new Error(`no ${family}`);
    return found;
  };

  test('every one answers text in text, and JSON in JSON', async () => {
    for (const { ip, family } of farm.devices) {
      const text = await askText(ip, 'summary');
      expect(text, family).toMatch(/^STATUS=S,When=\d+,Code=\d+,.*\|SUMMARY,.*\|$/s);
      expect((await ask(ip, 'summary')).at('STATUS', 0), family).toMatchObject({ STATUS: 'S' });
    }
  });
  test('pools, summary and stats are the same values', async () => {
    const { ip } = of('avalon-a');
    expect(await askText(ip, 'pools')).toContain(`|POOL=0,URL=${farm.device(ip)?.truth().pools[0]?.url}`);
    expect(await askText(ip, 'summary')).toMatch(/\|SUMMARY,Elapsed=\d+,MHS av=/);
    expect(await askText(ip, 'stats')).toMatch(/\|STATS=0,ID=AVA100,/);
    expect(await askText(of('antminer-a').ip, 'stats')).toMatch(/\|(BMMiner|CGMiner)=/);
  });
  test('commands with a parameter, joined ones and unknown ones', async () => {
    const { ip } = of('avalon-a');
    expect(await askText(ip, 'ascset|0,led,1-1')).toMatch(/^STATUS=S,When=\d+,Code=119,/);
    expect((await ask(ip, 'estats')).text('STATS', 0, 'MM ID0')).toContain('Led[1]');
    expect(await askText(ip, 'version+summary')).toMatch(/^CMD=version\|STATUS=S.*\|CMD=summary\|STATUS=S/s);
    expect(await askText(ip, 'nonsense')).toMatch(/^STATUS=E,When=\d+,Code=14,Msg=Invalid command,/);
  });
});
