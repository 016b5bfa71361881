-- contract
-- Of SQLite alone: PostgreSQL reads its index in both directions.
SELECT 1;
