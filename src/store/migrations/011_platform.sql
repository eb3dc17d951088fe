-- Documents of people are sealed, and operators say which policies users may choose.

-- The number of a document is sealed like a vendor's secret, bound to its row; "fields" loses it.
alter table verifications add column document_sealed text;
-- What was submitted before waits for the next start, which seals it and finds it here.
create index verifications_clear on verifications (id) where document_sealed is null;

-- Nothing: users may choose the policy for their keys unless it is a plan's.
alter table policies add column selectable boolean;
