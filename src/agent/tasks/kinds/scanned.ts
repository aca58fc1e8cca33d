// A result of a scan as it is reported: what is at the address, and what a person can do there.
import { plainText } from '../../../model/plain-text.ts';
import type { Scanned } from '../../../wire/records.ts';
import { noMiner, type Recognised } from '../../device/recognised.ts';

type ScanResult = Pick<Scanned, 'ip' | 'status'> & { readonly found?: Recognised };

export function scannedOf({ ip, status, found }: ScanResult): Scanned {
  const known = found === undefined || found.status === 'unknown' ? undefined : found;
  return {
    ip,
    status,
    driver: known?.target.driver.id.slice(0, 64) ?? null,
    model: plainText(known?.identity.model, 256) ?? null,
    advice: adviceOf(ip, status, found),
  };
}

function adviceOf(ip: string, status: Scanned['status'], found: Recognised | undefined): string | null {
  switch (status) {
    case 'identified':
    case 'silent':
      return null;
    case 'likely':
      return found?.status === 'likely' ? noMiner(ip, found) : null;
    case 'unknown':
      return 'something answers that no driver knows: pithead capture records it';
    case 'login_refused':
      return 'it refuses the login: set the login of its family in the configuration';
    case 'closed':
      return 'a host is there and all ports that miners have are closed: see whether its interface is switched on';
    case 'missing':
      return 'a miner is known here and nothing answers: see its power and its cable';
  }
}
