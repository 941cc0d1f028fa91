"""Every metric of Tidegraph, declared once; docs/metrics.md lists them, and a test compares the two.

Names are ``tidegraph_<what>_<unit>``, in seconds and plain counts. Labels take values from small fixed
sets (a stage, an action, an extractor), never a document, an entity or a text; the graph is a label only
where an alert must say which one, and only of graphs that an operator named.

To add one: declare it here, add its row to docs/metrics.md, and use it.
"""

from __future__ import annotations

from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.platform_collector import PlatformCollector
from prometheus_client.process_collector import ProcessCollector

REGISTRY: Final = CollectorRegistry(auto_describe=True)
ProcessCollector(registry=REGISTRY)
PlatformCollector(registry=REGISTRY)

_SECONDS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
_COUNTS: Final = (0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)


# --- the stages ------------------------------------------------------------------------------------

STAGE_RECORDS: Final = Counter(
    "tidegraph_stage_records",
    "Records that a stage brought to an end, by stage and by how: done or dead_letter.",
    ("stage", "ended"),
    registry=REGISTRY,
)
STAGE_WAITS: Final = Counter(
    "tidegraph_stage_waits",
    "Times that a stage held its work because the log, the store or a model was away.",
    ("stage",),
    registry=REGISTRY,
)

# --- belief ----------------------------------------------------------------------------------------

COMMIT_SECONDS: Final = Histogram(
    "tidegraph_commit_seconds",
    "Time that one fenced commit of the writer took, the answer of the store included.",
    buckets=_SECONDS,
    registry=REGISTRY,
)
FACT_CHANGES: Final = Counter(
    "tidegraph_fact_changes",
    "Changes of what is believed now, by action.",
    ("action",),
    registry=REGISTRY,
)
INVALIDATIONS: Final = Histogram(
    "tidegraph_document_invalidations",
    "Facts that one document bounded, split, superseded or retracted.",
    buckets=_COUNTS,
    registry=REGISTRY,
)
INVALIDATION_BURSTS: Final = Counter(
    "tidegraph_invalidation_bursts",
    "Documents that invalidated more facts than TIDEGRAPH_BURST_FACTS: the signal to alert on.",
    registry=REGISTRY,
)

# --- extraction and the language model -------------------------------------------------------------

EXTRACTION_SECONDS: Final = Histogram(
    "tidegraph_extraction_seconds",
    "Time that the extraction of one document (or part of one) took, by extractor.",
    ("extractor",),
    buckets=_SECONDS,
    registry=REGISTRY,
)
LLM_CHUNKS: Final = Counter(
    "tidegraph_llm_chunks",
    "Chunks of the LLM extractor by how they ended: answered, halved, cached or fallback.",
    ("ended",),
    registry=REGISTRY,
)
LLM_DISAGREEMENTS: Final = Counter(
    "tidegraph_llm_time_disagreements",
    "Events for which the language model and the grounding engine read a time differently, by kind.",
    ("kind",),
    registry=REGISTRY,
)
LLM_CALLS: Final = Counter(
    "tidegraph_llm_calls",
    "Calls of the language model by stage and outcome.",
    ("stage", "outcome"),
    registry=REGISTRY,
)
LLM_SECONDS: Final = Histogram(
    "tidegraph_llm_call_seconds",
    "Time from the begin to the end of a call of the language model that was answered, by stage.",
    ("stage",),
    buckets=_SECONDS,
    registry=REGISTRY,
)
LLM_TOKENS: Final = Counter(
    "tidegraph_llm_tokens",
    "Tokens of the language model by stage and kind: prompt or completion.",
    ("stage", "kind"),
    registry=REGISTRY,
)
LLM_COST: Final = Counter(
    "tidegraph_llm_cost",
    "What the language model cost by stage, in the currency of the prices in the settings.",
    ("stage",),
    registry=REGISTRY,
)
CANARIES_VIOLATED: Final = Gauge(
    "tidegraph_canaries_violated",
    "Facts of TIDEGRAPH_CANARIES_FILE that are not believed, by graph.",
    ("graph",),
    registry=REGISTRY,
)
CANARIES_CHECKED: Final = Gauge(
    "tidegraph_canaries_checked_seconds",
    "When the canaries were looked up last: seconds since 1970.",
    registry=REGISTRY,
)

# --- the service -----------------------------------------------------------------------------------

CALL_SECONDS: Final = Histogram(
    "tidegraph_call_seconds",
    "Time from the begin to the end of a call of the API, by method and by the gRPC code that it ended with.",
    ("method", "code"),
    buckets=_SECONDS,
    registry=REGISTRY,
)
