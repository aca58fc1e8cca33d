// `pithead position export|import`: where miners stand, as CSV for a spreadsheet and back.
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { ConfigError } from '../../base/errors.ts';
import type { CliContext } from '../output/terminal.ts';
import { addCommand, type DatabaseFlags, farmIdOf, onDatabase, print, withAdmin } from './database.ts';

type PositionFlags = DatabaseFlags & { farm?: string; dryRun?: boolean };
type Place = { readonly rack: string | null; readonly position: number | null };

const EXPORT = 'pithead position export > positions.csv';
const IMPORT = 'pithead position import --dry-run positions.csv';

export function addPosition(program: Command, context: CliContext): void {
  const position = addCommand(program, 'position', 'racks and positions of miners', EXPORT, IMPORT);
  onDatabase(position, 'export', 'print id,mac,serial_number,ip,rack,position of every miner as CSV', EXPORT)
    .option('--farm <id>', 'farm (default: the first one)')
    .action(async (flags: PositionFlags) => {
      const csv = await withAdmin(flags, context, async (admin) =>
        admin.exportPositions(await farmIdOf(admin, flags.farm)),
      );
      context.stdout.write(flags.json ? `${JSON.stringify({ csv })}\n` : csv);
    });
  const description =
    'set racks and positions from CSV: all of it or nothing; miners that are not in it stay where they are';
  onDatabase(position, 'import', description, IMPORT, 'pithead position import positions.csv --json')
    .argument('<file>', 'CSV as `position export` prints it; only rack and position are taken')
    .option('--farm <id>', 'farm (default: the first one)')
    .option('--dry-run', 'show what would change and change nothing')
    .action(async (path: string, flags: PositionFlags) => {
      const text = readText(path);
      const isDryRun = flags.dryRun === true;
      const pick = ({ rack, position: slot }: Place) => ({ rack, position: slot });
      const changed = await withAdmin(flags, context, async (admin) =>
        admin.importPositions({ farmId: await farmIdOf(admin, flags.farm), text, isDryRun }),
      );
      const changes = changed.map(({ id, before, after }) => ({ id, before: pick(before), after: pick(after) }));
      const lines = changes.map(({ id, before, after }) => `${id}  ${show(before)} -> ${show(after)}`);
      lines.push(`${changes.length} miner${changes.length === 1 ? '' : 's'} ${isDryRun ? 'would change' : 'changed'}`);
      print(flags, context, { dry_run: isDryRun, changes }, lines.join('\n'));
    });
}

const show = ({ rack, position }: Place) =>
  rack === null ? 'nowhere' : `${rack}${position === null ? '' : ` / ${position}`}`;

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError('import positions', [{ path, message: 'cannot be read' }], error);
  }
}
