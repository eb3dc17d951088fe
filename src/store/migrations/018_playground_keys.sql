-- Keys that the server makes for the playground of a login. They end with it, however it ends.
alter table api_keys add column session_id text;
create index api_keys_session on api_keys (session_id) where session_id is not null;

-- Whoever ends or forgets a session need not know of its key. Nodes drop what they have of the account.
create function end_playground_key() returns trigger language plpgsql as $$
declare
  changed bigint;
begin
  delete from api_keys where session_id = old.id;
  if found then
    update accounts set version = version + 1 where id = old.account_id returning version into changed;
    perform pg_notify('tollgate_changes', 'account:' || old.account_id || ':' || changed);
  end if;
  return null;
end $$;
create trigger sessions_end_playground_key after update of ended_at on sessions
  for each row when (old.ended_at is null and new.ended_at is not null) execute function end_playground_key();
create trigger sessions_drop_playground_key after delete on sessions
  for each row execute function end_playground_key();
