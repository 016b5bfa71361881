-- contract
-- Words are folded in another way (case, accents, marks), so the job makes the index again.
TRUNCATE search_item;
UPDATE search_progress SET through_id = 0;
