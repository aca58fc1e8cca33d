// Items for tests of the store, and pages of them read back.
import { z } from 'zod';
import type { Item, ItemPage } from '../../../../../src/service/store/store.ts';

export const ID: Item = ['{"id":', { value: 'id' }, '}'];

const rowsSchema = z.array(z.looseObject({ id: z.string() }));

export const rowsOf = (page: ItemPage) => rowsSchema.parse(JSON.parse(`[${itemsText(page)}]`));

export const itemsText = ({ items }: Pick<ItemPage, 'items'>): string =>
  Buffer.concat(items.map((part) => Buffer.from(part))).toString();
