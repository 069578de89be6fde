"""Run a small evaluation with the real Inspect and its mock model: ``python inspect_mock.py FOLDER FORMAT LOGS SAMPLES TURNS``.

A program of its own, since Inspect is not needed to read its logs: tests and the benchmark start it where Inspect is installed.
"""

import sys

from inspect_ai import Task
from inspect_ai import eval as run
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import includes
from inspect_ai.solver import solver

ANSWER = "The answer is 4. " + "I looked at the loader and the sampler, and changed one line. " * 20


def outputs(*_given):
    """Return one answer with usage, as a provider counts it."""
    made = ModelOutput.from_content("mockllm/model", ANSWER)
    made.usage = ModelUsage(
        input_tokens=900, output_tokens=300, total_tokens=1300, input_tokens_cache_read=100, total_cost=0.01
    )
    return made


def main(folder: str, log_format: str, logs: int, samples: int, turns: int) -> None:
    """Write logs of two epochs; odd samples fail, and the last one crashes in its second epoch."""

    @solver
    def talks():
        async def solve(state, generate):
            if state.sample_id == samples - 1 and state.epoch == 2:
                raise RuntimeError("the container is gone")
            for _ in range(turns):
                state = await generate(state)
                state.messages.append(ChatMessageUser(content="go on, and print the loss curve " * 10))
            return await generate(state)

        return solve

    dataset = [
        Sample(id=i, input="Repair the data loader. " * 40, target=str(4 + i % 2), metadata={"family": f"f{i % 5}"})
        for i in range(samples)
    ]
    for number in range(logs):
        task = Task(dataset=dataset, solver=talks(), scorer=includes(), name=f"mock_{number}")
        model = get_model("mockllm/model", custom_outputs=outputs, memoize=False)
        run(
            task,
            model=model,
            log_dir=folder,
            log_format=log_format,
            display="none",
            epochs=2,
            fail_on_error=False,
            log_buffer=100,
        )


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:]))
