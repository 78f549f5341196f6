"""Who ran when, who waited for what, who woke whom: a recorder for each kind of concurrency."""
