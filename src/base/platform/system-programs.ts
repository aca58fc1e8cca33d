// Where programs of the operating system are. They are started by their full path, also as root or administrator: a
// search path or a variable of the environment may come from a user with fewer rights.
import { existsSync } from 'node:fs';
import { win32 } from 'node:path';
import { z } from 'zod';

const LINUX_FOLDERS = ['/usr/bin', '/bin', '/usr/sbin', '/sbin', '/run/current-system/sw/bin'] as const;

/** A program of Linux; the name alone where none of the usual folders has it, and then starting it fails. */
export function linuxProgram(name: string, exists: (path: string) => boolean = existsSync): string {
  const folder = LINUX_FOLDERS.find((candidate) => exists(`${candidate}/${name}`));
  // Not by a search path: a name with a slash is never searched for.
  return `${folder ?? LINUX_FOLDERS[0]}/${name}`;
}

/** A program of Windows, by its name with `.exe`. */
export const windowsProgram = (name: string): string => win32.join(system32(), name);

const NTDLL = /^([A-Za-z]:\\.+)\\ntdll\.dll$/i;
const reportSchema = z.object({ sharedObjects: z.array(z.string()) });

/**
 * The folder from which Windows loaded the system library of this process: no variable of the environment can change
 * it. Else the usual folder below SystemRoot, where that names a folder of a drive.
 */
export function system32(
  sharedObjects: readonly string[] = loadedLibraries(),
  { SystemRoot: root = '' }: Readonly<Record<string, string | undefined>> = process.env,
): string {
  const loaded = sharedObjects.flatMap((path) => NTDLL.exec(win32.normalize(path))?.[1] ?? [])[0];
  if (loaded !== undefined) return loaded;
  const isUsual = /^[A-Za-z]:\\[^\\/:*?"<>|]+\\?$/.test(root);
  return win32.join(isUsual ? root : 'C:\\Windows', 'System32');
}

function loadedLibraries(): readonly string[] {
  const report = reportSchema.safeParse(process.report.getReport());
  return report.success ? report.data.sharedObjects : [];
}
