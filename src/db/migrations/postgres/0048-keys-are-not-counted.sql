-- Public keys in profiles are not counted among the capabilities; release 0.2.0 counted them.
DELETE FROM capability_count WHERE capability LIKE 'e2e:%' OR capability LIKE 'sig:%';
