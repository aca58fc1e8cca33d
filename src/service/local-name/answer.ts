// What is answered to a question of the local network for the name of this host (multicast DNS, RFC 6762): its address
// there, and of addresses of the other kind that there are none. Pure.
import { type Answer, AUTHORITATIVE_ANSWER, decode, encode, type Packet, type Question } from 'dns-packet';

/** Of multicast DNS. */
export const MDNS_PORT = 5353;
/** As long as others may keep the answer: a host that gets another address is found again soon. */
const TTL_S = 120;
/** Of an answer to one that asks once, and does not hear of changes (section 6.7). */
const TTL_ONCE_S = 10;
/** Multicast DNS never has larger packets (section 17). */
const MOST_BYTES = 9_000;

export type OwnName = { readonly name: string; readonly address: string };

/** `isOnce` = it asks from a port of its own, and hears only what is sent there: it alone is answered. */
export type NameQuery = { readonly id: number; readonly questions: readonly Question[]; readonly isOnce: boolean };

/** Undefined = the bytes ask nothing that `own` answers. `port` = from which they came, `mdnsPort` = that of all. */
export function readQuery(bytes: Buffer, port: number, mdnsPort: number, own: OwnName): NameQuery | undefined {
  const packet = decoded(bytes);
  if (packet === undefined || packet.type !== 'query') return undefined;
  const questions = (packet.questions ?? []).filter((question) => isForUs(question, own.name));
  const isOnce = port !== mdnsPort;
  if (questions.length === 0 || (!isOnce && isKnown(packet, own))) return undefined;
  return { id: packet.id ?? 0, questions, isOnce };
}

function decoded(bytes: Buffer): Packet | undefined {
  if (bytes.length > MOST_BYTES) return undefined;
  try {
    return decode(bytes);
  } catch {
    return undefined;
  }
}

const isForUs = ({ name, type, class: of }: Question, own: string): boolean =>
  name.toLowerCase() === own.toLowerCase() &&
  ['A', 'AAAA', 'ANY'].includes(type) &&
  (of === undefined || of === 'IN' || of === 'ANY');

/** Who asks has said that it knows the answer, and for how long still (section 7.1). */
const isKnown = ({ answers = [] }: Packet, { name, address }: OwnName): boolean =>
  answers.some(
    (answer) =>
      answer.type === 'A' &&
      answer.name.toLowerCase() === name.toLowerCase() &&
      answer.data === address &&
      (answer.ttl ?? 0) >= TTL_S / 2,
  );

export function answerTo({ id, questions, isOnce }: NameQuery, { name, address }: OwnName): Buffer {
  // With `flush` others forget what they knew of the name; in an answer to one alone that bit has no meaning.
  const common = { name, class: 'IN', ttl: isOnce ? TTL_ONCE_S : TTL_S, flush: !isOnce } as const;
  const asked = new Set<string>(questions.map(({ type }) => type));
  const answers: Answer[] = [];
  // All get the whole, whatever was asked: what another asks within the same second is then answered as well.
  if (!isOnce || asked.has('A') || asked.has('ANY')) answers.push({ ...common, type: 'A', data: address });
  // Who waits for an IPv6 address goes on at once (section 6.1).
  if (!isOnce || asked.has('AAAA'))
    answers.push({ ...common, type: 'NSEC', data: { nextDomain: name, rrtypes: ['A'] } });
  return encode({
    ...{ type: 'response', flags: AUTHORITATIVE_ANSWER, answers },
    ...(isOnce ? { id, questions: [...questions] } : { id: 0 }),
  });
}
