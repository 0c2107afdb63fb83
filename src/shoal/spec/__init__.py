"""The spec: what the columns mean, how they generalize, and what the release must satisfy."""
