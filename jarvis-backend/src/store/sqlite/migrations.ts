/** Numbered by position, forward-only; a released one is never edited. `user_version` holds how many have run. */
export const migrations: readonly string[] = [
  `
  CREATE TABLE sessions (
    id TEXT PRIMARY KEY,
    title TEXT NOT NULL,
    source TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    -- No event of this session has a seq at or above it: reserved in blocks while a run goes on, exact afterwards.
    next_seq INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX sessions_by_update ON sessions (updated_at DESC);

  CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'ended')),
    source TEXT NOT NULL CHECK (source IN ('chat', 'mcp')),
    message_id TEXT NOT NULL,
    text TEXT NOT NULL,
    by TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX runs_in_order ON runs (session_id, position);
  CREATE INDEX runs_unfinished ON runs (status) WHERE status <> 'ended';

  CREATE TABLE entries (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    type TEXT NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (session_id, seq)
  ) STRICT;
  CREATE INDEX entries_of_run ON entries (run_id);
  CREATE INDEX entries_run_starts ON entries (session_id, seq) WHERE type = 'user';

  CREATE TABLE confirmations (
    tool_use_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    run_id TEXT NOT NULL,
    card TEXT NOT NULL,
    binding_hash TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    decision TEXT CHECK (decision IN ('approved', 'denied', 'expired', 'cancelled')),
    decided_by TEXT,
    decided_at INTEGER,
    note TEXT
  ) STRICT;
  CREATE INDEX confirmations_pending ON confirmations (expires_at) WHERE decision IS NULL;
  CREATE INDEX confirmations_decided ON confirmations (decided_at);
  CREATE INDEX confirmations_of_session ON confirmations (session_id);

  -- A row is the claim: it is committed before the effect, and never made twice.
  CREATE TABLE executions (
    tool_use_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    tier TEXT NOT NULL,
    binding_hash TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    settled_at INTEGER,
    is_error INTEGER
  ) STRICT;

  -- What was asked, judged, decided and done, in order; each row's hash covers the one before.
  CREATE TABLE journal (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;

  CREATE TABLE replies (
    kind TEXT NOT NULL,
    by TEXT NOT NULL,
    request_id TEXT NOT NULL,
    reply TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (kind, by, request_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE mcp_tokens (
    name TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    is_read_only INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    last_used_at INTEGER
  ) STRICT;

  CREATE TABLE revoked_tokens (
    hash TEXT PRIMARY KEY,
    expires_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE settings (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
]
