"""Match requests, and the credentials of a link (docs/MATCH.md, and WF45, WF48 of docs/WIRE-FORMAT.md)."""
import base64
import json

from byte_reader import Drop
from packets import is_build

VERSION = 5
METHODS = ("joinOrCreate", "create", "join", "joinById", "reconnect")
MOST_OPTIONS, MOST_OPTION_BYTES = 16, 4096


def match_request_of(body):
    """Returns the request in a body of M1 with what it leaves out. Drops it with the code of the refusal."""
    _check(isinstance(body, dict))
    if body.get("version") != VERSION:
        raise Drop("session/version")
    request = {"options": {}, "webrtc": False, "token": "", "authToken": "", "spectate": False}
    request.update({name: body[name] for name in request if name in body})
    _check(isinstance(request["webrtc"], bool) and isinstance(request["spectate"], bool))
    _check(isinstance(request["token"], str) and len(request["token"]) <= 128)
    _check(isinstance(request["authToken"], str) and len(request["authToken"]) <= 3000)
    _check_options(request["options"])
    for name, is_fine in (("build", is_build), ("group", _is_group), ("seat", _is_seat)):
        if name in body:
            _check(is_fine(body[name]))
            request[name] = body[name]
    return request


def credential_of(text):
    """WF45: returns the kind and the content of the subprotocol beside the protocol's name."""
    kind, _, rest = text.partition(".")
    if kind in ("ticket", "stripe"):
        return {"kind": kind, "ticket": rest}
    if kind == "resume":
        session, _, token = rest.partition(".")
        return {"kind": kind, "session": session, "token": token}
    if kind != "join":
        return {"kind": "refused"}
    try:
        return {"kind": kind, "request": _join_of(rest)}
    except Drop as drop:
        return {"kind": kind, "refusal": drop.reason}


def _join_of(text):
    """WF48: returns the request in a subprotocol."""
    try:
        body = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode("utf-8"))
    except ValueError:
        raise Drop("match/bad-request") from None
    request = match_request_of(body)
    _check(body.get("method") in METHODS and body["method"] != "reconnect" and bool(body.get("target")))
    return {"method": body["method"], "target": body["target"], **request}


def _units(text):
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _check_options(options):
    _check(isinstance(options, dict) and len(options) <= MOST_OPTIONS)
    for name, value in options.items():
        _check(1 <= _units(name) <= 64)
        _check(isinstance(value, (bool, int, float)) or isinstance(value, str) and _units(value) <= 256)
    # The shortest msgpack takes no less than the texts.
    texts = [*options, *(value for value in options.values() if isinstance(value, str))]
    _check(sum(len(text.encode()) for text in texts) <= MOST_OPTION_BYTES)


def _is_text(value):
    return isinstance(value, str) and 1 <= _units(value) <= 128


def _is_group(value):
    return isinstance(value, dict) and _is_text(value.get("key")) and value.get("size") in range(1, 65)


def _is_seat(value):
    texts = isinstance(value, dict) and _is_text(value.get("session")) and _is_text(value.get("token"))
    received = value.get("received", 0) if texts else 0
    is_number = isinstance(received, int) and not isinstance(received, bool) and 0 <= received <= 65535
    return texts and isinstance(value.get("ifAway"), bool) and is_number


def _check(is_fine):
    if not is_fine:
        raise Drop("match/bad-request")
