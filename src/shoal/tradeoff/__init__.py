"""Several specs on one table: what each costs in information, and what risk it leaves."""
