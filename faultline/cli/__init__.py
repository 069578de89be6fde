"""The commands: parse, call a room, print, exit code. The only place that prints, colours and exits.

Exit codes: 0 all is well, 1 a fault of Faultline itself, 2 bad input or usage, 3 withheld, a task does not hold or a finding
is red, 4 conflict, 5 records do not verify, 6 a run is not finished, 7 this machine cannot do it, 8 the store or the
disk refused.
"""
