"""Open documents as the editor holds them: exact text, positions in three encodings, edits that cost what they change."""
