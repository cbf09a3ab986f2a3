-- Version 1. Never edit a released version: add the next one.

CREATE TABLE meta (
  key   TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE sessions (
  id                 TEXT PRIMARY KEY,
  owner              TEXT NOT NULL,
  title              TEXT NOT NULL,
  model              TEXT NOT NULL,
  state              TEXT NOT NULL CHECK (state IN ('idle', 'running', 'closed')),
  cwd                TEXT NOT NULL,
  system             TEXT NOT NULL,
  tools              TEXT NOT NULL,
  compaction         TEXT NOT NULL,
  parent_id          TEXT NOT NULL,
  fork_session_id    TEXT NOT NULL,
  fork_seq           INTEGER NOT NULL,
  disconnect         TEXT NOT NULL,
  created_at         INTEGER NOT NULL,
  updated_at         INTEGER NOT NULL,
  stream_head        INTEGER NOT NULL,
  next_seq           INTEGER NOT NULL,
  watermark          INTEGER NOT NULL CHECK (watermark BETWEEN 0 AND next_seq),
  version            INTEGER NOT NULL,
  factor             REAL NOT NULL,
  turns              INTEGER NOT NULL,
  passes             INTEGER NOT NULL,
  summary_cache_hits INTEGER NOT NULL,
  calls              INTEGER NOT NULL,
  unpriced_calls     INTEGER NOT NULL,
  input              INTEGER NOT NULL,
  cache_read         INTEGER NOT NULL,
  cache_write_5m     INTEGER NOT NULL,
  cache_write_1h     INTEGER NOT NULL,
  output             INTEGER NOT NULL,
  reasoning          INTEGER NOT NULL,
  estimated          INTEGER NOT NULL,
  cost_pico          INTEGER NOT NULL,
  compaction_pico    INTEGER NOT NULL,
  context_tokens     INTEGER NOT NULL,
  window_tokens      INTEGER NOT NULL,
  last_call_at       INTEGER NOT NULL,
  posture_state      TEXT NOT NULL,
  posture_reason     TEXT NOT NULL,
  memory             TEXT NOT NULL
) STRICT;
CREATE INDEX idx_sessions_owner ON sessions (owner, id);
CREATE INDEX idx_sessions_parent ON sessions (parent_id, id) WHERE parent_id <> '';

-- A deleted session: its id never comes back (case D5 42).
CREATE TABLE tombstones (
  session_id TEXT PRIMARY KEY,
  owner      TEXT NOT NULL,
  deleted_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE turns (
  id              TEXT PRIMARY KEY,
  session_id      TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  open_seq        INTEGER NOT NULL,
  state           TEXT NOT NULL CHECK (state IN ('running', 'completed', 'cancelled', 'failed', 'interrupted')),
  stop_reason     TEXT NOT NULL,
  steps           INTEGER NOT NULL,
  calls           INTEGER NOT NULL,
  unpriced_calls  INTEGER NOT NULL,
  input           INTEGER NOT NULL,
  cache_read      INTEGER NOT NULL,
  cache_write_5m  INTEGER NOT NULL,
  cache_write_1h  INTEGER NOT NULL,
  output          INTEGER NOT NULL,
  reasoning       INTEGER NOT NULL,
  estimated       INTEGER NOT NULL,
  cost_pico       INTEGER NOT NULL,
  compaction_pico INTEGER NOT NULL,
  started_at      INTEGER NOT NULL,
  ended_at        INTEGER,
  idem_key        TEXT NOT NULL,
  body_hash       TEXT NOT NULL,
  error_code      TEXT NOT NULL,
  error_class     TEXT NOT NULL,
  error_message   TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX idx_turns_open_seq ON turns (session_id, open_seq);
-- One turn runs in a session, whatever the code above believes.
CREATE UNIQUE INDEX idx_turns_running ON turns (session_id) WHERE state = 'running';

CREATE TABLE messages (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  seq        INTEGER NOT NULL,
  role       TEXT NOT NULL CHECK (role IN ('user', 'assistant')),
  blocks     TEXT NOT NULL,
  units      INTEGER NOT NULL,
  tokens     INTEGER NOT NULL,
  facts      TEXT NOT NULL,
  synthetic  INTEGER NOT NULL,
  turn_id    TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (session_id, seq)
) STRICT;

-- One row an attempt; n is the order in which attempts began. record is the compaction record of the protocol.
CREATE TABLE compactions (
  n                INTEGER PRIMARY KEY AUTOINCREMENT,
  id               TEXT NOT NULL UNIQUE,
  session_id       TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  turn_id          TEXT NOT NULL,
  trigger          TEXT NOT NULL,
  kind             TEXT NOT NULL,
  outcome          TEXT NOT NULL CHECK (outcome IN ('', 'completed', 'failed', 'cancelled', 'undone')),
  version          INTEGER NOT NULL, -- 0: never applied
  span_start       INTEGER NOT NULL,
  span_end         INTEGER NOT NULL,
  watermark_before INTEGER NOT NULL,
  watermark_after  INTEGER NOT NULL,
  tokens_in        INTEGER NOT NULL,
  tokens_out       INTEGER NOT NULL,
  cache_hit        INTEGER NOT NULL,
  candidate        TEXT NOT NULL,    -- state of the candidate, '' when there is none
  folded_into      TEXT NOT NULL,
  created_at       INTEGER NOT NULL,
  record           TEXT NOT NULL
) STRICT;
CREATE INDEX idx_compactions_session ON compactions (session_id, n);
CREATE INDEX idx_compactions_version ON compactions (session_id, version) WHERE version > 0;
CREATE INDEX idx_compactions_waiting ON compactions (session_id)
  WHERE outcome = '' OR candidate = 'running' OR candidate = 'ready';
CREATE INDEX idx_compactions_created ON compactions (created_at);

-- The text that stands for a span; its id is that of the pass that made it. No foreign key to the pass: the link check
-- of spec 6.8 must be able to meet a row that lost its neighbor.
CREATE TABLE summaries (
  id          TEXT PRIMARY KEY,
  session_id  TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  span_start  INTEGER NOT NULL,
  span_end    INTEGER NOT NULL,
  kind        TEXT NOT NULL,
  model       TEXT NOT NULL,
  text        TEXT NOT NULL,
  hash        TEXT NOT NULL,
  cache_key   TEXT NOT NULL,
  request     TEXT NOT NULL, -- blocks, '' when none
  request_seq INTEGER NOT NULL,
  digest      TEXT NOT NULL,
  in_view     INTEGER NOT NULL,
  created_at  INTEGER NOT NULL
) STRICT;
CREATE INDEX idx_summaries_view ON summaries (session_id, in_view, span_start);

-- What a session's clients are shown; seq from 1 without holes.
CREATE TABLE stream (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  seq        INTEGER NOT NULL,
  kind       TEXT NOT NULL,
  turn_id    TEXT NOT NULL,
  ts         INTEGER NOT NULL,
  payload    TEXT NOT NULL,
  PRIMARY KEY (session_id, seq)
) STRICT, WITHOUT ROWID;

-- The catalog. AUTOINCREMENT: an id that was swept or deleted is never given again.
CREATE TABLE events (
  event_id    INTEGER PRIMARY KEY AUTOINCREMENT,
  type        TEXT NOT NULL,
  sensitivity TEXT NOT NULL,
  session_id  TEXT NOT NULL,
  owner       TEXT NOT NULL,
  ts          INTEGER NOT NULL,
  payload     TEXT NOT NULL
) STRICT;
CREATE INDEX idx_events_session ON events (session_id, event_id);
CREATE INDEX idx_events_ts ON events (ts);

-- One row a model call. No foreign key: spend outlives its session (spec 7.7).
CREATE TABLE ledger (
  n                 INTEGER PRIMARY KEY AUTOINCREMENT,
  id                TEXT NOT NULL UNIQUE,
  session_id        TEXT NOT NULL,
  parent_session_id TEXT NOT NULL,
  owner             TEXT NOT NULL,
  turn_id           TEXT NOT NULL,
  step              INTEGER NOT NULL,
  purpose           TEXT NOT NULL,
  pricing_mode      TEXT, -- NULL = sync
  provider          TEXT NOT NULL,
  model             TEXT NOT NULL,
  attempt           INTEGER NOT NULL,
  compaction_id     TEXT NOT NULL,
  input             INTEGER NOT NULL,
  cache_read        INTEGER NOT NULL,
  cache_write_5m    INTEGER NOT NULL,
  cache_write_1h    INTEGER NOT NULL,
  output            INTEGER NOT NULL,
  reasoning         INTEGER NOT NULL,
  estimated         INTEGER NOT NULL,
  cost_pico         INTEGER, -- NULL = unpriced
  price_version     TEXT NOT NULL,
  request_id        TEXT NOT NULL,
  prefix_hash       TEXT NOT NULL,
  cache_break       TEXT NOT NULL,
  outcome           TEXT NOT NULL,
  error_class       TEXT NOT NULL,
  latency_ms        INTEGER NOT NULL,
  created_at        INTEGER NOT NULL
) STRICT;
CREATE INDEX idx_ledger_session ON ledger (session_id, n);
CREATE INDEX idx_ledger_created ON ledger (created_at);
CREATE INDEX idx_ledger_compaction ON ledger (compaction_id) WHERE compaction_id <> '';

CREATE TABLE idempotency (
  session_id TEXT NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  key        TEXT NOT NULL,
  turn_id    TEXT NOT NULL REFERENCES turns (id) ON DELETE CASCADE,
  body_hash  TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (session_id, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_idempotency_created ON idempotency (created_at);
CREATE INDEX idx_idempotency_turn ON idempotency (turn_id);

CREATE TABLE api_keys (
  n          INTEGER PRIMARY KEY,
  id         TEXT NOT NULL UNIQUE,
  name       TEXT NOT NULL,
  role       TEXT NOT NULL,
  hash       TEXT NOT NULL UNIQUE,
  hint       TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER
) STRICT;

CREATE TABLE logins (
  hash       TEXT PRIMARY KEY,
  owner      TEXT NOT NULL,
  role       TEXT NOT NULL,
  key_id     TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX idx_logins_key ON logins (key_id);
CREATE INDEX idx_logins_expires ON logins (expires_at);

CREATE TABLE audit (
  n      INTEGER PRIMARY KEY AUTOINCREMENT,
  ts     INTEGER NOT NULL,
  actor  TEXT NOT NULL,
  action TEXT NOT NULL,
  target TEXT NOT NULL,
  detail TEXT NOT NULL
) STRICT;

-- Requirements B6.5, to the letter.
CREATE TABLE evaluator_batch_handles (
  custom_id       TEXT PRIMARY KEY,
  batch_id        TEXT NOT NULL,
  provider        TEXT NOT NULL,
  submitted_at_ms INTEGER NOT NULL,
  subject_kind    TEXT NOT NULL,
  subject_id      TEXT NOT NULL,
  session_id      TEXT NOT NULL,
  turn_id         TEXT,
  judge_model     TEXT NOT NULL,
  status          TEXT NOT NULL,
  ingested_at_ms  INTEGER
);
CREATE INDEX idx_evaluator_batch_handles_status ON evaluator_batch_handles (status);

CREATE TABLE verdicts (
  eval_id      TEXT PRIMARY KEY,
  custom_id    TEXT UNIQUE,
  subject_kind TEXT NOT NULL,
  subject_id   TEXT NOT NULL,
  session_id   TEXT NOT NULL,
  turn_id      TEXT NOT NULL,
  created_at   INTEGER NOT NULL,
  record       TEXT NOT NULL
) STRICT;
CREATE INDEX idx_verdicts_session ON verdicts (session_id);
