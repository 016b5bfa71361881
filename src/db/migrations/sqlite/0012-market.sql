-- Market (docs/reference/market.md). Amounts in raw are decimal text: 128 bits do not fit an integer.
-- Numbers beyond 32 bits are quoted because PostgreSQL prints them so, and a test compares the two files.
CREATE TABLE market_offer (
  id INTEGER PRIMARY KEY,
  agent INTEGER NOT NULL REFERENCES agent (id),
  capability TEXT NOT NULL,
  capability_folded TEXT NOT NULL,
  title TEXT NOT NULL,
  description TEXT NOT NULL,
  price_usd_micro INTEGER NOT NULL CHECK (price_usd_micro >= 1000000 AND price_usd_micro <= '5000000000'),
  sla_hours INTEGER NOT NULL CHECK (sla_hours >= 1 AND sla_hours <= 720),
  flagged TEXT,
  flaggings INTEGER NOT NULL,
  unflaggings INTEGER NOT NULL,
  withdrawn_at INTEGER,
  listed INTEGER NOT NULL CHECK (listed IN (0, 1)),
  created_at INTEGER NOT NULL
) STRICT;
-- The price is in the keys so that a list with a price limit reads rows only of what it shows.
CREATE INDEX market_offer_listed ON market_offer (id, price_usd_micro) WHERE listed = 1 AND withdrawn_at IS NULL;
CREATE INDEX market_offer_by_capability ON market_offer (capability_folded, id, price_usd_micro) WHERE listed = 1 AND withdrawn_at IS NULL;
CREATE INDEX market_offer_by_agent ON market_offer (agent);

CREATE TABLE market_offer_notice (
  kind TEXT NOT NULL CHECK (kind IN ('offer_flagged', 'offer_unflagged')),
  ref TEXT NOT NULL,
  offer INTEGER NOT NULL REFERENCES market_offer (id),
  reason TEXT NOT NULL,
  PRIMARY KEY (kind, ref)
) STRICT, WITHOUT ROWID;

CREATE TABLE market_order (
  id INTEGER PRIMARY KEY,
  offer INTEGER NOT NULL REFERENCES market_offer (id),
  buyer INTEGER NOT NULL REFERENCES agent (id),
  seller INTEGER NOT NULL REFERENCES agent (id),
  price_usd_micro INTEGER NOT NULL,
  sla_hours INTEGER NOT NULL,
  base_raw TEXT NOT NULL,
  rate_e8 INTEGER NOT NULL,
  rate_source TEXT NOT NULL,
  escrow_address TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('awaiting_payment', 'paid', 'delivered', 'released', 'paid_out', 'held', 'refund_due', 'refunded', 'expired')),
  state_since INTEGER NOT NULL,
  received_raw TEXT NOT NULL,
  escrow_raw TEXT NOT NULL CHECK (substr(escrow_raw, 1, 1) <> '-'),
  expires_at INTEGER NOT NULL,
  paid_at INTEGER,
  deliver_by INTEGER,
  refund_at INTEGER,
  accept_by INTEGER,
  payments INTEGER NOT NULL,
  deliveries INTEGER NOT NULL CHECK (deliveries <= 4),
  refunds INTEGER NOT NULL,
  holds INTEGER NOT NULL,
  client_ref TEXT,
  created_at INTEGER NOT NULL,
  CHECK (buyer <> seller),
  CHECK (state <> 'paid' OR refund_at IS NOT NULL),
  CHECK (state <> 'delivered' OR accept_by IS NOT NULL)
) STRICT;
CREATE INDEX market_order_by_buyer ON market_order (buyer, id);
CREATE INDEX market_order_by_seller ON market_order (seller, id);
CREATE INDEX market_order_of_buyer_in ON market_order (buyer, state, id);
CREATE INDEX market_order_of_seller_in ON market_order (seller, state, id);
CREATE INDEX market_order_unpaid ON market_order (escrow_address, expires_at) WHERE state = 'awaiting_payment';
CREATE INDEX market_order_undelivered ON market_order (refund_at) WHERE state = 'paid';
CREATE INDEX market_order_unaccepted ON market_order (accept_by) WHERE state = 'delivered';
CREATE INDEX market_order_unsent ON market_order (id) WHERE state = 'released';

CREATE TABLE market_history (
  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES market_order (id),
  at INTEGER NOT NULL,
  kind TEXT NOT NULL,
  ref TEXT NOT NULL
) STRICT;
CREATE INDEX market_history_by_order ON market_history (order_id, id);

CREATE TABLE market_payment (
  order_id INTEGER NOT NULL REFERENCES market_order (id),
  n INTEGER NOT NULL,
  currency TEXT NOT NULL,
  txid TEXT NOT NULL,
  amount_raw TEXT NOT NULL,
  from_account TEXT,
  checked INTEGER NOT NULL CHECK (checked IN (0, 1)),
  role TEXT NOT NULL CHECK (role IN ('payment', 'manual', 'late', 'extra')),
  reason TEXT,
  at INTEGER NOT NULL,
  PRIMARY KEY (order_id, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE market_delivery (
  order_id INTEGER NOT NULL REFERENCES market_order (id),
  n INTEGER NOT NULL,
  body TEXT NOT NULL,
  salt BLOB NOT NULL CHECK (length(salt) = 16),
  content_sha256 TEXT NOT NULL,
  late INTEGER NOT NULL CHECK (late IN (0, 1)),
  at INTEGER NOT NULL,
  PRIMARY KEY (order_id, n)
) STRICT;

CREATE TABLE market_hold (
  order_id INTEGER NOT NULL REFERENCES market_order (id),
  n INTEGER NOT NULL,
  from_state TEXT NOT NULL CHECK (from_state IN ('paid', 'delivered')),
  remaining_s INTEGER NOT NULL,
  reason TEXT NOT NULL,
  at INTEGER NOT NULL,
  outcome TEXT CHECK (outcome IN ('release', 'refund', 'resume')),
  outcome_reason TEXT,
  resolved_at INTEGER,
  PRIMARY KEY (order_id, n),
  CHECK ((outcome IS NULL) = (outcome_reason IS NULL)),
  CHECK ((outcome IS NULL) = (resolved_at IS NULL))
) STRICT, WITHOUT ROWID;

CREATE TABLE market_refund (
  order_id INTEGER NOT NULL REFERENCES market_order (id),
  n INTEGER NOT NULL,
  amount_raw TEXT NOT NULL,
  why TEXT NOT NULL CHECK (why IN ('undelivered', 'operator', 'late', 'extra', 'surplus', 'short')),
  to_account TEXT,
  at INTEGER NOT NULL,
  currency TEXT,
  txid TEXT,
  sent_to TEXT,
  checked INTEGER,
  reason TEXT,
  sent_at INTEGER,
  PRIMARY KEY (order_id, n),
  CHECK ((txid IS NULL) = (sent_at IS NULL)),
  CHECK ((txid IS NULL) = (checked IS NULL)),
  CHECK ((txid IS NULL) = (currency IS NULL))
) STRICT, WITHOUT ROWID;
CREATE INDEX market_refund_unsent ON market_refund (order_id, n) WHERE txid IS NULL;

CREATE TABLE market_payout (
  order_id INTEGER NOT NULL PRIMARY KEY REFERENCES market_order (id),
  currency TEXT NOT NULL,
  txid TEXT NOT NULL,
  to_account TEXT,
  amount_raw TEXT NOT NULL,
  checked INTEGER NOT NULL CHECK (checked IN (0, 1)),
  reason TEXT,
  at INTEGER NOT NULL
) STRICT;

CREATE TABLE market_payout_address (
  agent INTEGER NOT NULL REFERENCES agent (id),
  n INTEGER NOT NULL,
  address TEXT NOT NULL,
  set_at INTEGER NOT NULL,
  usable_from INTEGER NOT NULL,
  superseded INTEGER NOT NULL CHECK (superseded IN (0, 1)),
  PRIMARY KEY (agent, n),
  CHECK (usable_from >= set_at + 86400)
) STRICT, WITHOUT ROWID;

-- One row for each account that an invoice ever named: how far its payments were read.
CREATE TABLE market_watch (
  account TEXT NOT NULL PRIMARY KEY,
  invoiced_at INTEGER NOT NULL,
  next_at INTEGER NOT NULL,
  scanned_at INTEGER,
  frontier TEXT
) STRICT, WITHOUT ROWID;

CREATE TABLE market_unmatched (
  txid TEXT NOT NULL PRIMARY KEY,
  from_account TEXT NOT NULL,
  amount_raw TEXT NOT NULL,
  first_seen_at INTEGER NOT NULL,
  order_id INTEGER REFERENCES market_order (id)
) STRICT, WITHOUT ROWID;
CREATE INDEX market_unmatched_open ON market_unmatched (first_seen_at, txid) WHERE order_id IS NULL;

-- The rest is kept by the projector alone, in ledger order.
CREATE TABLE market_entry (
  ledger_id INTEGER NOT NULL PRIMARY KEY REFERENCES ledger_entry (ledger_id),
  order_id INTEGER NOT NULL REFERENCES market_order (id)
) STRICT;
CREATE INDEX market_entry_by_order ON market_entry (order_id, ledger_id);

CREATE TABLE market_posting (
  ledger_id INTEGER NOT NULL REFERENCES ledger_entry (ledger_id),
  line INTEGER NOT NULL,
  order_id INTEGER NOT NULL REFERENCES market_order (id),
  account TEXT NOT NULL CHECK (account IN ('in', 'escrow', 'seller_payable', 'refund_payable', 'fee', 'out')),
  amount_raw TEXT NOT NULL,
  PRIMARY KEY (ledger_id, line)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER market_posting_is_never_deleted BEFORE DELETE ON market_posting
BEGIN SELECT RAISE(ABORT, 'a posting is never deleted'); END;
CREATE TRIGGER market_posting_never_changes BEFORE UPDATE ON market_posting
BEGIN SELECT RAISE(ABORT, 'a posting never changes'); END;

CREATE TABLE market_book (
  order_id INTEGER NOT NULL PRIMARY KEY REFERENCES market_order (id),
  state TEXT NOT NULL,
  held_from TEXT,
  price_usd_micro INTEGER NOT NULL,
  base_raw TEXT NOT NULL,
  in_raw TEXT NOT NULL,
  escrow_raw TEXT NOT NULL CHECK (substr(escrow_raw, 1, 1) <> '-'),
  seller_payable_raw TEXT NOT NULL CHECK (substr(seller_payable_raw, 1, 1) <> '-'),
  refund_payable_raw TEXT NOT NULL CHECK (substr(refund_payable_raw, 1, 1) <> '-'),
  fee_raw TEXT NOT NULL CHECK (substr(fee_raw, 1, 1) <> '-'),
  out_raw TEXT NOT NULL CHECK (substr(out_raw, 1, 1) <> '-')
) STRICT;

CREATE TABLE market_figure (
  name TEXT NOT NULL PRIMARY KEY,
  amount TEXT NOT NULL
) STRICT, WITHOUT ROWID;
