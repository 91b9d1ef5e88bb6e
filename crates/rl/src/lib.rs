//! Reinforcement learning: Markov decision processes.
