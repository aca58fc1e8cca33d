// Makes the certificates of a farm: an authority that is good for one name and private ranges alone, and what this host
// shows to browsers. It keeps nothing and reads no clock.
import './reflection.ts';
import { webcrypto } from 'node:crypto';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  Extension,
  GeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import { EARLIEST_MS } from '../../base/time/clock-steps.ts';

/** Certificate and PKCS 8 key, both PEM. */
export type Pair = { readonly certificate: string; readonly key: string };

const KEY = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNATURE = { name: 'ECDSA', hash: 'SHA-256' } as const;
const DAY_MS = 86_400_000;
const AUTHORITY_YEARS = 10;
export const LEAF_DAYS = 397;
const KEY_LABEL = 'PRIVATE KEY';

/** From a day ago: a phone may be behind. A host whose clock was never set makes nothing that has ended. */
const beginOf = (nowMs: number) => Math.max(nowMs, EARLIEST_MS) - DAY_MS;

/**
 * `localName` and what is below it, and `ranges` as CIDR, are all that its certificates are good for. That is critical:
 * who does not understand it must not trust the authority. Of both kinds something has to be permitted, for of a kind
 * that is not mentioned all is.
 */
export async function makeAuthority(localName: string, ranges: readonly string[], nowMs: number): Promise<Pair> {
  const keys = await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
  const from = new Date(beginOf(nowMs));
  const to = new Date(from);
  to.setUTCFullYear(from.getUTCFullYear() + AUTHORITY_YEARS);
  const certificate = await X509CertificateGenerator.createSelfSigned(
    {
      name: [{ CN: [`Pithead farm ${localName.replace(/^pithead-|\.local$/g, '')}`] }],
      notBefore: from,
      notAfter: to,
      keys,
      signingAlgorithm: SIGNATURE,
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
        nameConstraints(localName, ranges),
        await SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  );
  return { certificate: certificate.toString('pem'), key: await pemOf(keys.privateKey) };
}

/** Ends no later than its authority. */
export async function makeLeaf(
  authority: Pair,
  { localName, addresses, nowMs }: { localName: string; addresses: readonly string[]; nowMs: number },
): Promise<Pair> {
  const issuer = new X509Certificate(authority.certificate);
  const der = PemConverter.decodeFirst(authority.key);
  const signingKey = await webcrypto.subtle.importKey('pkcs8', der, KEY, false, ['sign']);
  const keys = await webcrypto.subtle.generateKey(KEY, true, ['sign', 'verify']);
  const fromMs = beginOf(nowMs);
  const certificate = await X509CertificateGenerator.create(
    {
      subject: [{ CN: [localName] }],
      issuer: issuer.subjectName,
      notBefore: new Date(fromMs),
      notAfter: new Date(Math.min(fromMs + LEAF_DAYS * DAY_MS, issuer.notAfter.getTime())),
      publicKey: keys.publicKey,
      signingKey,
      signingAlgorithm: SIGNATURE,
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension([
          { type: 'dns', value: localName },
          ...addresses.map((value) => ({ type: 'ip' as const, value })),
        ]),
        await SubjectKeyIdentifierExtension.create(keys.publicKey, false, webcrypto),
        await AuthorityKeyIdentifierExtension.create(issuer.publicKey, false, webcrypto),
      ],
    },
    webcrypto,
  );
  return { certificate: certificate.toString('pem'), key: await pemOf(keys.privateKey) };
}

const pemOf = async (key: webcrypto.CryptoKey) =>
  PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), KEY_LABEL);

const NAME_CONSTRAINTS = '2.5.29.30';
const [SEQUENCE, PERMITTED] = [0x30, 0xa0];

/** RFC 5280, 4.2.1.10: the library has no class for it. */
function nameConstraints(localName: string, ranges: readonly string[]): Extension {
  const names = [new GeneralName('dns', localName), ...ranges.map((range) => new GeneralName('ip', range))];
  const subtrees = names.map(({ rawData }) => tagged(SEQUENCE, Buffer.from(rawData)));
  return new Extension(NAME_CONSTRAINTS, true, tagged(SEQUENCE, tagged(PERMITTED, Buffer.concat(subtrees))));
}

/** One value in DER. */
function tagged(tag: number, body: Buffer): Buffer {
  const digits = body.length.toString(16);
  const long = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  const length = body.length < 0x80 ? [body.length] : [0x80 | long.length, ...long];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}
