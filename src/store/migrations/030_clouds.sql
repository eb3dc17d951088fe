-- Vendors that are clouds: their kind, and what their addresses and tokens need. Null: a plain vendor.
alter table vendors add column cloud jsonb;
