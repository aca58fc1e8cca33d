// The certificates of a farm that needs none from others: an authority that devices are made to trust once, and a leaf
// that follows the addresses of this host and is renewed by itself. The authority is only replaced when a person asks
// for it.
import type { X509Certificate } from 'node:crypto';
import { ConfigError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { Vault } from '../../base/storage/vault.ts';
import {
  authorityFile,
  type KeptAuthority,
  type KeptPair,
  readAuthority,
  readLeaf,
  writeAuthority,
  writeLeaf,
} from './kept-pairs.ts';
import { localNameOf, permittedAddresses, strayAddresses } from './permitted.ts';
import type { TlsMaterial } from './tls-material.ts';

export type FarmPlace = {
  /** Where they are kept. */
  readonly folder: string;
  /** What the keys are encrypted with; without it they lie open, for their owner alone. */
  readonly vault: Vault | undefined;
};

export type FarmSituation = {
  /** Of the farm or of its host, for people. */
  readonly name: string;
  /** Ranges of private addresses that a new authority is to be good for, as CIDR. */
  readonly ranges: () => readonly string[];
  /** At which the service is reached now. */
  readonly addresses: () => readonly string[];
};

/** What devices are made to trust. */
export type TrustedAuthority = { readonly pem: string; readonly der: Buffer; readonly fingerprint: string };

export const RENEW_BEFORE_MS = 30 * 86_400_000;

/** Why a leaf has to be replaced, for the log; undefined while it is good. */
export function whyRenewLeaf(
  leaf: KeptPair,
  { authority, addresses, nowMs }: { authority: X509Certificate; addresses: readonly string[]; nowMs: number },
): string | undefined {
  const { certificate, key } = leaf;
  if (key === undefined) return 'its key cannot be opened';
  if (!certificate.verify(authority.publicKey)) return 'another authority has signed it';
  if (certificate.validFromDate.getTime() > nowMs) return 'it is not good yet: the clock of this host went back';
  // One that ends with its authority cannot be made any better.
  const endsMs = certificate.validToDate.getTime();
  if (endsMs - nowMs < RENEW_BEFORE_MS && endsMs < authority.validToDate.getTime()) return 'it ends soon';
  const missing = addresses.find((address) => certificate.checkIP(address) === undefined);
  return missing === undefined ? undefined : `it does not name ${missing}`;
}

/** Why only a new authority helps, for people; undefined while this one does. */
export function whyReplaceAuthority(
  { certificate, key, ranges }: Pick<KeptAuthority, 'certificate' | 'key' | 'ranges'>,
  { addresses, nowMs }: { addresses: readonly string[]; nowMs: number },
): string | undefined {
  if (key === undefined) return 'its key cannot be opened with the key file of this host';
  const stray = strayAddresses(addresses, ranges);
  if (stray.length > 0) return `it is not good for ${stray.join(', ')}, only for ${ranges.join(', ')}`;
  if (certificate.validFromDate.getTime() > nowMs) return 'it is not good yet: the clock of this host went back';
  return certificate.validToDate.getTime() - nowMs < LAST_YEAR_MS ? `it ends on ${dayOf(certificate)}` : undefined;
}

/** In its last year it signs no leaf of full length any more. */
const LAST_YEAR_MS = 397 * 86_400_000;

export const dayOf = (certificate: X509Certificate): string => certificate.validToDate.toISOString().slice(0, 10);

export const trustedOf = ({ certificate, pem }: Pick<KeptPair, 'certificate' | 'pem'>): TrustedAuthority => ({
  pem,
  der: certificate.raw,
  fingerprint: certificate.fingerprint256,
});

/** Makes an authority where there is none; with `replaceUnfit` also where there is one that is of no use here. */
export async function ensureAuthority(
  { folder, vault }: FarmPlace,
  { name, ranges: rangesNow, addresses }: FarmSituation,
  nowMs: number,
  { replaceUnfit }: { readonly replaceUnfit: boolean },
): Promise<{ readonly authority: KeptAuthority; readonly isNew: boolean }> {
  const kept = replaceUnfit ? orNone(() => readAuthority(folder, vault)) : readAuthority(folder, vault);
  if (
    kept !== undefined &&
    !(replaceUnfit && whyReplaceAuthority(kept, { addresses: addresses(), nowMs }) !== undefined)
  )
    return { authority: kept, isNew: false };
  const ranges = rangesNow();
  if (ranges.length === 0)
    throw new ConfigError('make the certificates of this farm', [
      { path: 'networks', message: 'neither they nor the networks of this host are private: name listen.tls files' },
    ]);
  const localName = kept?.localName ?? localNameOf(name);
  const { makeAuthority } = await import('./make.ts');
  writeAuthority(folder, { ...(await makeAuthority(localName, ranges, nowMs)), localName, ranges }, vault);
  const authority = readAuthority(folder, vault);
  if (authority === undefined) throw new ConfigError('make the certificates of this farm', [gone(folder)]);
  return { authority, isNew: true };
}

const gone = (folder: string) => ({ path: 'listen.tls', message: `${authorityFile(folder)} is gone` });

/** A damaged one is as good as none where a new one may be made. */
function orNone<T>(read: () => T | undefined): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** The leaf of this authority for the addresses of now: the kept one while it is good. */
async function ensureLeaf(
  { folder, vault }: FarmPlace,
  authority: KeptAuthority,
  { addresses, nowMs, log }: { addresses: readonly string[]; nowMs: number; log: Log },
): Promise<TlsMaterial> {
  const permitted = permittedAddresses(addresses, authority.ranges);
  const kept = orNone(() => readLeaf(folder, vault));
  const why =
    kept === undefined
      ? 'there was none that can be used'
      : whyRenewLeaf(kept, { authority: authority.certificate, addresses: permitted, nowMs });
  if (kept?.key !== undefined && why === undefined) return materialOf(kept.pem, kept.key);
  if (authority.key === undefined) throw keyLost(folder);
  const { makeLeaf } = await import('./make.ts');
  const signer = { certificate: authority.pem, key: authority.key };
  const leaf = await makeLeaf(signer, { localName: authority.localName, addresses: permitted, nowMs });
  writeLeaf(folder, leaf, vault);
  log.info({ name: authority.localName, addresses: permitted, why }, 'this host has a new certificate of its farm');
  return materialOf(leaf.certificate, leaf.key);
}

const materialOf = (certificate: string, key: string): TlsMaterial => ({
  cert: Buffer.from(certificate),
  key: Buffer.from(key),
  minVersion: 'TLSv1.2',
});

const keyLost = (folder: string) =>
  new ConfigError('open the certificates of this farm', [
    {
      path: 'listen.tls',
      message: `the key in ${authorityFile(folder)} cannot be opened with the key file of this host: put that key file back, or let \`pithead setup --page network\` make a new authority, which devices have to trust anew`,
    },
  ]);

/** As it is served. `renew` reads the files again, so that a new authority counts without a restart. */
export async function openFarmCertificates(
  place: FarmPlace,
  situation: FarmSituation,
  { nowMs, log }: { nowMs: () => number; log: Log },
) {
  let reported: string | undefined;
  const now = async () => {
    const addresses = situation.addresses();
    const { authority, isNew } = await ensureAuthority(place, situation, nowMs(), { replaceUnfit: false });
    const trusted = trustedOf(authority);
    if (isNew) log.info({ fingerprint: trusted.fingerprint }, 'this farm has a certificate authority of its own');
    const unfit = whyReplaceAuthority(authority, { addresses, nowMs: nowMs() });
    if (unfit !== undefined && unfit !== reported)
      log.warn({}, `the certificate authority of this farm has to be replaced: ${unfit}. pithead setup --page network`);
    reported = unfit;
    return {
      trusted,
      localName: authority.localName,
      material: await ensureLeaf(place, authority, { addresses, nowMs: nowMs(), log }),
    };
  };
  let current = await now();
  return {
    material: () => current.material,
    /** The next one; undefined while it is the same. */
    async renew(): Promise<TlsMaterial | undefined> {
      const before = current.material;
      current = await now();
      return current.material.cert.equals(before.cert) ? undefined : current.material;
    },
    trusted: (): TrustedAuthority => current.trusted,
    localName: () => current.localName,
  };
}
