-- Checking a reference locks the row that it leads to, which cost a transfer more than its own rows. None
-- of these said anything new: both agents of a transfer have a row in coin_balance, which is checked when
-- it is made, and the projector writes the other two from entries that it holds in its hands.
ALTER TABLE coin_transfer DROP CONSTRAINT coin_transfer_from_agent_fkey;
ALTER TABLE coin_transfer DROP CONSTRAINT coin_transfer_to_agent_fkey;
ALTER TABLE coin_posting DROP CONSTRAINT coin_posting_ledger_id_fkey;
ALTER TABLE coin_entry_agent DROP CONSTRAINT coin_entry_agent_ledger_id_fkey;
