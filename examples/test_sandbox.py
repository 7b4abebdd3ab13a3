"""A test that uses it: python3 -m unittest examples/test_sandbox.py"""
import json
import unittest
import urllib.request

from sandbox import Sandbox


class Clock(unittest.TestCase):
    def test_time_passes_only_when_the_test_says_so(self):
        with Sandbox(clock="manual", at="2026-01-01T00:00:00Z") as exchange:
            before = exchange.drive("GET", "/time")["now_ms"]
            exchange.drive("POST", "/time", {"advance_ms": 1500})
            self.assertEqual(exchange.drive("GET", "/time")["now_ms"], before + 1500)

    def test_markets_are_there(self):
        with Sandbox() as exchange:
            with urllib.request.urlopen(exchange.url + "/v1/markets") as answer:
                self.assertIn("BTC-USDX-PERP", [market["market_id"] for market in json.load(answer)])

    def test_a_refusal_is_told_in_its_words(self):
        with Sandbox() as exchange:
            with self.assertRaisesRegex(RuntimeError, "404 .*UnknownMarket"):
                exchange.drive("POST", "/markets/NOPE/halt", {"reason": "drill"})


if __name__ == "__main__":
    unittest.main()
