//! What the tests of `poorgrad` share: generators of random tapes, oracles and test payloads.
