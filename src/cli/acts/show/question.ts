// When an act needs a yes, and asking for it. More than one miner take a yes, more than twenty their number typed; what
// only reads takes none.
import { confirm, isCancel, text } from '@clack/prompts';
import { CommandFailed, EXIT } from '../../output/exit.ts';
import type { CliContext } from '../../output/terminal.ts';

/** Above it a person types the number: a yes is typed too quickly. */
export const TYPED_ABOVE = 20;

export type Question = 'none' | 'yes-or-no' | 'typed-count' | 'cannot-ask';

export function questionFor(asked: {
  readonly count: number;
  readonly isAgreed: boolean;
  readonly isReading: boolean;
  readonly isTerminal: boolean;
}): Question {
  const { count, isAgreed, isReading, isTerminal } = asked;
  if (count <= 1 || isAgreed || isReading) return 'none';
  if (!isTerminal) return 'cannot-ask';
  return count > TYPED_ABOVE ? 'typed-count' : 'yes-or-no';
}

/** `act` = the act and its miners, `reboot 45 miners`. Throws CommandFailed when it is not agreed to. */
export async function mustAgree(
  question: Question,
  { act, count }: { readonly act: string; readonly count: number },
  { stderr, signal }: CliContext,
): Promise<void> {
  const common = { output: stderr, signal };
  switch (question) {
    case 'none':
      return;
    case 'cannot-ask':
      throw new CommandFailed(`to ${act} without a question add --yes, or look first with --dry-run`, EXIT.usage);
    case 'yes-or-no': {
      const answer = await confirm({ ...common, message: `${capital(act)}?`, initialValue: false });
      if (isCancel(answer) || !answer) throw new CommandFailed(NOTHING_SENT);
      return;
    }
    case 'typed-count': {
      const answer = await text({ ...common, message: `${capital(act)}? Type ${count} to go on` });
      if (isCancel(answer) || answer.trim() !== String(count)) throw new CommandFailed(NOTHING_SENT);
    }
  }
}

const NOTHING_SENT = 'nothing was sent';
const capital = (sentence: string) => `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}`;
