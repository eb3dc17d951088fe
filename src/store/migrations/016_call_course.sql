-- The time line of a call and why it was refused. Nothing for calls from before. When an attempt began and its
-- answer arrived stand in "attempts".
alter table calls
  -- Milliseconds from the arrival of the call until it entered the gate, and those of them that the gate took.
  add column admitted_ms int,
  add column gate_ms int,
  -- The message that the client got, when it may try again, and the limit that was hit (kernel/errors.ts).
  add column refusal jsonb;
