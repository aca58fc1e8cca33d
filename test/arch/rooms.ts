// Who may import whom: the one table. A room is a folder; one that the table does not know may not exist.
import { importsOf, type Source } from './sources.ts';

/**
 * Folders of the agent by number: one may import those of a lower number. What needs nothing of the others comes first,
 * then one miner, all miners, what goes round them, what changes them, the ways in, the configuration, and what the
 * command line does without a running agent.
 */
export const AGENT_FOLDERS: Readonly<Record<string, number>> = {
  host: 1,
  state: 1,
  outbox: 1,
  firmware: 1,
  watchdog: 1,
  device: 2,
  fleet: 3,
  'pool-lock': 3,
  poll: 4,
  scan: 4,
  'ip-reports': 5,
  capture: 5,
  tasks: 5,
  uplink: 6,
  control: 7,
  config: 8,
  standalone: 9,
};

/** Folders of the service between the store and HTTP; each may import the store and `auth`. */
const SERVICE_FOLDERS = [
  'ingest',
  'auth',
  'people',
  'tasks',
  'board',
  'notify',
  'events',
  'webhooks',
  'audit',
  'locations',
  'certificates',
  'local-name',
];

const BELOW_AGENT = ['base', 'model', 'wire', 'transport', 'case', 'driver'];
const BELOW_SERVICE = ['base', 'model', 'wire'];
/** What a driver may build on. */
const BELOW_DRIVERS = ['base', 'model', 'driver', 'drivers/_dialects', 'drivers/data'];

/** What the simulated device of a driver may build on. */
const BELOW_FARMS = ['base', 'model', 'case', 'drivers/_farm'];

/** The room of a file, given as path from the project's root. */
export function roomOf(path: string): string {
  const parts = path.split('/');
  const [top, second, third] = parts;
  if (top === 'drivers') return roomOfDriver(path, parts);
  // Texts and pictures: who shows them imports no code of the packages.
  if (/^packaging\/(handbook\/[a-z]+\.md|pictures\/[a-z]+\.png)$/.test(path)) return 'handbook';
  if (top !== 'src') return top ?? path;
  if (parts.length === 2) return 'main';
  if (second === 'agent' || second === 'service') return parts.length === 3 ? second : `${second}/${third}`;
  return second ?? path;
}

/** The simulated device of a driver is a room of its own: an agent loads none. */
function roomOfDriver(path: string, [, folder = '', file]: readonly string[]): string {
  if (file === undefined) {
    if (path.endsWith('.data.ts')) return 'drivers/data';
    return folder === 'farm-index.ts' ? 'drivers/farm-index' : 'drivers/index';
  }
  const isSimulated = !folder.startsWith('_') && /^farm[-.]/.test(file);
  return isSimulated ? `drivers/${folder}/farm` : `drivers/${folder}`;
}

const isFarmOfDriver = (room: string): boolean => /^drivers\/[^/]+\/farm$/.test(room);
/** The kit of simulated devices, or the device of one driver. */
export const isFarm = (room: string): boolean => room === 'drivers/_farm' || isFarmOfDriver(room);

/** Whether files of `room` may import files of `target`, another room. */
export function mayImport(room: string, target: string): boolean {
  const [top = '', folder = ''] = room.split('/');
  if (folder !== '' && top === 'agent') return mayAgentFolderImport(folder, target);
  if (folder !== '' && top === 'service') return mayServiceFolderImport(folder, target);
  const whole = WHOLE_ROOMS[room];
  if (whole !== undefined) return whole(target);
  if (isFarmOfDriver(room)) return BELOW_FARMS.includes(target);
  return top === 'drivers' && BELOW_DRIVERS.includes(target);
}

const oneOf =
  (...rooms: string[]) =>
  (target: string) =>
    rooms.includes(target);

const WHOLE_ROOMS: Readonly<Record<string, (target: string) => boolean>> = {
  base: () => false,
  model: oneOf('base'),
  update: oneOf('base', 'model'),
  wire: oneOf('base', 'model'),
  transport: oneOf('base', 'model'),
  case: oneOf('base', 'model'),
  driver: oneOf('base', 'model', 'wire', 'transport', 'case'),
  'drivers/data': oneOf('base', 'model'),
  'drivers/_farm': oneOf('base', 'model', 'case'),
  'drivers/index': (target) => target === 'driver' || (target.startsWith('drivers/') && !isFarm(target)),
  'drivers/farm-index': isFarm,
  agent: (target) =>
    [...BELOW_AGENT, 'drivers/index'].includes(target) ||
    (target.startsWith('agent/') && target !== 'agent/standalone'),
  service: (target) => BELOW_SERVICE.includes(target) || target.startsWith('service/'),
  page: oneOf('base', 'model', 'wire', 'handbook'),
  cli: (target) => !/^(main|page|drivers\/(?!index))/.test(target),
  main: () => true,
  fixtures: oneOf('base', 'model', 'transport', 'drivers/_farm', 'drivers/farm-index'),
};

function mayAgentFolderImport(folder: string, target: string): boolean {
  const own = AGENT_FOLDERS[folder];
  if (own === undefined) return false;
  if (BELOW_AGENT.includes(target)) return true;
  // A task updates the program; without a running agent the command line needs the drivers as well.
  if (folder === 'tasks' && target === 'update') return true;
  if ((folder === 'standalone' || folder === 'capture') && target === 'drivers/index') return true;
  const [top, name = ''] = target.split('/');
  return top === 'agent' && (AGENT_FOLDERS[name] ?? Infinity) < own;
}

function mayServiceFolderImport(folder: string, target: string): boolean {
  if (!['store', 'http', ...SERVICE_FOLDERS].includes(folder)) return false;
  if (BELOW_SERVICE.includes(target)) return true;
  const name = target.replace(/^service\//, '');
  if (folder === 'store') return false;
  if (folder === 'http') return name === 'store' || SERVICE_FOLDERS.includes(name);
  return SERVICE_FOLDERS.includes(folder) && (name === 'store' || name === 'auth');
}

/** How a folder looks from its root: its files and folders as rooms, and which of them imports which. */
export type Picture = {
  readonly rooms: readonly { readonly name: string; readonly files: number; readonly lines: number }[];
  readonly arrows: readonly { readonly from: string; readonly to: string }[];
};

/** `folder` = from the project's root, as 'src/agent'. Imports of types count as any other. */
export function pictureOf(folder: string, files: readonly Source[]): Picture {
  const nameOf = (path: string) =>
    path.startsWith(`${folder}/`) ? path.slice(folder.length + 1).split('/')[0] : undefined;
  const rooms = new Map<string, { name: string; files: number; lines: number }>();
  const arrows = new Map<string, { from: string; to: string }>();
  for (const source of files) {
    const from = nameOf(source.path);
    if (from === undefined) continue;
    const room = rooms.get(from) ?? { name: from, files: 0, lines: 0 };
    rooms.set(from, { name: from, files: room.files + 1, lines: room.lines + source.lines.length - 1 });
    for (const { to: path } of importsOf(source)) {
      const to = nameOf(path);
      if (to !== undefined && to !== from) arrows.set(`${from} ${to}`, { from, to });
    }
  }
  return { rooms: [...rooms.values()].toSorted(byName), arrows: [...arrows.values()] };
}

const byName = (a: { name: string }, b: { name: string }) => (a.name < b.name ? -1 : 1);

/** How much a picture of these folders may hold before a stranger gets lost in it. */
export const PICTURE_CAPS: Readonly<Record<string, { readonly rooms: number; readonly arrows: number }>> = {
  'src/agent': { rooms: 20, arrows: 70 },
};

/** What is too much in the picture of the folder; empty where nothing is, or no cap is set. */
export function overfull(folder: string, { rooms, arrows }: Picture): string[] {
  const cap = PICTURE_CAPS[folder];
  if (cap === undefined) return [];
  return [
    ...(rooms.length > cap.rooms ? [`${folder} has ${rooms.length} rooms, at most ${cap.rooms} are allowed`] : []),
    ...(arrows.length > cap.arrows ? [`${folder} has ${arrows.length} arrows, at most ${cap.arrows} are allowed`] : []),
  ];
}

/** Most `.ts` files at the root of a folder of `src`. */
export const maxFilesOf = (folder: string): number => (/\/(store|rules)$/.test(folder) ? 15 : 10);

/** Folders of `src` with more files at their root than they may have. */
export function crowded(files: readonly Source[]): string[] {
  const counts = new Map<string, number>();
  for (const { path } of files) {
    const folder = path.slice(0, path.lastIndexOf('/'));
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts].flatMap(([folder, count]) =>
    count > maxFilesOf(folder) ? [`${folder}: ${count} files, at most ${maxFilesOf(folder)}`] : [],
  );
}
