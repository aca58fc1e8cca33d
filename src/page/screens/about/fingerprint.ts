// The SHA-256 fingerprint of a certificate, written as `pithead doctor` prints it.

/** Undefined = this browser computes none here: the page is not encrypted. */
export async function fingerprintOf(
  der: ArrayBuffer,
  { subtle }: { readonly subtle?: { digest(algorithm: 'SHA-256', data: ArrayBuffer): Promise<ArrayBuffer> } },
): Promise<string | undefined> {
  if (subtle === undefined) return undefined;
  const bytes = new Uint8Array(await subtle.digest('SHA-256', der));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0').toUpperCase()).join(':');
}
