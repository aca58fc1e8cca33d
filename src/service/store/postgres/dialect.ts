// PostgreSQL under the query builder, so that the same statements mean the same as on the embedded database: texts sort
// by their bytes, numbers come back as numbers, values of other types are refused. It opens nothing and knows no table.
import {
  ColumnDefinitionNode,
  type DataTypeNode,
  type Driver,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresQueryCompiler,
  type QueryCompiler,
} from 'kysely';
import pg from 'pg';
import { BugError } from '../../../base/errors.ts';
import { plainValue } from '../databases.ts';
import { type ConflictParts, makePatient } from './conflicts.ts';
import { type GuardParts, guardDriver } from './guarded-driver.ts';

export class PlainPostgresDialect extends PostgresDialect {
  readonly #conflicts: ConflictParts;
  readonly #guard: GuardParts;
  constructor(config: PostgresDialectConfig, conflicts: ConflictParts, guard: GuardParts) {
    super(config);
    this.#conflicts = conflicts;
    this.#guard = guard;
  }
  override createDriver(): Driver {
    return makePatient(guardDriver(super.createDriver(), this.#guard), this.#conflicts);
  }
  override createQueryCompiler(): QueryCompiler {
    return new PlainCompiler();
  }
}

class PlainCompiler extends PostgresQueryCompiler {
  /** Without it the order of texts would be that of the database's language. */
  protected override visitDataType(node: DataTypeNode): void {
    super.visitDataType(node);
    if (node.dataType === 'text' && this.parentNode !== undefined && ColumnDefinitionNode.is(this.parentNode))
      this.append(' collate "C"');
  }
  /** PostgreSQL has no NUL in texts; devices and clients may send one. */
  protected override appendValue(value: unknown): void {
    const plain = plainValue(value);
    super.appendValue(typeof plain === 'string' ? plain.replaceAll('\0', '\uFFFD') : plain);
  }
}

const INT8 = 20;
const NUMERIC = 1700;

/** The driver gives 64-bit numbers and exact decimals (sums of them) as text: ours fit a number. */
export function numberTypes(): pg.CustomTypesConfig {
  const types = new pg.TypeOverrides();
  types.setTypeParser(INT8, (text) => {
    const value = Number(text);
    if (!Number.isSafeInteger(value)) throw new BugError(`read the number ${text}: it has more than 53 bits`);
    return value;
  });
  types.setTypeParser(NUMERIC, Number);
  return types;
}
