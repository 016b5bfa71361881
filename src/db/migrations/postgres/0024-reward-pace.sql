-- How many rewards were granted in each clock hour, as the ledger's entries tell: kept at its head by the
-- sequencing. newcomers is how many of them a network-wide number of rewards charged to newcomers.
CREATE TABLE coin_grant_hour (
  hour BIGINT NOT NULL PRIMARY KEY,
  n BIGINT NOT NULL CHECK (n > 0),
  amount BIGINT NOT NULL CHECK (amount > 0),
  newcomers BIGINT NOT NULL CHECK (newcomers >= 0)
);
INSERT INTO coin_grant_hour (hour, n, amount, newcomers)
  SELECT (body::jsonb ->> 'granted_at')::bigint / 3600, count(*), sum((body::jsonb ->> 'amount_micro')::bigint), 0 FROM ledger_entry
  WHERE kind = 'coin_reward' AND ledger_id IS NOT NULL GROUP BY 1;

-- The number of rewards an hour that an announcement sets; 0 switches it off.
ALTER TABLE announcement ADD COLUMN rewards_per_hour BIGINT CHECK (rewards_per_hour >= 0);
