"""Labmate with as many papers as arXiv has: a made collection, and what each part costs as it grows."""
