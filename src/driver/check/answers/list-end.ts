// Check of lists of texts and of objects: devices keep places at their end for what is not built in, and fill them with
// null. That says nothing: it moves nothing, and takes away nothing of what the places before it say.
import { valuesOf } from '../cases/values.ts';
import { type Check, problem, type Subject } from '../finding.ts';
import { readStrictly } from '../form.ts';
import { isObject, type Path, pathsTo, withChange } from './change.ts';

type Raw = Readonly<Record<string, unknown>>;

/** Among numbers a null is one that is not known: of a list with such a one a mean may not be told. */
const isOfThings = (value: unknown) =>
  Array.isArray(value) &&
  value.length > 0 &&
  (value.every((entry) => typeof entry === 'string') ||
    value.every((entry) => isObject(entry) && !Array.isArray(entry)));

function longer(raw: Raw, path: Path): Raw {
  const list = path.reduce<unknown>((at, key) => (isObject(at) ? Reflect.get(at, key) : undefined), raw);
  return withChange(raw, path, [...(Array.isArray(list) ? list : []), null]);
}

export const listEnd: Check<Subject> = {
  name: 'list-end',
  owes: 'the same reading where a list has one more place, which is empty',
  run: ({ driver, folder, samples }) =>
    samples.flatMap(({ name, raw, known, isForeign }) => {
      if (isForeign) return [];
      const told = (answers: Raw) => JSON.stringify(valuesOf(readStrictly(driver, answers, known).reading));
      const before = told(raw);
      return pathsTo(raw, isOfThings)
        .filter((path) => told(longer(raw, path)) !== before)
        .map((path) =>
          problem(
            `${name} is read otherwise with null at the end of ${path.join('.')}`,
            `let \`read\` in ${folder} leave out entries that are null, and count the places of the others as before`,
          ),
        );
    }),
};
