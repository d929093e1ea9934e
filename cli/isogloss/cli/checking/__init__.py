"""Check files, and gather the results of a run: findings, groups, rates and baselines."""
