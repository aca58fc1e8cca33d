// `pithead completion <shell>` prints a script for a shell. The script calls the hidden `pithead complete` at each tab
// key.
import addTo from '@bomb.sh/tab/commander';
import type { Command } from 'commander';

const COMPLETE_HELP = '\nExamples:\n  $ pithead complete -- sc';
const COMPLETION_HELP = `
Examples:
  $ pithead completion bash >> ~/.bashrc
  $ pithead completion zsh >> ~/.zshrc
  $ pithead completion fish > ~/.config/fish/completions/pithead.fish
  $ pithead completion powershell >> $PROFILE`;

/** To be called when all commands are there: what completes words has to know them. */
export function addCompletion(program: Command): void {
  addTo(program, { completionCommandName: 'completion' });
  for (const command of program.commands) {
    if (command.name() === 'complete') command.addHelpText('after', COMPLETE_HELP);
    if (command.name() !== 'completion') continue;
    command.description('print a script that completes commands and options at the tab key');
    command.addHelpText('after', COMPLETION_HELP);
  }
}
