"""Certificates: how training ended, and what is proved of the model."""

from typing import NamedTuple


class Evidence(NamedTuple):
    """One number that proves something, with its meaning."""

    name: str
    value: float
    sense: str
    meaning: str


class Verified(NamedTuple):
    """A piece of evidence beside what the data say."""

    name: str
    claimed: float
    found: float
    holds: bool


class Certificate:
    """How training ended, and what can be proved of the model.

    Attributes
    ----------
    termination : str
        ``"Exact"``, ``"Complete"``, ``"Converged"``, ``"IterationLimit"``, ``"Stalled"``, ``"Cancelled"`` or ``"Deadline"``.
    success : bool
        Whether training came to its own end, in every part.
    iterations : int or None
    objective : float or None
        The value of the training objective.
    evidence : list of Evidence
        What is proved.
    notes : list of str
        Remarks; without evidence, the reason why there can be none.
    children : dict of str to Certificate
        The certificates of the parts of a composite model.
    """

    __slots__ = ("_text", "children", "evidence", "iterations", "notes", "objective", "success", "termination")

    def __init__(self, fields):
        self.termination = fields["termination"]
        self.success = fields["success"]
        self.iterations = fields["iterations"]
        self.objective = fields["objective"]
        self.evidence = [Evidence(*one) for one in fields["evidence"]]
        self.notes = list(fields["notes"])
        self.children = {name: Certificate(child) for name, child in fields["children"]}
        self._text = fields["text"]

    def to_dict(self):
        """All fields as plain Python objects."""
        return {
            "termination": self.termination,
            "success": self.success,
            "iterations": self.iterations,
            "objective": self.objective,
            "evidence": [one._asdict() for one in self.evidence],
            "notes": list(self.notes),
            "children": {name: child.to_dict() for name, child in self.children.items()},
        }

    def __str__(self):
        return self._text

    def __repr__(self):
        return f"<Certificate: {self._text}>"
