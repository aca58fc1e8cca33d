// Network: no answer, an identity that another live miner shows too, an address that keeps changing.
import type { PeerCode } from '../../../../base/errors.ts';
import { OFFLINE_SOURCE } from '../../../../model/document.ts';
import type { Facts, Rule, Verdict } from '../rule.ts';

/** Codes that mean that nothing whole came back; the others prove that somebody is there. */
export const SILENT_CODES: readonly PeerCode[] = ['peer.refused', 'peer.unreachable', 'peer.timeout', 'peer.reset'];

function contact({ sample, settings }: Facts): Verdict {
  if (sample.kind === 'ok' || !SILENT_CODES.includes(sample.code)) return 'clear';
  return {
    value: sample.consecutive,
    limit: settings.network.raise.polls,
    source: OFFLINE_SOURCE,
    severity: 'critical',
    message: `does not answer (${sample.code}), ${sample.consecutive} polls in a row`,
  };
}

const duplicate =
  (fact: 'mac' | 'serialNumber', words: string, severity: 'major' | 'minor') =>
  ({ sample, reading }: Facts): Verdict => {
    if (reading === undefined) return 'no-data';
    const { macState, serialState, macTwins, serialTwins } = sample.context;
    if ((fact === 'mac' ? macState : serialState) !== 'duplicate') return 'clear';
    const twins = (fact === 'mac' ? macTwins : serialTwins) ?? 'this and another live miner';
    const message = `${twins} show the same ${words}`;
    return { value: reading[fact] ?? null, limit: 'unique', source: fact, severity, message };
  };

function addressChanges({ history, settings }: Facts, isRaised: boolean): Verdict {
  const changes = history.addressChangesT.length;
  const limit = settings.network.addressChangesPerHour;
  if (changes < (isRaised ? 1 : limit)) return 'clear';
  return {
    value: changes,
    limit,
    source: 'ip',
    severity: 'minor',
    message: `changed its address ${changes} times within an hour`,
  };
}

export const NETWORK_RULES: readonly Rule[] = [
  { id: 'network.contact', type: 'network', evaluate: contact },
  { id: 'network.duplicate-mac', type: 'network', evaluate: duplicate('mac', 'MAC address', 'major') },
  { id: 'network.duplicate-serial', type: 'network', evaluate: duplicate('serialNumber', 'serial number', 'minor') },
  { id: 'network.address-changes', type: 'network', evaluate: addressChanges },
];
