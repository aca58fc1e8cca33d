// Names of permissions on the command line, checked against those that the service knows.
import { ConfigError } from '../../base/errors.ts';
import { PERMISSIONS, type Permission } from '../../service/admin.ts';

/** Throws ConfigError that names the odd one and those that are accepted. */
export function readPermissions(names: readonly string[] | undefined, option: string): Permission[] | undefined {
  return names?.map((name) => {
    const known = PERMISSIONS.find((permission) => permission === name);
    if (known !== undefined) return known;
    const message = `'${name}' is none of ${PERMISSIONS.join(', ')}`;
    throw new ConfigError('read the command line', [{ path: option, message }]);
  });
}
