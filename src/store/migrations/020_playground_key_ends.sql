-- A key of the playground is valid while its session is. The end of a session only tells the nodes: to lock
-- the account or the key here could deadlock with a settlement, which locks the account before its keys.
create or replace function end_playground_key() returns trigger language plpgsql as $$
begin
  perform pg_notify('tollgate_changes', 'key:' || key_hash) from api_keys where session_id = old.id;
  return null;
end $$;
create index api_keys_playground_expiry on api_keys (expires_at) where session_id is not null;
