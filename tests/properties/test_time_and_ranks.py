"""Time encoding, rank fusion and the as-of predicate against their definitions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.properties.scale import examples

from tidegraph.domain.asof import Allen, Endpoints, possible_relations, relation
from tidegraph.domain.fuse import fuse
from tidegraph.domain.granules import granule, granule_before
from tidegraph.domain.interval import MICROS_PER_DAY, Granularity, Interval, civil_from_days, instant
from tidegraph.domain.timeenc import (
    DAYS_PER_YEAR,
    closeness,
    enhance,
    enhance_query,
    fourier,
    kernel,
    time_aware,
)

micros = st.integers(-(2**50), 2**52)


@examples(300, 20_000)
@given(st.integers(0, 2**52), st.integers(1, 2**52))
def test_the_kernel_falls_strictly_with_the_gap(gap, more) -> None:
    assume(more > 1_000_000)
    assert 1.0 >= kernel(gap) > kernel(gap + more) > 0.0


@examples(200, 10_000)
@given(st.floats(-1, 1), st.floats(0.0, 1.0), st.integers(0, 10_000), st.integers(1, 10_000))
def test_a_nearer_date_never_scores_lower_and_a_dated_match_beats_an_undated_one(
    cosine, weight, near, more
) -> None:
    asked = Interval(0, MICROS_PER_DAY)
    close = Interval((1 + near) * MICROS_PER_DAY, (2 + near) * MICROS_PER_DAY)
    far = Interval((1 + near + more) * MICROS_PER_DAY, (2 + near + more) * MICROS_PER_DAY)
    scores = [time_aware(cosine, event, asked, weight) for event in (close, far, None)]
    assert scores == sorted(scores, reverse=True)
    assert weight > 0 or len(set(scores)) == 1
    assert closeness(asked, asked) == 1.0


@examples(200, 10_000)
@given(micros, st.integers(0, int(199 * DAYS_PER_YEAR)))
def test_the_encoding_is_of_norm_1_and_falls_over_two_centuries(base, days) -> None:
    times = [base, base + days * MICROS_PER_DAY, base + (days + 365) * MICROS_PER_DAY, None]
    phi = fourier(times).astype(np.float64)
    assert np.linalg.norm(phi, axis=1) == pytest.approx([1, 1, 1, 0], abs=1e-6)
    assert phi[0] @ phi[1] >= phi[0] @ phi[2] - 1e-6


def test_enhanced_vectors_have_one_norm_and_no_weight_gives_the_order_of_the_text() -> None:
    rng = np.random.default_rng(3)
    text = rng.normal(size=(40, 8)).astype(np.float32)
    text /= np.linalg.norm(text, axis=1, keepdims=True)
    times = [None if i % 3 == 0 else instant(1900 + 5 * i) for i in range(40)]
    indexed = enhance(text, fourier(times))
    assert np.linalg.norm(indexed, axis=1) == pytest.approx(np.ones(40), abs=1e-6)
    query = enhance_query(text[:1], fourier([instant(1950)]), 0.0)
    assert np.allclose(indexed @ query[0] * np.sqrt(2), text @ text[0], atol=1e-6)
    timed = enhance_query(text[:1], fourier([times[1]]), 0.5)
    same = enhance(np.repeat(text[:1], 2, axis=0), fourier([times[1], None]))
    assert same[0] @ timed[0] > same[1] @ timed[0]


@examples(200, 5_000)
@given(st.dictionaries(st.sampled_from("xyz"), st.lists(st.sampled_from("abcdef"), max_size=8)))
def test_fusion_is_the_sum_of_reciprocal_ranks(legs) -> None:
    fused = fuse(legs, {"a": 0.5, "q": 9.0})
    assert {one.id for one in fused} == {item for leg in legs.values() for item in leg}
    for one in fused:
        expected = sum(1 / (60 + 1 + leg.index(one.id)) for leg in legs.values() if one.id in leg)
        assert one.score == pytest.approx(expected + (0.5 if one.id == "a" else 0.0))
    assert [(-one.score, one.id) for one in fused] == sorted((-one.score, one.id) for one in fused)


small = st.integers(0, 6)


@examples(400, 20_000)
@given(small, small, small, small, small, small)
def test_possible_relations_are_those_of_all_endpoints(a, b, c, d, e, f) -> None:
    start, latest = sorted((a, b))
    earliest, end = sorted((c, d))
    low, high = sorted((e, f))
    assume(start < end and low < high)
    expected = {
        relation(Interval(s, t), Interval(low, high))
        for s in range(start, latest + 1)
        for t in range(earliest, end + 1)
        if s < t
    }
    assert possible_relations(Endpoints(start, latest, earliest, end), Interval(low, high)) == expected


def test_every_pair_of_intervals_has_exactly_one_relation_and_its_inverse() -> None:
    inverse = {
        Allen.BEFORE: Allen.AFTER,
        Allen.MEETS: Allen.MET_BY,
        Allen.OVERLAPS: Allen.OVERLAPPED_BY,
        Allen.STARTS: Allen.STARTED_BY,
        Allen.DURING: Allen.CONTAINS,
        Allen.FINISHES: Allen.FINISHED_BY,
        Allen.EQUALS: Allen.EQUALS,
    }
    inverse |= {after: before for before, after in inverse.items()}
    intervals = [Interval(s, e) for s, e in itertools.combinations(range(5), 2)]
    seen = set()
    for one, other in itertools.product(intervals, repeat=2):
        found = relation(one, other)
        seen.add(found)
        assert relation(other, one) is inverse[found]
        assert one.overlaps(other) == (found not in (Allen.BEFORE, Allen.MEETS, Allen.MET_BY, Allen.AFTER))
    assert seen == set(Allen)


@examples(300, 20_000)
@given(st.integers(-(2**53), 2**53), st.sampled_from([g for g in Granularity if 0 < g < 13]))
def test_granules_tile_the_axis(value, granularity) -> None:
    start, end = granule(value, granularity)
    assert start <= value < end
    assert granule(start, granularity) == granule(end - 1, granularity) == (start, end)
    assert granule(end, granularity)[0] == end
    assert granule_before(end, granularity) == start
    if granularity is Granularity.YEAR:
        year = civil_from_days(value // MICROS_PER_DAY)[0]
        assert (start, end) == (instant(year), instant(year + 1))
