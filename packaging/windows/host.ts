// Compiles the Windows service host, which is also the `pithead.exe` for people, with a MinGW-w64 compiler if there is
// one (Debian: gcc-mingw-w64-x86-64-win32).
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const COMPILERS = ['x86_64-w64-mingw32-gcc-win32', 'x86_64-w64-mingw32-gcc'];

/** Gives whether it was built. */
export function buildWindowsHost(output: string, note: (text: string) => void): boolean {
  for (const compiler of COMPILERS) {
    try {
      execFileSync(compiler, ['--version'], { stdio: 'ignore' });
    } catch {
      continue;
    }
    const sources = ['service-host.c', 'child.c', 'launch.c'].map((name) => join(import.meta.dirname, name));
    // The linker would write the time into it.
    const flags = ['-municode', '-O2', '-s', '-Wall', '-Wextra', '-Werror', '-Wl,--no-insert-timestamp'];
    execFileSync(compiler, [...flags, '-o', output, ...sources], { stdio: ['ignore', 'ignore', 'inherit'] });
    return true;
  }
  note(`no ${COMPILERS.join(' or ')} here: the Windows service host is not built (Debian: gcc-mingw-w64-x86-64-win32)`);
  return false;
}
