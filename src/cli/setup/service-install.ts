// `pithead service-install` and `service-remove`: the program as a system service, on Linux without packages and on
// Windows.
import { isSea } from 'node:sea';
import type { Command } from 'commander';
import { CommandFailed } from '../output/exit.ts';
import type { CliContext } from '../output/terminal.ts';
import { createSystemdService } from './service-systemd.ts';
import { createWindowsService } from './service-windows.ts';

export function addServiceInstall(program: Command, context: CliContext): void {
  const host = () => {
    const found =
      process.platform === 'win32'
        ? createWindowsService(context.environment)
        : createSystemdService(context.environment);
    found.check();
    return found;
  };
  program
    .command('service-install')
    .description(
      'install this program as a system service, start it now and at every boot (Linux with systemd: as root; Windows: as administrator)',
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ pithead service-install        as the name of the downloaded file: sudo ./pithead-linux-x64 service-install',
    )
    .action(async () => {
      const found = host();
      if (!isSea()) throw new CommandFailed('this is not the single program: run the command of the downloaded file');
      await found.install();
      context.stdout.write(`installed and started. Name the networks of the miners: ${found.called} setup\n`);
    });
  program
    .command('service-remove')
    .description('stop the system service and remove the program')
    .option('--purge', 'remove the configuration and everything that was kept, too')
    .addHelpText('after', '\nExamples:\n  $ pithead service-remove\n  $ pithead service-remove --purge')
    .action(async ({ purge }: { purge?: boolean }) => {
      await host().remove(purge === true);
      context.stdout.write(
        purge ? 'removed, with all that was kept\n' : 'removed; configuration and state were left alone\n',
      );
    });
}
