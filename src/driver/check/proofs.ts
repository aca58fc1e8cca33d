// Checks of what a driver takes for a proof of its family: that it does not fit what any device and any web application
// may answer. A device that is taken for a miner of the farm is asked for its login.
import type { WebEvidence } from '../../transport/request.ts';
import type { EvidenceParts } from '../family.ts';
import { isProven } from '../proof.ts';
import type { Family } from '../recognition.ts';
import { type Check, type Problem, problem, type Subject, shown } from './finding.ts';

/** Shorter words begin the names of too many things. */
const LEAST_LETTERS = 3;

const words: Check<Subject> = {
  name: 'proof-words',
  owes: `words for a proof that have at least ${LEAST_LETTERS} letters`,
  run: ({ driver: { families = [] }, folder }) =>
    families.flatMap(({ id, tcp = [] }) =>
      tcp
        .filter(({ isHint }) => isHint !== true)
        .flatMap((rule) => rule.words)
        .filter((word) => word.replaceAll(/[^a-z]/gi, '').length < LEAST_LETTERS)
        .map((word) =>
          problem(
            `family ${id} is proven by any name that begins with ${shown(word)}`,
            `write more of the name in \`words\` in ${folder}, or \`isHint: true\` beside it`,
          ),
        ),
    ),
};

const page = (body: string, more: Partial<WebEvidence> = {}): WebEvidence => ({ status: 200, body, ...more });

/** What applications of all kinds answer. */
const COMMON_JSON = {
  ...{ status: 'ok', success: true, code: 0, error: null, message: '', msg: '' },
  ...{ data: {}, result: {}, items: [], version: '1.0.0', api: '1.0', name: 'device', model: 'x', id: 1, type: 'x' },
  ...{ hostname: 'host', mac: '00:00:00:00:00:00', ip: '0.0.0.0', uptime: 1, time: 1, temperature: 1, power: 1 },
};
/** Of a server that adds no name of a miner. */
const COMMON_SERVERS = ['nginx/1.24.0', 'Apache', 'lighttpd/1.4.59', 'Boa/0.94', 'uhttpd'];

const answersOfOthers = ({ realms = [] }: Family): readonly (readonly [what: string, answers: EvidenceParts])[] => [
  ...[{}, [], COMMON_JSON].flatMap((json): [string, EvidenceParts][] => {
    const answer = page(JSON.stringify(json));
    const what = json === COMMON_JSON ? 'the common keys of any application' : JSON.stringify(json);
    return [
      [what, { familyPage: answer, web: page('<title></title>') }],
      [what, { api4028: answer }],
      [what, { systemInfo: answer }],
      [what, { whatsminer3: json }],
    ];
  }),
  ...['cgminer', 'bfgminer', 'sgminer', 'ccminer'].map((name): [string, EvidenceParts] => [
    `the answer of plain ${name}`,
    {
      version: JSON.stringify({
        STATUS: [{ STATUS: 'S', Code: 22, Msg: `${name} versions`, Description: `${name} 4.11.1` }],
        VERSION: [{ [name.toUpperCase()]: '4.11.1', API: '3.7' }],
      }),
    },
  ]),
  ...realms.flatMap(({ realm, server }): [string, EvidenceParts][] => {
    const fitting = ['', ...COMMON_SERVERS].filter((name) => server.test(name));
    const isCommonRealm = /^(login|admin|router|web|index|restricted|private|authori[sz]ation( required)?)?$/i.test(
      realm,
    );
    if (fitting.length <= 1 && !(fitting.length > 0 && isCommonRealm)) return [];
    const web = page('', { status: 401, authenticate: `Digest realm="${realm}"`, server: fitting[0] ?? '' });
    return [[`the realm ${shown(realm)} on any server`, { web }]];
  }),
];

/** A name that another family has for its own. */
const namesOfOthers = (family: Family, all: readonly Family[]): readonly (readonly [string, EvidenceParts])[] =>
  all
    .filter(({ id }) => id !== family.id)
    .flatMap(({ id, tcp = [] }) =>
      tcp
        .filter(({ isHint }) => isHint !== true)
        .flatMap((rule) => rule.words)
        .map((word) => [`the name ${word}, which is that of ${id}`, { version: namedAnswer(word.replace(/^"/, '')) }]),
    );

const namedAnswer = (name: string) =>
  JSON.stringify({
    STATUS: [{ STATUS: 'S', Code: 22, Msg: 'CGMiner versions', Description: 'cgminer 4.11.1' }],
    VERSION: [{ CGMiner: '4.11.1', API: '3.7', Type: name }],
  });

const others: Check<Subject> = {
  name: 'proof-others',
  owes: 'proofs that no plain program and no application of another kind gives',
  run: ({ driver: { families = [] }, folder, families: all }) =>
    families.flatMap((family) => {
      const next = `name in \`families\` in ${folder} what only this device has: more keys and their types in \`shape\`, a \`guarded\` page, a longer word`;
      const seen = new Set<string>();
      const given = [...answersOfOthers(family), ...namesOfOthers(family, all.all)];
      return given.flatMap(([what, answers]): Problem[] => {
        if (seen.has(what) || !isProven(family, answers, [family])) return [];
        seen.add(what);
        return [problem(`family ${family.id} is proven by ${what}`, next)];
      });
    }),
};

export const PROOF_CHECKS: readonly Check<Subject>[] = [words, others];
