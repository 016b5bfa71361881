-- contract
-- The version of the rules that the writer of a waiting entry keeps. A program that does not give it cannot
-- write any more, so no entry of an earlier version comes behind the one that adopts these rules.
ALTER TABLE ledger_pending ADD COLUMN rules BIGINT;
UPDATE ledger_pending SET rules = 0;
ALTER TABLE ledger_pending ALTER COLUMN rules SET NOT NULL;
