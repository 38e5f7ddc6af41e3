"""The spine: events, rules, findings and what lies between them; imports no framework."""
