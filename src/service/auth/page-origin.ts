// Whether a request with a session comes from our own page: the host that was asked is one of ours, and the page that
// asks has the same. Against pages of others in the same browser, and names that are turned to our address.
import { isIP } from 'node:net';
import { RefusedError } from '../../base/errors.ts';
import { isLoopback, isThisMachine } from '../../base/net/ipv4.ts';

export type Asked = {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Name and port that the client has asked. */
  readonly host: string | undefined;
  /** The client speaks TLS, with us or with a proxy that we trust. */
  readonly isSecure: boolean;
  /** Of the client. */
  readonly address: string;
};

export type PageOrigin = ReturnType<typeof createPageOrigin>;

const LOCAL_NAME = /^([a-z0-9-]{1,63}\.){1,4}local$/;

/** `page.hosts` = names, without a port, beside that of `publicUrl`, addresses and names of this network. */
export function createPageOrigin({
  publicUrl,
  page,
}: {
  readonly publicUrl?: string | undefined;
  readonly page: { readonly allowPlain: boolean; readonly hosts: readonly string[] };
}) {
  const known = publicUrl === undefined ? undefined : new URL(publicUrl);
  const names = new Set([...page.hosts.map((name) => name.toLowerCase()), ...(known ? [known.hostname] : [])]);
  const isOurs = (name: string) =>
    name === 'localhost' || isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || LOCAL_NAME.test(name) || names.has(name);
  return {
    /** Throws RefusedError `auth.host`. */
    requireHost({ host }: Pick<Asked, 'host'>): void {
      const name = nameOf(host);
      if (name !== undefined && isOurs(name)) return;
      throw new RefusedError(
        'auth.host',
        `The service does not answer with a session under the host name ${name === undefined ? 'that was asked' : `'${name}'`}: open the page by its address, localhost, a .local name${known ? `, ${known.host}` : ' or the host of listen.publicUrl'}`,
      );
    },
    /** Throws RefusedError `auth.plain`: a session that others on the way can read is theirs too. */
    requireEncrypted({ isSecure, address }: Pick<Asked, 'isSecure' | 'address'>): void {
      if (!isSecure && !page.allowPlain && !isThisMachine(address) && !isLoopback(address))
        throw new RefusedError('auth.plain');
    },
    /** Throws RefusedError `auth.origin`. */
    requireOrigin({ headers, host, isSecure }: Asked): void {
      const { origin, 'sec-fetch-site': site } = headers;
      if (site !== undefined && site !== 'same-origin') throw fromElsewhere('the browser says that another page asks');
      if (typeof origin !== 'string') throw fromElsewhere('the header Origin is missing');
      if (origin === known?.origin) return;
      const asking = URL.canParse(origin) ? new URL(origin) : undefined;
      const schemes = isSecure ? ['https:'] : ['http:', 'https:'];
      if (asking === undefined || asking.origin !== origin || !schemes.includes(asking.protocol) || !host)
        throw fromElsewhere('the header Origin is not that of this page');
      if (new URL(`${asking.protocol}//${host}`).host !== asking.host)
        throw fromElsewhere('the header Origin names another host than was asked');
    },
  };
}

/** In small letters, without the port. */
function nameOf(host: string | undefined): string | undefined {
  const [, name] = /^(\[[0-9a-f:.]{2,45}\]|[\w.-]{1,253})(?::\d{1,5})?$/i.exec(host ?? '') ?? [];
  return name?.toLowerCase();
}

const fromElsewhere = (why: string) =>
  new RefusedError('auth.origin', `The request comes from another web page, or from no page: ${why}`);

/**
 * What changes something has a body of JSON, or none: a form of another page can send neither. Throws RefusedError
 * `request.media-type`.
 */
export function requireJson({ headers }: Pick<Asked, 'headers'>): void {
  const hasBody = headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
  const type = headers['content-type'];
  const isJson = typeof type === 'string' && /^application\/json\s*(;|$)/i.test(type);
  if (!isJson && (hasBody || type !== undefined))
    throw new RefusedError('request.media-type', 'The request body must be application/json where a session asks');
}

export const isReading = ({ method }: Pick<Asked, 'method'>): boolean => method === 'GET' || method === 'HEAD';
