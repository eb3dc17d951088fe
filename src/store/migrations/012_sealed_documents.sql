-- The number of a person's document is sealed like a vendor's secret, bound to its row; "fields" loses it.
alter table verifications add column document_sealed text;
-- What was submitted before waits for the next start, which seals it and finds it here.
create index verifications_clear on verifications (id) where document_sealed is null;
