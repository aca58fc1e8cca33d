// Who opens the web page, as `setup` is told: what of the configuration follows from it, the certificates that it
// takes, and what a person has to know then. It opens no firewall and makes no account.
import { isIPv4 } from 'node:net';
import { renderUnicodeCompact } from 'uqr';
import type { AgentConfig } from '../../../agent/config/config.ts';
import { ownAddress } from '../../../agent/host/networks.ts';
import { systemClock } from '../../../base/clock.ts';
import { silentLog } from '../../../base/log.ts';
import { addressesOf } from '../../../base/net/intervals.ts';
import { isLoopback, plainUrl } from '../../../base/net/ipv4.ts';
import type { Vault } from '../../../base/storage/vault.ts';
import { isPrivateAddress, permittedAddresses, permittedRanges } from '../../../service/certificates/permitted.ts';
import { wrongOption } from '../../options.ts';
import { farmTls } from '../../run/local-service.ts';
import { type Answers, prepareStateDir } from '../config-file.ts';
import { firewallLine } from './firewall.ts';

export const PAGE_ACCESS = ['off', 'host', 'network'] as const;
export type PageAccess = (typeof PAGE_ACCESS)[number];

/** Where the service listens; without a port where it did, or at the usual one. */
export type Listen = { readonly host: string; readonly port?: number };

export function readPageAccess(text: string): PageAccess {
  const access = PAGE_ACCESS.find((known) => known === text);
  if (access === undefined) throw wrongOption('--page', `'${text}' is none of: ${PAGE_ACCESS.join(', ')}`);
  return access;
}

/** `listen` = what `--listen` says, `before` = the host that the configuration has. */
export function settingsFor(
  access: PageAccess | undefined,
  listen: Listen | undefined,
  before: string | undefined,
): Pick<Answers, 'page' | 'listen'> {
  if (access === undefined) return { listen };
  if (access === 'off') return { page: { enabled: false }, listen };
  const page = { enabled: true };
  if (access === 'host') return { page, listen: { host: '127.0.0.1', ...listen, tls: 'none' } };
  if (listen !== undefined && isLoopback(listen.host))
    throw wrongOption(
      '--listen',
      `${listen.host} is this host alone: with --page network name 0.0.0.0 or another address`,
    );
  const host = before === undefined || isLoopback(before) ? '0.0.0.0' : before;
  return { page, listen: { host, ...listen, tls: 'farm' } };
}

/** Where the page is, and what devices and firewalls need; all of it null where there is none. */
export type OpenedPage = {
  readonly access: PageAccess;
  readonly url: string | null;
  /** The same by the local name, which devices of the network of this host can ask for. */
  readonly nameUrl: string | null;
  /** SHA-256 of the authority that devices are made to trust. */
  readonly fingerprint: string | null;
  /** Whether that is another than before, or the first. */
  readonly isNewAuthority: boolean;
  readonly firewall: string | null;
};

/** Makes the certificates of the farm where the configuration says so. Throws ConfigError where that cannot be. */
export async function openPage(
  access: PageAccess,
  config: AgentConfig,
  { vault }: { readonly vault: Vault | undefined },
): Promise<OpenedPage> {
  const none = { access, url: null, nameUrl: null, fingerprint: null, isNewAuthority: false, firewall: null };
  const { host, port, tls } = config.listen;
  if (access === 'off') return none;
  if (access === 'host') return { ...none, url: plainUrl('127.0.0.1', port) };
  const firewall = firewallLine(port, tls === 'farm') ?? null;
  const farm = farmTls(config);
  const usual = host === '0.0.0.0' || host === '::' ? ownAddress() : host;
  if (tls !== 'farm') return { ...none, url: secureUrl(usual, port), firewall };
  if (usual === host && isIPv4(host) && !isPrivateAddress(host))
    throw wrongOption('--listen', `${host} is no private address: certificates for it have to be named in listen.tls`);
  prepareStateDir(config.stateDir);
  const made = await makeCertificates(config.stateDir, farm, vault);
  const address = made.addresses.includes(usual) ? usual : (made.addresses[0] ?? made.localName);
  return {
    ...{ access, url: secureUrl(address, port), nameUrl: secureUrl(made.localName, port) },
    ...{ fingerprint: made.fingerprint, isNewAuthority: made.isNew, firewall },
  };
}

const secureUrl = (host: string, port: number) => plainUrl(host, port).replace('http:', 'https:');

async function makeCertificates(folder: string, farm: ReturnType<typeof farmTls>, vault: Vault | undefined) {
  const { ensureAuthority, openFarmCertificates } = await import('../../../service/certificates/farm-certificates.ts');
  const place = { folder, vault };
  const ofHost = () => addressesOf(farm.links());
  const situation = { ...farm, ranges: () => permittedRanges(farm.networks()), addresses: ofHost };
  const nowMs = systemClock.nowMs;
  const { authority, isNew } = await ensureAuthority(place, situation, nowMs(), { replaceUnfit: true });
  const { trusted } = await openFarmCertificates(place, situation, { nowMs, log: silentLog });
  const addresses = permittedAddresses(ofHost(), authority.ranges);
  return { localName: authority.localName, addresses, fingerprint: trusted().fingerprint, isNew };
}

/** Lines for a person; a QR code where the screen is a terminal. */
export function describePage(
  { access, url, nameUrl, fingerprint, isNewAuthority, firewall }: OpenedPage,
  { isTerminal, config }: { readonly isTerminal: boolean; readonly config: string },
): string[] {
  if (access === 'off' || url === null) return ['It is off. pithead setup --page host or --page network turns it on.'];
  const claim = `The first person: pithead people claim --config ${config}`;
  if (access === 'host') return [`${url}, on this host alone`, claim];
  return [
    url,
    ...(nameUrl === null || nameUrl === url ? [] : [`${nameUrl}, the same by name, from the network of this host`]),
    ...(isTerminal ? renderUnicodeCompact(url, { border: 2 }).split('\n') : []),
    ...(firewall === null ? [] : [`If the firewall of this host is closed: ${firewall}`]),
    ...(fingerprint === null ? [] : trustLines(url, fingerprint, isNewAuthority)),
    claim,
  ];
}

const trustLines = (url: string, fingerprint: string, isNew: boolean): string[] => [
  `Browsers warn until a device trusts this farm. Once on each device: open ${url}/trust and install the certificate.`,
  `Its SHA-256 fingerprint, to compare: ${fingerprint}`,
  ...(isNew ? ['It is new: devices that trusted an earlier one have to trust this one.'] : []),
];
