// The files beside a new driver: what is left to do, in words, and in the project its simulated device and its test.
import { constantOf, type Draft, nameOf, type Place } from './text.ts';

export function readmeText({ id, make, models, recognition, login, asks }: Draft, place: Place, name?: string): string {
  const { tcpWord, title, realm, server, page } = recognition;
  const shows = [
    ...(tcpWord === undefined ? [] : [`a name in its answer to \`version\` begins with \`${tcpWord}\``]),
    ...(title === undefined ? [] : [`the title of its start page, \`${title}\` (a hint)`]),
    ...(realm === undefined
      ? []
      : [`the realm of its login, \`${realm}\`${server === undefined ? ' (a hint)' : ' with its server'}`]),
    ...(page === undefined ? [] : [`the keys of \`${page.path}\`, which needs no login`]),
  ];
  const index = place === 'folder' ? 'index.mjs' : 'index.ts';
  return [
    `# ${id}`,
    '',
    `${nameOf({ make, models })}. Begun by \`pithead driver new\`${name === undefined ? '' : ` from the case \`cases/${name}\``}.`,
    '',
    `- Recognised by: ${shows.length === 0 ? 'nothing yet' : shows.join('; ')}.`,
    `- Asked: ${asks.length === 0 ? 'see its index' : asks.map(({ recorded }) => `\`${recorded.path ?? String(recorded.send?.command)}\``).join(', ')}.`,
    `- Login: ${login}.`,
    '- Written to the device: nothing.',
    '- Lies of the firmware: write down here what it reports that is not so.',
    '',
    '## To do',
    '',
    '1. Compare each value with the page of the device: `pithead driver check` prints what is read. Write at least three',
    "   that you read by hand into `expect` of the case's `case.json`; `null` = must not be read.",
    `2. Read more in \`${index}\`: boards, fans, power. A rate and a power need a unit that is known.`,
    ...(login === 'page'
      ? [
          '3. Say in `session` what the login sends and where the token is, and in `asks` what lies behind it. Then record it:',
          `   \`pithead capture <ip> --driver ./${id} --login\`.`,
        ]
      : [
          '3. Recognise it by something that no other device shows: a word that is too common fits the devices of others.',
        ]),
    '4. `pithead help drivers` has the rest: logins, abilities, what each check wants.',
    '',
    ...(place === 'folder' ? folderLines(id) : projectLines(id)),
  ].join('\n');
}

const folderLines = (id: string) => [
  '## Try it',
  '',
  '```',
  `pithead driver check ./${id}      # recognised? read? the contract`,
  `pithead driver replay ./${id}     # the recorded device on this host`,
  '```',
  '',
  `Then copy the folder into \`driversDir\` of the configuration, and \`pithead reload\`.`,
  '',
];

const projectLines = (id: string) => [
  '## Try it',
  '',
  '```',
  `npx vitest run --project contract drivers/${id}`,
  '```',
  '',
];

export const farmText = ({ id, make, models }: Draft, name: string): string =>
  [
    `// The simulated device of ${id}: the recorded one, as it answered.`,
    "import { replayed } from '../_farm/replayed.ts';",
    '',
    'export const simulated = replayed({',
    `  folder: \`\${import.meta.dirname}/cases/${name}\`,`,
    `  driver: '${id}',`,
    `  make: '${make.replaceAll("'", "\\'")}',`,
    `  model: '${models.replaceAll("'", "\\'")}',`,
    '});',
    '',
  ].join('\n');

export const testText = ({ id }: Draft, name: string): string =>
  [
    `// The recorded device of ${id} over real sockets: it is recognised, and every ask is answered and read.`,
    "import { expect, test } from 'vitest';",
    "import { readCase } from '../../src/case/folder.ts';",
    "import { tryOut } from '../../src/cli/driver/try-out.ts';",
    `import { ${constantOf(id)} } from './index.ts';`,
    '',
    "test('it recognises and reads the recorded device', async () => {",
    `  const recorded = readCase(\`\${import.meta.dirname}/cases/${name}\`);`,
    `  const tried = await tryOut(${constantOf(id)}, recorded, new AbortController().signal);`,
    `  expect(tried.recognisedAs).toMatchObject({ driver: '${id}' });`,
    '  expect(tried.failed).toEqual([]);',
    '  expect(tried.unparsable).toEqual([]);',
    '});',
    '',
  ].join('\n');
