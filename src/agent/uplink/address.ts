// The address of the service: encrypted, or this machine; any other only when the operator allows it. It resolves no
// names.
import { ConfigError } from '../../base/errors.ts';
import { isExposed, isThisMachine } from '../../base/net/ipv4.ts';

const FORMS = 'https://… or wss://… (http:// and ws:// only to this machine, or with allowPlain)';

/** Throws ConfigError when a token must not be sent to this address. */
export function serviceAddress(text: string, allowPlain = false) {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const refuse = (message: string) => new ConfigError('read the address of the service', [{ path: 'url', message }]);
  if (url === undefined) throw refuse(`is not ${FORMS}`);
  const isEncrypted = url.protocol === 'https:' || url.protocol === 'wss:';
  const isPlain = url.protocol === 'http:' || url.protocol === 'ws:';
  if (!isEncrypted && !isPlain) throw refuse(`is not ${FORMS}`);
  if (url.username !== '' || url.password !== '') throw refuse('must not hold a user or a password');
  if (isExposed(url) && !allowPlain) throw refuse(`is not encrypted: use ${FORMS}`);
  const rest = `${url.host}${url.pathname.replace(/\/+$/, '')}`;
  return {
    /** Without a trailing slash. */
    http: `${isEncrypted ? 'https' : 'http'}://${rest}`,
    ws: `${isEncrypted ? 'wss' : 'ws'}://${rest}`,
    /** Not encrypted, and not this machine: only because the operator allows it. */
    isExposed: isExposed(url),
    isThisMachine: isThisMachine(url.hostname),
  };
}
