"""The record compared with itself: everything derived is computed again."""
