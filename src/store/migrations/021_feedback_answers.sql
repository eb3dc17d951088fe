-- What an operator answers to feedback. Its author reads it, if it was sent with a login.
alter table feedback
  add column answer text check (char_length(answer) between 1 and 2000),
  add column answered_at timestamptz,
  add check ((answer is null) = (answered_at is null));
create index feedback_account on feedback (account_id, id desc) where account_id is not null;
