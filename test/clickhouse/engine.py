"""ClickHouse behind the part of its HTTP interface that is used: chdb, which is its engine as a library.

The query, the settings and the rows of a request become one statement. Prints its address; ends with stdin.
"""

import http.server
import re
import sys
import threading
import urllib.parse

from chdb import session

engine = session.Session(sys.argv[1])
# Connections stay open and have a thread each; the engine does one thing at a time.
turn = threading.Lock()
# Answered by the HTTP interface, and no settings of the engine.
OF_HTTP = {"query", "wait_end_of_query"}


class Door(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        given = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        statement, output = body, "JSONEachRow"
        if "query" in given:
            settings = ", ".join(f"{name} = '{value}'" for name, value in given.items() if name not in OF_HTTP)
            head, form = given["query"].rsplit(" format ", 1)
            statement = f"{head} settings {settings} format {form}\n{body}"
        try:
            with turn:
                answer = engine.query(statement, output).bytes() or b""
            self.reply(200, answer)
        except Exception as error:
            code = re.search(r"Code: (\d+)", str(error))
            self.reply(500, str(error).encode(), code.group(1) if code else "1000")

    def reply(self, status, body, code=None):
        self.send_response(status)
        if code:
            self.send_header("x-clickhouse-exception-code", code)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Door)
version = engine.query("select version()", "TSV").bytes().decode().strip()
print(f"http://127.0.0.1:{server.server_port} {version}", flush=True)
threading.Thread(target=server.serve_forever, daemon=True).start()
sys.stdin.read()
