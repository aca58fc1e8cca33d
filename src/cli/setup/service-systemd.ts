// The system service on Linux without packages. The Debian package makes the same folders.
import { chmodSync, copyFileSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { systemctl } from '../../base/platform/service-manager.ts';
import { VERSION } from '../../base/version.ts';
import {
  currentLink,
  linkTo,
  NOTES_FOLDER,
  provenLink,
  replaceLink,
  versionFolder,
} from '../../update/install/layout.ts';
import {
  LINUX_PLACES,
  PATH_UNIT,
  PROGRAM_FOLDER,
  STATE_FOLDER,
  UNIT,
  UPDATE_UNITS,
  unitText,
} from '../../update/linux/units.ts';
import { CommandFailed } from '../output/exit.ts';
import type { CliContext } from '../output/terminal.ts';
import { systemFolder, writeFirstConfig } from './config-file.ts';

const UNIT_FOLDER = '/etc/systemd/system';
const UNIT_PATH = join(UNIT_FOLDER, UNIT);
const ENABLED = UPDATE_UNITS.filter(({ isEnabled }) => isEnabled).map(({ name }) => name);
const LINK = '/usr/local/bin/pithead';
/** Of the Debian package: where it is, dpkg is in charge. */
const PACKAGED_UNIT = `/lib/systemd/system/${UNIT}`;

export function createSystemdService(environment: CliContext['environment']) {
  const config = systemFolder(environment);
  return {
    called: 'pithead',
    check() {
      if (!existsSync('/run/systemd/system')) {
        throw new CommandFailed('this host has no systemd: start `pithead run` with what it has');
      }
      if (process.getuid?.() !== 0) throw new CommandFailed('only root may do this: use sudo');
      if (existsSync(PACKAGED_UNIT)) throw new CommandFailed('Pithead is installed here as a package: use apt');
    },
    async install() {
      putProgram();
      mkdirSync(config, { recursive: true });
      writeFirstConfig(config, STATE_FOLDER);
      writeFileSync(UNIT_PATH, unitText());
      for (const { name, text } of UPDATE_UNITS) writeFileSync(join(UNIT_FOLDER, name), text);
      try {
        await systemctl('daemon-reload');
        await systemctl('enable', UNIT, ...ENABLED);
        await systemctl('restart', UNIT, PATH_UNIT);
      } catch (error) {
        throw new CommandFailed(`installed, but it does not start: journalctl -u pithead says why (${String(error)})`);
      }
    },
    async remove(isPurge: boolean) {
      await systemctl('disable', '--now', UNIT, ...ENABLED);
      const units = [UNIT_PATH, ...UPDATE_UNITS.map(({ name }) => join(UNIT_FOLDER, name))];
      for (const path of [...units, LINK]) rmSync(path, { force: true });
      rmSync(PROGRAM_FOLDER, { recursive: true, force: true });
      const kept = [config, NOTES_FOLDER, STATE_FOLDER, join(dirname(STATE_FOLDER), 'private', 'pithead')];
      if (isPurge) for (const folder of kept) rmSync(folder, { recursive: true, force: true });
      await systemctl('daemon-reload');
    },
  };
}

function putProgram(): void {
  const folder = versionFolder(LINUX_PLACES, VERSION);
  mkdirSync(folder, { recursive: true });
  const program = join(folder, 'pithead');
  copyFileSync(process.execPath, `${program}.new`);
  chmodSync(`${program}.new`, 0o755);
  renameSync(`${program}.new`, program);
  for (const link of [currentLink(LINUX_PLACES), provenLink(LINUX_PLACES)]) linkTo(LINUX_PLACES, link, VERSION);
  mkdirSync(dirname(LINK), { recursive: true });
  replaceLink(join(currentLink(LINUX_PLACES), 'pithead'), LINK);
}
