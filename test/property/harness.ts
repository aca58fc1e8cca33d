// What the properties share: the world, its document as it is served, and one way to ask and to judge.
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'vitest';
import type { Rule } from '../../src/service/auth/rules.data.ts';
import { type Client, createClient, type Got, judge, type Sent } from './exchange.ts';
import { type Document, type Operation, readDocument } from './openapi.ts';
import { createRequests, type Place, type Requests } from './requests.ts';
import { seedLine } from './seed.ts';
import { startWorld, type World } from './world.ts';

export type Harness = {
  readonly world: World;
  readonly document: Document;
  readonly requests: Requests;
  readonly client: Client;
  /** Of a row of the authorisation table. */
  operationOf(route: string): Operation;
  /** Sends it, judges the answer by the document, and gives it. */
  ask(operation: Operation, request: Sent): Promise<Got>;
  /** What a good caller of a route with this rule sends. */
  headersFor(rule: Rule | undefined): Readonly<Record<string, string>>;
  /** The farm that requests are about unless they say otherwise. */
  readonly place: Place;
  /** For the line of a bar: operations and how often each was asked. */
  asked(): string;
  stop(): Promise<void>;
};

const sum = (counts: readonly number[]) => counts.reduce((all, one) => all + one, 0);

/** As the authorisation table writes it. */
export const routeOf = ({ method, path }: Operation): string => `${method} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`;

export async function startHarness(): Promise<Harness> {
  const world = await startWorld();
  const client = createClient(world.rig.url);
  const { body } = await world.rig.get('/openapi.json', {});
  expect(body.openapi).toMatch(/^3\.1\./);
  expect(await new Validator().validate(structuredClone(body))).toEqual({ valid: true });
  const document = readDocument(body);
  const byRoute = new Map(document.operations.map((operation) => [routeOf(operation), operation]));
  const asked = new Map<string, number>();
  return {
    world,
    document,
    client,
    requests: createRequests(document, world.known),
    place: { workspace_id: world.own.workspaceId, farm_id: world.own.farmId },
    headersFor(rule) {
      const { cookie, origin } = world.browser;
      if (rule?.access === 'key') return { 'x-api-key': world.own.key };
      // Where a session may be missing, asking would end it.
      if (rule?.access === 'session') return rule.isOptional ? { origin } : { cookie, origin };
      return { origin };
    },
    operationOf(route) {
      const operation = byRoute.get(route);
      if (operation === undefined) throw new Error(`${route} is not in the document`);
      return operation;
    },
    async ask(operation, request) {
      asked.set(operation.id, (asked.get(operation.id) ?? 0) + 1);
      const got = await client.send(request);
      const wrong = judge(document, operation, got);
      if (wrong !== undefined) fail(request, got, wrong);
      return got;
    },
    asked() {
      const counts = [...asked.values()].toSorted((a, b) => a - b);
      return `${asked.size} of ${document.operations.length} operations, ${counts[0]} to ${counts.at(-1)} requests each, ${sum(counts)} in all`;
    },
    async stop() {
      await client.close();
      await world.stop();
      process.stdout.write(`${sum([...asked.values()])} generated requests, ${seedLine}\n`);
    },
  };
}

export function fail(request: Sent, got: Got, wrong: string): never {
  const body = request.body === undefined ? '' : ` ${JSON.stringify(String(request.body).slice(0, 600))}`;
  throw new Error(
    `${wrong}\n  ${request.method} ${request.path.slice(0, 600)}${body}\n  ${got.status} ${got.text.slice(0, 600)}\n  ${seedLine}`,
  );
}

export function expectStatus(request: Sent, got: Got, accepted: readonly number[]): void {
  if (!accepted.includes(got.status)) fail(request, got, `answers ${got.status}, expected ${accepted.join(' or ')}`);
}
