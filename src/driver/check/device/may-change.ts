// Whether a request to a device may change something on it, as far as the request shows.
import type { HttpRequest, MinerRequest } from '../../../transport/request.ts';
import type { Driver } from '../../contract.ts';

const said = ({ method, json, form }: HttpRequest) => JSON.stringify([method, json, form]);

/**
 * Whether a request may change something. What is asked at polls does not, nor does a GraphQL query, nor words that
 * only read.
 */
export function mayChange(driver: Driver, request: MinerRequest): boolean {
  const isAsked = (same: (ask: MinerRequest) => boolean) => Object.values(driver.asks).some(same);
  switch (request.via) {
    case 'http':
      if (request.method === 'GET') return false;
      if (/"query":"\s*(query|\{)/.test(JSON.stringify(request.json ?? {}))) return false;
      return !isAsked((ask) => ask.via === 'http' && ask.path === request.path && said(ask) === said(request));
    case 'cgminer':
      return (
        !isAsked((ask) => ask.via === 'cgminer' && ask.command === request.command) && !READS.test(request.command)
      );
    case 'whatsminer3':
      return !request.cmd.startsWith('get.');
    case 'whatsminer2-write':
    case 'whatsminer3-write':
      return true;
  }
}
const READS = /^(get_\w+|version|summary|status|stats|config|profiles|profileget|limits|groups|pools|session)$/;
