//! What a program can see and do of the outside: primitives, codomains, rules, effects and compensations.
