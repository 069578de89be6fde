"""Flag visits that need follow-up; see README.md."""
