// `pithead service-install` and `service-remove`: the single program as a system service on a Linux host without packages. The Debian package does
// the same with dpkg; both lay out the same folders.
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { isSea } from 'node:sea';
import type { Command } from 'commander';
import { systemctl } from '../base/service-manager.ts';
import { VERSION } from '../base/version.ts';
import { changedSecrets, DEFAULT_CONFIG, newConfig, SECRETS_FILE, systemFolder, writePrivate } from './config-file.ts';
import { CommandFailed } from './exit.ts';
import { PROGRAM_FOLDER, STATE_FOLDER, UNIT, unitText } from './systemd-unit.ts';
import type { CliContext } from './terminal.ts';

const UNIT_PATH = `/etc/systemd/system/${UNIT}`;
const LINK = '/usr/local/bin/pithead';
/** Files of the Debian package: where they are, dpkg is in charge. */
const PACKAGED_UNIT = `/lib/systemd/system/${UNIT}`;

export function addServiceInstall(program: Command, context: CliContext): void {
  program
    .command('service-install')
    .description(
      'install this program as a system service, start it now and at every boot (Linux with systemd, as root)',
    )
    .addHelpText('after', '\nExamples:\n  $ sudo ./pithead-linux-x64 service-install\n  $ sudo pithead setup')
    .action(async () => {
      mustBePossible();
      installFiles(context);
      await start();
      context.stdout.write(`installed and started. Name the networks of the miners: pithead setup\n`);
    });
  program
    .command('service-remove')
    .description('stop the system service and remove the program')
    .option('--purge', 'remove the configuration and everything that was kept, too')
    .addHelpText('after', '\nExamples:\n  $ sudo pithead service-remove\n  $ sudo pithead service-remove --purge')
    .action(async ({ purge }: { purge?: boolean }) => {
      mustBePossible();
      await systemctl('disable', '--now', UNIT);
      for (const path of [UNIT_PATH, LINK]) rmSync(path, { force: true });
      rmSync(PROGRAM_FOLDER, { recursive: true, force: true });
      if (purge) {
        const folders = [
          systemFolder(context.environment),
          STATE_FOLDER,
          join(dirname(STATE_FOLDER), 'private', 'pithead'),
        ];
        for (const folder of folders) rmSync(folder, { recursive: true, force: true });
      }
      await systemctl('daemon-reload');
      context.stdout.write(
        purge ? 'removed, with all that was kept\n' : 'removed; configuration and state were left alone\n',
      );
    });
}

function mustBePossible(): void {
  if (process.platform !== 'linux' || !existsSync('/run/systemd/system')) {
    throw new CommandFailed('this host has no systemd: start `pithead run` with what it has');
  }
  if (process.getuid?.() !== 0) throw new CommandFailed('only root may do this: use sudo');
  if (existsSync(PACKAGED_UNIT)) throw new CommandFailed('Pithead is installed here as a package: use apt');
  if (!isSea()) throw new CommandFailed('this is not the single program: run the command of the downloaded file');
}

function installFiles({ environment }: CliContext): void {
  const folder = join(PROGRAM_FOLDER, 'versions', VERSION);
  mkdirSync(folder, { recursive: true });
  const program = join(folder, 'pithead');
  copyFileSync(process.execPath, `${program}.new`);
  chmodSync(`${program}.new`, 0o755);
  renameSync(`${program}.new`, program);
  link(join('versions', VERSION), join(PROGRAM_FOLDER, 'current'));
  link(join(PROGRAM_FOLDER, 'current', 'pithead'), LINK);

  const config = systemFolder(environment);
  mkdirSync(config, { recursive: true });
  const settings = join(config, DEFAULT_CONFIG);
  if (!existsSync(settings)) writeFileSync(settings, newConfig({ networks: [], logins: [] }, STATE_FOLDER));
  const secrets = join(config, SECRETS_FILE);
  if (!existsSync(secrets)) writePrivate(secrets, changedSecrets('', {}));
  writeFileSync(UNIT_PATH, unitText());
}

/** In one step: whoever follows the link finds the old or the new one, never nothing. */
function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  rmSync(`${path}.new`, { force: true });
  symlinkSync(target, `${path}.new`);
  renameSync(`${path}.new`, path);
}

async function start(): Promise<void> {
  try {
    await systemctl('daemon-reload');
    await systemctl('enable', UNIT);
    await systemctl('restart', UNIT);
  } catch (error) {
    throw new CommandFailed(`installed, but it does not start: journalctl -u pithead says why (${String(error)})`);
  }
}
