// `pithead driver new <id>`: one folder with a driver that already reads what can be read without a guess. It asks
// nothing and never writes over a folder.
import { copyFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { ConfigError } from '../../base/errors.ts';
import { CASE_FILE, type CaseFolder, readCase } from '../../case/folder.ts';
import type { Case } from '../../case/format.ts';
import { kitTypesText, TYPES_FILE } from '../../driver/load/kit-types.ts';
import { wrongOption } from '../options.ts';
import type { CliContext } from '../output/terminal.ts';
import { caseOf, draftOf } from './draft/draft.ts';
import { farmText, readmeText, testText } from './draft/other-files.ts';
import { constantOf, type Draft, driverText, type Place } from './draft/text.ts';
import { oneCaseIn } from './replay.ts';

type Flags = { from?: string; json?: boolean };

const ID = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const MOST_ID_CHARS = 64;

const HELP = `
It makes ./<id>/ and asks nothing. With --from it takes over the case: the driver asks what was answered there,
recognises the device by it, and reads what needs no guess at a unit. The rest are comments in its index. The folder:

  index.mjs          the driver: what it asks, recognises and reads
  cases/<name>/      the recorded device: pithead driver replay serves it, and the values in its case.json are the test
  README.md          what is left to do
  pithead-kit.d.ts  what the kit holds, for editors: they complete, explain and check index.mjs by it

In the folder drivers/ of the project's sources it also makes farm.ts and a test.

Examples:
  $ pithead driver new my-miner --from ./acme-one-1.0
  $ pithead driver new my-miner
  $ pithead driver check ./my-miner`;

export function addNew(driver: Command, context: CliContext): void {
  driver
    .command('new')
    .description('begin a driver in ./<id>/, of a recorded device if there is one')
    .argument('<id>', 'name of the firmware family: small letters, digits and hyphens')
    .option('--from <case>', 'folder of a case that pithead capture has written')
    .option('--json', 'one JSON object about what was written')
    .addHelpText('after', HELP)
    .action((id: string, flags: Flags) => run(id, flags, context));
}

function run(id: string, flags: Flags, context: CliContext): void {
  if (!ID.test(id) || id.length > MOST_ID_CHARS)
    throw wrongOption('<id>', `'${id}' is not a name of small letters, digits and hyphens, such as my-miner`);
  const folder = resolve(id);
  if (existsSync(folder))
    throw new ConfigError('begin a driver', [{ path: folder, message: 'exists already: take another name' }]);
  const recorded = flags.from === undefined ? undefined : readCase(oneCaseIn(flags.from));
  const draft = draftOf(id, recorded);
  const place: Place = isProject() ? 'project' : 'folder';
  const about = recorded && caseOf(draft, recorded);
  const files = filesOf(draft, place, about?.id);
  mkdirSync(folder);
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  if (recorded !== undefined && about !== undefined) copyCase(about, recorded, join(folder, 'cases', about.id));
  context.stdout.write(
    flags.json ? `${JSON.stringify(toJson(draft, folder, files, about?.id))}\n` : describe(draft, folder, place),
  );
}

/** The folder of the drivers that ship with the program. */
const isProject = () => existsSync('farm-index.ts') && existsSync('_farm');

function filesOf(draft: Draft, place: Place, name: string | undefined): ReadonlyMap<string, string> {
  const readme: [string, string] = ['README.md', readmeText(draft, place, name)];
  if (place === 'folder')
    return new Map([['index.mjs', driverText(draft, place)], readme, [TYPES_FILE, kitTypesText()]]);
  return new Map([
    ['index.ts', driverText(draft, place)],
    ...(name === undefined
      ? []
      : ([
          ['farm.ts', farmText(draft, name)],
          [`${draft.id}.test.ts`, testText(draft, name)],
        ] satisfies [string, string][])),
    readme,
  ]);
}

function copyCase(about: Case, recorded: CaseFolder, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const file of new Set(about.responses.map((each) => each.file)))
    copyFileSync(join(recorded.folder, file), join(to, file));
  writeFileSync(join(to, CASE_FILE), `${JSON.stringify(about, null, 2)}\n`);
}

function toJson(
  { id, make, asks, fields, login }: Draft,
  folder: string,
  files: ReadonlyMap<string, string>,
  name?: string,
) {
  return {
    id,
    make,
    folder,
    files: [...files.keys()],
    case: name ?? null,
    asks: asks.map(({ name }) => name),
    fields: fields.flatMap(({ field, isOpen }) => (isOpen || field === '...' ? [] : [field])),
    login,
  };
}

function describe({ id, asks, fields, login }: Draft, folder: string, place: Place): string {
  const open = fields.filter(({ isOpen }) => isOpen).map(({ field }) => field);
  return [
    folder,
    asks.length === 0
      ? 'it asks what CGMiner answers, until you say what'
      : `it asks ${asks.map(({ name }) => name).join(', ')}`,
    ...(login === 'page' ? ['it stands behind a login page: say in its index what the login sends (session)'] : []),
    ...(open.length > 0 ? [`left to you, because their unit is not known: ${open.join(', ')}`] : []),
    `Next: pithead driver check ./${id}`,
    ...(place === 'project' ? [`Then its lines in index.ts and farm-index.ts: ${constantOf(id)}`] : []),
    '',
  ].join('\n');
}
