// Starts a new program alone: it must fit this processor, report the signed version, and all its parts must work here.
import { open } from 'node:fs/promises';
import { z } from 'zod';
import { PeerError } from '../../base/errors.ts';
import { tryProgram } from '../../base/platform/service-manager.ts';
import { plainText } from '../../model/plain-text.ts';

/** The first start of a program on this host: a virus scanner may read all of it first. */
const VERSION_MS = 60_000;
const SELFTEST_MS = 120_000;

/** Throws PeerError with what it does instead. */
export async function tryNewProgram(path: string, version: string): Promise<void> {
  await mustFitProcessor(path);
  const said = (await attempt('--version', () => tryProgram(path, ['--version'], VERSION_MS))).trim();
  if (said !== version) {
    throw new PeerError('peer.rejected', `it says that it is '${plainText(said, 64) ?? ''}', not ${version}`, 'never');
  }
  await attempt('selftest', () => tryProgram(path, ['selftest', '--json'], SELFTEST_MS));
}

const HEAD_BYTES = 4_096;
const ELF = 0x7f454c46;
const MZ = 0x4d5a;
const PE = 0x50450000;
/** Of the ELF and of the PE header, by `process.arch`. */
const MACHINES: ReadonlyMap<string, { readonly elf: number; readonly pe: number }> = new Map([
  ['x64', { elf: 62, pe: 0x8664 }],
  ['arm64', { elf: 183, pe: 0xaa64 }],
]);

/** What is no program for this processor would be taken for a script. */
async function mustFitProcessor(path: string): Promise<void> {
  await using file = await open(path, 'r');
  const { buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
  const machine = MACHINES.get(process.arch);
  const found = process.platform === 'win32' ? peMachine(buffer) : elfMachine(buffer);
  const wanted = process.platform === 'win32' ? machine?.pe : machine?.elf;
  if (found === undefined || found !== wanted)
    throw new PeerError('peer.rejected', `it is no program for ${process.arch}`, 'never');
}

const elfMachine = (head: Buffer): number | undefined =>
  head.readUInt32BE(0) === ELF ? head.readUInt16LE(18) : undefined;

/** Undefined when it is no Windows program. */
export function peMachine(head: Buffer): number | undefined {
  if (head.readUInt16BE(0) !== MZ) return undefined;
  const at = head.readUInt32LE(0x3c);
  return at <= head.length - 6 && head.readUInt32BE(at) === PE ? head.readUInt16LE(at + 4) : undefined;
}

const MAX_SAID = 200;
const failureSchema = z.object({
  code: z.union([z.string(), z.number()]).nullish(),
  signal: z.string().nullish(),
  stderr: z.string().default(''),
});

/** With the last line that the program says of it. */
async function attempt(what: string, act: () => Promise<string>): Promise<string> {
  try {
    return await act();
  } catch (error) {
    const parsed = failureSchema.safeParse(error);
    if (!parsed.success) throw error;
    const { code, signal, stderr } = parsed.data;
    const lastLine = stderr.trim().split('\n').at(-1) ?? '';
    const said = plainText(lastLine, MAX_SAID);
    const how = `${what} ends with ${signal ?? code ?? 'an error'}`;
    throw new PeerError('peer.rejected', said !== undefined ? `${how}: ${said}` : how, 'never');
  }
}
