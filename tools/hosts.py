"""Which Ollama is asked, and whether it is the user's own.

Ollama's variable is written by people for the server too (``0.0.0.0``, ``:11434``), so it is read as Ollama reads it:
no scheme means http and port 11434, ``http://`` alone means port 80, ``https://`` alone 443.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

from tools.errors import Forbidden, ModelUnavailable, UsageFailure

_PRIVATE = tuple(
    ipaddress.ip_network(network)
    for network in (
        "127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7",
        "169.254.0.0/16", "fe80::/10", "100.64.0.0/10",
    )
)  # fmt: skip
_SERVER_WILDCARDS = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1", "localhost": "127.0.0.1"}
_HINT = "set OLLAMA_HOST to a server of your own network, or pass --allow-remote to send the phrase there all the same"

Resolve = Callable[[str], list[str]]


@dataclass(frozen=True)
class Host:
    """An Ollama server: the url requests go to, with an address in it where that is possible, and the name it had."""

    url: str
    name: str


def addresses_of(name: str) -> list[str]:
    """Return the addresses a name resolves to.

    Raises:
        OSError: When it does not resolve.
    """
    return sorted({str(info[4][0]) for info in socket.getaddrinfo(name, None, type=socket.SOCK_STREAM)})


def ollama_host(text: str, *, allow_remote: bool = False, resolve: Resolve = addresses_of) -> Host:
    """Return the server that ``OLLAMA_HOST`` means, if the phrase may be sent to it.

    A name is resolved once and the address is what is connected to, so that it cannot become another one later.

    Args:
        text: The variable: a host, ``host:port`` or a url; empty for this machine.
        allow_remote: Whether a server outside the user's own network is wanted.
        resolve: Returns the addresses of a name.

    Raises:
        UsageFailure: When it is no host.
        Forbidden: When it is not on this machine or a private network.
        ModelUnavailable: When the name does not resolve.
    """
    scheme, host, port = _split(text)
    name = f"{host}:{port}"
    if host == "ollama.com" or host.endswith(".ollama.com"):
        if not allow_remote:
            raise Forbidden(f"OLLAMA_HOST is {host}: that is Ollama's cloud, not your machine", _HINT)
        return Host(f"{scheme}://{host}:{port}", name)
    addresses = [host] if _is_address(host) else _resolved(host, resolve)
    if not allow_remote and not all(is_private(address) for address in addresses):
        raise Forbidden(f"OLLAMA_HOST is {host}: neither this machine nor a private network", _HINT)
    target = host if scheme == "https" else addresses[0]
    return Host(f"{scheme}://{f'[{target}]' if ':' in target else target}:{port}", name)


def _resolved(host: str, resolve: Resolve) -> list[str]:
    try:
        addresses = resolve(host)
    except (OSError, UnicodeError) as error:
        raise ModelUnavailable(f"OLLAMA_HOST: the name {host} does not resolve", "check OLLAMA_HOST") from error
    if not addresses:
        raise ModelUnavailable(f"OLLAMA_HOST: the name {host} has no address", "check OLLAMA_HOST")
    return sorted(addresses, key=lambda address: ":" in address)


def _split(text: str) -> tuple[str, str, int]:
    """Return scheme, host and port of what ``OLLAMA_HOST`` says."""
    text = text.strip().strip("\"'")
    scheme, found, rest = text.partition("://")
    if not found:
        scheme, rest = "", text
        if rest.count(":") > 1 and not rest.startswith("["):
            rest = f"[{rest}]"
    if scheme.lower() not in ("", "http", "https"):
        raise UsageFailure(f"OLLAMA_HOST: {scheme}:// is not a scheme it can have", "use http:// or https://")
    try:
        parts = urlsplit(f"//{rest}")
        port = parts.port
        host = (parts.hostname or "").rstrip(".")
    except ValueError as error:
        shown = repr(text[:80]) if "@" not in text else "with a user in it"  # which may have a password
        raise UsageFailure(f"OLLAMA_HOST {shown} is not a host", "use something like 127.0.0.1:11434") from error
    if parts.username or parts.password or not re.fullmatch(r"[\w.:%-]*", host):
        raise UsageFailure("OLLAMA_HOST is not a host", "use something like 127.0.0.1:11434")
    default = {"": 11434, "http": 80, "https": 443}[scheme.lower()]
    return scheme.lower() or "http", _SERVER_WILDCARDS.get(host, host), port or default


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return True


def is_private(address: str) -> bool:
    """Return whether an address is this machine's or a private network's, also when written as IPv4 in IPv6."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    mapped = getattr(ip, "ipv4_mapped", None)
    return any((mapped or ip) in network for network in _PRIVATE)


def is_cloud_name(model: str) -> bool:
    """Return whether a model's name says that Ollama runs it in its cloud."""
    name = model.casefold()
    return name.endswith((":cloud", "-cloud"))
