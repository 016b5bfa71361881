-- Whoever declares a contribution need not say how much it was.
ALTER TABLE contribution ALTER COLUMN amount DROP NOT NULL;
