// Which packets of multicast DNS are answered, and with what.
import { AUTHORITATIVE_ANSWER, decode, encode, type Packet } from 'dns-packet';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerTo, MDNS_PORT, readQuery } from '../../../../src/service/local-name/answer.ts';

const own = { name: 'pithead-hall-2.local', address: '10.31.0.5' };
const HIGH_PORT = 40_000;
const NO_IPV6 = { type: 'NSEC', name: own.name, data: { nextDomain: own.name, rrtypes: ['A'] } };

/** As others read it; undefined = nothing is answered. */
function answered(packet: Packet, port = MDNS_PORT) {
  const query = readQuery(encode({ type: 'query', ...packet }), port, MDNS_PORT, own);
  return query && decode(answerTo(query, own));
}
const asks = (type: 'A' | 'AAAA' | 'TXT', name = own.name): Packet => ({ questions: [{ type, name }] });

test('who hears all gets the address to keep for two minutes, and nothing of the question', () => {
  expect(answered({ id: 7, ...asks('A') })).toMatchObject({
    ...{ id: 0, type: 'response', flag_aa: true, questions: [] },
    answers: [{ name: own.name, type: 'A', class: 'IN', ttl: 120, flush: true, data: own.address }, NO_IPV6],
  });
});

test('who asks once gets its question back, and the address for ten seconds', () => {
  expect(answered({ id: 7, ...asks('A') }, HIGH_PORT)).toMatchObject({
    ...{ id: 7, type: 'response', flag_aa: true, questions: [{ name: own.name, type: 'A' }] },
    answers: [{ name: own.name, type: 'A', ttl: 10, flush: false, data: own.address }],
  });
});

test('who wants an IPv6 address is told that there is an IPv4 address only', () => {
  expect(answered(asks('AAAA'), HIGH_PORT)?.answers).toMatchObject([NO_IPV6]);
  const both = { questions: [...(asks('A').questions ?? []), ...(asks('AAAA').questions ?? [])] };
  expect(answered(both, HIGH_PORT)?.answers).toMatchObject([{ type: 'A' }, NO_IPV6]);
  // Two questions in two packets are one answer to all, which is given once a second.
  expect(answered(asks('AAAA'))?.answers).toEqual(answered(asks('A'))?.answers);
});

test('a name is the same in capitals, and a question for everything asks for the address', () => {
  expect(answered(asks('A', 'PITHEAD-Hall-2.LOCAL'))?.answers).toMatchObject([{ data: own.address }, NO_IPV6]);
  const bytes = encode({ type: 'query', ...asks('A') });
  bytes.writeUInt16BE(255, bytes.length - 4);
  const query = readQuery(bytes, MDNS_PORT, MDNS_PORT, own);
  expect(query?.questions).toMatchObject([{ type: 'ANY' }]);
  expect(query && decode(answerTo(query, own)).answers).toMatchObject([{ type: 'A', data: own.address }, NO_IPV6]);
});

test.each<[string, Packet]>([
  ['another name', asks('A', 'pithead-hall-3.local')],
  ['a longer name', asks('A', `x.${own.name}`)],
  ['another kind of record', asks('TXT')],
  ['no question', { questions: [] }],
  ['an answer of another host', { type: 'response', answers: [{ type: 'A', name: own.name, data: '10.31.0.9' }] }],
  [
    'a question with the answer that is known',
    { ...asks('A'), answers: [{ type: 'A', name: own.name, ttl: 100, data: own.address }] },
  ],
])('%s is not answered', (_what, packet) => expect(answered(packet)).toBeUndefined());

test.each([
  ['soon over', 30, own.address],
  ['another', 100, '10.31.0.9'],
])('an answer that is known and %s is given anew', (_what, ttl, data) => {
  const packet: Packet = { ...asks('A'), answers: [{ type: 'A', name: own.name, ttl, data }] };
  expect(answered(packet)?.answers).toMatchObject([{ data: own.address }, NO_IPV6]);
});

test('property: no bytes make it throw', () => {
  const real = encode({ type: 'query', flags: AUTHORITATIVE_ANSWER, ...asks('A') });
  const damaged = fc.tuple(fc.nat(real.length - 1), fc.nat(255)).map(([at, byte]) => {
    const bytes = Buffer.from(real);
    bytes[at] = byte;
    return bytes;
  });
  fc.assert(
    fc.property(
      fc.oneof(
        fc.uint8Array({ maxLength: 600 }).map((bytes) => Buffer.from(bytes)),
        damaged,
      ),
      (bytes) => {
        const query = readQuery(bytes, HIGH_PORT, MDNS_PORT, own);
        if (query !== undefined) decode(answerTo(query, own));
      },
    ),
  );
  expect(readQuery(Buffer.alloc(9_001), HIGH_PORT, MDNS_PORT, own)).toBeUndefined();
});
