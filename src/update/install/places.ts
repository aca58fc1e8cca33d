// Where an update keeps what: programs of all versions beside each other, and its own notes, which on Linux the agent can read but never write.
import { join } from 'node:path';

/** Where root keeps its notes on a Linux host. */
export const NOTES_FOLDER = '/var/lib/pithead-update';
/** In the state directory of the agent. */
export const WISHES = 'update';

export type Places = {
  /** Windows has links for administrators only, and none that can be replaced in one step: there a small file names the version. */
  readonly system: 'linux' | 'windows';
  /** One folder per version below `versions`; the links, or files, `current` and `proven` lead to one each. */
  readonly programs: string;
  /** Journal, memory and outcome; only root writes here. */
  readonly notes: string;
  /** What the agent wants installed; the agent writes here, so nothing of it is believed. */
  readonly wishes: string;
};

/** The service host knows these names too. */
export function windowsPlaces(environment: Readonly<Record<string, string | undefined>>): Places {
  const data = join(environment.ProgramData ?? 'C:\\ProgramData', 'Pithead');
  return {
    system: 'windows',
    programs: join(environment.ProgramFiles ?? 'C:\\Program Files', 'Pithead'),
    notes: join(data, 'update'),
    wishes: join(data, 'wishes'),
  };
}

export const versionFolder = ({ programs }: Places, version: string): string => join(programs, 'versions', version);
export const programOf = (places: Places, version: string): string =>
  join(versionFolder(places, version), places.system === 'windows' ? 'pithead.exe' : 'pithead');
/** The version that starts with the service. */
export const currentLink = ({ programs }: Places): string => join(programs, 'current');
/** The version that was last seen healthy: it carries out updates and undoes them, whatever became of the new one. */
export const provenLink = ({ programs }: Places): string => join(programs, 'proven');
export const outcomePath = (notes: string): string => join(notes, 'outcome.json');
export const requestPath = (wishes: string): string => join(wishes, 'request.json');
export const wishedBundlePath = (wishes: string): string => join(wishes, 'wanted.bundle');
