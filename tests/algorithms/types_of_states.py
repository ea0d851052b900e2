"""What a type checker knows about states; `make check` type-checks this file, which is never run."""

import gamebench as gb
from gamebench.core.settings import real, setting


class Mine(gb.algorithms.State):
    total: float = 0.0


@gb.register_algorithm
class Plain(gb.Algorithm):
    name = "Plain"
    rate: float = setting(real(0), "how fast it learns", default=0.2)

    def start(self, game: gb.Game, seed: int) -> Mine:
        return Mine(seed=seed, policy=gb.uniform_policy(game).probabilities)

    def advance(self, game: gb.Game, state: Mine, iterations: int) -> None:
        state.total += iterations


class WithItsState(gb.Algorithm[Mine]):
    name = "WithItsState"

    def start(self, game: gb.Game, seed: int) -> Mine:
        return Mine(seed=seed, policy=gb.uniform_policy(game).probabilities)

    def advance(self, game: gb.Game, state: Mine, iterations: int) -> None:
        state.total += iterations


game = gb.load_game("Kuhn")
total: float = WithItsState().start(game, 0).total
gb.solve(game, Plain(rate=0.5), 10)
gb.algorithms.CFR().advance(game, WithItsState().start(game, 0), 1)  # type: ignore[arg-type]  # the only mistake
