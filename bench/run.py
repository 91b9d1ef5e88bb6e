"""Runs benchmark tasks: ours and the peers' on the same data, each contender in a process of its own."""

import argparse
import importlib
import json
import os
import platform
import resource
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
DATA = HERE / "data"
THREADS = "2"
QUALITY_SLACK = 1e-4
# Once its repeats have taken so many seconds, a contender is not asked again.
PATIENCE = 45.0


def tasks():
    return sorted(p.stem for p in (HERE / "tasks").glob("*.py") if not p.stem.startswith("_"))


def load(name):
    sys.path.insert(0, str(HERE))
    return importlib.import_module(f"tasks.{name}")


def best_time(action, repeats):
    times, result = [], None
    for _ in range(repeats):
        started = time.perf_counter()
        result = action()
        times.append(time.perf_counter() - started)
        if sum(times) > PATIENCE:
            break
    return min(times), result


def run_one(task_name, contender):
    """Runs one contender and prints its figures as JSON."""
    task = load(task_name)
    arrays = task.read(DATA / task_name) if hasattr(task, "read") else None
    made = task.CONTENDERS[contender](arrays)
    repeats = getattr(task, "REPEATS", 3)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    out = {}
    if "figures" in made:
        out = made["figures"]()
    else:
        out["fit"], model = best_time(made["fit"], repeats)
        out["memory_mb"] = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        if "predict" in made:
            out["predict"], _ = best_time(lambda: made["predict"](model), repeats)
        if "quality" in made:
            out["quality"] = float(made["quality"](model))
    print("RESULT " + json.dumps(out))


def spawn(task_name, contender):
    env = dict(os.environ)
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "POLARS_MAX_THREADS", "RAYON_NUM_THREADS"):
        env[name] = THREADS
    command = [sys.executable, __file__, "--one", task_name, contender]
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=1800, check=False)
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    if done.returncode or not lines:
        return {"error": (done.stderr.strip().splitlines() or ["no result"])[-1]}
    return json.loads(lines[-1][len("RESULT "):])


def usable(result, ours, slack):
    if "error" in result:
        return False
    if "quality" not in result or "quality" not in ours:
        return True
    return result["quality"] <= ours["quality"] + slack * max(1.0, abs(ours["quality"]))


def show(value, unit=""):
    if value is None:
        return ""
    return f"{value:.4g}{unit}"


def report(task, results):
    ours = results.get("mercer", {"error": "not run"})
    print(f"\n{task.TITLE}")
    print(f"{'':24}{'fit s':>10}{'ratio':>8}{'predict s':>12}{'ratio':>8}{'memory MB':>11}{'quality':>14}")
    summary = {}
    for name, result in results.items():
        if "error" in result:
            print(f"{name:24}{result['error'][:80]}")
            continue
        row = f"{name:24}"
        fair = usable(result, ours, getattr(task, "SLACK", QUALITY_SLACK)) and "error" not in ours
        fair = fair or name in getattr(task, "COUNTS", ())
        peer = not name.startswith("mercer")
        if "quality" in task.WANTED and peer and "quality" in ours:
            summary["quality"] = min(summary.get("quality", float("inf")), result["quality"] / ours["quality"])
        for phase, width in (("fit", 10), ("predict", 12)):
            row += f"{show(result.get(phase)):>{width}}"
            ratio = result[phase] / ours[phase] if name != "mercer" and fair and phase in result and phase in ours else None
            row += f"{show(ratio):>8}"
            if ratio is not None and peer:
                summary[phase] = min(summary.get(phase, float("inf")), ratio)
        row += f"{show(result.get('memory_mb')):>11}{show(result.get('quality')):>14}"
        if name != "mercer" and not fair:
            row += "  (worse quality: does not count)"
        print(row)
    wanted = ", ".join(f"{k} ≥ {v}" for k, v in task.WANTED.items())
    reached = {k: summary.get(k, 0.0) for k in task.WANTED}
    verdict = "reached" if all(reached[k] >= v for k, v in task.WANTED.items()) else "MISSED"
    ratios = ", ".join(f"{k} {v:.2f}" for k, v in summary.items()) or "no peer"
    print(f"best peer / ours: {ratios} · wanted {wanted}: {verdict}" if wanted else f"best peer / ours: {ratios} · nothing is wanted")
    return {"wanted": task.WANTED, "ratios": summary, "verdict": verdict}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tasks", nargs="*")
    parser.add_argument("--one", nargs=2)
    parser.add_argument("--peers", help="only these contenders, separated by commas")
    args = parser.parse_args()
    if args.one:
        run_one(*args.one)
        return
    unknown = set(args.tasks) - set(tasks())
    if unknown:
        raise SystemExit(f"no task is called {', '.join(sorted(unknown))}; there are {', '.join(tasks())}")
    path = HERE / "results.json"
    document = json.loads(path.read_text()) if path.exists() else {"schema_version": 1, "tasks": {}}
    document["machine"] = {"cores": os.cpu_count(), "platform": platform.platform(), "python": platform.python_version()}
    for name in args.tasks or tasks():
        task = load(name)
        folder = DATA / name
        if hasattr(task, "data") and not (folder / "done").exists():
            folder.mkdir(parents=True, exist_ok=True)
            task.data(folder)
            (folder / "done").touch()
        chosen = [c for c in task.CONTENDERS if not args.peers or c in args.peers.split(",")]
        results = {contender: spawn(name, contender) for contender in chosen}
        document["tasks"][name] = {"title": task.TITLE, "contenders": results} | report(task, results)
        path.write_text(json.dumps(document, indent=1) + "\n")


if __name__ == "__main__":
    main()
