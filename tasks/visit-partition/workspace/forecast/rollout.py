"""Compare the offline report of a simulated export with a clinic that came later."""
from forecast.report import accuracy, offline_report
from forecast.simulate import simulate


def compare(patients=120, seed=1):
    """Return the offline accuracy and the accuracy at a new clinic of a model trained on everything."""
    old = simulate(patients, seed)
    new = simulate(patients, seed + 1, clinics=("east",), first_id=5001)
    offline = offline_report(old, test_rows=len(old) // 4, seed=seed)
    return {"offline": offline["accuracy"], "new clinic": accuracy(old, new)}


if __name__ == "__main__":
    for name, value in compare().items():
        print(f"{name:12} {value:.2f}")
