// The TLS of a service as its settings name it: PEM files of others, or certificates that it makes itself.
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { addressesOf, type Link, type Span } from '../../base/net/intervals.ts';
import { openOrCreateVault } from '../../base/storage/vault.ts';
import { openFarmCertificates, type TrustedAuthority } from './farm-certificates.ts';
import { permittedRanges } from './permitted.ts';
import { openTlsFiles, type TlsFiles, type TlsSource } from './tls-material.ts';

/** Certificates that this host makes itself, where it is reached by addresses of its own networks. */
export type FarmTls = {
  /** Folder in which they are kept. */
  readonly folder: string;
  /** Of the farm or its host, for people. */
  readonly name: string;
  /** The networks that a new authority is to be good for, as far as they are private. */
  readonly networks: () => readonly Span[];
  /** At which the service is reached now. */
  readonly links: () => readonly Link[];
};

export type OwnTls = TlsFiles | { readonly farm: FarmTls };

/** What of such certificates others need. */
export type OpenFarm = Pick<FarmTls, 'links'> & { trusted(): TrustedAuthority; localName(): string };

export type OpenTls = TlsSource & { readonly farm?: OpenFarm };

/** `keyFile`: of this host; made if there is none. Throws ConfigError for what is no good. */
export async function openTls(
  tls: OwnTls,
  { keyFile, clock, log }: { readonly keyFile: string | undefined; readonly clock: Clock; readonly log: Log },
): Promise<OpenTls> {
  if (!('farm' in tls)) {
    const source = openTlsFiles(tls, log);
    if (source.expiresAtMs <= clock.nowMs())
      log.warn({ certFile: tls.certFile }, 'the certificate has expired: clients will refuse it');
    return source;
  }
  const { folder, name, networks, links } = tls.farm;
  const vault = keyFile === undefined ? undefined : openOrCreateVault(keyFile);
  const { material, renew, ...farm } = await openFarmCertificates(
    { folder, vault },
    { name, ranges: () => permittedRanges(networks()), addresses: () => addressesOf(links()) },
    { nowMs: () => clock.nowMs(), log },
  );
  return { material, renew, farm: { ...farm, links } };
}
