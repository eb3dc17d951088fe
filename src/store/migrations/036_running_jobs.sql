-- An account has a bounded number of running jobs, which are counted before it gets another one.
create index jobs_running on jobs (account_id) where state = 'running';
