"""A few of the calls of Azure's blobs, in memory and for anybody, as far as a client of files needs them."""

import base64
import email.utils
import hashlib
import http.server
import re
import threading
import urllib.parse
from xml.sax.saxutils import escape

__all__ = ["serving_blobs"]


class Blobs(http.server.BaseHTTPRequestHandler):
    """One container and its blobs by name."""

    protocol_version = "HTTP/1.1"

    def asked(self):
        """The name of the blob, and the query."""
        url = urllib.parse.urlsplit(self.path)
        _, _, name = url.path.lstrip("/").partition("/")
        return urllib.parse.unquote(name), dict(urllib.parse.parse_qsl(url.query, keep_blank_values=True))

    def answer(self, code, body=b"", **headers):
        self.send_response(code)
        length = headers.pop("length", len(body))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(length))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def described(self, content):
        return {"ETag": f'"{hashlib.md5(content).hexdigest()}"', "Last_Modified": email.utils.formatdate(usegmt=True)}

    def do_PUT(self):
        (name, query), body = self.asked(), self.rfile.read(int(self.headers.get("Content-Length", 0)))
        blobs, blocks = self.server.blobs, self.server.blocks
        if query.get("comp") == "block":
            blocks[name, query["blockid"]] = body
            return self.answer(201)
        if query.get("comp") == "blocklist":
            ids = re.findall(r"<(?:Latest|Uncommitted)>([^<]*)<", body.decode())
            blobs[name] = b"".join(blocks[name, each] for each in ids)
        elif "x-ms-copy-source" in self.headers:
            source = urllib.parse.unquote(urllib.parse.urlsplit(self.headers["x-ms-copy-source"]).path)
            blobs[name] = blobs[source.lstrip("/").partition("/")[2]]
        else:
            blobs[name] = body
        self.answer(201, **self.described(blobs[name]))

    def do_GET(self):
        name, query = self.asked()
        if query.get("comp") == "list":
            return self.answer(200, self.listed(query.get("prefix", "")).encode(), Content_Type="application/xml")
        content = self.server.blobs.get(name)
        if content is None:
            return self.answer(404, b"<Error><Code>BlobNotFound</Code><Message>The blob is not there</Message></Error>")
        headers = self.described(content)
        if self.headers.get("If-Match", headers["ETag"]) != headers["ETag"]:
            return self.answer(412)
        asked = self.headers.get("Range") or self.headers.get("x-ms-range")
        if self.command == "HEAD" or not asked:
            return self.answer(200, content, **headers)
        first, last = (int(number) for number in asked.removeprefix("bytes=").split("-"))
        part = content[first : last + 1]
        self.answer(206, part, Content_Range=f"bytes {first}-{first + len(part) - 1}/{len(content)}", **headers)

    do_HEAD = do_GET

    def do_DELETE(self):
        name, _ = self.asked()
        self.answer(202 if self.server.blobs.pop(name, None) is not None else 404)

    def do_POST(self):
        """Several requests in one, each of which removes a blob."""
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        answers = []
        for number, path in enumerate(re.findall(r"^DELETE ([^ ?]*)", body, re.MULTILINE)):
            name = urllib.parse.unquote(path.lstrip("/").partition("/")[2])
            code = "202 Accepted" if self.server.blobs.pop(name, None) is not None else "404 Not Found"
            answers.append(f"--answers\r\nContent-Type: application/http\r\nContent-ID: {number}\r\n\r\nHTTP/1.1 {code}\r\n\r\n")
        self.answer(202, ("".join(answers) + "--answers--\r\n").encode(), Content_Type="multipart/mixed; boundary=answers")

    def listed(self, prefix):
        names = [name for name in sorted(self.server.blobs) if name.startswith(prefix)]
        folders = sorted({prefix + name[len(prefix) :].split("/")[0] + "/" for name in names if "/" in name[len(prefix) :]})
        entries = [f"<BlobPrefix><Name>{escape(folder)}</Name></BlobPrefix>" for folder in folders]
        for name in names:
            if "/" not in name[len(prefix) :]:
                content = self.server.blobs[name]
                described = self.described(content)
                entries.append(
                    f"<Blob><Name>{escape(name)}</Name><Properties><Last-Modified>{described['Last_Modified']}</Last-Modified>"
                    f"<Etag>{escape(described['ETag'])}</Etag><Content-Length>{len(content)}</Content-Length>"
                    "<Content-Type>application/octet-stream</Content-Type></Properties></Blob>")
        return f"<?xml version='1.0'?><EnumerationResults><Blobs>{''.join(entries)}</Blobs><NextMarker/></EnumerationResults>"

    def log_message(self, *_):
        pass


def serving_blobs():
    """Serves on loopback until the process ends; the environment that leads there."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Blobs)
    server.blobs, server.blocks = {}, {}
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return {
        "AZURE_STORAGE_ACCOUNT_NAME": "account",
        "AZURE_STORAGE_ACCOUNT_KEY": base64.b64encode(b"a key of no use").decode(),
        "AZURE_STORAGE_ENDPOINT": f"http://127.0.0.1:{server.server_address[1]}",
    }
