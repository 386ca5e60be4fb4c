import os
import tempfile
import unittest

from miranda_agent.git.git_run import Failure, Git, Unauthorised
from miranda_agent.git.git_task import as_code, check_address, check_path, difference, in_style_of


class GitTest(unittest.TestCase):
    def test_only_https_and_ssh_addresses_reach_git(self) -> None:
        for url in ("https://example.org/x", "ssh://git@example.org:22/x", "git@example.org:x"):
            check_address(url, "main")
        for url in (
            "file:///etc",
            "http://example.org/x",
            "git://example.org/x",
            "ext::sh -c id",
            "/etc",
            "-x",
            "--upload-pack=id",
            "https://example.org/x\n-y",
        ):
            with self.assertRaises(Failure, msg=url):
                check_address(url, "")

    def test_refuses_a_branch_that_looks_like_an_option(self) -> None:
        for branch in ("-x", "--all", "a b", "a..b", "a:b"):
            with self.assertRaises(Failure, msg=branch):
                check_address("https://example.org/x", branch)

    def test_a_path_stays_in_the_repository(self) -> None:
        check_path("a/b.py")
        for path in ("", "/a", "../a", "a/../b", ".git/config", "a/.GIT/x", "a\\b", "a\0b"):
            with self.assertRaises(Failure, msg=path):
                check_path(path)

    def test_keeps_the_line_ends_and_byte_order_mark_of_a_file(self) -> None:
        windows = b"\xef\xbb\xbfa\r\nb\r\n"
        self.assertEqual(as_code(windows, "x"), "a\nb\n")
        self.assertEqual(in_style_of(windows, "a\nc\n"), b"\xef\xbb\xbfa\r\nc\r\n")
        self.assertEqual(in_style_of(b"a\n", "a\nc\n"), b"a\nc\n")
        self.assertEqual(in_style_of(b"", "ä\n"), "ä\n".encode())

    def test_a_difference_is_short(self) -> None:
        words = difference("".join(f"{n}\n" for n in range(100)), "one\n")
        self.assertEqual(len(words.splitlines()), 14)
        self.assertTrue(words.endswith("and 89 lines more"))

    def test_reports_that_git_is_not_installed(self) -> None:
        with self.assertRaisesRegex(Failure, "There is no git on this processor"):
            Git("/nowhere", {"PATH": "/nowhere"})

    def test_git_does_not_see_the_machines_settings(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = {"PATH": os.environ.get("PATH", "")}
            try:
                given = {"GIT_SSH_COMMAND": "id", "HOME": "/root", "SSH_AUTH_SOCK": "/x", "no_proxy": "a"}
                git = Git(folder, {**path, **given})
            except Failure:
                self.skipTest("no git here")
            made = git.environment({}, {})
            self.assertEqual((made["HOME"], made["no_proxy"], made["GIT_ALLOW_PROTOCOL"]), (folder, "a", "https:ssh"))
            self.assertNotIn("GIT_SSH_COMMAND", made)
            self.assertNotIn("SSH_AUTH_SOCK", made)
            git.hidden = ["hunter2"]
            self.assertEqual(git.clean("https://me:pw@h/x hunter2"), "https://h/x \u2022\u2022\u2022\u2022")
            self.assertIsInstance(git.failure("fatal: Authentication failed for 'x'"), Unauthorised)
            git.start()
            others = ("file:///etc", f"{folder}/repository", "ext::id", "http://127.0.0.1:1/x", "git://127.0.0.1:1/x")
            for address in others:
                with self.assertRaisesRegex(Failure, "not allowed|not supported"):
                    git.run(["ls-remote", "--", address])


if __name__ == "__main__":
    unittest.main()
