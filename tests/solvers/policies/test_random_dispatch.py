"""Random dispatch: AIM's pool, and a choice that is uniform, without repeats, and the seed's alone."""

from collections import Counter

from policy_search import Fallbacks, names, search, sizes, state

from solvers.policies.random_dispatch import RandomDispatch, RandomDispatchSettings


async def first_choice(seed: int, ideas: int = 10) -> list[str]:
    at = state(seed)
    at.iteration = 1
    return names(await RandomDispatch(RandomDispatchSettings(ideas=ideas), Fallbacks()).plan(at))


async def test_a_whole_search_tries_no_idea_twice_and_uses_every_branch() -> None:
    at = state()
    made = await search(RandomDispatch(RandomDispatchSettings(), Fallbacks()), at)
    assert sum(sizes(made)) == 25
    assert len(set(names(made))) == 25
    assert at.lessons
    assert {idea.source for idea in at.ideas.values()} > {"ideator"}


async def test_each_idea_of_the_pool_is_as_likely_as_any_other() -> None:
    """Chi-square of the first branch's idea over 300 seeds; 9 degrees of freedom, over 27.9 with probability .001."""
    counts = Counter([(await first_choice(seed))[0] for seed in range(300)])
    assert len(counts) == 10
    assert sum((count - 30) ** 2 / 30 for count in counts.values()) < 27.9


async def test_the_choice_is_the_seed_s_and_the_iteration_s() -> None:
    assert await first_choice(3) == await first_choice(3)
    assert await first_choice(3) != await first_choice(4)
    made = names(await search(RandomDispatch(RandomDispatchSettings(ideas=25, expand=False), Fallbacks()), state(3)))
    other = names(await search(RandomDispatch(RandomDispatchSettings(ideas=25, expand=False), Fallbacks()), state(4)))
    assert made != other
    assert sorted(made) == sorted(other) == [f"i{number:03d}" for number in range(1, 26)]


async def test_without_expansion_the_pool_grows_only_when_every_idea_was_tried() -> None:
    at, consult = state(), Fallbacks()
    made = await search(RandomDispatch(RandomDispatchSettings(ideas=7, expand=False), consult), at)
    assert sizes(made) == [5, 2, 5, 2, 5, 2, 4]
    assert {idea.source for idea in at.ideas.values()} == {"ideator"}
    assert not at.lessons
    assert [part for part in consult.said if not part.endswith("critic")] == [
        "00.ideate", "03.ideate", "05.ideate", "07.ideate",
    ]  # fmt: skip
    assert [idea.iteration for idea in at.ideas.values()][::7] == [0, 2, 4, 6]
