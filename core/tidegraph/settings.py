"""Settings: frozen, grouped by area, read from the environment in one place.

Only :func:`load` looks at environment variables; everything else is handed its settings. Every name
is documented in docs/configuration.md, which a test compares with this module.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tidegraph.domain.errors import Rejected
from tidegraph.domain.eventgraph import EventGraphParameters
from tidegraph.domain.graphs import check_graph_name

LOG_LEVELS: Final = ("DEBUG", "INFO", "WARNING", "ERROR")
EXTRACTORS: Final = ("LANGUAGE", "LLM")


@dataclass(frozen=True, slots=True)
class KafkaSettings:
    """Where the log is. An empty ``bootstrap`` means: the embedded broker."""

    bootstrap: str
    topic_prefix: str
    partitions: int
    security_protocol: str
    sasl_mechanism: str
    sasl_username: str
    sasl_password: str = field(repr=False)
    ssl_ca_file: str


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Where FalkorDB is. An empty ``url`` means: the embedded store."""

    url: str
    graph_prefix: str
    query_timeout_ms: int
    status_days: int = 90
    """How long the line of a document is kept after its outcome; 0: for good."""


@dataclass(frozen=True, slots=True)
class LlmSettings:
    """An OpenAI-compatible server (vLLM). An empty ``url`` means: the built-in reasoner answers.

    ``concurrency`` calls at once and ``tokens_per_minute`` (0: any number) are bounds of one process, over
    all that it asks for. ``reads_questions``: it reads what the rules leave open in a question. Prices are
    for a million tokens, in a currency of the operator's choice.
    """

    url: str
    model: str
    api_key: str = field(repr=False)
    timeout_seconds: float
    max_tokens: int
    concurrency: int = 8
    tokens_per_minute: int = 0
    prompt_price: float = 0.0
    completion_price: float = 0.0
    reads_questions: bool = False


@dataclass(frozen=True, slots=True)
class ExtractionSettings:
    """Who reads documents: ``language`` (rules) or ``llm``, and how; who finds the names for the rules.

    An empty ``ner_model`` means: the recogniser of the built-in pipeline. ``cache_days`` 0: no cache.
    """

    extractor: str = "language"
    ner_model: str = ""
    timeout_seconds: float = 120.0
    max_tokens: int = 4_096
    cache_days: int = 30


@dataclass(frozen=True, slots=True)
class ResolutionSettings:
    """Who decides that two ids are one: scores too, or statements and decisions alone; and whether a language
    model is asked about what stays open, how often at most."""

    automatic: bool = True
    judge: bool = False
    judge_per_round: int = 5
    judge_per_hour: int = 60


@dataclass(frozen=True, slots=True)
class EmbeddingsSettings:
    """Which models turn text to vectors and rank it again; ``url`` of an OpenAI-compatible server.

    ``former``: the encoder of graphs that are not rebuilt for ``encoder`` yet.
    """

    encoder: str = ""
    former: str = ""
    reranker: str = ""
    url: str = ""
    api_key: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """The gRPC server; it has no authentication and listens on loopback only."""

    host: str
    port: int
    reflection: bool
    max_message_bytes: int
    default_deadline_seconds: float
    max_deadline_seconds: float


@dataclass(frozen=True, slots=True)
class MetricsSettings:
    """Where a process serves its metrics (port 0: nowhere), how many facts a document may invalidate before
    that is reported as a burst, and a file of facts that should always hold."""

    host: str = "127.0.0.1"
    port: int = 0
    burst_facts: int = 100
    canaries_file: str = ""


@dataclass(frozen=True, slots=True)
class GroundingSettings:
    """How dates are read where the text leaves it open; may be set per source."""

    fiscal_start_month: int
    day_first: bool
    week_start: int
    timezone: str
    southern_hemisphere: bool
    language: str


@dataclass(frozen=True, slots=True)
class EventGraphSettings:
    """Window, decay per day, list length and frequency cap of the event graph (DyG-RAG eq. 3-6)."""

    delta_days: float
    alpha_per_day: float
    top_k: int
    frequency_cap: int

    @property
    def parameters(self) -> EventGraphParameters:
        """The same for the domain."""
        return EventGraphParameters(self.delta_days, self.alpha_per_day, self.top_k, self.frequency_cap)


@dataclass(frozen=True, slots=True)
class InputSettings:
    """How records of ``documents`` are read. Empty: the plain form only, no rules for single sources, no
    schema registry."""

    mapping_file: str = ""
    sources_file: str = ""
    schema_registry_url: str = ""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings of one process."""

    data_dir: str
    default_graph: str
    kafka: KafkaSettings
    store: StoreSettings
    llm: LlmSettings
    server: ServerSettings
    grounding: GroundingSettings
    event_graph: EventGraphSettings
    predicates_file: str
    max_document_bytes: int
    log_level: str
    inputs: InputSettings = InputSettings()
    embeddings: EmbeddingsSettings = EmbeddingsSettings()
    extraction: ExtractionSettings = ExtractionSettings()
    metrics: MetricsSettings = MetricsSettings()
    resolution: ResolutionSettings = ResolutionSettings()


def load(environ: Mapping[str, str]) -> Settings:
    """Settings from environment variables; unset ones take their documented defaults.

    Raises:
        Rejected: a value that is not of its kind or out of its range, naming the variable.
    """
    env = _Environment(environ)
    return Settings(
        data_dir=env.text("TIDEGRAPH_DATA_DIR", ".tidegraph"),
        default_graph=env.graph("TIDEGRAPH_GRAPH", "default"),
        kafka=_kafka(env),
        store=StoreSettings(
            url=env.text("TIDEGRAPH_FALKORDB_URL", ""),
            graph_prefix=env.text("TIDEGRAPH_GRAPH_PREFIX", "tidegraph:"),
            query_timeout_ms=env.integer("TIDEGRAPH_QUERY_TIMEOUT_MS", 10_000, least=1),
            status_days=env.integer("TIDEGRAPH_STATUS_DAYS", 90, most=36_500),
        ),
        llm=_llm(env),
        server=_server(env),
        grounding=_grounding(env),
        event_graph=EventGraphSettings(
            delta_days=env.number("TIDEGRAPH_EVENT_DELTA_DAYS", 3650.0),
            alpha_per_day=env.number("TIDEGRAPH_EVENT_ALPHA_PER_DAY", 0.002),
            top_k=env.integer("TIDEGRAPH_EVENT_TOP_K", 6, least=1),
            frequency_cap=env.integer("TIDEGRAPH_EVENT_FREQUENCY_CAP", 5_000, least=1),
        ),
        extraction=_extraction(env),
        resolution=_resolution(env),
        predicates_file=env.text("TIDEGRAPH_PREDICATES_FILE", ""),
        max_document_bytes=env.integer("TIDEGRAPH_MAX_DOCUMENT_BYTES", 16 * 1024 * 1024, least=1),
        log_level=env.choice("TIDEGRAPH_LOG_LEVEL", "INFO", LOG_LEVELS),
        embeddings=EmbeddingsSettings(
            encoder=env.text("TIDEGRAPH_ENCODER", ""),
            former=env.text("TIDEGRAPH_FORMER_ENCODER", ""),
            reranker=env.text("TIDEGRAPH_RERANKER", ""),
            url=env.text("TIDEGRAPH_EMBEDDINGS_URL", ""),
            api_key=env.text("TIDEGRAPH_EMBEDDINGS_API_KEY", ""),
        ),
        inputs=InputSettings(
            mapping_file=env.text("TIDEGRAPH_MAPPING_FILE", ""),
            sources_file=env.text("TIDEGRAPH_SOURCES_FILE", ""),
            schema_registry_url=env.text("TIDEGRAPH_SCHEMA_REGISTRY_URL", ""),
        ),
        metrics=MetricsSettings(
            host=env.text("TIDEGRAPH_METRICS_HOST", "127.0.0.1"),
            port=env.integer("TIDEGRAPH_METRICS_PORT", 0, most=65_534),
            burst_facts=env.integer("TIDEGRAPH_BURST_FACTS", 100, least=1),
            canaries_file=env.text("TIDEGRAPH_CANARIES_FILE", ""),
        ),
    )


def _llm(env: _Environment) -> LlmSettings:
    return LlmSettings(
        url=env.text("TIDEGRAPH_LLM_URL", ""),
        model=env.text("TIDEGRAPH_LLM_MODEL", ""),
        api_key=env.text("TIDEGRAPH_LLM_API_KEY", ""),
        timeout_seconds=env.number("TIDEGRAPH_LLM_TIMEOUT_SECONDS", 60.0),
        max_tokens=env.integer("TIDEGRAPH_LLM_MAX_TOKENS", 512, least=1),
        concurrency=env.integer("TIDEGRAPH_LLM_CONCURRENCY", 8, least=1, most=256),
        tokens_per_minute=env.integer("TIDEGRAPH_LLM_TOKENS_PER_MINUTE", 0),
        prompt_price=env.amount("TIDEGRAPH_LLM_PROMPT_PRICE"),
        completion_price=env.amount("TIDEGRAPH_LLM_COMPLETION_PRICE"),
        reads_questions=env.flag("TIDEGRAPH_LLM_READS_QUESTIONS", False),
    )


def _extraction(env: _Environment) -> ExtractionSettings:
    extractor = env.choice("TIDEGRAPH_EXTRACTOR", "LANGUAGE", EXTRACTORS).lower()
    if extractor == "llm" and not env.text("TIDEGRAPH_LLM_URL", ""):
        message = "TIDEGRAPH_EXTRACTOR=llm needs a language model server: set TIDEGRAPH_LLM_URL"
        raise Rejected("INVALID_SETTING", message, name="TIDEGRAPH_EXTRACTOR")
    return ExtractionSettings(
        extractor=extractor,
        ner_model=env.text("TIDEGRAPH_NER_MODEL", ""),
        timeout_seconds=env.number("TIDEGRAPH_LLM_EXTRACT_TIMEOUT_SECONDS", 120.0),
        max_tokens=env.integer("TIDEGRAPH_LLM_EXTRACT_MAX_TOKENS", 4_096, least=1),
        cache_days=env.integer("TIDEGRAPH_LLM_CACHE_DAYS", 30, most=3_650),
    )


def _resolution(env: _Environment) -> ResolutionSettings:
    judge = env.flag("TIDEGRAPH_RESOLUTION_JUDGE", False)
    if judge and not env.text("TIDEGRAPH_LLM_URL", ""):
        message = "TIDEGRAPH_RESOLUTION_JUDGE needs a language model server: set TIDEGRAPH_LLM_URL"
        raise Rejected("INVALID_SETTING", message, name="TIDEGRAPH_RESOLUTION_JUDGE")
    return ResolutionSettings(
        automatic=env.flag("TIDEGRAPH_RESOLUTION_AUTOMATIC", True),
        judge=judge,
        judge_per_round=env.integer("TIDEGRAPH_RESOLUTION_JUDGE_PER_ROUND", 5, least=1, most=100),
        judge_per_hour=env.integer("TIDEGRAPH_RESOLUTION_JUDGE_PER_HOUR", 60, least=1, most=10_000),
    )


def _kafka(env: _Environment) -> KafkaSettings:
    return KafkaSettings(
        bootstrap=env.text("TIDEGRAPH_KAFKA_BOOTSTRAP", ""),
        topic_prefix=env.text("TIDEGRAPH_TOPIC_PREFIX", "tidegraph."),
        partitions=env.integer("TIDEGRAPH_TOPIC_PARTITIONS", 4, least=1),
        security_protocol=env.text("TIDEGRAPH_KAFKA_SECURITY_PROTOCOL", "PLAINTEXT"),
        sasl_mechanism=env.text("TIDEGRAPH_KAFKA_SASL_MECHANISM", ""),
        sasl_username=env.text("TIDEGRAPH_KAFKA_SASL_USERNAME", ""),
        sasl_password=env.text("TIDEGRAPH_KAFKA_SASL_PASSWORD", ""),
        ssl_ca_file=env.text("TIDEGRAPH_KAFKA_SSL_CA_FILE", ""),
    )


def _server(env: _Environment) -> ServerSettings:
    return ServerSettings(
        host=env.text("TIDEGRAPH_HOST", "127.0.0.1"),
        port=env.integer("TIDEGRAPH_PORT", 0, most=65_535),
        reflection=env.flag("TIDEGRAPH_REFLECTION", True),
        max_message_bytes=env.integer("TIDEGRAPH_MAX_MESSAGE_BYTES", 20 * 1024 * 1024, least=1),
        default_deadline_seconds=env.number("TIDEGRAPH_DEFAULT_DEADLINE_SECONDS", 30.0),
        max_deadline_seconds=env.number("TIDEGRAPH_MAX_DEADLINE_SECONDS", 300.0),
    )


def _grounding(env: _Environment) -> GroundingSettings:
    return GroundingSettings(
        fiscal_start_month=env.integer("TIDEGRAPH_FISCAL_START_MONTH", 1, least=1, most=12),
        day_first=env.flag("TIDEGRAPH_DAY_FIRST", False),
        week_start=env.integer("TIDEGRAPH_WEEK_START", 1, least=1, most=7),
        timezone=env.text("TIDEGRAPH_TIMEZONE", "UTC"),
        southern_hemisphere=env.flag("TIDEGRAPH_SOUTHERN_HEMISPHERE", False),
        language=env.text("TIDEGRAPH_LANGUAGE", "en"),
    )


class _Environment:
    """Typed look-ups; an empty variable counts as unset."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    def text(self, name: str, default: str) -> str:
        return self._environ.get(name, "") or default

    def graph(self, name: str, default: str) -> str:
        try:
            return check_graph_name(self.text(name, default))
        except Rejected as error:
            raise Rejected("INVALID_SETTING", f"{name}: {error.args[0]}", name=name) from None

    def choice(self, name: str, default: str, choices: Sequence[str]) -> str:
        value = self.text(name, default).upper()
        if value not in choices:
            raise Rejected("INVALID_SETTING", f"{name} must be one of {', '.join(choices)}", name=name)
        return value

    def integer(self, name: str, default: int, *, least: int = 0, most: int = 1 << 62) -> int:
        value = int(self._number(name, default, int))
        if not least <= value <= most:
            bound = f"{least} to {most}" if most < 1 << 62 else f"at least {least}"
            raise Rejected("INVALID_SETTING", f"{name} must be {bound}, not {value}", name=name)
        return value

    def number(self, name: str, default: float) -> float:
        """A number above zero."""
        value = float(self._number(name, default, float))
        if not 0 < value < math.inf:
            raise Rejected("INVALID_SETTING", f"{name} must be above 0, not {value}", name=name)
        return value

    def amount(self, name: str) -> float:
        """A number of at least zero, which is the default."""
        value = float(self._number(name, 0.0, float))
        if not 0 <= value < math.inf:
            raise Rejected("INVALID_SETTING", f"{name} must be at least 0, not {value}", name=name)
        return value

    def flag(self, name: str, default: bool) -> bool:
        value = self._environ.get(name, "").strip().lower()
        if value in ("", "1", "true", "yes", "on", "0", "false", "no", "off"):
            return default if not value else value in ("1", "true", "yes", "on")
        raise Rejected("INVALID_SETTING", f"{name} must be true or false, not {value!r}", name=name)

    def _number(self, name: str, default: float, kind: type[int] | type[float]) -> float:
        value = self._environ.get(name, "")
        try:
            return kind(value) if value else default
        except ValueError:
            raise Rejected("INVALID_SETTING", f"{name} must be a number, not {value!r}", name=name) from None
