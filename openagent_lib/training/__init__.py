"""How an agent learns: SFT, GRPO and PAFT."""
