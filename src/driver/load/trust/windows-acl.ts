// What Windows says of who may change a file, judged by its security descriptor: only administrators, the system and
// its installer may. It asks once for all files and changes nothing.
import { securityOf } from '../../../base/platform/service-manager.ts';

/** Administrators, the system, the service that installs Windows. */
const TRUSTED: ReadonlySet<string> = new Set([
  'BA',
  'SY',
  'S-1-5-32-544',
  'S-1-5-18',
  'S-1-5-80-956008885-3418522649-1831038044-1853292631-2271478464',
]);
/** As the owner of what is made later, which is inherited and means no one yet. */
const CREATOR_OWNER: ReadonlySet<string> = new Set(['CO', 'S-1-3-0']);

/** Rights by which a file can be changed or replaced, as bits of the access mask. */
const CHANGES_FILE = 0x2 | 0x4 | 0x10 | 0x40 | 0x100 | 0x10000 | 0x40000 | 0x80000 | 0x40000000 | 0x10000000;
/** Of a folder above it: by adding other entries to that folder nothing is replaced. */
const CHANGES_PARENT = 0x40 | 0x10000 | 0x40000 | 0x80000 | 0x10000000;

const BITS: Readonly<Record<string, number>> = {
  FA: 0x1f01ff,
  FW: 0x120116,
  FR: 0x120089,
  FX: 0x1200a0,
  GA: 0x10000000,
  GW: 0x40000000,
  GR: 0,
  GX: 0,
  CC: 0x1,
  DC: 0x2,
  LC: 0x4,
  SW: 0x8,
  RP: 0x10,
  WP: 0x20,
  DT: 0x40,
  LO: 0x80,
  CR: 0x100,
  SD: 0x10000,
  RC: 0x20000,
  WD: 0x40000,
  WO: 0x80000,
};

/** What speaks against this descriptor (SDDL); undefined = nothing. */
export function sddlDoubt(sddl: string, isParent: boolean): string | undefined {
  const owner = /^O:(S-[\d-]+|[A-Z]{2})/.exec(sddl)?.[1];
  if (owner === undefined) return 'shows no owner';
  if (!TRUSTED.has(owner)) return `belongs to ${owner}, not to the administrators`;
  const list = /D:([A-Z_]*)((?:\([^)]*\))*)/.exec(sddl);
  if (list === null || list[1]?.includes('NO_ACCESS_CONTROL')) return 'can be changed by all users';
  for (const [, entry = ''] of (list[2] ?? '').matchAll(/\(([^)]*)\)/g)) {
    const [type = '', flags = '', rights = '', , , who = ''] = entry.split(';');
    const isOfLater = flags.includes('IO') || CREATOR_OWNER.has(who);
    if (!type.includes('A') || type === 'AU' || isOfLater || TRUSTED.has(who)) continue;
    if ((maskOf(rights) & (isParent ? CHANGES_PARENT : CHANGES_FILE)) !== 0) return `can be changed by ${who}`;
  }
  return undefined;
}

/** Unknown words count as every right. */
function maskOf(rights: string): number {
  if (/^0x[0-9a-f]+$/i.test(rights)) return Number(rights);
  const words = rights.match(/../g) ?? [];
  return words.reduce((mask, word) => mask | (BITS[word] ?? 0x1f01ff), 0);
}

export async function windowsDoubt(files: readonly string[], parents: readonly string[]): Promise<string | undefined> {
  const shown = await securityOf([...files, ...parents]);
  for (const [paths, isParent] of [[files, false] as const, [parents, true] as const]) {
    for (const path of paths) {
      const doubt = sddlDoubt(shown.get(path) ?? '', isParent);
      if (doubt !== undefined) return `${path} ${doubt}: leave it to the administrators (icacls)`;
    }
  }
  return undefined;
}
