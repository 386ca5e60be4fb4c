from __future__ import annotations

import os
import tempfile
import unittest
from datetime import datetime

from miranda.s3.answers import Entry, read_page, read_xml
from miranda.s3.journal import Journal, Known
from miranda.s3.names import being_written, is_file_name, why_no_key
from miranda.s3.place import Address, Place
from miranda.s3.sign import NOTHING, Keys, sign


def place(**more: str) -> Place:
    given = {
        "bucket": "tides",
        "prefix": "",
        "region": "",
        "endpoint": "",
        "access_key_secret": "",
        "secret_key_secret": "",
    }
    return Place.of({**given, **more, "most_files": 10})


class Signing(unittest.TestCase):
    def test_signs_the_examples_that_amazon_publishes(self) -> None:
        keys = Keys("AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
        for query, signature in (
            ({"lifecycle": ""}, "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
            ({"prefix": "J", "max-keys": "2"}, "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
        ):
            host = "examplebucket.s3.amazonaws.com"
            headers = sign("GET", host, "/", query, NOTHING, "us-east-1", keys, datetime(2013, 5, 24))
            self.assertTrue(headers["authorization"].endswith(f"Signature={signature}"), headers)


class Addresses(unittest.TestCase):
    def test_addresses_are_amazons_unless_an_endpoint_is_set(self) -> None:
        for given, address, path in (
            (place(), "https://tides.s3.us-east-1.amazonaws.com", ""),
            (place(region="cn-north-1"), "https://tides.s3.cn-north-1.amazonaws.com.cn", ""),
            (place(bucket="my.tides", region="eu-west-3"), "https://s3.eu-west-3.amazonaws.com", "/my.tides"),
            (place(endpoint="http://minio:9000/"), "http://minio:9000", "/tides"),
            (place(endpoint="https://[::1]:443/s3 x"), "https://[::1]", "/s3%20x/tides"),
        ):
            found = Address.of(given)
            self.assertEqual((str(found), found.path), (address, path))


class Names(unittest.TestCase):
    def test_refuses_names_that_leave_the_folder(self) -> None:
        for name in ("a", "a/b", "ü +%", "...", "a..b", "..a/b..", "new\nline", "a\\b"):
            self.assertTrue(is_file_name(name), name)
        for name in (
            "",
            "/a",
            "a/",
            "a//b",
            ".",
            "..",
            "../a",
            "a/../b",
            "a/.",
            "a\0b",
            "x" * 256,
            "a/" * 1600 + "a",
            "\udcff",
        ):
            self.assertFalse(is_file_name(name), name)

    def test_refuses_file_names_that_are_too_long_for_a_key(self) -> None:
        self.assertIsNone(why_no_key("ü" * 512))
        self.assertIn("1024 bytes", why_no_key("ü" * 513) or "")
        self.assertIn("UTF-8", why_no_key("a\udcff") or "")

    def test_finds_files_that_are_open_for_writing(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            with open(f"{folder}/a", "w"), open(f"{folder}/b", "a"), open(f"{folder}/a"):
                if os.path.isdir("/proc/self/fd"):
                    self.assertEqual(being_written(folder, [os.getpid()]), {"a", "b"})
            self.assertEqual(being_written(folder, [os.getpid()]), set())


class Answers(unittest.TestCase):
    def test_refuses_a_document_type_in_any_encoding(self) -> None:
        bomb = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b "bbbb">]><a>&b;</a>'
        for data in (bomb.encode(), bomb.encode("utf-16"), b"<!DOCTYPE a><a/>", b"", b"<a>", b"hello"):
            with self.assertRaises(ValueError):
                read_xml(data)

    def test_reads_a_page_of_a_listing(self) -> None:
        entry = "<Contents><Key>a+b%2B</Key><Size>3</Size><ETag>&quot;t&quot;</ETag></Contents>"
        text = f"<s:ListBucketResult xmlns:s='x'>{{}}{entry}{{}}</s:ListBucketResult>"
        page = read_page(text.format("<EncodingType>url</EncodingType>", "").encode())
        self.assertEqual((page.entries, page.following), ([Entry("a b+", 3, "t")], None))
        self.assertEqual(read_page(text.format("", "").encode()).entries[0].key, "a+b%2B")
        more = "<IsTruncated>true</IsTruncated>"
        with self.assertRaises(ValueError):
            read_page(text.format("", more).encode())
        for size in ("-1", "x", ""):
            with self.assertRaises(ValueError):
                read_page(text.format("", "").replace("3", size).encode())


class Keeping(unittest.TestCase):
    def test_ignores_a_last_line_that_was_cut_off(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "journal")
            first = Journal(path)
            for name in ("a", "b\n", "c"):
                first.set(name, Known("t", 1, 2, 3, 4))
            first.forget("c")
            first.out.write('["d", ["t", 1')
            first.out.close()
            again = Journal(path)
            self.assertEqual(set(again.known), {"a", "b\n"})
            self.assertEqual(again.known["a"], Known("t", 1, 2, 3, 4))
            again.out.close()


if __name__ == "__main__":
    unittest.main()
