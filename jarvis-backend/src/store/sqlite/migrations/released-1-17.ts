/** The migrations 1 to 17. Released: never edit one. */
export const released1to17: readonly string[] = [
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
    -- 'stopping': a person stopped it, and it has not yet ended.
    status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'stopping', 'ended')),
    source TEXT NOT NULL CHECK (source IN ('chat', 'mcp')),
    message_id TEXT NOT NULL,
    text TEXT NOT NULL,
    by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    -- What had streamed of the turn that goes on, kept once a second.
    partial TEXT NOT NULL DEFAULT ''
  ) STRICT;
  CREATE UNIQUE INDEX runs_in_order ON runs (session_id, position);
  CREATE INDEX runs_unfinished ON runs (session_id, position) WHERE status <> 'ended';

  CREATE TABLE entries (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    run_id TEXT NOT NULL,
    type TEXT NOT NULL,
    -- The first of its run: where a page or the model's history may begin.
    starts_run INTEGER NOT NULL,
    body TEXT NOT NULL,
    UNIQUE (session_id, seq)
  ) STRICT;
  CREATE INDEX entries_of_run ON entries (run_id);
  CREATE INDEX entries_run_starts ON entries (session_id, seq) WHERE starts_run = 1;

  CREATE TABLE confirmations (
    tool_use_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    run_id TEXT NOT NULL,
    card TEXT NOT NULL,
    binding_hash TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    -- When an operator's screen first had it; its time counts from then.
    seen_at INTEGER,
    expires_at INTEGER NOT NULL,
    decision TEXT CHECK (decision IN ('approved', 'denied', 'expired', 'cancelled')),
    decided_by TEXT,
    decided_at INTEGER,
    note TEXT
  ) STRICT;
  CREATE INDEX confirmations_pending ON confirmations (session_id, expires_at) WHERE decision IS NULL;
  CREATE INDEX confirmations_decided ON confirmations (decided_at);
  CREATE INDEX confirmations_of_session ON confirmations (session_id);

  -- A row is the claim: it is committed before the effect, and never made twice.
  CREATE TABLE executions (
    tool_use_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL,
    run_id TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    tool_input TEXT NOT NULL,
    tier TEXT NOT NULL,
    binding_hash TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    -- The cluster's task, as soon as it is known.
    upid TEXT,
    settled_at INTEGER,
    outcome TEXT CHECK (outcome IN ('done', 'failed', 'unknown'))
  ) STRICT;

  -- What was asked, judged, decided and done, in order; each row's hash covers the one before.
  CREATE TABLE journal (
    seq INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    body TEXT NOT NULL,
    hash TEXT NOT NULL
  ) STRICT;

  -- The oldest entries, moved into files of journal/ that may be taken away; the chain goes on from the last hash.
  CREATE TABLE journal_segments (
    first_seq INTEGER PRIMARY KEY,
    last_seq INTEGER NOT NULL,
    first_prev_hash TEXT NOT NULL,
    last_hash TEXT NOT NULL,
    sealed_at INTEGER NOT NULL
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
  `
  -- A call whose card was replaced has several; the newest counts.
  ALTER TABLE confirmations ADD COLUMN call_id TEXT NOT NULL DEFAULT '';
  UPDATE confirmations SET call_id = tool_use_id;
  ALTER TABLE confirmations ADD COLUMN replaced_by TEXT;
  -- The same for calls that are the same to a person: tool, arguments, target.
  ALTER TABLE confirmations ADD COLUMN call_key TEXT NOT NULL DEFAULT '';
  CREATE INDEX confirmations_of_call ON confirmations (call_id);
  CREATE INDEX confirmations_denied ON confirmations (call_key, decided_at) WHERE decision = 'denied';

  ALTER TABLE sessions ADD COLUMN is_rehearsal INTEGER NOT NULL DEFAULT 0;

  CREATE TABLE grants (
    id TEXT PRIMARY KEY,
    key TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    tool_input TEXT NOT NULL,
    target TEXT NOT NULL,
    rule TEXT NOT NULL,
    requested_by TEXT NOT NULL,
    by TEXT NOT NULL,
    tool_use_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    uses INTEGER NOT NULL,
    uses_left INTEGER NOT NULL,
    -- Used up, revoked or expired.
    ended_at INTEGER
  ) STRICT;
  CREATE INDEX grants_live ON grants (key) WHERE ended_at IS NULL;
  `,
  `
  -- Every page a commit changes is written: what a run writes touches fewer without these two.
  DROP INDEX entries_of_run;

  CREATE TABLE runs_by_id (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'stopping', 'ended')),
    source TEXT NOT NULL CHECK (source IN ('chat', 'mcp')),
    message_id TEXT NOT NULL,
    text TEXT NOT NULL,
    by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    partial TEXT NOT NULL DEFAULT ''
  ) STRICT, WITHOUT ROWID;
  INSERT INTO runs_by_id
    SELECT id, session_id, position, status, source, message_id, text, by, created_at, partial FROM runs;
  DROP TABLE runs;
  ALTER TABLE runs_by_id RENAME TO runs;
  CREATE UNIQUE INDEX runs_in_order ON runs (session_id, position);
  CREATE INDEX runs_unfinished ON runs (session_id, position) WHERE status <> 'ended';
  `,
  `
  -- Sessions that the operator had JARVIS forget: what is derived may be made again, and must not bring them back.
  CREATE TABLE memory_forgotten (
    session_id TEXT PRIMARY KEY REFERENCES sessions (id) ON DELETE CASCADE,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- What a file of the memory was before JARVIS wrote to it, so that the operator can take it back.
  CREATE TABLE memory_writes (
    id TEXT PRIMARY KEY,
    path TEXT NOT NULL,
    -- NULL: it was not there.
    before TEXT,
    -- What the file's text must still be for it to be taken back whole.
    checksum TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What attached MCP servers listed last: their tools are known before they are started again.
  CREATE TABLE attached_servers (
    name TEXT PRIMARY KEY,
    -- A hash of what it is started or reached by.
    origin TEXT NOT NULL,
    tools TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- What an operator lets a tool of theirs be, bound to its definition.
  CREATE TABLE attached_tiers (
    server TEXT NOT NULL,
    tool_name TEXT NOT NULL,
    hash TEXT NOT NULL,
    tier TEXT NOT NULL CHECK (tier IN ('green', 'yellow', 'red')),
    set_by TEXT NOT NULL,
    set_at INTEGER NOT NULL,
    -- The definition was another one from then on, and the tier no longer counts.
    changed_at INTEGER,
    PRIMARY KEY (server, tool_name)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Clients that registered themselves; nothing of what they say is proven.
  CREATE TABLE oauth_clients (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    redirect_uris TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- An MCP token that an operator gave a client by signing in: its own hash is none, its secrets are below.
  CREATE TABLE oauth_consents (
    name TEXT PRIMARY KEY REFERENCES mcp_tokens (name) ON DELETE CASCADE,
    client_id TEXT NOT NULL,
    client_name TEXT NOT NULL,
    resource TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX oauth_consents_of_client ON oauth_consents (client_id);

  CREATE TABLE oauth_secrets (
    hash TEXT PRIMARY KEY,
    name TEXT NOT NULL REFERENCES oauth_consents (name) ON DELETE CASCADE,
    kind TEXT NOT NULL CHECK (kind IN ('access', 'refresh')),
    expires_at INTEGER NOT NULL,
    -- A refresh token that was exchanged: shown again, it ends the consent.
    used_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX oauth_secrets_of_consent ON oauth_secrets (name);
  `,
  `
  ALTER TABLE sessions ADD COLUMN archived_at INTEGER;
  -- 'provider/model' that a person chose for it; NULL: the one in use.
  ALTER TABLE sessions ADD COLUMN model TEXT;
  -- Where it was branched off, which may be deleted since; what lies below copied_below is a copy and was paid for there.
  ALTER TABLE sessions ADD COLUMN branched_from TEXT;
  ALTER TABLE sessions ADD COLUMN branched_entry INTEGER;
  ALTER TABLE sessions ADD COLUMN copied_below INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE runs ADD COLUMN model TEXT;

  -- What a list needs of a session's entries, made from them a moment after they are written.
  CREATE TABLE session_index (
    number INTEGER PRIMARY KEY,
    session_id TEXT NOT NULL UNIQUE REFERENCES sessions (id) ON DELETE CASCADE,
    title TEXT NOT NULL,
    -- Entries below it are in.
    next_seq INTEGER NOT NULL DEFAULT 0,
    input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0,
    cache_read_tokens INTEGER NOT NULL DEFAULT 0,
    cache_write_tokens INTEGER NOT NULL DEFAULT 0,
    cost_usd REAL NOT NULL DEFAULT 0,
    -- Replies whose price is not known.
    unpriced INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  -- Titles and messages. A row is number << 28, plus seq + 1 for a message: a session's rows lie together, without a table to ask.
  CREATE VIRTUAL TABLE session_words USING fts5 (
    text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2', prefix = '3'
  );
  CREATE TRIGGER sessions_unindexed BEFORE DELETE ON sessions BEGIN
    DELETE FROM session_words WHERE rowid IN (
      SELECT (number << 28) + seq + 1 FROM session_index JOIN entries USING (session_id)
      WHERE session_id = OLD.id AND type IN ('user', 'assistant')
      UNION ALL SELECT number << 28 FROM session_index WHERE session_id = OLD.id
    );
  END;
  `,
  `
  -- Calls of MCP clients that ask later what became of them. A row comes before its run.
  CREATE TABLE kept_runs (
    run_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    token_name TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX kept_runs_of_session ON kept_runs (session_id, at);
  `,
  `
  -- Browsers that are told of waiting cards. The endpoint lets anybody who knows it send there: it never goes out again.
  CREATE TABLE push_devices (
    id TEXT PRIMARY KEY,
    sub TEXT NOT NULL,
    endpoint TEXT NOT NULL UNIQUE,
    p256dh TEXT NOT NULL,
    auth TEXT NOT NULL,
    label TEXT NOT NULL,
    hides_names INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    last_sent_at INTEGER,
    problem TEXT
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- The ring of samples: one row holds many series at one moment. \`step\`: ms between two; \`part\`: which series.
  CREATE TABLE samples (
    step INTEGER NOT NULL,
    part INTEGER NOT NULL,
    at INTEGER NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (step, part, at)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE sample_series (name TEXT PRIMARY KEY, place INTEGER NOT NULL UNIQUE, last_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  -- Pictures that tools gave, by what they hold. Beside the entries, which name them.
  CREATE TABLE images (
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    id TEXT NOT NULL,
    mime_type TEXT NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (session_id, id)
  ) STRICT;
  `,
  `
  -- Words stand by blocks of messages: a common one is looked up in fewer rows. All of it is made again.
  DROP TABLE session_words;
  CREATE VIRTUAL TABLE session_words USING fts5 (
    text, content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2', prefix = '3'
  );
  DELETE FROM session_index;
  -- The first message of the newest block, and how many are in it.
  ALTER TABLE session_index ADD COLUMN block_seq INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE session_index ADD COLUMN block_count INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Answers whose tokens were not all counted.
  ALTER TABLE session_index ADD COLUMN partly_counted INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- How much the models think in a session; NULL: as the settings say.
  ALTER TABLE sessions ADD COLUMN effort TEXT;
  `,
  `
  -- A session made by editing or retrying the message at version_at holds another version of it. version_of: the session
  -- beside whose message it stands. family: the first session of them all, in that one too; NULL where there are no versions.
  ALTER TABLE sessions ADD COLUMN family TEXT;
  ALTER TABLE sessions ADD COLUMN version_of TEXT;
  ALTER TABLE sessions ADD COLUMN version_at INTEGER;
  CREATE INDEX sessions_of_family ON sessions (family, updated_at, id) WHERE family IS NOT NULL;
  -- Branches before a message were edits and retries. What was branched after an answer copied more than lies below its entry.
  WITH RECURSIVE edited (id, of, at) AS (
    SELECT id, branched_from, branched_entry FROM sessions
    WHERE branched_entry = copied_below AND branched_from IN (SELECT id FROM sessions)
  ), climbed (id, of, at) AS (
    SELECT id, of, at FROM edited
    UNION SELECT climbed.id, origin.of, climbed.at FROM climbed JOIN edited AS origin ON origin.id = climbed.of AND origin.at >= climbed.at
  )
  UPDATE sessions SET version_at = branched_entry, version_of = (
    SELECT of FROM climbed WHERE climbed.id = sessions.id
      AND NOT EXISTS (SELECT 1 FROM edited AS origin WHERE origin.id = climbed.of AND origin.at >= climbed.at)
  ) WHERE id IN (SELECT id FROM edited);
  WITH RECURSIVE tree (id, first) AS (
    SELECT id, id FROM sessions WHERE version_of IS NULL AND id IN (SELECT version_of FROM sessions)
    UNION ALL SELECT sessions.id, tree.first FROM tree JOIN sessions ON sessions.version_of = tree.id
  )
  UPDATE sessions SET family = (SELECT first FROM tree WHERE tree.id = sessions.id) WHERE id IN (SELECT id FROM tree);
  `,
  `
  -- When an operator took a denial back, so that the call may be asked for again.
  ALTER TABLE confirmations ADD COLUMN lifted_at INTEGER;
  `,
  `
  -- The entries of one call, which are pages apart. A read is one entry alone and stays out. A doctored body may be no JSON.
  CREATE INDEX journal_calls ON journal (body ->> '$.toolUseId')
    WHERE json_valid(body) AND body ->> '$.toolUseId' IS NOT NULL AND (kind <> 'call' OR body ->> '$.outcome' IS NULL);
  `,
]
