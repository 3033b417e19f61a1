export const feedback = `
  -- What people said of JARVIS itself. Ratings of answers are entries of transcripts. seq: the entry of the session that it is about.
  CREATE TABLE feedback (
    id TEXT PRIMARY KEY,
    at INTEGER NOT NULL,
    person TEXT NOT NULL,
    text TEXT NOT NULL,
    session_id TEXT,
    seq INTEGER
  ) STRICT;
  CREATE INDEX feedback_by_person ON feedback (person);
  CREATE INDEX entries_ratings ON entries (session_id, seq) WHERE type = 'rating';
`
