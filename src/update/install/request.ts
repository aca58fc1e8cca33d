// What the agent leaves for root: a request and a bundle, in a folder of the agent. Links are not followed, sizes are
// capped, and nothing is trusted. On Windows the folder belongs to administrators, and the agent is one.
import { closeSync, constants, openSync, rmdirSync, unlinkSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { z } from 'zod';
import { bundlePath, requestPath } from './layout.ts';

const MAX_REQUEST_BYTES = 4_096;
const requestSchema = z.object({
  task_id: z.string().min(1).max(128),
  /** What a person has said beside the bundle, on Windows; elsewhere it is not for the agent to say. */
  by_hand: z
    .object({
      again: z.boolean(),
      without_drivers: z.boolean().default(false),
      ready_ms: z.number().max(600_000),
      stable_ms: z.number().max(600_000),
    })
    .optional(),
});
export type UpdateRequest = z.output<typeof requestSchema>;

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Undefined when there is none; one that makes no sense is taken away. */
export const readRequest = (requests: string): Promise<UpdateRequest | undefined> =>
  inOwnFolder(requests, async (folder) => {
    const request = await parseRequest(requestPath(folder)).catch(() => undefined);
    if (request === undefined) removeName(requestPath(folder));
    return request;
  }).catch(() => undefined);

async function parseRequest(path: string): Promise<UpdateRequest> {
  await using file = await open(path, READ);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_REQUEST_BYTES), 0, MAX_REQUEST_BYTES, 0);
  return requestSchema.parse(JSON.parse(buffer.toString('utf8', 0, bytesRead)));
}

/** Throws when it is no plain file. */
export async function openBundle(requests: string): Promise<FileHandle> {
  const file = await inOwnFolder(requests, (folder) => open(bundlePath(folder), READ));
  const isFile = (await file.stat()).isFile();
  if (isFile) return file;
  await file.close();
  throw new Error('the wanted update is no plain file');
}

/** It is asked for once: whatever becomes of it, it is not tried again by itself. */
export const removeRequest = (requests: string): Promise<void> => remove(requests, requestPath);
export const removeBundle = (requests: string): Promise<void> => remove(requests, bundlePath);

const remove = (requests: string, path: (folder: string) => string): Promise<void> =>
  inOwnFolder(requests, async (folder) => removeName(path(folder))).catch(() => {});

/** The name alone: what a link leads to stays, and so does what is in a folder of that name. */
function removeName(path: string): void {
  for (const take of [unlinkSync, rmdirSync]) {
    try {
      take(path);
      return;
    } catch {
      // Gone already, or of the other kind.
    }
  }
}

/**
 * `act` gets a path that leads to this folder whatever replaces it meanwhile. Throws when it is a link or missing:
 * through a link root would work elsewhere.
 */
async function inOwnFolder<T>(requests: string, act: (folder: string) => Promise<T>): Promise<T> {
  if (process.platform === 'win32') return act(requests);
  const descriptor = openSync(requests, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  try {
    return await act(`/proc/self/fd/${descriptor}`);
  } finally {
    closeSync(descriptor);
  }
}
