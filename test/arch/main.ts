// `npm run check:arch`: the rules of the house. With `-- --picture src/agent` it prints the rooms of that folder and
// which imports which instead. Exits 1 when a rule is broken, or when the picture holds more than its folder may.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startVitest } from 'vitest/node';
import { overfull, type Picture, pictureOf } from './rooms.ts';
import { ROOT, sources } from './sources.ts';

const { values } = parseArgs({ options: { picture: { type: 'string' } } });
const folder = values.picture?.replace(/\/+$/, '');

if (folder === undefined) {
  const vitest = await startVitest('test', [], { project: ['arch'], run: true, watch: false });
  await vitest.close();
} else if (!existsSync(join(ROOT, folder))) {
  process.stderr.write(`draw ${folder}: there is no such folder; name one from the project's root, as src/agent\n`);
  process.exitCode = 2;
} else {
  const picture = pictureOf(folder, sources(folder));
  process.stdout.write(printed(picture));
  for (const problem of overfull(folder, picture)) {
    process.stderr.write(`${problem}\n`);
    process.exitCode = 1;
  }
}

function printed({ rooms, arrows }: Picture): string {
  const lines = rooms.map(({ name, files, lines }) => {
    const to = arrows.filter(({ from }) => from === name).map((arrow) => arrow.to);
    const size = `${String(lines).padStart(6)} lines ${String(files).padStart(3)} ${files === 1 ? 'file ' : 'files'}`;
    return `${name.padEnd(24)}${size}${to.length > 0 ? `  -> ${to.toSorted().join(', ')}` : ''}`;
  });
  return `${lines.join('\n')}\n${rooms.length} rooms, ${arrows.length} arrows\n`;
}
