"""The one door for outgoing requests (B41)."""

import gzip
import ipaddress
import socket
import threading
import time
from contextlib import closing

import pytest
from werkzeug import Request, Response

from researchassist.errors import WebError
from researchassist.papers.web import REFUSED, Door, is_public
from tests.outside import door

PUBLIC = "93.184.216.34"


def real(**changed) -> Door:
    """A door as the product makes it, but for what `changed` says."""
    return Door(**{"hosts": None, "seconds": 5.0, "megabytes": 1} | changed)


@pytest.mark.parametrize(
    "url",
    [
        "http://127.0.0.1:8000/admin/", "http://localhost/", "http://[::1]/", "http://0.0.0.0/", "http://0/",
        "http://2130706433/", "http://0x7f000001/", "http://017700000001/", "http://127.1/",
        "http://[::ffff:127.0.0.1]/", "http://[64:ff9b::7f00:1]/", "http://169.254.169.254/latest/meta-data/",
        "http://[fe80::1]/", "http://10.0.0.1/", "http://192.168.1.1/", "http://172.16.0.1/",
        "http://100.64.0.1/",
        "http://user@127.0.0.1/", "http://example.com@127.0.0.1/", "http://127.0.0.1#@example.com/",
        "http://LOCALHOST./", "http://①②⑦.⓪.⓪.①/", "file:///etc/passwd", "gopher://127.0.0.1:6379/_x",
        "ftp://127.0.0.1/", "data:text/plain,hello", "jar:http://127.0.0.1!/", "//127.0.0.1/",
        "http:127.0.0.1/",
        "http://example.com:25/", "http://example.com\\@127.0.0.1/", "http://exa mple.com/",
        "http://a\r\nb.c/",
        "https://", "http://[::1", "http://[::127.0.0.1]/", "http://[2002:7f00:1::]/", "http://224.0.0.1/",
    ],
)  # fmt: skip
def test_what_is_not_public_is_refused_with_one_sentence(url: str):
    with pytest.raises(WebError, match=r"^This address is not fetched") as refused:
        real().get(url)
    assert str(refused.value) == REFUSED


@pytest.mark.parametrize("name", ["127.0.0.1.nip.io", "localhost.localdomain", "intranet.example.com"])
def test_a_public_name_that_leads_inside_is_refused(name: str):
    inside = real(resolve=lambda _host, port: [(PUBLIC, port), ("127.0.0.1", port)])
    with pytest.raises(WebError, match=REFUSED[:20]):
        inside.get(f"http://{name}/")


@pytest.mark.parametrize(
    ("address", "public"),
    [
        (PUBLIC, True), ("2606:2800:220:1::1", True), ("64:ff9b::5db8:d822", True),
        ("::ffff:93.184.216.34", True),
        ("::ffff:10.0.0.1", False), ("64:ff9b::a00:1", False), ("2002:a00:1::", False), ("fec0::1", False),
        ("fd00::1", False), ("64:ff9b:1::808:808", False),
        ("100.64.0.1", False), ("0.0.0.0", False), ("240.0.0.1", False),
        ("ff02::1", False),
        ("fe80::1%eth0", False), ("2001:0:4136:e378:8000:63bf:3fff:fdd2", False),
    ],
)  # fmt: skip
def test_an_address_is_judged_by_what_it_leads_to(address: str, public: bool):
    assert is_public(ipaddress.ip_address(address)) is public


def test_the_connection_is_made_to_the_checked_address(httpserver):
    """A name whose second answer would be another address is asked once only."""
    httpserver.expect_request("/page").respond_with_data("here")
    answers = [[("127.0.0.1", httpserver.port)], [("10.0.0.1", 80)]]
    given = door(httpserver, resolve=lambda _host, _port: answers.pop(0))
    assert given.get("http://rebinding.example.com/page").data == b"here"
    assert len(answers) == 1
    assert httpserver.log[0][0].headers["Host"] == "rebinding.example.com"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_each_redirect_is_checked_anew(httpserver, status: int):
    httpserver.expect_request("/").respond_with_data("", status, {"Location": "http://127.0.0.1:8000/secret"})
    with pytest.raises(WebError, match=r"^This address is not fetched"):
        door(httpserver).get("http://public.example.com/")
    assert len(httpserver.log) == 1


def test_a_redirect_to_a_name_that_leads_inside_is_refused(httpserver):
    httpserver.expect_request("/").respond_with_data(
        "", 302, {"Location": "http://inside.example.com/secret"}
    )
    given = door(
        httpserver,
        resolve=lambda host, _: [
            ("127.0.0.2" if host.startswith("inside") else "127.0.0.1", httpserver.port)
        ],
        is_allowed=lambda address: str(address) == "127.0.0.1",
    )
    with pytest.raises(WebError, match=r"^This address is not fetched"):
        given.get("http://public.example.com/")
    assert len(httpserver.log) == 1


def test_a_redirect_away_from_the_listed_hosts_is_refused(httpserver):
    httpserver.expect_request("/").respond_with_data("", 302, {"Location": "http://elsewhere.example.com/"})
    with pytest.raises(WebError, match=r"^This address is not fetched"):
        door(httpserver, ("arxiv.org",)).get("http://arxiv.org/")


def test_a_host_that_is_not_listed_is_not_even_looked_up():
    with pytest.raises(WebError, match=r"^This address is not fetched"):
        real(hosts=("arxiv.org",), resolve=_unexpected).get(
            "https://arxiv.org.evil.example.com/abs/2401.00001"
        )


def _unexpected(_host: str, _port: int) -> list[tuple[str, int]]:
    raise AssertionError("no name may be looked up")


def test_a_page_that_refreshes_itself_elsewhere_leads_nowhere(httpserver):
    page = '<meta http-equiv="refresh" content="0; url=http://127.0.0.1:8000/">'
    httpserver.expect_request("/").respond_with_data(page, content_type="text/html")
    assert door(httpserver).get("http://a.example.com/").data == page.encode()
    assert len(httpserver.log) == 1


def test_redirects_in_a_circle_end(httpserver):
    httpserver.expect_request("/").respond_with_data("", 302, {"Location": "/"})
    with pytest.raises(WebError, match="too often"):
        door(httpserver).get("http://a.example.com/")


def test_a_body_without_end_is_cut_at_the_limit(httpserver):
    def endless(_request: Request) -> Response:
        return Response((b"x" * 65_536 for _ in range(1_000_000)), 200)

    httpserver.expect_request("/").respond_with_handler(endless)
    with pytest.raises(WebError, match="larger than 1 MB"):
        door(httpserver, megabytes=1).get("http://a.example.com/")


def test_a_packed_body_is_cut_at_the_limit_of_what_it_unpacks_to(httpserver):
    bomb = gzip.compress(b"\0" * 300_000_000, compresslevel=9)
    httpserver.expect_request("/").respond_with_data(bomb, headers={"Content-Encoding": "gzip"})
    with pytest.raises(WebError, match="larger than 1 MB"):
        door(httpserver, megabytes=1).get("http://a.example.com/")


def test_a_packed_body_arrives_unpacked(httpserver):
    text = b"owls " * 50_000
    httpserver.expect_request("/").respond_with_data(
        gzip.compress(text), headers={"Content-Encoding": "gzip"}
    )
    assert door(httpserver).get("http://a.example.com/").data == text


@pytest.mark.parametrize(
    "greeting", [b"", b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: "]
)
def test_a_server_that_drips_is_given_up_in_time(greeting: bytes):
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        thread = threading.Thread(target=_drip, args=(server, greeting), daemon=True)
        thread.start()
        slow = real(
            seconds=1.0, resolve=lambda *_: [server.getsockname()[:2]], is_allowed=lambda _address: True
        )
        started = time.monotonic()
        with pytest.raises(WebError, match="did not answer in time"):
            slow.get("http://a.example.com/")
        assert time.monotonic() - started < 3


def _drip(server: socket.socket, greeting: bytes) -> None:
    connection, _ = server.accept()
    with closing(connection):
        connection.sendall(greeting)
        try:
            while greeting:
                connection.sendall(b"x")
                time.sleep(0.2)
            time.sleep(3)
        except OSError:
            return


def test_a_host_that_is_not_there_is_one_sentence():
    def nowhere(_host: str, _port: int) -> list[tuple[str, int]]:
        raise socket.gaierror(-2, "Name or service not known")

    with pytest.raises(WebError, match=r"no host 'nowhere\.example\.com', or no network"):
        real(resolve=nowhere).get("http://nowhere.example.com/")


def test_a_refused_connection_is_one_sentence(httpserver):
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        port = server.getsockname()[1]
    gone = real(resolve=lambda *_: [("127.0.0.1", port)], is_allowed=lambda _address: True)
    with pytest.raises(WebError, match=r"^a\.example\.com could not be reached, or broke off\.$"):
        gone.get("http://a.example.com/")


def test_a_post_is_not_redirected(httpserver):
    httpserver.expect_request("/").respond_with_data("", 307, {"Location": "http://b.example.com/"})
    with pytest.raises(WebError, match=r"^This address is not fetched"):
        door(httpserver).post("http://a.example.com/", headers={"authorization": "Bearer key"}, content=b"{}")
    assert len(httpserver.log) == 1
