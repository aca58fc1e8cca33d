// What the agent has put down for root: a request and a bundle, in a folder that belongs to the agent. Links are not followed, sizes are capped, and
// nothing is believed.
import { constants, lstatSync, realpathSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { z } from 'zod';
import { requestPath, wishedBundlePath } from '../update/places.ts';

const MAX_REQUEST_BYTES = 4_096;
const requestSchema = z.object({ task_id: z.string().min(1).max(128) });
export type UpdateRequest = z.output<typeof requestSchema>;

const READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Undefined when there is none; one that makes no sense is taken away. */
export async function readRequest(wishes: string): Promise<UpdateRequest | undefined> {
  if (!isOwnFolder(wishes)) return undefined;
  const file = await open(requestPath(wishes), READ).catch(() => undefined);
  if (file === undefined) {
    removeWish(requestPath(wishes));
    return undefined;
  }
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MAX_REQUEST_BYTES), 0, MAX_REQUEST_BYTES, 0);
    return requestSchema.parse(JSON.parse(buffer.toString('utf8', 0, bytesRead)));
  } catch {
    removeWish(requestPath(wishes));
    return undefined;
  } finally {
    await file.close();
  }
}

/** Throws when it is no plain file. */
export async function openWish(wishes: string): Promise<FileHandle> {
  const file = await open(wishedBundlePath(wishes), READ);
  const isFile = (await file.stat()).isFile();
  if (isFile) return file;
  await file.close();
  throw new Error('the wanted update is no plain file');
}

/** It is asked for once: whatever becomes of it, it is not tried again by itself. */
export function removeRequest(wishes: string): void {
  if (isOwnFolder(wishes)) removeWish(requestPath(wishes));
}

export function removeBundle(wishes: string): void {
  if (isOwnFolder(wishes)) removeWish(wishedBundlePath(wishes));
}

const removeWish = (path: string) => rmSync(path, { force: true, recursive: true });

/** A link in its place would make root work elsewhere. */
function isOwnFolder(wishes: string): boolean {
  try {
    return lstatSync(wishes).isDirectory() && realpathSync(wishes) === wishes;
  } catch {
    return false;
  }
}
