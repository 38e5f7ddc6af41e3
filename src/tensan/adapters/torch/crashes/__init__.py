"""Explains an uncaught error after the script's end: what met what, who made each, and which edits make them agree."""
