// Checks of a driver's tables: what it covers, asks and can do fits together. Nothing is read or sent.
import { EFFECTS } from '../../model/tasks/task-kinds.data.ts';
import { ABILITY_NAMES } from '../contract.ts';
import { changeNamedIn } from './change-words.ts';
import { type Check, type Problem, problem, type Subject, shown } from './finding.ts';

/** More, and small web servers stumble. */
const MOST_ASKS_PER_POLL = 5;

const names: Check<Subject> = {
  name: 'names',
  owes: 'an id in kebab-case, a make, and rows that say what it covers',
  run: ({ driver: { id, make, covers }, folder }) => [
    ...(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(id)
      ? []
      : [problem(`the id is ${shown(id)}`, `give \`id\` in ${folder} small letters and digits with hyphens`)]),
    ...(make === '' ? [problem('the make is empty', `name the maker in \`make\` in ${folder}`)] : []),
    ...(covers.length === 0
      ? [problem('`covers` has no row', `add { models, firmware, evidence } to \`covers\` in ${folder}`)]
      : []),
  ],
};

const evidence: Check<Subject> = {
  name: 'evidence',
  owes: 'a case of a real device where a row of `covers` says `recording`',
  run: ({ driver: { covers }, folder, samples, exceptions: { recordings = {} } }) => {
    const claims = covers.filter((row) => row.evidence === 'recording');
    const hasReal = samples.some(({ isReal }) => isReal) || Object.keys(recordings).length > 0;
    if (hasReal) return [];
    return claims.map(({ models }) =>
      problem(
        `\`covers\` claims a recording of ${models}, and no case is of a real device`,
        `capture one (pithead capture <ip> --output ${folder}/cases), or write 'simulated' or 'claimed' there`,
      ),
    );
  },
};

const substitutes: Check<Subject> = {
  name: 'asks',
  owes: 'asks whose `insteadOf` and `goesWith` name asks that exist and are sent as often',
  run: ({ driver: { asks }, folder }) =>
    Object.entries(asks).flatMap(([name, { insteadOf, goesWith, every, generations }]) => {
      const first = insteadOf === undefined ? undefined : asks[insteadOf];
      const place = `\`asks.${name}\` in ${folder}`;
      const beyond =
        first?.generations && (generations ?? ['all']).filter((each) => !first.generations?.includes(each));
      return [
        ...(insteadOf !== undefined && first === undefined
          ? [problem(`${name} stands in for ${insteadOf}, which is no ask`, `name an ask in \`insteadOf\` of ${place}`)]
          : []),
        ...(first !== undefined && first.every !== every
          ? [
              problem(
                `${name} is asked '${every}', what it stands in for '${first.every}'`,
                `make \`every\` of ${place} the same`,
              ),
            ]
          : []),
        ...(beyond !== undefined && beyond.length > 0
          ? [
              problem(
                `${name} is for ${beyond.join(', ')}, where ${insteadOf} is not asked`,
                `narrow \`generations\` of ${place}`,
              ),
            ]
          : []),
        ...(goesWith !== undefined && asks[goesWith]?.every !== 'poll'
          ? [
              problem(
                `${name} goes with ${goesWith}, which is not asked at each poll`,
                `name such an ask in \`goesWith\` of ${place}`,
              ),
            ]
          : []),
      ];
    }),
};

const polled: Check<Subject> = {
  name: 'polled',
  owes: `one to ${MOST_ASKS_PER_POLL} asks at each poll, whatever the generation`,
  run: ({ driver: { asks }, folder }) => {
    const all = new Set(Object.values(asks).flatMap((ask) => ask.generations ?? []));
    return [...(all.size > 0 ? all : ['any'])].flatMap((generation) => {
      const count = Object.values(asks).filter(
        (ask) => ask.every === 'poll' && !ask.insteadOf && (ask.generations?.includes(generation) ?? true),
      ).length;
      if (count > 0 && count <= MOST_ASKS_PER_POLL) return [];
      const next = `give 1 to ${MOST_ASKS_PER_POLL} of the \`asks\` in ${folder} \`every: 'poll'\`, the others 'slow' or 'static'`;
      return [problem(`generation ${generation} is asked ${count} things at each poll`, next)];
    });
  },
};

const SECRET = /[?&;](?:pass(?:word|wd|phrase)?|pwd|token|secret|api_?key)=/i;

const asksSafely: Check<Subject> = {
  name: 'asks-safe',
  owes: 'asks that change nothing on the device, and hold no login of their own',
  run: ({ driver: { asks }, folder }) =>
    Object.entries(asks).flatMap(([name, ask]): Problem[] => {
      if (ask.via === 'whatsminer3') return [];
      const place = `\`asks.${name}\` in ${folder}`;
      const word = changeNamedIn(ask.via === 'http' ? ask.path : ask.command);
      const headers = Object.keys((ask.via === 'http' && ask.headers) || {});
      const isLoggedIn = headers.some((header) => /^(authorization|cookie)$/i.test(header));
      return [
        ...(word === undefined
          ? []
          : [
              problem(
                `${name} may change the device ('${word}'), and is sent by itself`,
                `ask what only reads in ${place}; a command belongs to \`abilities\``,
              ),
            ]),
        ...(ask.via === 'http' && SECRET.test(ask.path)
          ? [problem(`${name} has a login in its path`, `say in \`auth\` of ${place} how it logs in: paths are logged`)]
          : []),
        ...(isLoggedIn
          ? [problem(`${name} has a login of its own in its headers`, `say in \`auth\` of ${place} how it logs in`)]
          : []),
      ];
    }),
};

const abilities: Check<Subject> = {
  name: 'abilities',
  owes: 'abilities with an effect, a schema that wants something, and a time off the network',
  run: ({ driver, folder }) =>
    Object.entries(driver.abilities).flatMap(([name, { effect, params, offlineS }]) => {
      const [shortest, longest] = offlineS;
      const place = `\`abilities.${name}\` in ${folder}`;
      const isKnown = ABILITY_NAMES.some((each) => each === name) && EFFECTS.some((each) => each === effect);
      const isReboot = name === 'reboot';
      return [
        ...(isKnown
          ? []
          : [
              problem(
                `${name} with effect ${effect}`,
                `${place}: one of ${ABILITY_NAMES.join(', ')}; effect ${EFFECTS.join(', ')}`,
              ),
            ]),
        ...(params.safeParse(undefined).success
          ? [problem(`${name} takes no params at all`, `${place}: make \`params\` an object schema`)]
          : []),
        ...(shortest >= 0 && longest >= shortest
          ? []
          : [problem(`offlineS is ${shown(offlineS)}`, `${place}: [shortest, longest] in seconds, from 0`)]),
        ...(isReboot && (effect !== 'once' || longest <= 0)
          ? [
              problem(
                `the reboot has effect ${effect} and offlineS ${shown(offlineS)}`,
                `${place}: effect 'once', a time above 0`,
              ),
            ]
          : []),
      ];
    }),
};

const lacking: Check<Subject> = {
  name: 'lacking',
  owes: 'each ability, or a reason why it has it not',
  run: ({ driver, folder, exceptions: { lacks = {} } }) =>
    ABILITY_NAMES.flatMap((name) => {
      const [has, excused] = [driver.abilities[name] !== undefined, lacks[name] !== undefined];
      if (has !== excused) return [];
      return [
        has
          ? problem(`it has ${name}, and is excused from it`, `delete \`lacks.${name}\` in ${folder}/contract.data.ts`)
          : problem(
              `it has no ${name}`,
              `add it to \`abilities\`, or say why not: \`lacks.${name}\` in ${folder}/contract.data.ts`,
            ),
      ];
    }),
};

/** The last is not for what a third party writes: it needs no reason. */
export const DATA_CHECKS: readonly Check<Subject>[] = [names, evidence, substitutes, polled, asksSafely, abilities];
export const LACKING: Check<Subject> = lacking;
