import { describe, expect, test } from 'vitest';
import { families } from '../../../drivers/index.ts';
import type { Driver, Evidence, Identity } from '../../../src/driver/contract.ts';
import { gatherEvidence, matchDriver } from '../../../src/driver/identify.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { fakeLink, takes } from './fake-link.ts';

const antminer = JSON.stringify({
  STATUS: [{ STATUS: 'S' }],
  VERSION: [{ API: '3.1', Type: 'Antminer S19 Pro', CompileTime: 'Tue Dec  6 16:12:30 CST 2022' }],
});
const luxos = '{"STATUS":[{"STATUS":"S"}],"VERSION":[{"API":"3.7","LUXminer":"2025.4.8","Type":"Antminer S19k Pro"}]}';
const vnish = '{"VERSION":[{"Type":"Antminer S19j Pro (Vnish 1.2.6)"}]}';
const stockPage = {
  status: 401,
  authenticate: 'Digest realm="antMiner Configuration", nonce="a", qop="auth"',
  body: '',
};

const gather = async (script: Record<string, unknown>, ports: readonly number[], deadlineMs = 6_000) => {
  const clock = createVirtualClock();
  const link = fakeLink(clock, script);
  const result = await clock.finish(gatherEvidence(link, new Set(ports), { families, clock, deadlineMs }));
  return { ...result, link, clock };
};

describe('the questions', () => {
  test('only open ports are asked', async () => {
    const { link, evidence } = await gather({ version: antminer, '/': stockPage }, [4028]);
    expect(link.asked).toEqual(['version']);
    expect(evidence.family).toBe('antminer-stock');
    expect((await gather({ '/': stockPage }, [80])).evidence.family).toBe('antminer-stock');
  });

  test('what is expected there is believed at the first server that shows it, stock words at all of them', async () => {
    const ask = async (expected: string, script: Record<string, unknown>) => {
      const clock = createVirtualClock();
      const link = fakeLink(clock, script);
      const { evidence } = await clock.finish(
        gatherEvidence(link, new Set([80, 4028, 4433]), { families, clock, expected }),
      );
      return { asked: link.asked, family: evidence.family };
    };
    const script = { version: luxos, '/': 'Luxor Firmware' };
    expect(await ask('luxos', script)).toEqual({ asked: ['version'], family: 'luxos' });
    expect((await ask('vnish', script)).asked).toEqual(['version', '/', 'get.device.info']);
    const stock = await ask('antminer-stock', { version: antminer, '/': 'AnthillOS' });
    // A word on its page names another family, which is asked for the page that it alone has.
    expect(stock).toEqual({ asked: ['version', '/', 'get.device.info', '/api/v1/info'], family: 'vnish' });
  });

  test('devdetails is asked only when version does not decide', async () => {
    const undecided = await gather(
      { version: '{"STATUS":[{"STATUS":"E"}]}', devdetails: '{"Driver":"bitmicro"}' },
      [4028],
    );
    expect(undecided.link.asked).toEqual(['version', 'devdetails']);
    expect(undecided.evidence.family).toBe('whatsminer');
    expect((await gather({ version: luxos }, [4028])).link.asked).toEqual(['version']);
  });

  test('a stock answer waits for a slower non-stock one', async () => {
    const { evidence } = await gather({ version: takes(2_000, vnish), '/': stockPage }, [80, 4028]);
    expect(evidence.family).toBe('vnish');
  });

  test('a web page on the CGMiner port is no version', async () => {
    const page = 'HTTP/1.1 400 Bad Request\r\n\r\nAntminer';
    const { evidence, link } = await gather({ version: page, '/': 'Miner Web Dashboard' }, [80, 4028]);
    expect(evidence).not.toHaveProperty('version');
    expect(link.asked).not.toContain('devdetails');
    expect(evidence.family).toBe('epic-umcos');
  });

  test('API 3 is asked on its own port, and never more than one question runs at once', async () => {
    const { evidence, link } = await gather(
      {
        version: takes(100, antminer),
        '/': takes(100, stockPage),
        'get.device.info': takes(100, { code: 0, msg: {} }),
      },
      [80, 4028, 4433],
    );
    expect(evidence.family).toBe('whatsminer');
    expect(link.maxAtOnce).toBe(1);
  });

  test('failures are told and a silent server does not hide the other', async () => {
    const { evidence, failures } = await gather({ version: takes(99_000, ''), '/': stockPage }, [80, 4028], 3_000);
    expect(evidence.family).toBe('antminer-stock');
    expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(['peer.timeout']));
  });

  test('a server that says nothing is given up early, unless the others only say stock', async () => {
    const mute = takes(99_000, '');
    const elapsed = async (script: Record<string, unknown>, ports: readonly number[], isLastTry = false) => {
      const clock = createVirtualClock();
      const startMs = clock.monotonicMs();
      await clock.finish(gatherEvidence(fakeLink(clock, script), new Set(ports), { families, clock, isLastTry }));
      return clock.monotonicMs() - startMs;
    };
    expect(await elapsed({ version: mute }, [4028])).toBeLessThan(2_000);
    expect(await elapsed({ version: mute, 'bare version': mute }, [4028])).toBeLessThan(3_500);
    expect(await elapsed({ version: mute, '/': 'Luxor Firmware' }, [80, 4028])).toBeLessThan(2_000);
    expect(await elapsed({ version: mute, '/': stockPage }, [80, 4028])).toBeGreaterThan(5_000);
    expect(await elapsed({ version: mute }, [4028], true)).toBeGreaterThanOrEqual(5_000);
  });

  test('what is silent to JSON is asked once in bare text, where nothing else proves what it is', async () => {
    const mute = { version: takes(99_000, ''), 'bare version': antminer };
    const { link, evidence } = await gather({ ...mute, '/': 'hello' }, [80, 4028]);
    expect([link.asked, evidence.version]).toEqual([['version', '/', 'bare version'], antminer]);
    const refused = await gather({ 'bare version': antminer }, [4028]);
    expect(refused.link.asked).toEqual(['version']);
    const stock = await gather({ ...mute, '/': { ...stockPage, server: 'lighttpd/1.4.32' } }, [80, 4028]);
    expect(stock.link.asked).not.toContain('bare version');
  });

  test('a slow server beside stock words is asked again and heard', async () => {
    const { evidence } = await gather({ version: takes(3_000, vnish), '/': stockPage }, [80, 4028]);
    expect(evidence.family).toBe('vnish');
  });

  test('on the last try one mute server does not take the time of the others', async () => {
    const clock = createVirtualClock();
    const link = fakeLink(clock, { version: takes(99_000, ''), '/': takes(2_000, 'Luxor Firmware') });
    const gathered = gatherEvidence(link, new Set([80, 4028]), { families, clock, isLastTry: true });
    expect((await clock.finish(gathered)).evidence.family).toBe('luxos');
  });

  test('on the last try a device that takes its time is still known', async () => {
    const clock = createVirtualClock();
    const slow = fakeLink(clock, { version: takes(4_000, '{"VERSION":[{"LUXminer":"2025.1"}]}') });
    const gathered = gatherEvidence(slow, new Set([4028]), { families, clock, isLastTry: true });
    expect((await clock.finish(gathered)).evidence.family).toBe('luxos');
  });

  test('a start page that names nobody is asked for the API of a Bitaxe; one that does is not', async () => {
    const packed = await gather({ '/': '<html></html>', '/api/system/info': '{"ASICModel":"BM1368"}' }, [80]);
    expect(packed.evidence.systemInfo?.body).toContain('BM1368');
    expect(packed.link.asked).toEqual(['/', '/api/system/info']);
    expect((await gather({ '/': 'Luxor Firmware' }, [80])).link.asked).toEqual(['/']);
    expect((await gather({ '/': { status: 404, body: '' } }, [80])).link.asked).toEqual(['/']);
  });

  describe('a page that sends to https', () => {
    const toTls = { status: 307, location: 'https://10.9.8.7/', body: '' };
    const overTls = { ...stockPage, server: 'lighttpd/1.4', tlsKey: 'ab12' };
    test('is asked for there, and its key is kept', async () => {
      const { link, evidence } = await gather({ version: antminer, '/': toTls, 'https:/': overTls }, [80, 4028]);
      expect(link.asked).toEqual(['version', '/', 'https:/']);
      expect(evidence).toMatchObject({ family: 'antminer-stock', isProven: true, web: { tlsKey: 'ab12' } });
    });
    test('and so are the other pages', async () => {
      const page = { status: 200, body: 'AnthillOS', tlsKey: 'ab12' };
      const { link, evidence } = await gather({ '/': toTls, 'https:/': page, 'https:/api/v1/info': '{}' }, [80]);
      expect(link.asked).toEqual(['/', 'https:/', 'https:/api/v1/info']);
      expect(evidence).toMatchObject({ family: 'vnish', isProven: false });
    });
    test('is what there is where nothing answers there', async () => {
      const { evidence } = await gather({ version: vnish, '/': toTls }, [80, 4028]);
      expect(evidence).toMatchObject({ family: 'vnish', web: toTls });
      expect(evidence.web).not.toHaveProperty('tlsKey');
    });
    test('is all of a Whatsminer, which is not read there', async () => {
      const version = '{"STATUS":"S","Description":"whatsminer v1.4.0"}';
      const { link } = await gather({ version, '/': toTls, 'https:/': overTls }, [80, 4028]);
      expect(link.asked).not.toContain('https:/');
    });
  });

  test('VolcMiner is asked at its own port: where that is the only one, and where the login may be a Hammer’s', async () => {
    const version = '{"VERSION":[{"Type":"VolcMiner D1"}]}';
    const black = { ...stockPage, authenticate: 'Digest realm="blackMiner Configuration"' };
    expect((await gather({ version }, [8359])).evidence.family).toBe('volcminer');
    expect((await gather({ version, '/': black }, [80])).evidence.family).toBe('volcminer');
    expect((await gather({ '/': black }, [80])).evidence.family).toBe('black-miner');
    expect((await gather({ '/': stockPage }, [80])).link.asked).toEqual(['/']);
  });

  test('the deadline bounds all questions together', async () => {
    const clock = createVirtualClock();
    const silent = takes(99_000, '');
    const link = fakeLink(clock, { version: silent, '/': silent, 'get.device.info': silent });
    const startMs = clock.monotonicMs();
    await clock.finish(gatherEvidence(link, new Set([80, 4028, 4433]), { families, clock, deadlineMs: 4_000 }));
    expect(clock.monotonicMs() - startMs).toBeLessThanOrEqual(4_001);
  });
});

describe('the family', () => {
  test.each([
    ['Antminer S19 with MARAFW', 'mara'],
    ['Antminer S9 hiveon', 'hiveon'],
    ['Bitmain Antminer S9 BOSer', 'braiins-os'],
    ['{"CGMiner":"4.11.1"}', undefined],
  ])('%s is %s', (version, family) => expect(families.familyOf({ version })).toBe(family));

  test('Antminer in devdetails proves nothing', () =>
    expect(families.familyOf({ devdetails: 'Antminer S19' })).toBeUndefined());

  test('MARA is told from stock by its own words, never by trying its login', () => {
    const web = { ...stockPage, authenticate: `${stockPage.authenticate}, algorithm=MD5` };
    expect(families.familyOf({ version: 'kaonsu Antminer', web })).toBe('mara');
    expect(families.familyOf({ version: antminer, web })).toBe('antminer-stock');
  });

  test('every web rule fits a page made from it, and its family or an earlier rule is found', () => {
    const rules = families.all.flatMap(({ id, startPages = [] }) =>
      startPages.map((page) => ({ ...page, family: id })),
    );
    for (const [index, rule] of rules.entries()) {
      const web = {
        status: rule.status ?? 200,
        body: `<html>${rule.body ?? ''}</html>`,
        ...(rule.realm && { authenticate: `Digest realm="${rule.realm} Configuration"` }),
        ...(rule.location && { location: `${rule.location}10.0.0.1/` }),
      };
      const found = families.familyOf({ web });
      const earlier = rules.slice(0, index + 1).map(({ family }) => family);
      expect(earlier).toContain(found);
    }
  });
});

describe('the driver', () => {
  const named = (id: string, identity: Identity | undefined): Driver => ({
    id,
    make: id,
    covers: [],
    asks: {},
    abilities: {},
    login: { kind: 'none' },
    quirks: {},
    identify: () => identity,
    read: () => ({ reading: {}, unparsable: [] }),
  });
  const evidence: Evidence = { family: undefined };
  const generic = named('generic', { confidence: 'generic' });
  const sure = named('sure', { confidence: 'sure' });

  test('one that is sure beats a generic one, wherever it stands', () => {
    expect(matchDriver([generic, sure], evidence)?.driver.id).toBe('sure');
    expect(matchDriver([named('no', undefined), generic], evidence)?.driver.id).toBe('generic');
    expect(matchDriver([named('no', undefined)], evidence)).toBeUndefined();
  });
});
