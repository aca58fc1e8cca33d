// The import table of `architecture.md`: which folder may import which, as `test/arch` checks it. Folders of the agent
// stand together by their number.
import { AGENT_FOLDERS, mayImport, roomOf } from '../arch/rooms.ts';
import { sources } from '../arch/sources.ts';
import { table } from './table.ts';

/** One folder of a driver stands for all. */
const DRIVER = 'drivers/<family>';
const found = [...new Set(sources('src', 'drivers').map(({ path }) => roomOf(path)))];
const ROOMS = [...found.filter((room) => room !== 'main' && !/^drivers\/(?!index|data)./.test(room)), DRIVER];

const agentNumber = (room: string) =>
  room.startsWith('agent/') ? AGENT_FOLDERS[room.slice('agent/'.length)] : undefined;
const isAgentFolder = (room: string) => agentNumber(room) !== undefined;
const targetsOf = (room: string) => ROOMS.filter((target) => target !== room && mayImport(room, target));
const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(', ');

export function importsTable(): string {
  const others = ROOMS.filter((room) => !isAgentFolder(room)).map((room) => {
    const targets = targetsOf(room);
    const left = targets.filter((target) => !isAgentFolder(target));
    const closed = ROOMS.filter((each) => isAgentFolder(each) && !targets.includes(each));
    const agent = targets.some(isAgentFolder) ? [`\`agent/*\`${closed.length > 0 ? ` but ${code(closed)}` : ''}`] : [];
    return { name: code([room]), text: [code(left), ...agent].join(', ') || 'nothing', size: targets.length };
  });
  const numbers = [...new Set(Object.values(AGENT_FOLDERS))].toSorted((a, b) => a - b);
  const agent = numbers.map((number) => {
    const rooms = ROOMS.filter((room) => agentNumber(room) === number);
    const left = rooms.map((room) => targetsOf(room).filter((target) => !isAgentFolder(target)));
    const shared = left[0]?.filter((target) => left.every((targets) => targets.includes(target))) ?? [];
    const own = rooms.flatMap((room, index) => {
      const more = (left[index] ?? []).filter((target) => !shared.includes(target));
      return more.length === 0 ? [] : [`; \`${room}\` also ${code(more)}`];
    });
    const lower = number === 1 ? '' : number === 2 ? ', agent folders 1' : `, agent folders 1 to ${number - 1}`;
    return [`${code(rooms)} (${number})`, `${code(shared)}${lower}${own.join('')}`];
  });
  const rows = others.toSorted((a, b) => a.size - b.size).map(({ name, text }) => [name, text]);
  return table(['folder', 'may import'], [...rows, ...agent]);
}
