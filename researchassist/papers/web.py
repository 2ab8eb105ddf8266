"""The one door for outgoing requests.

Decides on the address a name resolves to, and connects to that address; asks again at each
redirect. Size and time are limited whatever the server does. Everything that is refused is
refused with one sentence.
"""

import ipaddress
import socket
import ssl
import time
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import SplitResult, urljoin, urlsplit

import httpcore2

from researchassist.errors import WebError

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve = Callable[[str, int], Sequence[tuple[str, int]]]

REFUSED = "This address is not fetched: only public web addresses (http or https) are."
_REDIRECTS = (301, 302, 303, 307, 308)
_MOST_REDIRECTS = 5
_PORTS = {"http": 80, "https": 443}
_CHUNK = 65_536
_TRIED_ADDRESSES = 3
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_LOCAL_NAT64 = ipaddress.ip_network("64:ff9b:1::/48")
_COMPATIBLE = ipaddress.ip_network("::/96")
_ALWAYS = {
    "user-agent": "ResearchAssist/0.1 (local research assistant)",
    "accept-encoding": "gzip",
    "connection": "close",
}


@dataclass(frozen=True)
class Reply:
    """What a server answered in the end, whole. `url` is where the redirects ended."""

    url: str
    status: int
    headers: Mapping[str, str]
    data: bytes

    @property
    def content_type(self) -> str:
        """The type without its parameters, in lower case."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()


@dataclass(frozen=True, kw_only=True)
class Door:
    """Requests to the hosts of one feature; `hosts` None: any public host, for links the person gave.

    `resolve` and `is_allowed` are given by tests only, which play servers on loopback.
    """

    hosts: Collection[str] | None
    seconds: float
    megabytes: int
    resolve: Resolve = field(default_factory=lambda: resolved)
    is_allowed: Callable[[Address], bool] = field(default_factory=lambda: is_public)

    def get(self, url: str, *, headers: Mapping[str, str] | None = None) -> Reply:
        """Fetches a page, following redirects. Raises WebError."""
        return self._request("GET", url, headers or {}, None)

    def post(self, url: str, *, headers: Mapping[str, str], content: bytes) -> Reply:
        """Posts to a service; a redirect is refused. Raises WebError."""
        return self._request("POST", url, headers, content)

    def _request(self, method: str, url: str, headers: Mapping[str, str], content: bytes | None) -> Reply:
        deadline = time.monotonic() + self.seconds
        for _ in range(_MOST_REDIRECTS + 1):
            reply = self._once(method, url, headers, content, deadline)
            target = reply.headers.get("location")
            if reply.status not in _REDIRECTS or not target:
                return reply
            if method != "GET":
                raise WebError(REFUSED, status=reply.status)
            url = urljoin(url, target)
        raise WebError("The address redirects too often.")

    def _once(
        self, method: str, url: str, headers: Mapping[str, str], content: bytes | None, deadline: float
    ) -> Reply:
        parts = checked(url)
        host = (parts.hostname or "").rstrip(".").lower()
        if self.hosts is not None and host not in self.hosts:
            raise WebError(REFUSED)
        addresses = self._addresses(host, _PORTS[parts.scheme])
        shown = {"host": _bracketed(host)} | _ALWAYS | dict(headers)
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        target = httpcore2.URL(scheme=parts.scheme, host=_bracketed(host), port=None, target=_ascii(path))
        backend = _CheckedBackend(addresses, deadline)
        try:
            with (
                httpcore2.ConnectionPool(
                    network_backend=backend, ssl_context=ssl.create_default_context()
                ) as pool,
                pool.stream(method, target, headers=[*shown.items()], content=content) as answer,
            ):
                got = {
                    key.decode("latin-1").lower(): value.decode("latin-1") for key, value in answer.headers
                }
                data = b"".join(self._body(answer.iter_stream(), got))
                return Reply(url, answer.status, got, data)
        except (httpcore2.TimeoutException, TimeoutError) as error:
            raise WebError(f"{host} did not answer in time.") from error
        except (httpcore2.NetworkError, httpcore2.ProtocolError, OSError, ValueError) as error:
            raise WebError(f"{host} could not be reached, or broke off.") from error

    def _addresses(self, host: str, port: int) -> Sequence[tuple[str, int]]:
        """Where the name leads, each address checked. One that is not public refuses them all."""
        try:
            found = list(self.resolve(host, port))
        except (OSError, UnicodeError, ValueError) as error:
            raise WebError(f"There is no host {host!r}, or no network.") from error
        try:
            public = found and all(self.is_allowed(ipaddress.ip_address(ip)) for ip, _ in found)
        except ValueError:
            public = False
        if not public:
            raise WebError(REFUSED)
        return found[:_TRIED_ADDRESSES]

    def _body(self, stream: Any, headers: Mapping[str, str]) -> Iterator[bytes]:
        """The body, unpacked where it is packed, never more than the limit of either."""
        most = self.megabytes * 1_000_000
        packed = headers.get("content-encoding", "").strip().lower()
        if packed not in ("", "identity", "gzip", "deflate", "x-gzip"):
            raise WebError("The server answered in an encoding that was not asked for.")
        unpack = zlib.decompressobj(zlib.MAX_WBITS | 32) if packed not in ("", "identity") else None
        came = given = 0
        for part in stream:
            came += len(part)
            left = part
            while left:
                out = left if unpack is None else _unpacked(unpack, left)
                left = b"" if unpack is None else unpack.unconsumed_tail
                given += len(out)
                if max(came, given) > most:
                    raise WebError(f"What the address holds is larger than {self.megabytes} MB.")
                yield out


def _unpacked(unpack: Any, part: bytes) -> bytes:
    try:
        return bytes(unpack.decompress(part, _CHUNK))
    except zlib.error as error:
        raise WebError("What the server sent is damaged.") from error


def checked(url: str) -> SplitResult:
    """The parts of an address of a kind that may be fetched. Raises WebError."""
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname
        host = host.encode("idna").decode("ascii") if host and ":" not in host else host
    except (ValueError, UnicodeError) as error:
        raise WebError(REFUSED) from error
    odd = any(c.isspace() or ord(c) < 33 or c == "\\" for c in url)
    if (
        odd
        or parts.scheme not in _PORTS
        or not host
        or parts.username is not None
        or parts.password is not None
    ):
        raise WebError(REFUSED)
    if port is not None and port != _PORTS[parts.scheme]:
        raise WebError(REFUSED)
    return parts._replace(netloc=_bracketed(host))


def resolved(host: str, port: int) -> list[tuple[str, int]]:
    """The addresses of a host name, by the machine's resolver."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys((str(entry[4][0]), port) for entry in found))


def is_public(address: Address) -> bool:
    """Whether an address is one of the public internet, whatever form it is wrapped in."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.scope_id is not None or address.is_site_local:
            return False
        if address in _COMPATIBLE or address in _LOCAL_NAT64:
            return False
        inner = address.ipv4_mapped or address.sixtofour
        if address in _NAT64:
            inner = ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
        if address.teredo is not None:
            return False
    return address.is_global and not (address.is_multicast or address.is_reserved or address.is_unspecified)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _ascii(path: str) -> str:
    """A path as it goes over the wire."""
    return "".join(c if 32 < ord(c) < 127 else "".join(f"%{b:02X}" for b in c.encode()) for c in path)


class _CheckedBackend(httpcore2.NetworkBackend):
    """Connects to the addresses that were checked, whatever the name may resolve to by now."""

    def __init__(self, addresses: Sequence[tuple[str, int]], deadline: float) -> None:
        self._addresses = addresses
        self._deadline = deadline
        self._real = httpcore2.SyncBackend()

    def connect_tcp(  # type: ignore[override]
        self,
        host: str,  # noqa: ARG002
        port: int,  # noqa: ARG002
        timeout: float | None = None,  # noqa: ARG002
        **rest: Any,
    ) -> Any:
        """Opens the connection; see NetworkBackend."""
        failure: Exception = httpcore2.ConnectError("no address")
        for ip, real_port in self._addresses:
            try:
                stream = self._real.connect_tcp(ip, real_port, timeout=_left(self._deadline), **rest)
                return _LimitedStream(stream, self._deadline)
            except (httpcore2.ConnectError, httpcore2.ConnectTimeout) as error:
                failure = error
        raise failure


class _LimitedStream(httpcore2.NetworkStream):
    """A connection whose every read and write ends at one deadline, however slowly bytes come."""

    def __init__(self, stream: httpcore2.NetworkStream, deadline: float) -> None:
        self._stream = stream
        self._deadline = deadline

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002
        """See NetworkStream."""
        return self._stream.read(max_bytes, timeout=_left(self._deadline))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002
        """See NetworkStream."""
        self._stream.write(buffer, timeout=_left(self._deadline))

    def close(self) -> None:
        """See NetworkStream."""
        self._stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002
    ) -> httpcore2.NetworkStream:
        """See NetworkStream."""
        stream = self._stream.start_tls(ssl_context, server_hostname, timeout=_left(self._deadline))
        return _LimitedStream(stream, self._deadline)

    def get_extra_info(self, info: str) -> Any:
        """See NetworkStream."""
        return self._stream.get_extra_info(info)


def _left(deadline: float) -> float:
    """Seconds until the deadline. Raises ReadTimeout where it has passed."""
    left = deadline - time.monotonic()
    if left <= 0:
        raise httpcore2.ReadTimeout("the time is over")
    return left
