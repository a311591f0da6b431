"""What chapters on pgbench share: tables loaded once, trials on copies of them, parameters, metrics and checks."""
