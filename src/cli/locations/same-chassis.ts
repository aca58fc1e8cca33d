// `pithead position same-chassis`: a new unit stands where another one stood, and keeps its location and history.
import { parseIpv4 } from '../../base/net/ipv4.ts';
import { normaliseMac, normaliseSerial } from '../../model/identity-facts.ts';
import { shownLocation } from '../../model/locations/location.ts';
import { CommandFailed, EXIT } from '../output/exit.ts';
import type { CliContext } from '../output/terminal.ts';
import { type LocationFlags, print, withLocations } from './location-options.ts';
import type { PlacedMiner } from './location-service.ts';

export async function keepChassis(unit: string, old: string, flags: LocationFlags, context: CliContext): Promise<void> {
  const kept = await withLocations(flags, context, async (locations) => {
    const miners = await locations.listMiners();
    return locations.keepChassis(named(miners, unit).id, named(miners, old).id);
  });
  const name = [kept.ip, kept.mac].filter((text) => text !== '').join(', ');
  print(flags, context, kept, [`${name} goes on as the miner that stood there: ${shownLocation(kept)}`]);
}

/** Throws CommandFailed where it is none, or several. */
function named(miners: readonly PlacedMiner[], text: string): PlacedMiner {
  const [mac, serial] = [normaliseMac(text), normaliseSerial(text)];
  const found = miners.filter(
    (miner) =>
      miner.id === text.toLowerCase() ||
      (parseIpv4(text) !== undefined && miner.ip === text) ||
      (mac !== undefined && miner.mac === mac) ||
      (miner.serial_number !== null && normaliseSerial(miner.serial_number) === serial),
  );
  const [miner, other] = found;
  if (miner !== undefined && other === undefined) return miner;
  if (miner === undefined) throw new CommandFailed(`no miner is called '${text}'`, EXIT.nothing);
  const macs = found.map(({ mac: one }) => one).filter((one) => one !== '');
  throw new CommandFailed(`'${text}' is the name of ${found.length} miners, give a MAC address: ${macs.join(', ')}`);
}
