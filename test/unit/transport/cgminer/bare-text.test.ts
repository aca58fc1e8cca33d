import type { Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../../../src/base/clock.ts';
import { parseBareText } from '../../../../src/transport/cgminer/bare-text.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { peerErrorOf, startDevice, transportTo } from '../loopback-device.ts';

const STATUS = 'STATUS=S,When=5,Code=11,Msg=Summary,Description=cgminer 2.3.4';
const STATUS_ROW = { STATUS: 'S', When: '5', Code: '11', Msg: 'Summary', Description: 'cgminer 2.3.4' };

describe('bare text is the object that JSON would be', () => {
  test.each([
    [
      'a section by its name',
      `${STATUS}|SUMMARY,Elapsed=5,MHS av=1.5|`,
      { SUMMARY: [{ Elapsed: '5', 'MHS av': '1.5' }] },
    ],
    [
      'numbered sections',
      `${STATUS}|POOL=0,URL=a,User=x|POOL=1,URL=b,User=|`,
      {
        POOLS: [
          { POOL: '0', URL: 'a', User: 'x' },
          { POOL: '1', URL: 'b', User: '' },
        ],
      },
    ],
    [
      'one pair of bars for each pool',
      `${STATUS}|POOL=0,URL=a||POOL=1,URL=b|`,
      {
        POOLS: [
          { POOL: '0', URL: 'a' },
          { POOL: '1', URL: 'b' },
        ],
      },
    ],
    [
      'devices of all kinds',
      `${STATUS}|ASC=0,Name=A|PGA=1,Name=B|`,
      {
        DEVS: [
          { ASC: '0', Name: 'A' },
          { PGA: '1', Name: 'B' },
        ],
      },
    ],
    ['escapes', `${STATUS}|POOL=0,URL=a\\=b\\,c\\|d\\\\e|`, { POOLS: [{ POOL: '0', URL: 'a=b,c|d\\e' }] }],
    ['equals signs in a value', `${STATUS}|POOL=0,URL=a?b=c&d=e|`, { POOLS: [{ POOL: '0', URL: 'a?b=c&d=e' }] }],
    [
      'commas that are not escaped',
      `${STATUS}|STATS=0,MM ID0=Ver[1] S[In Work, Hash Board: 3 ] F[--x=1, b] G[a=2, b=3],MM Count=1| `,
      {
        STATS: [{ STATS: '0', 'MM ID0': 'Ver[1] S[In Work, Hash Board: 3 ] F[--x=1, b] G[a=2, b=3]', 'MM Count': '1' }],
      },
    ],
    [
      'a blank behind the end',
      `${STATUS}|VERSION,CGMiner=4.11.1,API=3.7| `,
      { VERSION: [{ CGMiner: '4.11.1', API: '3.7' }] },
    ],
    ['no section at all', STATUS, {}],
  ])('%s', (_name, text, rest) => expect(parseBareText(text)).toEqual({ STATUS: [STATUS_ROW], ...rest }));

  test.each(['', 'STATUS', 'STATUS=ok', 'SUMMARY,Elapsed=5|', '{"STATUS":"S"}', 'status=S,When=1|'])(
    '%j is none',
    (text) => expect(parseBareText(text)).toBeUndefined(),
  );

  test('no name reaches a prototype, and hostile lengths stay linear', () => {
    const value = parseBareText('STATUS=S|__proto__,a=1|constructor=1,b=2|X,__proto__=1,c=3|');
    expect(Object.keys(value ?? {})).toEqual(['STATUS', 'X']);
    expect(value?.X).toEqual([{ c: '3' }]);
    const startMs = performance.now();
    for (const piece of [',', '|', '=', '\\', 'a=,', '|a', '[,']) parseBareText(`STATUS=S|${piece.repeat(300_000)}`);
    expect(performance.now() - startMs).toBeLessThan(5_000);
  });
});

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

type Answer = (socket: Socket, request: string) => void;
const device = (answer: Answer, clock = createVirtualClock()) => deviceAt(clock, answer);

async function deviceAt<C extends Clock>(clock: C, answer: Answer) {
  const made = await startDevice(answer);
  const transport = transportTo({ 4028: made.port }, {}, clock);
  open.push(made, transport);
  return { requests: made.requests, link: transport.link('127.0.0.1'), clock };
}

const summary = { via: 'cgminer', command: 'summary' } as const;
const BARE: Readonly<Record<string, string>> = {
  summary: `${STATUS}|SUMMARY,Elapsed=5|`,
  version: 'STATUS=S,When=5|VERSION,CGMiner=2.3.4,API=1.24|',
};
const JSON_SUMMARY = '{"command":"summary"}\n';
const bareOnly = (socket: Socket, request: string) => socket.end(BARE[request] ?? '');

describe('a device that answers bare text only', () => {
  test('is asked in JSON once, and in bare text from then on', async () => {
    const { link, requests } = await device(bareOnly);
    const answer = { STATUS: [STATUS_ROW], SUMMARY: [{ Elapsed: '5' }] };
    expect(await link.send(summary)).toEqual(answer);
    expect(await link.send(summary)).toEqual(answer);
    expect(JSON.parse(await link.sendRaw({ via: 'cgminer', command: 'version' }))).toMatchObject({
      VERSION: [{ CGMiner: '2.3.4' }],
    });
    expect(requests).toEqual([JSON_SUMMARY, 'summary', 'summary', 'version']);
  });
  test('also where it refuses JSON in its own form', async () => {
    const { link, requests } = await device((socket, request) =>
      socket.end(BARE[request] ?? 'STATUS=E,When=5,Code=14,Msg=Invalid command,Description=cgminer 2.3.4|\0'),
    );
    expect(await link.send(summary)).toMatchObject({ SUMMARY: [{ Elapsed: '5' }] });
    expect((await peerErrorOf(link.send({ via: 'cgminer', command: 'estats' }))).code).toBe('peer.unsupported');
    expect(requests).toEqual([JSON_SUMMARY, 'summary', 'estats']);
  });
  test('is asked in JSON again after an hour', async () => {
    const { link, requests, clock } = await device(bareOnly);
    await link.send(summary);
    await clock.advance(3_600_000);
    await link.send(summary);
    expect(requests).toEqual([JSON_SUMMARY, 'summary', JSON_SUMMARY, 'summary']);
  });
  test('that has become one with JSON is read on', async () => {
    let isNew = false;
    const { link, requests } = await device((socket, request) => {
      if (!isNew) bareOnly(socket, request);
      else socket.end(request.startsWith('{') ? '{"STATUS":[{"STATUS":"S"}],"SUMMARY":[{"Elapsed":1}]}' : '');
    });
    await link.send(summary);
    isNew = true;
    expect(await link.send(summary)).toMatchObject({ SUMMARY: [{ Elapsed: 1 }] });
    expect(await link.send(summary)).toMatchObject({ SUMMARY: [{ Elapsed: 1 }] });
    expect(requests).toEqual([JSON_SUMMARY, 'summary', 'summary', JSON_SUMMARY, JSON_SUMMARY]);
  });
  test('is told in bare text what to do, and told once', async () => {
    const { link, requests } = await device((socket, request) => socket.end(BARE[request] ?? ''));
    await link.send(summary);
    const order = { via: 'cgminer', command: 'ascset', parameter: '0,reboot,0' } as const;
    expect((await peerErrorOf(link.send(order))).code).toBe('peer.reset');
    expect(requests).toEqual([JSON_SUMMARY, 'summary', 'ascset|0,reboot,0']);
  });
});

describe('a device that is silent to JSON and does not close', () => {
  const version = { via: 'cgminer', command: 'version' } as const;
  const mute = (socket: Socket, request: string) => {
    if (BARE[request] !== undefined) socket.end(BARE[request]);
  };
  const inTime = { deadlineMs: 60 };
  const real = () => deviceAt(systemClock, mute);

  test('answers when it is asked in bare text, and is asked so from then on', async () => {
    const { link, requests } = await real();
    expect((await peerErrorOf(link.sendRaw(version, inTime))).code).toBe('peer.timeout');
    expect(JSON.parse(await link.sendRaw({ ...version, isBare: true }, inTime))).toMatchObject({ VERSION: [{}] });
    expect(await link.send(summary, inTime)).toMatchObject({ SUMMARY: [{ Elapsed: '5' }] });
    expect(requests).toEqual(['{"command":"version"}\n', 'version', 'summary']);
  });
  test('is not asked in JSON again while it is read', async () => {
    const clock = createVirtualClock();
    const { link, requests } = await device(mute, clock);
    await link.sendRaw({ ...version, isBare: true });
    for (const _ of [1, 2, 3]) {
      await clock.advance(3_000_000);
      await link.send(summary);
    }
    expect(requests).toEqual(['version', 'summary', 'summary', 'summary']);
  });
});

describe('a device that answers JSON', () => {
  test('is not asked in bare text when it hangs', async () => {
    let isHung = false;
    const { link, requests } = await deviceAt(systemClock, (socket) => {
      if (!isHung) socket.end('{"STATUS":[{"STATUS":"S"}]}');
    });
    await link.send(summary);
    isHung = true;
    expect((await peerErrorOf(link.send(summary, { deadlineMs: 60 }))).code).toBe('peer.timeout');
    const bare = { via: 'cgminer', command: 'version', isBare: true } as const;
    expect(await peerErrorOf(link.sendRaw(bare))).toMatchObject({ code: 'peer.timeout', wasSent: false });
    expect(requests).toEqual([JSON_SUMMARY, JSON_SUMMARY]);
  });

  test('is asked in no other form when a command gets nothing', async () => {
    const { link, requests } = await device((socket, request) =>
      socket.end(request === JSON_SUMMARY ? '{"STATUS":[{"STATUS":"S"}]}' : ''),
    );
    await link.send(summary);
    expect((await peerErrorOf(link.send({ via: 'cgminer', command: 'devs' }))).code).toBe('peer.reset');
    expect(requests).toEqual([JSON_SUMMARY, '{"command":"devs"}\n']);
  });
});

test('a device that answers nothing at all costs one question more, once', async () => {
  const { link, requests } = await device((socket) => socket.end());
  for (const _ of [1, 2, 3]) expect((await peerErrorOf(link.send(summary))).code).toBe('peer.reset');
  expect(requests).toEqual([JSON_SUMMARY, 'summary', JSON_SUMMARY, JSON_SUMMARY]);
});

test('what may change the device is sent in one form only', async () => {
  const { link, requests } = await device((socket) => socket.end());
  expect((await peerErrorOf(link.send({ via: 'cgminer', command: 'restart' }))).code).toBe('peer.reset');
  expect(requests).toEqual(['{"command":"restart"}\n']);
});
