// Checks of a driver that is given nothing, or nonsense: it says nothing, and nothing upsets it.
import { mutate, numbersOf, seeded } from './answers/mutate.ts';
import { type Check, type Problem, problem, type Subject, shown } from './finding.ts';
import { readStrictly } from './form.ts';

const UNSAID = ['isMining', 'boards', 'fans', 'pools', 'errors', 'mac', 'serialNumber'] as const;
const NONSENSE = [null, '', '<html>404</html>', 0, [], {}, [[]], 'Socket connect failed: Connection refused\n'];
const TEXTS = ['', '{', 'null', '"', '{"VERSION":[{"Type":7}]}', '\u0000', '"'.repeat(9_999)];

/** What it says although no answer said it. */
function inventions({ driver, folder }: Subject, what: string, raw: Readonly<Record<string, unknown>>): Problem[] {
  const { reading } = readStrictly(driver, raw);
  const numbers = numbersOf({ ...reading, expected: {} }).map(([path, value]) => `${path} ${value}`);
  const next = `let \`read\` in ${folder} leave out what no answer says: absent is undefined, never 0 or []`;
  return numbers.length === 0 ? [] : [problem(`${what}: it reads ${numbers.join(', ')}`, next)];
}

const silent: Check<Subject> = {
  name: 'silent',
  owes: 'nothing of a device that says nothing',
  run(subject) {
    const { reading, unparsable } = readStrictly(subject.driver, {});
    const next = `let \`read\` in ${subject.folder} leave out what no answer says`;
    return [
      ...inventions(subject, 'without an answer', {}),
      ...(unparsable.length > 0 ? [problem(`without an answer ${shown(unparsable)} made no sense`, next)] : []),
      ...UNSAID.filter((field) => Object.hasOwn(reading, field)).map((field) =>
        problem(`without an answer it reads ${field} ${shown(reading[field])}`, next),
      ),
    ];
  },
};

const nonsense: Check<Subject> = {
  name: 'nonsense',
  owes: 'nothing of answers that are nonsense, and a word that they were',
  run(subject) {
    const { driver, folder } = subject;
    const asks = Object.keys(driver.asks);
    const found = NONSENSE.flatMap((answer) => {
      const raw = Object.fromEntries(asks.map((name) => [name, answer]));
      return inventions(subject, `when every answer is ${shown(answer)}`, raw);
    });
    const strange = [...asks, 'noSuchAsk'];
    const { unparsable } = driver.read(Object.fromEntries(strange.map((name) => [name, Symbol.iterator])), {});
    const missing = strange.filter((name) => !unparsable.includes(name));
    if (missing.length === 0) return found;
    const next = `give each of \`asks\` in ${folder} its reply, and declare what does not fit as unparsable`;
    return [...found, problem(`answers to ${missing.join(', ')} that are no JSON are not declared unparsable`, next)];
  },
};

const identify: Check<Subject> = {
  name: 'identify',
  owes: 'no identity from nothing, and none that throws',
  run({ driver, folder, families }) {
    const found: Problem[] = [];
    if (driver.identify({ family: undefined }) !== undefined)
      found.push(problem('it knows a device that says nothing', `let \`identify\` in ${folder} return undefined`));
    const random = seeded(7);
    for (const family of [undefined, ...families.all.map(({ id }) => id)]) {
      for (const text of TEXTS) {
        const web = { status: 200, body: text, authenticate: text, location: text };
        const whatsminer3 = mutate({ code: 0, msg: { miner: { type: 'M60S' } } }, random);
        driver.identify({ family, version: text, devdetails: text, web, whatsminer3 });
      }
    }
    return found;
  },
};

export const SILENCE_CHECKS: readonly Check<Subject>[] = [silent, nonsense, identify];
