"""GPyTorch on the data of the task `gp_regression`: time of a fit, and the marginal likelihood that it found.

GPyTorch's wheels of torch bring gigabytes of libraries for accelerators, so it is not among the pinned peers. Debian's torch is of
the processor alone: `apt-get install python3-torch python3-venv libopenblas0-pthread` (without the last it multiplies matrices 37 times slower), then

    /usr/bin/python3 -m venv --system-site-packages PLACE
    PLACE/bin/pip install gpytorch==1.11 linear_operator==0.5.3 "numpy<2"
    PLACE/bin/python bench/gpytorch_study.py

The likelihood is exact (a Cholesky factor, no conjugate gradients), in double precision, on two threads; the search is torch's
L-BFGS with its strong Wolfe conditions, from where ours begins.
"""

import time
from pathlib import Path
import sys

import gpytorch
import torch

sys.path.insert(0, str(Path(__file__).parent))
from tasks.gp_regression import read


class Process(gpytorch.models.ExactGP):
    def __init__(self, x, y, likelihood):
        super().__init__(x, y, likelihood)
        self.mean_module = gpytorch.means.ZeroMean()
        self.covar_module = gpytorch.kernels.ScaleKernel(gpytorch.kernels.RBFKernel())

    def forward(self, x):
        return gpytorch.distributions.MultivariateNormal(self.mean_module(x), self.covar_module(x))


def fit(x, y):
    likelihood = gpytorch.likelihoods.GaussianLikelihood()
    model = Process(x, y, likelihood).double()
    model.initialize(**{"likelihood.noise": 1.0, "covar_module.outputscale": 1.0, "covar_module.base_kernel.lengthscale": 1.0})
    of = gpytorch.mlls.ExactMarginalLogLikelihood(likelihood, model)
    search = torch.optim.LBFGS(model.parameters(), max_iter=100, line_search_fn="strong_wolfe")
    evaluations = 0

    def loss():
        nonlocal evaluations
        evaluations += 1
        search.zero_grad()
        value = -of(model(x), y)
        value.backward()
        return value

    model.train()
    search.step(loss)
    return model, likelihood, float(loss()), evaluations


def main():
    torch.set_num_threads(2)
    x, y, new = (torch.as_tensor(a) for a in read(None))
    with gpytorch.settings.max_cholesky_size(10_000), gpytorch.settings.fast_computations(False, False, False):
        started = time.perf_counter()
        model, likelihood, value, evaluations = fit(x, y)
        fitted = time.perf_counter()
        model.eval()
        likelihood.eval()
        with torch.no_grad():
            likelihood(model(new)).variance.sum().item()
        asked = time.perf_counter()
    print(f"fit {fitted - started:.2f} s in {evaluations} evaluations, predict {asked - fitted:.2f} s, minus log likelihood a row {value:.5f}")


if __name__ == "__main__":
    main()
