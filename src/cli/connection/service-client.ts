// The service's v2 API for one farm: finds the farm, asks, and turns refusals into words for people. It knows no route
// below the farm.
import { z } from 'zod';
import type { ServiceAsked } from '../../agent/control/control-client.ts';
import { PeerError } from '../../base/errors.ts';
import { nearestNames } from '../../base/nearest-names.ts';
import { errorSchema } from '../../wire/api/envelope.ts';
import { farmV2Schema, workspaceV2Schema } from '../../wire/api/tenants.ts';
import { wrongOption } from '../options.ts';
import { CommandFailed, EXIT } from '../output/exit.ts';
import type { Transport } from './transport.ts';

const workspacesAnswer = z.object({ data: z.array(workspaceV2Schema.pick({ id: true, name: true }).loose()) });
const farmsAnswer = z.object({ data: z.array(farmV2Schema.pick({ id: true, name: true, archived_at: true }).loose()) });

type Farm = { readonly id: string; readonly name: string | null; readonly workspaceId: string };

export type ServiceClient = {
  /** Where the service is, for messages. */
  readonly name: string;
  readonly farm: Farm;
  /**
   * `path` below the farm, such as `/miners`; a body that is a text is sent as CSV. Throws CommandFailed with what the
   * service refuses, PeerError when it does not answer.
   */
  ask<S extends z.ZodType>(schema: S, asked: ServiceAsked): Promise<z.output<S>>;
  close(): Promise<void>;
};

/** `farm` = id or name; without it the only one, or the oldest where the service has a default. */
export async function openService(
  transport: Transport,
  { farm: wanted }: { readonly farm?: string | undefined },
  signal: AbortSignal,
): Promise<ServiceClient> {
  const askAt = async <S extends z.ZodType>(schema: S, asked: ServiceAsked) => {
    const { status, body } = await transport.send(asked, signal);
    if (status >= 400) throw refused(transport.name, asked, status, body);
    const parsed = schema.safeParse(body);
    if (parsed.success) return parsed.data;
    throw new PeerError('peer.unparsable', `understand ${transport.name}`, 'never', parsed.error);
  };
  const farms = await farmsOf(askAt);
  const farm = chosen(farms, wanted, transport.name);
  const root = `/public-api/v2/workspaces/${farm.workspaceId}/farms/${farm.id}`;
  return {
    name: transport.name,
    farm,
    ask: (schema, asked) => askAt(schema, { ...asked, path: `${root}${asked.path}` }),
    close: transport.close,
  };
}

type Ask = <S extends z.ZodType>(schema: S, asked: ServiceAsked) => Promise<z.output<S>>;

async function farmsOf(ask: Ask): Promise<Farm[]> {
  const { data: workspaces } = await ask(workspacesAnswer, { method: 'GET', path: '/public-api/v2/workspaces' });
  const perWorkspace = workspaces.map(async ({ id: workspaceId }) => {
    const path = `/public-api/v2/workspaces/${workspaceId}/farms?page_size=1000`;
    const { data } = await ask(farmsAnswer, { method: 'GET', path });
    return data.filter(({ archived_at }) => archived_at === null).map(({ id, name }) => ({ id, name, workspaceId }));
  });
  return (await Promise.all(perWorkspace)).flat();
}

function chosen(farms: readonly Farm[], wanted: string | undefined, service: string): Farm {
  const [first, second] = farms;
  const names = farms.map(({ id, name }) => name ?? id);
  if (wanted !== undefined) {
    const found = farms.filter(({ id, name }) => id === wanted || name?.toLowerCase() === wanted.toLowerCase());
    if (found[0] !== undefined && found.length === 1) return found[0];
    const nearest = nearestNames(wanted, names);
    const offered = (nearest.length > 0 ? nearest : names.slice(0, 10)).join(', ');
    const problem = found.length > 1 ? 'is the name of several farms: give the id' : `is none of its farms: ${offered}`;
    throw wrongOption('--farm', `'${wanted}' ${problem}`);
  }
  if (first === undefined) throw new CommandFailed(`${service} shows this caller no farm`, EXIT.notRunning);
  if (second !== undefined)
    throw wrongOption('--farm', `${service} has several farms, name one of them: ${names.slice(0, 10).join(', ')}`);
  return first;
}

function refused(service: string, { method, path }: ServiceAsked, status: number, body: unknown): Error {
  const message = errorSchema.safeParse(body).data?.message ?? `it answers ${status}`;
  if (status === 401) return new CommandFailed(`${service} does not accept the key: ${message}`);
  if (status === 429 || status >= 500)
    return new PeerError('peer.busy', `${method} ${path.split('?', 1)[0]} of ${service}: ${message}`, 'later');
  return new CommandFailed(`${service} refuses this: ${message}`);
}
