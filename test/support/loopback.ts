// Networks of loopback for the simulated devices of a test file: its own, though other files and other checkouts run
// beside it. The name of the file chooses the place, so that it is the same in each run; while another process holds
// that one, it is the next.
import { createServer, type Server } from 'node:net';
import { join, relative } from 'node:path';
import { crc32 } from 'node:zlib';
import { afterEach, expect } from 'vitest';
import { formatIpv4 } from '../../src/base/net/ipv4.ts';

export type Loopback = {
  /** `127.192.16.0/26` */
  readonly network: string;
  /** `ip(0)` is the network address. */
  ip(offset: number): string;
  /** The network of this prefix that begins at this address. */
  part(offset: number, prefix: number): string;
};

/**
 * Above what the demo, the benches and the programs of `packaging` use. The last address, which is for all, is left
 * out.
 */
const FIRST = 0x7fc00000;
const BLOCK_SIZE = 4_096;
const BLOCKS = 1_023;
const ROOT = join(import.meta.dirname, '..', '..');

type Block = { readonly lock: Server; next: number; readonly end: number };

/** Of each test file that this process has run: as long as the process lives, they are its own. */
const blocks = new Map<string, Block>();

/**
 * A network that this file has not had yet. `prefix`: from 20, the largest, to 32. Called while the file is read, it is
 * named when a test fails.
 */
export function loopback(prefix = 24): Loopback {
  const size = 2 ** (32 - prefix);
  const file = relative(ROOT, expect.getState().testPath ?? '');
  let block = blocks.get(file);
  const startIn = ({ next }: Block) => Math.ceil(next / size) * size;
  if (block === undefined || startIn(block) + size > block.end) {
    block = takeBlock(file);
    blocks.set(file, block);
  }
  const first = startIn(block);
  block.next = first + size;
  const network = `${formatIpv4(first)}/${prefix}`;
  afterEach(({ task }) => {
    if (task.result?.state === 'fail') process.stdout.write(`${task.name}: with ${network}\n`);
  });
  const ip = (offset: number) => {
    if (offset < 0 || offset >= size) throw new Error(`a /${prefix} has no address ${offset}`);
    return formatIpv4(first + offset);
  };
  return { network, ip, part: (offset, length) => `${ip(offset)}/${length}` };
}

function takeBlock(file: string): Block {
  const usual = crc32(file) % BLOCKS;
  for (let tried = 0; tried < BLOCKS; tried++) {
    const next = FIRST + ((usual + tried) % BLOCKS) * BLOCK_SIZE;
    const lock = lockOf(formatIpv4(next));
    if (lock !== undefined) return { lock, next, end: next + BLOCK_SIZE };
  }
  throw new Error('other processes hold all the loopback networks of tests');
}

/**
 * A name that one process of this machine can listen at, and that is free again when the process ends, however it ends.
 * It is no file. macOS has no such names, and no such addresses either.
 */
function lockOf(block: string): Server | undefined {
  const server = createServer();
  if (process.platform === 'darwin') return server;
  server.on('error', () => {});
  server.listen(process.platform === 'win32' ? `\\\\.\\pipe\\pithead-tests-${block}` : `\0pithead-tests-${block}`);
  server.unref();
  return server.listening ? server : undefined;
}
