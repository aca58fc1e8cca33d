// Names of permissions on the command line, checked against those that the service knows.
import { ConfigError } from '../../base/errors.ts';
import { PERMISSIONS, type Permission } from '../../service/admin.ts';

/** Throws ConfigError that names the odd one and those that are accepted; none at all is odd too: it would open nothing. */
export function readPermissions(names: readonly string[] | undefined, option: string): Permission[] | undefined {
  if (names?.length === 0)
    throw new ConfigError('read the command line', [
      { path: option, message: `received none, accepted: at least one of ${PERMISSIONS.join(', ')}` },
    ]);
  return names?.map((name) => {
    const known = PERMISSIONS.find((permission) => permission === name);
    if (known !== undefined) return known;
    const message = `'${name}' is none of ${PERMISSIONS.join(', ')}`;
    throw new ConfigError('read the command line', [{ path: option, message }]);
  });
}
