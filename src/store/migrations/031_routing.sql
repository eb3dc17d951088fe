-- Which route of a priority a model prefers. Versions before know the weights only.
alter table models add column routing text not null default 'weight'
  check (routing in ('weight', 'latency', 'cost', 'cache'));
