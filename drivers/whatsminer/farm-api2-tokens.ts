// The token desk of Whatsminer API 2: at most 16 live tokens per client, 30 minutes each, and nothing opens without the
// right password.
import type { SimDevice } from '../_farm/device.ts';
import { rollText } from '../_farm/noise.ts';
import { isRecord } from '../_farm/servers/cgminer-api.ts';
import { md5CryptHash, seal, sha256, unseal } from './farm-crypt.ts';

const TOKEN_LIFE_S = 1_800;
const TOKENS_PER_PEER = 16;
const SALT_ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

type Token = {
  readonly peer: string;
  readonly time: string;
  readonly newsalt: string;
  readonly expiresS: number;
  /** Worked out when first needed: the key derivation is slow. */
  sign: string | undefined;
};

type OpenedWrite = {
  readonly request: Readonly<Record<string, unknown>>;
  seal(reply: string): string;
};

export type TokenDesk = {
  /** Undefined = this client has too many. */
  issue(peer: string): { readonly time: string; readonly salt: string; readonly newsalt: string } | undefined;
  open(data: string, peer: string): OpenedWrite | 'not-base64' | 'no-token';
};

export function createTokenDesk(device: SimDevice): TokenDesk {
  const { seed } = device.site;
  const salt = rollText(SALT_ALPHABET, 8, seed, device.index, 500);
  let tokens: Token[] = [];
  let issued = 0;
  let known: { readonly password: string; readonly key: string; readonly aes: Buffer } | undefined;

  const keyFor = (password: string) => {
    if (known?.password === password) return known;
    const key = md5CryptHash(password, salt);
    known = { password, key, aes: sha256(key) };
    // A changed password ends every token.
    tokens = tokens.map((token) => ({ ...token, sign: undefined }));
    return known;
  };
  const live = () => {
    tokens = tokens.filter((token) => token.expiresS > device.nowS());
    return tokens;
  };

  return {
    issue(peer) {
      if (live().filter((token) => token.peer === peer).length >= TOKENS_PER_PEER) return undefined;
      issued++;
      const newsalt = rollText(SALT_ALPHABET, 8, seed, device.index, 501 + issued);
      const time = String(Math.floor(device.nowS())).slice(-4);
      tokens.push({ peer, time, newsalt, expiresS: device.nowS() + TOKEN_LIFE_S, sign: undefined });
      return { time, salt, newsalt };
    },
    open(data, peer) {
      if (!/^[A-Za-z0-9+/]+={0,2}$/.test(data)) return 'not-base64';
      const { key, aes } = keyFor(device.login?.password ?? '');
      const text = unseal(data, aes);
      const request = text === undefined ? undefined : parse(text);
      const given = request?.token;
      if (!request || typeof given !== 'string') return 'no-token';
      const isGood = live().some((token) => {
        if (token.peer !== peer) return false;
        token.sign ??= md5CryptHash(key + token.time, token.newsalt);
        return token.sign === given;
      });
      return isGood ? { request, seal: (reply) => seal(reply, aes) } : 'no-token';
    },
  };
}

function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
