-- Coin (docs/reference/coin.md). Amounts are integers in micro-coin.
-- The five system rows come with the genesis entry; only the projector changes them, in ledger order.
-- Numbers beyond 32 bits are quoted because PostgreSQL prints them so, and a test compares the two files.
CREATE TABLE coin_account (
  account TEXT NOT NULL PRIMARY KEY CHECK (account IN ('issued', 'locked', 'reward_pool', 'reward_reserved', 'agents_total')),
  balance INTEGER NOT NULL,
  CHECK (account = 'issued' OR balance >= 0),
  CHECK (account <> 'issued' OR balance = '-100000000000000'),
  CHECK (account <> 'locked' OR balance = '50000000000000')
) STRICT, WITHOUT ROWID;

CREATE TABLE coin_balance (
  agent_id TEXT NOT NULL PRIMARY KEY REFERENCES agent (agent_id),
  balance INTEGER NOT NULL CHECK (balance >= 0)
) STRICT, WITHOUT ROWID;
CREATE INDEX coin_balance_by_height ON coin_balance (balance DESC, agent_id);

CREATE TABLE coin_posting (
  ledger_id INTEGER NOT NULL REFERENCES ledger_entry (ledger_id),
  line INTEGER NOT NULL,
  account TEXT NOT NULL,
  amount INTEGER NOT NULL CHECK (amount <> 0),
  PRIMARY KEY (ledger_id, line)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER coin_posting_is_never_deleted BEFORE DELETE ON coin_posting
BEGIN SELECT RAISE(ABORT, 'a posting is never deleted'); END;
CREATE TRIGGER coin_posting_never_changes BEFORE UPDATE ON coin_posting
BEGIN SELECT RAISE(ABORT, 'a posting never changes'); END;

-- Whom each coin entry concerns, so that one agent's part of the coin ledger is an index range.
CREATE TABLE coin_entry_agent (
  agent_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  ledger_id INTEGER NOT NULL REFERENCES ledger_entry (ledger_id),
  PRIMARY KEY (agent_id, kind, ledger_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE coin_claim (
  id INTEGER PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agent (agent_id),
  amount INTEGER NOT NULL CHECK (amount > 0),
  count INTEGER NOT NULL CHECK (count > 0),
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX coin_claim_by_agent ON coin_claim (agent_id);

CREATE TABLE coin_entitlement (
  id INTEGER PRIMARY KEY,
  agent_id TEXT NOT NULL REFERENCES agent (agent_id),
  amount INTEGER NOT NULL CHECK (amount > 0),
  why TEXT NOT NULL,
  source TEXT NOT NULL,
  granted_at INTEGER NOT NULL,
  matures_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('live', 'credited', 'expired')),
  coin_claim_id INTEGER REFERENCES coin_claim (id),
  UNIQUE (agent_id, why, source),
  CHECK (granted_at < matures_at AND matures_at < expires_at),
  CHECK ((state = 'credited') = (coin_claim_id IS NOT NULL))
) STRICT;
CREATE INDEX coin_entitlement_by_agent ON coin_entitlement (agent_id, state, expires_at);
CREATE INDEX coin_entitlement_by_expiry ON coin_entitlement (expires_at, id) WHERE state = 'live';

CREATE TABLE coin_reward_day (
  agent_id TEXT NOT NULL REFERENCES agent (agent_id),
  day INTEGER NOT NULL,
  n INTEGER NOT NULL CHECK (n >= 1 AND n <= 10),
  PRIMARY KEY (agent_id, day)
) STRICT, WITHOUT ROWID;

CREATE TABLE coin_transfer (
  id INTEGER PRIMARY KEY,
  from_agent TEXT NOT NULL REFERENCES agent (agent_id),
  to_agent TEXT NOT NULL REFERENCES agent (agent_id),
  amount INTEGER NOT NULL CHECK (amount > 0),
  memo TEXT,
  client_ref TEXT,
  created_at INTEGER NOT NULL,
  CHECK (from_agent <> to_agent)
) STRICT;
CREATE INDEX coin_transfer_by_sender ON coin_transfer (from_agent, id);
