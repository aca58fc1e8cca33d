// The table of verbs of `operation.md`, from the table that the commands are made of.
import { VERBS, type Verb } from '../../src/cli/acts/verbs/verbs.ts';
import { table } from './table.ts';

export function verbsTable(): string {
  const verbs: readonly Verb[] = VERBS;
  return table(
    ['command', 'what it does', 'task'],
    verbs.map((verb) => [
      `\`pithead ${verb.words}${verb.argument === undefined ? '' : ` <${verb.argument[0]}>`} SEL\``,
      verb.description,
      'task' in verb ? `\`${verb.task}\`` : 'none: the service keeps it',
    ]),
  );
}
