// The tables of the outbox. One row per slice, one cursor per uplink, one row of bookkeeping; nobody else touches them.
import type { Migrations } from '../../base/sqlite.ts';

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
     CREATE INDEX outbox_slices_samples ON outbox_slices (id) WHERE samples > 0;
     CREATE TABLE outbox_uplinks (
       name TEXT PRIMARY KEY,
       epoch TEXT NOT NULL,
       base INTEGER NOT NULL,
       acked INTEGER NOT NULL,
       crc INTEGER NOT NULL
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
  ],
};
