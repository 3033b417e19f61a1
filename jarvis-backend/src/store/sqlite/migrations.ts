/** Migrations, numbered by position and forward-only; a released one is never edited. `user_version` holds how many have run. */
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
  `
  -- What started a run is one JSON value, by its kind: a kind of its own needs no column and no CHECK.
  CREATE TABLE runs_with_origin (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('queued', 'running', 'stopping', 'ended')),
    origin TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    partial TEXT NOT NULL DEFAULT ''
  ) STRICT, WITHOUT ROWID;
  INSERT INTO runs_with_origin
    SELECT id, session_id, position, status, CASE source
      WHEN 'mcp' THEN json_patch(json_object('kind', 'mcp', 'client', by),
        json_object('token', (SELECT token_name FROM kept_runs WHERE run_id = runs.id)))
      ELSE json_patch(json_object('kind', 'chat', 'messageId', message_id, 'text', text, 'by', by), json_object('model', model))
    END, created_at, partial FROM runs;
  DROP TABLE runs;
  ALTER TABLE runs_with_origin RENAME TO runs;
  CREATE UNIQUE INDEX runs_in_order ON runs (session_id, position);
  CREATE INDEX runs_unfinished ON runs (session_id, position) WHERE status <> 'ended';
  `,
  `
  -- A card tells what its call does; those of before told it by the tool's name.
  UPDATE confirmations SET card = json_set(card, '$.effect', json(CASE card ->> '$.toolName'
    WHEN 'restart_service' THEN '{"kind":"power","on":"service","action":"restart"}'
    WHEN 'wake_node' THEN '{"kind":"power","on":"node","action":"start"}'
    WHEN 'execute_ssh' THEN '{"kind":"execute","on":"node"}'
    ELSE json_object('kind', 'power', 'on', 'guest', 'action', substr(card ->> '$.toolName', 1, instr(card ->> '$.toolName', '_') - 1),
      'type', iif(card ->> '$.toolName' LIKE '%_vm', 'vm', 'ct'), 'isForced', json(iif(card ->> '$.toolInput.force' = 1 AND card ->> '$.toolName' NOT LIKE 'start_%', 'true', 'false')))
    END)) WHERE json_valid(card) AND card ->> '$.toolName' IN (
      'restart_service', 'wake_node', 'execute_ssh', 'start_vm', 'stop_vm', 'restart_vm', 'start_container', 'stop_container', 'restart_container'
    );
  UPDATE entries SET body = json_set(body, '$.effect', json(CASE body ->> '$.toolName'
    WHEN 'restart_service' THEN '{"kind":"power","on":"service","action":"restart"}'
    WHEN 'wake_node' THEN '{"kind":"power","on":"node","action":"start"}'
    WHEN 'execute_ssh' THEN '{"kind":"execute","on":"node"}'
    ELSE json_object('kind', 'power', 'on', 'guest', 'action', substr(body ->> '$.toolName', 1, instr(body ->> '$.toolName', '_') - 1),
      'type', iif(body ->> '$.toolName' LIKE '%_vm', 'vm', 'ct'), 'isForced', json(iif(body ->> '$.toolInput.force' = 1 AND body ->> '$.toolName' NOT LIKE 'start_%', 'true', 'false')))
    END)) WHERE type = 'confirm_needed' AND json_valid(body) AND body ->> '$.toolName' IN (
      'restart_service', 'wake_node', 'execute_ssh', 'start_vm', 'stop_vm', 'restart_vm', 'start_container', 'stop_container', 'restart_container'
    );
  `,
  `
  -- The changes that JARVIS made, and what takes them back. later_at: when JARVIS does what the card said of later.
  CREATE TABLE changes (
    id TEXT PRIMARY KEY,
    target TEXT NOT NULL,
    makes INTEGER,
    at INTEGER NOT NULL,
    state TEXT NOT NULL,
    facts TEXT NOT NULL,
    goes_back_at INTEGER,
    later_at INTEGER,
    ended_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX changes_by_time ON changes (at);
  CREATE INDEX changes_by_target ON changes (target, at);
  CREATE INDEX changes_by_made ON changes (makes, at) WHERE makes IS NOT NULL;
  CREATE INDEX changes_due ON changes (goes_back_at) WHERE goes_back_at IS NOT NULL OR later_at IS NOT NULL;
  -- Approvals that let a change go back by itself, until the change begins.
  CREATE TABLE change_arms (id TEXT PRIMARY KEY, after_ms INTEGER NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  -- Restore drills. is_open is 1 until the copy is gone, so that at most one drill is open; null after that.
  CREATE TABLE drills (
    id TEXT PRIMARY KEY,
    vmid INTEGER NOT NULL,
    at INTEGER NOT NULL,
    verdict TEXT NOT NULL,
    is_open INTEGER UNIQUE,
    facts TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX drills_by_guest ON drills (vmid, at);
  `,
  `
  -- What is wrong, and was. fired_at: null while it is pending. counts_until: until when a new one takes after an ended one.
  CREATE TABLE alerts (
    id TEXT PRIMARY KEY,
    fingerprint TEXT NOT NULL,
    check_id TEXT NOT NULL,
    object TEXT NOT NULL,
    node TEXT,
    fired_at INTEGER,
    ended_at INTEGER,
    counts_until INTEGER,
    facts TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX alerts_open ON alerts (fingerprint) WHERE ended_at IS NULL;
  CREATE INDEX alerts_ended ON alerts (ended_at, id) WHERE ended_at IS NOT NULL;
  CREATE INDEX alerts_counting ON alerts (counts_until) WHERE counts_until IS NOT NULL;
  CREATE INDEX alerts_by_fingerprint ON alerts (fingerprint, ended_at);
  CREATE TABLE checks (id TEXT PRIMARY KEY, facts TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE maintenance_windows (id TEXT PRIMARY KEY, until INTEGER NOT NULL, facts TEXT NOT NULL) STRICT, WITHOUT ROWID;
  `,
  `
  -- Plans that began; id is the id of the call that led to it.
  CREATE TABLE plans (
    id TEXT PRIMARY KEY,
    run_id TEXT NOT NULL UNIQUE,
    runbook TEXT,
    started_at INTEGER NOT NULL,
    ended_at INTEGER,
    facts TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX plans_by_time ON plans (started_at);
  CREATE INDEX plans_by_runbook ON plans (runbook, started_at) WHERE runbook IS NOT NULL;
  `,
  `
  -- Jobs, and what became of each of their instants. A slot is unique by job and instant, so that it begins once.
  CREATE TABLE jobs (
    id TEXT PRIMARY KEY,
    created_at INTEGER NOT NULL,
    facts TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE job_slots (
    job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
    slot INTEGER NOT NULL,
    is_open INTEGER NOT NULL,
    tokens INTEGER,
    facts TEXT NOT NULL,
    PRIMARY KEY (job_id, slot)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX job_slots_open ON job_slots (job_id, slot) WHERE is_open = 1;
  `,
  `
  -- The agent that a session belongs to.
  ALTER TABLE sessions ADD COLUMN agent TEXT NOT NULL DEFAULT 'main';
  `,
  `
  -- Each call of a model. run_id: null outside a run. usd: null where the price is not known. is_open: it goes on, and counts with the most
  -- that it could use.
  CREATE TABLE spendings (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    kind TEXT NOT NULL,
    model TEXT NOT NULL,
    agent TEXT NOT NULL,
    run_id TEXT,
    job_id TEXT,
    tokens INTEGER NOT NULL,
    usd REAL,
    ms INTEGER NOT NULL,
    is_open INTEGER NOT NULL,
    is_partial INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX spendings_by_time ON spendings (at);
  CREATE INDEX spendings_by_run ON spendings (run_id) WHERE run_id IS NOT NULL;
  CREATE INDEX spendings_open ON spendings (id) WHERE is_open = 1;
  -- What a run may use besides the usual, or took from its parent.
  CREATE TABLE run_budgets (
    run_id TEXT PRIMARY KEY,
    parent_id TEXT,
    facts TEXT NOT NULL
  ) STRICT;
  CREATE INDEX run_budgets_by_parent ON run_budgets (parent_id) WHERE parent_id IS NOT NULL;
  `,
  `
  -- Questions to a person. is_own: a model of ours asked, not an attached server. is_told: the transcript says how it ended.
  CREATE TABLE questions (
    id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    run_id TEXT NOT NULL,
    tool_use_id TEXT NOT NULL,
    is_own INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    ended_at INTEGER,
    is_told INTEGER NOT NULL DEFAULT 0,
    facts TEXT NOT NULL,
    ending TEXT
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX questions_open ON questions (session_id, created_at) WHERE ended_at IS NULL;
  CREATE INDEX questions_by_session ON questions (session_id);
  CREATE INDEX questions_by_call ON questions (tool_use_id);
  CREATE INDEX questions_ended ON questions (ended_at) WHERE ended_at IS NOT NULL;
  `,
  `
  -- Child runs: the run that asked, and the call that handed the work over, which begins one run alone.
  ALTER TABLE runs ADD COLUMN parent TEXT;
  ALTER TABLE runs ADD COLUMN begun_by TEXT;
  CREATE UNIQUE INDEX runs_by_call ON runs (begun_by) WHERE begun_by IS NOT NULL;
  CREATE INDEX runs_by_parent ON runs (session_id, parent) WHERE parent IS NOT NULL;
  `,
  `
  -- The newest fold of a session is looked for before each answer.
  CREATE INDEX entries_folds ON entries (session_id, seq) WHERE type = 'compaction';
  `,
  `
  -- The lists that models keep of what they are about to do.
  CREATE INDEX entries_plans ON entries (session_id, seq) WHERE type = 'plan';
  `,
  `
  -- Approved skills. owner: the agent in whose folder it lies. approval: of which tree, when and by whom. files: that tree, with its texts.
  CREATE TABLE skills (
    owner TEXT NOT NULL,
    name TEXT NOT NULL,
    approval TEXT NOT NULL,
    files TEXT NOT NULL,
    used TEXT,
    PRIMARY KEY (owner, name)
  ) STRICT;
  `,
  `
  -- JSON; the operator's own call in place of a denied one.
  ALTER TABLE confirmations ADD COLUMN alternative TEXT;
  `,
  `
  -- Requests of programs over /v1, so that a repeated one finds its run. token: its name and when it was made. session: empty where the
  -- request named none.
  CREATE TABLE asked (
    run_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    token TEXT NOT NULL,
    door TEXT NOT NULL,
    session TEXT NOT NULL,
    key TEXT,
    hash TEXT NOT NULL,
    at INTEGER NOT NULL,
    is_delivered INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX asked_by_body ON asked (token, hash);
  CREATE INDEX asked_by_key ON asked (token, key) WHERE key IS NOT NULL;
  CREATE INDEX asked_by_session ON asked (session_id);
  CREATE INDEX asked_by_time ON asked (at);
  `,
  `
  -- Tokens of programs, each for its doors, which are joined by commas. hint: the last characters of the secret.
  ALTER TABLE mcp_tokens RENAME TO api_tokens;
  ALTER TABLE api_tokens ADD COLUMN doors TEXT NOT NULL DEFAULT 'mcp';
  ALTER TABLE api_tokens ADD COLUMN scope TEXT NOT NULL DEFAULT 'ask';
  ALTER TABLE api_tokens ADD COLUMN hint TEXT;
  UPDATE api_tokens SET scope = 'read' WHERE is_read_only = 1;
  ALTER TABLE api_tokens DROP COLUMN is_read_only;
  `,
  `
  -- The day's calls are summed before each call of a model, from this index alone.
  DROP INDEX spendings_by_time;
  CREATE INDEX spendings_by_time ON spendings (at, agent, job_id, tokens, usd, ms, is_partial);
  `,
  `
  -- Keys that sign in and sign decisions. person: whose it is. user_handle, key, cose: base64url; key: SPKI. The journal has each enrolment.
  CREATE TABLE passkeys (
    id TEXT PRIMARY KEY,
    person TEXT NOT NULL,
    user_handle TEXT NOT NULL,
    name TEXT NOT NULL,
    key TEXT NOT NULL,
    cose TEXT NOT NULL,
    rp_id TEXT NOT NULL,
    counter INTEGER NOT NULL,
    transports TEXT NOT NULL,
    is_synced INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX passkeys_of ON passkeys (person);
  CREATE INDEX journal_signers ON journal (seq) WHERE kind = 'signer';
  `,
  `
  -- calls: requests that were let in. per_minute: at most so many are.
  ALTER TABLE api_tokens ADD COLUMN calls INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE api_tokens ADD COLUMN per_minute INTEGER;
  `,
  `
  -- Files that people attached. session_id: NULL until the message is sent; by: who uploaded it, NULL where it came with its message.
  CREATE TABLE attached_bytes (hash TEXT PRIMARY KEY, data BLOB NOT NULL) STRICT;
  CREATE TABLE attachments (
    session_id TEXT REFERENCES sessions (id) ON DELETE CASCADE,
    by TEXT,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    mime_type TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    width_px INTEGER,
    height_px INTEGER,
    hash TEXT NOT NULL REFERENCES attached_bytes (hash),
    created_at INTEGER NOT NULL,
    UNIQUE (session_id, id)
  ) STRICT;
  CREATE INDEX attachments_by_bytes ON attachments (hash);
  CREATE INDEX attachments_unsent ON attachments (created_at) WHERE session_id IS NULL;
  CREATE TRIGGER attached_bytes_unused AFTER DELETE ON attachments
    WHEN NOT EXISTS (SELECT 1 FROM attachments WHERE hash = old.hash)
    BEGIN DELETE FROM attached_bytes WHERE hash = old.hash; END;
  `,
  `
  -- People. The first owner's password is kept outside. removed_at: the row stays, so that no id is given twice and old lines keep their name.
  CREATE TABLE people (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL COLLATE NOCASE,
    role TEXT NOT NULL,
    password_hash TEXT,
    created_at INTEGER NOT NULL,
    disabled_at INTEGER,
    removed_at INTEGER,
    last_seen_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX people_by_name ON people (name) WHERE removed_at IS NULL;
  INSERT INTO people (id, name, role, created_at)
    VALUES ('operator', 'operator', 'owner', CAST(strftime('%s', 'now') AS INTEGER) * 1000);
  -- Where people are signed in. hash: of the token.
  CREATE TABLE sign_ins (
    id TEXT PRIMARY KEY,
    person TEXT NOT NULL REFERENCES people (id),
    hash TEXT NOT NULL,
    address TEXT NOT NULL,
    client TEXT NOT NULL,
    method TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX sign_ins_by_person ON sign_ins (person);
  CREATE INDEX sign_ins_by_end ON sign_ins (ends_at);
  -- In whose name a program acts.
  ALTER TABLE api_tokens ADD COLUMN person TEXT NOT NULL DEFAULT 'operator';
  `,
  `
  -- Whose a session is.
  ALTER TABLE sessions ADD COLUMN person TEXT NOT NULL DEFAULT 'operator';
  CREATE INDEX sessions_of_others ON sessions (person, updated_at) WHERE person <> 'operator';
  `,
  `
  -- What persons were asked to sign. id: SHA-256 of the statement with its domain, base64url. Used ones stay, for the claim is checked by them.
  CREATE TABLE decision_challenges (
    id TEXT PRIMARY KEY,
    tool_use_id TEXT NOT NULL,
    person TEXT NOT NULL,
    statement TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    used_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX decision_challenges_open ON decision_challenges (expires_at) WHERE used_at IS NULL;
  `,
  `
  -- Links that are given to people, each for one use: an invitation (join) or a new password (reset). hash: of the secret. is_told: people
  -- who are here know of it.
  CREATE TABLE links (
    id TEXT PRIMARY KEY,
    kind TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    by TEXT NOT NULL,
    role TEXT,
    name TEXT,
    person TEXT,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    is_told INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Messages that are to leave over channels, and what became of those of the last days. is_open: an attempt was begun and its end is not
  -- known. is_card: a card that nothing was revised for yet.
  CREATE TABLE outbox (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    recipient TEXT NOT NULL,
    channel TEXT NOT NULL,
    act TEXT NOT NULL,
    key TEXT NOT NULL,
    content TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    not_before INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0,
    is_open INTEGER NOT NULL DEFAULT 0,
    is_card INTEGER NOT NULL,
    is_notice INTEGER NOT NULL,
    end TEXT,
    ended_at INTEGER,
    ref TEXT,
    why TEXT,
    UNIQUE (recipient, act, key)
  ) STRICT;
  CREATE INDEX outbox_waiting ON outbox (recipient, seq) WHERE end IS NULL;
  CREATE INDEX outbox_cards ON outbox (seq) WHERE is_card = 1;
  CREATE INDEX outbox_ended ON outbox (ended_at) WHERE end IS NOT NULL;
  CREATE INDEX outbox_recent ON outbox (recipient, created_at);
  -- Whom channels reach. account: a hash of what signs us in at the service. user, chat: the service's own ids.
  CREATE TABLE channel_recipients (
    id TEXT PRIMARY KEY,
    channel TEXT NOT NULL,
    account TEXT NOT NULL,
    person TEXT NOT NULL,
    user TEXT NOT NULL,
    chat TEXT NOT NULL,
    name TEXT NOT NULL,
    decides TEXT NOT NULL,
    hides_names INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    problem TEXT,
    UNIQUE (channel, user)
  ) STRICT, WITHOUT ROWID;
  -- Pairings that were begun. hash: of the code. opened: who used it, JSON.
  CREATE TABLE channel_pairings (
    id TEXT PRIMARY KEY,
    hash TEXT NOT NULL UNIQUE,
    channel TEXT NOT NULL,
    account TEXT NOT NULL,
    person TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    opened TEXT
  ) STRICT, WITHOUT ROWID;
  -- Buttons of messages. hash: of what the button sends. item: the outbox's. ref: the message, NULL until it is known.
  CREATE TABLE channel_nonces (
    hash TEXT PRIMARY KEY,
    recipient TEXT NOT NULL,
    item TEXT NOT NULL,
    tool_use_id TEXT NOT NULL,
    binding_hash TEXT NOT NULL,
    decision TEXT NOT NULL,
    ref TEXT,
    expires_at INTEGER NOT NULL,
    used_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX channel_nonces_of_item ON channel_nonces (item);
  CREATE INDEX channel_nonces_by_end ON channel_nonces (expires_at);
  -- The channel that a decision came over; NULL: the dashboard, a program or the command line.
  ALTER TABLE confirmations ADD COLUMN via TEXT;
  `,
  `
  -- Codes of authenticator apps. seed: sealed. last_step: of the newest code that counted. failures: wrong codes in a row.
  CREATE TABLE second_factors (
    person TEXT PRIMARY KEY REFERENCES people (id),
    seed TEXT NOT NULL,
    last_step INTEGER NOT NULL,
    failures INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE recovery_codes (
    person TEXT NOT NULL REFERENCES people (id),
    number INTEGER NOT NULL,
    hash TEXT NOT NULL,
    PRIMARY KEY (person, number)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER second_factors_end AFTER UPDATE OF removed_at ON people WHEN new.removed_at IS NOT NULL
    BEGIN DELETE FROM second_factors WHERE person = new.id; DELETE FROM recovery_codes WHERE person = new.id; END;
  `,
  `
  -- Keys that sign for persons beside passkeys. id: of SSH its fingerprint, of a device the device's.
  CREATE TABLE signer_keys (
    id TEXT PRIMARY KEY,
    type TEXT NOT NULL,
    person TEXT NOT NULL,
    name TEXT NOT NULL,
    key TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    last_used_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX signer_keys_of ON signer_keys (person, type);
  CREATE TRIGGER signer_keys_end AFTER UPDATE OF removed_at ON people WHEN new.removed_at IS NOT NULL
    BEGIN DELETE FROM signer_keys WHERE person = new.id; END;
  `,
  `
  -- Accounts of other services that people sign in with. person: NULL while it waits for an owner. name and email: the service's word.
  CREATE TABLE foreign_accounts (
    id TEXT PRIMARY KEY,
    issuer TEXT NOT NULL,
    subject TEXT NOT NULL,
    name TEXT,
    email TEXT,
    person TEXT,
    created_at INTEGER NOT NULL,
    last_seen_at INTEGER NOT NULL,
    UNIQUE (issuer, subject)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- With whom conversations are shared. family: as of sessions, or the session's id: it covers all versions. may: look or talk.
  CREATE TABLE session_shares (
    family TEXT NOT NULL,
    person TEXT NOT NULL REFERENCES people (id),
    may TEXT NOT NULL,
    by TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (family, person)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX session_shares_of ON session_shares (person);
  CREATE TRIGGER session_shares_end AFTER DELETE ON sessions
    BEGIN DELETE FROM session_shares WHERE family = COALESCE(old.family, old.id); END;
  `,
  `
  -- A person who is paired may talk there; those who were paired before switch it on. agent: who answers them; NULL: as bindings say.
  ALTER TABLE channel_recipients ADD COLUMN talks INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE channel_recipients ADD COLUMN agent TEXT;
  -- The sessions that a chat talks in. thread: a topic, empty for the chat itself. told: the newest seq that needs no message any more.
  -- preview: the message that shows an answer while it is written.
  CREATE TABLE channel_chats (
    recipient TEXT NOT NULL,
    thread TEXT NOT NULL,
    session_id TEXT NOT NULL,
    told INTEGER NOT NULL,
    preview TEXT,
    is_current INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (recipient, thread, session_id)
  ) STRICT, WITHOUT ROWID;
  CREATE UNIQUE INDEX channel_chats_current ON channel_chats (recipient, thread) WHERE is_current = 1;
  -- Buttons of conversations, which decide no card. hash: of what the button sends. item: the attempt that sent it. deed: what it does, JSON.
  CREATE TABLE channel_choices (
    hash TEXT PRIMARY KEY,
    recipient TEXT NOT NULL,
    thread TEXT NOT NULL,
    item TEXT NOT NULL,
    deed TEXT NOT NULL,
    ref TEXT,
    expires_at INTEGER NOT NULL,
    used_at INTEGER
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX channel_choices_of_item ON channel_choices (item);
  CREATE INDEX channel_choices_by_end ON channel_choices (expires_at);
  -- Voice notes. file: the service's. text: what was heard, NULL until then; it is a message once its person sends it. end: sent or discarded.
  CREATE TABLE channel_heard (
    id TEXT PRIMARY KEY,
    recipient TEXT NOT NULL,
    thread TEXT NOT NULL,
    file TEXT NOT NULL,
    at INTEGER NOT NULL,
    text TEXT,
    problem TEXT,
    end TEXT
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Lists of files that calls change, written down before the first file is. changes: JSON. state: begun, done, failed or mixed.
  CREATE TABLE file_changes (
    call_id TEXT PRIMARY KEY,
    changes TEXT NOT NULL,
    state TEXT NOT NULL,
    text TEXT NOT NULL,
    at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- A group chat is told and never heard; user and chat are its id then. may_exist: an earlier attempt ended with the process, so the
  -- service may have a copy of the message.
  ALTER TABLE channel_recipients ADD COLUMN is_group INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE outbox ADD COLUMN may_exist INTEGER NOT NULL DEFAULT 0;
  `,
  `
  -- Browsers are recipients of the channel of web push; only their subscriptions are kept apart. id: the recipient's.
  INSERT INTO channel_recipients (id, channel, account, person, user, chat, name, decides, hides_names, created_at, problem)
    SELECT id, 'webpush', '', CASE WHEN sub LIKE 'per\\_%' ESCAPE '\\' THEN sub ELSE 'operator' END, id, '', label,
      CASE WHEN id IN (SELECT id FROM signer_keys WHERE type = 'device') THEN 'approve' ELSE 'none' END, hides_names, created_at, problem
    FROM push_devices;
  CREATE TABLE push_subscriptions (
    id TEXT PRIMARY KEY,
    endpoint TEXT NOT NULL UNIQUE,
    p256dh TEXT NOT NULL,
    auth TEXT NOT NULL,
    last_sent_at INTEGER
  ) STRICT, WITHOUT ROWID;
  INSERT INTO push_subscriptions SELECT id, endpoint, p256dh, auth, last_sent_at FROM push_devices;
  DROP TABLE push_devices;
  CREATE TRIGGER push_subscriptions_end AFTER DELETE ON channel_recipients
    BEGIN DELETE FROM push_subscriptions WHERE id = old.id; END;
  `,
  `
  -- The folder or site whose calls of one kind a grant covers, JSON; NULL: exactly one call.
  ALTER TABLE grants ADD COLUMN scope TEXT;
  `,
  `
  -- When the browser itself was here last. Those that are there count as seen now.
  ALTER TABLE push_subscriptions ADD COLUMN seen_at INTEGER;
  UPDATE push_subscriptions SET seen_at = CAST(unixepoch('subsec') * 1000 AS INTEGER);
  `,
  `
  -- The passkey that a sign-in was made with, for it ends with the passkey. Those that are there have none known.
  ALTER TABLE sign_ins ADD COLUMN passkey TEXT;
  `,
  `
  -- Who stopped the session while this queued run waited: it begins only when its message is sent again. NULL: it begins with its turn.
  ALTER TABLE runs ADD COLUMN held_by TEXT;
  `,
  `
  -- The programs of mcp.json that an owner allowed to start. hash: of the program with its environment. Those that ran before count as they
  -- are: allowed_by is empty then, and hash is that of their origin.
  CREATE TABLE attached_programs (
    server TEXT PRIMARY KEY,
    hash TEXT NOT NULL,
    allowed_by TEXT NOT NULL,
    allowed_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  INSERT INTO attached_programs
    SELECT name, origin, '', CAST(unixepoch('subsec') * 1000 AS INTEGER) FROM attached_servers;
  `,
  `
  -- The real arguments, sealed, of calls whose entries are redacted, until their runs have ended; of a call that was handed out to a
  -- program as long as the session is there.
  CREATE TABLE held_inputs (
    tool_use_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
    run_id TEXT NOT NULL,
    input TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX held_inputs_of ON held_inputs (session_id, run_id);
  CREATE TRIGGER held_inputs_end AFTER UPDATE OF status ON runs WHEN new.status = 'ended' BEGIN
    DELETE FROM held_inputs WHERE session_id = new.session_id AND run_id = new.id AND tool_use_id NOT IN (
      SELECT body ->> '$.toolUseId' FROM entries
      WHERE session_id = new.session_id AND run_id = new.id AND type = 'tool_result' AND body ->> '$.isHandedOut');
  END;
  UPDATE runs SET origin = json_remove(origin, '$.call.toolInput')
    WHERE status = 'ended' AND json_valid(origin) AND json_type(origin, '$.call') = 'object';
  -- Where there is nothing yet, nothing needs to be redacted afterwards.
  INSERT INTO settings (key, value) SELECT 'stored_inputs_redacted', 'all' WHERE NOT EXISTS (SELECT 1 FROM entries);
  `,
  `
  -- Tokens for attached servers, with the client and the authorization server that they belong to, JSON, sealed.
  CREATE TABLE attached_sign_ins (
    server TEXT PRIMARY KEY,
    sealed TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- The guests that have, or had, each number. seen_at: when the guest was last known to be there. facts: JSON.
  CREATE TABLE guest_generations (
    id TEXT PRIMARY KEY,
    vmid INTEGER NOT NULL,
    began_at INTEGER NOT NULL,
    seen_at INTEGER NOT NULL,
    facts TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX guest_generations_of ON guest_generations (vmid, began_at);
  `,
]
