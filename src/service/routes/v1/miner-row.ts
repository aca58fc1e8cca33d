// One miner as v1 serves it: the stored document as it is, with what only the service knows put in front of it.
import type { Farm, Item } from '../../store/store.ts';
import { SERVICE_FIELDS } from '../miner-text.ts';

/** A miner of this farm (schema: minerV1Schema). */
export function minerItem(farm: Farm): Item {
  const farmPart = `"farm_id":${JSON.stringify(farm.id)},"farm":${JSON.stringify({ id: farm.id, name: farm.name })},"workspace_id":${JSON.stringify(farm.workspaceId)}`;
  return [`{${farmPart},"stale":`, { value: 'stale' }, ',', ...SERVICE_FIELDS, ',', { membersOf: 'document' }, '}'];
}
