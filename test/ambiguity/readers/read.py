"""Reads requests as vendors written in Python do: json, of a repeated key the last or the first; email.

One case per line of stdin, one list of readings per line of stdout; nothing but the standard library.
"""

import base64
import json
import sys
from email.parser import BytesParser
from email.policy import HTTP, compat32


def number(text):
    """JSON has no word for what is too large to be one."""
    return text if float(text) in (float("inf"), float("-inf")) else float(text)


def last_wins(body):
    return json.loads(body, parse_float=number)


def first_wins(body):
    def keep(pairs):
        kept = {}
        for key, value in pairs:
            kept.setdefault(key, value)
        return kept

    return json.loads(body, object_pairs_hook=keep, parse_float=number)


def form_by(policy):
    def read(content_type, body):
        head = f"Content-Type: {content_type}\r\n\r\n".encode("latin1")
        message = BytesParser(policy=policy).parsebytes(head + body)
        if not message.is_multipart():
            return None
        fields = []
        for part in message.get_payload():
            name = part.get_param("name", header="content-disposition")
            kind = "text" if part.get_filename() is None else "file"
            content = part.get_payload(decode=True)
            fields.append([name, kind, base64.b64encode(content).decode()])
        return fields

    return read


def attempt(read, *arguments):
    try:
        return read(*arguments)
    except (ValueError, RecursionError, LookupError, AttributeError):
        return None


for line in sys.stdin:
    case = json.loads(line)
    body = base64.b64decode(case["body"])
    if case["protocol"] == "form":
        readings = [attempt(form_by(policy), case["contentType"], body) for policy in (HTTP, compat32)]
    else:
        readings = [attempt(last_wins, body), attempt(first_wins, body)]
    print(json.dumps(readings, ensure_ascii=True))
