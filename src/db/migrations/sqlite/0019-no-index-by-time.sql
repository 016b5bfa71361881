-- The times of the entries never decrease with their ids, so a time is found by halving the ids
-- (src/views/since-queries.ts), and no write keeps an index for it.
DROP INDEX ledger_entry_by_time;
