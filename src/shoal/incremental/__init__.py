"""A release that grows: new rows are added to one that is published, without giving anybody away."""
