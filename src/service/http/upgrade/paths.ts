// Which requests ask for a WebSocket that the service has. All others stay requests like any other.
import type { IncomingMessage } from 'node:http';
import { UPLINK_PATH } from '../../../wire/protocol.ts';
import { BOARD_STREAM } from '../../auth/rules.data.ts';

const STREAM = new RegExp(`^${BOARD_STREAM.replaceAll(/:\w+/g, '[^/]+')}$`);

type Asked = Pick<IncomingMessage, 'method' | 'url' | 'headers'>;

/** Some clients offer HTTP/2 with every request (`Upgrade: h2c`). */
export const asksForWebSocket = ({ method, url, headers }: Asked): boolean =>
  headers.upgrade?.toLowerCase() === 'websocket' && (pathOf(url) === UPLINK_PATH || isStream({ method, url }));

/** It is routed, and so guarded, as every request; its route accepts it. */
export const isStream = ({ method, url }: Omit<Asked, 'headers'>): boolean =>
  method === 'GET' && STREAM.test(pathOf(url));

const pathOf = (url: string | undefined): string => url?.split('?')[0] ?? '';
