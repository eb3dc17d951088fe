-- One call of one account by its id, as before: both columns are asked for, so whoever guesses ids still reads no
-- row of another account. But ids only grow, so a new call is now written at the end of the index. Behind its
-- account it stood on any page, and with many accounts nearly every call of a batch wrote into another one.
drop index calls_own;
create index calls_own on calls (id, account_id);
