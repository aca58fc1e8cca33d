// The tables of the outbox. One row per slice, one per lane of an uplink, one of bookkeeping; nobody else touches them.
// No index: each would be one page more to write per slice.
import type { Migrations } from '../../base/storage/sqlite.ts';

export const outboxMigrations: Migrations = {
  owner: 'outbox',
  steps: [
    `CREATE TABLE outbox_slices (
       id INTEGER PRIMARY KEY,
       produced_ms INTEGER NOT NULL,
       samples INTEGER NOT NULL,
       others INTEGER NOT NULL,
       gaps INTEGER NOT NULL,
       declared INTEGER,
       first_ms INTEGER NOT NULL,
       last_ms INTEGER NOT NULL,
       head_crc INTEGER NOT NULL,
       body_crc INTEGER NOT NULL,
       body BLOB NOT NULL
     ) STRICT;
     CREATE TABLE outbox_meta (
       one INTEGER PRIMARY KEY CHECK (one = 1),
       next_id INTEGER NOT NULL,
       deleted_through INTEGER NOT NULL,
       is_clean INTEGER NOT NULL,
       has_samples INTEGER NOT NULL,
       alive_ms INTEGER NOT NULL,
       crc INTEGER NOT NULL
     ) STRICT;`,
    `ALTER TABLE outbox_slices ADD COLUMN changes INTEGER NOT NULL DEFAULT 0;
     CREATE TABLE outbox_lanes (
       name TEXT NOT NULL,
       epoch TEXT NOT NULL,
       base INTEGER NOT NULL,
       acked INTEGER NOT NULL,
       through INTEGER,
       crc INTEGER NOT NULL,
       PRIMARY KEY (name, epoch)
     ) STRICT;`,
  ],
};
