// Network: no answer, an identity that another live miner shows too, an address that keeps changing, a link that flaps.
import { OFFLINE_SOURCE } from '../../../../model/document.ts';
import { isSilent } from '../facts.ts';
import type { Facts, Rule, Verdict } from '../rule.ts';

function contact({ sample, settings }: Facts): Verdict {
  if (sample.kind === 'ok' || !isSilent(sample)) return 'clear';
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

/** A miner that answers now and then is never silent for long enough to be offline. */
function losses({ history, settings }: Facts, isRaised: boolean): Verdict {
  const count = history.lossesT.length;
  const limit = settings.network.lossesPerHour;
  if (count < (isRaised ? 2 : limit)) return 'clear';
  const message = `answers only now and then: it was lost ${count} times within an hour`;
  return { value: count, limit, source: 'contact.losses', severity: 'minor', message };
}

export const NETWORK_RULES: readonly Rule[] = [
  { id: 'network.contact', type: 'network', evaluate: contact },
  { id: 'network.duplicate-mac', type: 'network', evaluate: duplicate('mac', 'MAC address', 'major') },
  { id: 'network.duplicate-serial', type: 'network', evaluate: duplicate('serialNumber', 'serial number', 'minor') },
  { id: 'network.address-changes', type: 'network', evaluate: addressChanges },
  { id: 'network.losses', type: 'network', evaluate: losses },
];
