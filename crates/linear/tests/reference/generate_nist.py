"""Certified linear regressions of NIST's Statistical Reference Datasets (public domain), with values by exact arithmetic.

Every coefficient and its standard deviation is computed from the decimal data in rational numbers and compared with a
published certified value where one stands here. Run: python generate_nist.py > nist.json
Norris, Longley and Pontius come from MERCER_DATA (nist-*.json).
"""

import json
import os
import pathlib
from decimal import Decimal, getcontext
from fractions import Fraction as F

getcontext().prec = 60
FILIP = """0.8116 -6.860120914 0.9072 -4.324130045 0.9052 -4.358625055 0.9039 -4.358426747 0.8053 -6.955852379
0.8377 -6.661145254 0.8667 -6.355462942 0.8809 -6.118102026 0.7975 -7.115148017 0.8162 -6.815308569
0.8515 -6.519993057 0.8766 -6.204119983 0.8885 -5.853871964 0.8859 -6.109523091 0.8959 -5.79832982
0.8913 -5.482672118 0.8959 -5.171791386 0.8971 -4.851705903 0.9021 -4.517126416 0.909 -4.143573228
0.9139 -3.709075441 0.9199 -3.499489089 0.8692 -6.300769497 0.8872 -5.953504836 0.89 -5.642065153
0.891 -5.031376979 0.8977 -4.680685696 0.9035 -4.329846955 0.9078 -3.928486195 0.7675 -8.56735134
0.7705 -8.363211311 0.7713 -8.107682739 0.7736 -7.823908741 0.7775 -7.522878745 0.7841 -7.218819279
0.7971 -6.920818754 0.8329 -6.628932138 0.8641 -6.323946875 0.8804 -5.991399828 0.7668 -8.781464495
0.7633 -8.663140179 0.7678 -8.473531488 0.7697 -8.247337057 0.77 -7.971428747 0.7749 -7.676129393
0.7796 -7.352812702 0.7897 -7.072065318 0.8131 -6.774174009 0.8498 -6.478861916 0.8741 -6.159517513
0.8061 -6.835647144 0.846 -6.53165267 0.8751 -6.224098421 0.8856 -5.910094889 0.8919 -5.598599459
0.8934 -5.290645224 0.894 -4.974284616 0.8957 -4.64454848 0.9047 -4.290560426 0.9129 -3.885055584
0.9209 -3.408378962 0.9219 -3.13200249 0.7739 -8.726767166 0.7681 -8.66695597 0.7665 -8.511026475
0.7703 -8.165388579 0.7702 -7.886056648 0.7761 -7.588043762 0.7809 -7.283412422 0.7961 -6.995678626
0.8253 -6.691862621 0.8602 -6.392544977 0.8809 -6.067374056 0.8301 -6.684029655 0.8664 -6.378719832
0.8834 -6.065855188 0.8898 -5.752272167 0.8964 -5.132414673 0.8963 -4.811352704 0.9074 -4.098269308
0.9119 -3.66174277 0.9228 -3.2644011""".split()
DELTA = [759, -2048, 2048, -2048, 2523, -2048, 2048, -2048, 1838, -2048, 2048, -2048, 1838, -2048, 2048, -2048, 2523,
         -2048, 2048, -2048, 759]


def solve(a, b):
    """A x = b in rational numbers, for several right-hand sides."""
    n = len(a)
    m = [row[:] + right[:] for row, right in zip(a, b)]
    for i in range(n):
        pivot = next(k for k in range(i, n) if m[k][i] != 0)
        m[i], m[pivot] = m[pivot], m[i]
        m[i] = [v / m[i][i] for v in m[i]]
        for k in range(n):
            if k != i and m[k][i] != 0:
                factor = m[k][i]
                m[k] = [u - factor * v for u, v in zip(m[k], m[i])]
    return [row[n:] for row in m]


def root(v):
    return float((Decimal(v.numerator) / Decimal(v.denominator)).sqrt())


def case(name, difficulty, columns, y, intercept, published=()):
    rows = [([F(1)] if intercept else []) + list(row) for row in zip(*columns)]
    p, n = len(rows[0]), len(rows)
    gram = [[sum(r[i] * r[j] for r in rows) for j in range(p)] for i in range(p)]
    right = [[sum(r[i] * t for r, t in zip(rows, y))] + [F(int(i == j)) for j in range(p)] for i in range(p)]
    solved = solve(gram, right)
    w = [row[0] for row in solved]
    rss = sum((t - sum(a * b for a, b in zip(r, w))) ** 2 for r, t in zip(rows, y))
    sd = [root(rss / (n - p) * solved[i][1 + i]) for i in range(p)]
    estimates = [float(v) for v in w]
    for found, given in zip(estimates + sd, published):
        assert abs(found - given) <= 1e-13 * abs(given), (name, found, given)
    mean = sum(y) / n if intercept else 0
    total = sum((t - mean) ** 2 for t in y)
    return {"name": name, "difficulty": difficulty, "intercept": intercept,
            "x": [[float(v) for v in column] for column in columns], "y": [float(v) for v in y],
            "estimates": estimates, "standard_deviations": sd, "residual_standard_deviation": root(rss / (n - p)),
            "r_squared": float(1 - rss / total)}


def powers(x, k):
    return [[v ** i for v in x] for i in range(1, k + 1)]


def shared(name):
    given = json.loads((pathlib.Path(os.environ["MERCER_DATA"]) / f"nist-{name}.json").read_text(), parse_float=F)
    columns = [[F(v) for v in given["data"][c]] for c in given["columns"][1:]]
    if name == "pontius":
        columns = powers(columns[0], 2)
    parameters = given["certified"]["parameters"]
    published = [float(p["estimate"]) for p in parameters] + [float(p["standard_deviation"]) for p in parameters]
    return case(given["name"], given["difficulty"], columns, [F(v) for v in given["data"]["y"]], True, published)


out = [shared(name) for name in ["norris", "pontius", "longley"]]
whole = [F(v) for v in range(21)]
for i, (kind, scale, level) in enumerate([(1, 0, "higher"), (2, 0, "higher"), (1, 1, "higher"), (1, 100, "higher"),
                                          (1, 10000, "higher")]):
    base = [sum(v ** k / (10 ** k if kind == 2 else 1) for k in range(6)) for v in whole]
    sd = [2152.32624678170, 2363.55173469681, 779.343524331583, 101.475507550350, 5.64566512170752, 0.112324854679312]
    published = ([0.1 ** k if kind == 2 else 1.0 for k in range(6)] + [scale * v for v in sd])
    y = [b + scale * d for b, d in zip(base, DELTA)]
    out.append(case(f"Wampler{i + 1}", level, powers(whole, 5), y, True, published))
out.append(case("NoInt1", "average", [[F(v) for v in range(60, 71)]], [F(v) for v in range(130, 141)], False,
                [2.07438016528926, 0.165289256198347E-01]))
out.append(case("NoInt2", "average", [[F(4), F(5), F(6)]], [F(3), F(4), F(4)], False,
                [0.727272727272727, 0.420827318078432E-01]))
x, y = [F(v) for v in FILIP[1::2]], [F(v) for v in FILIP[::2]]
out.append(case("Filip", "higher", powers(x, 10), y, True,
                [-1467.48961422980, -2772.17959193342, -2316.37108160893, -1127.97394098372, -354.478233703349,
                 -75.1242017393757, -10.8753180355343, -1.06221498588947, -0.670191154593408E-01, -0.246781078275479E-02,
                 -0.402962525080404E-04, 298.084530995537, 559.779865474950]))
print(json.dumps({"source": "NIST StRD", "cases": out}, indent=0))
