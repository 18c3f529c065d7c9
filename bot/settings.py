"""All settings. ``.env.example`` lists the same names; a test makes sure."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, ValidationInfo, field_validator, model_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from bot.shard_range import ShardRange
from data.calendar.arxiv_ids import is_category
from index.search.embedding_model import DEFAULT_MODEL
from index.search.vector_index import DEFAULT

LEAST_BACKUP_HOURS = 0.25
"""A backup of a large database takes minutes."""


def is_address(text: str, *schemes: str) -> bool:
    """Whether this is an address with one of these schemes, a host, and a valid port if any."""
    try:
        parts = urlsplit(text)
        return parts.scheme in schemes and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        return False


def _expanded(path: Path) -> Path:
    """A path whose ~ is the user's folder."""
    try:
        return path.expanduser()
    except RuntimeError:
        raise ValueError(f"{path} names the folder of a user that this machine doesn't have") from None


_NOTHING = (
    *(
        "discord_token",
        "labmate_shards",
        "ray_address",
        "openalex_api_key",
        "metrics_token",
        "http_listen",
        "explore",
    ),
    *("llm_url", "llm_model", "llm_api_key", "labmate_clock"),
    *("smtp_host", "smtp_user", "smtp_password", "smtp_from"),
)
"""Settings that docs/configure.md says are none, or off, where they are empty."""


class Settings(BaseSettings):
    """Read from the environment and from ``.env`` in the working folder."""

    model_config = SettingsConfigDict(
        env_file=".env", env_file_encoding="utf-8", extra="ignore", env_ignore_empty=True
    )

    discord_token: SecretStr | None = None
    """The bot's token. Without one, Labmate starts its own local Discord."""
    discord_api_url: str | None = None
    """Another server that speaks Discord's protocol, such as http://127.0.0.1:8080/api/v10."""
    discord_gateway_url: str | None = None
    """Its gateway; by default, the one that the server names."""
    labmate_shards: str = ""
    """The shards of this process, such as 0-3, where several processes share them; empty: all."""
    labmate_shards_of: int = Field(default=0, ge=0, examples=[16])
    """How many shards all processes have together."""
    labmate_data: Path = Path("var")
    """The folder for everything that Labmate keeps."""
    database_url: str | None = None
    """By default, the SQLite file labmate.db in LABMATE_DATA."""
    labmate_files: str = ""
    """A folder or a bucket (``s3://bucket/prefix``) for what processes on several machines share: pictures,
    and papers that were read; by default the folder ``files`` in LABMATE_DATA."""
    s3_url: str | None = None
    """The server of that bucket, where it is not Amazon's."""
    s3_access_key: str = ""
    s3_secret_key: SecretStr | None = None
    """Its keys; empty: those of the machine (``AWS_ACCESS_KEY_ID``, ``~/.aws``, its role)."""
    backup_every: float = Field(default=0, ge=0, le=8_760, allow_inf_nan=False, examples=[24])
    """Hours between the backups that a running Labmate makes; 0 for none."""
    backup_keep: int = Field(default=7, ge=1, le=10_000)
    """How many backups to keep in LABMATE_DATA/backups."""
    embedding_model: str = DEFAULT_MODEL
    """The packaged model, a folder, or a name on the Hugging Face hub."""
    embedding_device: str = "auto"
    """The torch device that embeds papers; auto: a GPU where torch can use one."""
    vector_url: SecretStr | None = None
    """A server that finds the nearest vectors: ``postgresql://user:password@host/name`` with pgvector, or
    ``milvus://user:password@host:19530/database``."""
    vector_engine: str = DEFAULT
    """What finds the nearest vectors: ``index/search/NAME_index.py``."""
    ray_address: str | None = None
    """A Ray cluster for embedding a backlog and for full people passes: auto, host:port or ray://host:port."""
    labmate_categories: Annotated[list[str], NoDecode] = Field(
        default=["cs.AI", "cs.CL", "cs.DC", "cs.IR", "cs.LG", "cs.NI"]
    )
    """The arXiv categories that a running Labmate follows."""
    arxiv_api_url: str = "https://export.arxiv.org/api/query"
    arxiv_oai_url: str = "https://oaipmh.arxiv.org/oai"
    arxiv_url: str = "https://export.arxiv.org"
    """Where the PDF and the HTML of a paper are fetched from when a member asks about it."""
    arxiv_interval_seconds: float = Field(default=3.0, ge=0, allow_inf_nan=False)
    """The pause between two requests to arXiv; its terms ask for three seconds."""
    labmate_fetch: bool = True
    """False: never ask arXiv for new papers or for full texts."""
    labmate_full_texts: int = Field(default=500, ge=0, le=100_000)
    """How many papers' full texts to keep; 0: never read one."""
    labmate_pictures: bool = True
    """False: answer without pictures, which saves a process of about 200 MB."""
    labmate_limits: bool = True
    """False: let members ask as much as they like; they still take turns."""
    openalex_api_key: SecretStr | None = None
    """A free key adds citations, h-index, affiliations and ORCIDs to people's cards."""
    openalex_url: str = "https://api.openalex.org"
    openalex_daily_budget: float = Field(default=0.5, ge=0, le=1_000, allow_inf_nan=False)
    """Dollars a day to spend on lists of works; a free key allows one dollar."""
    llm_url: str | None = None
    """A server that speaks OpenAI's chat protocol, such as http://127.0.0.1:8000/v1; by default none."""
    llm_model: str = ""
    """The model's name on that server."""
    llm_api_key: SecretStr | None = None
    llm_seconds: float = Field(default=20, ge=1, le=600, allow_inf_nan=False)
    """The time that one answer may take."""
    llm_price_in: float = Field(default=0, ge=0, le=10_000, allow_inf_nan=False, examples=[0.5])
    llm_price_out: float = Field(default=0, ge=0, le=10_000, allow_inf_nan=False, examples=[1.5])
    """Dollars for a million tokens read and written; 0 for a model of your own."""
    llm_member_tokens: int = Field(default=50_000, ge=0, le=10**12)
    llm_member_seconds: int = Field(default=900, ge=0, le=10**8)
    llm_member_dollars: float = Field(default=0.1, ge=0, le=100_000, allow_inf_nan=False)
    """What one member's answers may cost a day."""
    llm_day_tokens: int = Field(default=1_000_000, ge=0, le=10**12)
    llm_day_seconds: int = Field(default=28_800, ge=0, le=10**8)
    llm_day_dollars: float = Field(default=1, ge=0, le=100_000, allow_inf_nan=False)
    """What all answers of a day may cost together."""
    smtp_host: str | None = None
    """The mail server that sends the codes of /claim mail:; without one, that option is off."""
    smtp_port: int = Field(default=587, ge=1, le=65_535)
    smtp_security: Literal["starttls", "tls", "none"] = "starttls"
    smtp_user: str = ""
    smtp_password: SecretStr | None = None
    smtp_from: str = ""
    """The sender's address of these codes."""
    http_listen: str | None = None
    """Where to serve feeds, /healthz and /metrics, such as 127.0.0.1:8090; empty for nowhere."""
    http_url: str | None = None
    """The public address of the feeds, such as https://labmate.example.org; by default http://HTTP_LISTEN."""
    explore: Literal["private", "public"] | None = None
    """Serve the research graph as pages: at an address that nobody can guess, or for everybody."""
    metrics_token: SecretStr | None = None
    """A bearer token that lets other machines read /metrics."""
    link_cards: bool = False
    """True: ask Discord for the Message Content Intent, so that servers can switch on cards below links."""
    top_everywhere: bool = False
    """True: /top counts what members of all servers saved and liked together."""
    labmate_clock: Path | None = None
    """For simulations: a file that says what time it is."""
    log_level: str = "INFO"
    log_format: Literal["text", "json"] = "text"
    """json: one JSON object per line, for log collectors."""

    @field_validator(*_NOTHING, mode="before")
    @classmethod
    def _nothing(cls, value: object, info: ValidationInfo) -> object:
        off = isinstance(value, str) and value.strip().lower() in ("none", "off")
        return cls.model_fields[str(info.field_name)].default if off else value

    @field_validator("labmate_data", "labmate_clock")
    @classmethod
    def _at_home(cls, value: Path | None) -> Path | None:
        return None if value is None else _expanded(value)

    @field_validator("labmate_categories", mode="before")
    @classmethod
    def _split(cls, value: object) -> object:
        names = value.replace(",", " ").split() if isinstance(value, str) else value
        for name in names if isinstance(names, list) else []:
            if not is_category(str(name)):
                raise ValueError(f"{str(name)[:40]!r} is not an arXiv category; they look like cs.CL")
        return names

    @field_validator("backup_every")
    @classmethod
    def _rarely(cls, value: float) -> float:
        if 0 < value < LEAST_BACKUP_HOURS:
            raise ValueError(f"must be 0 for none, or from {LEAST_BACKUP_HOURS:g} to 8,760 hours, such as 24")
        return value

    @field_validator("embedding_device")
    @classmethod
    def _device(cls, value: str) -> str:
        if not re.fullmatch(r"auto|cpu|mps|(cuda|xpu)(:\d{1,2})?", value):
            raise ValueError("must be auto, cpu, mps, cuda or xpu, or one of several, such as cuda:1")
        return value

    @field_validator("ray_address")
    @classmethod
    def _cluster(cls, value: str | None) -> str | None:
        address = value if value is None or "://" in value else f"ray://{value}"
        if value != "auto" and address is not None:
            parts = urlsplit(address) if is_address(address, "ray") else None
            if parts is None or parts.port is None or parts.netloc.rpartition("@")[0]:
                raise ValueError("must be auto, host:port, or ray://host:port")
        return value

    @field_validator("http_listen")
    @classmethod
    def _host_and_port(cls, value: str | None) -> str | None:
        host, colon, port = (value or "").rpartition(":")
        if value is not None and not (host and colon and port.isdigit() and 0 <= int(port) < 65_536):
            raise ValueError("must be a host and a port, such as 127.0.0.1:8090")
        return value

    @field_validator(
        "http_url",
        "discord_api_url",
        "arxiv_api_url",
        "arxiv_oai_url",
        "arxiv_url",
        "openalex_url",
        "s3_url",
    )
    @classmethod
    def _web_address(cls, value: str | None) -> str | None:
        if value is not None and not is_address(value, "http", "https"):
            raise ValueError("must be a web address, such as https://labmate.example.org")
        return value.rstrip("/") if value else None

    @field_validator("llm_url")
    @classmethod
    def _chat_address(cls, value: str | None) -> str | None:
        if value is None:
            return None
        parts = urlsplit(value) if is_address(value, "http", "https") else None
        if parts is None:
            raise ValueError("must be a web address, such as http://127.0.0.1:8000/v1")
        if parts.username or parts.password or parts.query or parts.fragment:
            raise ValueError("must hold no name, password or key; put the key into LLM_API_KEY")
        return value.rstrip("/").removesuffix("/chat/completions")

    @field_validator("discord_gateway_url")
    @classmethod
    def _gateway_address(cls, value: str | None) -> str | None:
        if value is not None and not is_address(value, "ws", "wss"):
            raise ValueError("must be the address of a gateway, such as wss://gateway.discord.gg")
        return value

    @field_validator(
        "discord_token",
        "openalex_api_key",
        "metrics_token",
        "llm_api_key",
        "s3_access_key",
        "s3_secret_key",
        mode="before",
    )
    @classmethod
    def _one_word(cls, value: object) -> object:
        text = value.strip() if isinstance(value, str) else ""
        if text.lower().startswith("bot "):
            raise ValueError("must be the token alone, without the word Bot before it")
        if not text.isascii() or not text.isprintable() or " " in text:
            raise ValueError("must be one word of ASCII letters, digits and signs; copy it again")
        return text if isinstance(value, str) else value

    @field_validator("log_level")
    @classmethod
    def _known_level(cls, value: str) -> str:
        if value.upper() not in ("DEBUG", "INFO", "WARNING", "ERROR"):
            raise ValueError("must be one of DEBUG, INFO, WARNING, ERROR")
        return value.upper()

    @field_validator("smtp_from")
    @classmethod
    def _address(cls, value: str) -> str:
        if value.strip() and not re.search(r"[^\s<>@]@[^\s<>@]", value):
            raise ValueError("must be the sender's address, such as labmate@example.org")
        return value

    @model_validator(mode="after")
    def _sender(self) -> Settings:
        if self.smtp_host and not self.smtp_from.strip():
            raise ValueError(
                "SMTP_HOST is set, so SMTP_FROM is needed: the sender's address, such as labmate@example.org"
            )
        return self

    @model_validator(mode="after")
    def _which_model(self) -> Settings:
        if self.llm_url and not self.llm_model.strip():
            raise ValueError(
                "LLM_URL is set, so LLM_MODEL is needed: the model's name on that server "
                f"({self.llm_url}/models lists them)"
            )
        return self

    @field_validator("labmate_files")
    @classmethod
    def _place(cls, value: str) -> str:
        if "://" in value and not re.fullmatch(r"s3://[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](/[\w./-]*)?", value):
            raise ValueError("must be a folder, or a bucket such as s3://labmate/files")
        return str(_expanded(Path(value))) if value.startswith("~") else value

    @model_validator(mode="after")
    def _somewhere(self) -> Settings:
        if self.explore and not self.http_listen:
            raise ValueError("EXPLORE is set, so HTTP_LISTEN is needed, such as 127.0.0.1:8090")
        return self

    @model_validator(mode="after")
    def _whole_key(self) -> Settings:
        if bool(self.s3_access_key) != bool(self.s3_secret_key):
            raise ValueError("S3_ACCESS_KEY and S3_SECRET_KEY belong together; leave both empty or set both")
        return self

    @model_validator(mode="after")
    def _shards(self) -> Settings:
        if bool(self.labmate_shards.strip()) != bool(self.labmate_shards_of):
            raise ValueError(
                "LABMATE_SHARDS and LABMATE_SHARDS_OF belong together: the shards of this process, and how "
                "many there are, such as --shards 0-3 --of 16"
            )
        try:
            _ = self.shards
        except ValueError as error:
            raise ValueError(f"LABMATE_SHARDS {error}") from None
        if self.shards and not self.discord_token:
            raise ValueError(
                "LABMATE_SHARDS is set, so DISCORD_TOKEN is needed; the local Discord has one shard"
            )
        return self

    @property
    def shards(self) -> ShardRange | None:
        """The shards of this process; None: all."""
        return (
            ShardRange.read(self.labmate_shards, self.labmate_shards_of) if self.labmate_shards_of else None
        )

    @property
    def nearest(self) -> str:
        """What finds the nearest vectors: a server's URL, or an engine's name."""
        return self.vector_url.get_secret_value() if self.vector_url else self.vector_engine

    @property
    def database(self) -> str:
        """The database's URL."""
        return self.database_url or f"sqlite+aiosqlite:///{(self.labmate_data / 'labmate.db').absolute()}"
