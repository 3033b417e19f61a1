/** The migrations 18 to 42. Released: never edit one. */
export const released18to42: readonly string[] = [
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
]
