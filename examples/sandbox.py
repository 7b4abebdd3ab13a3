"""Starts the sandbox exchange for a test in Python, with the standard library alone.

    with Sandbox(clock="manual", seed=7) as exchange:
        print(exchange.url, exchange.accounts[0]["address"])
        exchange.drive("POST", "/time", {"advance_ms": 60_000})
"""
import json
import os
import subprocess
import urllib.error
import urllib.request


class Sandbox:
    """Options are the flags of `svc serve --local`: Sandbox(unknown_fields="accept", faucet=True)."""

    def __init__(self, binary=None, **options):
        words = [binary or os.environ.get("SVC", "svc"), "serve", "--local"]
        for name, value in {"port": 0, "flow": "none", "log": "none", **options}.items():
            if value is None or value is False:
                continue
            words.append("--" + name.replace("_", "-"))
            if value is not True:
                words.append(str(value))
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"svc ended with exit code {self.process.wait()} before it was ready")
        for name, value in json.loads(line).items():
            setattr(self, name, value)

    def drive(self, method, path, body=None):
        """A request to the control surface; an error carries the exchange's own words."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.control + path, data, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            raise RuntimeError(f"{method} {path}: {error.code} {error.read().decode()}") from None

    def stop(self):
        self.process.terminate()
        code = self.process.wait()
        self.process.stdout.close()
        if code:
            raise RuntimeError(f"svc ended with exit code {code}")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()
