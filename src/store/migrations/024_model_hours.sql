-- In which hours a model was called, by any account: the calls of a rare one are found without reading all hours.
create index usage_hourly_model on usage_hourly (model_id, hour, account_id);
