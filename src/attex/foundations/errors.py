"""Errors that are the user's to mend: shown as one line, never as a traceback."""


class UserError(Exception):
    """Something in the input is wrong; the message says where and what was meant."""


class MissingData(UserError):
    """A raw file is not where it should be; the message says where its publisher has it."""
