// The process in which the drivers of a folder run: loads files, calls what they export, and hands requests to devices
// to the agent. It opens no socket and reads nothing but the folder; what holds it to that is how it is started.
import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers';
import { z } from 'zod';
import { renderError } from '../../../base/errors.ts';
import { parseJson } from '../../../wire/frames.ts';
import { isShown } from '../../proof.ts';
import type { Family } from '../../recognition.ts';
import { placeIn, syntaxPlace } from '../place.ts';
import { type Failure, type FromProcess, failureOf, type ToProcess, toProcessSchema } from '../process/protocol.ts';
import { Acts } from './acts.ts';
import { restrictImports } from './imports.ts';
import { madeOf } from './maker.ts';
import { Parts } from './parts.ts';

/** Time and network belong to the agent. Without them nothing of a driver runs between two calls. */
const NOT_FOR_DRIVERS = ['setTimeout', 'setInterval', 'setImmediate', 'fetch', 'WebSocket', 'EventSource'] as const;

type Channel = { post(message: FromProcess): void };

/** `kit` = what each driver gets. Resolves when the agent that started it is gone. */
export function serveDrivers(kit: Readonly<Record<string, unknown>>): Promise<void> {
  for (const name of NOT_FOR_DRIVERS) Reflect.deleteProperty(globalThis, name);
  const channel: Channel = { post: (message) => void process.send?.(message) };
  const drivers = new Map<string, Parts>();
  const folders = new Map<string, string>();
  const acts = new Acts(channel, drivers);
  const given = Object.freeze({ ...kit });
  restrictImports(() => [...folders.values()].flatMap((folder) => [folder, realpathSync(folder)]));
  process.on('message', (message) => {
    const { data } = toProcessSchema.safeParse(message);
    if (data !== undefined) void answer(data, { channel, drivers, folders, acts, kit: given });
  });
  channel.post({ kind: 'ready' });
  return new Promise((resolve) => process.once('disconnect', resolve));
}

type Serving = {
  readonly channel: Channel;
  readonly drivers: Map<string, Parts>;
  readonly acts: Acts;
  readonly kit: Readonly<Record<string, unknown>>;
  /** Where the files of each driver are. */
  readonly folders: Map<string, string>;
};

/** With the place in the driver's own files. */
function placed(error: unknown, message: ToProcess, { folders }: Serving): Failure {
  const failure = failureOf(error);
  const [id = ''] = 'id' in message ? message.id.split(' ') : [];
  const folder = folders.get(id);
  const place = folder === undefined || failure.peer !== undefined ? undefined : placeIn(error, folder);
  return place === undefined ? failure : { ...failure, message: `${place}: ${failure.message}` };
}

async function answer(message: ToProcess, serving: Serving): Promise<void> {
  const { seq } = message;
  try {
    const value = await resultOf(message, serving);
    serving.channel.post({ kind: 'done', seq, value });
  } catch (error) {
    serving.channel.post({ kind: 'failed', seq, failure: placed(error, message, serving) });
  }
  // Linux tells the agent. Between two messages nothing of a driver runs, so nothing grows.
  if (process.platform !== 'linux') serving.channel.post({ kind: 'memory', rss: process.memoryUsage.rss() });
}

function resultOf(message: ToProcess, { drivers, folders, acts, kit }: Serving): unknown {
  switch (message.kind) {
    case 'load': {
      folders.set(message.id, dirname(message.path));
      const parts = new Parts(madeOf(required(message.path), kit));
      drivers.set(message.id, parts);
      return parts.description;
    }
    case 'call': {
      const [id, act] = message.id.split(' ');
      return (act === undefined ? drivers.get(id ?? '') : acts.partsOf(Number(act)))?.call(message.fn, message.args);
    }
    case 'prove': {
      const { families } = familiesSchema.parse(drivers.get(message.id)?.driver);
      const answers = answersSchema.parse(message.answers);
      return families.filter((family) => isShown(family, answers)).map(({ id }) => id);
    }
    case 'claim': {
      const { ipReport } = reportSchema.parse(drivers.get(message.id)?.driver);
      return claimOf(ipReport, message.text);
    }
    case 'act':
      acts.begin(message);
      return settled();
    case 'answer':
      acts.answer(message.request, message.value);
      return settled();
    case 'refusal':
      acts.refuse(message.request, message.failure);
      return settled();
  }
}

function required(path: string): unknown {
  try {
    return createRequire(path)(path);
  } catch (error) {
    const place = error instanceof SyntaxError ? syntaxPlace(path, error) : undefined;
    throw place === undefined ? error : new Error(`${place}: ${renderError(error)}`);
  }
}

const reportSchema = z.looseObject({
  ipReport: z.object({ words: z.instanceof(RegExp).exactOptional(), fields: z.instanceof(z.ZodType).exactOptional() }),
});
const claimSchema = z.object({ ip: z.string(), mac: z.string() });

/** The first group is the address, the second the MAC. */
function claimOf({ words, fields }: z.output<typeof reportSchema>['ipReport'], text: string) {
  if (fields !== undefined) {
    const { data } = fields.safeParse(parseJson(text));
    return claimSchema.safeParse(data).data;
  }
  const found = words?.exec(text);
  if (found === null || found === undefined) return undefined;
  const [, ip, mac] = found;
  return { ...(ip !== undefined && { ip }), ...(mac !== undefined && { mac }) };
}

/** What the message set going has run as far as it can. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const familiesSchema = z.looseObject({ families: z.custom<readonly Family[]>(Array.isArray).default([]) });
const answersSchema = z.custom<Parameters<typeof isShown>[1]>((value) => typeof value === 'object' && value !== null);
