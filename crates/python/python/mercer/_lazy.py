"""Modules that are imported when they are first used, so that `import mercer` stays quick."""

from importlib import import_module


class Lazy:
    """A module by its name."""

    def __init__(self, name):
        self.__dict__["_name"] = name

    def __getattr__(self, attribute):
        found = getattr(import_module(self._name), attribute)
        self.__dict__[attribute] = found
        return found
