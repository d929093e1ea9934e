"""The smallest exchange that still has a finding: delta debugging, with the judge as its oracle."""
