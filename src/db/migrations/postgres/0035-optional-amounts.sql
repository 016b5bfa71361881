-- A declared contribution may lack its amount.
ALTER TABLE contribution ALTER COLUMN amount DROP NOT NULL;
