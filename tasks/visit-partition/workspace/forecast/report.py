"""Train on one part of the visits, score the other."""
from forecast.history import features
from forecast.neighbours import Neighbours
from forecast.partition import split_visits


def offline_report(visits, test_rows, seed):
    """Split one export and return the sizes of both parts and the accuracy in the test part."""
    parts = split_visits(visits, test_rows, seed)
    train = [visits[position] for position in parts["train"]]
    test = [visits[position] for position in parts["test"]]
    return {"train_visits": len(train), "test_visits": len(test), "accuracy": accuracy(train, test)}


def accuracy(train, test):
    """Fit on `train` and return the share of `test` visits whose outcome is predicted."""
    if not train or not test:
        raise ValueError("both parts need at least one visit")
    model = Neighbours().fit(features(train), [visit["outcome"] for visit in train])
    answers = model.predict(features(test))
    return sum(a == visit["outcome"] for a, visit in zip(answers, test)) / len(test)
