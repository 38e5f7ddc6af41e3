"""Exceptions of every framework in one taxonomy: classified by laws, explained, and translated where the user asks for it."""
