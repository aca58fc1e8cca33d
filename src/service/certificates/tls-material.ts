// What a TLS server shows and proves itself with, and where the next one comes from. Certificate and key are checked
// before anything listens: they can be read, are what they should be, and belong together.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError, type Problem } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';

/** PEM files. The certificate file holds the whole chain, ours first. */
export type TlsFiles = { readonly certFile: string; readonly keyFile: string };

/** As Node takes it; nothing older than TLS 1.2 is spoken. */
export type TlsMaterial = { readonly cert: Buffer; readonly key: Buffer; readonly minVersion: 'TLSv1.2' };

/** Certificates are renewed often: `renew` gives the next one for new connections, undefined while it is the same. */
export type TlsSource = {
  material(): TlsMaterial;
  renew(): Promise<TlsMaterial | undefined> | TlsMaterial | undefined;
};

/** Looks whether the files have changed; what is no good throws, and the last good one stays in use. */
export function openTlsFiles(files: TlsFiles, log: Log): TlsSource & { readonly expiresAtMs: number } {
  const { material: first, expiresAtMs } = readTls(files);
  let current = first;
  return {
    expiresAtMs,
    material: () => current,
    renew() {
      const { material } = readTls(files);
      if (material.cert.equals(current.cert) && material.key.equals(current.key)) return undefined;
      current = material;
      log.info({ certFile: files.certFile }, 'the certificate was renewed');
      return material;
    },
  };
}

/** Throws ConfigError that names every file that is no good, never what is in it. */
export function readTls({ certFile, keyFile }: TlsFiles): { material: TlsMaterial; expiresAtMs: number } {
  const problems: Problem[] = [];
  const read = <T>(path: string, file: string, what: string, parse: (bytes: Buffer) => T) => {
    try {
      const bytes = readFileSync(file);
      try {
        return { bytes, parsed: parse(bytes) };
      } catch {
        problems.push({ path, message: `${file} is not ${what}` });
      }
    } catch {
      problems.push({ path, message: `${file} cannot be read: does it exist, may this user read it?` });
    }
    return undefined;
  };
  const cert = read('listen.tls.certFile', certFile, 'a certificate in PEM', (bytes) => new X509Certificate(bytes));
  const key = read('listen.tls.keyFile', keyFile, 'a private key in PEM without a password', (bytes) =>
    createPrivateKey(bytes),
  );
  if (cert !== undefined && key !== undefined && !cert.parsed.checkPrivateKey(key.parsed))
    problems.push({ path: 'listen.tls.keyFile', message: `${keyFile} is not the key of ${certFile}` });
  if (cert === undefined || key === undefined || problems.length > 0)
    throw new ConfigError('read the certificate', problems);
  return {
    material: { cert: cert.bytes, key: key.bytes, minVersion: 'TLSv1.2' },
    expiresAtMs: cert.parsed.validToDate.getTime(),
  };
}
