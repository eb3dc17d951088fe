-- What the operator says about a vendor's model against the table of the gateway (kernel/capability.ts):
-- {"thinking": "budget", "budgetTokensMax": 8192}. Nothing: the table's word holds.
alter table models add column capabilities jsonb;
alter table routes add column capabilities jsonb;
