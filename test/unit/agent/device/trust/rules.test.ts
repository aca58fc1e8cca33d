// The rules of trust as a table: who gets which login, who may be changed, and why not.
import { describe, expect, test } from 'vitest';
import {
  type DeviceFacts,
  type Pin,
  pinKeyOf,
  standingOf,
  type TrustQuestion,
  type Withheld,
  whyWithheld,
} from '../../../../../src/agent/device/trust/rules.ts';

const IP = '10.0.0.5';
const MAC = '02:00:00:00:00:01';
const OTHER = '02:00:00:00:00:02';

const known: TrustQuestion = {
  what: 'configured',
  confidence: 'sure',
  standing: 'known',
  isVouchedFor: false,
  isContested: false,
  trustsNetwork: false,
  hasRecord: true,
  wasRefused: false,
};

test.each([
  // A configured login: sure and known.
  [{}, undefined],
  [{ standing: 'new' }, 'new'],
  [{ standing: 'changed' }, 'changed'],
  [{ standing: 'unseen' }, 'unseen'],
  [{ confidence: 'likely' }, 'no-proof'],
  [{ confidence: 'generic' }, 'no-proof'],
  [{ confidence: 'likely', standing: 'new' }, 'no-proof'],
  // A person's word stands for the proof, for the device that was accepted and no other.
  [{ confidence: 'likely', isVouchedFor: true }, undefined],
  [{ confidence: 'likely', isVouchedFor: true, standing: 'changed' }, 'changed'],
  // Trust in the network spares the person, not the proof.
  [{ trustsNetwork: true, standing: 'new' }, undefined],
  [{ trustsNetwork: true, standing: 'changed' }, undefined],
  [{ trustsNetwork: true, standing: 'new', confidence: 'likely' }, 'no-proof'],
  // Two that claim to be one get nothing.
  [{ isContested: true }, 'contested'],
  [{ isContested: true, trustsNetwork: true }, 'contested'],
  // A factory login: sure, and never again after a refusal.
  [{ what: 'factory', standing: 'new' }, undefined],
  [{ what: 'factory', standing: 'new', confidence: 'likely' }, 'no-proof'],
  [{ what: 'factory', wasRefused: true }, 'refused-before'],
  [{ what: 'factory', hasRecord: false }, 'no-record'],
  [{ what: 'factory', isContested: true }, 'contested'],
  [{ wasRefused: true, hasRecord: false }, undefined],
  // An order that changes it.
  [{ what: 'change', standing: 'new' }, undefined],
  [{ what: 'change', standing: 'new', confidence: 'likely' }, 'no-proof'],
  [{ what: 'change', confidence: 'generic' }, 'no-proof'],
  [{ what: 'change', confidence: 'likely', isVouchedFor: true }, undefined],
  [{ what: 'change', isContested: true }, 'contested'],
] satisfies [Partial<TrustQuestion>, Withheld | undefined][])('%j: %s', (question, why) => {
  expect(whyWithheld({ ...known, ...question })).toBe(why);
});

describe('whether it is the one that was accepted', () => {
  const facts: DeviceFacts = { family: 'antminer-stock', confidence: 'sure', realm: 'r', networkMac: MAC };
  const pin: Pin = {
    ...{ ip: IP, family: 'antminer-stock', realm: 'r', networkMac: MAC, mac: null, serialNumber: null, tlsKey: null },
    isVouchedFor: false,
  };
  test.each([
    ['nobody was accepted', facts, undefined, undefined, 'new'],
    ['the same', facts, pin, undefined, 'known'],
    ['it says more than before', { ...facts, mac: MAC, serialNumber: 's' }, pin, undefined, 'known'],
    ['its page is slow today', { ...facts, realm: undefined }, pin, undefined, 'known'],
    ['another realm', { ...facts, realm: 'q' }, pin, undefined, 'changed'],
    ['another family', { ...facts, family: 'vnish' }, pin, undefined, 'changed'],
    ['another MAC at its address', { ...facts, networkMac: OTHER }, undefined, pin, 'changed'],
    ['the network does not say', { ...facts, networkMac: undefined }, undefined, pin, 'unseen'],
    [
      'the network does not say, and it is another family',
      { ...facts, networkMac: undefined, family: 'x' },
      undefined,
      pin,
      'changed',
    ],
    ['another word of its own', { ...facts, mac: OTHER }, { ...pin, mac: MAC }, undefined, 'changed'],
    ['the same TLS key', { ...facts, tlsKey: 'a' }, { ...pin, tlsKey: 'a' }, undefined, 'known'],
    ['another TLS key', { ...facts, tlsKey: 'b' }, { ...pin, tlsKey: 'a' }, undefined, 'changed'],
    ['its web in the clear, that was over TLS', facts, { ...pin, tlsKey: 'a' }, undefined, 'changed'],
    ['its web over TLS, that was in the clear', { ...facts, tlsKey: 'a' }, pin, undefined, 'changed'],
    ['another serial number', { ...facts, serialNumber: 'b' }, { ...pin, serialNumber: 'a' }, undefined, 'changed'],
  ] as const)('%s', (_, shown, own, here, standing) => expect(standingOf(shown, own, here)).toBe(standing));

  test('it is pinned by the surest name that it has', () => {
    expect(pinKeyOf(IP, { networkMac: MAC, mac: OTHER, serialNumber: 's' })).toBe(`mac:${MAC}`);
    expect(pinKeyOf(IP, { mac: OTHER, serialNumber: 's' })).toBe(`mac:${OTHER}`);
    expect(pinKeyOf(IP, { serialNumber: 's' })).toBe('serial:s');
    expect(pinKeyOf(IP, {})).toBe(`ip:${IP}`);
  });
});
