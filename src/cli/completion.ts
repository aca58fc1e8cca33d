// `pithead completion <shell>` prints a script for a shell. The script calls the hidden `pithead complete` at each tab
// key.
import addTo from '@bomb.sh/tab/commander';
import type { Command } from 'commander';
import { COMMANDS_WITH_VALUES, namesWithValues, valuesFor } from './completion-values.ts';
import { type Offer, offersAt } from './completion-words.ts';
import type { CliContext } from './output/terminal.ts';

const COMPLETE_HELP = '\nExamples:\n  $ pithead complete -- sc';
const COMPLETION_HELP = `
Where miners are selected it offers racks, containers, models, flags, states and drivers, of the agent or service that
the command would ask. Where an option takes one of some words, such as --columns, it offers these.

Examples:
  $ pithead completion bash >> ~/.bashrc
  $ pithead completion zsh >> ~/.zshrc
  $ pithead completion fish > ~/.config/fish/completions/pithead.fish
  $ pithead completion powershell >> $PROFILE`;

/** Name of the argument that says which miners; see addSelector. */
const SELECTOR = 'selector';

/** To be called when all commands are there: what completes words has to know them. */
export function addCompletion(program: Command, context: CliContext): void {
  let offers: readonly Offer[] = [];
  let typed = '';
  const root = addTo(program, { completionCommandName: 'completion' });
  for (const { arguments: parts } of root.commands.values()) {
    const part = parts.get(SELECTOR);
    if (part !== undefined)
      part.handler = (complete) => {
        for (const { value, about } of offers) complete(value, about);
      };
  }
  for (const command of COMMANDS_WITH_VALUES) {
    const { options, arguments: parts } = root.commands.get(command) ?? {};
    for (const name of namesWithValues(command)) {
      const part = options?.get(name) ?? parts?.get(name);
      if (part === undefined) continue;
      part.handler = (complete: (value: string, about: string) => void) => {
        for (const { value, about } of valuesFor(command, name, typed) ?? []) complete(value, about);
      };
    }
  }
  const selecting = [...root.commands].flatMap(([name, { arguments: parts }]) => (parts.has(SELECTOR) ? name : []));
  const isSelecting = (words: string) => selecting.some((name) => words.startsWith(`${name} `));
  for (const command of program.commands) {
    if (command.name() === 'complete') {
      command.addHelpText('after', COMPLETE_HELP);
      command.hook('preAction', async (_, { args }) => {
        typed = /^--[\w-]+=(.*)$/.exec(args.at(-1) ?? '')?.[1] ?? args.at(-1) ?? '';
        if (isSelecting(args.join(' '))) offers = await offersAt(args, context);
      });
    }
    if (command.name() !== 'completion') continue;
    command.description('print a script that completes commands and options at the tab key');
    command.addHelpText('after', COMPLETION_HELP);
    command.hook('postAction', (_, { args }) => {
      const [shell = ''] = args;
      context.stdout.write(COLONS[shell] ?? '');
    });
  }
}

/** Words such as `rack:C03` have a colon, which bash takes for the end of a word, and zsh for that of a value. */
const COLONS: Readonly<Record<string, string>> = {
  bash: `
# A colon is part of a word.
__pithead_complete_words() {
    __pithead_complete "$@"
    local cur
    _get_comp_words_by_ref -n "=:" cur
    __ltrim_colon_completions "$cur"
}
complete -F __pithead_complete_words pithead
`,
  zsh: `
# A colon is part of a value.
__pithead_plain='comp=\${comp//:/\\:}'
__pithead_escaped='comp=\${comp//:/\\\\:}'
functions[_pithead]="\${functions[_pithead]//$__pithead_plain/$__pithead_escaped}"
unset __pithead_plain __pithead_escaped
`,
};
