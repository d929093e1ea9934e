"""Find the smallest exchange that still has a finding, by delta debugging with the judge as its oracle."""
