import { afterEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../../../src/base/clock.ts';
import { type LogFields, silentLog } from '../../../../src/base/log.ts';
import { createTransport, type Transport } from '../../../../src/transport/transport.ts';
import { createVirtualClock, type VirtualClock } from '../../../support/virtual-clock.ts';
import { closedPort, type Device, pause, peerErrorOf, startDevice, transportTo } from '../loopback-device.ts';

const ANSWER =
  '{"STATUS":[{"STATUS":"S","Code":22,"Msg":"CGMiner versions"}],"VERSION":[{"Type":"Größe 測試"}],"id":1}';
const VALUE: unknown = JSON.parse(ANSWER);

const open: (Transport | Device)[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function device(answer: Parameters<typeof startDevice>[0], clock?: VirtualClock) {
  const started = await startDevice(answer);
  const transport = transportTo({ 4028: started.port }, {}, clock);
  open.push(transport, started);
  return { started, transport, link: transport.link('127.0.0.1') };
}
const ask = { via: 'cgminer', command: 'version' } as const;

describe('the answer is complete', () => {
  test('at the NUL, although the device keeps the socket open', async () => {
    const { link } = await device((socket) => socket.write(`${ANSWER}\0`));
    expect(await link.send(ask)).toEqual(VALUE);
  });
  test('at the balanced brace, although neither NUL nor end comes', async () => {
    const { link } = await device((socket) => socket.write(ANSWER));
    expect(await link.send(ask)).toEqual(VALUE);
  });
  test('at the balanced brace and a newline', async () => {
    const { link } = await device((socket) => socket.write(`${ANSWER}\n`));
    expect(await link.send(ask)).toEqual(VALUE);
  });
  test('at the end of the socket', async () => {
    // The missing brace in front keeps the balance open: only the end can tell.
    const { link } = await device((socket) => socket.end(',"a":{"b":1}}   '));
    expect(await link.send(ask)).toEqual({ a: { b: 1 } });
  });
  test('at the balanced brace of an answer that needs repair', async () => {
    const { link } = await device((socket) => socket.write('{"S":[{"a":nan}{"b":""temp0":5}],"u":"a}\\"b"}'));
    expect(await link.send(ask)).toEqual({ S: [{ a: null }, { b: '', temp0: 5 }], u: 'a}"b' });
  });
  test('when it comes in one-byte segments that cut characters', async () => {
    const { link } = await device(async (socket) => {
      socket.setNoDelay(true);
      for (const byte of Buffer.from(ANSWER)) {
        socket.write(Buffer.from([byte]));
        await pause(0);
      }
    });
    expect(await link.send(ask)).toEqual(VALUE);
  });
  test('when a character is cut across two segments', async () => {
    const { link } = await device(async (socket) => {
      const bytes = Buffer.from(`${ANSWER}\0`);
      const middle = bytes.indexOf(Buffer.from('測')) + 1;
      socket.write(bytes.subarray(0, middle));
      await pause(20);
      socket.write(bytes.subarray(middle));
    });
    expect(await link.send(ask)).toEqual(VALUE);
  });
  test('when a brace at the end of a segment is not the last one', async () => {
    const { link } = await device(async (socket) => {
      socket.write('{"a":{"b":1}');
      await pause(20);
      socket.write(',"c":"}');
      await pause(20);
      socket.write('"}');
    });
    expect(await link.send(ask)).toEqual({ a: { b: 1 }, c: '}' });
  });
});

describe('the request', () => {
  test('is one line of JSON that ends in a newline', async () => {
    const { link, started } = await device((socket) => socket.end(ANSWER));
    await link.send({ via: 'cgminer', command: 'ascset', parameter: '0,led,1', newApi: true });
    expect(started.requests).toEqual(['{"command":"ascset","parameter":"0,led,1","new_api":true}\n']);
  });
});

describe('failures', () => {
  test('a slow drip is ended by the total deadline', async () => {
    let dripped = 0;
    let isLeft = false;
    const clock = createVirtualClock();
    const { link } = await device(async (socket) => {
      socket.on('close', () => {
        isLeft = true;
      });
      socket.write('{"a":"');
      while (!socket.destroyed) {
        socket.write('x');
        dripped++;
        await pause(5);
      }
    }, clock);
    const error = peerErrorOf(link.send(ask, { deadlineMs: 300 }));
    await expect.poll(() => dripped).toBeGreaterThan(5);
    await clock.advance(400);
    expect(await error).toMatchObject({ code: 'peer.timeout', retry: 'soon', wasSent: true });
    // It got our FIN and goes on: it is dropped.
    await clock.advance(1_100);
    await expect.poll(() => isLeft).toBe(true);
  });
  test('a device that never answers is a timeout with the request sent', async () => {
    const clock = createVirtualClock();
    const { link, started } = await device(() => {}, clock);
    const error = peerErrorOf(link.send(ask, { deadlineMs: 100 }));
    await expect.poll(() => started.requests).toHaveLength(1);
    await clock.advance(200);
    expect(await error).toMatchObject({ code: 'peer.timeout', wasSent: true });
  });
  test('a flood is cut off at the cap', async () => {
    const { link } = await device((socket) => {
      const block = Buffer.alloc(64 * 1024, 'a');
      const pump = () => {
        while (!socket.destroyed && socket.write(block));
      };
      socket.on('drain', pump);
      pump();
    });
    expect(await peerErrorOf(link.send(ask))).toMatchObject({ code: 'peer.too-large' });
  });
  test('the cap can be raised', async () => {
    const value = { a: 'x'.repeat(600_000) };
    const { link } = await device((socket) => socket.end(JSON.stringify(value)));
    expect(await peerErrorOf(link.send(ask))).toMatchObject({ code: 'peer.too-large' });
    expect(await link.send(ask, { maxBytes: 1024 * 1024 })).toEqual(value);
  });
  test('a reset in the middle is retryable', async () => {
    const { link } = await device((socket) => {
      socket.write(ANSWER.slice(0, 40));
      setTimeout(() => socket.resetAndDestroy(), 30);
    });
    expect(await peerErrorOf(link.send(ask))).toMatchObject({ code: 'peer.reset', retry: 'soon', wasSent: true });
  });
  test('an end in the middle is retryable, and the half answer is not given out', async () => {
    const { link } = await device((socket) => socket.end('{"STATUS":[{"STATUS":"S"}],"DEVS":[{"ASC":0},{"ASC":1'));
    expect(await peerErrorOf(link.send(ask))).toMatchObject({ code: 'peer.reset', retry: 'soon', wasSent: true });
  });
  test('an end without a byte is a reset', async () => {
    const { link } = await device((socket) => socket.end());
    expect(await peerErrorOf(link.send(ask))).toMatchObject({ code: 'peer.reset', wasSent: true });
    expect(await peerErrorOf(link.sendRaw(ask))).toMatchObject({ code: 'peer.reset' });
  });
  test('a closed port is refused and nothing was sent', async () => {
    const transport = transportTo({ 4028: await closedPort() });
    open.push(transport);
    const error = await peerErrorOf(transport.link('127.0.0.1').send(ask));
    expect(error).toMatchObject({ code: 'peer.refused', wasSent: false });
  });
  test.each(['<html>no</html>', 'hello', '[1,2]', '42', '{"a":1}{"b":2}', '\u0007\u001b[2J'])(
    '%j is unparsable',
    async (text) => {
      const { link } = await device((socket) => socket.end(text));
      expect(await peerErrorOf(link.send(ask))).toMatchObject({ code: 'peer.unparsable' });
    },
  );
});

describe('refusals by the device', () => {
  const envelope = (letter: string, code: number, message: string) =>
    JSON.stringify({
      STATUS: [{ STATUS: letter, When: 1, Code: code, Msg: message, Description: 'cgminer 4.11.1' }],
      id: 1,
    });
  test.each<[string, string, string]>([
    [envelope('E', 45, "Access denied to 'restart' command"), 'peer.permission', 'Access denied'],
    [envelope('E', 14, 'Invalid command'), 'peer.unsupported', 'Invalid command'],
    [envelope('E', 10, 'No ASCs'), 'peer.rejected', 'No ASCs'],
    [envelope('F', 99, 'it broke'), 'peer.rejected', 'it broke'],
    ['{"STATUS":"E","When":1,"Code":136,"Msg":"too many tokens","Description":""}', 'peer.busy', 'too many tokens'],
    ['{"STATUS":"E","When":1,"Code":132,"Msg":"over max connect","Description":""}', 'peer.busy', 'over max connect'],
    [
      '{"STATUS":"E","When":1,"Code":"45","Msg":"permission denied","Description":""}',
      'peer.permission',
      'permission denied',
    ],
    ['Socket connect failed: Connection refused\n', 'peer.rejected', 'Socket connect failed: Connection refused'],
    ['over max connect', 'peer.busy', 'over max connect'],
  ])('%s', async (answer, code, words) => {
    const { link } = await device((socket) => socket.end(`${answer}\0`));
    const error = await peerErrorOf(link.send(ask));
    expect(error.code).toBe(code);
    expect(error.message).toContain(words);
    expect(error.wasSent).toBeUndefined();
  });
  test.each(['S', 'I', 'W'])('%s is an answer', async (letter) => {
    const { link } = await device((socket) => socket.end(envelope(letter, 9, 'fine')));
    expect(await link.send(ask)).toHaveProperty('STATUS');
  });
  test('a joined answer passes although one member was refused', async () => {
    const joined =
      '{"summary":[{"STATUS":[{"STATUS":"S"}]}],"devs":[{"STATUS":[{"STATUS":"E","Msg":"No ASCs"}]}],"id":1}';
    const { link } = await device((socket) => socket.end(joined));
    expect(await link.send({ via: 'cgminer', command: 'summary+devs' })).toHaveProperty('summary');
  });
  test("the device's words are bounded and on one line", async () => {
    const { link } = await device((socket) =>
      socket.end(envelope('E', 1, `\u001b[31mbad\nthing ${'x'.repeat(5_000)}`)),
    );
    const { message } = await peerErrorOf(link.send(ask));
    expect(message.length).toBeLessThan(400);
    expect(message).toMatch(/^[\P{Cc}]+$/u);
  });
});

describe('raw answers', () => {
  test('are the text as it came, up to the NUL', async () => {
    const { link } = await device((socket) => socket.end('{"a":nan,}\0rest'));
    expect(await link.sendRaw(ask)).toBe('{"a":nan,}');
  });
  test('may be plain text', async () => {
    const { link } = await device((socket) => socket.end('Socket connect failed: Connection refused\n'));
    expect(await link.sendRaw(ask)).toBe('Socket connect failed: Connection refused');
  });
});

test('the log says what was repaired, and shows the answer as it came', async () => {
  const started = await startDevice((socket) => socket.end('{"a":nan,}\0'));
  const logged: LogFields[] = [];
  const log = { ...silentLog, debug: (fields: LogFields) => void logged.push(fields) };
  const transport = createTransport({ clock: systemClock, log, portMap: new Map([[4028, started.port]]) });
  open.push(transport, started);
  await transport.link('127.0.0.1').send(ask);
  expect(logged).toEqual([{ ip: '127.0.0.1', repairs: ['stray-commas', 'non-finite'], text: '{"a":nan,}' }]);
});
