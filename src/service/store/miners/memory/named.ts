// What people know miners by, for answers that name a few of many: address, model, location. Of a miner that is not
// there any more nothing is known.
import { formatIpv4 } from '../../../../base/net/ipv4.ts';
import { chunks } from '../../rows.ts';
import type { Db } from '../../schema.ts';

export type NamedMiner = Readonly<ReturnType<typeof toNamed>>;

/** Those of the farm among them, by id. */
export async function nameMiners(read: Db, farmId: string, ids: readonly string[]): Promise<Map<string, NamedMiner>> {
  const found = new Map<string, NamedMiner>();
  for (const part of chunks(ids)) {
    const rows = await read
      .selectFrom('miners')
      .select(['id', 'ip_num', 'mac', 'model', 'rack', 'position'])
      .where('id', 'in', part)
      .where('farm_id', '=', farmId)
      .execute();
    for (const row of rows) found.set(row.id, toNamed(row));
  }
  return found;
}

type Row = {
  readonly id: string;
  readonly ip_num: number;
  readonly mac: string;
  readonly model: string | null;
  readonly rack: string | null;
  readonly position: number | null;
};

const toNamed = ({ ip_num, ...row }: Row) => ({ ...row, ip: formatIpv4(ip_num) });
