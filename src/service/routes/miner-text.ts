// What both versions say of a miner beside its documents: what only the service knows.
import type { Item } from '../store/store.ts';

/** Deprecated by the interface document, and constant. */
const CONSTANT_PART = '"overheat":false,"low_hashrate":false,"overpower":false,"underpower":false,"health_status":null';

/** Members, without braces. */
export const SERVICE_FIELDS: Item = [
  '"id":',
  { value: 'id' },
  ',"rack":',
  { value: 'rack' },
  ',"position":',
  { value: 'position' },
  ',"status":',
  { value: 'status' },
  ',"ops_status":',
  { value: 'ops_status' },
  ',"lifecycle_status":',
  { value: 'lifecycle_status' },
  ',"created_at":',
  { value: 'created_at' },
  `,${CONSTANT_PART}`,
];
