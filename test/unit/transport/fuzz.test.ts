import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PeerError } from '../../../src/base/errors.ts';
import { Secret } from '../../../src/base/secrets.ts';
import { repairJson } from '../../../src/transport/cgminer/json-fixer.ts';
import type { MinerRequest } from '../../../src/transport/request.ts';
import type { Transport } from '../../../src/transport/transport.ts';
import { encodeFrame } from '../../../src/transport/whatsminer/api3-frames.ts';
import { type Device, startDevice, transportTo } from './loopback-device.ts';

const SEEDS = [
  '{"STATUS":[{"STATUS":"S","When":1773930539,"Code":70,"Msg":"CGMiner stats"}],"STATS":[{"CGMiner":"2.3.3"}{"STATUS":0,"fan1":5610}],"id":1}\0',
  '{"STATUS":"S","When":1,"Code":134,"Msg":{"time":"5001","salt":"BQ5hoXV9","newsalt":"jbzkfQls"},"Description":""}\0',
  '{"STATUS":"E","When":1,"Code":136,"Msg":"over max connect","Description":""}',
  '{"enc":"q83vq83vq83vq83vq83vqw=="}',
  '{"code":0,"when":1773869570,"msg":{"salt":"Zk3vP9xQ","summary":{"elapsed":50000}},"desc":"get.device.info"}',
  'HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Digest realm="antMiner Configuration", qop="auth", nonce="abc"\r\ncontent-length: 2\r\n\r\nno',
  'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\ncontent-encoding: gzip\r\n\r\n5\r\nhello\r\n0\r\n\r\n',
  'Socket connect failed: Connection refused\n',
];

const REQUESTS: readonly MinerRequest[] = [
  { via: 'cgminer', command: 'stats' },
  { via: 'whatsminer3', cmd: 'get.device.info' },
  { via: 'http', method: 'GET', path: '/', auth: 'digest', as: 'json' },
  { via: 'whatsminer2-write', cmd: 'reboot', params: {} },
  { via: 'whatsminer3-write', cmd: 'set.system.reboot' },
];

/**
 * A seed with a few bytes changed, cut, doubled or put in from elsewhere; sometimes as a right frame, so that it comes
 * further.
 */
const answers = fc
  .record({
    seed: fc.constantFrom(...SEEDS),
    edits: fc.array(
      fc.record({
        at: fc.double({ min: 0, max: 1, noNaN: true }),
        cut: fc.nat({ max: 12 }),
        put: fc.oneof(
          fc.uint8Array({ maxLength: 8 }).map((bytes) => Buffer.from(bytes)),
          fc
            .constantFrom('}{', ',', '"', '\\', 'nan', '""a', '[', '{', '\0', '1e999', '__proto__', '\r\n')
            .map((text) => Buffer.from(text)),
        ),
      }),
      { maxLength: 4 },
    ),
    isFramed: fc.boolean(),
    end: fc.constantFrom('end', 'reset'),
  })
  .map(({ seed, edits, isFramed, end }) => {
    let bytes = Buffer.from(seed);
    for (const { at, cut, put } of edits) {
      const from = Math.floor(at * bytes.length);
      bytes = Buffer.concat([bytes.subarray(0, from), put, bytes.subarray(from + cut)]);
    }
    if (!isFramed) return { bytes, end };
    const frame = encodeFrame(0);
    frame.writeUInt32LE(bytes.length);
    return { bytes: Buffer.concat([frame.subarray(0, 4), bytes]), end };
  });

describe('over real sockets', () => {
  let device: Device;
  let transport: Transport;
  const script = { bytes: Buffer.alloc(0), end: 'end' };

  beforeAll(async () => {
    device = await startDevice((socket) => {
      socket.write(script.bytes);
      if (script.end === 'reset') setImmediate(() => socket.resetAndDestroy());
      else socket.end();
    });
    transport = transportTo({ 4028: device.port, 4433: device.port, 80: device.port });
  });
  afterAll(async () => {
    await transport.close();
    await device.close();
  });

  test('1,000 damaged answers give a value or a PeerError, never anything else', { timeout: 60_000 }, async () => {
    const link = transport.link('127.0.0.1', { user: 'root', password: new Secret('secret-word') });
    const outcomes = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(answers, fc.constantFrom(...REQUESTS), async ({ bytes, end }, request) => {
        script.bytes = bytes;
        script.end = end;
        try {
          await link.send(request, { deadlineMs: 2_000 });
          outcomes.set('value', (outcomes.get('value') ?? 0) + 1);
        } catch (error) {
          if (!(error instanceof PeerError)) throw error;
          expect(error.message).not.toContain('secret-word');
          expect(error.message.length).toBeLessThan(600);
          outcomes.set(error.code, (outcomes.get(error.code) ?? 0) + 1);
        }
      }),
      { numRuns: 1_000, seed: 20_260_701 },
    );
    // A run that only ever ends in one way would prove nothing.
    expect(outcomes.size).toBeGreaterThanOrEqual(4);
    expect(transport.stats()).toMatchObject({
      connections: { exchange: { inFlight: 0, waiting: 0 } },
      http: { inFlight: 0 },
    });
  });
});

test('the repair of 3,000 arbitrary texts never throws and gives only values that can be written again', () => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"',
    '"a"',
    '""b',
    '\\',
    '1',
    '-1.5e3',
    'nan',
    'true',
    ' ',
    '\n',
    '\u0001',
    'é',
    '1e999',
    '\0',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 60 }), (parts) => {
      const repaired = repairJson(Buffer.from(parts.join('')));
      if (repaired) expect(JSON.parse(JSON.stringify(repaired.value))).toEqual(repaired.value);
    }),
    { numRuns: 3_000, seed: 7 },
  );
});

test('a value that is valid JSON is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      const text = JSON.stringify(value);
      if (/nan|inf|__proto__/i.test(text)) return;
      // Text is trimmed, and a NUL ends it: neither can stand in JSON unescaped.
      expect(repairJson(Buffer.from(text))).toEqual({ value: JSON.parse(text), repairs: [], isPartial: false });
    }),
    { numRuns: 500, seed: 11 },
  );
});
