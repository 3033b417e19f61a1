/** The migrations 43 to 59. Released: never edit one. */
export const released43to59: readonly string[] = [
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
