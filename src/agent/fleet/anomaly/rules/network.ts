// Network: no answer, an identity that another live miner shows too, an address that keeps changing.
import type { PeerCode } from '../../../../base/errors.ts';
import { OFFLINE_SOURCE } from '../../../../model/document.ts';
import type { FactState } from '../../../../model/identity-facts.ts';
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
  (
    read: (facts: Facts) => { state: FactState; value: string | undefined },
    what: string,
    severity: 'major' | 'minor',
    source: string,
  ) =>
  (facts: Facts): Verdict => {
    const { state, value } = read(facts);
    if (facts.reading === undefined) return 'no-data';
    if (state !== 'duplicate') return 'clear';
    return {
      value: value ?? null,
      limit: 'unique',
      source,
      severity,
      message: `another live miner shows the same ${what}`,
    };
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
  {
    id: 'network.duplicate-mac',
    type: 'network',
    evaluate: duplicate(
      ({ sample, reading }) => ({ state: sample.context.macState, value: reading?.mac }),
      'MAC address',
      'major',
      'mac',
    ),
  },
  {
    id: 'network.duplicate-serial',
    type: 'network',
    evaluate: duplicate(
      ({ sample, reading }) => ({ state: sample.context.serialState, value: reading?.serialNumber }),
      'serial number',
      'minor',
      'serialNumber',
    ),
  },
  { id: 'network.address-changes', type: 'network', evaluate: addressChanges },
];
