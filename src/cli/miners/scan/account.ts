// The account of a scan: every address in exactly one class, for people and for programs.
import { formatDurationMs } from '../../../base/time/duration.ts';
import { classesOf, type ScanAccount } from '../../../model/contact.ts';
import { screenWidth } from '../../output/table.ts';
import { wrapped } from '../../output/wrap.ts';

/** The stable names of `scan --json`. */
export function toSummary(account: ScanAccount) {
  return {
    addresses: account.addresses,
    excluded: account.excluded,
    ...account.counts,
    likely: account.likely ?? {},
    accept: acceptLines(account),
    not_reached: account.notReached,
    elapsed_ms: Math.round(account.elapsedMs),
    cancelled: account.isCancelled,
    notes: account.notes ?? [],
  };
}

/** `before` = what stands before its first line. */
export function writeAccount(account: ScanAccount, stream: NodeJS.WriteStream, before = ''): void {
  const width = screenWidth(stream);
  for (const [index, line] of accountLines(account).entries())
    stream.write(`${wrapped(index === 0 ? `${before}${line}` : line, width)}\n`);
}

/** Notes first, then every address in exactly one class. */
function accountLines(account: ScanAccount): string[] {
  const parts = classesOf(account).map(({ status, count }) => `${count} ${status.replace('_', ' ')}`);
  if (account.excluded > 0) parts.push(`${account.excluded} excluded`);
  if (account.notReached > 0) parts.push(`${account.notReached} not reached`);
  const likely = Object.entries(account.likely ?? {}).map(
    ([driver, members]) => `likely ${driver}: ${members}; without a proof, so if they are yours: ${acceptLine(driver)}`,
  );
  const count = `${account.addresses} address${account.addresses === 1 ? '' : 'es'}`;
  return [
    ...likely,
    ...(account.notes ?? []),
    `${count} in ${formatDurationMs(account.elapsedMs)}: ${parts.join(', ')}`,
  ];
}

/** What a person sends who knows that the likely ones are what they look like. */
const acceptLine = (driver: string) => `pithead trust accept --all --as ${driver}`;
const acceptLines = ({ likely = {} }: ScanAccount) => Object.keys(likely).map(acceptLine);
