"""Many classes by members of two, in Python: one against the rest (also several labels at once), one against one, codes."""

from __future__ import annotations

import warnings
from itertools import combinations

import numpy as np

from mercer._checks import check_lengths, column, is_sparse, n_rows, type_of_target, unique_labels
from mercer._python_draws import Table, generator
from mercer._python_members import Whole, fit_one
from mercer._rows import clone, columns_too, params_of, split_rows, take
from mercer._scoring import kind_of


class Binarizer:
    """Classes as columns of zeros and ones, as scikit-learn's `LabelBinarizer` has them.

    Attributes
    ----------
    classes_ : ndarray
        The classes; of several labels at once, the places of the columns.
    y_type_ : str
        The kind of the target.
    sparse_input_ : bool
        Whether the target came as a sparse matrix.
    """

    def fit(self, y):
        """Learns the classes."""
        self.y_type_ = type_of_target(y, "y")
        if "multioutput" in self.y_type_:
            raise ValueError("Multioutput target data is not supported with label binarization")
        if n_rows(y) == 0:
            raise ValueError(f"y has 0 samples: {y!r}")
        if self.y_type_ not in ("binary", "multiclass", "multilabel-indicator"):
            raise ValueError(f"Unknown label type: {self.y_type_}. Classes are wanted, not numbers.")
        self.sparse_input_ = is_sparse(y)
        several = self.y_type_ == "multilabel-indicator"
        self.classes_ = np.arange(np.shape(y)[1]) if several else unique_labels(column(y))
        return self

    @classmethod
    def of(cls, classes, several=False):
        """The columns of classes that are known."""
        made = cls()
        made.classes_, made.sparse_input_ = np.asarray(classes), False
        kind = "multiclass" if len(made.classes_) > 2 else "binary"
        made.y_type_ = "multilabel-indicator" if several else kind
        return made

    def transform(self, y):
        """Rows × columns of zeros and ones; two classes, or one, are a single column."""
        if self.y_type_ == "multilabel-indicator":
            y = y.toarray() if is_sparse(y) else np.asarray(y)
            if y.ndim != 2 or y.shape[1] != len(self.classes_):
                raise ValueError("The object was not fitted with multilabel input.")
            return (y != 0).astype(int)
        equal = np.asarray(column(y))[:, None] == self.classes_[None, :]
        if len(self.classes_) == 1:
            return np.zeros((len(equal), 1), dtype=int)
        return (equal[:, 1:] if len(self.classes_) == 2 else equal).astype(int)

    def inverse_transform(self, Y):
        """The classes of an indicator; of several labels the indicator itself, as sparse as the target was."""
        Y = Y.toarray() if is_sparse(Y) else np.asarray(Y)
        if self.y_type_ == "multilabel-indicator":
            if not self.sparse_input_:
                return Y
            from scipy.sparse import csr_matrix

            return csr_matrix(Y)
        if len(self.classes_) == 1:
            return np.repeat(self.classes_, len(Y))
        return self.classes_[Y.ravel() if Y.shape[1] == 1 else Y.argmax(axis=1)]


class Constant:
    """The answer where all rows have the same."""

    def __init__(self, value, X):
        self.y_ = np.asarray([max(value, 0)])
        self.n_features_in_ = np.shape(X)[1] if len(np.shape(X)) == 2 else None

    def predict(self, X):
        """The same for each row."""
        return np.repeat(self.y_, n_rows(X))

    decision_function = predict

    def predict_proba(self, X):
        """The probabilities of no and yes."""
        yes = float(self.y_[0])
        return np.repeat([[1 - yes, yes]], n_rows(X), axis=0)


def fit_two(member, X, y, params, classes=None):
    """A fitted copy of a member of two classes, or the constant where there is only one; `classes` name no and yes."""
    known = np.unique(y)
    if len(known) > 1:
        return fit_one(clone(member), X, y, params)
    if classes is not None:
        warnings.warn(f"Label {classes[max(int(known[0]), 0)]} is present in all training examples.", UserWarning, stacklevel=8)
    return Constant(known[0], X)


def confidence(member, X):
    """How sure a member is of yes: what a regressor predicts, the decision value, or the probability."""
    if kind_of(member) == "regressor":
        return np.asarray(member.predict(X), dtype=float).ravel()
    try:
        return np.ravel(member.decision_function(X))
    except (AttributeError, NotImplementedError):
        return member.predict_proba(X)[:, 1]


def border(member):
    """Above which confidence the answer is yes."""
    decides = isinstance(member, Constant) or hasattr(member, "decision_function") and kind_of(member) == "classifier"
    return 0.0 if decides else 0.5


class ManyClasses(Whole):
    """What the three share."""

    @staticmethod
    def member(owner):
        """The member to be copied."""
        if owner.estimator is not None:
            return owner.estimator
        from mercer.linear_model import LogisticRegression

        return LogisticRegression()

    @classmethod
    def offers(cls, owner, name):
        return name not in ("predict_proba", "predict_log_proba", "decision_function") or hasattr(cls.member(owner), name)

    @classmethod
    def around(cls, owner):
        """The whole around the members of a fitted compiled one."""
        whole = cls(owner)
        whole.classes_ = np.asarray(owner.classes_)
        whole._take_members(owner._made_members())
        return whole

    def _take_members(self, members):
        self.estimators_ = members
        for name in ("n_features_in_", "feature_names_in_"):
            if getattr(members[0], name, None) is not None:
                setattr(self, name, getattr(members[0], name))

    @property
    def n_classes_(self):
        """The number of classes."""
        return len(self.classes_)

    def _begin(self, y, classes):
        """What the first of several batches says of the classes, and what each must keep; whether it is the first."""
        known = self.__dict__.get("classes_")
        if known is None and classes is None:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        if known is None:
            self.classes_ = np.unique(np.asarray(classes))
        elif classes is not None and not np.array_equal(known, np.unique(np.asarray(classes))):
            raise ValueError(f"`classes={classes!r}` is not the same as on last call to partial_fit, was: {known!r}")
        if len(np.setdiff1d(y, self.classes_)):
            raise ValueError(f"Mini-batch contains {np.unique(y)} while {self.subset} {self.classes_}")
        return known is None


class Rest(ManyClasses):
    """One against the rest; of several labels at once, each label on its own."""

    subset = "classes must be subset of"

    def fit(self, X, y, sample_weight=None):
        """Fits a member for each class or label."""
        self.label_binarizer_ = Binarizer().fit(y)
        Y = self.label_binarizer_.transform(y)
        check_lengths(X, Y)
        self.classes_ = self.label_binarizer_.classes_
        params = {} if sample_weight is None else {"sample_weight": sample_weight}
        names = [(f"not {name}", str(name)) for name in self.classes_]
        each = (fit_two(self.member(self.owner), X, Y[:, j], params, names[j]) for j in range(Y.shape[1]))
        self._take_members(list(each))

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Goes on with a batch."""
        if self._begin(y, classes):
            self.label_binarizer_ = Binarizer.of(self.classes_)
            count = 1 if self.n_classes_ == 2 else self.n_classes_
            self.estimators_ = [clone(self.member(self.owner)) for _ in range(count)]
        Y = self.label_binarizer_.transform(y)
        params = {} if sample_weight is None else {"sample_weight": sample_weight}
        for member, answers in zip(self.estimators_, Y.T):
            member.partial_fit(X, np.ascontiguousarray(answers), classes=np.array((0, 1)), **params)
        self._take_members(self.estimators_)

    @classmethod
    def around(cls, owner):
        whole = super().around(owner)
        whole.label_binarizer_ = Binarizer.of(whole.classes_, owner.multilabel_)
        return whole

    @property
    def multilabel_(self):
        """Whether rows have several labels at once."""
        return self.label_binarizer_.y_type_ == "multilabel-indicator"

    def predict(self, X):
        """The class whose member is the most sure, the first of several; or all labels that members say yes to."""
        sure = np.column_stack([confidence(member, X) for member in self.estimators_])
        if self.label_binarizer_.y_type_ == "multiclass":
            return self.classes_[sure.argmax(axis=1)]
        # A constant label among others is sure of itself by 1 or 0, which lies on the right side of both borders.
        return self.label_binarizer_.inverse_transform((sure > border(self.estimators_[0])).astype(int))

    @property
    def predict_proba(self):
        """The probability of each class, or of each label."""
        self.estimators_[0].predict_proba  # noqa: B018 - says that there is none
        return self._probabilities

    def _probabilities(self, X):
        shares = np.column_stack([member.predict_proba(X)[:, 1] for member in self.estimators_]).astype(float)
        if len(self.estimators_) == 1:
            shares = np.column_stack([1 - shares, shares])
        if not self.multilabel_:
            total = shares.sum(axis=1, keepdims=True)
            np.divide(shares, total, out=shares, where=total != 0)
        return shares

    @property
    def decision_function(self):
        """The decision values of the members."""
        self.estimators_[0].decision_function  # noqa: B018 - says that there is none
        return self._decisions

    def _decisions(self, X):
        if len(self.estimators_) == 1:
            return self.estimators_[0].decision_function(X)
        return np.column_stack([np.ravel(member.decision_function(X)) for member in self.estimators_])


class Pairs(ManyClasses):
    """One against one: the members of all pairs vote, and where votes are equal their confidence decides."""

    subset = "it must be subset of"

    @classmethod
    def offers(cls, owner, name):
        return True

    def fit(self, X, y, sample_weight=None):
        """Fits a member for each pair of classes."""
        table, (classes, y) = Table(X, y), _classes_and_labels(y)
        if len(classes) == 1:
            raise ValueError("OneVsOneClassifier can not be fit when only one class is present.")
        self.classes_, self.n_features_in_ = classes, table.X.shape[1]
        if table.names is not None:
            self.feature_names_in_ = table.names
        member, params = self.member(self.owner), {} if sample_weight is None else {"sample_weight": sample_weight}
        self.estimators_, rows = [], []
        for a, b in combinations(classes, 2):
            own = np.flatnonzero((y == a) | (y == b))
            part = split_rows(member, table.X, None, own)[0]
            answers = (y[own] == b).astype(int)
            self.estimators_.append(fit_two(member, part, answers, params_of(table.X, params, own), (a, b)))
            rows.append(own)
        self.pairwise_indices_ = rows if columns_too(member) else None

    @classmethod
    def around(cls, owner):
        whole = super().around(owner)
        whole.pairwise_indices_, whole.n_features_in_ = None, owner.n_features_in_
        return whole

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Goes on with a batch."""
        if self._begin(y, classes):
            count = self.n_classes_ * (self.n_classes_ - 1) // 2
            self.estimators_ = [clone(self.member(self.owner)) for _ in range(count)]
        X, y = Table(X, y).X, np.asarray(column(y))
        params = {} if sample_weight is None else {"sample_weight": sample_weight}
        for member, (a, b) in zip(self.estimators_, combinations(self.classes_, 2)):
            own = np.flatnonzero((y == a) | (y == b))
            if len(own):
                answers, more = (y[own] == b).astype(int), params_of(X, params, own)
                member.partial_fit(take(X, own), answers, classes=np.array((0, 1)), **more)
        self.pairwise_indices_, self.n_features_in_ = None, X.shape[1]

    def decision_function(self, X):
        """Votes, and less than half a vote for how sure the members were; of two classes those of the second."""
        X = Table(X).check(self)
        k, at = self.n_classes_, self.pairwise_indices_
        votes, sure = np.zeros((X.shape[0], k)), np.zeros((X.shape[0], k))
        for m, (member, (a, b)) in enumerate(zip(self.estimators_, combinations(range(k), 2))):
            own = X if at is None else X[:, at[m]]
            # Around 0, so that neither class of a pair is favoured.
            found = confidence(member, own) - border(member)
            said = np.asarray(member.predict(own), dtype=float).ravel() > 0.5
            votes[:, b] += said
            votes[:, a] += ~said
            sure[:, b] += found
            sure[:, a] -= found
        values = votes + sure / (3 * (np.abs(sure) + 1))
        return values[:, 1] if k == 2 else values

    def predict(self, X):
        """The class with most votes."""
        values = self.decision_function(X)
        return self.classes_[(values > 0.5).astype(int) if self.n_classes_ == 2 else values.argmax(axis=1)]


class Codes(ManyClasses):
    """Output codes: a member for each bit of the words of the classes."""

    @classmethod
    def offers(cls, owner, name):
        return name == "predict"

    def fit(self, X, y, sample_weight=None):
        """Draws the words, and fits a member for each bit."""
        self.classes_, y = _classes_and_labels(y)
        member, k = self.member(self.owner), len(self.classes_)
        decides = hasattr(member, "decision_function")
        drawn = generator(self.owner.random_state).uniform(size=(k, int(k * self.owner.code_size)))
        if drawn.shape[1] == 0:
            raise ValueError(f"code_size={self.owner.code_size} leaves no bit for {k} classes")
        self.code_book_ = np.where(drawn > 0.5, 1.0, -1.0 if decides else 0.0)
        words = self.code_book_[np.searchsorted(self.classes_, y)].astype(int)
        params = {} if sample_weight is None else {"sample_weight": sample_weight}
        self._take_members([fit_two(member, X, words[:, b], params) for b in range(words.shape[1])])

    def predict(self, X):
        """The class of the nearest word."""
        found = np.column_stack([confidence(member, X) for member in self.estimators_]).astype(float)
        apart = ((found[:, None, :] - self.code_book_[None]) ** 2).sum(axis=2)
        return self.classes_[apart.argmin(axis=1)]


def _classes_and_labels(y):
    """The classes of a target, and its rows as an array."""
    kind = type_of_target(y, "y")
    if kind not in ("binary", "multiclass"):
        raise ValueError(
            f"Unknown label type: {kind}. Maybe you are trying to fit a classifier, which expects discrete classes on a "
            "regression target with continuous values."
        )
    y = column(y)
    return np.unique(y), y
